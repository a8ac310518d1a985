use super::*;

fn parse(fen: &str) -> Result<Position, FenError> {
    Position::from_fen(fen, Variant::Crazyhouse)
}

fn bracket(fen: &str) -> String {
    parse(fen).unwrap().fen(FenStyle::Bracket)
}

#[test]
fn missing_fields_take_their_defaults() {
    let board = "4k3/8/8/8/8/8/8/4K3";
    for fields in ["", " w", " w -", " w - -", " w - - 0"] {
        assert_eq!(
            bracket(&format!("{board}{fields}")),
            format!("{board}[] w - - 0 1")
        );
    }
}

#[test]
fn line_ends_tabs_and_underscores_separate_like_spaces() {
    let fen = "\r\n4k3/8/8/8/8/8/8/4K3[Pq]\t_b  -_-  3 \r 7\r\n";
    assert_eq!(bracket(fen), "4k3/8/8/8/8/8/8/4K3[Pq] b - - 3 7");
}

#[test]
fn counters_beyond_reason_are_held_at_a_limit() {
    let nines = "9".repeat(40);
    let fen = bracket(&format!("4k3/8/8/8/8/8/8/4K3[] w - - {nines} {nines}"));
    assert_eq!(fen, "4k3/8/8/8/8/8/8/4K3[] w - - 9999 9999");
}

#[test]
fn inner_rooks_are_written_as_files_and_outer_ones_as_king_or_queen_side() {
    let inner = "r1r1k3/8/8/8/8/8/8/RR2K3[] w Bc - 0 1";
    assert_eq!(bracket(inner), inner);
    let outer = "r1r1k3/8/8/8/8/8/8/RR2K3[] w Aa - 0 1";
    assert_eq!(bracket(outer), "r1r1k3/8/8/8/8/8/8/RR2K3[] w Qq - 0 1");
}

#[test]
fn several_promoted_squares_of_the_chess_com_form_come_back() {
    let fen = "Q~4rr1/4k3/8/8/8/8/8/4K2R~[] b - - 0 52";
    let position = parse(fen).unwrap();
    let written = position.fen(FenStyle::ChessCom);
    assert_eq!(written, "Q4rr1/4k3/8/8/8/8/8/4K2R b - - 0 52 - h1,a8");
    assert_eq!(bracket(&written), fen);
    assert_eq!(bracket("Q4rr1/4k3/8/8/8/8/8/4K2R b - - 0 52 h1a8"), fen);
}

#[test]
fn messages_name_the_field_the_value_and_what_was_expected() {
    let message = |fen: &str| parse(fen).unwrap_err().to_string();
    assert_eq!(
        message("4k3/8/8/8/8/8/8/4K3[] W - - 0 1"),
        "fen side to move \"W\", expected w or b"
    );
    assert_eq!(
        message("4k3/8/8/8/8/8/8/4K3[K] w - - 0 1"),
        "fen hand \"K\": expected only letters of PNBRQpnbrq, or - alone"
    );
    assert_eq!(
        message("4k3/8/8/8/8/8/8/4K3[R] w K - 0 1"),
        "fen castling \"K\": expected a rook to castle with"
    );
    assert_eq!(
        message("4k3/8/8/8/8/8/8/4K3[] w - - 0 -1"),
        "fen move number \"-1\", expected a number of digits only"
    );
    let long = message(&format!("{} w", "p".repeat(900)));
    assert!(long.len() < 120, "{long}");
}

#[test]
fn both_hands_at_once_are_refused_whatever_the_form() {
    for fen in [
        "4k3/8/8/8/8/8/8/4K3/P[p] w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3[p]/P w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3[p] w - - 0 1 P",
    ] {
        assert!(matches!(parse(fen), Err(FenError::Hand { .. })), "{fen}");
    }
}
