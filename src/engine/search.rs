//! Principal variation search of one node and everything below it.

use super::correction::Slots;
use super::history::{Before, Step};
use super::movepick::{Checks, Context, Picker, is_noisy};
use super::score::{DRAW, INFINITE, MATE, MATE_FOUND, MAX_PLY, from_table, to_table};
use super::see::{gain, see};
use super::tt::{Entry, Kind, NO_EVAL, PROVEN};
use super::worker::{RootMove, Worker, join_line, mated};
use crate::rules::{Move, Position, Role};
use arrayvec::ArrayVec;

/// Kind of a node, known when the code is built.
pub(crate) trait Node {
    /// First node of the search.
    const ROOT: bool;
    /// Node with an open window.
    const PV: bool;
}

/// First node of the search.
#[derive(Debug)]
pub(crate) struct Root;
/// Node with an open window, possibly on the expected line.
#[derive(Debug)]
pub(crate) struct Pv;
/// Node with a window of width one.
#[derive(Debug)]
pub(crate) struct NonPv;

impl Node for Root {
    const ROOT: bool = true;
    const PV: bool = true;
}
impl Node for Pv {
    const ROOT: bool = false;
    const PV: bool = true;
}
impl Node for NonPv {
    const ROOT: bool = false;
    const PV: bool = false;
}

/// Moves of one node that were tried without success, to be punished when another succeeds.
type Tried = ArrayVec<Move, 64>;

