use super::*;
use crate::settings::{Settings, Sources};

const LICHESS_BOT: &str = r#"
token: "lip_verysecret"
url: "https://lichess.org/"
engine:
  dir: "./engines/"
  name: "fairy-stockfish"
  working_dir: ""
  protocol: "uci"
  ponder: false
  polyglot:
    enabled: true
    book:
      crazyhouse:
        - engines/zh.bin
    min_weight: 1
    selection: "best_move"
    max_depth: 8
  draw_or_resign:
    resign_enabled: true
    resign_score: -900
  online_moves:
    lichess_opening_explorer:
      enabled: true
      source: "lichess"
      min_games: 10
      min_time: 20
    online_egtb:
      enabled: false
  uci_options:
    Move Overhead: 100
    Threads: 2
    Hash: 256
    SyzygyPath: "/tb"
  silence_stderr: false
abort_time: 30
move_overhead: 2000
challenge:
  concurrency: 3
  accept_bot: yes
  only_bot: false
  max_increment: 20
  max_base: 315360000
  variants:
    - standard
    - crazyhouse
  time_controls: [bullet, blitz]
  modes:
    - casual
  block_list:
    - Someone
greeting:
  hello: "Hi {opponent}, I am {me} on {machine}"
"#;

const BOTLI: &str = r#"
token: "lip_verysecret"
engines:
  standard:
    dir: "./engines"
    name: "stockfish"
    uci_options:
      Hash: 1
  variants:
    dir: "/opt"
    name: "fairy"
    ponder: true
    uci_options:
      Threads: 4
      Use NNUE: true
    limits:
      depth: 26
syzygy:
  standard:
    enabled: true
opening_books:
  enabled: true
  books:
    standard:
      selection: weighted_random
      max_depth: 16
      names:
        - DefaultBook
challenge:
  concurrency: 2
  max_takebacks: 1
  time_controls:
    - 3+2
    - 1+1
blacklist:
  - Spammer
books:
  DefaultBook: "/x.bin"
whitelist:
"#;

fn value(import: &Import, key: &str) -> Option<String> {
    let taken = import.taken.iter().find(|taken| taken.key == key);
    taken.map(|taken| taken.value.clone())
}

fn reason<'a>(import: &'a Import, from: &str) -> &'a str {
    let left = import.left.iter().find(|left| left.from == from);
    &left
        .unwrap_or_else(|| panic!("{from} not in {:#?}", import.left))
        .reason
}

/// The result as our own settings.
fn loaded(import: &Import) -> Settings {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("new.toml");
    std::fs::write(&path, import.to_string()).unwrap();
    Settings::load(&Sources {
        file: Some(path),
        ..Sources::default()
    })
    .unwrap_or_else(|error| panic!("{error}\n{import}"))
}

#[test]
fn lichess_bot_is_recognised_and_its_counterparts_taken_over() {
    let import = import(LICHESS_BOT, ImportOptions::default()).unwrap();
    assert_eq!(import.origin, Origin::LichessBot);
    let settings = loaded(&import);
    assert_eq!(
        (settings.engine.hash_mib, settings.engine.threads),
        (256, 2)
    );
    assert!(!settings.engine.ponder);
    assert_eq!(settings.engine.uci.path, None);
    assert_eq!(settings.challenge.concurrency, 3);
    assert!(settings.challenge.accept_bots && settings.challenge.accept_humans);
    assert_eq!(settings.challenge.human.speeds, ["bullet", "blitz"]);
    assert_eq!(settings.challenge.block, ["someone"]);
    assert!(!settings.challenge.human.rated && settings.challenge.bot.casual);
    assert_eq!(settings.challenge.human.max_initial_s, 10_800);
    assert_eq!(settings.game.abort_after_bot.as_secs(), 30);
    assert!(settings.book.explorer.enabled);
    assert_eq!(settings.book.explorer.min_clock.as_secs(), 20);
    assert_eq!(
        value(&import, "book.selection").as_deref(),
        Some("\"best\"")
    );
    assert_eq!(value(&import, "book.max_ply").as_deref(), Some("16"));
}

