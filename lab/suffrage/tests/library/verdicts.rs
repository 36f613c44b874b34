//! One judge: the simulator, the checker, a real election and a replay come to the same verdict on
//! the same ends, with the same words.
//!
//! A [`Puppet`] drives three processes to the end that its row of [`ENDS`] describes, under each of
//! the engines.

use serde::{Deserialize, Serialize};
use std::error::Error;
use suffrage::algorithms::{
    Bound, Claims, Custom, Ending, Parameters, Problem, Property, Rule, Time, Violation,
};
use suffrage::checker::{CheckVerdict, Instance, Options, Specification, Wake, explore};
use suffrage::model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status};
use suffrage::networks::wiring::Wiring;
use suffrage::run::{Breaks, Run, RunHeader, RunRecorder};
use suffrage::runtime::{Cluster, LinkMedium};
use suffrage::simulator::Simulator;

/// The part of one process: everything that it does.
#[derive(Clone, Copy)]
struct Part {
    /// The ports through which it sends election messages when it wakes.
    sends: &'static [u32],
    /// The ports through which it sends announcements when it wakes.
    announces: &'static [u32],
    /// The number of messages that it waits for.
    awaits: u32,
    /// Its status from when it wakes until it has received them.
    before: Status,
    /// Its status from then on.
    after: Status,
    /// The leader that it then names: the process of this number, counted from 1.
    names: Option<u64>,
    /// Whether it then halts.
    halts: bool,
    /// Why it rejects what it receives, if it does.
    rejects: Option<&'static str>,
}

const FOLLOWS: Part = Part {
    sends: &[],
    announces: &[],
    awaits: 0,
    before: Status::Undecided,
    after: Status::Follower,
    names: Some(3),
    halts: true,
    rejects: None,
};
const LEADS: Part = Part { after: Status::Leader, ..FOLLOWS };
const UNDECIDED: Part = Part { after: Status::Undecided, names: None, ..FOLLOWS };

const CLAIMS: Claims = Claims {
    rule: Rule::LargestId,
    problem: Problem::Explicit,
    election: Bound::at_most("2", |_| 2),
    announcement: Bound::exactly("0", |_| 0),
    time: Some(Time {
        election: Bound::at_most("1", |_| 1),
        announcement: Bound::at_most("0", |_| 0),
    }),
    ending: Ending::Silent,
};

/// An end, and what is wrong with it.
struct End {
    what: &'static str,
    claims: Claims,
    /// The parts of processes 0, 1 and 2. Port `p` of process `i` leads to process `i + p + 1`.
    parts: [Part; 3],
    /// The properties that it violates, and how; `#k` is the identity of the `k`th process.
    violations: &'static [(Property, &'static str)],
}

const FINE: End = End {
    what: "the largest leads, and all name it",
    claims: CLAIMS,
    parts: [FOLLOWS, FOLLOWS, LEADS],
    violations: &[],
};

