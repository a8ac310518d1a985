//! What the targets share: games that bytes choose.

use pocketknight::rules::{Game, Move, MoveList, Position, Variant};

/// Legal moves as a plain list.
pub fn legal_moves(position: &Position) -> Vec<Move> {
    let mut list = MoveList::new();
    position.legal_moves(&mut list);
    list.to_vec()
}

/// Game of the variant that the first byte chooses and the moves that the others choose, a byte
/// each. Odd bytes prefer captures and promotions, so that hands fill.
pub fn walk(choices: &[u8]) -> Game {
    let variant = choices.first().map_or(0, |&byte| usize::from(byte));
    let mut game = Game::new(Variant::ALL[variant % Variant::ALL.len()]);
    for &choice in choices.iter().skip(1) {
        let position = game.position();
        let mut moves = legal_moves(position);
        if choice % 2 == 1 {
            let sharp = |m: &Move| position.captured_role(*m).is_some() || m.is_promotion();
            if moves.iter().any(sharp) {
                moves.retain(sharp);
            }
        }
        if moves.is_empty() {
            break;
        }
        let m = moves[usize::from(choice / 2) % moves.len()];
        game.push(m).expect("a generated move is legal");
    }
    game
}

/// Position after a walk, and the text behind it: the bytes before and after the first zero byte.
pub fn position_and_text(data: &[u8]) -> Option<(Position, &str)> {
    let split = data.iter().position(|&byte| byte == 0)?;
    let text = std::str::from_utf8(&data[split + 1..]).ok()?;
    Some((*walk(&data[..split]).position(), text))
}
