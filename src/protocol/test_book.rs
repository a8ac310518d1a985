//! Opening book for the tests of both front ends.

use crate::book::{self, BuildOptions, Builder, InputGame, Weighting};
use crate::rules::pgn::GameResult;
use crate::rules::{Game, Variant};

/// Book of one game in a file; the folder must be kept.
pub(super) fn book_file(moves: &str) -> (tempfile::TempDir, String) {
    let mut game = Game::new(Variant::Crazyhouse);
    for text in moves.split_whitespace() {
        game.push_uci(text).unwrap();
    }
    let mut builder = Builder::new(BuildOptions {
        min_count: 1,
        weighting: Weighting::Games,
        ..BuildOptions::default()
    });
    let input = InputGame {
        start: *game.start(),
        moves: game.moves().to_vec(),
        result: GameResult::WhiteWins,
        ratings: [None, None],
        named_variant: true,
    };
    builder.add(&input).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("some.book");
    book::save(&builder.finish(), &path).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (dir, path)
}
