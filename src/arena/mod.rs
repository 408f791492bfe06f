//! Players against each other: who is better, by how much, and how sure that is.
//!
//! [`tournament`] plays pairs of games with duplicate dice between [`players`] – models, built-in ones, and foreign
//! [`engine`]s under a [`referee`] that names whatever they do wrong; [`stats`] turns results into estimates; [`report`]
//! shows them; [`analysis`] judges single decisions by a reference model, [`benchmark`] a fixed set of them by rollouts; [`curve`]
//! draws how a run learned.

pub mod analysis;
pub mod benchmark;
pub mod curve;
pub mod duel;
pub mod engine;
pub mod fault;
pub mod luck;
pub mod parallel;
pub mod players;
pub mod referee;
pub mod report;
pub mod seat;
pub mod stats;
pub mod tournament;
