//! Chat of a game: greets after the first move, answers commands. Nothing here is waited for.

use super::Play;
use super::moves::Answer;
use crate::bot::chat::{self, ChatFacts, Post};
use crate::bot::search::{Search, Thought};
use crate::lichess::{ChatLine, Error, Kind};
use std::sync::atomic::Ordering;
use std::time::Instant;
use tracing::{debug, info};

impl Play {
    /// Calls `with` with what may be told now.
    fn with_chat_facts<T>(&self, result: &str, with: impl FnOnce(&ChatFacts<'_>) -> T) -> T {
        let (me, opponent) = (self.me(), self.opponent());
        let running = self.search.as_ref().and_then(Search::thought);
        let clock = self.full.clock.map_or_else(
            || "no clock".to_owned(),
            |clock| {
                let minutes = clock.initial as f64 / 60_000.0;
                format!("{minutes}+{}", clock.increment / 1000)
            },
        );
        let queue = self.context.queue.borrow();
        with(&ChatFacts {
            me,
            opponent,
            account: &self.context.account,
            thought: running.as_ref().or(self.thought.as_ref()),
            takebacks: self.offers.takebacks(),
            queue: &queue,
            ping: super::moves::lock(&self.context.round_trip).usual(),
            speed: self.full.speed.word(),
            clock: &clock,
            cores: self.context.engine.cores(),
            result,
        })
    }

    /// Greets, once in a game, after our first move.
    pub(super) fn greet(&mut self) {
        if self.context.memory.greeted.swap(true, Ordering::Relaxed) {
            return;
        }
        let settings = &self.context.settings;
        let posts = self.with_chat_facts("", |facts| chat::greetings(facts, settings));
        for post in posts {
            self.outbox.push(post);
        }
    }

    /// What is said after the game. Nothing after one that did not begin, or that was over when it was opened.
    pub(super) fn farewells(&self, result: &str) -> Vec<Post> {
        let began = self.ply() >= 2 && self.context.memory.greeted.load(Ordering::Relaxed);
        if !began || self.was_over {
            return Vec::new();
        }
        let settings = &self.context.settings;
        let posts = self.with_chat_facts(result, |facts| chat::farewells(facts, settings));
        posts
            .into_iter()
            .filter(|post| self.outbox.has_room(post.room))
            .collect()
    }

    pub(super) fn on_chat_line(&mut self, line: &ChatLine, now: Instant) {
        debug!(room = ?line.room, from = line.username, text = line.text, "chat");
        let settings = &self.context.settings;
        let Some(text) = self.with_chat_facts("", |facts| chat::reply(line, facts, settings))
        else {
            return;
        };
        let pause = settings.chat.command_pause;
        if self.answered.admit(&line.username, pause, now) {
            self.outbox.push(Post {
                room: line.room,
                text,
            });
        }
    }

    /// Sends the next line, if one is due.
    pub(super) fn send_chat(&mut self, now: Instant) {
        if let Some(Post { room, text }) = self.outbox.next(now) {
            self.request(move |client, id| async move {
                Answer::Chat(client.chat(&id, room, &text).await)
            });
        }
    }

    pub(super) fn on_chat_answer(&mut self, result: Result<(), Error>) {
        let limited = result
            .as_ref()
            .is_err_and(|error| matches!(error.kind(), Kind::RateLimited { .. }));
        self.outbox.sent(limited, Instant::now());
        if let Err(error) = result {
            info!(
                error = &error as &dyn std::error::Error,
                "chat line not sent"
            );
        }
    }

    /// Keeps what the search of our last move thought.
    pub(super) fn keep_thought(&mut self, thought: Option<Thought>) {
        if thought.is_some() {
            self.thought = thought;
        }
    }
}
