//! Looks for forced mates by checks alone, with proof numbers.
//!
//! With full hands a king is often hunted down by a dozen checks in a row, far below the depth of the search, while
//! each position on the way leaves few replies. Depth-first proof-number search (df-pn) follows just these: the
//! attacker gives check with every move, the defender has all evasions, and the search goes on where the fewest
//! positions are left to be proven. A proof holds whatever else the attacker could do; not to find one says nothing.

use crate::rules::{Move, MoveList, Position};
use arrayvec::ArrayVec;

/// Proof or disproof number of what is settled; sums stop there.
const SETTLED: u32 = 1 << 28;
/// Slots of the table, 24 bytes each.
const SLOTS: usize = 1 << 15;
/// Most plies of a line.
const MAX_LINE: usize = 63;

/// Moves that mate whatever the defender does; the defender's replies are those that last longest as far as known.
pub(crate) type MateLine = ArrayVec<Move, MAX_LINE>;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Numbers {
    /// Least number of positions to be settled before the side to move has what it wants: a mate for the attacker, an
    /// escape for the defender. 0: it has.
    reach: u32,
    /// The same for its opponent.
    deny: u32,
    /// Plies to the mate, once it is proven.
    plies: u16,
}

impl Numbers {
    /// The side to move has lost the fight: it is mated, or has no more checks.
    const LOST: Self = Self {
        reach: SETTLED,
        deny: 0,
        plies: 0,
    };
    /// The defender has escaped, for this line at least.
    const ESCAPED: Self = Self {
        reach: 0,
        deny: SETTLED,
        plies: 0,
    };

    const fn is_settled(self) -> bool {
        self.reach == 0 || self.deny == 0
    }
}

#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    numbers: Numbers,
}

/// Reply with what is known of it.
struct Child {
    position: Position,
    numbers: Numbers,
}

/// Search for mates by one side, which keeps what it learned.
pub(crate) struct MateSearch {
    table: Box<[Slot]>,
    /// Keys of the line being looked at.
    path: Vec<u64>,
    nodes: u64,
    limit: u64,
}

impl std::fmt::Debug for MateSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MateSearch")
            .field("nodes", &self.nodes)
            .finish_non_exhaustive()
    }
}

