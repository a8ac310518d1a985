//! Reading values that a server may write in more ways than its documents say.
//!
//! A line that does not decode is lost as a whole, and a lost `gameState` costs clock time. So a
//! null, a fraction, a number out of range or a new word in a side matter must not cost the line.

use serde::de::{Deserializer, IgnoredAny, Unexpected, Visitor};
use serde::{Deserialize, de};
use std::collections::BTreeMap;
use std::fmt;

/// A value that may be absent (with `default`) or null; both give the default.
pub(super) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A value of any shape; one that is not understood gives the default.
pub(super) fn known<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Maybe::deserialize(deserializer)?
        .known()
        .unwrap_or_default())
}

/// A map of which only the understood entries are kept.
pub(super) fn known_entries<'de, D, T>(deserializer: D) -> Result<BTreeMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let entries = Option::<BTreeMap<String, Maybe<T>>>::deserialize(deserializer)?;
    let entries = entries.unwrap_or_default().into_iter();
    Ok(entries
        .filter_map(|(key, value)| Some((key, value.known()?)))
        .collect())
}

/// A number, rounded towards zero and brought into range.
pub(super) fn integer<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Integer,
{
    Ok(T::saturating(Number::deserialize(deserializer)?.0))
}

/// Like [`integer`]; null gives zero.
pub(super) fn integer_or_zero<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Integer,
{
    Ok(optional_integer(deserializer)?.unwrap_or_default())
}

/// Like [`integer`]; null gives `None`.
pub(super) fn optional_integer<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Integer,
{
    let number = Option::<Number>::deserialize(deserializer)?;
    Ok(number.map(|number| T::saturating(number.0)))
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Maybe<T> {
    Known(T),
    Other(IgnoredAny),
}

impl<T> Maybe<T> {
    fn known(self) -> Option<T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Other(IgnoredAny) => None,
        }
    }
}

/// Integer type of a wire field.
pub(super) trait Integer: Default {
    /// The value nearest to `number`.
    fn saturating(number: i64) -> Self;
}

macro_rules! integers {
    ($($t:ty),*) => { $(
        impl Integer for $t {
            fn saturating(number: i64) -> Self {
                Self::try_from(number)
                    .unwrap_or(if number < 0 { Self::MIN } else { Self::MAX })
            }
        }
    )* };
}

integers!(u8, u32, i32);

impl Integer for i64 {
    fn saturating(number: i64) -> Self {
        number
    }
}

struct Number(i64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;

        impl Visitor<'_> for NumberVisitor {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_i64<E>(self, value: i64) -> Result<Number, E> {
                Ok(Number(value))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
                Ok(Number(i64::try_from(value).unwrap_or(i64::MAX)))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Number, E> {
                if value.is_nan() {
                    return Err(E::invalid_value(Unexpected::Float(value), &self));
                }
                // The cast saturates.
                Ok(Number(value as i64))
            }
        }

        deserializer.deserialize_any(NumberVisitor)
    }
}
