//! State of one search thread, and the small steps that every node takes.

use super::SearchRequest;
use super::control::Control;
use super::correction::{Corrections, Slots};
use super::eval::{self, Evaluation};
use super::history::{Before, Histories, Step};
use super::limits::{Deadlines, Limits};
use super::mate::{MateLine, MateSearch};
use super::nnue::Accumulators;
use super::params::Params;
use super::score::{EVAL_LIMIT, MATE, MAX_PLY};
use super::strength::{Blur, Strength};
use super::tt::Table;
use crate::rules::{Move, Position};
use arrayvec::ArrayVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Nodes between two looks at the clock. Nodes with full hands are slow, down to 300 a millisecond.
const CHECK_INTERVAL: u64 = 256;
/// Positions of the mate search that take as long as a node, and are counted as one.
const MATE_POSITIONS_OF_A_NODE: u64 = 8;
/// Positions of the mate search between two looks at the clock.
const MATE_PIECE: u64 = 4096;
/// Nodes after which a stop is obeyed even if no depth was finished.
const FIRST_MOVE_NODES: u64 = 2000;
/// Slots of the occurrence filter.
const FILTER: usize = 4096;
/// Table of a search that must not know of earlier ones, MiB.
const FRESH_TABLE: usize = 1;
/// Frames before the root, so that four plies back always exist.
const FRAMES_BEFORE: usize = 4;

/// Expected line of a node.
pub(crate) type Line = ArrayVec<Move, MAX_PLY>;

/// What the search notes at one ply.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// Corrected static evaluation, [`super::tt::NO_EVAL`] in check.
    pub(crate) eval: i32,
    /// Move that is left out, while it is tested whether it is the only good one.
    pub(crate) excluded: Move,
    /// Move made at this ply.
    pub(crate) step: Step,
    /// Quiet moves that refuted siblings.
    pub(crate) killers: [Move; 2],
    /// Expected line from here.
    pub(crate) line: Line,
}

impl Frame {
    fn new() -> Self {
        Self {
            eval: super::tt::NO_EVAL,
            excluded: Move::NONE,
            step: Step::NONE,
            killers: [Move::NONE; 2],
            line: Line::new(),
        }
    }
}

/// Move at the root with what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    /// Value of the present iteration, `-INFINITE` if it was not better than alpha.
    pub(crate) value: i32,
    /// Expected line, this move first.
    pub(crate) line: Line,
    /// Nodes spent below it in this search.
    pub(crate) nodes: u64,
}

/// One search as all of its threads see it.
#[derive(Debug)]
pub(crate) struct Job {
    /// Position at the root.
    pub(crate) position: Position,
    /// Keys of earlier positions, oldest first.
    pub(crate) earlier: Vec<u64>,
    /// What ends the search.
    pub(crate) limits: Limits,
    /// When the clock started to run.
    pub(crate) received: Instant,
    /// When the search started.
    pub(crate) began: Instant,
    /// Signals.
    pub(crate) control: Arc<Control>,
    /// Shared table.
    pub(crate) table: Arc<Table>,
    /// What positions are judged by.
    pub(crate) evaluation: Evaluation,
    /// Nodes of each thread, brought up to date now and then.
    pub(crate) counters: Box<[AtomicU64]>,
}