impl Worker {
    /// Value of `position` for the side to move within `alpha..beta` (fail-soft), at `depth` plies and quiescence.
    /// The value has no meaning once `self.stopped` is set. `cut`: a refutation is expected here.
    pub(crate) fn search<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        mut alpha: i32,
        mut beta: i32,
        cut: bool,
    ) -> i32 {
        if depth <= 0 {
            return if N::PV {
                self.quiesce::<Pv>(position, ply, 0, alpha, beta)
            } else {
                self.quiesce::<NonPv>(position, ply, 0, alpha, beta)
            };
        }
        let mut depth = depth.min(MAX_PLY as i32 - 1);
        if let Some(value) = self.enter::<N>(position, ply, &mut alpha, &mut beta) {
            return value;
        }
        let in_check = position.is_check();
        let excluded = self.frame(ply).excluded;
        let whole = excluded.is_none();

        let key = position.key();
        let known = self.table.probe(key);
        let known_value = known.map_or(0, |entry| from_table(entry.value, ply));
        let table_move = if N::ROOT {
            self.root_moves[self.rank].line[0]
        } else {
            known.map_or(Move::NONE, |entry| entry.mv)
        };
        if !N::PV
            && whole
            && let Some(entry) = known
            && entry.depth >= depth
            && entry.kind.cuts(known_value >= beta)
        {
            return known_value;
        }
        let was_pv = N::PV || known.is_some_and(|entry| entry.pv);
        // A mate that was proven holds at any depth, in the expected line too, but there may be a shorter one.
        let mut ceiling = INFINITE;
        let mut best = -INFINITE;
        let mut best_move = Move::NONE;
        if N::PV
            && !N::ROOT
            && let Some(entry) = known.filter(|entry| entry.depth >= PROVEN)
        {
            if entry.kind.cuts(true) {
                best = known_value;
                best_move = table_move;
                if best >= beta {
                    return best;
                }
                if best > alpha {
                    alpha = best;
                    self.frame(ply + 1).line.clear();
                    self.extend_line(ply, best_move);
                }
            } else {
                ceiling = known_value;
                if ceiling <= alpha {
                    return ceiling;
                }
            }
        }

        // Static evaluation, and a better estimate if the table knows one.
        let before = self.before(position, ply);
        let slots = Slots::of(position, &before);
        let (raw, eval, improving);
        if in_check {
            (raw, eval, improving) = (NO_EVAL, NO_EVAL, false);
            self.frame(ply).eval = NO_EVAL;
        } else {
            raw = match known {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.evaluate(position, ply),
            };
            let corrected = self.corrected(raw, slots);
            self.frame(ply).eval = corrected;
            let earlier = self.eval_before(ply);
            improving = ply >= 2 && earlier != NO_EVAL && corrected > earlier;
            eval = match known {
                Some(entry)
                    if entry.kind.cuts(known_value > corrected)
                        && known_value.abs() < MATE_FOUND =>
                {
                    known_value
                }
                _ => corrected,
            };
        }

        if !N::PV && !in_check && whole && beta.abs() < MATE_FOUND {
            if let Some(value) =
                self.prune_node(position, ply, depth, alpha, beta, cut, eval, improving)
            {
                return value;
            }
            if self.stopped {
                return 0;
            }
        }
        if depth >= self.params.iir_depth && table_move.is_none() && (N::PV || cut) {
            depth -= 1;
        }
        if !N::PV
            && !in_check
            && whole
            && depth >= self.params.probcut_depth
            && beta.abs() < MATE_FOUND
        {
            let proven = self.probcut(position, ply, depth, beta, eval, raw, known, cut);
            if self.stopped {
                return 0;
            }
            if let Some(value) = proven {
                return value;
            }
        }

        let info = position.check_info();
        let side = position.turn();
        let killers = self.frame(ply).killers;
        self.frame(ply + 1).killers = [Move::NONE; 2];
        let mut picker = Picker::all(position, table_move, killers, &self.arena);
        let old_alpha = alpha;
        let mut count = 0;
        let mut quiets = Tried::new();
        let mut captures = Tried::new();
        let mut root_next = self.rank;
        let noisy_table = !table_move.is_none() && is_noisy(position, table_move);

        loop {
            let m = if N::ROOT {
                // The root goes through its own list, best of the last iteration first.
                let Some(entry) = self.root_moves.get(root_next) else {
                    break;
                };
                root_next += 1;
                entry.line[0]
            } else {
                let context = Context {
                    position,
                    info: &info,
                    histories: &self.histories,
                    before: &before,
                    params: &self.params,
                };
                let Some(m) = picker.next(&context, &mut self.arena) else {
                    break;
                };
                m
            };
            if m == excluded {
                continue;
            }
            count += 1;
            let noisy = is_noisy(position, m);
            let check = position.gives_check(m, &info);
            let step = Step::of(m, position.moved_piece(m));
            let history = if noisy {
                self.histories
                    .capture(position.moved_piece(m), m.to(), position.captured_role(m))
            } else {
                self.histories.quiet(side, m, step, &before, &self.params)
            };
            let mut new_depth = depth - 1;
            let mut reduction = self.reductions[depth.min(63) as usize][count.min(63)];

            if !N::ROOT && best > -MATE_FOUND {
                let reduced = (new_depth - reduction / 1024).max(0);
                if noisy {
                    if depth <= self.params.see_depth
                        && !see(position, m, self.params.see_noisy * depth)
                    {
                        continue;
                    }
                } else {
                    if depth <= self.params.late_moves_depth
                        && count as i32
                            > (self.params.late_moves
                                + depth * depth * self.params.late_moves_slope / 1024)
                                / (2 - i32::from(improving))
                    {
                        picker.skip_quiets();
                        if !check {
                            continue;
                        }
                    }
                    if !check && !in_check {
                        if reduced <= self.params.futility_depth
                            && eval
                                + self.params.futility
                                + self.params.futility_ply * reduced
                                + history / 64
                                <= alpha
                        {
                            continue;
                        }
                        if reduced <= self.params.history_prune_depth
                            && history < self.params.history_prune * depth
                        {
                            continue;
                        }
                    }
                    let loss = self.params.see_quiet * reduced * if check { 2 } else { 1 };
                    if reduced <= self.params.see_depth && !see(position, m, loss) {
                        continue;
                    }
                }
            }

            // Does everything hang on the move of the table? Then it is worth a closer look.
            if !N::ROOT
                && m == table_move
                && whole
                && depth >= self.params.singular_depth
                && ply < 2 * self.root_depth as usize
                && let Some(entry) = known
                && entry.depth >= depth - 3
                && entry.kind.cuts(true)
                && known_value.abs() < MATE_FOUND
            {
                let bound = known_value - depth * self.params.singular_margin / 16;
                self.frame(ply).excluded = m;
                let value =
                    self.search::<NonPv>(position, ply, (depth - 1) / 2, bound - 1, bound, cut);
                self.frame(ply).excluded = Move::NONE;
                if self.stopped {
                    picker.finish(&mut self.arena);
                    return 0;
                }
                if value < bound {
                    new_depth += 1;
                    if !N::PV && value < bound - self.params.singular_double {
                        new_depth += 1;
                    }
                } else if bound >= beta && !N::PV {
                    // Another move is as good: this node fails high either way.
                    picker.finish(&mut self.arena);
                    return bound;
                } else if known_value >= beta || cut {
                    // Not the only move, and a refutation is expected anyway.
                    new_depth -= 1;
                }
            } else if check
                && !N::ROOT
                && depth <= self.params.check_extension_depth
                && count <= 6
                && ply < 2 * self.root_depth as usize
                && see(position, m, 0)
            {
                new_depth += 1;
            }

            let nodes_before = self.nodes;
            let child = self.descend(position, m, ply);
            let mut value = -INFINITE;
            if depth >= 2 && count > 1 + usize::from(N::ROOT) * 2 && !(noisy && N::PV && count < 4)
            {
                if cut {
                    reduction += self.params.lmr_cut;
                }
                if !improving {
                    reduction += self.params.lmr_not_improving;
                }
                if was_pv {
                    reduction -= self.params.lmr_pv;
                }
                if check {
                    reduction -= self.params.lmr_check;
                }
                if noisy {
                    reduction -= self.params.lmr_noisy;
                } else if m.is_drop() && !check {
                    reduction += self.params.lmr_drop;
                }
                if noisy_table {
                    reduction += self.params.lmr_noisy_table;
                }
                reduction -= history * 1024 / self.params.lmr_history;
                let reduced = (new_depth - reduction / 1024).clamp(1, new_depth);
                value = -self.search::<NonPv>(&child, ply + 1, reduced, -alpha - 1, -alpha, true);
                if value > alpha && reduced < new_depth {
                    // Far better than hoped for: look deeper, and shallower if it is barely so.
                    new_depth += i32::from(value > best + self.params.deeper)
                        - i32::from(value < best + self.params.shallower);
                    if new_depth > reduced {
                        value = -self.search::<NonPv>(
                            &child,
                            ply + 1,
                            new_depth,
                            -alpha - 1,
                            -alpha,
                            !cut,
                        );
                    }
                }
            } else if !N::PV || count > 1 {
                value = -self.search::<NonPv>(&child, ply + 1, new_depth, -alpha - 1, -alpha, !cut);
            }
            if N::PV && (count == 1 || value > alpha) {
                value = -self.search::<Pv>(&child, ply + 1, new_depth, -beta, -alpha, false);
            }
            self.ascend();
            if self.stopped {
                picker.finish(&mut self.arena);
                return 0;
            }

            if N::ROOT {
                let nodes = self.nodes - nodes_before;
                self.note_root_move(root_next - 1, count, value, alpha, nodes);
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = m;
                    if N::PV && !N::ROOT {
                        self.extend_line(ply, m);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
            if m != best_move {
                let tried = if noisy { &mut captures } else { &mut quiets };
                // Beyond 64 nothing is gained by punishing more.
                let _full = tried.try_push(m);
            }
        }
        picker.finish(&mut self.arena);

        if count == 0 {
            return if !whole {
                alpha
            } else if in_check {
                mated(ply)
            } else {
                DRAW
            };
        }
        best = best.min(ceiling);
        if best >= beta {
            self.reward(position, ply, depth, best_move, &before, &quiets, &captures);
        }
        if !in_check
            && whole
            && best.abs() < MATE_FOUND
            && (best_move.is_none() || !is_noisy(position, best_move))
        {
            // Only what the search proved: a bound on the wrong side of the evaluation teaches nothing.
            let eval = self.frame(ply).eval;
            let taught = if best >= beta {
                best > eval
            } else if best <= old_alpha {
                best < eval
            } else {
                true
            };
            if taught {
                self.corrections.learn(slots, best - eval, depth);
            }
        }
        if whole && !(N::ROOT && self.rank > 0) {
            let kind = if best >= beta {
                Kind::Lower
            } else if best > old_alpha && N::PV {
                Kind::Exact
            } else {
                Kind::Upper
            };
            let value = to_table(best, ply);
            let pv = was_pv;
            self.table.store(
                key,
                Entry {
                    mv: best_move,
                    value,
                    eval: raw,
                    depth,
                    kind,
                    pv,
                },
            );
        }
        best
    }

    /// What every node begins with: counts it, and narrows the window to the mates that are still possible. Returns
    /// the value of a node that needs no search.
    #[inline(always)]
    pub(crate) fn enter<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: &mut i32,
        beta: &mut i32,
    ) -> Option<i32> {
        if N::PV {
            self.frame(ply).line.clear();
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if self.tick() {
            return Some(0);
        }
        if N::ROOT {
            return None;
        }
        if self.is_repetition() {
            return Some(DRAW);
        }
        if ply >= MAX_PLY - 1 {
            return Some(if position.is_check() {
                DRAW
            } else {
                self.evaluate(position, ply)
            });
        }
        *alpha = (*alpha).max(mated(ply));
        *beta = (*beta).min(-mated(ply + 1));
        (*alpha >= *beta).then_some(*alpha)
    }

    /// Tries to settle a node without its moves: by its evaluation alone, by quiescence, or by passing.
    #[expect(
        clippy::too_many_arguments,
        reason = "all of it is the state of one node"
    )]
    fn prune_node(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        alpha: i32,
        beta: i32,
        cut: bool,
        eval: i32,
        improving: bool,
    ) -> Option<i32> {
        if depth <= self.params.razor_depth && eval + self.params.razor * depth <= alpha {
            let value = self.quiesce::<NonPv>(position, ply, 0, alpha, alpha + 1);
            if value <= alpha {
                return Some(value);
            }
        }
        if depth <= self.params.reverse_futility_depth
            && eval - self.params.reverse_futility * (depth - i32::from(improving)) >= beta
        {
            return Some(i32::midpoint(eval, beta));
        }
        let side = position.turn();
        let has_material = !position.pocket(side).is_empty()
            || position.by_color(side).count() > position.pieces(side, Role::Pawn).count() + 1;
        if depth >= self.params.null_depth
            && eval >= beta + self.params.null_margin
            && self.step_before(ply) != Step::NONE
            && has_material
            && ply >= self.null_from
        {
            let reduction = self.params.null_base + depth / 3 + ((eval - beta) / 150).min(3);
            let child = self.descend_null(position, ply);
            let value =
                -self.search::<NonPv>(&child, ply + 1, depth - reduction, -beta, -beta + 1, !cut);
            self.ascend();
            if self.stopped {
                return None;
            }
            if value >= beta {
                // A mate threat found by passing is no proof of a mate.
                let value = if value >= MATE_FOUND { beta } else { value };
                if depth < self.params.null_verify_depth || self.null_from > 0 {
                    return Some(value);
                }
                self.null_from = ply + (depth - reduction).max(0) as usize * 3 / 4;
                let proof =
                    self.search::<NonPv>(position, ply, depth - reduction, beta - 1, beta, false);
                self.null_from = 0;
                if proof >= beta && !self.stopped {
                    return Some(value);
                }
            }
        }
        None
    }

    /// Tries captures that would lift this node far above `beta`, with a shallow search; one that does so settles it.
    #[expect(
        clippy::too_many_arguments,
        reason = "all of it is the state of one node"
    )]
    fn probcut(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        beta: i32,
        eval: i32,
        raw: i32,
        known: Option<Entry>,
        cut: bool,
    ) -> Option<i32> {
        let goal = beta + self.params.probcut;
        let reduced = depth - 4;
        if known.is_some_and(|entry| {
            entry.depth >= reduced && from_table(entry.value, ply) < goal && entry.kind.cuts(false)
        }) {
            return None;
        }
        let info = position.check_info();
        let before = self.before(position, ply);
        let table_move = known.map_or(Move::NONE, |entry| entry.mv);
        let mut picker = Picker::quiescence(position, table_move, Checks::None, &self.arena);
        let mut found = None;
        loop {
            let context = Context {
                position,
                info: &info,
                histories: &self.histories,
                before: &before,
                params: &self.params,
            };
            let Some(m) = picker.next(&context, &mut self.arena) else {
                break;
            };
            if gain(position, m) < goal - eval || !see(position, m, goal - eval) {
                continue;
            }
            let child = self.descend(position, m, ply);
            let mut value = -self.quiesce::<NonPv>(&child, ply + 1, 0, -goal, -goal + 1);
            if value >= goal && reduced > 0 {
                value = -self.search::<NonPv>(&child, ply + 1, reduced, -goal, -goal + 1, !cut);
            }
            self.ascend();
            if self.stopped {
                break;
            }
            if value >= goal {
                self.table.store(
                    position.key(),
                    Entry {
                        mv: m,
                        value: to_table(value, ply),
                        eval: raw,
                        depth: reduced + 1,
                        kind: Kind::Lower,
                        pv: false,
                    },
                );
                found = Some(if value >= MATE_FOUND {
                    value
                } else {
                    value - (goal - beta)
                });
                break;
            }
        }
        picker.finish(&mut self.arena);
        found
    }

    /// Keeps the value of a root move; `index` is its place in the list.
    fn note_root_move(&mut self, index: usize, count: usize, value: i32, alpha: i32, nodes: u64) {
        let tail = self.frame(1).line.clone();
        let RootMove {
            value: kept,
            line,
            nodes: spent,
        } = &mut self.root_moves[index];
        *spent += nodes;
        if count == 1 || value > alpha {
            *kept = value;
            let m = line[0];
            join_line(line, m, &tail);
        } else {
            // Only known to be no better; the order of the last iteration stays.
            *kept = -INFINITE;
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "all of it is the state of one node"
    )]
    /// Teaches the histories that `m` refuted this node and that the moves tried before did not.
    fn reward(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        m: Move,
        before: &Before,
        quiets: &[Move],
        captures: &[Move],
    ) {
        let params = &self.params;
        let bonus = (params.history_bonus * depth - 120).min(params.history_bonus_most);
        let side = position.turn();
        if is_noisy(position, m) {
            self.histories.update_capture(position, m, bonus);
        } else {
            let params = self.params;
            let killers = &mut self.frame(ply).killers;
            if killers[0] != m {
                killers[1] = killers[0];
                killers[0] = m;
            }
            let step = Step::of(m, position.moved_piece(m));
            self.histories
                .update_quiet(side, m, step, before, bonus, &params);
            for &other in quiets {
                let step = Step::of(other, position.moved_piece(other));
                self.histories
                    .update_quiet(side, other, step, before, -bonus, &params);
            }
        }
        for &other in captures {
            self.histories.update_capture(position, other, -bonus);
        }
    }
}

const _: () = assert!(MATE_FOUND < MATE);
