//! The messages of the local protocol, version 1.
//!
//! A message is a JSON object with one key, which names it. Durations are in milliseconds, and none is an instant of a
//! clock. The documentation of these types goes into docs/reference/local-protocol.schema.json.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::time::SystemTime;
use tenure_node::status::{HostStatus, MembershipStatus, WorkStatus};
use tenure_node::{ParticipantStatus, ReleaseTicket};

/// The versions of the protocol that this program speaks.
pub(crate) const VERSIONS: &[u32] = &[1];

/// A message of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClientMessage {
    /// The first message of each connection. Answered by `hello`, with the greatest version that both speak.
    Hello {
        /// The versions of this protocol that the program speaks.
        versions: Vec<u32>,
    },
    /// Stand for an office. Answered by `leading` when it is led, which may take any time.
    Stand {
        /// The name of the office.
        office: String,
        /// Among the candidates for a vacant office, the one with the greatest priority leads; if absent, as the member
        /// is configured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        priority: Option<u32>,
        /// How long the work may go on after the leadership was lost, at most the stop time of the cluster; if absent,
        /// as the office is configured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop_ms: Option<u64>,
        /// How long to stand; if absent, until the office is led. Afterwards the answer is `refused` with `not_won`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wait_ms: Option<u64>,
        /// Whether to give up, with `not_won`, as soon as another program is known to lead.
        #[serde(default, rename = "try", skip_serializing_if = "is_false")]
        only_try: bool,
        /// The value of the leadership, such as an address: one line of at most 4096 bytes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// Whether the connection is open for as long as any part of the work may go on, however the program ends. Then
        /// the end of the connection releases the office at once. Otherwise it is released when all that the program
        /// was promised is over.
        #[serde(default, skip_serializing_if = "is_false")]
        guarded: bool,
        /// Of a `guarded` program: whether its guard says `release` on the connection when no part of the work is left. Then
        /// the end of the connection without that is no more than the end of the program: its guard may be gone, too.
        #[serde(default, skip_serializing_if = "is_false")]
        says_release: bool,
    },
    /// While the office is led: the program is well. The first one is answered by `valid`, and each `valid` by the next
    /// one. The leadership of a program that is silent ends.
    Alive {
        /// Any number, which comes back in `valid`: what the clock of the program shows as it sends this, for example.
        ping: u64,
        /// Whether the work has not heard of the last `valid` yet, as where its guard is not well. Then this is no answer
        /// to it.
        #[serde(default, skip_serializing_if = "is_false")]
        unheard: bool,
        /// What the work does, for operators, if that has changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<CommandNews>,
    },
    /// While the office is led: set another value of the leadership. Not answered.
    Proclaim {
        /// The value: one line of at most 4096 bytes. The empty one takes it back.
        value: String,
    },
    /// While the office is led, or was: the work has ended. Answered by `released`.
    Release {
        /// The participant that should lead next; if absent, any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<String>,
    },
    /// List all offices that any member knows. Answered by `offices`.
    List {},
    /// List the offices that this member knows, or show one: the question of a member to others. Answered by `offices`.
    Known {
        /// The name of the office; if absent, all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        office: Option<String>,
    },
    /// Show an office, as any member knows it. Answered by `office`.
    Show {
        /// The name of the office.
        office: String,
    },
    /// Show an office, now and at each change. Answered by one `office` after another.
    Watch {
        /// The name of the office.
        office: String,
    },
    /// Ask the leader of an office, wherever it is, to end its work and to leave. Answered by `done`.
    Resign {
        /// The name of the office.
        office: String,
    },
    /// Ask the leader of an office, wherever it is, to leave it to a participant. Answered by `done`.
    Transfer {
        /// The name of the office.
        office: String,
        /// The name of the participant.
        to: String,
    },
    /// List the leaders that an office has had, to the knowledge of this member. Answered by `history`.
    History {
        /// The name of the office.
        office: String,
    },
    /// Show the state of the member. Answered by `status`.
    Status {},
    /// Show the members of the cluster. Answered by `members`.
    Members {},
    /// Make a host that waits for that a member. Answered by `done` when the new members decide alone.
    AddMember {
        /// The name of the host.
        name: String,
        /// Where the other members reach it; if absent, at the address in its own configuration.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<String>,
    },
    /// Let a member be one no longer. Answered by `done` when the other members decide alone.
    RemoveMember {
        /// The name of the member.
        name: String,
    },
    /// Let a host that waits to be added take the place of a member. Answered by `done` when the new members decide alone.
    ReplaceMember {
        /// The name of the member.
        name: String,
        /// The name of the host.
        by: String,
        /// Where the other members reach it; if absent, at the address in its own configuration.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<String>,
    },
    /// Go on without members that are lost for good, with a majority. Answered by `done`. If they are not lost, there may be
    /// two leaders.
    ForceMembers {
        /// The names of the lost members.
        lost: Vec<String>,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde wants it.
const fn is_false(value: &bool) -> bool {
    !*value
}

/// What the work of a program does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct CommandNews {
    /// Whether it is under way.
    pub running: bool,
    /// Why it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl CommandNews {
    pub(crate) const RUNS: Self = Self { running: true, why: None };

    pub(crate) const fn idle(why: String) -> Self {
        Self { running: false, why: Some(why) }
    }

    /// Returns why it is not under way, if it is not.
    #[must_use]
    pub fn why_not(&self) -> Option<&str> {
        if self.running { None } else { Some(self.why.as_deref().unwrap_or_default()) }
    }
}

