//! Where the time of self-play goes, in processor time of one thread, for two sizes of network and both games.
//!
//! `cargo bench --bench self_play` plays games with the shipped quick networks – as they are, and grown to 256-128 without
//! changing what they compute – and then does each stage of those games alone: legal plays, changed inputs, first layer,
//! later layers. Before anything is timed, the stages must give the values that the games were played with.
//! With `-- --test` fewer games are played.

use cpu_time::ThreadTime;
use nardy::eval::{Encoding, Evaluator, Model, flip};
use nardy::features::Layout;
use nardy::movegen::{PlayList, legal_plays_into};
use nardy::net::{AlignedBuf, ModelFile, NetWeights, PackedNet, Scratch};
use nardy::position::Position;
use nardy::rules::Rules;
use nardy::train::expand::{Growth, expand, plan};
use nardy::train::self_play::{PlayedGame, SelfPlay, Worker};
use nardy::types::Roll;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

/// A roll of a game that was played.
struct Decision {
    position: Position,
    roll: Roll,
    results: Vec<Position>,
}

/// Everything that one evaluation of a roll needs.
struct Stages<'a> {
    net: PackedNet,
    layout: Layout,
    rules: Rules,
    decisions: &'a [Decision],
    changes: Vec<(u16, f32)>,
    ends: Vec<usize>,
    masks: Vec<u8>,
    base: AlignedBuf,
    sums: AlignedBuf,
    out: Vec<[f32; 6]>,
    scratch: Scratch,
}

impl Stages<'_> {
    fn new<'a>(weights: &NetWeights, layout: Layout, rules: Rules, decisions: &'a [Decision]) -> Stages<'a> {
        let net = PackedNet::new(weights).unwrap();
        let most = decisions.iter().map(|d| d.results.len()).max().unwrap_or(0);
        Stages {
            base: AlignedBuf::zeroed(net.stride()),
            sums: AlignedBuf::zeroed(most * net.stride()),
            out: vec![[0.0; 6]; most],
            net,
            layout,
            rules,
            decisions,
            changes: Vec::new(),
            ends: Vec::new(),
            masks: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    fn encode_base(&mut self, decision: &Decision) {
        self.changes.clear();
        self.layout.encode(decision.position.swapped(), &mut self.changes);
    }

    fn encode_results(&mut self, decision: &Decision) {
        let from = decision.position.swapped();
        self.net.run(Encoding {
            layout: self.layout,
            rules: &self.rules,
            from: Some((from, &self.layout.extras(from))),
            results: decision.results.iter().map(|result| result.swapped()),
            changes: &mut self.changes,
            ends: &mut self.ends,
            masks: &mut self.masks,
        });
    }

    fn sum_base(&mut self) {
        self.net.accumulate(self.net.bias(), &self.changes, &mut self.base);
    }

    fn sum_results(&mut self, n: usize) {
        self.net.accumulate_rows(&self.base, &self.changes, &self.ends, &mut self.sums[..n * self.net.stride()]);
    }

    fn later(&mut self, n: usize) {
        let sums = &self.sums[..n * self.net.stride()];
        self.net.forward_rows(sums, n, Some(&self.masks), &mut self.scratch, &mut self.out[..n]);
    }

    /// The stages one after another give what the evaluator gives.
    fn check(&mut self, evaluator: &mut Evaluator) {
        for decision in self.decisions.iter().take(500) {
            self.encode_base(decision);
            self.sum_base();
            self.encode_results(decision);
            let n = decision.results.len();
            self.sum_results(n);
            self.later(n);
            let expected = evaluator.evaluate_results(decision.position, &decision.results);
            for (found, expected) in self.out.iter().zip(expected) {
                assert!(flip(*found).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5));
            }
        }
    }

    /// Time of the inputs, the first layer and the later layers over all decisions.
    fn times(&mut self) -> [Duration; 3] {
        let mut times = [Duration::ZERO; 3];
        for decision in self.decisions {
            let n = decision.results.len();
            let start = ThreadTime::now();
            self.encode_base(decision);
            let base_encoded = start.elapsed();
            self.sum_base();
            let base_summed = start.elapsed();
            self.encode_results(decision);
            let encoded = start.elapsed();
            self.sum_results(n);
            let summed = start.elapsed();
            self.later(n);
            let done = start.elapsed();
            times[0] += base_encoded + (encoded - base_summed);
            times[1] += (base_summed - base_encoded) + (summed - encoded);
            times[2] += done - summed;
        }
        times
    }
}

