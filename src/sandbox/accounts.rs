//! Accounts and tokens of the sandbox.

use super::opponents::Style;
use crate::lichess::model::{Account, ChallengeUser, Perf, Player};
use std::collections::{BTreeMap, HashMap};

/// Rating that a new bot starts with.
const BOT_RATING: i32 = 2000;

/// Rating that a new human starts with.
const HUMAN_RATING: i32 = 1500;

/// Rated games after which a rating counts as settled.
const SETTLED_AFTER: u32 = 12;

/// One account.
#[derive(Clone, Debug)]
pub(super) struct User {
    /// Name in small letters; what other calls refer to.
    pub id: String,
    /// Name as shown.
    pub name: String,
    /// Carries the title `BOT`.
    pub is_bot: bool,
    /// Text of the profile; bots without one are not listed online.
    pub bio: Option<String>,
    /// How the server itself plays for this account; `None` for accounts of clients.
    pub style: Option<Style>,
    /// Crazyhouse rating.
    pub rating: i32,
    /// Rated crazyhouse games finished.
    pub rated_games: u32,
    /// Games finished, rated or not; an account with games cannot be upgraded.
    pub games: u32,
    /// Allows takebacks (bots do not by default).
    pub takebacks: bool,
    /// Accounts whose challenges are refused, by id.
    pub blocks: Vec<String>,
    /// Creation, ms since the epoch.
    pub created_at: i64,
}

impl User {
    /// New account without games.
    pub(super) fn new(name: &str, is_bot: bool) -> Self {
        Self {
            id: name.to_lowercase(),
            name: name.to_owned(),
            is_bot,
            bio: is_bot.then(|| "An account of the sandbox.".to_owned()),
            style: None,
            rating: if is_bot { BOT_RATING } else { HUMAN_RATING },
            rated_games: 0,
            games: 0,
            takebacks: !is_bot,
            blocks: Vec::new(),
            created_at: jiff::Timestamp::now().as_millisecond(),
        }
    }

    /// Turns the account into a bot account, with the defaults that Lichess gives it.
    pub(super) fn upgrade(&mut self) {
        self.is_bot = true;
        self.takebacks = false;
        self.rating = BOT_RATING;
    }

    fn title(&self) -> Option<String> {
        self.is_bot.then(|| "BOT".to_owned())
    }

    fn is_provisional(&self) -> bool {
        self.rated_games < SETTLED_AFTER
    }

    /// User object of the account endpoints.
    pub(super) fn account(&self) -> Account {
        let perf = Perf {
            games: self.rated_games,
            rating: self.rating,
            rd: if self.is_provisional() { 150.0 } else { 60.0 },
            prog: 0,
            prov: self.is_provisional(),
        };
        let played = (self.rated_games > 0).then(|| ("crazyhouse".to_owned(), perf));
        let profile = self
            .bio
            .as_ref()
            .map(|bio| BTreeMap::from([("bio".to_owned(), bio.as_str().into())]));
        Account {
            id: self.id.clone(),
            username: self.name.clone(),
            title: self.title(),
            perfs: played.into_iter().collect(),
            profile,
            disabled: false,
        }
    }

    /// Player object of `gameFull`.
    pub(super) fn player(&self) -> Player {
        Player {
            id: Some(self.id.clone()),
            name: Some(self.name.clone()),
            title: self.title(),
            rating: Some(self.rating),
            provisional: self.is_provisional(),
            ai_level: None,
        }
    }

    /// Player object of a challenge.
    pub(super) fn challenge_user(&self, online: bool) -> ChallengeUser {
        ChallengeUser {
            id: self.id.clone(),
            name: self.name.clone(),
            title: self.title(),
            rating: Some(self.rating),
            provisional: self.is_provisional(),
            online,
        }
    }
}

/// What a token may do, and for whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Grant {
    /// Id of the owner.
    pub user: String,
    /// Scopes such as `bot:play`.
    pub scopes: Vec<String>,
}

