//! The inference kernel beside burn's forward pass, on one thread, at the 24 candidates of a roll.
//!
//! `cargo bench --bench inference` first checks that all contenders agree, then prints a table of ratios measured side
//! by side (the contenders take turns; of each, the fastest turn counts, which other programs disturb least), then
//! lets criterion time each contender. burn gets its dense input for free; ours are timed with their first layer:
//!
//! - `scratch`: each candidate's sums from its ~40 inputs that aren't 0;
//! - `incremental`: from the parent's sums, by 12 changed inputs;
//! - `later`: the layers after the first one alone.

use burn::tensor::{Device, Tensor, TensorData, activation};
use criterion::Criterion;
use nardy::net::{AlignedBuf, NetWeights, PackedNet, Scratch, SimdLevel, spin_multiply_adds};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Candidates per call.
const ROWS: usize = 24;
/// Inputs of the parent that aren't 0.
const ACTIVE_INPUTS: usize = 40;
/// Inputs that a play sets, and as many that it clears.
const MOVED_INPUTS: usize = 6;
/// Different inputs that the plays of one roll set, and as many that they clear: they all move the same dice.
const ROLL_INPUTS: usize = 30;

/// Layer sizes, and the bias of the first layer. A bias below 0 leaves fewer units active, as training does.
const NETS: [(&[usize], f32); 5] = [
    (&[198, 80, 6], 0.0),
    (&[200, 256, 128, 6], 0.0),
    (&[196, 512, 512, 256, 6], 0.0),
    (&[200, 256, 128, 6], -0.8),
    (&[196, 512, 512, 256, 6], -0.8),
];

/// A network and the candidates of a roll.
struct Case {
    name: String,
    weights: NetWeights,
    parent: Vec<(u16, f32)>,
    /// The changes of all candidates, and where those of each end.
    changes: Vec<(u16, f32)>,
    ends: Vec<usize>,
    children: Vec<Vec<(u16, f32)>>,
}

impl Case {
    fn new(sizes: &[usize], bias: f32) -> Self {
        let mut weights = NetWeights::random(sizes, 1).expect("the sizes are good");
        weights.layers[0].bias.fill(bias);
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut order: Vec<u16> = (0..sizes[0] as u16).collect();
        order.shuffle(&mut rng);
        let (set, clear) = order.split_at_mut(ACTIVE_INPUTS);
        let parent: Vec<_> = set.iter().map(|&i| (i, 1.0)).collect();
        let (mut changes, mut ends, mut children) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROWS {
            set[..ROLL_INPUTS].shuffle(&mut rng);
            clear[..ROLL_INPUTS].shuffle(&mut rng);
            let (cleared, kept) = set.split_at(MOVED_INPUTS);
            let added = &clear[..MOVED_INPUTS];
            changes.extend(cleared.iter().map(|&i| (i, -1.0)));
            changes.extend(added.iter().map(|&i| (i, 1.0)));
            ends.push(changes.len());
            children.push(kept.iter().chain(added).map(|&i| (i, 1.0)).collect());
        }
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        let name = format!("{}{}", sizes.join("-"), if bias < 0.0 { " idle" } else { "" });
        Self { name, weights, parent, changes, ends, children }
    }

    /// Multiply-adds of the layers after the first one, counted as two operations each.
    fn later_operations(&self) -> f64 {
        let layers = &self.weights.layers[1..];
        (2 * ROWS * layers.iter().map(|layer| layer.inputs * layer.outputs).sum::<usize>()) as f64
    }
}

/// The same network as burn tensors.
struct BurnNet {
    layers: Vec<(Tensor<2>, Tensor<2>)>,
    input: Tensor<2>,
}

