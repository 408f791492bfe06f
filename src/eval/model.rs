//! A trained model at work: from a position, or all results of a roll, to chances and equities.

use crate::bearoff::{Bearoff, Mars};
use crate::features::{Extras, Layout};
use crate::game::{NUM_OUTCOMES, Player, outcome_index, outcome_points, possible_outcomes};
use crate::movegen::PlayList;
use crate::net::{
    AlignedBuf, BLOCK_ROWS, FormatError, KernelError, ModelFile, Needs, NetWeights, PackedNet, PlainCode, Scratch,
};
use crate::position::{Position, is_race};
use crate::rules::{Game, ParseRulesError, Rules};
use crate::types::Roll;
use std::path::Path;
use std::sync::Arc;

/// Chances of the six outcomes, for the side named where it is used: win oin, win mars, win koks, lose oin, lose mars,
/// lose koks. They sum to 1.
pub type Outcomes = [f32; NUM_OUTCOMES];

/// The same chances seen by the other side.
#[inline]
pub fn flip<T: Copy>(outcomes: [T; NUM_OUTCOMES]) -> [T; NUM_OUTCOMES] {
    let [a, b, c, d, e, f] = outcomes;
    [d, e, f, a, b, c]
}

/// Expected points of a game, given the points of each outcome.
#[inline]
pub fn equity(outcomes: &Outcomes, points: &Outcomes) -> f32 {
    outcomes.iter().zip(points).map(|(chance, points)| chance * points).sum()
}

/// Why a model can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file itself.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The network can't be evaluated on this machine.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Rules that this program does not know.
    #[error("the model was trained with rules that this program does not know: {0}")]
    Rules(#[from] ParseRulesError),
    /// A layout that this program does not know.
    #[error("the model needs the features {found:?}; this program computes {}", Layout::ALL.map(Layout::name).join(", "))]
    Layout {
        /// The layout's name in the file.
        found: String,
    },
    /// Another game.
    #[error("the model plays {found} nardy, but {needed} nardy is to be played")]
    Game {
        /// The model's game.
        found: Game,
        /// The game to be played.
        needed: Game,
    },
    /// Networks for phases that this program does not tell apart.
    #[error("the model has networks for the phases {found:?}; expected \"all\", or \"contact\" and \"race\"")]
    Phases {
        /// The phases in the file.
        found: Vec<String>,
    },
}

/// A model ready for use; shared by threads, each with an [`Evaluator`] of its own.
#[derive(Debug)]
pub struct Model {
    rules: Rules,
    layout: Layout,
    /// One network, or contact and race.
    nets: Vec<PackedNet>,
}

impl Model {
    /// Packs the networks of a model file.
    ///
    /// # Errors
    /// If the file is for another program version: rules, features or phases unknown here.
    pub fn new(file: &ModelFile) -> Result<Model, ModelError> {
        let rules: Rules = file.meta.rules.parse()?;
        let layout = Layout::by_name(&file.meta.features)
            .filter(|layout| layout.suits(rules.game))
            .ok_or_else(|| ModelError::Layout { found: file.meta.features.clone() })?;
        file.require(&Needs {
            game: rules.game.as_str(),
            features: layout.name(),
            features_version: layout.version(),
            inputs: layout.num_inputs(),
        })?;
        let phases: Vec<&NetWeights> = match (file.net("all"), file.net("contact"), file.net("race")) {
            (Some(all), None, None) => vec![all],
            (None, Some(contact), Some(race)) => vec![contact, race],
            _ => return Err(ModelError::Phases { found: file.nets.iter().map(|(name, _)| name.clone()).collect() }),
        };
        let nets = phases.into_iter().map(PackedNet::new).collect::<Result<_, _>>()?;
        Ok(Model { rules, layout, nets })
    }

    /// Loads a model file.
    ///
    /// # Errors
    /// If it can't be read or used.
    pub fn load(path: impl AsRef<Path>) -> Result<Model, ModelError> {
        Model::new(&ModelFile::load(path)?)
    }

    /// A model of one network that is still being trained.
    ///
    /// # Errors
    /// If the network can't be packed.
    pub fn of_net(net: &NetWeights, layout: Layout, rules: Rules) -> Result<Model, KernelError> {
        Ok(Model { rules, layout, nets: vec![PackedNet::new(net)?] })
    }

