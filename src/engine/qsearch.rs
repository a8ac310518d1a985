//! Quiescence: captures and promotions until nothing hangs, with safe checking drops at the first ply.

use super::correction::Slots;
use super::movepick::{Checks, Context, Picker, is_noisy};
use super::score::{INFINITE, MATE_FOUND, from_table, to_table};
use super::search::Node;
use super::see::{gain, see};
use super::tt::{Entry, Kind, NO_EVAL};
use super::worker::{Worker, mated};
use crate::rules::{Move, Position};

impl Worker {
    /// Value of `position` for the side to move within `alpha..beta` once it is quiet. `steps`: plies since the
    /// search proper ended; at the first of them drops that give check and lose nothing are tried too, which is
    /// worth more than any other single part of the search (152 Elo at 5,000 nodes).
    pub(crate) fn quiesce<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        steps: i32,
        mut alpha: i32,
        mut beta: i32,
    ) -> i32 {
        if let Some(value) = self.enter::<N>(position, ply, &mut alpha, &mut beta) {
            return value;
        }
        let in_check = position.is_check();

        let checks = if steps >= self.params.check_plies {
            Checks::None
        } else if steps == 0 && self.params.board_checks > 0 {
            Checks::All
        } else {
            Checks::Drops
        };
        let depth = if steps == 0 { 0 } else { -1 };
        let key = position.key();
        let known = self.table.probe(key);
        let known_value = known.map_or(0, |entry| from_table(entry.value, ply));
        if !N::PV
            && let Some(entry) = known
            && entry.depth >= depth
            && entry.kind.cuts(known_value >= beta)
        {
            return known_value;
        }
        let was_pv = N::PV || known.is_some_and(|entry| entry.pv);

        let mut raw = NO_EVAL;
        let mut best = -INFINITE;
        let mut futility = -INFINITE;
        if !in_check {
            raw = match known {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.evaluate(position, ply),
            };
            let slots = Slots::of(position, &self.before(position, ply));
            best = self.corrected(raw, slots);
            if let Some(entry) = known
                && entry.kind.cuts(known_value > best)
                && known_value.abs() < MATE_FOUND
            {
                best = known_value;
            }
            if best >= beta {
                if known.is_none() {
                    let value = to_table(best, ply);
                    let entry = Entry {
                        mv: Move::NONE,
                        value,
                        eval: raw,
                        depth: -2,
                        kind: Kind::Lower,
                        pv: was_pv,
                    };
                    self.table.store(key, entry);
                }
                return best;
            }
            alpha = alpha.max(best);
            futility = best + self.params.delta;
        }

        let info = position.check_info();
        let before = self.before(position, ply);
        let table_move = known.map_or(Move::NONE, |entry| entry.mv);
        let mut picker = Picker::quiescence(position, table_move, checks, &self.arena);
        let mut best_move = Move::NONE;
        let mut count = 0;
        let mut quiet_evasions = 0;
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
            count += 1;
            let noisy = is_noisy(position, m);
            if best > -MATE_FOUND {
                if in_check {
                    if !noisy {
                        quiet_evasions += 1;
                        if quiet_evasions > self.params.quiet_evasions {
                            break;
                        }
                    }
                } else if noisy {
                    let most = futility + gain(position, m);
                    if most <= alpha && !position.gives_check(m, &info) {
                        best = best.max(most);
                        continue;
                    }
                    if m == table_move && !see(position, m, 0) {
                        continue;
                    }
                }
            }
            let child = self.descend(position, m, ply);
            let value = -self.quiesce::<N>(&child, ply + 1, steps + 1, -beta, -alpha);
            self.ascend();
            if self.stopped {
                picker.finish(&mut self.arena);
                return 0;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = m;
                    if N::PV {
                        self.extend_line(ply, m);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }
        picker.finish(&mut self.arena);
        if in_check && count == 0 {
            return mated(ply);
        }
        let kind = if best >= beta {
            Kind::Lower
        } else {
            Kind::Upper
        };
        let value = to_table(best, ply);
        self.table.store(
            key,
            Entry {
                mv: best_move,
                value,
                eval: raw,
                depth,
                kind,
                pv: was_pv,
            },
        );
        best
    }
}
