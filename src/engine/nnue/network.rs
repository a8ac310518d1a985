//! Network: its weights, and the file that holds them.
//!
//! ```text
//! offset  size
//!      0     4  magic "PKNN"
//!      4     4  format version, 1
//!      8     4  lanes of the hidden layer for each view: a multiple of 32 from 32 to 1024
//!     12     4  king buckets: 1 or 4
//!     16     4  output heads: 1 or 9
//!     20     4  hash of the definition of the inputs
//!     24     4  CRC-32 of everything from offset 28 on
//!     28    36  label: UTF-8, filled up with zero bytes
//!     64        biases of the hidden layer, i16 each
//!               weights of the hidden layer, i16 each, row by row: king buckets x 1535 rows of so many lanes
//!               weights of the output, i16 each: for each head the lanes of the own view, then those of the other
//!               biases of the output, i32 each
//! ```
//!
//! All numbers are little-endian. The hidden layer is in units of 1/[`QA`], the weights of the output in units of
//! 1/[`QB`], the biases of the output in units of 1/(QA x QA x QB). The output is a logit of the winning chance.

use super::features::{FEATURES, HEADS, KING_BUCKETS, ROWS, definition_hash};
use super::kernels::{Block, LANES};
use super::threats::THREATS;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Units of the hidden layer: activations are clamped to 0 to `QA`, which stands for 0 to 1.
pub const QA: i32 = 255;
/// Units of the output weights.
pub const QB: i32 = 64;
/// Largest output weight: with a larger one the product with an activation would not fit 16 bits.
pub const OUTPUT_LIMIT: i16 = 127;
/// Evaluation units of one logit.
pub const SCALE: i32 = 300;

const MAGIC: &[u8; 4] = b"PKNN";
const VERSION: u32 = 1;
const HEADER: usize = 64;
const CHECKED_FROM: usize = 28;
pub(super) const MOST_LANES: usize = 1024;

/// Sizes of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Architecture {
    /// Lanes of the hidden layer for each of the two views.
    pub hidden: usize,
    /// Sets of input rows, chosen by the place of the own king.
    pub king_buckets: usize,
    /// Output heads, chosen by the number of pieces in both hands.
    pub heads: usize,
}

impl Architecture {
    /// Whether networks of this size exist.
    pub fn is_known(self) -> bool {
        (LANES..=MOST_LANES).contains(&self.hidden)
            && self.hidden.is_multiple_of(LANES)
            && KING_BUCKETS.contains(&self.king_buckets)
            && HEADS.contains(&self.heads)
    }

    /// Rows of the hidden layer.
    pub const fn rows(self) -> usize {
        self.king_buckets * ROWS
    }

    /// Number of weights and biases.
    pub const fn parameters(self) -> usize {
        self.hidden * (1 + self.rows()) + self.heads * (2 * self.hidden + 1)
    }

    /// Bytes of a file.
    const fn file_size(self) -> usize {
        HEADER + 2 * self.hidden * (1 + self.rows() + 2 * self.heads) + 4 * self.heads
    }
}

/// As in `1340+195x4->256x2->9`.
impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{FEATURES}+{THREATS}")?;
        if self.king_buckets > 1 {
            write!(f, "x{}", self.king_buckets)?;
        }
        write!(f, "->{}x2->{}", self.hidden, self.heads)
    }
}

/// Why a file is not a network that can be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NetworkError {
    /// Something else than a network.
    #[error("not a network: it does not begin with \"PKNN\"")]
    NoNetwork,
    /// File of a later or earlier program.
    #[error("format version {0}, expected {VERSION}")]
    Version(u32),
    /// Sizes that this program does not know.
    #[error(
        "unknown architecture: {0} lanes, {1} king buckets, {2} heads; expected 32 to 1024 lanes in steps of 32, \
         1 or 4 buckets, 1 or 9 heads"
    )]
    Architecture(u32, u32, u32),
    /// The inputs have changed since the network was trained.
    #[error("trained on other inputs: hash {0:08x}, expected {1:08x}")]
    Inputs(u32, u32),
    /// Cut off, or with something behind the end.
    #[error("{0} bytes, expected {1}")]
    Size(usize, usize),
    /// Damaged.
    #[error("damaged: checksum {0:08x}, expected {1:08x}")]
    Checksum(u32, u32),
    /// The label is no text.
    #[error("label: expected UTF-8 without control characters")]
    Label,
    /// A weight outside of its range.
    #[error("output weight {0}, expected -{OUTPUT_LIMIT} to {OUTPUT_LIMIT}")]
    Weight(i16),
}

/// Weights of a network in integers.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    architecture: Architecture,
    label: String,
    checksum: u32,
    /// One row of `hidden` lanes.
    pub(crate) biases: Vec<Block>,
    /// `rows` rows of `hidden` lanes.
    pub(crate) rows: Vec<Block>,
    /// `heads` times two rows of `hidden` lanes.
    pub(crate) outputs: Vec<Block>,
    /// One for each head.
    pub(crate) output_biases: Vec<i32>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("architecture", &self.architecture)
            .field("label", &self.label)
            .finish_non_exhaustive()
    }
}

