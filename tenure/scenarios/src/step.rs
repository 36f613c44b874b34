//! The steps of a scenario, and their words.

use crate::{ClusterFault, CutWays, Nanos, RecordFate, Who, fault::write_times};
use std::{cmp::Ordering, fmt, str::FromStr};
use tenure_model::{Ratio, Term};

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `protocol NAME`: the protocol of the catalogue that runs.
    Protocol(String),
    /// `members 3`: how many. `members 0 1 3` is a [fault](ClusterFault::Members).
    Members(u32),
    /// `clients 2`: participants that stand and have no vote, in addition to the members.
    Clients(u32),
    /// `heartbeat 50ms`.
    Heartbeat(Nanos),
    /// `lease 250ms`.
    Lease(Nanos),
    /// `stopping 100ms`: the longest time for which work may continue after a tenure.
    Stopping(Nanos),
    /// `clocks 1001/1000`: the bound on the ratio of the rates of two clocks.
    Clocks(Ratio),
    /// `founding`: no member has a record yet, and none knows that the cluster is new.
    Founding,
    /// A fault begins: `crash 2`, `at 2s for 500ms cut 0-1`.
    Fault {
        /// The instant, if not now.
        at: Option<Nanos>,
        /// For how long, if not until it is ended or to the end.
        lasts: Option<Nanos>,
        /// As in [`TimedFault`](crate::TimedFault).
        flapping: Option<Nanos>,
        /// The fault.
        fault: ClusterFault,
    },
    /// `start 2`, `start all`: what has crashed, or was killed or stopped, starts again. Also `restart`.
    Start(Option<Who>),
    /// `kill 2`: the program of a participant is killed, and its host lives on.
    Kill(Who),
    /// `stop 2`: the program of a participant is asked to end.
    Stop(Who),
    /// `resume 2`: a suspended process goes on.
    Resume(Who),
    /// `heal`: all links are whole again.
    Heal,
    /// `stand 0`, `stand 0 priority 2 office 1`.
    Stand {
        /// The participant whose application stands.
        peer: Who,
        /// The office.
        office: u64,
        /// The priority.
        priority: u32,
    },
    /// `stopped 0`, `stopped 0 office 1`: the application has ended its work.
    Stopped {
        /// The participant.
        peer: Who,
        /// The office.
        office: u64,
    },
    /// `wait 500ms` or `advance 500ms`: time passes.
    Wait(Nanos),
    /// `ring renewal:1 0`, `beat 0`: an alarm of a participant rings.
    Ring {
        /// The beginning of its name.
        alarm: String,
        /// The participant.
        peer: Who,
    },
    /// `deliver 0>1`, `drop 0-1 grant`, `hold 0>`, `copy 1>0 ack`.
    Messages(Handling, MessageSelection),
    /// `stabilize`: everything under way is delivered, and the messages that follow.
    Stabilize,
    /// `expect ..`.
    Expect(Expectation),
    /// `show`: the state of every participant.
    Show,
    /// `repeat 3`: all of it, so often. The last step.
    Repeat(u32),
}

/// An action on messages under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// `deliver`.
    Deliver,
    /// `drop`: they are lost.
    Drop,
    /// `copy`: they arrive, and are still under way.
    Copy,
    /// `hold`: they wait until a step names them.
    Hold,
}

/// A selection of messages: `0>1` is the oldest from one to the other, `0-1` all between the two,
/// `0>` all from one, `>1` all to one, and nothing all. A kind selects among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageSelection {
    /// The sender.
    pub from: Option<Who>,
    /// The receiver.
    pub to: Option<Who>,
    /// Whether the other direction is meant as well.
    pub both: bool,
    /// The kind of message.
    pub kind: Option<String>,
}

/// A condition that has to be true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// `expect leader 2`, `expect leader 2 term > 1.0 office 1`.
    Leader {
        /// The participant that leads, and no other.
        peer: Who,
        /// How its term compares to another.
        term: Option<(Ordering, Term)>,
        /// The office.
        office: u64,
    },
    /// `expect no leader`, `expect no leader office 1`.
    NoLeader {
        /// The office.
        office: u64,
    },
    /// `expect 1 names 0`, `expect 1 names none office 1`.
    Names {
        /// The participant that is asked.
        peer: Who,
        /// The leader that it names.
        leader: Option<Who>,
        /// The office.
        office: u64,
    },
}

