//! A training run: rounds of self-play and learning, phase after phase, with checkpoints from which it goes on exactly.
//!
//! While a round is learned from, the next one is already played with the weights from before: learning and playing
//! overlap, in the same way whatever the number of threads. A checkpoint holds the learner, the average, the counters,
//! and the weights that played the round not yet learned from; its games are played again when the run is resumed.

use super::checkpoint::{Checkpoint, CheckpointError, CheckpointStore};
use super::config::{Config, Endings, Phase};
use super::ema::{Ema, EmaError};
use super::expand::{self, ExpandError};
use super::lambda::LambdaError;
use super::learner::{LearnError, Learner};
use super::records::{RecordError, Records};
use super::samples::{Memory, Rows, Sample, samples_of};
use super::self_play::{PlayFilter, PlayedGame, SelfPlay, play_games};
use crate::eval::{Keep, Model, ModelError};
use crate::features::Layout;
use crate::game::{NUM_OUTCOMES, outcome_points, seed_for_game};
use crate::net::{FormatError, KernelError, ModelFile, ModelMeta, NetWeights, PackedNet, WeightsError};
use crate::position::text::{PositionTextError, parse_position};
use crate::train::batch::{Batch, Inputs};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Why a run stopped or could not begin.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The learner refused: a loss that explodes or is not a number, among others.
    #[error("{0}; the last good checkpoint is kept")]
    Learn(#[from] LearnError),
    /// Checkpoints.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Adam's record.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A model file.
    #[error("{path}: {error}")]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: FormatError,
    },
    /// A model that does not fit.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A net that can't be packed.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A net that can't grow as planned.
    #[error(transparent)]
    Expand(#[from] ExpandError),
    /// Sizes that make no net.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The average.
    #[error(transparent)]
    Ema(#[from] EmaError),
    /// A game whose values contradict each other.
    #[error(transparent)]
    Lambda(#[from] LambdaError),
    /// A file.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A start position.
    #[error("{path}, line {line}: {error}")]
    Start {
        /// The file.
        path: PathBuf,
        /// Its line, counted from 1.
        line: usize,
        /// What is wrong.
        error: PositionTextError,
    },
    /// A checkpoint of another run.
    #[error("checkpoint {path} can't be used: {why}")]
    Mismatch {
        /// Its directory.
        path: PathBuf,
        /// What does not fit.
        why: String,
    },
}

/// What has been done so far. Also part of a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The phase, counted from 0; the number of phases when all is done.
    pub phase: usize,
    /// Rounds of this phase that have been learned from.
    pub rounds: u64,
    /// Games of the run that have been learned from.
    pub games: u64,
    /// Games of this phase that have been learned from.
    pub phase_games: u64,
    /// Positions given to the optimiser.
    pub samples: u64,
    /// Plies played.
    pub plies: u64,
}

/// Sums over the games of one round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoundStats {
    /// Games.
    pub games: u64,
    /// Plies.
    pub plies: u64,
    /// Games by class: oin, mars, koks.
    pub classes: [u64; 3],
    /// Games broken off.
    pub broken_off: u64,
}

/// What one step of the run did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoundReport {
    /// Of the games just learned from.
    pub played: RoundStats,
    /// Positions learned from, repetitions included.
    pub samples: u64,
    /// Mean loss, in nats.
    pub loss: f64,
    /// Mean |TD error|, in points.
    pub td_error: f64,
    /// Learning rate at the end.
    pub rate: f64,
    /// λ of the games.
    pub lambda: f64,
    /// Seconds spent learning (playing goes on meanwhile).
    pub learn_seconds: f64,
    /// Seconds in all.
    pub seconds: f64,
}

/// A round that has been played but not learned from.
#[derive(Debug)]
struct Pending {
    samples: Vec<Sample>,
    stats: RoundStats,
    lambda: f64,
    /// The weights that played it.
    net: NetWeights,
}

/// A training run.
#[derive(Debug)]
pub struct Run {
    config: Config,
    dir: PathBuf,
    store: CheckpointStore,
    learner: Learner,
    average: Option<Ema>,
    memory: Memory,
    progress: Progress,
    options: SelfPlay,
    pending: Option<Pending>,
    rows: Rows,
    /// Processor time of the run when this process took it up, less that of the process up to then.
    core_seconds_before: f64,
}

