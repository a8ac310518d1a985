//! Loss over the course of a training, and its picture.

use std::fmt::Write;

/// Losses and when they were measured, in epochs since the start.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Curve {
    /// Loss on the samples that are learned from, each judged before it was learned.
    pub training: Vec<(f64, f64)>,
    /// Loss on the samples to check with.
    pub validation: Vec<(f64, f64)>,
}

const SIZE: (f64, f64) = (760.0, 440.0);
/// Left, right, top and bottom edge of the plot.
const PLOT: [f64; 4] = [80.0, 740.0, 40.0, 390.0];
/// Training losses before this epoch, when the model knows nothing yet, do not stretch the axis.
const SETTLED: f64 = 0.25;

impl Curve {
    /// Picture of both losses as the text of an SVG file.
    pub fn to_svg(&self, title: &str) -> String {
        let settled = self.training.iter().filter(|point| point.0 >= SETTLED);
        let losses: Vec<f64> = settled
            .chain(&self.validation)
            .map(|point| point.1)
            .filter(|loss| loss.is_finite())
            .collect();
        let low = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let high = losses.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let y = Axis::over(low, high, PLOT[3], PLOT[2]);
        let last = self.training.iter().chain(&self.validation);
        let last = last.map(|point| point.0).fold(1.0, f64::max);
        let x = Axis {
            low: 0.0,
            high: last,
            step: tick_step(last, 10.0).max(1.0),
            from: PLOT[0],
            to: PLOT[1],
        };

        let mut svg = String::new();
        let [left, right, top, bottom] = PLOT;
        let mut line = |text: std::fmt::Arguments<'_>| {
            // Writing to a string cannot fail.
            writeln!(svg, "{text}").ok();
        };
        let (width, height) = SIZE;
        line(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             font-size=\"13\">"
        ));
        line(format_args!(
            "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
        ));
        line(format_args!(
            "<text x=\"{left}\" y=\"24\" font-size=\"15\">{}</text>",
            escaped(title)
        ));
        line(format_args!(
            "<clipPath id=\"plot\"><rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\"/></clipPath>",
            right - left,
            bottom - top
        ));
        for tick in y.ticks() {
            let at = y.place(tick);
            line(format_args!(
                "<path d=\"M{left} {at:.1}H{right}\" stroke=\"#ddd\"/><text x=\"{}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{tick:.*}</text>",
                left - 8.0,
                at + 4.0,
                y.decimals()
            ));
        }
        for tick in x.ticks() {
            let at = x.place(tick);
            line(format_args!(
                "<path d=\"M{at:.1} {bottom}v5\" stroke=\"#333\"/><text x=\"{at:.1}\" y=\"{}\" \
                 text-anchor=\"middle\">{tick:.0}</text>",
                bottom + 20.0
            ));
        }
        line(format_args!(
            "<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"#333\"/>"
        ));
        line(format_args!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">epochs</text>",
            f64::midpoint(left, right),
            height - 12.0
        ));
        line(format_args!(
            "<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">loss (squared error)</text>",
            f64::midpoint(top, bottom)
        ));
        let series = [
            ("training", "#2a6fbb", &self.training),
            ("validation", "#d1495b", &self.validation),
        ];
        for (number, (name, color, points)) in series.into_iter().enumerate() {
            let path: Vec<String> = points
                .iter()
                .filter(|point| point.1.is_finite())
                .map(|&(epoch, loss)| format!("{:.1},{:.1}", x.place(epoch), y.place(loss)))
                .collect();
            line(format_args!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" \
                 clip-path=\"url(#plot)\"/>",
                path.join(" ")
            ));
            let at = top + 16.0 + 18.0 * number as f64;
            line(format_args!(
                "<path d=\"M{} {}h24\" stroke=\"{color}\" stroke-width=\"2\"/><text x=\"{}\" y=\"{at}\">{name}</text>",
                right - 120.0,
                at - 4.0,
                right - 90.0
            ));
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// Scale from values to places in the picture.
#[derive(Clone, Copy, Debug)]
struct Axis {
    low: f64,
    high: f64,
    /// Distance of the marks.
    step: f64,
    /// Place of `low`.
    from: f64,
    /// Place of `high`.
    to: f64,
}

impl Axis {
    /// Axis between round numbers around `low` and `high`.
    fn over(low: f64, high: f64, from: f64, to: f64) -> Self {
        let step = tick_step((high - low).max(high.abs() * 1e-3).max(1e-6), 6.0);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Self {
            low,
            high: high.max(low + step),
            step,
            from,
            to,
        }
    }

    fn place(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let (low, step) = (self.low, self.step);
        let count = ((self.high - low) / step + 1e-6).floor() as u32;
        (0..=count).map(move |number| low + f64::from(number) * step)
    }

    /// Decimals that tell neighbouring marks apart.
    fn decimals(&self) -> usize {
        (-self.step.log10().floor()).clamp(0.0, 9.0) as usize
    }
}

/// Distance of at most about `most` round marks over a range: 1, 2 or 5 times a power of ten.
fn tick_step(range: f64, most: f64) -> f64 {
    let rough = range / most;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|step| step * power >= rough);
    step.unwrap_or(10.0) * power
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_shows_both_losses_with_their_axes() {
        let curve = Curve {
            training: vec![(0.01, 0.2), (0.5, 0.05), (1.0, 0.04), (2.0, 0.035)],
            validation: vec![(1.0, 0.042), (2.0, 0.036)],
        };
        let svg = curve.to_svg("1340+195->128x2->1");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert!(svg.contains("1340+195-&gt;128x2-&gt;1"));
        for word in ["epochs", "loss (squared error)", "training", "validation"] {
            assert!(svg.contains(word), "{word}");
        }
        // Marks of both axes: the second epoch, and round losses that enclose the settled ones.
        for mark in [">2</text>", ">0.035</text>", ">0.050</text>"] {
            assert!(svg.contains(mark), "{mark} {svg}");
        }
        assert!(!svg.contains(">0.20"), "{svg}");
        // The last validation loss is drawn at the right edge.
        assert!(svg.contains(" 740.0,"), "{svg}");
    }

    #[test]
    fn nothing_measured_and_odd_losses_still_give_a_picture() {
        for losses in [
            vec![],
            vec![(1.0, f64::NAN)],
            vec![(1.0, 0.0)],
            vec![(0.5, 0.25)],
        ] {
            let curve = Curve {
                training: losses.clone(),
                validation: losses,
            };
            let svg = curve.to_svg("");
            assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"));
        }
    }
}