const STEPS: &str = "protocol, members, clients, heartbeat, lease, stopping, clocks, founding; crash, start, \
    backup, kill, stop, suspend, resume, clock, slow-disk, stuck-disk, failed-disk; cut, split, bridge, one-way, \
    chain, star, heal; loss, duplicate, overtake, delay; stand, resign, transfer, members, stopped; wait, advance, at, \
    for, repeat; ring, beat, deliver, drop, copy, hold, stabilize; expect, show";

impl FromStr for Step {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let step = match words.as_slice() {
            ["protocol", name] => Self::Protocol((*name).to_owned()),
            ["members", count] => Self::Members(number(count)?),
            ["clients", count] => Self::Clients(number(count)?),
            ["heartbeat", time] => Self::Heartbeat(time.parse()?),
            ["lease", time] => Self::Lease(time.parse()?),
            ["stopping", time] => Self::Stopping(time.parse()?),
            ["clocks", ratio] => Self::Clocks(clocks(ratio)?),
            ["founding"] => Self::Founding,
            ["start" | "restart", "all"] => Self::Start(None),
            ["start" | "restart", peer] => Self::Start(Some(peer.parse()?)),
            ["kill", peer] => Self::Kill(peer.parse()?),
            ["stop", peer] => Self::Stop(peer.parse()?),
            ["resume", peer] => Self::Resume(peer.parse()?),
            ["heal"] => Self::Heal,
            ["stand", peer, rest @ ..] => {
                let (office, rest) = office(rest)?;
                let priority = match rest.as_slice() {
                    [] => 0,
                    ["priority", priority] => number(priority)?,
                    _ => return Err(format!("`{text}`: write `stand 0 priority 1 office 1`")),
                };
                Self::Stand { peer: peer.parse()?, office, priority }
            }
            ["stopped", peer, rest @ ..] => match office(rest)? {
                (office, rest) if rest.is_empty() => Self::Stopped { peer: peer.parse()?, office },
                _ => return Err(format!("`{text}`: write `stopped 0 office 1`")),
            },
            ["wait" | "advance", time] => Self::Wait(time.parse()?),
            ["ring", alarm, peer] => Self::Ring { alarm: (*alarm).to_owned(), peer: peer.parse()? },
            ["beat", peer] => Self::Ring { alarm: "beat".to_owned(), peer: peer.parse()? },
            ["deliver", rest @ ..] => Self::Messages(Handling::Deliver, selection(rest)?),
            ["drop", rest @ ..] => Self::Messages(Handling::Drop, selection(rest)?),
            ["copy", rest @ ..] => Self::Messages(Handling::Copy, selection(rest)?),
            ["hold", rest @ ..] => Self::Messages(Handling::Hold, selection(rest)?),
            ["stabilize"] => Self::Stabilize,
            ["expect", rest @ ..] => Self::Expect(expectation(rest)?),
            ["show"] => Self::Show,
            ["repeat", times] => match number(times)? {
                times @ 1..=100_000 => Self::Repeat(times),
                _ => return Err(format!("`{text}`: repeat from 1 to 100000 times")),
            },
            words => timed(words)?
                .ok_or_else(|| format!("`{}` is no step; there are {STEPS}", text.trim()))?,
        };
        Ok(step)
    }
}

/// Reads a fault, with its instant and duration in front; `None` if the words are none.
fn timed(words: &[&str]) -> Result<Option<Step>, String> {
    let (mut at, mut lasts, mut flapping, mut words) = (None, None, None, words);
    while let [word @ ("at" | "for" | "flapping"), time, rest @ ..] = words {
        let place = match *word {
            "at" => &mut at,
            "for" => &mut lasts,
            _ => &mut flapping,
        };
        *place = Some(time.parse()?);
        words = rest;
    }
    if let ["suspend", peer, time] = words {
        lasts = Some(time.parse()?);
        let fault = ClusterFault::Suspend { peer: peer.parse()? };
        return Ok(Some(Step::Fault { at, lasts, flapping, fault }));
    }
    let fault = fault(words)?;
    if fault.is_none() && !words.is_empty() && (at, lasts, flapping) != (None, None, None) {
        return Err(format!(
            "`at`, `for` and `flapping` stand before a fault, such as `crash leader`, and `{}` is none; `for` says when a \
             fault ends, or a later step without `at`",
            words.join(" ")
        ));
    }
    Ok(fault.map(|fault| Step::Fault { at, lasts, flapping, fault }))
}

