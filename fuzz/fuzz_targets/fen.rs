//! A FEN that is accepted comes back from every form, and its position can be played.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pocketknight::rules::{FenStyle, Position, Variant};
use pocketknight_fuzz::legal_moves;

fuzz_target!(|text: &str| {
    for variant in Variant::ALL {
        let Ok(position) = Position::from_fen(text, variant) else {
            continue;
        };
        for style in [
            FenStyle::Bracket,
            FenStyle::Lichess,
            FenStyle::ChessCom,
            FenStyle::XBoard,
        ] {
            assert_eq!(
                Position::from_fen(&position.fen(style), variant),
                Ok(position)
            );
        }
        let moves = legal_moves(&position);
        assert_eq!(moves.len() as u64, position.legal_count());
        for m in moves {
            assert!(position.is_legal(m));
            let after = position.play(m);
            assert_eq!(Position::from_setup(&after.to_setup()), Ok(after));
        }
    }
});
