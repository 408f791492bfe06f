//! Training steps per second: both backends, two nets, two batch sizes. `cargo bench --bench learn`.
//!
//! Inputs are as sparse as a position's (a fifth of them is set). The result is samples per second of one thread.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nardy::net::NetWeights;
use nardy::train::batch::{Batch, Inputs};
use nardy::train::device::DeviceKind;
use nardy::train::learner::{AdamSettings, Learner};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn training_step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("training step");
    group.sample_size(20);
    for sizes in [&[198, 80, 6][..], &[209, 256, 128, 6]] {
        for rows in [256, 1024] {
            let mut random = ChaCha8Rng::seed_from_u64(1);
            let (mut entries, mut ends) = (Vec::new(), Vec::new());
            for _ in 0..rows {
                entries.extend((0..sizes[0] as u16).filter(|_| random.next_u32() % 5 == 0).map(|input| (input, 1.0)));
                ends.push(entries.len());
            }
            let inputs = Inputs::Sparse { entries: &entries, ends: &ends };
            let targets = vec![[0.3, 0.15, 0.05, 0.35, 0.1, 0.05]; rows];
            let masks = vec![0b111111; rows];
            let batch = Batch { inputs, targets: &targets, masks: &masks, weights: None };
            for kind in DeviceKind::ALL {
                let net = NetWeights::random(sizes, 1).expect("good sizes");
                let mut learner = Learner::new(&net, AdamSettings::default(), kind).expect("a good net");
                group.throughput(Throughput::Elements(rows as u64));
                let name = sizes.iter().map(usize::to_string).collect::<Vec<_>>().join("-");
                let name = format!("{name} {rows} rows {kind}");
                group.bench_function(name, |bencher| {
                    bencher.iter(|| black_box(learner.step(&batch, 1e-3).expect("a good batch")));
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, training_step);
criterion_main!(benches);
