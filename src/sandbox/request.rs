//! What a challenge asks for: the form of `POST /api/challenge/{user}`, checked against the limits of Lichess.

use super::answer::ApiError;
use super::clock::ClockTerms;
use super::fields::Fields;
use crate::lichess::model::{Speed, TimeControl, VariantKey};
use crate::rules::Color;

/// Shortest estimated duration (initial time + 40 increments) of games with bots, seconds.
const SHORTEST_FOR_BOTS: u32 = 30;

/// Key, name and short name of the variants that can be asked for. Only crazyhouse can be played here.
const VARIANTS: [(&str, &str, &str); 10] = [
    ("standard", "Standard", "Std"),
    ("chess960", "Chess960", "960"),
    ("crazyhouse", "Crazyhouse", "Crazy"),
    ("antichess", "Antichess", "Anti"),
    ("atomic", "Atomic", "Atom"),
    ("horde", "Horde", "Horde"),
    ("kingOfTheHill", "King of the Hill", "KotH"),
    ("racingKings", "Racing Kings", "Racing"),
    ("threeCheck", "Three-check", "3check"),
    ("fromPosition", "From Position", "FEN"),
];

/// Extra rules that a challenge can carry.
const RULES: [&str; 5] = [
    "noAbort",
    "noRematch",
    "noGiveTime",
    "noClaimWin",
    "noEarlyDraw",
];

/// Color that the challenger asks for himself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ColorWish {
    /// White.
    White,
    /// Black.
    Black,
    /// Drawn by lot.
    Random,
}

impl ColorWish {
    /// Word on the wire.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Black => "black",
            Self::Random => "random",
        }
    }

    /// Color that results; `lot` decides when the challenger does not mind.
    pub(super) const fn resolve(self, lot: bool) -> Color {
        match self {
            Self::White => Color::White,
            Self::Random if lot => Color::White,
            Self::Black | Self::Random => Color::Black,
        }
    }
}

/// What a challenge asks for, checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Request {
    /// Rated or casual.
    pub rated: bool,
    /// Clock.
    pub time_control: TimeControl,
    /// Color of the challenger.
    pub color: ColorWish,
    /// Variant.
    pub variant: VariantKey,
    /// Start position of the variants that have one.
    pub initial_fen: Option<String>,
    /// Extra rules such as `noAbort`.
    pub rules: Vec<String>,
}

impl Request {
    /// Crazyhouse game with a clock in seconds.
    pub(super) fn crazyhouse(
        limit_s: u32,
        increment_s: u32,
        rated: bool,
        color: ColorWish,
    ) -> Self {
        Self {
            rated,
            time_control: clock_control(limit_s, increment_s),
            color,
            variant: VariantKey::crazyhouse(),
            initial_fen: None,
            rules: Vec::new(),
        }
    }

    /// Reads the form of `POST /api/challenge/{user}` with the limits of Lichess.
    ///
    /// # Errors
    /// A form error that names the field, or `global` for combinations that do not fit.
    pub(super) fn of_form(fields: &Fields, by_bot: bool, to_bot: bool) -> Result<Self, ApiError> {
        let variant = variant_of(fields.get("variant").unwrap_or("standard"))?;
        let time_control = time_control_of(fields)?;
        let color = match fields.get("color").unwrap_or("random") {
            "white" => ColorWish::White,
            "black" => ColorWish::Black,
            "random" => ColorWish::Random,
            _ => return Err(ApiError::form("color", "Invalid value")),
        };
        let rules = rules_of(fields, to_bot)?;
        let mut request = Self {
            rated: fields.is_true("rated"),
            time_control,
            color,
            variant,
            initial_fen: fields.get("fen").map(str::to_owned),
            rules,
        };
        request.set_start();
        request.check_speed(by_bot, to_bot)?;
        request.check_rated()?;
        Ok(request)
    }

    /// Speed class.
    pub(super) const fn speed(&self) -> Speed {
        match self.time_control {
            TimeControl::Clock {
                limit, increment, ..
            } => Speed::of_clock(limit, increment),
            TimeControl::Correspondence { .. } | TimeControl::Unlimited | TimeControl::Unknown => {
                Speed::Correspondence
            }
        }
    }