impl BurnNet {
    fn new(case: &Case, device: &Device) -> Self {
        let tensor =
            |values: Vec<f32>, shape: [usize; 2]| Tensor::<2>::from_data(TensorData::new(values, shape), device);
        let layers = case.weights.layers.iter().map(|layer| {
            let weight = tensor(layer.weights.clone(), [layer.inputs, layer.outputs]);
            (weight, tensor(layer.bias.clone(), [1, layer.outputs]))
        });
        let inputs = case.weights.inputs();
        let mut dense = vec![0.0; ROWS * inputs];
        for (row, child) in dense.chunks_mut(inputs).zip(&case.children) {
            child.iter().for_each(|&(i, x)| row[usize::from(i)] = x);
        }
        Self { layers: layers.collect(), input: tensor(dense, [ROWS, inputs]) }
    }

    fn forward(&self) -> Tensor<2> {
        let mut x = self.input.clone();
        for (index, (weight, bias)) in self.layers.iter().enumerate() {
            x = x.matmul(weight.clone()) + bias.clone(); // [rows, outputs]
            if index + 1 < self.layers.len() {
                x = activation::relu(x);
            }
        }
        activation::softmax(x, 1)
    }
}

/// Our kernel with its buffers.
struct Ours {
    net: PackedNet,
    parent: AlignedBuf,
    sums: AlignedBuf,
    scratch: Scratch,
    out: [[f32; 6]; ROWS],
}

impl Ours {
    fn new(case: &Case, level: SimdLevel) -> Self {
        let net = PackedNet::with_level(&case.weights, level).expect("the level is available");
        let (mut parent, sums) = (AlignedBuf::zeroed(net.stride()), AlignedBuf::zeroed(ROWS * net.stride()));
        net.accumulate(net.bias(), &case.parent, &mut parent);
        Self { net, parent, sums, scratch: Scratch::default(), out: [[0.0; 6]; ROWS] }
    }

    fn first_from_scratch(&mut self, case: &Case) {
        for (sums, child) in self.sums.chunks_exact_mut(self.net.stride()).zip(&case.children) {
            self.net.accumulate(self.net.bias(), child, sums);
        }
    }

    fn first_incremental(&mut self, case: &Case) {
        self.net.accumulate_rows(&self.parent, &case.changes, &case.ends, &mut self.sums);
    }

    fn later(&mut self) {
        self.net.forward_rows(&self.sums, ROWS, None, &mut self.scratch, &mut self.out);
    }
}

/// burn's device of this name. Both compute on the calling thread alone: their `rayon` features are off.
#[allow(deprecated)] // burn 0.22 is the last line with ndarray, and marks its constructor as deprecated.
fn device(name: &str) -> Device {
    if name == "ndarray" { Device::ndarray() } else { Device::flex() }
}

/// One way to evaluate the candidates.
type Contender<'a> = (String, Box<dyn FnMut() + 'a>);

fn contenders(case: &Case) -> Vec<Contender<'_>> {
    let mut list: Vec<Contender<'_>> = Vec::new();
    for kind in ["ndarray", "flex"] {
        let net = BurnNet::new(case, &device(kind));
        let run = move || {
            black_box(net.forward());
        };
        list.push((format!("burn-{kind}"), Box::new(run)));
    }
    for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
        let mut ours = Ours::new(case, level);
        let run = move || {
            ours.first_from_scratch(black_box(case));
            ours.later();
            black_box(&ours.out);
        };
        list.push((format!("{level} scratch"), Box::new(run)));
        let mut ours = Ours::new(case, level);
        let run = move || {
            ours.first_incremental(black_box(case));
            ours.later();
            black_box(&ours.out);
        };
        list.push((format!("{level} incremental"), Box::new(run)));
        let mut ours = Ours::new(case, level);
        ours.first_incremental(case);
        let run = move || {
            black_box(&mut ours).later();
            black_box(&ours.out);
        };
        list.push((format!("{level} later"), Box::new(run)));
    }
    list
}