impl Network {
    /// Longest label, bytes.
    pub const MOST_LABEL: usize = HEADER - CHECKED_FROM;
    /// Largest file, bytes.
    pub const MOST_BYTES: usize = Architecture {
        hidden: MOST_LANES,
        king_buckets: KING_BUCKETS[1],
        heads: HEADS[1],
    }
    .file_size();

    /// The network that the program brings.
    pub fn embedded() -> Arc<Self> {
        static NETWORK: OnceLock<Arc<Network>> = OnceLock::new();
        Arc::clone(NETWORK.get_or_init(|| {
            let bytes = include_bytes!("default.pknn");
            Arc::new(
                Self::from_bytes(bytes).expect("the embedded network is whole, as a test shows"),
            )
        }))
    }

    /// Bytes of a file with these weights, of which `hidden` are the biases and then the rows of the hidden layer,
    /// `outputs` the weights and `output_biases` the biases of the heads. The label is cut to
    /// [`Network::MOST_LABEL`] bytes.
    ///
    /// # Errors
    /// If the architecture is unknown, the numbers of weights do not fit it, or an output weight is too large.
    pub fn write(
        architecture: Architecture,
        label: &str,
        hidden: &[i16],
        outputs: &[i16],
        output_biases: &[i32],
    ) -> Result<Vec<u8>, NetworkError> {
        let mut bytes = Vec::with_capacity(architecture.file_size());
        bytes.extend_from_slice(MAGIC);
        for number in [
            VERSION,
            architecture.hidden as u32,
            architecture.king_buckets as u32,
            architecture.heads as u32,
            definition_hash(),
            0,
        ] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let mut label = label;
        while label.len() > Self::MOST_LABEL {
            label = label
                .char_indices()
                .next_back()
                .map_or("", |(at, _)| &label[..at]);
        }
        bytes.extend_from_slice(label.as_bytes());
        bytes.resize(HEADER, 0);
        for weight in hidden.iter().chain(outputs) {
            bytes.extend_from_slice(&weight.to_le_bytes());
        }
        for bias in output_biases {
            bytes.extend_from_slice(&bias.to_le_bytes());
        }
        let checksum = crc32fast::hash(&bytes[CHECKED_FROM..]);
        bytes[24..28].copy_from_slice(&checksum.to_le_bytes());
        Self::from_bytes(&bytes)?;
        Ok(bytes)
    }

    /// Reads the bytes of a file. Needs no more memory than the file itself.
    ///
    /// # Errors
    /// If they are anything but a whole network of a known version, architecture and definition of the inputs.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        if !bytes.starts_with(MAGIC) {
            return Err(NetworkError::NoNetwork);
        }
        if bytes.len() < HEADER {
            return Err(NetworkError::Size(bytes.len(), HEADER));
        }
        let [version, hidden, king_buckets, heads, inputs, checksum] =
            std::array::from_fn(|i| u32_at(bytes, 4 + 4 * i));
        if version != VERSION {
            return Err(NetworkError::Version(version));
        }
        let architecture = Architecture {
            hidden: hidden as usize,
            king_buckets: king_buckets as usize,
            heads: heads as usize,
        };
        if !architecture.is_known() {
            return Err(NetworkError::Architecture(hidden, king_buckets, heads));
        }
        if inputs != definition_hash() {
            return Err(NetworkError::Inputs(inputs, definition_hash()));
        }
        if bytes.len() != architecture.file_size() {
            return Err(NetworkError::Size(bytes.len(), architecture.file_size()));
        }
        let actual = crc32fast::hash(&bytes[CHECKED_FROM..]);
        if actual != checksum {
            return Err(NetworkError::Checksum(actual, checksum));
        }
        let label = std::str::from_utf8(&bytes[CHECKED_FROM..HEADER])
            .map_err(|_| NetworkError::Label)?
            .trim_end_matches('\0');
        if label.contains(char::is_control) {
            return Err(NetworkError::Label);
        }
        let mut rest = &bytes[HEADER..];
        let mut blocks = |lanes: usize| {
            let (these, others) = rest.split_at(2 * lanes);
            rest = others;
            these.chunks_exact(2 * LANES).map(block).collect()
        };
        let biases: Vec<Block> = blocks(architecture.hidden);
        let rows = blocks(architecture.hidden * architecture.rows());
        let outputs: Vec<Block> = blocks(architecture.hidden * 2 * architecture.heads);
        let mut weights = outputs.iter().flat_map(|block| block.0);
        if let Some(weight) =
            weights.find(|weight| !(-OUTPUT_LIMIT..=OUTPUT_LIMIT).contains(weight))
        {
            return Err(NetworkError::Weight(weight));
        }
        Ok(Self {
            architecture,
            label: label.to_owned(),
            checksum,
            biases,
            rows,
            outputs,
            output_biases: (0..architecture.heads)
                .map(|head| u32_at(rest, 4 * head) as i32)
                .collect(),
        })
    }

    /// Sizes.
    pub const fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// What the trainer wrote about it.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// CRC-32 of the label and all weights, which tells networks apart.
    pub const fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Blocks of a row.
    #[inline(always)]
    pub(crate) const fn width(&self) -> usize {
        self.biases.len()
    }
}

