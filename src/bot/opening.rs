//! Moves that need no search: whether to look for one, and which to take. Pure.

use crate::book::{self, Book, BookMove, Choice, Selection, Weighting};
use crate::lichess::ExplorerAnswer;
use crate::rules::{Color, Game, Move, Position};
use crate::settings::{BookSelection, BookSettings, ExplorerSettings};
use std::time::Duration;

const fn selection(setting: BookSelection) -> Selection {
    match setting {
        BookSelection::Weighted => Selection::Weighted,
        BookSelection::Uniform => Selection::Uniform,
        BookSelection::Best => Selection::Best,
    }
}

/// Lot of a choice: that of the seed, or `drawn` if there is none.
fn lot(seed: u64, game: &Game, drawn: u64) -> u64 {
    if seed > 0 {
        book::roll(seed, game)
    } else {
        drawn
    }
}

/// Move of the book for the current position. `drawn` is a number drawn by lot.
pub(super) fn from_book(
    book: &Book,
    game: &Game,
    settings: &BookSettings,
    drawn: u64,
) -> Option<Move> {
    if !settings.enabled {
        return None;
    }
    let choice = Choice {
        max_ply: settings.max_ply,
        min_count: settings.min_count,
        selection: selection(settings.selection),
    };
    let found = book.choose(game, &choice, lot(settings.seed, game, drawn))?;
    Some(found.mv)
}

/// What decides whether the explorer is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ExplorerFacts {
    /// Ply of the position.
    pub ply: u32,
    /// Our time left; `None` in a game without a clock.
    pub clock: Option<Duration>,
    /// Positions of this game without a usable answer so far.
    pub misses: u32,
}

/// Whether the explorer is asked about a position.
pub(super) fn may_ask(facts: &ExplorerFacts, settings: &ExplorerSettings) -> bool {
    settings.enabled
        && facts.ply < settings.max_ply
        && facts.misses < settings.max_misses
        && facts.clock.is_none_or(|left| left >= settings.min_clock)
}

/// Moves of an answer of the explorer that are legal in the position that was asked about.
pub(super) fn known_moves(answer: &ExplorerAnswer, position: &Position) -> Vec<BookMove> {
    answer
        .moves
        .iter()
        .filter_map(|line| {
            let mv = position.parse_uci(&line.uci).ok()?;
            let (wins, losses) = match position.turn() {
                Color::White => (line.white, line.black),
                Color::Black => (line.black, line.white),
            };
            Some(BookMove {
                mv,
                wins,
                draws: line.draws,
                losses,
            })
        })
        .collect()
}