/// All contenders must give burn's numbers within 1e-5.
fn assert_equal(case: &Case) {
    let reference = BurnNet::new(case, &device("ndarray")).forward();
    let reference: Vec<f32> = reference.into_data().try_to_vec().expect("burn's numbers are f32");
    let check = |found: &[f32], what: &str| {
        assert_eq!(found.len(), ROWS * 6);
        for (found, expected) in found.iter().zip(&reference) {
            assert!((found - expected).abs() < 1e-5, "{}, {what}: {found} instead of {expected}", case.name);
        }
    };
    let flex = BurnNet::new(case, &device("flex")).forward().into_data();
    check(&flex.try_to_vec::<f32>().expect("burn's numbers are f32"), "burn-flex");
    for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
        let mut ours = Ours::new(case, level);
        ours.first_from_scratch(case);
        ours.later();
        check(ours.out.as_flattened(), &format!("{level} scratch"));
        ours.first_incremental(case);
        ours.later();
        check(ours.out.as_flattened(), &format!("{level} incremental"));
    }
}

/// Seconds per call of each contender: the fastest of `turns` turns of a few milliseconds.
fn race(contenders: &mut [Contender<'_>], turns: usize) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; contenders.len()];
    for _ in 0..turns {
        for ((_, run), best) in contenders.iter_mut().zip(&mut best) {
            run();
            let (start, mut calls) = (Instant::now(), 0);
            while start.elapsed() < Duration::from_millis(3) {
                (0..4).for_each(|_| run());
                calls += 4;
            }
            *best = best.min(start.elapsed().as_secs_f64() / f64::from(calls));
        }
    }
    best
}

/// Operations per second that one core can do at this level.
fn peak(level: SimdLevel) -> Option<f64> {
    let turn = || {
        let start = Instant::now();
        let operations = spin_multiply_adds(level, 1_000_000)?;
        Some(operations as f64 / start.elapsed().as_secs_f64())
    };
    (0..50).map(|_| turn()).try_fold(0.0, |best: f64, turn| Some(best.max(turn?)))
}

fn print_table(cases: &[Case], turns: usize) {
    println!("{ROWS} rows a call, one thread; fastest of {turns} turns; best level {}", SimdLevel::best());
    for level in SimdLevel::ALL {
        if let Some(peak) = peak(level) {
            println!("multiply-add peak of a core, {level}: {:.1} GFLOP/s", peak / 1e9);
        }
    }
    for case in cases {
        let mut list = contenders(case);
        let times = race(&mut list, turns);
        let mut ours = Ours::new(case, SimdLevel::best());
        ours.first_incremental(case);
        let active =
            ours.sums.iter().filter(|&&x| x > 0.0).count() as f64 / (ROWS * case.weights.layers[0].outputs) as f64;
        println!("\n{} ({:.0} % of the first layer's units active)", case.name, 100.0 * active);
        println!("{:<22}{:>10}{:>14}{:>12}{:>12}{:>14}", "", "µs", "positions/s", "× ndarray", "× flex", "% of peak");
        for ((name, _), time) in list.iter().zip(&times) {
            let level = name.strip_suffix(" later").and_then(|level| level.parse().ok());
            let share =
                level.and_then(peak).map(|peak| format!("{:.0}", case.later_operations() / time / peak * 100.0));
            println!(
                "{name:<22}{:>10.2}{:>14.0}{:>12.1}{:>12.1}{:>14}",
                time * 1e6,
                ROWS as f64 / time,
                times[0] / time,
                times[1] / time,
                share.unwrap_or_default()
            );
        }
    }
    println!(
        "\n% of peak counts every multiply-add of the later layers, also the ones that the kernel skips; it can be over 100.\n"
    );
}

fn main() {
    let cases = NETS.map(|(sizes, bias)| Case::new(sizes, bias));
    cases.iter().for_each(assert_equal);
    // `cargo test --benches` only wants to know whether everything runs.
    let test = std::env::args().any(|argument| argument == "--test");
    print_table(&cases, if test { 1 } else { 100 });

    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600))
        .configure_from_args();
    for case in &cases {
        let mut group = criterion.benchmark_group(&case.name);
        group.throughput(criterion::Throughput::Elements(ROWS as u64));
        for (name, mut run) in contenders(case) {
            group.bench_function(name, |bencher| bencher.iter(&mut run));
        }
        group.finish();
    }
    criterion.final_summary();
}
