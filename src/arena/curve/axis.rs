//! An axis from small amounts to large ones, linear or logarithmic, with round numbers on it.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// An axis of games or minutes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    /// At its left end; above 0 if logarithmic.
    pub(super) low: f64,
    /// At its right end, above `low`.
    pub(super) high: f64,
    /// Equal factors are equally long.
    pub(super) logarithmic: bool,
}

impl Axis {
    /// Round numbers from end to end, at most about `count`.
    pub(super) fn ticks(&self, count: usize) -> Vec<f64> {
        let count = count.max(2) as f64;
        if self.logarithmic && self.high / self.low > 5.0 {
            let decades = (self.high / self.low).log10();
            let digits: &[f64] = if decades * 3.0 <= count { &[1.0, 2.0, 5.0] } else { &[1.0] };
            let exponents = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
            return exponents
                .flat_map(|exponent| digits.iter().map(move |digit| digit * 10f64.powi(exponent)))
                .filter(|tick| (self.low..=self.high).contains(tick))
                .collect();
        }
        let rough = (self.high - self.low) / count;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(10.0 * power);
        let first = (self.low / step).ceil() as i64;
        (first..).map(|n| n as f64 * step).take_while(|tick| *tick <= self.high * (1.0 + 1e-12)).collect()
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (left, right): (i32, i32)) -> i32 {
        let scale = |x: f64| if self.logarithmic { x.ln() } else { x };
        let share = (scale(*value) - scale(self.low)) / (scale(self.high) - scale(self.low));
        left + (f64::from(right - left) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.ticks(hint.bold_points())
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        amount(*value)
    }
}

/// `250`, `20k`, `1.5M`.
pub(super) fn amount(value: f64) -> String {
    // Six digits are more than a tick has; rounding takes away what the computer added.
    let short = |value: f64| ((value * 1e6).round() / 1e6).to_string();
    match value.abs() {
        size if size >= 1e6 => short(value / 1e6) + "M",
        size if size >= 1e3 => short(value / 1e3) + "k",
        _ => short(value),
    }
}