impl Job {
    /// Search that begins now, on so many threads.
    pub(crate) fn new(
        request: SearchRequest,
        control: Arc<Control>,
        table: Arc<Table>,
        evaluation: Evaluation,
        threads: usize,
    ) -> Self {
        let table = match request.limits.strength {
            Some(_) => Arc::new(Table::new(FRESH_TABLE)),
            None => table,
        };
        table.new_search();
        Self {
            position: request.position,
            earlier: request.earlier,
            limits: request.limits,
            received: request.received,
            began: Instant::now(),
            control,
            table,
            evaluation,
            counters: (0..threads).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Nodes of all threads.
    pub(crate) fn nodes(&self) -> u64 {
        self.counters
            .iter()
            .map(|counter| counter.load(Relaxed))
            .sum()
    }
}

/// What a thread has to say after its search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finding {
    /// Expected line; empty if no depth was finished.
    pub(crate) line: Line,
    /// Its value.
    pub(crate) value: i32,
    /// Last finished depth.
    pub(crate) depth: i32,
}

/// Evaluation with what it keeps between positions.
enum Evaluator {
    Material,
    Network(Box<Accumulators>),
}

/// Search thread of a session.
pub(crate) struct Worker {
    /// 0 for the thread that minds the limits and reports.
    pub(crate) index: usize,
    pub(crate) job: Option<Arc<Job>>,
    pub(crate) table: Arc<Table>,
    pub(crate) control: Arc<Control>,
    pub(crate) histories: Histories,
    pub(crate) corrections: Corrections,
    pub(crate) params: Params,
    mates: Box<MateSearch>,
    /// Positions that the mate search looked at in this search.
    pub(crate) mates_sought: u64,
    /// Positions of the mate search that are not yet counted as nodes.
    mate_rest: u64,
    evaluator: Evaluator,
    /// Error of a weaker level in judging positions.
    blur: Option<Blur>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) arena: Vec<i32>,
    pub(crate) reductions: Box<[[i32; 64]; 64]>,
    /// Keys of the game and of the path, the present position last.
    keys: Vec<u64>,
    /// How many of `keys` fall on each slot.
    filter: Box<[u16; FILTER]>,
    /// Index in `keys` of the root.
    root_index: usize,
    pub(crate) nodes: u64,
    next_check: u64,
    node_limit: u64,
    pub(crate) stopped: bool,
    pub(crate) deadlines: Deadlines,
    pub(crate) pondering: bool,
    pub(crate) seldepth: usize,
    /// Below this ply the null move is off, while one is verified.
    pub(crate) null_from: usize,
    pub(crate) root_moves: Vec<RootMove>,
    /// Rank of the line being searched, from 0.
    pub(crate) rank: usize,
    /// Depth of the present iteration.
    pub(crate) root_depth: i32,
    /// Best of the last finished depth, and of later ones as far as they are proven.
    pub(crate) finding: Finding,
    /// Move number and value of the last search that was no mere pondering.
    pub(crate) last_move: Option<(u32, i32)>,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker")
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

impl Worker {
    pub(crate) fn new(index: usize) -> Self {
        let mut worker = Self {
            index,
            job: None,
            table: Table::tiny(),
            control: Arc::new(Control::new(false)),
            histories: Histories::new(),
            corrections: Corrections::new(),
            params: Params::DEFAULT,
            mates: Box::new(MateSearch::new()),
            mates_sought: 0,
            mate_rest: 0,
            evaluator: Evaluator::Material,
            blur: None,
            frames: vec![Frame::new(); MAX_PLY + FRAMES_BEFORE + 2],
            arena: Vec::with_capacity(4096),
            reductions: Box::new([[0; 64]; 64]),
            keys: Vec::with_capacity(1024),
            filter: Box::new([0; FILTER]),
            root_index: 0,
            nodes: 0,
            next_check: 0,
            node_limit: u64::MAX,
            stopped: false,
            deadlines: Deadlines::default(),
            pondering: false,
            seldepth: 0,
            null_from: 0,
            root_moves: Vec::new(),
            rank: 0,
            finding: Finding::default(),
            root_depth: 0,
            last_move: None,
        };
        worker.set_params(Params::DEFAULT);
        worker
    }

    /// Sets the constants of the search.
    pub(crate) fn set_params(&mut self, params: Params) {
        self.params = params;
        let (base, divisor) = (f64::from(params.lmr_base), f64::from(params.lmr_divisor));
        for (depth, row) in self.reductions.iter_mut().enumerate().skip(1) {
            for (count, plies) in row.iter_mut().enumerate().skip(1) {
                let product = (depth as f64).ln() * (count as f64).ln();
                *plies = (base + product / divisor * (1024.0 * 1024.0)) as i32;
            }
        }
    }

    /// Forgets the histories, as for a new game.
    pub(crate) fn clear(&mut self) {
        self.histories.clear();
        self.corrections.clear();
        self.mates.clear();
        self.last_move = None;
    }

    /// Makes everything ready for `job`; what a panic left half done is gone after this.
    pub(crate) fn prepare(&mut self, job: &Arc<Job>) {
        self.finding = Finding::default();
        self.root_moves.clear();
        if job.limits.strength.is_some() {
            self.clear();
        }
        self.blur = job.limits.strength.map(Strength::blur);
        self.table = Arc::clone(&job.table);
        self.control = Arc::clone(&job.control);
        self.job = Some(Arc::clone(job));
        self.prepare_evaluator(job);
        self.frames.fill(Frame::new());
        self.arena.clear();
        self.keys.clear();
        self.filter.fill(0);
        for &key in &job.earlier {
            self.push_key(key);
        }
        self.push_key(job.position.key());
        self.root_index = self.keys.len() - 1;
        self.nodes = 0;
        self.mates_sought = 0;
        self.mate_rest = 0;
        self.node_limit = if self.index == 0 {
            job.limits.most_nodes()
        } else {
            u64::MAX
        };
        self.next_check = self.node_limit.min(CHECK_INTERVAL);
        self.stopped = false;
        self.pondering = job.limits.ponder && self.index == 0;
        self.deadlines = if self.index > 0 || self.pondering {
            Deadlines::default()
        } else {
            Deadlines::new(&job.limits, job.received)
        };
        self.seldepth = 0;
        self.null_from = 0;
        self.rank = 0;
    }

