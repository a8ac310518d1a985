use super::*;
use crate::rules::{Game, Variant};

fn player(name: &str, title: Option<&str>) -> Player {
    Player {
        id: Some(name.to_lowercase()),
        name: Some(name.to_owned()),
        title: title.map(str::to_owned),
        rating: Some(1834),
        ..Player::default()
    }
}

/// Answers a line in a game against Alice, who is a bot if she has the title.
fn answer(
    room: ChatRoom,
    user: &str,
    text: &str,
    title: Option<&str>,
    thought: Option<&Thought>,
    change: impl FnOnce(&mut Settings),
) -> Option<String> {
    let mut settings = Settings::defaults();
    change(&mut settings);
    let (me, opponent) = (player("OurBot", Some("BOT")), player("Alice", title));
    let facts = facts(&me, &opponent, thought);
    let line = ChatLine {
        room,
        username: user.to_owned(),
        text: text.to_owned(),
    };
    reply(&line, &facts, &settings)
}

fn facts<'a>(me: &'a Player, opponent: &'a Player, thought: Option<&'a Thought>) -> ChatFacts<'a> {
    ChatFacts {
        me,
        opponent,
        account: "ourbot",
        thought,
        takebacks: 1,
        queue: &[],
        ping: Some(Duration::from_millis(34)),
        speed: "blitz",
        clock: "3+2",
        cores: 4,
        result: "win",
    }
}

fn player_room(text: &str) -> Option<String> {
    answer(ChatRoom::Player, "Alice", text, None, None, |_| {})
}

fn spectator_room(text: &str, thought: Option<&Thought>) -> Option<String> {
    answer(ChatRoom::Spectator, "Bob", text, None, thought, |_| {})
}

fn thought(score: Score) -> Thought {
    let mut game = Game::new(Variant::Crazyhouse);
    game.push_uci("e2e4").unwrap();
    let position = *game.position();
    let mut pv = Vec::new();
    for text in ["d7d5", "e4d5", "d8d5", "P@e4"] {
        pv.push(game.push_uci(text).unwrap());
    }
    Thought {
        position,
        score,
        depth: 12,
        nodes: 1_234_567,
        pv,
    }
}

#[test]
fn commands_are_answered_and_all_else_is_ignored() {
    let name = player_room("!name").unwrap();
    assert!(name.contains("OurBot") && name.contains(PROGRAM), "{name}");
    assert_eq!(
        player_room(" !PING please"),
        Some("Moves are answered in 34 ms.".into())
    );
    assert_eq!(
        player_room("!rating"),
        Some("OurBot 1834, Alice 1834.".into())
    );
    assert_eq!(
        player_room("!queue"),
        Some("No challenge is waiting.".into())
    );
    assert!(player_room("!motor").unwrap().contains("4 cores"));
    for nothing in [
        "", " ", "!", "!!", "hi", "!resign", "!quit", "name", "é!", "\u{0}", "! help",
    ] {
        assert_eq!(player_room(nothing), None, "{nothing:?}");
    }
}

#[test]
fn everything_that_is_known_is_answered_within_the_length_of_a_line() {
    let thought = thought(Score::Cp(35));
    for command in crate::settings::COMMANDS {
        let text = spectator_room(&format!("!{command}"), Some(&thought)).unwrap();
        assert!(
            !text.is_empty() && text.chars().count() <= MAX_CHAT,
            "{text}"
        );
    }
}

#[test]
fn what_would_help_a_player_is_told_to_spectators_only() {
    let thought = thought(Score::Cp(35));
    let eval = spectator_room("!eval", Some(&thought)).unwrap();
    assert_eq!(eval, "+0.35 for OurBot, depth 12, 1.2M nodes.");
    let pv = spectator_room("!pv", Some(&thought)).unwrap();
    assert_eq!(pv, "1... d5 2. exd5 Qxd5 3. P@e4");
    for command in ["!eval", "!pv"] {
        let told = answer(
            ChatRoom::Player,
            "Alice",
            command,
            None,
            Some(&thought),
            |_| {},
        );
        assert_eq!(told, None);
        assert!(spectator_room(command, None).is_some());
    }
    assert!(!player_room("!help").unwrap().contains("!eval"));
    assert!(spectator_room("!commands", None).unwrap().contains("!eval"));
}

#[test]
fn mates_are_told_from_our_side() {
    for (moves, expected) in [(3, "mate in 3 for OurBot"), (-2, "mated in 2 for OurBot")] {
        let thought = thought(Score::Mate(moves));
        let eval = spectator_room("!eval", Some(&thought)).unwrap();
        assert!(eval.starts_with(expected), "{eval}");
    }
}