fn fault(words: &[&str]) -> Result<Option<ClusterFault>, String> {
    use ClusterFault as Fault;
    let fault = match words {
        ["crash", peer, fate @ ..] => {
            let record = match fate {
                [] => RecordFate::Kept,
                ["lost"] => RecordFate::Lost,
                ["restored"] => RecordFate::Restored,
                _ => return Ok(None),
            };
            Fault::Crash { peer: peer.parse()?, record }
        }
        ["backup", peer] => Fault::Backup { peer: peer.parse()? },
        ["suspend", peer] => Fault::Suspend { peer: peer.parse()? },
        ["clock", peer, rate] => {
            let ppm = rate.strip_suffix("ppm").and_then(|ppm| ppm.parse().ok());
            let ppm = ppm.ok_or_else(|| format!("`{rate}`: write -200ppm or the like"))?;
            Fault::Clock { peer: peer.parse()?, ppm }
        }
        ["slow-disk", peer, sync] => Fault::SlowDisk { peer: peer.parse()?, sync: sync.parse()? },
        ["stuck-disk", peer] => Fault::StuckDisk { peer: peer.parse()? },
        ["failed-disk", peer] => Fault::FailedDisk { peer: peer.parse()? },
        ["split", rest @ ..] => Fault::Split { sides: sides(rest)? },
        ["bridge", over, "|", rest @ ..] => {
            Fault::Bridge { over: over.parse()?, sides: sides(rest)? }
        }
        ["one-way", rest @ ..] => {
            let mut both = rest.split(|word| *word == ">").map(all);
            match (both.next(), both.next(), both.next()) {
                (Some(from), Some(to), None) => Fault::OneWay { from: from?, to: to? },
                _ => return Err("write `one-way 0 1 > 2`".to_owned()),
            }
        }
        ["chain", rest @ ..] => Fault::Chain { peers: all(rest)? },
        ["star", hub] => Fault::Star { hub: hub.parse()?, but: vec![] },
        ["star", hub, "but", rest @ ..] => Fault::Star { hub: hub.parse()?, but: all(rest)? },
        ["cut", ends] if ends.contains('>') => match selection(&[ends])? {
            MessageSelection { from: Some(from), to: Some(to), .. } => {
                Fault::OneWay { from: vec![from], to: vec![to] }
            }
            _ => return Err(format!("`{ends}`: write `cut 0>1`")),
        },
        ["cut", peer] => match pair(peer) {
            Some(between) => Fault::Link { between },
            None => Fault::CutOff { peer: peer.parse()?, ways: CutWays::Both },
        },
        ["cut", peer, "in"] => Fault::CutOff { peer: peer.parse()?, ways: CutWays::In },
        ["cut", peer, "out"] => Fault::CutOff { peer: peer.parse()?, ways: CutWays::Out },
        ["loss", share] => Fault::Loss { percent: percent(share)? },
        ["duplicate", share] => Fault::Duplicate { percent: percent(share)? },
        ["overtake", share, by] => Fault::Overtake { percent: percent(share)?, by: by.parse()? },
        ["delay", by] => Fault::Delay { by: by.parse()? },
        ["resign"] => Fault::Resign { peer: Who::Leader },
        ["resign", peer] => Fault::Resign { peer: peer.parse()? },
        ["transfer", to] => Fault::Transfer { peer: Who::Leader, to: to.parse()? },
        ["transfer", peer, "to", to] => Fault::Transfer { peer: peer.parse()?, to: to.parse()? },
        ["members", "only", peer] => Fault::Members { peers: vec![peer.parse()?] },
        ["members", peer] => {
            return Err(format!("`members {peer}` is their number: write `members only {peer}`"));
        }
        ["members", peers @ ..] if !peers.is_empty() => Fault::Members { peers: all(peers)? },
        _ => return Ok(None),
    };
    Ok(Some(fault))
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

fn percent(text: &str) -> Result<u32, String> {
    let percent =
        text.strip_suffix('%').ok_or_else(|| format!("`{text}`: write 20% or the like"))?;
    number(percent)
}

fn clocks(text: &str) -> Result<Ratio, String> {
    let ratio = text.split_once('/').and_then(|(fastest, slowest)| {
        Some(Ratio { fastest: fastest.parse().ok()?, slowest: slowest.parse().ok()? })
    });
    ratio
        .filter(|ratio| 0 < ratio.slowest && ratio.slowest <= ratio.fastest)
        .ok_or_else(|| format!("`{text}`: write 1001/1000 or the like"))
}

fn all(words: &[&str]) -> Result<Vec<Who>, String> {
    words.iter().map(|word| word.parse()).collect()
}

fn sides(words: &[&str]) -> Result<Vec<Vec<Who>>, String> {
    words.split(|word| *word == "|").map(all).collect()
}

/// Reads two participants with a `-` between them, which `follower-1` has as well.
fn pair(text: &str) -> Option<[Who; 2]> {
    text.match_indices('-')
        .find_map(|(at, _)| Some([text[..at].parse().ok()?, text[at + 1..].parse().ok()?]))
}

/// Takes `office N` from the end of the words; office 0 if it is not there.
fn office<'a>(words: &[&'a str]) -> Result<(u64, Vec<&'a str>), String> {
    match words {
        [rest @ .., "office", office] => Ok((number(office)?.into(), rest.to_vec())),
        rest => Ok((0, rest.to_vec())),
    }
}