    /// Real-time clock, if there is one.
    pub(super) const fn clock(&self) -> Option<ClockTerms> {
        match self.time_control {
            TimeControl::Clock {
                limit, increment, ..
            } => Some(ClockTerms::of_seconds(limit, increment)),
            TimeControl::Correspondence { .. } | TimeControl::Unlimited | TimeControl::Unknown => {
                None
            }
        }
    }

    /// Whether the sandbox can play it.
    pub(super) fn is_playable(&self) -> bool {
        self.variant.key == "crazyhouse"
    }

    /// Variant as game descriptions name it, without the short name.
    pub(super) fn variant_without_short(&self) -> VariantKey {
        VariantKey {
            short: None,
            ..self.variant.clone()
        }
    }

    /// A start position belongs to a few variants only; standard with one becomes another variant.
    fn set_start(&mut self) {
        match (self.variant.key.as_str(), &self.initial_fen) {
            ("standard", Some(_)) => {
                if let Ok(variant) = variant_of("fromPosition") {
                    self.variant = variant;
                }
            }
            ("fromPosition" | "chess960", _) => {}
            _ => self.initial_fen = None,
        }
    }

    fn check_speed(&self, by_bot: bool, to_bot: bool) -> Result<(), ApiError> {
        let TimeControl::Clock {
            limit, increment, ..
        } = self.time_control
        else {
            return Ok(());
        };
        if limit + 40 * increment >= SHORTEST_FOR_BOTS {
            return Ok(());
        }
        if by_bot {
            return Err(ApiError::form("global", "Invalid speed"));
        }
        if to_bot {
            let text = "Bots cannot play UltraBullet. Choose a slower time control.";
            return Err(ApiError::bad_request(text));
        }
        Ok(())
    }

    /// Variants are rated with a clock only, and with odd clocks they are casual whatever was asked.
    fn check_rated(&mut self) -> Result<(), ApiError> {
        if !self.rated || self.variant.key == "standard" {
            return Ok(());
        }
        match self.time_control {
            TimeControl::Clock {
                limit, increment, ..
            } => {
                self.rated = (limit > 0 && limit + 40 * increment >= 30) || increment > 1;
                Ok(())
            }
            TimeControl::Correspondence { .. } | TimeControl::Unlimited | TimeControl::Unknown => {
                Err(ApiError::form("global", "can't be rated"))
            }
        }
    }
}

fn variant_of(key: &str) -> Result<VariantKey, ApiError> {
    let found = VARIANTS.iter().find(|(known, ..)| *known == key);
    let (key, name, short) = found.ok_or_else(|| ApiError::form("variant", "Invalid value"))?;
    Ok(VariantKey {
        key: (*key).into(),
        name: (*name).into(),
        short: Some((*short).into()),
    })
}

fn time_control_of(fields: &Fields) -> Result<TimeControl, ApiError> {
    let days = fields.number("days")?;
    let (limit, increment) = match (
        fields.number("clock.limit")?,
        fields.number("clock.increment")?,
    ) {
        (Some(limit), Some(increment)) => (limit, increment),
        (Some(_), None) => return Err(ApiError::form("clock.increment", "This field is required")),
        (None, Some(_)) => return Err(ApiError::form("clock.limit", "This field is required")),
        (None, None) => {
            return match days {
                Some(days @ (1 | 2 | 3 | 5 | 7 | 10 | 14)) => Ok(TimeControl::Correspondence {
                    days_per_turn: days,
                }),
                Some(_) => Err(ApiError::form("days", "Invalid value")),
                None => Ok(TimeControl::Unlimited),
            };
        }
    };
    let in_minutes = limit.is_multiple_of(60) && (120..=10800).contains(&limit);
    if !in_minutes && !matches!(limit, 0 | 15 | 30 | 45 | 60 | 90) {
        return Err(ApiError::form("clock.limit", "Invalid clock"));
    }
    if increment > 60 {
        return Err(ApiError::form(
            "clock.increment",
            "Must be less than or equal to 60",
        ));
    }
    if limit + increment == 0 {
        return Err(ApiError::form("clock", "Invalid clock"));
    }
    Ok(clock_control(limit, increment))
}

/// Clock with the text that is shown for it, such as `3+2` or `½+0`.
fn clock_control(limit: u32, increment: u32) -> TimeControl {
    let minutes = match limit {
        15 => "¼".to_owned(),
        30 => "½".to_owned(),
        45 => "¾".to_owned(),
        90 => "1.5".to_owned(),
        _ => (limit / 60).to_string(),
    };
    TimeControl::Clock {
        limit,
        increment,
        show: format!("{minutes}+{increment}"),
    }
}

