use super::{DEFAULT_TOML, Error, Loaded, LogFormat, Override, Settings, Sources};
use secrecy::ExposeSecret;
use std::path::PathBuf;
use std::time::Duration;

fn env(pairs: &[(&str, &str)]) -> Sources {
    let environment = pairs
        .iter()
        .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
        .collect();
    Sources {
        environment,
        ..Sources::default()
    }
}

fn file(dir: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = dir.path().join("bot.toml");
    std::fs::write(&path, text).unwrap();
    path
}

fn load_text(text: &str) -> Result<Settings, Error> {
    let dir = tempfile::tempdir().unwrap();
    Settings::load(&Sources {
        file: Some(file(&dir, text)),
        ..Sources::default()
    })
}

fn message(result: Result<Settings, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn embedded_file_alone_loads() {
    let s = Settings::defaults();
    assert_eq!(s.lichess.url.as_str(), "https://lichess.org/");
    assert!(s.lichess.token.is_none());
    assert_eq!(s.engine.hash_mib, 64);
    assert_eq!(s.engine.move_overhead, Duration::from_millis(100));
    assert_eq!(s.challenge.concurrency, 1);
    assert_eq!(
        s.challenge.human.speeds,
        ["bullet", "blitz", "rapid", "classical"]
    );
    assert_eq!(s.game.accept_draw_score_cp, -10);
    assert_eq!(s.data.dir, PathBuf::from("data"));
    assert_eq!(s.log.format, LogFormat::Text);
    assert_eq!(s.shutdown.grace, Duration::from_mins(10));
}

#[test]
fn every_key_of_the_embedded_file_has_a_comment() {
    for line in DEFAULT_TOML
        .lines()
        .filter(|l| l.contains(" = ") && !l.starts_with('#'))
    {
        assert!(line.contains(" # "), "no comment: {line}");
    }
}

#[test]
fn misspelt_key_names_path_and_known_keys() {
    let text = message(load_text("[engine]\ncore = 4\n"));
    assert!(text.contains("engine.core "), "{text}");
    assert!(text.contains("bot.toml"), "{text}");
    assert!(text.contains("cores, eval_file, hash_mib"), "{text}");
    let text = message(Settings::load(&env(&[("POCKETKNIGHT__ENGIN__CORES", "4")])));
    assert!(text.contains("engin.cores"), "{text}");
    assert!(text.contains("POCKETKNIGHT__ENGIN__CORES"), "{text}");
    assert!(text.contains("data, engine"), "{text}");
}

#[test]
fn wrong_type_names_key_value_and_file() {
    let text = message(load_text(
        "[challenge]\nconcurrency = \"many\"\nrated = 1.5\n",
    ));
    assert!(text.contains("challenge.concurrency = many"), "{text}");
    assert!(text.contains("bot.toml"), "{text}");
    assert!(text.contains("expected a whole number"), "{text}");
    assert!(text.contains("challenge.rated = 1.5"), "{text}");
}

#[test]
fn section_given_as_a_value_is_refused() {
    assert!(message(load_text("engine = 4\n")).contains("unknown section"));
    assert!(message(load_text("[engine.cores]\nx = 4\n")).contains("engine.cores"));
}

#[test]
fn later_layers_win_and_name_their_origin() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(
        &dir,
        "[challenge]\nconcurrency = 2\nqueue = 3\n[engine]\nhash_mib = 32\n",
    );
    let mut sources = env(&[
        ("POCKETKNIGHT__CHALLENGE__CONCURRENCY", "4"),
        ("POCKETKNIGHT__ENGINE__CORES", "2"),
    ]);
    sources.file = Some(path);
    sources.overrides.push(Override {
        key: "challenge.concurrency",
        value: "8".to_owned(),
        option: "--concurrency",
    });
    let loaded = Loaded::load(&sources).unwrap();
    assert_eq!(loaded.settings.challenge.concurrency, 8);
    assert_eq!(loaded.settings.challenge.queue, 3);
    assert_eq!(loaded.settings.engine.cores, 2);
    assert_eq!(loaded.settings.engine.hash_mib, 32);
    assert_eq!(loaded.settings.engine.threads, 1);
    let shown = loaded.to_string();
    assert!(
        shown.contains("concurrency = 8 # option --concurrency"),
        "{shown}"
    );
    assert!(shown.contains("cores = 2 # environment variable POCKETKNIGHT__ENGINE__CORES"));
    assert!(shown.contains("threads = 1 # default"), "{shown}");
    assert!(shown.contains("bot.toml"), "{shown}");
}