    fn prepare_evaluator(&mut self, job: &Job) {
        match (&job.evaluation, &mut self.evaluator) {
            (Evaluation::Material, evaluator) => *evaluator = Evaluator::Material,
            (Evaluation::Network(network), Evaluator::Network(accumulators))
                if Arc::ptr_eq(network, accumulators.network()) =>
            {
                accumulators.start(&job.position);
            }
            (Evaluation::Network(network), evaluator) => {
                let mut accumulators = Accumulators::new(Arc::clone(network));
                accumulators.start(&job.position);
                *evaluator = Evaluator::Network(Box::new(accumulators));
            }
        }
    }

    /// Lets go of the job and its table, and hands over what was found.
    pub(crate) fn release(&mut self) -> Finding {
        self.job = None;
        self.table = Table::tiny();
        std::mem::take(&mut self.finding)
    }

    /// Notes of a ply.
    #[inline(always)]
    pub(crate) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + FRAMES_BEFORE]
    }

    /// What was before `position` at `ply`.
    #[inline(always)]
    pub(crate) fn before(&self, position: &Position, ply: usize) -> Before {
        let step = |plies: usize| self.frames[ply + FRAMES_BEFORE - plies].step;
        Before::of(position, [step(1), step(2), step(4)])
    }

    /// Step that led to `ply`.
    #[inline(always)]
    pub(crate) fn step_before(&self, ply: usize) -> Step {
        self.frames[ply + FRAMES_BEFORE - 1].step
    }

    /// Static evaluation two plies before `ply`.
    #[inline(always)]
    pub(crate) fn eval_before(&self, ply: usize) -> i32 {
        self.frames[ply + FRAMES_BEFORE - 2].eval
    }

    /// Puts `m` before the expected line of the next ply.
    pub(crate) fn extend_line(&mut self, ply: usize, m: Move) {
        let (head, tail) = self.frames.split_at_mut(ply + FRAMES_BEFORE + 1);
        join_line(&mut head[ply + FRAMES_BEFORE].line, m, &tail[0].line);
    }

    /// Counts a node. True if the search has to end.
    #[inline(always)]
    pub(crate) fn tick(&mut self) -> bool {
        if self.stopped {
            return true;
        }
        self.nodes += 1;
        if self.nodes >= self.next_check {
            self.check_limits();
        }
        self.stopped |= self.is_told_to_stop();
        self.stopped
    }

    /// Whether a stop was asked for and can be obeyed: not before the first depth has given a move worth playing,
    /// which takes about a millisecond.
    #[inline(always)]
    fn is_told_to_stop(&self) -> bool {
        self.control.is_stopped()
            && (self.finding.depth > 0 || self.index > 0 || self.nodes >= FIRST_MOVE_NODES)
    }

    #[cold]
    fn check_limits(&mut self) {
        let Some(job) = self.job.as_ref().map(Arc::clone) else {
            return;
        };
        job.counters[self.index].store(self.nodes, Relaxed);
        self.next_check = (self.nodes + CHECK_INTERVAL).min(self.node_limit);
        if self.index > 0 {
            return;
        }
        if self.nodes >= self.node_limit || job.limits.nodes.is_some_and(|most| job.nodes() >= most)
        {
            self.stopped = true;
        }
        self.notice_ponderhit(&job);
        // The first move to be finished is better than none, but a late search ends as soon as it has one.
        if self
            .deadlines
            .hard
            .is_some_and(|hard| Instant::now() >= hard)
        {
            self.stopped = true;
        }
    }

    /// Looks for a mate that the side to move of `position` forces by checks alone, in about `budget` positions.
    pub(crate) fn look_for_mate(&mut self, position: &Position, budget: u64) -> Option<MateLine> {
        let end = self.mates_sought + budget;
        // In pieces, so that the clock is looked at; each goes on where the last one ended.
        while self.mates_sought < end && !self.stopped {
            let piece = (end - self.mates_sought).min(MATE_PIECE);
            let (looked, line) = self.mates.look(position, piece);
            self.mates_sought += looked;
            self.mate_rest += looked;
            self.nodes += self.mate_rest / MATE_POSITIONS_OF_A_NODE;
            self.mate_rest %= MATE_POSITIONS_OF_A_NODE;
            if line.is_some() || looked == 0 {
                return line;
            }
            if self.nodes >= self.next_check {
                self.check_limits();
            }
            self.stopped |= self.is_told_to_stop();
        }
        None
    }

    /// Starts the clock if the expected move was played.
    pub(crate) fn notice_ponderhit(&mut self, job: &Job) {
        if !self.pondering {
            return;
        }
        let Some(hit) = self.control.hit() else {
            return;
        };
        self.pondering = false;
        self.deadlines = Deadlines::after_hit(&job.limits, hit);
        let Some(soft) = self.deadlines.soft else {
            return;
        };
        // Time spent pondering counts for the greater part; a search that would be over by now ends at once.
        let credit = hit.at.saturating_duration_since(job.began) * 7 / 10;
        self.deadlines.soft = Some(soft.saturating_sub(credit));
        if self.finding.depth > 0 && (credit >= soft || self.has_no_choice()) {
            self.stopped = true;
        }
    }

    fn push_key(&mut self, key: u64) {
        self.keys.push(key);
        self.filter[key as usize % FILTER] = self.filter[key as usize % FILTER].saturating_add(1);
    }

    /// Position after `m`, entered into the path.
    #[inline(always)]
    pub(crate) fn descend(&mut self, position: &Position, m: Move, ply: usize) -> Position {
        let child = match &mut self.evaluator {
            Evaluator::Network(accumulators) => {
                let child = position.play_with(m, accumulators.delta(ply + 1));
                accumulators.enter(ply + 1, &child);
                child
            }
            Evaluator::Material => position.play(m),
        };
        self.table.prefetch(child.key());
        self.frame(ply).step = Step::of(m, position.moved_piece(m));
        self.push_key(child.key());
        child
    }

    /// Position after passing, entered into the path.
    pub(crate) fn descend_null(&mut self, position: &Position, ply: usize) -> Position {
        let child = position.play_null();
        if let Evaluator::Network(accumulators) = &mut self.evaluator {
            accumulators.delta(ply + 1);
            accumulators.enter(ply + 1, &child);
        }
        self.table.prefetch(child.key());
        self.frame(ply).step = Step::NONE;
        self.push_key(child.key());
        child
    }

    /// Leaves the position entered last.
    #[inline(always)]
    pub(crate) fn ascend(&mut self) {
        if let Some(key) = self.keys.pop() {
            let slot = &mut self.filter[key as usize % FILTER];
            *slot = slot.saturating_sub(1);
        }
    }

    /// Whether the present position counts as drawn by repetition: it occurred on the path after the root, or twice
    /// up to the root, which makes this the third time. Captures and drops end no look-back here, since material
    /// comes back; `Job::earlier` holds only what can recur.
    #[inline(always)]
    pub(crate) fn is_repetition(&self) -> bool {
        let last = self.keys.len() - 1;
        let key = self.keys[last];
        self.filter[key as usize % FILTER] > 1 && self.repeats(key, last)
    }

    #[cold]
    fn repeats(&self, key: u64, last: usize) -> bool {
        let mut seen = 0;
        let mut index = last;
        while index >= 4 || (index >= 2 && index != last) {
            index -= 2;
            if self.keys[index] == key {
                seen += 1;
                if index > self.root_index || seen == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Static evaluation with what was learned of alike positions.
    #[inline(always)]
    pub(crate) fn corrected(&self, raw: i32, slots: Slots) -> i32 {
        (raw + self.corrections.of(slots, &self.params)).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    /// Static evaluation of `position`, which stands at `ply` of the path, for the side to move.
    #[inline(always)]
    pub(crate) fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        let value = match &mut self.evaluator {
            Evaluator::Network(accumulators) => accumulators.evaluate(ply, position),
            Evaluator::Material => eval::material(position),
        };
        match self.blur {
            None => value,
            Some(blur) => (value + blur.error(position.key())).clamp(-EVAL_LIMIT, EVAL_LIMIT),
        }
    }
}

/// Puts `m` before `tail`.
pub(crate) fn join_line(line: &mut Line, m: Move, tail: &Line) {
    line.clear();
    line.push(m);
    // The last ply never has a tail as long as the line.
    line.extend(tail.iter().copied().take(MAX_PLY - 1));
}

/// Value of being mated at `ply`.
#[inline(always)]
pub(crate) const fn mated(ply: usize) -> i32 {
    ply as i32 - MATE
}
