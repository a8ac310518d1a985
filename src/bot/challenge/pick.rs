//! Who of those that wait gets a free slot.

use crate::settings::{Preference, SortBy};

/// One challenge that waits; its place in the list is its order of arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::bot) struct Candidate {
    /// From a bot.
    pub is_bot: bool,
    /// Rating, if there is one.
    pub rating: Option<i32>,
}

/// Place of the challenge that comes next. Bots are passed over while no slot is open to them.
pub(in crate::bot) fn pick(
    waiting: &[Candidate],
    preference: Preference,
    sort_by: SortBy,
    open_to_bots: bool,
) -> Option<usize> {
    let rank = |&(place, candidate): &(usize, &Candidate)| {
        let preferred = match preference {
            Preference::None => false,
            Preference::Human => !candidate.is_bot,
            Preference::Bot => candidate.is_bot,
        };
        let rating = match sort_by {
            SortBy::First => 0,
            SortBy::Best => candidate.rating.map_or(i64::MIN, i64::from),
        };
        (preferred, rating, std::cmp::Reverse(place))
    };
    waiting
        .iter()
        .enumerate()
        .filter(|(_, candidate)| open_to_bots || !candidate.is_bot)
        .max_by_key(rank)
        .map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn of(is_bot: bool, rating: i32) -> Candidate {
        Candidate {
            is_bot,
            rating: Some(rating),
        }
    }

    #[test]
    fn the_preferred_kind_comes_first_then_order_or_rating() {
        let waiting = [
            of(true, 2400),
            of(false, 1500),
            of(false, 1900),
            of(true, 2500),
        ];
        let next = |preference, sort_by| pick(&waiting, preference, sort_by, true).unwrap();
        assert_eq!(next(Preference::None, SortBy::First), 0);
        assert_eq!(next(Preference::None, SortBy::Best), 3);
        assert_eq!(next(Preference::Human, SortBy::First), 1);
        assert_eq!(next(Preference::Human, SortBy::Best), 2);
        assert_eq!(next(Preference::Bot, SortBy::First), 0);
        assert_eq!(next(Preference::Bot, SortBy::Best), 3);
        assert_eq!(pick(&[], Preference::None, SortBy::First, true), None);
    }

    #[test]
    fn bots_wait_while_the_free_slots_are_for_humans() {
        let waiting = [of(true, 2400), of(false, 1500)];
        let next = |waiting| pick(waiting, Preference::Bot, SortBy::Best, false);
        assert_eq!(next(&waiting), Some(1));
        assert_eq!(next(&waiting[..1]), None);
    }
}