#[test]
fn shown_settings_load_again() {
    let sources = env(&[
        ("POCKETKNIGHT__CHALLENGE__ALLOW", "one,two"),
        ("POCKETKNIGHT__DATA__DIR", "C:\\games \"x\"\u{1}"),
        ("POCKETKNIGHT__SHUTDOWN__GRACE", "1m 30s"),
    ]);
    let loaded = Loaded::load(&sources).unwrap();
    let again = load_text(&loaded.to_string()).unwrap();
    assert_eq!(again.challenge, loaded.settings.challenge);
    assert_eq!(again.data, loaded.settings.data);
    assert_eq!(again.shutdown, loaded.settings.shutdown);
}

#[test]
fn config_variable_names_a_file_and_the_option_beats_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(&dir, "[engine]\nthreads = 3\n");
    let mut sources = env(&[("POCKETKNIGHT_CONFIG", path.to_str().unwrap())]);
    assert_eq!(Settings::load(&sources).unwrap().engine.threads, 3);
    let other = dir.path().join("other.toml");
    std::fs::write(&other, "[engine]\nthreads = 5\n").unwrap();
    sources.file = Some(other);
    assert_eq!(Settings::load(&sources).unwrap().engine.threads, 5);
}

#[test]
fn missing_file_is_an_error_only_if_it_was_asked_for() {
    let nowhere = PathBuf::from("/nonexistent/bot.toml");
    let asked = Sources {
        file: Some(nowhere.clone()),
        ..Sources::default()
    };
    assert!(message(Settings::load(&asked)).contains("/nonexistent/bot.toml"));
    let fallback = Sources {
        fallback_file: Some(nowhere),
        ..Sources::default()
    };
    assert!(Settings::load(&fallback).is_ok());
}

#[test]
fn empty_variable_counts_as_unset() {
    let sources = env(&[
        ("POCKETKNIGHT__ENGINE__CORES", ""),
        ("POCKETKNIGHT__LICHESS__TOKEN", " "),
        ("POCKETKNIGHT_CONFIG", ""),
        ("LICHESS_BOT_TOKEN", ""),
    ]);
    let s = Settings::load(&sources).unwrap();
    assert_eq!(s.engine.cores, 0);
    assert!(s.lichess.read_token().unwrap().is_none());
}

#[test]
fn other_variables_are_passed_over() {
    assert!(Settings::load(&env(&[("POCKETKNIGHT_LOG", "debug"), ("PATH", "/bin")])).is_ok());
}

#[test]
fn lists_in_the_environment_are_separated_by_commas() {
    let s = Settings::load(&env(&[
        ("POCKETKNIGHT__CHALLENGE__SPEEDS", "Blitz, rapid,,blitz"),
        ("POCKETKNIGHT__CHALLENGE__BLOCK", "SomeBody"),
    ]))
    .unwrap();
    assert_eq!(s.challenge.human.speeds, ["blitz", "rapid"]);
    assert_eq!(s.challenge.block, ["somebody"]);
}

#[test]
fn truth_values_in_the_environment_have_several_spellings() {
    for (text, value) in [("true", true), ("1", true), ("No", false), ("off", false)] {
        let s = Settings::load(&env(&[("POCKETKNIGHT__CHALLENGE__RATED", text)])).unwrap();
        assert_eq!(s.challenge.bot.rated, value, "{text}");
    }
    assert!(
        message(Settings::load(&env(&[(
            "POCKETKNIGHT__CHALLENGE__RATED",
            "maybe"
        )])))
        .contains("challenge.rated = \"maybe\"")
    );
}

#[test]
fn durations_are_texts_within_bounds() {
    let grace = |text: &str| Settings::load(&env(&[("POCKETKNIGHT__SHUTDOWN__GRACE", text)]));
    assert_eq!(
        grace("1m 30s").unwrap().shutdown.grace,
        Duration::from_secs(90)
    );
    assert_eq!(
        grace("250ms").unwrap().shutdown.grace,
        Duration::from_millis(250)
    );
    for text in ["90", "-1s", "soon", "1 fortnight", "400h"] {
        let text = message(grace(text));
        assert!(text.contains("shutdown.grace"), "{text}");
        assert!(
            text.contains("expected a duration from 0s to 24h"),
            "{text}"
        );
    }
}