    /// The rules that the model was trained with.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Its features.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// # Errors
    /// If the model plays another game than `rules` do.
    pub fn check_game(&self, rules: &Rules) -> Result<(), ModelError> {
        if self.rules.game == rules.game {
            return Ok(());
        }
        Err(ModelError::Game { found: self.rules.game, needed: rules.game })
    }

    fn net_index(&self, position: Position) -> usize {
        usize::from(self.nets.len() > 1 && is_race(self.rules.game, position))
    }
}

/// Evaluates positions with a model; holds the buffers, so that evaluating allocates nothing once they have grown.
#[derive(Debug)]
pub struct Evaluator {
    model: Arc<Model>,
    rules: Rules,
    points: Outcomes,
    endings: Option<&'static Bearoff>,
    scratch: Scratch,
    /// First-layer sums of the position a roll starts from, which all its results differ little from.
    base: AlignedBuf,
    /// The network and the position (seen by the opponent) that `base` belongs to.
    base_of: Option<(usize, Position)>,
    base_extras: Extras,
    sums: AlignedBuf,
    changes: Vec<(u16, f32)>,
    ends: Vec<usize>,
    masks: Vec<u8>,
    outcomes: Vec<Outcomes>,
    chosen: Vec<u32>,
    seen: Vec<Outcomes>,
}

impl Evaluator {
    /// An evaluator for games under `rules`, which may differ from those the model was trained with, but not in the game.
    ///
    /// # Errors
    /// If the model plays another game.
    pub fn new(model: Arc<Model>, rules: Rules) -> Result<Evaluator, ModelError> {
        model.check_game(&rules)?;
        Ok(Evaluator {
            model,
            rules,
            points: outcome_points(&rules),
            endings: None,
            scratch: Scratch::default(),
            base: AlignedBuf::default(),
            base_of: None,
            base_extras: Extras::default(),
            sums: AlignedBuf::default(),
            changes: Vec::new(),
            ends: Vec::new(),
            masks: Vec::new(),
            outcomes: Vec::new(),
            chosen: Vec::new(),
            seen: Vec::new(),
        })
    }

    /// Values positions where both sides bear off by tables instead of the network ([`Bearoff`]), if there are any for the
    /// rules, and the chance of a mars where one does ([`Bearoff::mars`]). The first such position costs the time to fill them.
    #[must_use]
    pub fn with_exact_endings(self) -> Evaluator {
        let endings = Bearoff::of(&self.rules);
        Evaluator { endings, ..self }
    }

    /// Another evaluator of the same kind, for another thread.
    ///
    /// # Errors
    /// None that making this one did not have.
    pub fn fork(&self) -> Result<Evaluator, ModelError> {
        Ok(Evaluator { endings: self.endings, ..Evaluator::new(self.model.clone(), self.rules)? })
    }

