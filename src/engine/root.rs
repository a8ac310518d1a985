//! Iterative deepening at the root: windows, several lines, time, and reports.

use super::movepick::{Context, Picker};
use super::score::{INFINITE, MATE, MATE_FOUND, MAX_PLY, Score};
use super::search::Root;
use super::stability::Stability;
use super::tt::{Entry, Kind, NO_EVAL, PROVEN};
use super::worker::{Finding, Job, Line, RootMove, Worker, mated};
use super::{Bound, SearchInfo};
use crate::rules::{Move, Position};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Searches longer than this report bounds too, so that a long iteration shows some progress.
const REPORT_BOUNDS_AFTER: Duration = Duration::from_secs(3);

impl Worker {
    /// Searches `job` until a limit or a signal ends it. The answer is in `finding` and `root_moves`, even if a
    /// panic ends it.
    pub(crate) fn think(&mut self, job: &Arc<Job>, report: &mut dyn FnMut(&SearchInfo)) {
        self.list_root_moves(job);
        if self.root_moves.is_empty() {
            return;
        }
        let lines = job.limits.multipv.clamp(1, self.root_moves.len());
        let deepest = (MAX_PLY - 1) as i32;
        let last = match job.limits.depth {
            Some(depth) if self.index == 0 => {
                i32::try_from(depth).unwrap_or(deepest).clamp(1, deepest)
            }
            _ => deepest,
        };
        let number = job.position.fullmoves();
        let last_move = self.last_move.filter(|(last, _)| last + 1 == number);
        let mut stability = Stability::new(last_move.map(|(_, value)| value));
        for depth in 1..=last {
            // Other threads skip some depths, so that they look ahead of each other.
            if self.index > 0 && (depth as usize + self.index).is_multiple_of(4) && depth > 4 {
                continue;
            }
            for rank in 0..lines {
                self.rank = rank;
                self.seldepth = 0;
                self.search_window(job, depth, report);
                self.root_moves[rank..].sort_by_key(|entry| std::cmp::Reverse(entry.value));
                if self.stopped {
                    break;
                }
                self.root_moves[..=rank].sort_by_key(|entry| std::cmp::Reverse(entry.value));
            }
            if self.is_mate_sought(job) {
                self.seek_mates(job, depth, report);
            }
            if self.index == 0 && !self.stopped {
                // Lines found later can turn out better, so all of them are told together.
                for rank in 0..lines {
                    self.report(job, depth, rank, None, report);
                }
            }
            self.note_best(if self.stopped { depth - 1 } else { depth });
            if self.stopped || (self.index == 0 && self.is_enough(job, &mut stability)) {
                break;
            }
        }
        if !self.pondering && self.finding.depth > 0 {
            self.last_move = Some((number, self.finding.value));
        }
        job.counters[self.index].store(self.nodes, Relaxed);
    }

    /// Whether the thread looks for mates by checks beside its search: one does, where one line is wanted at full
    /// strength.
    fn is_mate_sought(&self, job: &Job) -> bool {
        self.index == 0
            && !self.stopped
            && job.limits.multipv == 1
            && job.limits.strength.is_none()
            && self.params.mate_root > 0
    }

    /// Looks for mates by checks, our own and those that the best move allows, in proportion to the nodes searched.
    /// A move that is refuted by one gives way to the next, at the same depth.
    fn seek_mates(&mut self, job: &Job, depth: i32, report: &mut dyn FnMut(&SearchInfo)) {
        /// Moves refuted in one iteration.
        const MOST_REFUTED: usize = 16;
        let position = job.position;
        for _ in 0..MOST_REFUTED {
            let Some(best) = self.root_moves.first() else {
                return;
            };
            if best.value.abs() >= MATE_FOUND || self.stopped {
                return;
            }
            let budget = (self.nodes * self.params.mate_root as u64 / 16)
                .saturating_sub(self.mates_sought)
                / 2;
            let mv = best.line[0];
            if let Some(line) = self.look_for_mate(&position, budget)
                && let Some(index) = self.root_moves.iter().position(|m| m.line[0] == line[0])
            {
                let child = position.play(line[0]);
                self.note_proof(&child, mated(line.len() - 1), Kind::Upper, Move::NONE);
                let winning = &mut self.root_moves[index];
                winning.value = -mated(line.len());
                winning.line = line.into_iter().collect();
                self.root_moves[..=index].rotate_right(1);
                return;
            }
            let child = position.play(mv);
            let Some(line) = self.look_for_mate(&child, budget) else {
                return;
            };
            self.note_proof(&child, -mated(line.len()), Kind::Lower, line[0]);
            let lost = &mut self.root_moves[0];
            let hoped = std::mem::replace(&mut lost.value, mated(line.len() + 1));
            lost.line.truncate(1);
            lost.line.extend(line);
            if self.root_moves.len() == 1 {
                return;
            }
            self.root_moves.rotate_left(1);
            let next = self.root_moves[0].line[0];
            self.search_window(job, depth, report);
            if self.stopped
                && self.root_moves.iter().all(|m| m.value <= -MATE_FOUND)
                && let Some(entry) = self.root_moves.iter_mut().find(|m| m.line[0] == next)
            {
                // No time to search another move, but any is better than the refuted one.
                entry.value = hoped;
            }
            self.root_moves
                .sort_by_key(|entry| std::cmp::Reverse(entry.value));
        }
    }

    /// Puts what was proven of a position into the table.
    fn note_proof(&self, position: &Position, value: i32, kind: Kind, mv: Move) {
        let entry = Entry {
            mv,
            value,
            eval: NO_EVAL,
            depth: PROVEN,
            kind,
            pv: true,
        };
        self.table.store(position.key(), entry);
    }