#[test]
fn all_values_out_of_range_are_reported_at_once() {
    let text = message(load_text(
        "[engine]\nhash_mib = 0\nthreads = 257\n[challenge]\nmin_rating = 2000\nmax_rating = 1500\n\
         speeds = [\"correspondence\"]\nblock = [\"no body\"]\n[log]\nlevel = \"\"\nformat = \"xml\"\n\
         [lichess]\nurl = \"ftp://lichess.org/path\"\n[data]\ndir = \"\"\n",
    ));
    for part in [
        "engine.hash_mib = 0 ",
        "expected a whole number from 1 to 65536",
        "engine.threads = 257",
        "challenge.min_rating = 2000",
        "expected at most challenge.max_rating",
        "challenge.speeds = [\"correspondence\"]",
        "challenge.block",
        "log.level",
        "expected one of text, json",
        "lichess.url = \"ftp://lichess.org/path\"",
        "data.dir",
    ] {
        assert!(text.contains(part), "no {part} in:\n{text}");
    }
}

#[test]
fn token_is_accepted_under_both_names_and_ours_wins() {
    let token = |pairs: &[(&str, &str)]| {
        let token = Settings::load(&env(pairs))
            .unwrap()
            .lichess
            .read_token()
            .unwrap();
        token.map(|t| t.expose_secret().to_owned())
    };
    assert_eq!(
        token(&[("LICHESS_BOT_TOKEN", " lip_a\n")]).as_deref(),
        Some("lip_a")
    );
    assert_eq!(
        token(&[("POCKETKNIGHT__LICHESS__TOKEN", "lip_b")]).as_deref(),
        Some("lip_b")
    );
    let both = [
        ("LICHESS_BOT_TOKEN", "lip_a"),
        ("POCKETKNIGHT__LICHESS__TOKEN", "lip_b"),
    ];
    assert_eq!(token(&both).as_deref(), Some("lip_b"));
    assert_eq!(
        token(&[("LICHESS_BOT_TOKEN", "0123")]).as_deref(),
        Some("0123")
    );
}

#[test]
fn token_file_is_read_and_trimmed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("token");
    let s = Settings::load(&env(&[(
        "POCKETKNIGHT__LICHESS__TOKEN_FILE",
        path.to_str().unwrap(),
    )]))
    .unwrap();
    let missing = s.lichess.read_token().unwrap_err();
    assert!(
        missing.to_string().contains("lichess.token_file"),
        "{missing}"
    );
    std::fs::write(&path, "  \n").unwrap();
    let empty = s.lichess.read_token().unwrap_err();
    assert!(empty.to_string().contains("expected one word"), "{empty}");
    std::fs::write(&path, "lip_secret\n").unwrap();
    assert_eq!(
        s.lichess.read_token().unwrap().unwrap().expose_secret(),
        "lip_secret"
    );
}

#[test]
fn token_of_the_environment_beats_the_token_file_of_the_settings_file() {
    let dir = tempfile::tempdir().unwrap();
    let mut sources = env(&[("LICHESS_BOT_TOKEN", "lip_a")]);
    sources.file = Some(file(
        &dir,
        "[lichess]\ntoken_file = \"/run/secrets/token\"\n",
    ));
    let s = Settings::load(&sources).unwrap();
    assert_eq!(s.lichess.token_file, None);
    assert_eq!(
        s.lichess.read_token().unwrap().unwrap().expose_secret(),
        "lip_a"
    );
}

#[test]
fn token_and_token_file_in_one_layer_are_refused() {
    let text = message(load_text(
        "[lichess]\ntoken = \"lip_a\"\ntoken_file = \"/x\"\n",
    ));
    assert!(text.contains("expected only one of them"), "{text}");
    assert!(load_text("[lichess]\ntoken = \"\"\ntoken_file = \"/x\"\n").is_ok());
}

#[test]
fn token_never_shows() {
    let sources = env(&[("LICHESS_BOT_TOKEN", "lip_secret")]);
    let loaded = Loaded::load(&sources).unwrap();
    for text in [
        format!("{sources:?}"),
        format!("{loaded:?}"),
        loaded.to_string(),
    ] {
        assert!(!text.contains("lip_secret"), "{text}");
    }
    assert!(loaded.to_string().contains("token = \"[REDACTED]\""));
    for bad in [
        load_text("[lichess]\ntoken = lip_secret\n"),
        load_text("[lichess]\ntoken = \"lip_secret\n"),
        load_text("[lichess]\ntoken = [\"lip_secret\"]\n"),
        load_text("[lichess]\ntoken = \"lip_secret with spaces\"\n"),
        Settings::load(&env(&[("LICHESS_BOT_TOKEN", "lip_secret with spaces")])),
    ] {
        let error = bad.unwrap_err();
        for text in [error.to_string(), format!("{error:?}")] {
            assert!(!text.contains("lip_secret"), "{text}");
        }
    }
}