/// Names of a checkpoint's files.
mod files {
    pub const STATE: &str = "state.json";
    pub const CONFIG: &str = "config.toml";
    pub const MODEL: &str = "model.bpk";
    pub const ADAM: &str = "adam.bpk";
    pub const PLAYED: &str = "played.safetensors";
    pub const AVERAGE: &str = "average.safetensors";
    pub const MEMORY: &str = "memory.bin";
}

#[derive(Serialize, Deserialize)]
struct State {
    progress: Progress,
    config_hash: String,
    average_updates: u64,
    /// Left out by older programs.
    #[serde(default)]
    core_seconds: f64,
}

impl Run {
    /// A new run that keeps its files in `dir`.
    ///
    /// # Errors
    /// If the directory or a file the configuration names can't be used.
    pub fn new(config: Config, dir: &Path) -> Result<Run, RunError> {
        let store = CheckpointStore::open(&dir.join("checkpoints"), config.checkpoints.keep)?;
        let phase = &config.phases[0];
        let sizes = config.sizes(phase);
        let net = match &phase.warm_start {
            Some(path) => grown(&config, phase, &load_net(&config, path)?, 0)?,
            None => NetWeights::random(&sizes, config.seed)?,
        };
        let learner = new_learner(&config, phase, &net)?;
        let options = options(&config, phase, dir)?;
        let mut run = Run {
            average: new_average(phase, &net)?,
            dir: dir.to_owned(),
            store,
            learner,
            memory: Memory::default(),
            progress: Progress::default(),
            options,
            pending: None,
            rows: Rows::default(),
            core_seconds_before: -process_seconds(),
            config,
        };
        run.pending = Some(run.play_round(0, net, |_| ())?.0);
        Ok(run)
    }

    /// Goes on from the newest good checkpoint in `dir`; returns also what is wrong with newer ones. What has begun can only be
    /// changed if `changed` says so: the result is then not that of the configuration run as a whole.
    ///
    /// # Errors
    /// If there is no good checkpoint, or it belongs to another configuration.
    pub fn resume(config: Config, dir: &Path, changed: bool) -> Result<(Run, Vec<String>), RunError> {
        let store = CheckpointStore::open(&dir.join("checkpoints"), config.checkpoints.keep)?;
        let latest = store.latest_valid()?;
        let skipped = latest.skipped.iter().map(|(path, error)| format!("{}: {error}", path.display())).collect();
        let Some(checkpoint) = latest.checkpoint else {
            let why = "there is no good checkpoint in this directory".to_owned();
            return Err(RunError::Mismatch { path: dir.join("checkpoints"), why });
        };
        let run = Run::from_checkpoint(config, dir, store, checkpoint, changed)?;
        Ok((run, skipped))
    }