    /// The rules it evaluates under.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The points of each outcome.
    pub fn points(&self) -> &Outcomes {
        &self.points
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Chances for the side on roll before it throws; exact for a finished game (all 0 for a draw).
    pub fn evaluate(&mut self, position: Position) -> Outcomes {
        flip(self.evaluate_results(position.swapped(), &[position.swapped()])[0])
    }

    /// Chances, for the side that has just moved, of each position in `results`, which it reached from `before` (all
    /// seen by the mover); exact where the game is over.
    pub fn evaluate_results(&mut self, before: Position, results: &[Position]) -> &[Outcomes] {
        self.evaluate_all(Some(before), results)
    }

    /// The same for positions that have nothing to do with each other. What a position is worth here does not depend, not
    /// even in the last bit, on the positions that it is evaluated with; so it may be kept and used again.
    pub fn evaluate_each(&mut self, results: &[Position]) -> &[Outcomes] {
        self.evaluate_all(None, results)
    }

    fn evaluate_all(&mut self, before: Option<Position>, results: &[Position]) -> &[Outcomes] {
        let endings = self.endings;
        let needs_net = |result: Position| !(result.is_over() || endings.is_some() && Bearoff::covers(result));
        self.outcomes.clear();
        self.outcomes.resize(results.len(), [0.0; NUM_OUTCOMES]);
        for index in 0..self.model.nets.len() {
            self.chosen.clear();
            self.chosen.extend((0..results.len() as u32).filter(|&i| {
                let result = results[i as usize];
                needs_net(result) && self.model.net_index(result.swapped()) == index
            }));
            if !self.chosen.is_empty() {
                self.run_net(index, before, results);
            }
        }
        for (outcomes, result) in self.outcomes.iter_mut().zip(results) {
            if result.is_over() {
                if let Some(index) = outcome_index(*result, &self.rules) {
                    outcomes[index] = 1.0;
                }
            } else if let Some(exact) = endings.and_then(|tables| tables.outcomes(result.swapped(), &self.rules)) {
                *outcomes = flip(exact);
            } else if let Some(mars) = endings.and_then(|tables| tables.mars(result.swapped(), &self.rules)) {
                // Seen by the mover, what the side on roll loses is won.
                *outcomes = match mars {
                    Mars::Lost(chance) => with_mars(*outcomes, chance),
                    Mars::Won(chance) => flip(with_mars(flip(*outcomes), chance)),
                };
            }
        }
        &self.outcomes
    }

    /// Evaluates the results numbered in `chosen` with one network.
    fn run_net(&mut self, index: usize, before: Option<Position>, results: &[Position]) {
        let (net, layout) = (&self.model.nets[index], self.model.layout);
        let from = before.map(Position::swapped);
        if let Some(from) = from {
            if self.base_of != Some((index, from)) {
                self.base_extras = layout.extras(from);
                self.changes.clear();
                layout.encode_with(from, &self.base_extras, &mut self.changes);
                self.base.grow(net.stride());
                net.accumulate(net.bias(), &self.changes, &mut self.base[..net.stride()]);
                self.base_of = Some((index, from));
            }
        } else {
            // The kernel adds up in another order where it has few rows left; full blocks are all treated alike.
            let last = self.chosen[self.chosen.len() - 1];
            self.chosen.resize(self.chosen.len().next_multiple_of(BLOCK_ROWS), last);
        }
        net.run(Encoding {
            layout,
            rules: &self.rules,
            from: from.map(|from| (from, &self.base_extras)),
            results: self.chosen.iter().map(|&i| results[i as usize].swapped()),
            changes: &mut self.changes,
            ends: &mut self.ends,
            masks: &mut self.masks,
        });
        let n = self.chosen.len();
        self.sums.grow(n * net.stride());
        let sums = &mut self.sums[..n * net.stride()];
        let base = if from.is_some() { &self.base[..net.stride()] } else { net.bias() };
        net.accumulate_rows(base, &self.changes, &self.ends, sums);
        self.seen.resize(n, [0.0; NUM_OUTCOMES]);
        net.forward_rows(sums, n, Some(&self.masks), &mut self.scratch, &mut self.seen);
        for (&i, outcomes) in self.chosen.iter().zip(&self.seen) {
            self.outcomes[i as usize] = flip(*outcomes);
        }
    }

    /// The best of several positions reached from `before`, as in [`Evaluator::evaluate_results`]: its number (the first of
    /// equals), and its chances for the mover.
    ///
    /// # Panics
    /// If there are none.
    pub fn best_result(&mut self, before: Position, results: &[Position]) -> (usize, Outcomes) {
        let points = self.points;
        let outcomes = self.evaluate_results(before, results);
        let best = best_of(outcomes, &points);
        (best, outcomes[best])
    }

    /// The best play of a roll by the model alone (0-ply): its number, and its chances for the mover.
    ///
    /// # Panics
    /// If the list is empty.
    pub fn best_play(&mut self, before: Position, plays: &PlayList) -> (usize, Outcomes) {
        self.best_result(before, plays.positions())
    }
}

/// The same chances, but that of winning by a mars or a koks is `mars`, and that of winning at least as much.
fn with_mars(outcomes: Outcomes, mars: f32) -> Outcomes {
    let [oin, win_mars, koks, lose @ ..] = outcomes;
    let old_win = oin + win_mars + koks;
    let win = old_win.max(mars);
    let koks = koks.min(mars);
    let [a, b, c] = lose.map(|chance| if win > old_win { chance * (1.0 - win) / (1.0 - old_win) } else { chance });
    [win - mars, mars - koks, koks, a, b, c]
}

/// The number of the chances with the highest equity, the first of equals; 0 if there are none.
pub fn best_of(outcomes: &[Outcomes], points: &Outcomes) -> usize {
    let (mut best, mut best_equity) = (0, f32::NEG_INFINITY);
    for (i, outcomes) in outcomes.iter().enumerate() {
        let equity = equity(outcomes, points);
        if equity > best_equity {
            (best, best_equity) = (i, equity);
        }
    }
    best
}

/// Encodes positions, given as the side on roll sees them: all their inputs, or how these differ from a position's.
#[derive(Debug)]
pub struct Encoding<'a, I> {
    /// The layout of the inputs.
    pub layout: Layout,
    /// Which outcomes are possible follows from them.
    pub rules: &'a Rules,
    /// What the positions are compared with, and its extras.
    pub from: Option<(Position, &'a Extras)>,
    /// The positions.
    pub results: I,
    /// The inputs or changes, position after position.
    pub changes: &'a mut Vec<(u16, f32)>,
    /// For each position the number of changes up to its end.
    pub ends: &'a mut Vec<usize>,
    /// For each position the possible outcomes, bit by bit.
    pub masks: &'a mut Vec<u8>,
}

impl<I: Iterator<Item = Position>> PlainCode for Encoding<'_, I> {
    #[inline(always)]
    fn run(self) {
        let Encoding { layout, rules, from, results, changes, ends, masks } = self;
        changes.clear();
        ends.clear();
        masks.clear();
        for to in results {
            match from {
                Some((from, extras)) => layout.changes(from, extras, to, changes),
                None => layout.encode(to, changes),
            }
            ends.push(changes.len());
            masks.push(possible_outcomes(to, rules));
        }
    }
}

