//! Shortens foreign text before it goes into an error, so that no input can flood a log.

/// Most characters of foreign text that an error repeats.
const LIMIT: usize = 40;

/// First characters of `text`, with `...` where something was left out.
pub(super) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_is_kept_and_long_text_is_cut_between_characters() {
        assert_eq!(excerpt("e2e4"), "e2e4");
        let cut = excerpt(&"ß".repeat(1000));
        assert_eq!(cut.chars().count(), LIMIT + 3);
        assert!(cut.ends_with("..."));
    }
}