/// A message of the member.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MemberMessage {
    /// The answer to `hello`.
    Hello {
        /// The version that this connection speaks.
        version: u32,
        /// The name of the member.
        member: String,
        /// The version of the program.
        tenure: String,
    },
    /// A request is refused or has failed. The connection ends.
    Refused {
        /// What kind of refusal it is, for programs.
        code: RefusalCode,
        /// The reason, for people.
        why: String,
    },
    /// The office is led. It is certain for how long when the first `alive` is answered, and not before.
    Leading {
        /// The fencing token: greater than in all earlier leaderships of the office.
        term: u64,
        /// For `guarded` programs: what `tenure lead` needs to release the office after it was killed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(with = "Option<serde_json::Value>"))]
        release_ticket: Option<Box<ReleaseTicket>>,
    },
    /// The leadership is certain for longer than was said before.
    Valid {
        /// The number of the last `alive`.
        ping: u64,
        /// For how long it is certain, counted from when the program sent that `alive`.
        for_ms: u64,
    },
    /// The work has to end, and then the office be released: an operator wants it, or the member ends.
    Stopping {},
    /// The leadership is lost.
    Over {},
    /// The answer to `release`. The connection ends.
    Released {},
    /// The answer to a request that has been carried out. The connection ends.
    Done {},
    /// The answer to `list`.
    Offices(Vec<OfficeReport>),
    /// The answer to `show` and `watch`.
    Office(OfficeReport),
    /// The changes of an office, the latest last.
    History(Vec<LeaderChange>),
    /// The answer to `status`.
    Status(Box<StatusReport>),
    /// The answer to `members`.
    Members(MembersReport),
}

/// The kind of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RefusalCode {
    /// The line is no message, or none that can come here.
    Invalid,
    /// There is no version that both speak.
    Version,
    /// The program may not ask for this.
    Forbidden,
    /// The office cannot be led from here, whenever it is tried: its name or the stop time is wrong, or the member is a
    /// witness.
    Impossible,
    /// The office was not won in the time that was given, or another program leads it.
    NotWon,
    /// It was tried, and has failed.
    Failed,
}

/// An office, as a participant sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct OfficeReport {
    /// Its name.
    pub(crate) office: String,
    /// The leader; `null` if none is known.
    pub(crate) leader: Option<String>,
    /// The term of the leader, or else the last known term.
    pub(crate) term: Option<u64>,
    /// The value that the leader has set; absent if there is none, or it is not known yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    /// How often the leader of this term has changed its value; absent if that is not known yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) change: Option<u64>,
    /// The time of day at which a member that was asked learnt of it.
    pub(crate) since: Option<String>,
    /// How old this information is.
    pub(crate) staleness_ms: u64,
    /// Whether this participant leads.
    pub(crate) here: bool,
    /// For how long the leadership is certain, if a member that was asked leads.
    pub(crate) valid_for_ms: Option<u64>,
    /// What the command of the leader does, if its program tells: one of a member that was asked, or of a client.
    pub(crate) command: Option<CommandReport>,
}

