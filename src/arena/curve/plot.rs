//! Learning curves as SVG.

use super::axis::Axis;
use super::{Curve, CurveError, CurvePoint, PhaseStart, Source};
use crate::arena::report::plots::{COLOURS, FONT, GRID, padded, points};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// How curves are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotOptions {
    /// The line above; without one, the names of the runs.
    pub title: Option<String>,
    /// Logarithmic axes of games and minutes.
    pub logarithmic: bool,
}

const WIDTH: u32 = 1200;
const HEIGHT: u32 = 440;
/// Height of the title and of each line of the key.
const LINE: u32 = 24;
const SMALL: (&str, i32) = ("sans-serif", 13);
/// Names of phases, and their lines.
const SOFT: RGBColor = RGBColor(100, 100, 100);
const LINE_COLOUR: RGBColor = RGBColor(165, 165, 165);
/// Opacity of a band.
const BAND: f64 = 0.16;

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, RangedCoordf64>>;

fn failed(error: impl std::fmt::Display) -> CurveError {
    CurveError::Plot(error.to_string())
}

/// What stands on the horizontal axis.
struct Measure {
    title: &'static str,
    of_point: fn(&CurvePoint) -> Option<f64>,
    of_phase: fn(&PhaseStart) -> Option<f64>,
}

const GAMES: Measure =
    Measure { title: "self-play games", of_point: |point| point.games, of_phase: |phase| Some(phase.games) };
const CORE_MINUTES: Measure =
    Measure { title: "core-minutes", of_point: |point| point.core_minutes, of_phase: |phase| phase.core_minutes };

/// A curve in one panel: where its points are.
struct Line {
    colour: RGBColor,
    /// Amount, points per game, half-width (0 without an interval).
    points: Vec<(f64, f64, f64)>,
}

/// Points per game with 95 % bands, a line for each opponent of each run, against games and beside it against core-minutes.
///
/// A panel for which no source has amounts is left out.
///
/// # Errors
/// If there is nothing to draw.
pub fn svg(sources: &[Source], options: &PlotOptions) -> Result<String, CurveError> {
    let curves: Vec<&Curve> = sources.iter().flat_map(|source| &source.curves).collect();
    let panels: Vec<(&Measure, Vec<Line>)> = [&GAMES, &CORE_MINUTES]
        .into_iter()
        .map(|measure| (measure, lines(&curves, measure, options.logarithmic)))
        .filter(|(_, lines)| lines.iter().any(|line| !line.points.is_empty()))
        .collect();
    if panels.is_empty() {
        return Err(CurveError::Logarithm);
    }
    let key = key(&curves);
    let rows = key.iter().map(|(row, _, _)| row + 1).max().unwrap_or(0);
    let mut text = String::new();
    {
        let size = (WIDTH, LINE + LINE * rows + HEIGHT + 8);
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let (head, body) = area.split_vertically(LINE * (rows + 1) + 8);
        draw_head(&head, &title(sources, options), &curves, &key)?;
        let phases = phases(sources);
        // Both panels have the same points per game, so that they can be compared.
        let all = || panels.iter().flat_map(|(_, lines)| lines).flat_map(|line| &line.points);
        let (low, high) = padded(all().flat_map(|(_, y, half)| [y - half, y + half]));
        // Room for the names of phases.
        let heights = (low, high + if phases.is_empty() { 0.0 } else { 0.08 * (high - low) });
        for ((measure, lines), area) in panels.iter().zip(body.split_evenly((1, panels.len()))) {
            draw_panel(&area, measure, lines, &phases, (axis(lines, options.logarithmic), heights))?;
        }
        area.present().map_err(failed)?;
    }
    Ok(text)
}

fn title(sources: &[Source], options: &PlotOptions) -> String {
    options.title.clone().unwrap_or_else(|| {
        let mut names: Vec<&str> = Vec::new();
        for curve in sources.iter().flat_map(|source| &source.curves) {
            if !names.contains(&curve.run.as_str()) {
                names.push(&curve.run);
            }
        }
        format!("{}: points per game, with 95 % intervals", names.join(", "))
    })
}

fn lines(curves: &[&Curve], measure: &Measure, logarithmic: bool) -> Vec<Line> {
    let place = |point: &CurvePoint| {
        let x = (measure.of_point)(point).filter(|x| !logarithmic || *x > 0.0)?;
        Some((x, point.points, point.interval.unwrap_or(0.0)))
    };
    let line = |(curve, colour): (&&Curve, RGBColor)| {
        let mut points: Vec<_> = curve.points.iter().filter_map(place).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Line { colour, points }
    };
    curves.iter().zip(COLOURS.into_iter().cycle()).map(line).collect()
}

/// The phases of all runs of more than one; where runs differ, their names say of which.
fn phases(sources: &[Source]) -> Vec<PhaseStart> {
    let runs: Vec<&Source> = sources.iter().filter(|source| source.phases.len() > 1).collect();
    let same = |(a, b): (&PhaseStart, &PhaseStart)| (&a.name, a.games) == (&b.name, b.games);
    let alike = runs.windows(2).all(|pair| pair[0].phases.iter().zip(&pair[1].phases).all(same));
    let named = |run: &Source, phase: &PhaseStart| match alike {
        true => phase.clone(),
        false => PhaseStart { name: format!("{}: {}", run.name, phase.name), ..phase.clone() },
    };
    runs.iter().flat_map(|run| run.phases.iter().map(|phase| named(run, phase))).collect()
}