/// A model as a player: the best play at 0-ply.
#[derive(Debug)]
pub struct ModelPlayer {
    name: String,
    evaluator: Evaluator,
}

impl ModelPlayer {
    /// A player of that name.
    pub fn new(name: impl Into<String>, evaluator: Evaluator) -> ModelPlayer {
        ModelPlayer { name: name.into(), evaluator }
    }
}

impl Player for ModelPlayer {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn choose(&mut self, position: Position, _roll: Roll, _rules: &Rules, plays: &PlayList) -> usize {
        self.evaluator.best_play(position, plays).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::legal_plays;

    fn evaluator(rules: Rules, layout: Layout) -> (Evaluator, NetWeights) {
        let net = NetWeights::random(&[layout.num_inputs(), 32, 16, 6], 7).unwrap();
        (Evaluator::new(Arc::new(Model::of_net(&net, layout, rules).unwrap()), rules).unwrap(), net)
    }

    #[test]
    fn results_of_a_roll_are_valued_as_each_alone_and_as_the_plain_net_does() {
        for (rules, layout) in
            [(Rules::SHORT, Layout::Short), (Rules::LONG, Layout::Long), (Rules::LONG, Layout::Points)]
        {
            let (mut evaluator, net) = evaluator(rules, layout);
            let mut position = Position::start(rules.game);
            let mut dense = vec![0.0; layout.num_inputs()];
            for i in 0..200 {
                let plays = legal_plays(position, Roll::ALL[i * 5 % 21], &rules);
                let all = evaluator.evaluate_results(position, plays.positions()).to_vec();
                for (result, outcomes) in plays.positions().iter().zip(&all).filter(|(result, _)| !result.is_over()) {
                    let on_roll = result.swapped();
                    layout.encode_dense(on_roll, &mut dense, &mut Vec::new());
                    let expected = net.forward(&dense, Some(possible_outcomes(on_roll, &rules)));
                    let alone = evaluator.evaluate(on_roll);
                    for k in 0..NUM_OUTCOMES {
                        assert!((flip(*outcomes)[k] - expected[k]).abs() < 1e-5, "{on_roll:?}");
                        assert!((alone[k] - expected[k]).abs() < 1e-5, "{on_roll:?}");
                    }
                }
                position = plays.positions()[i % plays.len()].swapped();
                if position.is_over() {
                    position = Position::start(rules.game);
                }
            }
        }
    }

    #[test]
    fn a_position_evaluated_alone_has_the_same_bits_in_any_company() {
        for (rules, layout) in [(Rules::SHORT, Layout::Short), (Rules::LONG, Layout::Long)] {
            let (mut evaluator, _) = evaluator(rules, layout);
            let position = Position::start(rules.game);
            let all: Vec<Position> =
                Roll::ALL.iter().flat_map(|&roll| legal_plays(position, roll, &rules).positions().to_vec()).collect();
            let together = evaluator.evaluate_each(&all).to_vec();
            for (size, parts) in (1..=13).map(|size| (size, all.chunks(size))) {
                let apart: Vec<Outcomes> = parts.flat_map(|part| evaluator.evaluate_each(part).to_vec()).collect();
                assert_eq!(apart, together, "{size} at a time");
            }
            for (one, outcomes) in all.iter().zip(&together) {
                let usual = evaluator.evaluate_results(position, &[*one])[0];
                assert!(usual.iter().zip(outcomes).all(|(a, b)| (a - b).abs() < 1e-5), "{one:?}");
            }
        }
    }

