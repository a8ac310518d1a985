//! Section `[tournament]`: arenas to play in.

use super::MINUTE;
use super::reader::Reader;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Section `[tournament]`.
#[derive(Clone, PartialEq, Eq)]
pub struct TournamentSettings {
    /// Ids of arenas to join.
    pub join: Vec<String>,
    /// Password of an arena by its id.
    pub passwords: BTreeMap<String, String>,
    /// Id of the team to play for in a team battle.
    pub team: Option<String>,
    /// How long before its start an arena is joined.
    pub join_before: Duration,
    /// While in an arena, one slot is kept for its games.
    pub reserve_slot: bool,
}

// Without the passwords.
impl fmt::Debug for TournamentSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TournamentSettings")
            .field("join", &self.join)
            .field("team", &self.team)
            .field("join_before", &self.join_before)
            .field("reserve_slot", &self.reserve_slot)
            .finish_non_exhaustive()
    }
}

impl TournamentSettings {
    pub(super) fn read(r: &mut Reader) -> Self {
        const S: &str = "tournament";
        let mut join = Vec::new();
        for entry in r.list(S, "join") {
            match tournament_id(&entry) {
                Some(id) if join.iter().any(|known| known == id) => {}
                Some(id) => join.push(id.to_owned()),
                None => r.refuse(
                    S,
                    "join",
                    "ids or addresses of arenas, such as \"abcd1234\" or \"https://lichess.org/tournament/abcd1234\"",
                ),
            }
        }
        let passwords = r.secret_map(S, "passwords");
        let team = r.text(S, "team");
        let is_team = |text: &str| {
            text.len() <= 64
                && text
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        };
        if !is_team(&team) {
            r.refuse(
                S,
                "team",
                "the id of a team: letters, digits, - and _, as in its address",
            );
        }
        Self {
            join,
            passwords,
            team: (!team.is_empty()).then_some(team),
            join_before: r.duration(S, "join_before", Duration::ZERO..=24 * 60 * MINUTE),
            reserve_slot: r.flag(S, "reserve_slot"),
        }
    }
}

/// Id of an arena in a text that is the id or its address.
pub fn tournament_id(text: &str) -> Option<&str> {
    let text = text.trim().trim_end_matches('/');
    let id = match text.rsplit_once("tournament/") {
        Some((before, id)) if before.contains("://") => id,
        Some(_) => return None,
        None => text,
    };
    let fits = (1..=16).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric());
    fits.then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arenas_are_named_by_id_or_address() {
        for text in [
            "abcd1234",
            " abcd1234 ",
            "https://lichess.org/tournament/abcd1234",
            "http://localhost:9000/api/tournament/abcd1234/",
        ] {
            assert_eq!(tournament_id(text), Some("abcd1234"), "{text}");
        }
        for text in [
            "",
            "a/b",
            "tournament/abcd",
            "../abcd1234",
            "abcd 1234",
            "https://lichess.org/abcd1234",
        ] {
            assert_eq!(tournament_id(text), None, "{text}");
        }
    }
}
