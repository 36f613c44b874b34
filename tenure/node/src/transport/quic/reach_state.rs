//! Which addresses of a host are dialled when: what decides, without a clock or a network.

use std::time::Duration;

/// The time limit of the handshake, and also of the introduction: a few round trips each.
pub(crate) const ATTEMPT: Duration = Duration::from_secs(2);
/// The pause after which the next address is dialled, and a member that is silent again. A path that is restored
/// is used that soon: QUIC itself sends the first packet of a handshake again after longer and longer pauses.
const AGAIN: Duration = Duration::from_millis(100);
/// The time limit of the handshakes after the first with each address. That one is for paths with a longer
/// round trip.
pub(crate) const HASTY: Duration = Duration::from_millis(500);

/// An attempt to reach a host: its addresses are dialled one after the other, each after a pause, until a handshake
/// succeeds; earlier ones go on meanwhile. Those that are silent end by themselves.
#[derive(Debug)]
pub(crate) struct ReachState {
    /// The addresses, as people read them, and why each has failed.
    addresses: Vec<(String, Option<String>)>,
    /// Whether they are dialled again and again.
    eagerly: bool,
    begun: usize,
    next: Duration,
}

/// What has happened.
#[derive(Debug)]
pub(crate) enum ReachInput {
    /// [`ReachState::due`] has come.
    Due,
    /// The handshake with the address of this place has failed, for this reason.
    Failed(usize, String),
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReachOutput {
    /// Begin a handshake with the address of this place, which may take this long.
    Dial(usize, Duration),
    /// The host is not reached, for this reason.
    GiveUp(String),
}

impl ReachState {
    /// Begins to reach a host with these addresses, which are one or more.
    pub(crate) fn new(addresses: impl IntoIterator<Item = String>, eagerly: bool) -> Self {
        let addresses = addresses.into_iter().map(|address| (address, None)).collect();
        Self { addresses, eagerly, begun: 0, next: Duration::ZERO }
    }

    /// Returns when something is due next; as all times, from the beginning on.
    pub(crate) fn due(&self) -> Duration {
        let dials = self.eagerly || self.begun < self.addresses.len();
        if dials { self.next.min(ATTEMPT) } else { ATTEMPT }
    }

    pub(crate) fn step(&mut self, elapsed: Duration, input: ReachInput) -> Option<ReachOutput> {
        match input {
            ReachInput::Failed(place, why) => {
                self.addresses[place].1 = Some(why);
                let all = self.addresses.iter().all(|(_, why)| why.is_some());
                all.then(|| ReachOutput::GiveUp(self.told()))
            }
            ReachInput::Due if elapsed >= ATTEMPT => Some(ReachOutput::GiveUp(self.told())),
            ReachInput::Due if elapsed >= self.due() => {
                let first = self.begun < self.addresses.len();
                let place = self.begun % self.addresses.len();
                self.begun += 1;
                self.next = elapsed + AGAIN;
                let limit = if first { ATTEMPT } else { HASTY };
                self.addresses[place].1.is_none().then_some(ReachOutput::Dial(place, limit))
            }
            ReachInput::Due => None,
        }
    }

    fn told(&self) -> String {
        let why = |why: &Option<String>| why.clone().unwrap_or_else(|| "no answer".to_owned());
        match self.addresses.as_slice() {
            all if all.iter().all(|(_, why)| why.is_none()) => silent(),
            [(_, only)] => why(only),
            all => {
                let each = all.iter().map(|(to, it)| format!("{to}: {}", why(it)));
                each.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// Says that a host is not reached since it was silent.
pub(crate) fn silent() -> String {
    format!("no answer within {ATTEMPT:?}")
}

#[cfg(test)]
mod tests;
