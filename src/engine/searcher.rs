//! One search on the thread of its caller, for self-play, where a search takes less than a millisecond.

use super::control::Control;
use super::eval::Evaluation;
use super::params::Params;
use super::session::answer;
use super::tt::Table;
use super::worker::{Job, Worker};
use super::{SearchInfo, SearchRequest, SearchResult};
use std::sync::Arc;

/// Stack that a thread needs for a search, bytes: a tree of full depth needs less than 1 MiB in plain builds.
pub const SEARCH_STACK_BYTES: usize = 8 << 20;

/// Search thread without a pool: one thread, deterministic, nothing to stop it but its limits.
///
/// The calling thread needs a stack of [`SEARCH_STACK_BYTES`].
#[derive(Debug)]
pub struct Searcher {
    worker: Worker,
    table: Arc<Table>,
    evaluation: Evaluation,
}

impl Searcher {
    /// Searcher with a transposition table of so many MiB.
    pub fn new(hash_mib: usize, evaluation: Evaluation) -> Self {
        Self {
            worker: Worker::new(0),
            table: Arc::new(Table::new(hash_mib)),
            evaluation,
        }
    }

    /// Sets the constants of the search.
    pub fn set_params(&mut self, params: Params) {
        self.worker.set_params(params);
    }

    /// Forgets everything, as for a new game.
    pub fn clear(&mut self) {
        // Wiped rather than made anew: fresh memory costs as much as ten short searches.
        match Arc::get_mut(&mut self.table) {
            Some(table) => table.clear(),
            None => self.table = Arc::new(Table::new(self.table.mib())),
        }
        self.worker.clear();
    }

    /// Searches until a limit ends it; `infinite` and `ponder` are ignored.
    pub fn search(&mut self, request: SearchRequest) -> SearchResult {
        self.search_lines(request, &mut |_| {})
    }

    /// Searches as [`Searcher::search`] does and reports every line of every finished depth, best first.
    pub fn search_lines(
        &mut self,
        mut request: SearchRequest,
        on_info: &mut dyn FnMut(&SearchInfo),
    ) -> SearchResult {
        request.limits.infinite = false;
        request.limits.ponder = false;
        let control = Arc::new(Control::new(false));
        let (table, evaluation) = (Arc::clone(&self.table), self.evaluation.clone());
        let job = Arc::new(Job::new(request, control, table, evaluation, 1));
        self.worker.prepare(&job);
        self.worker.think(&job, on_info);
        let finding = self.worker.release();
        let elapsed = job.began.elapsed();
        answer(
            &job.position,
            &finding,
            job.nodes(),
            elapsed,
            Some(&job.table),
        )
    }
}