/// What the key says about a curve.
fn label(curve: &Curve, curves: &[&Curve]) -> String {
    match curves.iter().all(|other| other.run == curve.run) {
        true => format!("against {}", curve.opponent),
        false => format!("{} against {}", curve.run, curve.opponent),
    }
}

/// Row, place in it and text for each curve.
fn key(curves: &[&Curve]) -> Vec<(u32, u32, String)> {
    let (mut row, mut x) = (0, 14);
    let place = |curve: &&Curve| {
        let text = label(curve, curves);
        // An estimate that is rather too large, since the reader's font isn't known.
        let width = 52 + 8 * text.chars().count() as u32;
        if x > 14 && x + width > WIDTH {
            (row, x) = (row + 1, 14);
        }
        let at = (row, x, text);
        x += width;
        at
    };
    curves.iter().map(place).collect()
}

fn draw_head(area: &Canvas<'_>, title: &str, curves: &[&Curve], key: &[(u32, u32, String)]) -> Result<(), CurveError> {
    let left = |font: (&'static str, i32)| font.into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
    let middle = |row: u32| (6 + LINE * row + LINE / 2) as i32;
    area.draw_text(title, &left(("sans-serif", 17)), (14, middle(0))).map_err(failed)?;
    for ((_, (row, x, text)), colour) in curves.iter().zip(key).zip(COLOURS.into_iter().cycle()) {
        let (x, y) = (*x as i32, middle(row + 1));
        area.draw(&Rectangle::new([(x, y - 6), (x + 22, y + 6)], colour.mix(BAND).filled())).map_err(failed)?;
        area.draw(&PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(2))).map_err(failed)?;
        area.draw(&Circle::new((x + 11, y), 3, colour.filled())).map_err(failed)?;
        area.draw_text(text, &left(FONT), (x + 30, y)).map_err(failed)?;
    }
    Ok(())
}

/// From end to end of the lines, with room for a panel of one point.
fn axis(lines: &[Line], logarithmic: bool) -> Axis {
    let all = || lines.iter().flat_map(|line| line.points.iter().map(|point| point.0));
    let (low, high) = (all().fold(f64::MAX, f64::min), all().fold(f64::MIN, f64::max));
    match logarithmic {
        true => Axis { low: low / 1.15, high: high * 1.15, logarithmic },
        false => Axis { low: 0.0, high: if high > 0.0 { high * 1.03 } else { 1.0 }, logarithmic },
    }
}

fn draw_panel(
    area: &Canvas<'_>,
    measure: &Measure,
    lines: &[Line],
    phases: &[PhaseStart],
    (axis, (low, high)): (Axis, (f64, f64)),
) -> Result<(), CurveError> {
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .margin_right(22)
        .x_label_area_size(46)
        .y_label_area_size(70)
        .build_cartesian_2d(axis, low..high)
        .map_err(failed)?;
    let fine = high - low < 0.09;
    let value = |y: &f64| if fine { format!("{y:+.3}") } else { points(*y) };
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(WHITE).bold_line_style(GRID).x_labels(8).y_labels(9);
    mesh.x_desc(measure.title).y_desc("points per game").label_style(FONT).axis_desc_style(FONT);
    mesh.y_label_formatter(&value).draw().map_err(failed)?;
    draw_phases(&mut chart, measure, phases, axis, (low, high))?;
    for Line { colour, points } in lines {
        let upper = points.iter().map(|(x, y, half)| (*x, y + half));
        let lower = points.iter().rev().map(|(x, y, half)| (*x, y - half));
        let band: Vec<_> = upper.chain(lower).collect();
        if points.len() > 1 {
            chart.draw_series([Polygon::new(band, colour.mix(BAND).filled())]).map_err(failed)?;
        } else {
            // One point has no band, but an interval.
            chart.draw_series([PathElement::new(band, colour.stroke_width(2))]).map_err(failed)?;
        }
    }
    for Line { colour, points } in lines {
        let places = || points.iter().map(|(x, y, _)| (*x, *y));
        chart.draw_series(LineSeries::new(places(), colour.stroke_width(2))).map_err(failed)?;
        chart.draw_series(places().map(|place| Circle::new(place, 3, colour.filled()))).map_err(failed)?;
    }
    Ok(())
}

/// A thin line where each phase begins, with its name beside it if there is room before the next one.
fn draw_phases(
    chart: &mut Chart<'_, '_>,
    measure: &Measure,
    phases: &[PhaseStart],
    axis: Axis,
    (low, high): (f64, f64),
) -> Result<(), CurveError> {
    let place = |phase: &PhaseStart| (measure.of_phase)(phase).map(|x| x.max(axis.low)).filter(|x| *x < axis.high);
    let pixel = |chart: &Chart<'_, '_>, x: f64| chart.backend_coord(&(x, high)).0;
    let mut starts: Vec<_> = phases.iter().filter_map(|phase| Some((place(phase)?, &phase.name))).collect();
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let upright = SMALL.into_text_style(chart.plotting_area()).color(&SOFT).transform(FontTransform::Rotate90);
    for (i, (x, name)) in starts.iter().enumerate() {
        if *x > axis.low {
            let line = PathElement::new([(*x, low), (*x, high)], LINE_COLOUR.stroke_width(1));
            chart.draw_series([line]).map_err(failed)?;
        }
        let next = starts.get(i + 1).map_or(i32::MAX, |(next, _)| pixel(chart, *next));
        if next - pixel(chart, *x) > 13 {
            let name = EmptyElement::at((*x, high)) + Text::new((*name).clone(), (14, 4), upright.clone());
            chart.draw_series([name]).map_err(failed)?;
        }
    }
    Ok(())
}