const ENDS: [End; 18] = [
    FINE,
    End {
        what: "no process leads",
        parts: [UNDECIDED; 3],
        violations: &[(
            Property::ExactlyOneLeader,
            "nothing is under way any more and there is no leader; 3 processes are undecided, 0 of \
             them were never reached, and 0 wait to send",
        )],
        ..FINE
    },
    End {
        what: "two processes lead",
        parts: [FOLLOWS, LEADS, LEADS],
        violations: &[
            (Property::AtMostOneLeader, "processes 1 and 2 are both leaders"),
            (Property::ExactlyOneLeader, "there are 2 leaders"),
            (Property::Agreement, "process 0 names #3, but the leader is #2"),
        ],
        ..FINE
    },
    End {
        what: "a process names another one than the leader",
        parts: [Part { names: Some(2), ..FOLLOWS }, FOLLOWS, LEADS],
        violations: &[(Property::Agreement, "process 0 names #2, but the leader is #3")],
        ..FINE
    },
    End {
        what: "a process names no leader, where all must know it",
        parts: [FOLLOWS, Part { names: None, ..FOLLOWS }, LEADS],
        violations: &[(Property::Agreement, "process 1 names no leader, but the leader is #3")],
        ..FINE
    },
    End {
        what: "a process names no leader, and need not",
        claims: Claims { problem: Problem::Implicit, ..CLAIMS },
        parts: [FOLLOWS, Part { names: None, ..FOLLOWS }, LEADS],
        ..FINE
    },
    End {
        what: "another process wins than the rule says",
        parts: [
            Part { names: Some(1), ..LEADS },
            Part { names: Some(1), ..FOLLOWS },
            Part { names: Some(1), ..FOLLOWS },
        ],
        violations: &[(Property::WinnerByRule, "#1 has won, but the largest id is #3")],
        ..FINE
    },
    End {
        what: "the rule names an initiator",
        claims: Claims { rule: Rule::SmallestInitiator, ..CLAIMS },
        violations: &[(Property::WinnerByRule, "#3 has won, but the smallest initiator is #1")],
        ..FINE
    },
    End {
        what: "more messages than the bound",
        parts: [
            Part { sends: &[0, 1], ..FOLLOWS },
            Part { sends: &[0], awaits: 1, ..FOLLOWS },
            Part { awaits: 2, ..LEADS },
        ],
        violations: &[(
            Property::MessageBound,
            "3 election messages, where there are at most 2 = 2",
        )],
        ..FINE
    },
    End {
        what: "fewer messages than an exact bound",
        claims: Claims { election: Bound::exactly("n-1", |s: &Parameters| s.nodes - 1), ..CLAIMS },
        violations: &[(
            Property::MessageBound,
            "0 election messages, where there are exactly n-1 = 2",
        )],
        ..FINE
    },
    End {
        what: "more announcements than the bound",
        parts: [FOLLOWS, Part { awaits: 1, ..FOLLOWS }, Part { announces: &[1], ..LEADS }],
        violations: &[(
            Property::MessageBound,
            "1 announcement message, where there are exactly 0 = 0",
        )],
        ..FINE
    },
    End {
        what: "it takes longer than the bound",
        claims: Claims {
            time: Some(Time {
                election: Bound::at_most("n-3", |s: &Parameters| s.nodes - 3),
                announcement: Bound::at_most("0", |_| 0),
            }),
            ..CLAIMS
        },
        parts: [FOLLOWS, Part { sends: &[0], ..FOLLOWS }, Part { awaits: 1, ..LEADS }],
        violations: &[(
            Property::TimeBound,
            "it takes 1 unit of time, where at most n-3 = 0 are claimed",
        )],
    },
    End {
        what: "a message reaches a process that has halted, and none may",
        parts: [Part { sends: &[0], ..FOLLOWS }, FOLLOWS, LEADS],
        violations: &[(Property::SilentEnding, "1 message reached a process that had halted")],
        ..FINE
    },
    End {
        what: "a message reaches a process that has halted, and some may",
        claims: Claims { ending: Ending::LateMessages, ..CLAIMS },
        parts: [Part { sends: &[0], ..FOLLOWS }, FOLLOWS, LEADS],
        ..FINE
    },
    End {
        what: "a process does not halt",
        parts: [Part { halts: false, ..FOLLOWS }, FOLLOWS, LEADS],
        violations: &[(Property::EveryoneHalted, "1 process waits forever (0), 0 of them to send")],
        ..FINE
    },
    End {
        what: "a process changes its decision",
        parts: [
            Part { sends: &[1], ..FOLLOWS },
            FOLLOWS,
            Part { awaits: 1, before: Status::Follower, ..LEADS },
        ],
        violations: &[(Property::IrrevocableStatus, "process 2 was Follower and is now Leader")],
        ..FINE
    },
    End {
        what: "a process rejects a message",
        parts: [
            Part { sends: &[1], ..FOLLOWS },
            FOLLOWS,
            Part { awaits: 1, rejects: Some("it leads already"), ..LEADS },
        ],
        violations: &[(
            Property::PossibleMessages,
            "process 2 received a message it cannot receive, because it leads already",
        )],
        ..FINE
    },
    End {
        what: "a process sends through a port that it does not have",
        parts: [Part { sends: &[7], ..FOLLOWS }, FOLLOWS, LEADS],
        violations: &[(
            Property::ExistingPorts,
            "process 0 sends through port 7, and has ports 0 to 1 only",
        )],
        ..FINE
    },
];

impl End {
    /// Its violations, as the judge gives them.
    fn expected(&self, end: usize) -> Vec<Violation> {
        let violation = |&(property, detail): &(Property, &str)| {
            let name = |detail: String, number: u64| {
                detail.replace(&format!("#{number}"), &id_of(end, number).to_string())
            };
            Violation { property, detail: (1..=3).fold(detail.to_owned(), name) }
        };
        self.violations.iter().map(violation).collect()
    }

    /// A real election is over when all have halted, so it cannot end otherwise; and it is
    /// not known how long a message takes there.
    fn ends_for_real(&self) -> bool {
        let timed = self.violations.iter().any(|&(property, _)| property == Property::TimeBound);
        !timed && self.parts.iter().all(|part| part.halts)
    }
}

/// Plays its part in an end. Its identity says which.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Puppet {
    id: Id,
    awake: bool,
    received: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Word {
    Election,
    Announcement,
}

impl Message for Word {
    const KINDS: &'static [Kind] = &[Kind::election("word"), Kind::announcement("last word")];
    fn kind(&self) -> usize {
        *self as usize
    }
}