/// What reading the thread's clock costs, which is a system call.
fn clock_cost() -> Duration {
    let start = ThreadTime::now();
    (0..10_000).for_each(|_| {
        black_box(start.elapsed());
    });
    start.elapsed() / 10_000
}

fn decisions(games: &[PlayedGame], rules: Rules) -> Vec<Decision> {
    let mut list = PlayList::new();
    let plies = games.iter().flat_map(|game| &game.plies);
    let decision = |ply: &nardy::train::self_play::PlayedPly| {
        legal_plays_into(ply.position, ply.roll, &rules, &mut list);
        let results = list.positions().iter().copied().filter(|result| !result.is_over()).collect();
        Decision { position: ply.position, roll: ply.roll, results }
    };
    plies.map(decision).filter(|decision| !decision.results.is_empty()).collect()
}

fn report(name: &str, weights: &NetWeights, layout: Layout, rules: Rules, number: u64) {
    let model = Arc::new(Model::of_net(weights, layout, rules).unwrap());
    let options = SelfPlay { seed: 1, random_plies: 0, starts: Vec::new(), filter: None, exact_endings: false };
    let mut worker = Worker::new(model.clone(), rules, &options).unwrap();
    let start = ThreadTime::now();
    let games: Vec<PlayedGame> = (0..number).map(|game| worker.play(&options, game)).collect();
    let playing = start.elapsed();

    let decisions = decisions(&games, rules);
    let mut list = PlayList::new();
    let start = ThreadTime::now();
    for decision in &decisions {
        legal_plays_into(decision.position, decision.roll, &rules, &mut list);
        black_box(&list);
    }
    let moves = start.elapsed();
    let mut stages = Stages::new(weights, layout, rules, &decisions);
    stages.check(&mut Evaluator::new(model, rules).unwrap());
    let clocks = clock_cost() * decisions.len() as u32;
    let [inputs, first, later] = stages.times();
    // Of the five readings in a decision two fall on the inputs, two on the first layer, one on the later ones.
    let net_of = |time: Duration, readings: u32| time.saturating_sub(clocks * readings).as_secs_f64();
    let share = |seconds: f64| 100.0 * seconds / playing.as_secs_f64();
    let candidates: usize = decisions.iter().map(|decision| decision.results.len()).sum();
    println!(
        "| {name} | {:.0} | {:.1} | {:.1} | {:.0} % | {:.0} % | {:.0} % | {:.0} % |",
        number as f64 / playing.as_secs_f64(),
        decisions.len() as f64 / number as f64,
        candidates as f64 / decisions.len() as f64,
        share(moves.as_secs_f64()),
        share(net_of(inputs, 2)),
        share(net_of(first, 2)),
        share(net_of(later, 1)),
    );
}

fn main() {
    let number = if std::env::args().any(|argument| argument == "--test") { 100 } else { 3_000 };
    println!("| net | games/s | decisions a game | plays | moves | inputs | first layer | later layers |");
    println!("|---|---|---|---|---|---|---|---|");
    for (game, rules, layout) in [("short", Rules::SHORT, Layout::Short), ("long", Rules::LONG, Layout::Long)] {
        let path = format!("{}/models/{game}-quick.safetensors", env!("CARGO_MANIFEST_DIR"));
        let file = ModelFile::load(&path).unwrap();
        let small = file.net("all").expect("the quick networks have one phase");
        let mut sizes = small.sizes();
        sizes.splice(1..2, [256, 128]);
        let plan = plan(&small.sizes(), &sizes).unwrap();
        let grown = expand(small, &plan, None, Growth::Split { noise: 0.1 }, 1).unwrap();
        report(&format!("{game}, 80"), small, layout, rules, number);
        report(&format!("{game}, 256-128"), &grown, layout, rules, number);
    }
}