    fn from_checkpoint(
        config: Config,
        dir: &Path,
        store: CheckpointStore,
        checkpoint: Checkpoint,
        changed: bool,
    ) -> Result<Run, RunError> {
        let mismatch = |why: String| RunError::Mismatch { path: checkpoint.path.clone(), why };
        let file = |name: &str| {
            checkpoint.files.get(name).map(Vec::as_slice).ok_or_else(|| mismatch(format!("it has no file {name}")))
        };
        let state: State =
            serde_json::from_slice(file(files::STATE)?).map_err(|e| mismatch(format!("{}: {e}", files::STATE)))?;
        let earlier =
            std::str::from_utf8(file(files::CONFIG)?).map_err(|e| mismatch(format!("{}: {e}", files::CONFIG)))?;
        let earlier = Config::read(earlier, &[]).map_err(|e| mismatch(format!("{}: {e}", files::CONFIG)))?;
        let phase = state.progress.phase;
        let begun = phase.min(earlier.phases.len() - 1);
        if !changed && earlier.begun(begun) != config.begun(begun) {
            let why = format!(
                "it was made with another configuration ({}, this one is {}); what has begun can't be changed unless that is \
                 asked for, only later phases, evaluation and checkpoints; the checkpoint's own copy is {}",
                state.config_hash,
                config.hash(),
                checkpoint.path.join(files::CONFIG).display()
            );
            return Err(mismatch(why));
        }
        let net_of = |name: &str| -> Result<NetWeights, RunError> {
            let path = checkpoint.path.join(name);
            let model =
                ModelFile::from_bytes(file(name)?).map_err(|error| RunError::Format { path: path.clone(), error })?;
            model.net("all").cloned().ok_or_else(|| mismatch(format!("{name} holds no single network")))
        };
        // A run that was done, and to which phases may have been added.
        let was_done = phase >= earlier.phases.len();
        let phase = &config.phases[if was_done { earlier.phases.len() - 1 } else { phase }];
        let played = net_of(files::PLAYED)?;
        let mut learner = new_learner(&config, phase, &played)?;
        learner.restore(&Records { model: file(files::MODEL)?.to_vec(), adam: file(files::ADAM)?.to_vec() })?;
        let average = match phase.average > 0.0 {
            true => Some(Ema::resume(net_of(files::AVERAGE)?, phase.average, 0, state.average_updates)?),
            false => None,
        };
        let memory = Memory::from_bytes(file(files::MEMORY)?)
            .ok_or_else(|| mismatch(format!("{} is no memory", files::MEMORY)))?;
        let options = options(&config, phase, dir)?;
        let mut run = Run {
            average,
            dir: dir.to_owned(),
            store,
            learner,
            memory,
            progress: state.progress,
            options,
            pending: None,
            rows: Rows::default(),
            core_seconds_before: state.core_seconds - process_seconds(),
            config,
        };
        let phase = run.phase().clone();
        if was_done {
            run.begin_phase(&run.net()?)?;
        } else if run.progress.rounds >= phase.rounds() {
            // A phase that has been shortened to what was done of it, or less.
            run.finish_phase(&phase)?;
        } else {
            run.pending = Some(run.play_round(run.progress.rounds, played, |_| ())?.0);
        }
        Ok(run)
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What has been done.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Processor time spent on the run so far, in seconds over all cores, evaluations and earlier sittings included.
    pub fn core_seconds(&self) -> f64 {
        self.core_seconds_before + process_seconds()
    }

    /// All phases are done.
    pub fn is_done(&self) -> bool {
        self.progress.phase >= self.config.phases.len()
    }

    /// The phase under way (the last one when all are done).
    pub fn phase(&self) -> &Phase {
        &self.config.phases[self.progress.phase.min(self.config.phases.len() - 1)]
    }

    /// The weights that play and are exported: the average if there is one.
    ///
    /// # Errors
    /// If the learner's weights are not finite.
    pub fn net(&self) -> Result<NetWeights, RunError> {
        match &self.average {
            Some(average) => Ok(average.weights().clone()),
            None => Ok(self.learner.weights()?),
        }
    }

    /// The weights that play, as a model.
    ///
    /// # Errors
    /// As [`Run::net`].
    pub fn model(&self) -> Result<Arc<Model>, RunError> {
        Ok(Arc::new(Model::of_net(&self.net()?, self.config.layout(), self.config.rules)?))
    }

    /// The weights that play, as a file.
    ///
    /// # Errors
    /// As [`Run::net`].
    pub fn model_file(&self) -> Result<ModelFile, RunError> {
        let meta = ModelMeta { games: self.progress.games, ..meta(&self.config) };
        Ok(ModelFile::single(meta, self.net()?))
    }

    /// Writes the weights that play to `name` in the run's directory.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn export(&self, name: &str) -> Result<PathBuf, RunError> {
        let path = self.dir.join(name);
        self.model_file()?.save(&path).map_err(|error| RunError::Format { path: path.clone(), error })?;
        Ok(path)
    }

    /// Learns from the round that has been played and plays the next one meanwhile. At the end of a phase the next
    /// phase's net is made.
    ///
    /// # Errors
    /// If learning fails; the run must then not be saved.
    pub fn step(&mut self) -> Result<RoundReport, RunError> {
        let Some(pending) = self.pending.take() else { return Ok(RoundReport::default()) };
        let start = Instant::now();
        let phase = self.phase().clone();
        let last = self.progress.rounds + 1 >= phase.rounds();
        let mut report = if last {
            self.learn(&phase, pending)?
        } else {
            let net = self.net()?;
            let (next, report) = self.play_round(self.progress.rounds + 1, net, |run| run.learn(&phase, pending))?;
            self.pending = Some(next);
            report?
        };
        self.progress.rounds += 1;
        if last {
            self.finish_phase(&phase)?;
        }
        report.seconds = start.elapsed().as_secs_f64();
        Ok(report)
    }