/// Whether the command of a leader runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct CommandReport {
    /// Whether it runs.
    pub running: bool,
    /// The time of day since which that is so.
    pub(crate) since: String,
    /// Why it does not run.
    pub(crate) why: Option<String>,
}

impl CommandReport {
    pub(crate) fn of(work: &WorkStatus) -> Self {
        let since = SystemTime::now().checked_sub(work.since).unwrap_or(SystemTime::UNIX_EPOCH);
        let since = humantime::format_rfc3339_millis(since).to_string();
        Self { running: work.running, since, why: work.why.clone() }
    }
}

impl Display for CommandReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.running, &self.why) {
            (true, _) => write!(f, "runs since {}", self.since),
            (false, Some(why)) => write!(f, "DOES NOT RUN since {}: {why}", self.since),
            (false, None) => write!(f, "DOES NOT RUN since {}", self.since),
        }
    }
}

/// A change of an office's leader or term.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct LeaderChange {
    /// The time of day, in UTC, at which the participant learnt of it.
    pub(crate) at: String,
    /// The leader since then; `null` if none is known.
    pub(crate) leader: Option<String>,
    /// The term of the leader, or else the last known term.
    pub(crate) term: Option<u64>,
}

/// The members of the cluster, as the asked one knows them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct MembersReport {
    /// The number of the present membership: greater after each change.
    pub(crate) number: u64,
    /// Whether a change is under way.
    pub(crate) changing: bool,
    /// The members, in the order of their numbers.
    pub(crate) members: Vec<HostReport>,
    /// The names of the hosts that wait to be added, as they have told the asked member.
    pub(crate) waiting: Vec<String>,
}

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct HostReport {
    /// Its name.
    pub(crate) name: String,
    /// Its number, which is never given to another host.
    pub(crate) number: u32,
    /// The address at which the other members reach it.
    pub(crate) address: String,
    /// Whether it votes and never leads.
    pub(crate) witness: bool,
    /// Whether it is being added.
    pub(crate) comes: bool,
    /// Whether it is being removed.
    pub(crate) leaves: bool,
    /// Whether it is connected to the asked member, or is that one.
    pub(crate) connected: bool,
}

impl From<MembershipStatus> for MembersReport {
    fn from(status: MembershipStatus) -> Self {
        let member =
            |HostStatus { name, number, address, witness, comes, leaves, connected, .. }| {
                HostReport { name, number, address, witness, comes, leaves, connected }
            };
        let MembershipStatus { number, changing, hosts, waiting, .. } = status;
        Self { number, changing, members: hosts.into_iter().map(member).collect(), waiting }
    }
}

/// The state of a participant, and the times that its configuration guarantees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct StatusReport {
    /// The version of `tenure`.
    pub(crate) version: String,
    /// How often a leader renews its lease.
    pub(crate) heartbeat_ms: f64,
    /// How long a lease lasts without a renewal.
    pub(crate) lease_ms: f64,
    /// The longest stop time of an office.
    pub(crate) stop_ms: f64,
    /// The stop times of offices; 0 for offices that are not listed.
    pub(crate) stops_ms: BTreeMap<String, f64>,
    /// How much faster one clock may be than another, in millionths.
    pub(crate) clock_bound_ppm: u32,
    /// The longest vacancy after a silent crash, given the round trips and disk syncs measured
    /// here.
    pub(crate) longest_vacancy_ms: f64,
    /// The state itself, for people and `tenure status`. The protocol does not promise its fields: each version of
    /// `tenure` may change them.
    #[cfg_attr(test, schemars(with = "serde_json::Value"))]
    pub(crate) state: ParticipantStatus,
}

#[cfg(test)]
mod tests;
