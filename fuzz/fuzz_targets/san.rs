//! A SAN move that is accepted is legal and comes back from its text.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((position, text)) = pocketknight_fuzz::position_and_text(data) else {
        return;
    };
    let Ok(m) = position.parse_san(text) else {
        return;
    };
    assert!(position.is_legal(m));
    assert_eq!(position.parse_san(&position.san(m)), Ok(m));
});