    #[test]
    fn endings_are_valued_by_tables_if_wanted_and_the_rest_by_the_network() {
        use crate::position::Checkers;
        let position =
            Position { us: Checkers::from_points(&[(10, 1), (2, 1)]), them: Checkers::from_points(&[(6, 1), (5, 1)]) };
        for rules in [Rules::SHORT, Rules::LONG, "long,last_turn=true".parse().unwrap()] {
            let (evaluator, _) = evaluator(rules, Layout::Points);
            let (mut plain, _) = self::evaluator(rules, Layout::Points);
            let mut exact = evaluator.with_exact_endings();
            let plays = legal_plays(position, Roll::new(3, 1).unwrap(), &rules);
            let chances = exact.evaluate_results(position, plays.positions()).to_vec();
            let tables = Bearoff::of(&rules);
            let mut covered = 0;
            for (result, outcomes) in plays.positions().iter().zip(&chances) {
                let expected = tables.and_then(|tables| tables.outcomes(result.swapped(), &rules));
                covered += usize::from(expected.is_some());
                let by_net = plain.evaluate_results(position, &[*result])[0];
                match expected {
                    Some(expected) => assert_eq!(flip(*outcomes), expected),
                    None => assert!(outcomes.iter().zip(by_net).all(|(a, b)| (a - b).abs() < 1e-5)),
                }
            }
            assert_eq!(covered > 0 && covered < plays.len(), tables.is_some(), "{covered} of {}", plays.len());
        }
    }

    #[test]
    fn the_chance_of_a_mars_comes_from_a_table_where_one_side_alone_is_at_home() {
        use crate::position::Checkers;
        let home = Checkers::from_points(&[(6, 2), (5, 2)]);
        let outside = Checkers::from_points(&[(12, 1), (6, 5), (5, 5), (4, 4)]);
        for rules in [Rules::SHORT, Rules::LONG] {
            let tables = Bearoff::of(&rules).unwrap();
            let (evaluator, _) = evaluator(rules, Layout::Points);
            let (mut plain, _) = self::evaluator(rules, Layout::Points);
            let mut exact = evaluator.with_exact_endings();
            for (us, them) in [(home, outside), (outside, home)] {
                let position = Position { us, them };
                let chances = exact.evaluate(position);
                let (seen, expected) = match tables.mars(position, &rules).unwrap() {
                    Mars::Won(chance) => (chances[1] + chances[2], chance),
                    Mars::Lost(chance) => (chances[4] + chances[5], chance),
                };
                assert!((seen - expected).abs() < 1e-6 && expected > 0.01, "{position:?}: {chances:?}");
                assert!((chances.iter().sum::<f32>() - 1.0).abs() < 1e-6);
                // Who wins is still for the network to say.
                let win = |chances: Outcomes| chances[..3].iter().sum::<f32>();
                assert!((win(chances) - win(plain.evaluate(position))).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_mars_that_is_likelier_than_winning_raises_that() {
        let chances = with_mars([0.2, 0.1, 0.1, 0.3, 0.2, 0.1], 0.7);
        let expected = [0.0, 0.6, 0.1, 0.15, 0.1, 0.05];
        assert!(chances.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{chances:?}");
        let chances = with_mars([0.2, 0.1, 0.1, 0.3, 0.2, 0.1], 0.05);
        let expected = [0.35, 0.0, 0.05, 0.3, 0.2, 0.1];
        assert!(chances.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{chances:?}");
    }

    #[test]
    fn a_finished_game_is_valued_exactly() {
        let (mut evaluator, _) = evaluator(Rules::SHORT, Layout::Points);
        let before = Position {
            us: crate::position::Checkers::from_points(&[(1, 1)]),
            them: crate::position::Checkers::from_points(&[(24, 1), (6, 14)]),
        };
        let plays = legal_plays(before, Roll::new(6, 5).unwrap(), &Rules::SHORT);
        assert_eq!(evaluator.best_play(before, &plays), (0, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]));
    }

    #[test]
    fn a_model_of_the_other_game_is_refused() {
        let net = NetWeights::random(&[Layout::Points.num_inputs(), 6], 1).unwrap();
        let model = Arc::new(Model::of_net(&net, Layout::Points, Rules::SHORT).unwrap());
        let error = Evaluator::new(model, Rules::LONG).unwrap_err().to_string();
        assert_eq!(error, "the model plays short nardy, but long nardy is to be played");
    }
}
