//! A UCI move that is accepted is legal and comes back from its text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pocketknight::rules::CastlingStyle;

fuzz_target!(|data: &[u8]| {
    let Some((position, text)) = pocketknight_fuzz::position_and_text(data) else {
        return;
    };
    let Ok(m) = position.parse_uci(text) else {
        return;
    };
    assert!(position.is_legal(m));
    for style in [CastlingStyle::KingTakesRook, CastlingStyle::TwoSquares] {
        assert_eq!(position.parse_uci(&position.uci(m, style)), Ok(m));
    }
});
