//! Network evaluation: inputs, file format, integer arithmetic, and accumulators that follow the search.

mod accumulator;
mod evaluate;
pub mod features;
mod kernels;
mod network;
pub mod threats;

pub(crate) use accumulator::Accumulators;
pub use kernels::{Block, LANES};
pub use network::{Architecture, Network, NetworkError, OUTPUT_LIMIT, QA, QB, SCALE};