    fn finish_phase(&mut self, phase: &Phase) -> Result<(), RunError> {
        self.export(&format!("phase-{}.safetensors", phase.name))?;
        let net = self.net()?;
        let Progress { games, samples, plies, phase: index, .. } = self.progress;
        self.progress = Progress { phase: index + 1, games, samples, plies, ..Progress::default() };
        self.begin_phase(&net)
    }

    /// Makes the net of the phase that comes next, if there is one, out of that of the phase before, and plays its first round.
    fn begin_phase(&mut self, net: &NetWeights) -> Result<(), RunError> {
        if self.is_done() {
            return Ok(());
        }
        let next = self.phase().clone();
        let revived = next.revive.then(|| self.revived(net)).transpose()?;
        let net = grown(&self.config, &next, revived.as_ref().unwrap_or(net), self.progress.phase)?;
        self.learner = new_learner(&self.config, &next, &net)?;
        self.average = new_average(&next, &net)?;
        self.options = options(&self.config, &next, &self.dir)?;
        self.memory.clear();
        self.pending = Some(self.play_round(0, net, |_| ())?.0);
        Ok(())
    }

    /// The net with its idle units put to work, going by the positions last learned from.
    fn revived(&self, net: &NetWeights) -> Result<NetWeights, RunError> {
        const POSITIONS: usize = 8192;
        const NOISE: f64 = 0.5;
        let seed = seed_for_game(self.config.seed, self.progress.phase as u64);
        let rows = self.dense_rows(&self.memory.draw(POSITIONS, seed));
        Ok(expand::revive(net, &rows, NOISE, seed)?)
    }

    /// The network's inputs for each sample.
    fn dense_rows(&self, samples: &[Sample]) -> Vec<Vec<f32>> {
        let layout = self.config.layout();
        let row = |sample: &Sample| {
            let mut row = vec![0.0; layout.num_inputs()];
            layout.encode_dense(sample.position, &mut row, &mut Vec::new());
            row
        };
        samples.iter().map(row).collect()
    }

    /// Plays a round of the present phase with `net`; `meanwhile` runs on this thread before it joins in.
    fn play_round<M>(
        &mut self,
        round: u64,
        net: NetWeights,
        meanwhile: impl FnOnce(&mut Run) -> M,
    ) -> Result<(Pending, M), RunError> {
        let phase = self.phase().clone();
        let model = Arc::new(Model::of_net(&net, self.config.layout(), self.config.rules)?);
        let first = round * phase.round;
        let games = phase.round.min(phase.games - first);
        // Numbers run on through the phases, so that no two games of a run are the same.
        let before: u64 = self.config.phases[..self.progress.phase].iter().map(|phase| phase.games).sum();
        let numbers = before + first..before + first + games;
        let lambda = phase.lambda.at(first as f64 / phase.games as f64);
        let (options, seed, rules, threads) =
            (self.options.clone(), self.config.seed, self.config.rules, self.config.threads());
        let finish = |worker: &mut super::self_play::Worker, game: PlayedGame| {
            (stats_of(&game), samples_of(&game, &phase, lambda, seed, worker))
        };
        let (played, other) = play_games(&model, rules, &options, numbers, threads, finish, || meanwhile(self))?;
        let mut stats = RoundStats::default();
        let mut samples = Vec::new();
        for (game, from_game) in played {
            stats.add(&game);
            samples.extend(from_game?);
        }
        Ok((Pending { samples, stats, lambda, net }, other))
    }

    fn learn(&mut self, phase: &Phase, pending: Pending) -> Result<RoundReport, RunError> {
        let start = Instant::now();
        let Pending { samples, stats, lambda, .. } = pending;
        let number = (samples.len() as f64 * phase.passes).round() as usize;
        self.memory.push(samples, phase.replay);
        let round_id = (self.progress.phase as u64) << 40 | self.progress.rounds;
        let drawn = self.memory.draw(number, seed_for_game(!self.config.seed, round_id));
        let mut report = RoundReport { played: stats, lambda, samples: drawn.len() as u64, ..RoundReport::default() };
        let layout = self.config.layout();
        for (i, samples) in drawn.chunks(phase.batch).enumerate() {
            let part = (i * phase.batch) as f64 / drawn.len() as f64;
            let done = self.progress.phase_games as f64 + part * stats.games as f64;
            report.rate = phase.rate.at(done / phase.games as f64);
            self.rows.fill(samples, layout);
            let Rows { entries, ends, targets, masks } = &self.rows;
            let batch = Batch { inputs: Inputs::Sparse { entries, ends }, targets, masks, weights: None };
            let step = self.learner.step(&batch, report.rate)?;
            report.loss += step.loss * samples.len() as f64;
            report.td_error += step.td_error * samples.len() as f64;
        }
        let n = drawn.len().max(1) as f64;
        (report.loss, report.td_error) = (report.loss / n, report.td_error / n);
        if let Some(average) = &mut self.average {
            average.update(&self.learner.weights()?)?;
        }
        self.progress.games += stats.games;
        self.progress.phase_games += stats.games;
        self.progress.samples += report.samples;
        self.progress.plies += stats.plies;
        report.learn_seconds = start.elapsed().as_secs_f64();
        Ok(report)
    }