impl MateSearch {
    pub(crate) fn new() -> Self {
        Self {
            table: vec![Slot::default(); SLOTS].into_boxed_slice(),
            path: Vec::with_capacity(MAX_LINE + 1),
            nodes: 0,
            limit: 0,
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.table.fill(Slot::default());
    }

    /// Goes on looking for a mate that the side to move of `position` forces with checks, for about `nodes` more
    /// positions. Returns how many it looked at, and the mate.
    pub(crate) fn look(&mut self, position: &Position, nodes: u64) -> (u64, Option<MateLine>) {
        self.nodes = 0;
        self.limit = nodes;
        self.path.clear();
        let before = self.known(position, true);
        let numbers = if before.is_some_and(Numbers::is_settled) {
            before.unwrap_or_default()
        } else {
            self.prove(position, true, SETTLED, SETTLED)
        };
        let line = (numbers.reach == 0).then(|| self.line(position));
        (self.nodes, line.filter(|line| !line.is_empty()))
    }

    /// Works on `position` until one of its numbers reaches its limit, or no more positions may be looked at.
    fn prove(
        &mut self,
        position: &Position,
        attacking: bool,
        most_reach: u32,
        most_deny: u32,
    ) -> Numbers {
        let mut children = self.children(position, attacking);
        self.path.push(position.key());
        let numbers = loop {
            let numbers = combine(&children, attacking);
            if numbers.reach >= most_reach
                || numbers.deny >= most_deny
                || numbers.is_settled()
                || self.nodes >= self.limit
                || self.path.len() >= MAX_LINE
            {
                break numbers;
            }
            // The reply that is nearest to deny us nothing, and how near the second one is.
            let mut best = 0;
            let mut second = SETTLED;
            for (index, child) in children.iter().enumerate().skip(1) {
                if child.numbers.deny < children[best].numbers.deny {
                    second = children[best].numbers.deny;
                    best = index;
                } else {
                    second = second.min(child.numbers.deny);
                }
            }
            let child = &children[best];
            let others = numbers.deny - child.numbers.reach.min(numbers.deny);
            let reach = (most_deny - others.min(most_deny)).min(SETTLED);
            // A quarter more than the second best keeps it from changing its mind at each step.
            let deny = most_reach.min(second + second / 4 + 1);
            let position = child.position;
            let numbers = if self.path.contains(&position.key()) {
                // A repetition is no mate.
                if attacking {
                    Numbers::ESCAPED
                } else {
                    Numbers::LOST
                }
            } else {
                self.prove(&position, !attacking, reach, deny)
            };
            children[best].numbers = numbers;
        };
        self.path.pop();
        self.store(position, attacking, numbers);
        numbers
    }

    /// Replies with what is known of them: all that give check, or all that there are.
    fn children(&mut self, position: &Position, attacking: bool) -> Vec<Child> {
        let moves = replies(position, attacking);
        let mut children = Vec::with_capacity(moves.len());
        for &mv in &moves {
            self.nodes += 1;
            let child = position.play(mv);
            let numbers = self
                .known(&child, !attacking)
                .unwrap_or_else(|| first_guess(&child, !attacking));
            let mated = attacking && numbers.deny == 0;
            children.push(Child {
                position: child,
                numbers,
            });
            if mated {
                break;
            }
        }
        children
    }

    /// Line of a proven position.
    fn line(&self, position: &Position) -> MateLine {
        let mut line = MateLine::new();
        let mut position = *position;
        let mut attacking = true;
        while !line.is_full() {
            let moves = replies(&position, attacking);
            let lost = |mv: &Move| {
                let child = position.play(*mv);
                let numbers = if attacking && !child.has_legal_move() {
                    Some(Numbers::LOST)
                } else {
                    self.known(&child, !attacking)
                };
                let won = numbers.filter(|n| if attacking { n.deny == 0 } else { n.reach == 0 });
                won.map(|numbers| (numbers.plies, *mv, child))
            };
            let known = moves.iter().filter_map(lost);
            let next = if attacking {
                known.min_by_key(|(plies, mv, _)| (*plies, mv.to_bits()))
            } else {
                known.max_by_key(|(plies, mv, _)| (*plies, mv.to_bits()))
            };
            let Some((_, mv, child)) = next else {
                break;
            };
            line.push(mv);
            position = child;
            attacking = !attacking;
        }
        line
    }

    fn known(&self, position: &Position, attacking: bool) -> Option<Numbers> {
        let (index, key) = slot(position, attacking);
        let slot = &self.table[index];
        (slot.key == key).then_some(slot.numbers)
    }

    fn store(&mut self, position: &Position, attacking: bool, numbers: Numbers) {
        let (index, key) = slot(position, attacking);
        self.table[index] = Slot { key, numbers };
    }
}

/// Place of a position in the table, and its key there, which tells attacker and defender apart.
fn slot(position: &Position, attacking: bool) -> (usize, u64) {
    let key = position.key() ^ if attacking { 0 } else { 0x9e37_79b9_7f4a_7c15 };
    (key as usize % SLOTS, key)
}

/// Numbers of a position from those of its replies.
fn combine(children: &[Child], attacking: bool) -> Numbers {
    let mut numbers = Numbers {
        reach: SETTLED,
        deny: 0,
        plies: 0,
    };
    let mut longest = 0;
    let mut shortest = u16::MAX;
    for child in children {
        numbers.reach = numbers.reach.min(child.numbers.deny);
        numbers.deny = (numbers.deny + child.numbers.reach).min(SETTLED);
        longest = longest.max(child.numbers.plies);
        if child.numbers.deny == 0 {
            shortest = shortest.min(child.numbers.plies);
        }
    }
    if attacking && numbers.reach == 0 {
        numbers.plies = shortest.saturating_add(1);
    } else if !attacking && numbers.deny == 0 && !children.is_empty() {
        numbers.plies = longest + 1;
    }
    numbers
}

/// Numbers of a position that was never looked at.
fn first_guess(position: &Position, attacking: bool) -> Numbers {
    if attacking {
        return Numbers {
            reach: 1,
            deny: 1,
            plies: 0,
        };
    }
    match u32::try_from(position.legal_count()).unwrap_or(SETTLED) {
        0 => Numbers::LOST,
        // Each evasion has to be answered by a mate of its own.
        count => Numbers {
            reach: 1,
            deny: count,
            plies: 0,
        },
    }
}

/// Moves of the attacker, which all give check, or of the defender, who has all that there are.
fn replies(position: &Position, attacking: bool) -> MoveList {
    let mut moves = MoveList::new();
    if attacking {
        checks(position, &mut moves);
    } else {
        position.legal_moves(&mut moves);
    }
    moves
}

/// All moves that give check, drops first.
fn checks(position: &Position, list: &mut MoveList) {
    let info = position.check_info();
    for m in position.checking_drops(&info) {
        list.push(m);
    }
    let mut moves = MoveList::new();
    position.noisy_moves(&mut moves);
    position.quiet_moves(&mut moves);
    for &m in &moves {
        if position.gives_check(m, &info) {
            list.push(m);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Variant;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, Variant::Crazyhouse).unwrap()
    }

    /// Positions of games in which the side to move mates.
    fn mates() -> impl Iterator<Item = Position> {
        include_str!("../../tests/data/mates.txt")
            .lines()
            .filter_map(|line| line.split("; mate ").next())
            .map(position)
    }

    #[test]
    fn lines_are_checks_and_end_in_mate() {
        let mut found = 0;
        for start in mates() {
            let Some(line) = MateSearch::new().look(&start, 5000).1 else {
                continue;
            };
            found += 1;
            let mut end = start;
            for (ply, &m) in line.iter().enumerate() {
                assert!(end.is_legal(m), "{start:?} {line:?}");
                end = end.play(m);
                assert!(ply % 2 == 1 || end.is_check(), "{start:?} {line:?}");
            }
            assert!(end.is_checkmate(), "{start:?} {line:?}");
        }
        // 36 of 56 when this was written; the others need a quiet move or more positions.
        assert!(found >= 30, "{found}");
    }

    #[test]
    fn a_proven_mate_answers_every_evasion() {
        for start in mates() {
            let mut search = MateSearch::new();
            let (_, Some(line)) = search.look(&start, 1000) else {
                continue;
            };
            let after = start.play(line[0]);
            let mut evasions = MoveList::new();
            after.legal_moves(&mut evasions);
            for &evasion in &evasions {
                let (_, reply) = search.look(&after.play(evasion), 20_000);
                assert!(reply.is_some(), "{start:?} {line:?} {evasion:?}");
            }
        }
    }

    #[test]
    fn no_mate_is_claimed_where_checks_run_out_or_repeat() {
        for fen in [
            // Checks of a lone queen never end and never mate.
            "6k1/8/8/8/8/8/8/3QK3 w - - 0 1",
            // Nothing gives check.
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1",
            // The knight in hand covers f8.
            "6k1/5ppp/8/8/8/8/8/6K1[Rn] w - - 0 1",
        ] {
            let (_, line) = MateSearch::new().look(&position(fen), 100_000);
            assert_eq!(line, None, "{fen}");
        }
    }

    #[test]
    fn a_search_goes_on_where_it_ended() {
        let mut solved = 0;
        for start in mates() {
            let mut search = MateSearch::new();
            let (_, at_once) = search.look(&start, 200);
            let later = (0..20).find_map(|_| search.look(&start, 200).1);
            solved += u32::from(at_once.is_none() && later.is_some());
        }
        assert!(solved > 10, "{solved}");
    }
}
