//! Plots of a report, as SVG.

use super::text::cross_value;
use super::{PlayerRow, Report};
use crate::arena::stats::rating::RatingTable;
use crate::arena::tournament::Format;
use plotters::coord::ranged1d::SegmentValue;
use plotters::prelude::*;

/// A plot that could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("can't draw the plot: {0}")]
pub struct PlotError(String);

fn failed(error: impl std::fmt::Display) -> PlotError {
    PlotError(error.to_string())
}

const INK: RGBColor = RGBColor(31, 78, 121);
pub(in crate::arena) const GRID: RGBColor = RGBColor(225, 225, 225);
pub(in crate::arena) const COLOURS: [RGBColor; 8] = [
    INK,
    RGBColor(192, 80, 30),
    RGBColor(46, 125, 50),
    RGBColor(123, 31, 162),
    RGBColor(120, 120, 40),
    RGBColor(0, 140, 150),
    RGBColor(200, 40, 100),
    RGBColor(90, 90, 90),
];
pub(in crate::arena) const FONT: (&str, i32) = ("sans-serif", 14);

/// A number at an axis.
pub(in crate::arena) fn points(x: f64) -> String {
    if x.abs() < 0.005 { "0".into() } else { format!("{x:+.2}") }
}

/// A range with some room around it.
pub(in crate::arena) fn padded(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    let room = ((high - low) * 0.06).max(0.01);
    (low - room, high + room)
}

/// Ratings with their intervals, the best player at the top; `None` without ratings.
///
/// # Errors
/// None with what a report can hold.
pub(super) fn ratings(report: &Report) -> Result<Option<String>, PlotError> {
    let Some(table) = report.best_rating() else { return Ok(None) };
    let rated = |player: usize| table.ratings[player].map(|rating| (player, rating));
    let rows: Vec<_> = report.ranking.iter().rev().filter_map(|&player| rated(player)).collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let names: Vec<&str> = rows.iter().map(|(player, _)| report.players[*player].name.as_str()).collect();
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0) as u32;
    let (low, high) = padded(rows.iter().flat_map(|(_, rating)| [rating.interval.low, rating.interval.high]));
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (900, 90 + 34 * rows.len() as u32)).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(10)
            .margin_right(24)
            .x_label_area_size(46)
            .y_label_area_size(24 + 8 * longest)
            .build_cartesian_2d(low..high, (0..rows.len() - 1).into_segmented())
            .map_err(failed)?;
        let label = |segment: &SegmentValue<usize>| match segment {
            SegmentValue::CenterOf(i) | SegmentValue::Exact(i) => {
                names.get(*i).map_or(String::new(), |name| format!("{name}\u{a0}\u{a0}"))
            }
            SegmentValue::Last => String::new(),
        };
        let mut mesh = chart.configure_mesh();
        mesh.disable_y_mesh().light_line_style(WHITE).bold_line_style(GRID).y_labels(rows.len() + 1);
        mesh.x_desc("rating, points per game").label_style(FONT).axis_desc_style(FONT).y_label_formatter(&label);
        mesh.set_tick_mark_size(LabelAreaPosition::Left, 0)
            .x_label_formatter(&|x| points(*x))
            .draw()
            .map_err(failed)?;
        for (i, (_, rating)) in rows.iter().enumerate() {
            let at = |x: f64| (x, SegmentValue::CenterOf(i));
            let whisker = vec![at(rating.interval.low), at(rating.interval.high)];
            let line = PathElement::new(whisker, INK.stroke_width(3));
            chart.draw_series([line]).map_err(failed)?;
            chart.draw_series([Circle::new(at(rating.value), 5, INK.filled())]).map_err(failed)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(Some(svg))
}

/// A line over the rungs of a ladder: points with half-widths.
struct Series {
    name: String,
    points: Vec<(usize, f64, f64)>,
}

/// Points per game over the rungs of a ladder: the rating, and the results against each anchor; `None` for other formats.
///
/// # Errors
/// None with what a report can hold.
pub(super) fn ladder(report: &Report) -> Result<Option<String>, PlotError> {
    let rungs: Vec<usize> = (report.anchors..report.players.len()).collect();
    let Some(table) = report.best_rating().filter(|_| report.format == Format::Ladder && rungs.len() > 1) else {
        return Ok(None);
    };
    let all = series(report, table, &rungs);
    let ends = all.iter().flat_map(|series| series.points.iter().flat_map(|(_, y, half)| [y - half, y + half]));
    let (low, high) = padded(ends);
    let label = |segment: &SegmentValue<usize>| match segment {
        SegmentValue::CenterOf(i) | SegmentValue::Exact(i) => {
            rungs.get(*i).map_or(String::new(), |&p| short_name(&report.players[p]))
        }
        SegmentValue::Last => String::new(),
    };
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (900, 420)).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(10)
            .x_label_area_size(46)
            .y_label_area_size(70)
            .build_cartesian_2d((0..rungs.len() - 1).into_segmented(), low..high)
            .map_err(failed)?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_x_mesh().light_line_style(WHITE).bold_line_style(GRID).x_labels(rungs.len().min(14) + 1);
        mesh.y_desc("points per game").label_style(FONT).axis_desc_style(FONT).x_label_formatter(&label);
        mesh.y_label_formatter(&|y| points(*y)).draw().map_err(failed)?;
        for (series, colour) in all.iter().zip(COLOURS.into_iter().cycle()) {
            let at = |&(i, y, _): &(usize, f64, f64)| (SegmentValue::CenterOf(i), y);
            let line = LineSeries::new(series.points.iter().map(at), colour.stroke_width(2));
            let drawn = chart.draw_series(line).map_err(failed)?;
            let key = move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2));
            drawn.label(series.name.clone()).legend(key);
            for &(i, y, half) in &series.points {
                let ends = vec![(SegmentValue::CenterOf(i), y - half), (SegmentValue::CenterOf(i), y + half)];
                chart.draw_series([PathElement::new(ends, colour.stroke_width(1))]).map_err(failed)?;
                chart.draw_series([Circle::new((SegmentValue::CenterOf(i), y), 4, colour.filled())]).map_err(failed)?;
            }
        }
        let mut key = chart.configure_series_labels();
        key.position(SeriesLabelPosition::LowerRight).background_style(WHITE.mix(0.8)).border_style(GRID);
        key.label_font(FONT).draw().map_err(failed)?;
        area.present().map_err(failed)?;
    }
    Ok(Some(svg))
}

fn series(report: &Report, table: &RatingTable, rungs: &[usize]) -> Vec<Series> {
    let rating = |(i, &player): (usize, &usize)| {
        let rating = table.ratings[player]?;
        Some((i, rating.value, rating.interval.half_width()))
    };
    let mut all = vec![Series { name: "rating".into(), points: rungs.iter().enumerate().filter_map(rating).collect() }];
    for anchor in 0..report.anchors {
        let against = |(i, &player): (usize, &usize)| {
            let (mean, half) = cross_value(report, player, anchor)?;
            Some((i, mean, half))
        };
        let name = format!("against {}", report.players[anchor].name);
        all.push(Series { name, points: rungs.iter().enumerate().filter_map(against).collect() });
    }
    all
}

/// The number at the end of a checkpoint's name, or the end of the name.
fn short_name(row: &PlayerRow) -> String {
    let digits = row.name.trim_start_matches(|c: char| !c.is_ascii_digit());
    match digits.chars().all(|c| c.is_ascii_digit()) && digits.len() > 3 {
        true => digits.trim_start_matches('0').to_string(),
        false => row.name.chars().rev().take(14).collect::<Vec<_>>().into_iter().rev().collect(),
    }
}
