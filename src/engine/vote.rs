//! Which of several threads speaks for the search. Pure.

use super::score::MATE_FOUND;
use super::worker::Finding;

/// Weight of a finding that is worth no more than the worst one.
const BASE: i32 = 14;
/// Most that a better value adds to the weight of a finding.
const MOST_BETTER: i32 = 400;

/// The finding that speaks for all, among that of the first thread and those of the others. Every thread votes for its
/// best move, the more the deeper it looked and the better it found it; the deepest supporter of the winner speaks for
/// it. A mate found is no matter of votes: the shortest one wins.
pub(super) fn speaker(first: Finding, others: impl IntoIterator<Item = Finding>) -> Finding {
    let mut findings = vec![first];
    let usable = |finding: &Finding| !finding.line.is_empty() && finding.depth > 0;
    findings.extend(others.into_iter().filter(usable));
    let worst = findings.iter().map(|f| f.value).min().unwrap_or_default();
    let weight = |finding: &Finding| {
        let better = (finding.value - worst).min(MOST_BETTER);
        i64::from(better + BASE) * i64::from(finding.depth)
    };
    let votes = |finding: &Finding| -> i64 {
        let same = findings
            .iter()
            .filter(|f| f.line.first() == finding.line.first());
        same.map(weight).sum()
    };
    let rank = |finding: &Finding| {
        let mate = Some(finding.value).filter(|value| *value >= MATE_FOUND);
        (mate, votes(finding), finding.depth, finding.value)
    };
    // Of equal ones the first counts, which keeps to the first thread.
    let mut best = 0;
    for index in 1..findings.len() {
        if rank(&findings[index]) > rank(&findings[best]) {
            best = index;
        }
    }
    findings.swap_remove(best)
}

#[cfg(test)]
mod tests {
    use super::super::score::MATE;
    use super::super::worker::Line;
    use super::*;
    use crate::rules::Move;

    fn finding(mv: u16, depth: i32, value: i32) -> Finding {
        let mut line = Line::new();
        line.push(Move::from_bits(mv));
        Finding { line, value, depth }
    }

    fn winner(findings: &[(u16, i32, i32)]) -> (u16, i32) {
        let mut all = findings.iter().map(|&(mv, d, v)| finding(mv, d, v));
        let first = all.next().unwrap();
        let speaker = speaker(first, all);
        (speaker.line[0].to_bits(), speaker.depth)
    }

    #[test]
    fn deeper_and_better_findings_weigh_more() {
        assert_eq!(winner(&[(1, 10, 50), (2, 12, 50)]), (2, 12));
        assert_eq!(winner(&[(1, 10, 50), (2, 10, 90)]), (2, 10));
        assert_eq!(winner(&[(1, 12, 50), (2, 10, 50)]), (1, 12));
        assert_eq!(winner(&[(1, 10, 50), (2, 10, 50)]), (1, 10));
    }

    #[test]
    fn several_threads_outvote_one_and_the_deepest_speaks() {
        let all = [(1, 11, 60), (2, 10, 55), (2, 12, 50), (2, 10, 55)];
        assert_eq!(winner(&all), (2, 12));
    }

    #[test]
    fn the_shortest_mate_wins_whatever_the_votes() {
        let all = [
            (1, 14, 300),
            (1, 14, 300),
            (2, 8, MATE - 7),
            (3, 9, MATE - 5),
        ];
        assert_eq!(winner(&all), (3, 9));
    }

    #[test]
    fn a_thread_that_found_nothing_has_no_vote() {
        let nothing = Finding::default();
        let speaker = speaker(finding(1, 5, -900), [nothing]);
        assert_eq!(speaker.line[0].to_bits(), 1);
    }
}
