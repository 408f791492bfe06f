//! The report as comma-separated values, a file for players and one for pairings.

use super::{PairingRow, PlayerRow, Report};
use crate::arena::stats::{Estimate, Interval, Rate};

fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn low_high(interval: Option<Interval>) -> [String; 2] {
    [number(interval.map(|i| i.low)), number(interval.map(|i| i.high))]
}

fn estimate(estimate: Option<Estimate>) -> [String; 3] {
    let [low, high] = low_high(estimate.and_then(|e| e.interval));
    [number(estimate.map(|e| e.mean)), low, high]
}

fn rates(rates: [&Rate; 6]) -> [String; 6] {
    rates.map(|rate| rate.value.to_string())
}

fn lines(head: &str, rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = std::iter::once(head.split(',').map(String::from).collect()).chain(rows);
    written.for_each(|row| writer.write_record(row).expect("every row has as many cells, and memory takes them"));
    let bytes = writer.into_inner().expect("memory takes them");
    String::from_utf8(bytes).expect("strings are UTF-8")
}

/// The players in the order in which they were given.
pub fn players_csv(report: &Report) -> String {
    let head = "name,player,rank,rating,rating_low,rating_high,elo,elo_low,elo_high,points_per_game,points_low,points_high,\
                games,win,win_mars,win_koks,lose_mars,lose_koks,draw,loss_per_decision,loss_low,loss_high,decisions,errors,\
                blunders,mean_seconds,longest_seconds,faults";
    let row = |(player, row): (usize, &PlayerRow)| {
        let rank = report.ranking.iter().position(|&p| p == player).map_or(0, |rank| rank + 1);
        let rating = report.best_rating().and_then(|table| table.ratings[player]);
        let elo = report.elo.as_ref().and_then(|table| table.ratings[player]);
        let p = &row.points;
        let mut cells = vec![row.name.clone(), row.player.clone(), rank.to_string()];
        for rating in [rating, elo] {
            cells.push(number(rating.map(|r| r.value)));
            cells.extend(low_high(rating.map(|r| r.interval)));
        }
        cells.extend(estimate(Some(p.mean)));
        cells.push(row.games.to_string());
        cells.extend(rates([&p.win, &p.win_mars, &p.win_koks, &p.lose_mars, &p.lose_koks, &p.draw]));
        cells.extend(estimate(row.loss.map(|loss| loss.per_decision)));
        let loss = row.loss.map(|loss| [loss.decisions, loss.errors, loss.blunders]);
        cells.extend(loss.map_or([const { String::new() }; 3], |counts| counts.map(|n| n.to_string())));
        cells.extend([number(row.time.mean_seconds), row.time.longest_seconds.to_string(), row.faults.to_string()]);
        cells
    };
    lines(head, report.players.iter().enumerate().map(row))
}

/// The pairings, from the point of view of player A.
pub fn pairings_csv(report: &Report) -> String {
    let head = "a,b,games,points_per_game,points_low,points_high,adjusted,adjusted_low,adjusted_high,variance_ratio,luck,\
                luck_low,luck_high,win,win_mars,win_koks,lose_mars,lose_koks,draw,elo,elo_low,elo_high,plies_per_game,\
                loss_a,loss_b,verdict,llr,void_pairs,faults_a,faults_b,withdrawn";
    let name = |player: usize| report.players[player].name.clone();
    let row = |row: &PairingRow| {
        let (p, luck) = (&row.result.pairs, row.result.luck);
        let mut cells = vec![name(row.a), name(row.b), (2 * p.mean.units).to_string()];
        cells.extend(estimate(Some(p.mean)));
        cells.extend(estimate(luck.map(|luck| luck.adjusted)));
        cells.push(number(luck.and_then(|luck| luck.variance_ratio)));
        cells.extend(estimate(luck.map(|luck| luck.luck)));
        cells.extend(rates([&p.win, &p.win_mars, &p.win_koks, &p.lose_mars, &p.lose_koks, &p.draw]));
        cells.extend(p.elo.map_or([None; 3], |elo| [elo.elo, elo.low, elo.high]).map(number));
        cells.push(row.plies_per_game.to_string());
        cells.extend(row.loss.map(|loss| number(loss.map(|loss| loss.per_decision.mean))));
        cells.extend([row.verdict().unwrap_or_default().into(), number(row.result.sprt.map(|test| test.llr))]);
        cells.extend([row.void_pairs, row.faults[0], row.faults[1]].map(|n| n.to_string()));
        cells.push(row.withdrawn.map(name).unwrap_or_default());
        cells
    };
    lines(head, report.pairings.iter().map(row))
}
