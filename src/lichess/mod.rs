//! Lichess Bot API: wire types and HTTP client. Knows no chess and no policy; moves and FENs are handed on as text.

pub mod model;
