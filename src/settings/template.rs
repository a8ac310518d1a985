//! Texts with placeholders such as `{opponent}`.

/// Text with placeholders, all of them known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Text(String),
    Name(&'static str),
}

/// What is wrong with a text, in words that go on after "expected".
pub(super) type Expected = String;

impl Template {
    /// Reads a text with placeholders out of `known`.
    ///
    /// # Errors
    /// A placeholder that is not known, or a brace without its other half.
    pub(super) fn parse(text: &str, known: &[&'static str]) -> Result<Self, Expected> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let (brace, after) = rest[at..].split_at(1);
            if let Some(after) = after.strip_prefix(brace) {
                plain.push_str(brace);
                rest = after;
                continue;
            }
            let inside = (brace == "{").then(|| after.split_once('}')).flatten();
            let Some((name, after)) = inside else {
                return Err("each { to have its }, and a brace alone to be doubled".to_owned());
            };
            let Some(name) = known.iter().find(|known| **known == name.trim()) else {
                return Err(format!(
                    "no placeholders but {{{}}}, not {{{}}}",
                    known.join("}, {"),
                    name.trim()
                ));
            };
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(Part::Name(name));
            rest = after;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Self { parts })
    }

    /// The text with a value in the place of each placeholder.
    pub fn fill(&self, value: impl Fn(&'static str) -> String) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Name(name) => value(name),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str) -> Result<String, Expected> {
        let template = Template::parse(text, &["me", "opponent"])?;
        Ok(template.fill(|name| format!("<{name}>")))
    }

    #[test]
    fn placeholders_are_filled_and_doubled_braces_stand_for_one() {
        for (text, expected) in [
            ("", ""),
            ("Hi!", "Hi!"),
            ("{me}", "<me>"),
            ("Hi { opponent }, I am {me}.", "Hi <opponent>, I am <me>."),
            ("{{me}} é {{", "{me} é {"),
        ] {
            assert_eq!(filled(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn unknown_placeholders_and_lone_braces_are_refused() {
        let unknown = filled("Hi {oponent}").unwrap_err();
        assert!(
            unknown.contains("{me}, {opponent}, not {oponent}"),
            "{unknown}"
        );
        for text in ["{", "}", "{me", "me}", "{}", "a } {me}"] {
            assert!(filled(text).is_err(), "{text}");
        }
    }
}
