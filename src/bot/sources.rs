//! Where moves come from besides the search inside the program.

use crate::book::Book;
use crate::uci_engine::EngineSpec;
use std::sync::Arc;

/// Sources of moves, ready to use.
#[derive(Clone, Debug, Default)]
pub struct MoveSources {
    /// Opening book; the settings `[book]` say how it is used.
    pub book: Option<Arc<Book>>,
    /// Engine to search with in place of the one inside, which stands in when it fails.
    pub engine: Option<Arc<EngineSpec>>,
}

/// What a move of ours comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// Search inside the program.
    Search,
    /// Other engine.
    Engine,
    /// Opening book.
    Book,
    /// Opening explorer.
    Explorer,
}

impl Source {
    /// Lower-case word, as in the log.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Engine => "engine",
            Self::Book => "book",
            Self::Explorer => "explorer",
        }
    }

    /// What the record of a game says of a move without a score; empty if there is nothing to say.
    pub(super) const fn note(self) -> &'static str {
        match self {
            Self::Search | Self::Engine => "",
            Self::Book => "book",
            Self::Explorer => "explorer",
        }
    }
}