/// Move out of those that the explorer knows.
pub(super) fn from_explorer(
    known: &[BookMove],
    game: &Game,
    settings: &BookSettings,
    drawn: u64,
) -> Option<Move> {
    let weighting = Weighting::Points;
    let explorer = &settings.explorer;
    let playable: Vec<BookMove> =
        book::playable(known.iter().copied(), game, weighting, explorer.min_games).collect();
    let lot = lot(settings.seed, game, drawn);
    let found = book::pick(&playable, selection(explorer.selection), weighting, lot)?;
    Some(found.mv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{BuildOptions, Builder, InputGame};
    use crate::lichess::ExplorerMove;
    use crate::rules::Variant;
    use crate::rules::pgn::GameResult;
    use crate::settings::Settings;

    const S: Duration = Duration::from_secs(1);

    fn start() -> Game {
        Game::new(Variant::Crazyhouse)
    }

    fn book() -> Book {
        let mut builder = Builder::new(BuildOptions {
            min_count: 1,
            ..BuildOptions::default()
        });
        let game = start();
        for (text, count) in [("e2e4", 3), ("d2d4", 1)] {
            let input = InputGame {
                start: *game.start(),
                moves: vec![game.position().parse_uci(text).unwrap()],
                result: GameResult::WhiteWins,
                ratings: [None, None],
                named_variant: true,
            };
            for _ in 0..count {
                builder.add(&input).unwrap();
            }
        }
        builder.finish()
    }

    fn settings(change: impl FnOnce(&mut BookSettings)) -> BookSettings {
        let mut settings = Settings::defaults().book;
        change(&mut settings);
        settings
    }

    fn played(settings: &BookSettings, drawn: u64) -> Option<String> {
        from_book(&book(), &start(), settings, drawn).map(|mv| mv.to_string())
    }

    #[test]
    fn the_book_is_used_as_the_settings_say() {
        let plain = settings(|_| {});
        assert_eq!(played(&plain, 0).as_deref(), Some("e2e4"));
        assert_eq!(played(&plain, u64::MAX).as_deref(), Some("d2d4"));
        let best = settings(|s| s.selection = BookSelection::Best);
        assert_eq!(played(&best, u64::MAX).as_deref(), Some("e2e4"));
        let uniform = settings(|s| s.selection = BookSelection::Uniform);
        assert_eq!(played(&uniform, u64::MAX / 8 * 5).as_deref(), Some("d2d4"));
        for off in [
            settings(|s| s.enabled = false),
            settings(|s| s.max_ply = 0),
            settings(|s| s.min_count = 4),
        ] {
            assert_eq!(played(&off, 0), None);
        }
    }

    #[test]
    fn a_seed_makes_the_choice_whatever_the_lot() {
        let seeds: Vec<_> = (1..30)
            .map(|seed| {
                let seeded = settings(|s| s.seed = seed);
                let choice = played(&seeded, 0);
                assert_eq!(choice, played(&seeded, u64::MAX), "seed {seed}");
                choice
            })
            .collect();
        assert!(seeds.iter().any(|choice| *choice != seeds[0]));
    }

    #[test]
    fn the_explorer_is_asked_early_with_time_and_not_in_vain() {
        let on = settings(|s| s.explorer.enabled = true).explorer;
        let facts = ExplorerFacts {
            ply: 3,
            clock: Some(90 * S),
            misses: 0,
        };
        assert!(may_ask(&facts, &on));
        assert!(may_ask(
            &ExplorerFacts {
                clock: None,
                ..facts
            },
            &on
        ));
        for (facts, why) in [
            (
                ExplorerFacts {
                    clock: Some(59 * S),
                    ..facts
                },
                "low clock",
            ),
            (ExplorerFacts { ply: 16, ..facts }, "late"),
            (ExplorerFacts { misses: 2, ..facts }, "unknown before"),
        ] {
            assert!(!may_ask(&facts, &on), "{why}");
        }
        assert!(!may_ask(&facts, &settings(|_| {}).explorer), "off");
    }

    #[test]
    fn moves_of_the_explorer_are_checked_and_counted_for_the_side_to_move() {
        let line = |uci: &str, white, draws, black| ExplorerMove {
            uci: uci.to_owned(),
            white,
            draws,
            black,
        };
        let answer = ExplorerAnswer {
            moves: vec![
                line("e2e5", 900, 0, 0),
                line("e2e4", 10, 5, 40),
                line("d2d4", 30, 5, 5),
                line("g1f3", 9, 0, 0),
                line("nonsense", 1, 1, 1),
            ],
        };
        let game = start();
        let known = known_moves(&answer, game.position());
        assert_eq!(known.len(), 3);
        assert_eq!((known[0].wins, known[0].losses), (10, 40));
        let settings = settings(|_| {});
        let best = from_explorer(&known, &game, &settings, 0).unwrap();
        assert_eq!(best.to_string(), "d2d4");
        assert_eq!(from_explorer(&known[2..], &game, &settings, 0), None);
        let mut black = start();
        black.push_uci("e2e4").unwrap();
        let answer = ExplorerAnswer {
            moves: vec![line("e7e5", 10, 5, 40)],
        };
        let known = known_moves(&answer, black.position());
        assert_eq!((known[0].wins, known[0].losses), (40, 10));
    }
}