impl Puppet {
    fn part(&self) -> &'static Part {
        let number = self.id.get() as usize;
        &ENDS[number / 10].parts[number % 10 - 1]
    }

    fn is_over(&self) -> bool {
        self.awake && self.received >= self.part().awaits
    }
}

impl Process for Puppet {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = Id;
    type Msg = Word;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, awake: false, received: 0 }
    }

    fn wake(&mut self, net: &mut impl Net<Word>) {
        self.awake = true;
        self.part().sends.iter().for_each(|&port| net.send(Port(port), Word::Election));
        self.part().announces.iter().for_each(|&port| net.send(Port(port), Word::Announcement));
    }

    fn receive(&mut self, _: Port, _: Word, net: &mut impl Net<Word>) {
        self.received += 1;
        if let Some(why) = self.part().rejects {
            net.reject(why);
        }
    }

    fn status(&self) -> Status {
        match (self.awake, self.is_over()) {
            (false, _) => Status::Undecided,
            (true, false) => self.part().before,
            (true, true) => self.part().after,
        }
    }

    fn leader(&self) -> Option<Id> {
        let named = self.part().names.filter(|_| self.is_over());
        named.map(|number| Id::new(self.id.get() / 10 * 10 + number))
    }

    fn halted(&self) -> bool {
        self.is_over() && self.part().halts
    }
}

/// The identities of the three processes of an end: its number, and 1, 2 or 3.
fn ids(end: usize) -> Vec<Id> {
    [1, 2, 3].map(|number| id_of(end, number)).to_vec()
}

fn id_of(end: usize, number: u64) -> Id {
    Id::new(end as u64 * 10 + number)
}

/// In the order of [`Property::ALL`].
fn sorted(violations: impl IntoIterator<Item = Violation>) -> Vec<Violation> {
    let mut all: Vec<_> = violations.into_iter().collect();
    all.sort_by_key(|violation| violation.property);
    all
}

fn each_engine_judges(number: usize, end: &End) -> Result<(), Box<dyn Error>> {
    let puppet = Custom::<Puppet>::new("puppet").with_claims(end.claims);
    let (expected, what) = (sorted(end.expected(number)), end.what);

    let (wiring, ids) = (Wiring::complete(3), ids(number));
    let header = RunHeader::new("puppet", wiring.clone(), ids.clone());
    let mut recorder = RunRecorder::new(Vec::new(), &header)?;
    let outcome = Simulator::new(&puppet, &wiring, &ids).observer(&mut recorder).run()?;
    let found = outcome.violations.into_iter().map(|breach| breach.violation);
    assert_eq!(sorted(found), expected, "the simulator: {what}");

    let file = recorder.finish()?;
    let run = Run::read("a trace", file.as_slice())?;
    let again = run.replay_of(&puppet, None)?.outcome;
    let found = again.violations.into_iter().map(|breach| breach.violation);
    assert_eq!(sorted(found), expected, "the replay of a simulated run: {what}");

    let instance = Instance { wake: Wake::AtStart, ..Instance::new(wiring, ids.clone()) };
    for property in Property::ALL {
        let specification = Specification::<Puppet>::these(&[property]).about(&end.claims);
        // The time depends on the order of independent steps.
        let options = Options { full: property == Property::TimeBound, ..Options::default() };
        let found = explore(&instance, &specification, &options)?;
        // Nothing is known of a process that sends through a port that it does not have: whatever
        // is required, this is the violation.
        let must = expected.iter().find(|violation| {
            violation.property == property || violation.property == Property::ExistingPorts
        });
        let broken = match found.verdict {
            CheckVerdict::Holds => None,
            CheckVerdict::Violated(counterexample) => Some(counterexample),
            other => panic!("{what}: {other:?}"),
        };
        let violation = broken.as_ref().map(|found| &found.violation);
        assert_eq!(violation, must, "the checker, of {property}: {what}");
        let Some(found) = broken else { continue };
        let breaks = Breaks::from(&found.violation);
        let run = Run::of_execution("puppet", &found.execution, Some(breaks));
        let replay = run.replay_of(&puppet, None)?;
        assert_eq!(replay.reproduced, Some(true), "the replay, of {property}: {what}");
        let again = replay.outcome.violations.into_iter().map(|breach| breach.violation);
        assert!(again.into_iter().any(|again| again == found.violation), "{property}: {what}");
    }

    if end.ends_for_real() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let cluster = Cluster::new(Wiring::complete(3), ids)?.medium(LinkMedium::Channels);
        let summary = runtime.block_on(cluster.elect(&puppet))?;
        assert_eq!(sorted(summary.verdict.violations), expected, "a real election: {what}");
    }
    Ok(())
}

#[test]
fn each_engine_comes_to_the_same_verdict_on_the_same_end() {
    for (number, end) in ENDS.iter().enumerate() {
        each_engine_judges(number, end).unwrap();
    }
}