/// Number at `at`, 0 behind the end.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..at + 4)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u32::from_le_bytes)
}

fn block(bytes: &[u8]) -> Block {
    let mut block = Block([0; LANES]);
    for (lane, pair) in block.0.iter_mut().zip(bytes.chunks_exact(2)) {
        *lane = i16::from_le_bytes([pair[0], pair[1]]);
    }
    block
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Network with small random weights.
    pub(crate) fn random(architecture: Architecture, seed: u64) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut some = |count: usize, most: i16| -> Vec<i16> {
            (0..count).map(|_| random.i16(-most..=most)).collect()
        };
        let hidden = some(architecture.hidden * (1 + architecture.rows()), 60);
        let outputs = some(architecture.hidden * 2 * architecture.heads, OUTPUT_LIMIT);
        let biases: Vec<i32> = some(architecture.heads, 20_000)
            .iter()
            .map(|&bias| i32::from(bias) * 100)
            .collect();
        Network::write(architecture, "random", &hidden, &outputs, &biases).unwrap()
    }

    const SMALL: Architecture = Architecture {
        hidden: 32,
        king_buckets: 4,
        heads: 9,
    };

    #[test]
    fn what_was_written_is_read_back() {
        let bytes = random(SMALL, 1);
        let network = Network::from_bytes(&bytes).unwrap();
        assert_eq!(network.architecture(), SMALL);
        assert_eq!(network.label(), "random");
        assert_eq!(network.architecture().to_string(), "1340+195x4->32x2->9");
        let hidden: Vec<i16> = network
            .biases
            .iter()
            .chain(&network.rows)
            .flat_map(|block| block.0)
            .collect();
        let outputs: Vec<i16> = network.outputs.iter().flat_map(|block| block.0).collect();
        let again = Network::write(SMALL, "random", &hidden, &outputs, &network.output_biases);
        assert_eq!(again.unwrap(), bytes);
        assert!(Network::MOST_BYTES >= bytes.len());
    }

    #[test]
    fn the_embedded_network_is_whole() {
        let network = Network::embedded();
        assert!(!network.label().is_empty());
    }

    #[test]
    fn anything_else_than_a_whole_network_is_refused() {
        let good = random(SMALL, 2);
        let changed = |at: usize, value: u8| {
            let mut bytes = good.clone();
            bytes[at] = value;
            Network::from_bytes(&bytes).unwrap_err().to_string()
        };
        assert!(Network::from_bytes(&[]).is_err());
        assert!(changed(0, b'X').contains("PKNN"));
        assert_eq!(changed(4, 9), "format version 9, expected 1");
        assert!(changed(8, 33).contains("33 lanes"));
        assert!(changed(12, 2).contains("2 king buckets"));
        assert!(changed(16, 0).contains("0 heads"));
        assert!(changed(20, !good[20]).contains("other inputs"));
        assert!(changed(500, !good[500]).contains("checksum"));
        assert!(changed(24, !good[24]).contains("checksum"));
        for length in [5, 63, 64, 1000, good.len() - 1] {
            let error = Network::from_bytes(&good[..length]).unwrap_err();
            assert!(matches!(error, NetworkError::Size(..)), "{length}: {error}");
        }
        let mut long = good.clone();
        long.push(0);
        assert!(matches!(
            Network::from_bytes(&long),
            Err(NetworkError::Size(..))
        ));
    }

    #[test]
    fn a_weight_that_would_overflow_is_refused() {
        let hidden = vec![0; SMALL.hidden * (1 + SMALL.rows())];
        let mut outputs = vec![0; SMALL.hidden * 2 * SMALL.heads];
        outputs[7] = 128;
        let error = Network::write(SMALL, "", &hidden, &outputs, &[0; 9]).unwrap_err();
        assert_eq!(error, NetworkError::Weight(128));
    }

    #[test]
    fn a_long_label_is_cut_between_characters() {
        let hidden = vec![0; SMALL.hidden * (1 + SMALL.rows())];
        let outputs = vec![0; SMALL.hidden * 2 * SMALL.heads];
        let label = "é".repeat(40);
        let bytes = Network::write(SMALL, &label, &hidden, &outputs, &[0; 9]).unwrap();
        assert_eq!(Network::from_bytes(&bytes).unwrap().label(), "é".repeat(18));
    }
}