    /// Saves a checkpoint and returns its directory.
    ///
    /// # Errors
    /// If the files can't be written; earlier checkpoints are then untouched.
    pub fn save(&self) -> Result<PathBuf, RunError> {
        let records = self.learner.records()?;
        let state = State {
            progress: self.progress,
            config_hash: self.config.hash(),
            average_updates: self.average.as_ref().map_or(0, Ema::updates),
            core_seconds: self.core_seconds(),
        };
        let state = serde_json::to_vec_pretty(&state).unwrap_or_default();
        let config = self.config.to_toml();
        let net_bytes = |net: &NetWeights| {
            let file = ModelFile::single(meta(&self.config), net.clone());
            file.to_bytes().map_err(|error| RunError::Format { path: self.dir.clone(), error })
        };
        let played = match &self.pending {
            Some(pending) => net_bytes(&pending.net)?,
            None => net_bytes(&self.net()?)?,
        };
        let average = self.average.as_ref().map(|average| net_bytes(average.weights())).transpose()?;
        let memory = self.memory.to_bytes();
        let mut list: Vec<(&str, &[u8])> = vec![
            (files::STATE, &state),
            (files::CONFIG, config.as_bytes()),
            (files::MODEL, &records.model),
            (files::ADAM, &records.adam),
            (files::PLAYED, &played),
            (files::MEMORY, &memory),
        ];
        if let Some(average) = &average {
            list.push((files::AVERAGE, average));
        }
        Ok(self.store.save(self.progress.games, &list)?)
    }

    /// Samples for histograms: the weights of each layer.
    ///
    /// # Errors
    /// As [`Run::net`].
    pub fn layer_weights(&self) -> Result<Vec<Vec<f32>>, RunError> {
        Ok(self.net()?.layers.into_iter().map(|layer| layer.weights).collect())
    }

    /// How many of its hidden units the net does not use, and how many it has, going by at most `number` positions: those to be
    /// learned from next, or those last learned from. `None` if there are no positions, between two phases.
    ///
    /// # Errors
    /// As [`Run::net`].
    pub fn idle_units(&self, number: usize) -> Result<Option<(usize, usize)>, RunError> {
        let net = self.net()?;
        let samples = match &self.pending {
            Some(pending) => pending.samples.iter().take(number).copied().collect(),
            None => self.memory.draw(number, self.config.seed),
        };
        let idle = expand::idle_units(&net, &self.dense_rows(&samples)).iter().sum();
        let units = net.layers[..net.layers.len() - 1].iter().map(|layer| layer.outputs).sum();
        Ok((!samples.is_empty()).then_some((idle, units)))
    }

    /// First-layer activations (before ReLU) on the positions of the round to be learned from next, at most `number`.
    ///
    /// # Errors
    /// As [`Run::net`].
    pub fn activations(&self, number: usize) -> Result<Vec<f32>, RunError> {
        let net = self.net()?;
        let (packed, width) = (PackedNet::new(&net)?, net.layers[0].outputs);
        let samples = self.pending.as_ref().map_or(&[][..], |pending| &pending.samples);
        let (mut inputs, mut all, mut sums) = (Vec::new(), Vec::new(), vec![0.0; packed.stride()]);
        for sample in samples.iter().take(number) {
            inputs.clear();
            self.config.layout().encode(sample.position, &mut inputs);
            packed.accumulate(packed.bias(), &inputs, &mut sums);
            all.extend_from_slice(&sums[..width]);
        }
        Ok(all)
    }
}

impl RoundStats {
    fn add(&mut self, other: &RoundStats) {
        self.games += other.games;
        self.plies += other.plies;
        self.broken_off += other.broken_off;
        self.classes.iter_mut().zip(other.classes).for_each(|(sum, n)| *sum += n);
    }
}