#[test]
fn syntax_error_shows_file_and_line() {
    let text = message(load_text("[engine]\nthreads = \n"));
    assert!(text.contains("bot.toml"), "{text}");
    assert!(text.contains("line 2"), "{text}");
}

#[test]
fn misspelt_log_level_is_refused_and_filters_are_not() {
    for bad in ["inof", "loud", ""] {
        let text = message(load_text(&format!("[log]\nlevel = \"{bad}\"\n")));
        assert!(text.contains("log.level"), "{text}");
    }
    for good in ["INFO", "off", "info,hyper=warn", "pocketknight::bot=debug"] {
        load_text(&format!("[log]\nlevel = \"{good}\"\n")).unwrap();
    }
}

#[test]
fn rules_of_one_kind_of_opponent_override_those_of_both() {
    let s = load_text(
        "[challenge]\nmin_rating = 1500\nmax_estimated_duration = \"10m\"\n\
         [challenge.bot]\nmin_rating = 2000\nmax_estimated_duration = \"5m\"\nspeeds = [\"bullet\"]\n\
         [challenge.human]\nrated = \"inherit\"\nclocks = [\"3+2\"]\n",
    )
    .unwrap();
    let (human, bot) = (&s.challenge.human, &s.challenge.bot);
    assert_eq!((human.min_rating, bot.min_rating), (1500, 2000));
    assert_eq!(human.max_estimated_duration, Duration::from_mins(10));
    assert_eq!(bot.max_estimated_duration, Duration::from_mins(5));
    assert_eq!(bot.speeds, ["bullet"]);
    assert_eq!(human.speeds.len(), 4);
    assert!(human.rated && bot.clocks.is_empty());
    assert_eq!(human.clocks.len(), 1);
    assert_eq!(bot.name("min_rating"), "challenge.bot.min_rating");
    assert_eq!(bot.name("max_rating"), "challenge.max_rating");
}

#[test]
fn a_rule_can_be_given_back_to_the_outer_section() {
    let dir = tempfile::tempdir().unwrap();
    let mut sources = env(&[
        ("POCKETKNIGHT__CHALLENGE__BOT__MIN_RATING", "inherit"),
        ("POCKETKNIGHT__CHALLENGE__HUMAN__SPEEDS", "rapid"),
    ]);
    sources.file = Some(file(&dir, "[challenge.bot]\nmin_rating = 2000\n"));
    let loaded = Loaded::load(&sources).unwrap();
    let challenge = &loaded.settings.challenge;
    assert_eq!(challenge.bot.min_rating, 0);
    assert_eq!(challenge.human.speeds, ["rapid"]);
    let shown = loaded.to_string();
    assert!(
        shown.contains("[challenge.bot]\nspeeds = \"inherit\" # default\n"),
        "{shown}"
    );
    assert_eq!(load_text(&shown).unwrap().challenge, *challenge);
}

#[test]
fn rules_of_one_kind_are_checked_like_those_of_both() {
    let text = message(load_text(
        "[challenge]\nmin_rating = \"inherit\"\nclocks = [\"2.5+0\"]\nblock_lists = [\"http://example.org/x\"]\n\
         [challenge.human]\nrated = 3\nmax_rating = 100\nspeed = [\"blitz\"]\n[challenge.bot]\nmin_days = 9\nmax_days = 3\n\
         [matchmaking]\nclocks = [\"0.25+0\"]\nmode = \"both\"\n",
    ));
    for part in [
        "challenge.min_rating = inherit",
        "challenge.clocks = [\"2.5+0\"]",
        "challenge.block_lists",
        "challenge.human.rated = 3",
        "expected true or false, or \"inherit\"",
        "challenge.human.speed ",
        "did you mean speeds?",
        "challenge.bot.min_days = 9",
        "expected at most challenge.bot.max_days",
        "matchmaking.clocks = [\"0.25+0\"]",
        "expected one of rated, casual, random",
    ] {
        assert!(text.contains(part), "no {part} in:\n{text}");
    }
    let text = message(load_text(
        "[challenge]\nmin_rating = 1500\n[challenge.human]\nmax_rating = 1000\n",
    ));
    assert!(text.contains("challenge.human.max_rating = 1000"), "{text}");
    assert!(
        text.contains("expected at least challenge.min_rating"),
        "{text}"
    );
    assert!(!text.contains("challenge.bot"), "{text}");
}
