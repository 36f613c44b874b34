//! One election that several workers hold.

use super::{Args, Held};
use crate::error::{Ending, Error};
use crate::flags::Conditions;
use crate::plan::{Setup, Source};
use crate::team;
use std::time::Instant;
use suffrage::algorithms::Algorithm;

impl Args {
    /// Refuses what only one worker can do.
    pub(super) fn check_team(&self, given: &str) -> Result<(), Error> {
        let clashes = [
            (self.trace.is_some(), "--trace"),
            (self.rounds, "--rounds"),
            (self.draw, "--draw"),
            (self.draw_network.is_some(), "--draw-network"),
            (self.conditions.invariants(), "--invariants"),
        ];
        match clashes.into_iter().find(|(asked, _)| *asked) {
            Some((_, flag)) => Err(team::clash(given, flag)),
            None => Ok(()),
        }
    }

    /// The network of several workers: in parts, if an algorithm is named and it can be read so.
    pub(super) fn shared(
        &self,
        text: &str,
        named: Option<&Algorithm>,
        conditions: &Conditions,
    ) -> Result<Source, Error> {
        let read =
            |algorithm| team::read(text, self.file.options(), algorithm, conditions, &self.team);
        match named.map(read).transpose()?.flatten() {
            Some(parts) => Ok(parts),
            None => Source::of_any_size(text, self.file),
        }
    }

    /// Holds an election with several workers.
    pub(super) fn together(&self, setup: &Setup, reason: Option<String>) -> Result<Ending, Error> {
        let start = Instant::now();
        let Some((outcome, facts)) = team::hold(setup, &self.team)? else {
            return Ok(Ending::Fine);
        };
        let seconds = start.elapsed().as_secs_f64();
        let held = Held { outcome, seconds, stopped: false, walk: String::new() };
        self.report(facts, &held, reason)
    }
}