impl Grant {
    /// Whether the token has one of the scopes.
    pub(super) fn has_any(&self, wanted: &[&str]) -> bool {
        self.scopes
            .iter()
            .any(|scope| wanted.contains(&scope.as_str()))
    }
}

/// All accounts and tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct Accounts {
    users: BTreeMap<String, User>,
    tokens: HashMap<String, Grant>,
}

impl Accounts {
    /// Adds or replaces an account.
    pub(super) fn add(&mut self, user: User) {
        self.users.insert(user.id.clone(), user);
    }

    /// Makes a token for an account. The text is the same each time: it protects nothing on loopback.
    pub(super) fn issue(&mut self, user: &str, scopes: &[&str]) -> String {
        let id = user.to_lowercase();
        let plain = id.replace('-', "_");
        let mut token = format!("lip_sandbox_{plain}");
        let scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        while self
            .tokens
            .get(&token)
            .is_some_and(|grant| grant.user != id || grant.scopes != scopes)
        {
            token.push('x');
        }
        self.tokens
            .insert(token.clone(), Grant { user: id, scopes });
        token
    }

    /// What a token may do; `None` for an unknown token.
    pub(super) fn grant(&self, token: &str) -> Option<&Grant> {
        self.tokens.get(token)
    }

    /// Account of a name in any case. Names of scripted opponents, such as `engine500` or `greedy-2`, make
    /// their account when first asked for.
    pub(super) fn find(&mut self, name: &str) -> Option<&User> {
        let id = name.to_lowercase();
        if !self.users.contains_key(&id) {
            let style = Style::of_account(&id)?;
            self.add_scripted(&id, style);
        }
        self.users.get(&id)
    }

    /// Adds an account for which the server plays.
    pub(super) fn add_scripted(&mut self, name: &str, style: Style) {
        let user = User {
            style: Some(style),
            rating: style.rating(),
            ..User::new(name, style.is_bot())
        };
        // Their takeback answers are part of the script, so their preference allows them.
        self.add(User {
            takebacks: true,
            rated_games: SETTLED_AFTER,
            ..user
        });
    }

    /// Account of an id that is known to exist or to have existed.
    pub(super) fn get(&self, id: &str) -> Option<&User> {
        self.users.get(id)
    }

    /// Account of an id, to change it.
    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut User> {
        self.users.get_mut(id)
    }

    /// All accounts, by id.
    pub(super) fn iter(&self) -> impl Iterator<Item = &User> {
        self.users.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case() {
        let mut accounts = Accounts::default();
        accounts.add(User::new("OurBot", true));
        assert_eq!(accounts.find("ourBOT").unwrap().name, "OurBot");
        assert!(accounts.find("nobody").is_none());
    }

    #[test]
    fn a_scripted_opponent_appears_when_it_is_named() {
        let mut accounts = Accounts::default();
        assert_eq!(
            accounts.find("engine250").unwrap().style,
            Some(Style::Engine { nodes: 250 })
        );
        assert_eq!(
            accounts.find("Greedy-3").unwrap().style,
            Some(Style::Greedy)
        );
    }

    #[test]
    fn a_token_leads_to_its_account_and_scopes() {
        let mut accounts = Accounts::default();
        accounts.add(User::new("Our-Bot", true));
        let token = accounts.issue("Our-Bot", &["bot:play"]);
        assert_eq!(token, "lip_sandbox_our_bot");
        let grant = accounts.grant(&token).unwrap();
        assert_eq!(grant.user, "our-bot");
        assert!(grant.has_any(&["board:play", "bot:play"]));
        assert!(!grant.has_any(&["board:play"]));
        assert_ne!(accounts.issue("Our_Bot", &["bot:play"]), token);
    }

    #[test]
    fn the_crazyhouse_rating_is_absent_before_the_first_rated_game() {
        let mut user = User::new("OurBot", true);
        assert!(user.account().perfs.is_empty());
        user.rated_games = 1;
        assert_eq!(user.account().perfs["crazyhouse"].rating, 2000);
    }
}
