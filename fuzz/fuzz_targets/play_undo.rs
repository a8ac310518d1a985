//! What a position keeps up to date equals what is computed anew, and undoing restores it all.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pocketknight::rules::{Game, Position};

fuzz_target!(|choices: &[u8]| {
    let walked = pocketknight_fuzz::walk(choices);
    let mut game = Game::from_position(*walked.start());
    let mut trail = Vec::new();
    for &m in walked.moves() {
        trail.push((*game.position(), game.repetitions(), game.irreversible()));
        game.push(m).expect("the move was legal on the walk");
        let kept = game.position();
        let anew = Position::from_setup(&kept.to_setup()).expect("reached by legal moves");
        // Equality covers key, checkers, castling and en passant.
        assert_eq!(anew, *kept);
    }
    while let Some(before) = trail.pop() {
        game.pop();
        assert_eq!(
            (*game.position(), game.repetitions(), game.irreversible()),
            before
        );
    }
    assert_eq!(game.keys(), [game.start().key()]);
});