#[test]
fn a_long_line_ends_with_a_whole_move() {
    let mut game = Game::new(Variant::Crazyhouse);
    let position = *game.position();
    let mut pv = Vec::new();
    for text in ["g1f3", "g8f6", "f3g1", "f6g8"].iter().cycle().take(100) {
        pv.push(game.push_uci(text).unwrap());
    }
    let text = line_of(Some(&Thought {
        position,
        score: Score::Cp(0),
        depth: 1,
        nodes: 1,
        pv,
    }));
    assert!(
        text.len() <= MAX_CHAT && text.len() > MAX_CHAT - 10,
        "{text}"
    );
    let last = text.split(' ').next_back().unwrap();
    assert!(["Nf3", "Nf6", "Ng1", "Ng8"].contains(&last), "{text}");
}

#[test]
fn own_lines_the_server_and_unwanted_commands_are_not_answered() {
    for user in ["OurBot", "ourbot", "lichess", "Lichess"] {
        assert_eq!(
            answer(ChatRoom::Player, user, "!help", None, None, |_| {}),
            None
        );
    }
    let bot = |change: fn(&mut Settings)| {
        answer(
            ChatRoom::Player,
            "Alice",
            "!help",
            Some("BOT"),
            None,
            change,
        )
    };
    assert_eq!(bot(|_| {}), None);
    assert!(bot(|settings| settings.chat.answer_bots = true).is_some());
    let human =
        |change: fn(&mut Settings)| answer(ChatRoom::Player, "Alice", "!help", None, None, change);
    assert_eq!(human(|settings| settings.chat.commands.clear()), None);
    assert_eq!(human(|settings| settings.chat.enabled = false), None);
}

#[test]
fn policies_are_told_as_they_are_set() {
    let takeback = |most| {
        let change = |settings: &mut Settings| settings.game.max_takebacks = most;
        answer(ChatRoom::Player, "Alice", "!takeback", None, None, change).unwrap()
    };
    assert_eq!(takeback(0), "I accept no takebacks.");
    assert_eq!(takeback(3), "I accept 3 takebacks in a game; 1 so far.");
    let draw = |change: fn(&mut Settings)| {
        answer(ChatRoom::Player, "Alice", "!draw", None, None, change).unwrap()
    };
    let none = draw(|settings| {
        settings.game.accept_draw = false;
        settings.game.draw.offer = false;
    });
    assert_eq!(none, "I accept no draws.");
    assert!(draw(|_| {}).contains("from ply 100 on"));
}

#[test]
fn greetings_are_filled_and_sent_to_those_who_are_meant() {
    let mut settings = Settings::defaults();
    settings.chat.hello_spectators = Template::default();
    let (me, human, bot) = (
        player("OurBot", Some("BOT")),
        player("Alice", None),
        player("Alice", Some("BOT")),
    );
    let posts = greetings(&facts(&me, &human, None), &settings);
    assert_eq!(posts.len(), 1);
    assert_eq!(posts[0].room, ChatRoom::Player);
    assert!(
        posts[0].text.starts_with("Hi Alice! I am OurBot"),
        "{posts:?}"
    );
    assert_eq!(greetings(&facts(&me, &bot, None), &settings), []);
    settings.chat.greet_bots = true;
    assert_eq!(greetings(&facts(&me, &bot, None), &settings).len(), 1);
    assert_eq!(farewells(&facts(&me, &human, None), &settings).len(), 2);
    settings.chat.enabled = false;
    assert_eq!(farewells(&facts(&me, &human, None), &settings), []);
}

#[test]
fn a_user_who_asks_too_often_is_not_answered() {
    let (mut answered, now) = (Answered::default(), Instant::now());
    let pause = Duration::from_secs(3);
    assert!(answered.admit("Alice", pause, now));
    assert!(!answered.admit("alice", pause, now + pause / 2));
    assert!(answered.admit("bob", pause, now + pause / 2));
    assert!(answered.admit("Alice", pause, now + pause));
    for user in 0..2 * MOST_USERS {
        answered.admit(&user.to_string(), pause, now + pause);
    }
    assert!(answered.users.len() <= MOST_USERS);
}

#[test]
fn lines_are_sent_one_by_one_with_pauses() {
    let now = Instant::now();
    let mut outbox = Outbox::new(true, now);
    let post = |text: &str, room| Post {
        room,
        text: text.to_owned(),
    };
    assert_eq!((outbox.next(now), outbox.deadline()), (None, None));
    for index in 0..10 {
        outbox.push(post(&index.to_string(), ChatRoom::Player));
    }
    assert_eq!(outbox.next(now).unwrap().text, "0");
    assert_eq!(
        (outbox.next(now), outbox.deadline()),
        (None, None),
        "under way"
    );
    outbox.sent(false, now);
    assert_eq!(outbox.next(now), None);
    assert_eq!(outbox.deadline(), Some(now + PAUSE));
    assert_eq!(outbox.next(now + PAUSE).unwrap().text, "1");
    outbox.sent(true, now + PAUSE);
    assert_eq!(outbox.deadline(), None, "too many: the rest is dropped");

    let mut arena = Outbox::new(false, now);
    arena.push(post("a", ChatRoom::Player));
    arena.push(post("b", ChatRoom::Spectator));
    assert_eq!(arena.next(now).unwrap().text, "b");
}