fn selection(words: &[&str]) -> Result<MessageSelection, String> {
    let (ends, kind) = match words {
        [] => return Ok(MessageSelection::default()),
        [ends] => (ends, None),
        [ends, kind] => (ends, Some((*kind).to_owned())),
        _ => return Err("write `0>1`, `0-1`, `0>`, `>1`, and a kind of message".to_owned()),
    };
    let side = |text: &str| (!text.is_empty()).then(|| text.parse()).transpose();
    if let Some((from, to)) = ends.split_once('>') {
        Ok(MessageSelection { from: side(from)?, to: side(to)?, both: false, kind })
    } else {
        let [from, to] = pair(ends).ok_or_else(|| format!("`{ends}`: write `0>1` or `0-1`"))?;
        Ok(MessageSelection { from: Some(from), to: Some(to), both: true, kind })
    }
}

fn expectation(words: &[&str]) -> Result<Expectation, String> {
    let wrong = || {
        "write `expect leader 0 term > 1.2`, `expect no leader`, `expect 1 names 0` or `expect 1 \
         names none`, each optionally with `office 1` after it"
            .to_owned()
    };
    let (office, rest) = office(words)?;
    match rest.as_slice() {
        ["no", "leader"] => Ok(Expectation::NoLeader { office }),
        ["leader", peer] => Ok(Expectation::Leader { peer: peer.parse()?, term: None, office }),
        ["leader", peer, "term", than, term] => {
            let comparison = match *than {
                ">" => Ordering::Greater,
                "=" => Ordering::Equal,
                "<" => Ordering::Less,
                _ => return Err(wrong()),
            };
            let term = Some((comparison, self::term(term)?));
            Ok(Expectation::Leader { peer: peer.parse()?, term, office })
        }
        [peer, "names", "none"] => {
            Ok(Expectation::Names { peer: peer.parse()?, leader: None, office })
        }
        [peer, "names", leader] => {
            Ok(Expectation::Names { peer: peer.parse()?, leader: Some(leader.parse()?), office })
        }
        _ => Err(wrong()),
    }
}

/// Reads a term, as [`written`] writes it.
fn term(text: &str) -> Result<Term, String> {
    let wrong = |_| format!("`{text}` is no term; write 7, or 1.2 for 1 * 2^32 + 2");
    match text.split_once('.') {
        Some((upper, lower)) => {
            let upper: u32 = upper.parse().map_err(wrong)?;
            let lower: u32 = lower.parse().map_err(wrong)?;
            Ok(Term(u64::from(upper) << 32 | u64::from(lower)))
        }
        None => text.parse().map(Term).map_err(wrong),
    }
}

/// Writes a term: in two numbers if it has more than 32 bits, as those of Tenure, whose lower half is
/// the candidate.
pub(crate) fn written(Term(term): Term) -> String {
    match term >> 32 {
        0 => term.to_string(),
        upper => format!("{upper}.{}", term & u64::from(u32::MAX)),
    }
}

impl FromStr for Who {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let who = match text {
            "leader" => Some(Self::Leader),
            text => match text.strip_prefix("follower-") {
                Some(k) => k.parse().ok().map(Self::Follower),
                None => text.parse().ok().map(Self::Peer),
            },
        };
        who.ok_or_else(|| {
            format!("`{text}` is no participant; write its number, `leader` or `follower-1`")
        })
    }
}

impl fmt::Display for Step {
    /// Writes the steps that a demonstration shows; the others as they are in Rust.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault { at, lasts, flapping, fault } => {
                write_times(f, [*at, *lasts, *flapping])?;
                write!(f, "{fault}")
            }
            Self::Start(None) => f.write_str("start all"),
            Self::Start(Some(peer)) => write!(f, "start {peer}"),
            Self::Kill(peer) => write!(f, "kill {peer}"),
            Self::Stop(peer) => write!(f, "stop {peer}"),
            Self::Resume(peer) => write!(f, "resume {peer}"),
            Self::Heal => f.write_str("heal"),
            Self::Wait(time) => write!(f, "wait {time}"),
            step => write!(f, "{step:?}"),
        }
    }
}
