//! From a trained model to the file of a network.

use super::model::{Evaluator, Model};
use super::sample::Sample;
use crate::engine::nnue::{
    Architecture, Network, NetworkError, QA, QB, SCALE, features::MOST_ROWS,
};

/// Why a model cannot be written as a network.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ExportError {
    /// A sum of the hidden layer might not fit 16 bits.
    #[error("lane {lane} can reach {sum}, expected at most {}", i16::MAX)]
    Accumulator {
        /// Lane of the hidden layer.
        lane: usize,
        /// Bias and the largest weights together.
        sum: i64,
    },
    /// The sum of the output might not fit 32 bits.
    #[error("output {head} can reach {sum}, expected at most {}", i32::MAX)]
    Output {
        /// Head of the output.
        head: usize,
        /// Bias and all weights together.
        sum: i64,
    },
    /// A weight is no number that the file can hold.
    #[error("weight {0}, expected -{1} to {1}")]
    Weight(f32, i64),
    /// The network itself was refused.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl Model {
    /// Bytes of a network file with the weights of this model, rounded.
    ///
    /// # Errors
    /// If a weight, or what the weights can add up to, does not fit the integers of the engine.
    pub fn export(&self, label: &str) -> Result<Vec<u8>, ExportError> {
        let architecture = self.architecture();
        let parts = self.parts();
        let lanes =
            |blocks: &[super::kernels::Block], unit: i32| -> Result<Vec<i16>, ExportError> {
                let values = blocks.iter().flat_map(|block| block.0);
                values
                    .map(|value| round(value, unit, i16::MAX.into()).map(|value| value as i16))
                    .collect()
            };
        let mut hidden = lanes(parts.biases, QA)?;
        hidden.extend(lanes(parts.rows, QA)?);
        let outputs = lanes(parts.outputs, QB)?;
        let biases = parts.output_biases.0.iter().take(architecture.heads);
        let output_biases = biases
            .map(|&bias| round(bias, QA * QA * QB, i32::MAX.into()).map(|bias| bias as i32))
            .collect::<Result<Vec<_>, _>>()?;
        check_sums(architecture, &hidden, &outputs, &output_biases)?;
        let bytes = Network::write(architecture, label, &hidden, &outputs, &output_biases)?;
        Ok(bytes)
    }
}

fn round(value: f32, unit: i32, most: i64) -> Result<i64, ExportError> {
    let rounded = (f64::from(value) * f64::from(unit)).round();
    if rounded.abs() <= most as f64 {
        Ok(rounded as i64)
    } else {
        // No number at all is refused as well.
        Err(ExportError::Weight(value, most / i64::from(unit)))
    }
}

/// Whether no position can make a sum overflow.
fn check_sums(
    architecture: Architecture,
    hidden: &[i16],
    outputs: &[i16],
    output_biases: &[i32],
) -> Result<(), ExportError> {
    let size = |weight: i16| i64::from(weight).abs();
    let mut column = Vec::with_capacity(architecture.rows());
    for lane in 0..architecture.hidden {
        column.clear();
        let rows = hidden.chunks(architecture.hidden).skip(1);
        column.extend(rows.map(|row| size(row[lane])));
        column.sort_unstable_by(|a, b| b.cmp(a));
        let sum = size(hidden[lane]) + column.iter().take(MOST_ROWS).sum::<i64>();
        if sum >= i64::from(i16::MAX) {
            return Err(ExportError::Accumulator { lane, sum });
        }
    }
    let heads = outputs.chunks(2 * architecture.hidden).zip(output_biases);
    for (head, (weights, &bias)) in heads.enumerate() {
        let weights: i64 = weights.iter().map(|&weight| size(weight)).sum();
        let sum = i64::from(bias).abs() + weights * i64::from(QA * QA);
        if sum > i64::from(i32::MAX) {
            return Err(ExportError::Output { head, sum });
        }
    }
    Ok(())
}

/// Difference of a model and the network made of it, in units of the engine (300 for one logit).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Difference {
    /// Positions compared.
    pub samples: usize,
    /// Mean of the absolute differences.
    pub mean: f64,
    /// Largest absolute difference.
    pub most: f64,
}

impl Difference {
    /// Compares the two, which must have the same architecture, on positions that the engine does not cut off.
    pub fn between(model: &Model, network: &Network, samples: &[Sample]) -> Self {
        let mut evaluator = Evaluator::new(model.architecture());
        let mut difference = Self::default();
        for sample in samples {
            let logit = evaluator.evaluate(model, sample);
            let value = evaluator.evaluate_network(network, sample);
            let by = f64::from(logit * SCALE as f32 - value as f32).abs();
            difference.samples += 1;
            difference.mean += by;
            difference.most = difference.most.max(by);
        }
        difference.mean /= samples.len().max(1) as f64;
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::tests::random_positions;
    use super::*;

    const SMALL: Architecture = Architecture {
        hidden: 64,
        king_buckets: 4,
        heads: 9,
    };

    fn samples() -> Vec<Sample> {
        let positions = random_positions(5, 80, 2);
        positions
            .iter()
            .map(|position| Sample::new(position, 0, None))
            .collect()
    }

    #[test]
    fn network_and_model_agree_and_the_way_back_loses_nothing() {
        let model = Model::random(SMALL, 5);
        let bytes = model.export("small").unwrap();
        let network = Network::from_bytes(&bytes).unwrap();
        let samples = samples();
        let difference = Difference::between(&model, &network, &samples);
        assert_eq!(difference.samples, samples.len());
        assert!(difference.mean < 3.0, "{difference:?}");
        assert!(difference.most > 0.0, "{difference:?}");
        let back = Model::from_network(&network);
        assert_eq!(back.export("small").unwrap(), bytes);
        // Only the rounding of the engine to whole units is left.
        let difference = Difference::between(&back, &network, &samples);
        assert!(difference.most < 1.01, "{difference:?}");
    }

    #[test]
    fn weights_that_could_overflow_are_refused() {
        let refused = |change: &dyn Fn(&mut Model)| {
            let mut model = Model::random(SMALL, 5);
            change(&mut model);
            model.export("").unwrap_err().to_string()
        };
        let message = refused(&|model| {
            for row in 0..48 {
                model.parts_mut().rows[row * 2].0[7] = 2.7;
            }
        });
        assert!(message.starts_with("lane 7 can reach 33"), "{message}");
        let message = refused(&|model| model.parts_mut().rows[0].0[0] = 200.0);
        assert_eq!(message, "weight 200, expected -128 to 128");
        let message = refused(&|model| model.parts_mut().biases[0].0[0] = f32::NAN);
        assert!(message.contains("NaN"), "{message}");
        let message = refused(&|model| model.parts_mut().outputs[0].0[0] = 3.0);
        assert!(message.contains("output weight 192"), "{message}");
        let message = refused(&|model| model.parts_mut().output_biases.0[8] = 515.0);
        assert!(message.starts_with("output 8 can reach"), "{message}");
    }
}