#[test]
fn what_has_no_counterpart_is_told_with_the_reason_and_the_token_never() {
    let import = import(LICHESS_BOT, ImportOptions::default()).unwrap();
    for (from, part) in [
        ("token", "LICHESS_BOT_TOKEN"),
        ("engine.name", "--keep-engine"),
        ("engine.polyglot.book", "book build"),
        ("engine.online_moves.online_egtb", "no tablebases"),
        ("engine.uci_options.SyzygyPath", "no tablebases"),
        ("engine.uci_options.Move Overhead", "measured"),
        ("challenge.variants", "crazyhouse"),
    ] {
        assert!(
            reason(&import, from).contains(part),
            "{from}: {}",
            reason(&import, from)
        );
    }
    let text = import.to_string();
    assert!(!text.contains("verysecret") && !format!("{import:?}").contains("verysecret"));
    assert!(text.contains("# Not taken over:\n#   token: "), "{text}");
    // Nothing of the file is lost: every value is on one side or the other.
    let names = import.taken.len() + import.left.len();
    assert!(names >= 30, "{names}");
}

#[test]
fn the_old_engine_is_kept_with_its_options_if_wanted() {
    let keep = ImportOptions { keep_engine: true };
    let settings = loaded(&import(LICHESS_BOT, keep).unwrap());
    let uci = &settings.engine.uci;
    assert_eq!(
        uci.path.as_deref(),
        Some(std::path::Path::new("./engines/fairy-stockfish"))
    );
    assert_eq!(uci.options["Hash"], "256");
    assert_eq!(uci.options["Move Overhead"], "100");
    assert!(!uci.options.contains_key("SyzygyPath"));
    assert_eq!(settings.engine.hash_mib, 64);
    let settings = loaded(&import(BOTLI, keep).unwrap());
    assert_eq!(settings.engine.uci.options["Use NNUE"], "true");
}

#[test]
fn botli_is_recognised_and_its_engine_for_variants_is_ours() {
    let import = import(BOTLI, ImportOptions::default()).unwrap();
    assert_eq!(import.origin, Origin::BotLi);
    let settings = loaded(&import);
    assert_eq!(
        (settings.engine.threads, settings.engine.max_depth),
        (4, 26)
    );
    assert_eq!(settings.engine.hash_mib, 64, "another engine's");
    assert_eq!(settings.challenge.concurrency, 2);
    assert_eq!(settings.game.max_takebacks, 1);
    assert_eq!(settings.challenge.block, ["spammer"]);
    assert_eq!(settings.book.max_ply, 16);
    for (from, part) in [
        ("engines.standard", "other games"),
        ("syzygy", "no tablebases"),
        ("books", "Polyglot"),
        ("whitelist", "challenge.allow"),
    ] {
        assert!(
            reason(&import, from).contains(part),
            "{from}: {}",
            reason(&import, from)
        );
    }
}

#[test]
fn values_that_our_settings_refuse_are_left_out_with_what_was_expected() {
    let text = "challenge:\n  concurrency: many\n  block_list: [\"no name\"]\n  min_rating: 100\nabort_time: 0\n";
    let import = import(text, ImportOptions::default()).unwrap();
    loaded(&import);
    assert_eq!(
        value(&import, "challenge.min_rating").as_deref(),
        Some("100")
    );
    assert!(reason(&import, "challenge.concurrency").contains("whole number"));
    assert!(reason(&import, "challenge.block_list").contains("user names"));
    assert!(reason(&import, "abort_time").contains("expected a duration"));
}

#[test]
fn words_of_yaml_and_placeholders_of_chats_are_understood() {
    let node = |text: &str| yaml::read(&format!("a: {text}")).unwrap();
    for (text, truth) in [("yes", Some(true)), ("Off", Some(false)), ("maybe", None)] {
        assert_eq!(node(text).get("a").unwrap().truth(), truth);
    }
    for (text, number) in [
        ("12", Some(12)),
        ("1e3", Some(1000)),
        ("2.5", None),
        (".inf", Some(i64::MAX)),
    ] {
        assert_eq!(node(text).get("a").unwrap().number(), number);
    }
    let tree = node("\"{me} on {cpu} greets {opponent} } {\"");
    let Outcome::Take(values) = value::chat(tree.get("a").unwrap(), "chat.hello") else {
        panic!("not taken")
    };
    assert_eq!(values[0].1, "\"{me} on  greets {opponent}\"");
}
