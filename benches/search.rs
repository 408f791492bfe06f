//! Time per decision at 0 to 3 plies: median, 95th percentile, worst, and positions valued. Beside the time that passed, the
//! processor time of all threads is told, which other programs disturb less.
//!
//! `cargo bench --no-default-features --bench search -- [--model FILE] [--filter FILE] [--random SIZES] [--decisions N] [--threads N]
//! [--tree MOST,WITHIN]` takes the rolls with more than one play from games of the model against itself at 0-ply (seed 1),
//! the roll with the most plays known (2,220) as the last. `--random 512-256-128` times a network of that size with random weights
//! instead, `--filter none` one that values every reply.

use cpu_time::ProcessTime;
use nardy::eval::{Evaluator, Model};
use nardy::features::Layout;
use nardy::game::{DiceSource, SeededDice};
use nardy::movegen::legal_plays;
use nardy::net::NetWeights;
use nardy::position::Position;
use nardy::position::text::parse_position;
use nardy::rules::{Game, Rules};
use nardy::search::{Keep, Limits, MAX_DEPTH, SearchSettings, Searcher};
use nardy::types::Roll;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

/// The short-nardy roll with the most plays that was found: 2,220.
const MOST_PLAYS: (&str, u8) = ("AACAkCRJqqoAAA", 1);

struct Args {
    model: String,
    filter: String,
    random: Option<Vec<usize>>,
    decisions: usize,
    settings: SearchSettings,
}

fn args() -> Result<Args, Box<dyn Error>> {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut args = Args {
        model: format!("{root}/models/short.safetensors"),
        filter: "none".into(),
        random: None,
        decisions: 200,
        settings: SearchSettings::default(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--model" => args.model = value()?,
            "--filter" => args.filter = value()?,
            "--random" => args.random = Some(value()?.split('-').map(str::parse).collect::<Result<_, _>>()?),
            "--decisions" => args.decisions = value()?.parse()?,
            "--threads" => args.settings.threads = value()?.parse()?,
            "--tree" => {
                let text = value()?;
                let (most, within) = text.split_once(',').ok_or("--tree needs MOST,WITHIN")?;
                args.settings.tree = Keep { most: most.parse()?, within: within.parse()? };
            }
            // What cargo passes to every bench.
            "--bench" => {}
            _ => return Err(format!("unknown argument {word}").into()),
        }
    }
    Ok(args)
}

/// A network of these hidden layers; a bias below 0 leaves as few units active as training does.
fn random_model(hidden: &[usize]) -> Result<Model, Box<dyn Error>> {
    let sizes: Vec<usize> = [&[Layout::Short.num_inputs()], hidden, &[6]].concat();
    let mut net = NetWeights::random(&sizes, 1)?;
    net.layers[0].bias.fill(-0.8);
    Ok(Model::of_net(&net, Layout::Short, Rules::SHORT)?)
}

/// Rolls with a choice, from games of the model against itself.
fn decisions(model: &Arc<Model>, number: usize) -> Result<Vec<(Position, Roll)>, Box<dyn Error>> {
    let rules = *model.rules();
    let mut evaluator = Evaluator::new(model.clone(), rules)?;
    let (mut all, mut dice) = (Vec::new(), SeededDice::new(1));
    let mut position = Position::start(rules.game);
    while all.len() < number {
        let roll = dice.roll().ok_or("seeded dice never end")?;
        let plays = legal_plays(position, roll, &rules);
        if plays.len() > 1 {
            all.push((position, roll));
        }
        position = plays.positions()[evaluator.best_play(position, &plays).0].swapped();
        if position.is_over() {
            position = Position::start(rules.game);
        }
    }
    Ok(all)
}

fn main() -> Result<(), Box<dyn Error>> {
    let Args { model, filter, random, decisions: number, settings } = args()?;
    let playing = Arc::new(Model::load(&model)?);
    let filter = if filter == "none" { None } else { Some(Arc::new(Model::load(&filter)?)) };
    let searched = match random {
        Some(hidden) => Arc::new(random_model(&hidden)?),
        None => playing.clone(),
    };
    let rules = *playing.rules();
    let all = decisions(&playing, number)?;
    println!("{} decisions, {} threads, filter: {}", all.len(), settings.thread_count(), filter.is_some());
    println!(
        "plies     clock: median, p95, max, 2,220 plays ms    processor: median, p95, max, 2,220 plays ms    positions"
    );
    for depth in 0..=MAX_DEPTH {
        let mut searcher = Searcher::new(searched.clone(), filter.clone(), rules, settings)?;
        let mut time = |position, roll| {
            let plays = legal_plays(position, roll, &rules);
            let (clock, processor) = (Instant::now(), ProcessTime::now());
            let ranking = searcher.rank(position, &plays, &Limits::depth(depth));
            ([clock.elapsed(), processor.elapsed()].map(|time| time.as_secs_f64() * 1e3), ranking.nodes)
        };
        let timed = if depth == 3 { &all[..all.len().div_ceil(10)] } else { &all[..] };
        let results: Vec<_> = timed.iter().map(|&(position, roll)| time(position, roll)).collect();
        let most = match rules.game {
            Game::Short => {
                let (id, die) = MOST_PLAYS;
                time(parse_position(id, rules.game)?.position, Roll::new(die, die).ok_or("no such die")?).0
            }
            Game::Long => [f64::NAN; 2],
        };
        let nodes = results.iter().map(|r| r.1).sum::<u64>() / results.len() as u64;
        print!("{depth:5}");
        for (which, most) in most.into_iter().enumerate() {
            let mut times: Vec<f64> = results.iter().map(|r| r.0[which]).collect();
            times.sort_by(f64::total_cmp);
            let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
            print!("     {:9.2} {:9.2} {:9.2} {most:9.2}", at(0.5), at(0.95), at(1.0));
        }
        println!("    {nodes:10}");
    }
    Ok(())
}