/// Processor time of this process, 0 where the system doesn't tell it.
fn process_seconds() -> f64 {
    cpu_time::ProcessTime::try_now().map_or(0.0, |time| time.as_duration().as_secs_f64())
}

fn stats_of(game: &PlayedGame) -> RoundStats {
    let mut stats = RoundStats { games: 1, plies: game.plies.len() as u64, ..RoundStats::default() };
    match game.outcome {
        Some(outcome) => stats.classes[outcome % (NUM_OUTCOMES / 2)] = 1,
        None => stats.broken_off = 1,
    }
    stats
}

fn meta(config: &Config) -> ModelMeta {
    ModelMeta {
        game: config.rules.game.to_string(),
        rules: config.rules.to_string(),
        features: config.features.clone(),
        features_version: config.layout().version(),
        config_hash: config.hash(),
        games: 0,
        commit: option_env!("NARDY_COMMIT").unwrap_or_default().to_owned(),
        notes: config.name.clone(),
    }
}

fn new_learner(config: &Config, phase: &Phase, net: &NetWeights) -> Result<Learner, RunError> {
    let learner = Learner::new(net, phase.adam.into(), config.device)?;
    Ok(learner.with_points(outcome_points(&config.rules)))
}

fn new_average(phase: &Phase, net: &NetWeights) -> Result<Option<Ema>, RunError> {
    Ok(if phase.average > 0.0 { Some(Ema::new(net.clone(), phase.average, 0)?) } else { None })
}

/// The net of the phase before, expanded to this phase's sizes.
fn grown(config: &Config, phase: &Phase, net: &NetWeights, index: usize) -> Result<NetWeights, RunError> {
    let (from, to) = (net.sizes(), config.sizes(phase));
    if from == to {
        return Ok(net.clone());
    }
    let plan = expand::plan(&from, &to)?;
    Ok(expand::expand(net, &plan, None, phase.growth, seed_for_game(config.seed, index as u64))?)
}

fn load_net(config: &Config, path: &Path) -> Result<NetWeights, RunError> {
    let refuse = |error| RunError::Format { path: path.to_owned(), error };
    let file = ModelFile::load(path).map_err(refuse)?;
    let why = |what: &str| RunError::Mismatch { path: path.to_owned(), why: what.to_owned() };
    if file.meta.game != config.rules.game.as_str() {
        return Err(why(&format!("it plays {} nardy, this run trains {} nardy", file.meta.game, config.rules.game)));
    }
    if file.meta.features != config.features && file.meta.features != Layout::Points.name() {
        return Err(why(&format!("its features are {:?}, this run's are {:?}", file.meta.features, config.features)));
    }
    file.net("all").cloned().ok_or_else(|| why("it has no single network for all phases"))
}

fn options(config: &Config, phase: &Phase, dir: &Path) -> Result<SelfPlay, RunError> {
    let filter = match &phase.filter {
        Some(filter) => {
            let earlier = config.phases.iter().any(|other| other.name == filter.model);
            let path = if earlier {
                dir.join(format!("phase-{}.safetensors", filter.model))
            } else {
                filter.model.clone().into()
            };
            let file = ModelFile::load(&path).map_err(|error| RunError::Format { path, error })?;
            let keep = Keep { most: filter.keep, within: filter.within.unwrap_or(f32::INFINITY) };
            Some(PlayFilter { model: Arc::new(Model::new(&file)?), keep })
        }
        None => None,
    };
    let starts = phase.starts.as_ref().map_or(Ok(Vec::new()), |path| read_starts(config, path))?;
    let exact_endings = phase.endings != Endings::Net;
    Ok(SelfPlay { seed: config.seed, random_plies: phase.random_plies, starts, filter, exact_endings })
}

fn read_starts(config: &Config, path: &Path) -> Result<Vec<crate::position::Position>, RunError> {
    let text = std::fs::read_to_string(path).map_err(|error| RunError::Io { path: path.to_owned(), error })?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let parse = |(i, line): (usize, &str)| {
        let parsed = parse_position(line, config.rules.game);
        parsed.map(|p| p.position).map_err(|error| RunError::Start { path: path.to_owned(), line: i + 1, error })
    };
    lines.map(parse).collect()
}

#[cfg(test)]
mod tests;