    /// Fills the list of root moves, ordered as a node would try them.
    fn list_root_moves(&mut self, job: &Job) {
        let wanted = &job.limits.search_moves;
        let mut order = self.root_order(&job.position);
        let filter = order.iter().any(|m| wanted.contains(m));
        order.retain(|m| !filter || wanted.contains(m));
        self.root_moves = order
            .into_iter()
            .map(|m| {
                let mut line = Line::new();
                line.push(m);
                RootMove {
                    value: -INFINITE,
                    line,
                    nodes: 0,
                }
            })
            .collect();
        if let Some(first) = self.root_moves.first() {
            self.finding.line.clone_from(&first.line);
        }
    }

    /// All legal moves in the order in which a node would try them.
    fn root_order(&mut self, position: &Position) -> Vec<Move> {
        let table_move = self
            .table
            .probe(position.key())
            .map_or(Move::NONE, |entry| entry.mv);
        let info = position.check_info();
        let mut picker = Picker::all(position, table_move, [Move::NONE; 2], &self.arena);
        let mut order = Vec::with_capacity(64);
        let before = self.before(position, 0);
        let context = Context {
            position,
            info: &info,
            histories: &self.histories,
            before: &before,
            params: &self.params,
        };
        while let Some(m) = picker.next(&context, &mut self.arena) {
            order.push(m);
        }
        picker.finish(&mut self.arena);
        order
    }

    fn note_best(&mut self, depth: i32) {
        let Some(best) = self.root_moves.first() else {
            return;
        };
        if best.value > -INFINITE {
            self.finding = Finding {
                line: best.line.clone(),
                value: best.value,
                depth,
            };
        }
    }

    /// Searches one line to `depth`, within a window around its last value that widens as long as it is missed.
    fn search_window(&mut self, job: &Job, depth: i32, report: &mut dyn FnMut(&SearchInfo)) {
        let last = self.root_moves[self.rank].value;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut width = self.params.aspiration;
        self.root_depth = depth;
        if depth >= self.params.aspiration_depth && last.abs() < MATE_FOUND {
            alpha = last - width;
            beta = last + width;
        }
        let mut reduced = 0;
        let position = job.position;
        loop {
            let depth = (depth - reduced).max(1);
            let value = self.search::<Root>(&position, 0, depth, alpha, beta, false);
            if self.stopped {
                return;
            }
            let bound = if value <= alpha {
                beta = i32::midpoint(alpha, beta);
                alpha = (value - width).max(-INFINITE);
                reduced = 0;
                Bound::Upper
            } else if value >= beta {
                beta = (value + width).min(INFINITE);
                reduced = (reduced + 1).min(3);
                Bound::Lower
            } else {
                return;
            };
            self.root_moves[self.rank..].sort_by_key(|entry| std::cmp::Reverse(entry.value));
            if self.index == 0
                && job.limits.multipv == 1
                && job.began.elapsed() > REPORT_BOUNDS_AFTER
            {
                self.report(job, depth, self.rank, Some(bound), report);
            }
            width *= 2;
            if width > 1000 || value.abs() >= MATE_FOUND {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Whether the search may end after the iteration of `depth`.
    fn is_enough(&mut self, job: &Job, stability: &mut Stability) -> bool {
        self.notice_ponderhit(job);
        let best = &self.root_moves[0];
        let value = best.value;
        let share = best.nodes as f64 / self.nodes.max(1) as f64;
        let factor = stability.factor(best.line[0].to_bits(), value, share);
        if self.stopped {
            return true;
        }
        if let Some(moves) = job.limits.mate
            && matches!(Score::of(value), Score::Mate(n) if n > 0 && n as u32 <= moves)
        {
            return true;
        }
        if self.pondering || job.limits.infinite {
            return false;
        }
        if self
            .deadlines
            .hard
            .is_some_and(|hard| Instant::now() >= hard)
        {
            return true;
        }
        if job.limits.soft_nodes.is_some_and(|most| self.nodes >= most) {
            return true;
        }
        let Some(soft) = self.deadlines.soft else {
            return false;
        };
        if self.has_no_choice() {
            return true;
        }
        self.deadlines
            .start
            .is_some_and(|start| start.elapsed() >= soft.mul_f64(factor))
    }

    /// Whether more time would be wasted: a single move, or a mate that a deeper search cannot shorten.
    pub(crate) fn has_no_choice(&self) -> bool {
        let Finding { value, depth, .. } = self.finding;
        self.root_moves.len() == 1 || (value.abs() >= MATE_FOUND && MATE - value.abs() <= depth)
    }

    fn report(
        &self,
        job: &Job,
        depth: i32,
        rank: usize,
        bound: Option<Bound>,
        report: &mut dyn FnMut(&SearchInfo),
    ) {
        job.counters[0].store(self.nodes, Relaxed);
        let entry = &self.root_moves[rank];
        let elapsed = job.began.elapsed();
        let nodes = job.nodes();
        report(&SearchInfo {
            depth: depth as u32,
            seldepth: self.seldepth as u32,
            multipv: rank + 1,
            score: Score::of(entry.value),
            bound,
            nodes,
            nps: per_second(nodes, elapsed),
            hashfull: self.table.per_mille(),
            elapsed,
            pv: entry.line.to_vec(),
        });
    }
}

/// Nodes per second; a search of less than a microsecond counts as one.
pub(super) fn per_second(nodes: u64, elapsed: Duration) -> u64 {
    let micros = elapsed.as_micros().max(1);
    u64::try_from(u128::from(nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
}