fn rules_of(fields: &Fields, to_bot: bool) -> Result<Vec<String>, ApiError> {
    let rules: Vec<String> = fields
        .get("rules")
        .map(|text| text.split(',').map(|rule| rule.trim().to_owned()).collect())
        .unwrap_or_default();
    if rules.iter().any(|rule| !RULES.contains(&rule.as_str())) {
        return Err(ApiError::form("rules", "Invalid value"));
    }
    if to_bot && !rules.is_empty() {
        return Err(ApiError::bad_request("Rules not applicable for bots"));
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(form: &str) -> Result<Request, ApiError> {
        Request::of_form(&Fields::of_urlencoded(form.as_bytes()), true, true)
    }

    fn error_of(form: &str) -> String {
        of(form).unwrap_err().body().to_string()
    }

    #[test]
    fn a_usual_challenge_is_read() {
        let text = "rated=true&clock.limit=180&clock.increment=2&color=black&variant=crazyhouse";
        assert_eq!(
            of(text).unwrap(),
            Request::crazyhouse(180, 2, true, ColorWish::Black)
        );
        assert_eq!(of(text).unwrap().speed(), Speed::Blitz);
    }

    #[test]
    fn only_the_listed_initial_times_are_accepted() {
        for limit in [0, 15, 30, 45, 60, 90, 120, 180, 10800] {
            assert!(
                of(&format!("clock.limit={limit}&clock.increment=3")).is_ok(),
                "{limit}"
            );
        }
        for limit in [1, 70, 100, 150, 10860] {
            let error = error_of(&format!("clock.limit={limit}&clock.increment=3"));
            assert!(error.starts_with(r#"{"clock.limit":["#), "{error}");
        }
    }

    #[test]
    fn increments_and_sums_have_limits() {
        assert!(error_of("clock.limit=60&clock.increment=61").contains("clock.increment"));
        assert!(error_of("clock.limit=0&clock.increment=0").contains("Invalid clock"));
        assert!(error_of("clock.limit=60").contains("required"));
    }

    #[test]
    fn bots_play_no_ultra_bullet() {
        assert!(
            error_of("clock.limit=15&clock.increment=0&variant=crazyhouse")
                .contains("Invalid speed")
        );
        let fields = Fields::of_urlencoded(b"clock.limit=15&clock.increment=0");
        let error = Request::of_form(&fields, false, true).unwrap_err();
        assert!(error.body().to_string().contains("UltraBullet"));
        assert!(Request::of_form(&fields, false, false).is_ok());
    }

    #[test]
    fn a_variant_is_rated_only_with_a_clock_that_allows_it() {
        let odd = of("rated=true&clock.limit=0&clock.increment=1&variant=crazyhouse").unwrap();
        assert!(!odd.rated);
        assert!(
            of("rated=true&clock.limit=0&clock.increment=2&variant=crazyhouse")
                .unwrap()
                .rated
        );
        assert!(error_of("rated=true&days=2&variant=crazyhouse").contains("can't be rated"));
        assert!(error_of("rated=true&variant=crazyhouse").contains("can't be rated"));
    }

    #[test]
    fn a_start_position_is_ignored_for_crazyhouse_and_makes_standard_another_variant() {
        let fen = "fen=8/8/8/8/8/8/8/8";
        assert_eq!(
            of(&format!("{fen}&variant=crazyhouse"))
                .unwrap()
                .initial_fen,
            None
        );
        assert_eq!(of(fen).unwrap().variant.key, "fromPosition");
    }

    #[test]
    fn rules_are_for_humans_only() {
        assert!(error_of("rules=noAbort").contains("Rules not applicable for bots"));
        let fields = Fields::of_urlencoded(b"rules=noAbort,noClaimWin");
        let request = Request::of_form(&fields, false, false).unwrap();
        assert_eq!(request.rules, ["noAbort", "noClaimWin"]);
    }

    #[test]
    fn unknown_words_name_their_field() {
        assert!(error_of("variant=bughouse").starts_with(r#"{"error":{"variant""#));
        assert!(error_of("color=red").contains("color"));
        assert!(error_of("days=4").contains("days"));
    }
}
