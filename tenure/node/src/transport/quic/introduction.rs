//! The introduction of two participants, on the first stream of a connection.
//!
//! The dialler sends an [`DiallerIntroduction`] of at most [`LONGEST`] bytes, and the other side an [`IntroductionReply`] of at most
//! [`LONGEST_ANSWER`]: each the whole of its stream. Datagrams follow, with messages that are each preceded
//! by their length.
//!
//! Unlike greetings over TCP it has no magic number and no frames, which QUIC supplies, and it agrees on a version of
//! a range: members are upgraded one at a time, while all nodes of an election are started together.

use crate::membership::ClusterMembers;
use crate::roster::RosterHost;
use crate::timing::{LeaseTiming, Stops};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt;

/// The maximal length of the introduction of a dialler, in bytes: enough for a roster of
/// [`MOST_HOSTS`](crate::roster::MOST_HOSTS).
pub(super) const LONGEST: usize = 1 << 15;
/// The maximal length of an answer, in bytes: enough for the stop times of
/// [`MOST_OFFICES`](crate::config::MOST_OFFICES).
pub(super) const LONGEST_ANSWER: usize = 1 << 17;
/// The versions that this program supports.
pub(crate) const VERSIONS: Versions = Versions { oldest: 2, newest: 2 };

/// A range of versions of the protocol between participants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Versions {
    pub(crate) oldest: u16,
    pub(crate) newest: u16,
}

impl Versions {
    pub(super) fn common(self, theirs: Self) -> Option<u16> {
        let newest = self.newest.min(theirs.newest);
        (newest >= self.oldest.max(theirs.oldest)).then_some(newest)
    }

    pub(super) const fn has(self, version: u16) -> bool {
        self.oldest <= version && version <= self.newest
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.oldest == self.newest {
            true => write!(f, "version {}", self.newest),
            false => write!(f, "versions {} to {}", self.oldest, self.newest),
        }
    }
}

/// The settings on which all participants of a cluster must agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Agreement {
    /// The heartbeat, in microseconds; the following times are, too.
    pub(crate) heartbeat: u64,
    pub(crate) lease: u64,
    pub(crate) stop: u64,
    /// The bound on clock rates, in millionths.
    pub(crate) clock_bound: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DiallerIntroduction {
    /// The versions that it supports. They come first in every version, so that all can read them.
    pub(crate) versions: Versions,
    pub(crate) cluster: String,
    /// The settings; `None` from a dialler that asks for them.
    pub(crate) agreement: Option<Agreement>,
    /// Who the members are, to the knowledge of a dialler that has settings.
    pub(crate) membership: Option<ClusterMembers>,
    /// A random number, drawn at this start of the program.
    pub(crate) instance: u128,
    pub(crate) who: DiallerIdentity,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum DiallerIdentity {
    /// A process with any certificate of the cluster, which asks for its members.
    Visitor,
    /// A host that waits to be added as a member, and asks for the members like a visitor.
    Newcomer(RosterHost),
    /// A member, or a host that is to become one or was one.
    Member { name: String, number: u32 },
    Client {
        name: String,
        /// The prefix of the name, which is in the certificate.
        credential: String,
        number: u32,
    },
    /// The crash notifier of a member or a client.
    CrashNotifier {
        name: String,
        /// The name that is in the certificate.
        credential: String,
        number: u32,
    },
    /// An operator that asks this member, with any certificate of the cluster.
    Operator,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum IntroductionReply {
    Welcome(Box<WelcomeReply>),
    /// The connection is refused as long as this reason holds. Every version can read it.
    Refused(String),
    /// Another client has the number of the dialler, which should draw another one. With the
    /// message for its log.
    Taken(String),
}

/// What a dialler is told that is not refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WelcomeReply {
    pub(crate) version: u16,
    pub(crate) name: String,
    pub(crate) instance: u128,
    pub(crate) agreement: Agreement,
    pub(crate) membership: ClusterMembers,
    /// The stop times of the offices that are configured, for a visitor.
    pub(crate) stops: Stops,
}

impl DiallerIntroduction {
    /// The introduction of one that asks for the settings.
    pub(crate) fn of(versions: Versions, cluster: &str, who: DiallerIdentity) -> Self {
        let (cluster, instance) = (cluster.to_owned(), crate::random::draw());
        Self { versions, cluster, agreement: None, membership: None, instance, who }
    }
}

impl Agreement {
    pub(crate) fn new(timing: &LeaseTiming) -> Self {
        Self {
            heartbeat: timing.heartbeat.as_micros() as u64,
            lease: timing.lease.as_micros() as u64,
            stop: timing.stop.as_micros() as u64,
            clock_bound: timing.clock_bound,
        }
    }

    pub(crate) fn timing(&self) -> LeaseTiming {
        let micros = std::time::Duration::from_micros;
        LeaseTiming {
            heartbeat: micros(self.heartbeat),
            lease: micros(self.lease),
            stop: micros(self.stop),
            clock_bound: self.clock_bound,
        }
    }

    /// Describes a setting on which the two sides do not agree: the value of this side, and of the
    /// other.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let micros = |time: u64| format!("{:?}", std::time::Duration::from_micros(time));
        let differ = |what, here: String, there: String| {
            (here != there).then(|| format!("{what}: {here} here, {there} there"))
        };
        differ("heartbeat", micros(self.heartbeat), micros(other.heartbeat))
            .or_else(|| differ("lease", micros(self.lease), micros(other.lease)))
            .or_else(|| differ("stop", micros(self.stop), micros(other.stop)))
            .or_else(|| {
                let bound = |agreement: &Self| agreement.clock_bound.to_string();
                differ("clock bound", bound(self), bound(other))
            })
    }
}

pub(crate) fn encode(what: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(what).unwrap_or_default()
}

/// Decodes an introduction. A newer version may have appended to it.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::take_from_bytes(bytes).ok().map(|(what, _)| what)
}

#[cfg(test)]
mod tests;
