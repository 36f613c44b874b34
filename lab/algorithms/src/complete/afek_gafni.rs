pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "afek-gafni",
    title: "Afek and Gafni, algorithm B: capture the others one by one; an owner must be killed first.",
    paper: "Y. Afek, E. Gafni, SIAM Journal on Computing 20(2), 1991",
    citation: r#"
Y. Afek, E. Gafni, "Time and message bounds for election in synchronous and asynchronous
complete networks", *SIAM Journal on Computing* 20(2), 1991, pp. 376-394.
"#,
    assumes: "
A complete network with FIFO links, of any capacity; a process knows its identity, and that it
has a port to each other process.
",
    idea: "
An initiator is a candidate: it captures the others one by one, in the order of its ports, and
its level is the number of nodes that it has captured. Apart from that, every node has an
ordinary part, which belongs to the node itself until it is captured, and to its father then. The
ordinary part discards a candidate whose pair of level and identity is not larger than the last
one that it let pass, and asks its father about any other; the candidate there is killed if its
own pair is the smaller one. A candidate that has captured all nodes leads, lets them stop, and
tells them to end when all have stopped.
",
    cost: "
At most `4 D(n) - 2n - 2` election messages, where `D(n)` is the sum of `floor(n/i)` for `i` from 1
to `n`, and exactly `3(n-1)` to announce and end. An attempt takes at most four messages: it
arrives, the father is asked and answers, the node accepts. Candidates that are alive at level `l`
own disjoint sets of `l + 1` nodes, themselves included, so at most `floor(n/(l+1))` attempts are
made at level `l`, and the last level with attempts is `n - 2`: at most `D(n) - 1` attempts in all.
The leader has captured the `n - 1` others, and each of them was captured for a first time, which
takes two messages, since there is no father to ask. With one initiator the count is exactly
`2(n-1)`. The bound is below `4 n ln n` from `n = 3` on, which is what the paper's lemma 2 states
(`docs/why/errata.md` has the proof).

Time: at most `4(n-1) + 2(k-1) + 3` for `k` initiators, linear as the paper says. Each of the
`n-1` captures of the leader takes four units, and two more for every candidate before it in
line, since fathers answer at once. A candidate that is before the leader in line at a node has
no attempt left when the leader captures that node: it was discarded or denied, or the node
became its own and it was killed by the time the node changed hands. So the other `k-1`
candidates are before the leader once each.
",
    deviations: "
A sleeping node that is reached never becomes a candidate, and its ordinary part accepts the
candidate that comes first.

A printed form of the algorithm gives the ordinary part no owner at first, and compares
nothing until it is captured. Then, with `n = 2`, each candidate captures the other node and
both are elected. Here a node's own candidate owns it from the start: an arriving candidate is
compared with that one's pair, and the smaller of the two is killed, inside the node, without a
message. So a node that was never captured may have a dead candidate, killed by an `ask`.

A dead candidate goes on defending what it owns: it answers `answer-deny-candidate` to a pair
smaller than the one with which it died, and `dead` to a larger one. Descriptions in which a
dead candidate answers `dead` at once lose the bound, because what it owned can be captured again
from level 0, by one candidate after another. Let `n = 4m`, and let a candidate of level `m` kill
an owner of `m` nodes `2m - 1` times, each time before the next initiator captures the same
nodes. That makes more than `n^2/2` messages: 557 for `n = 32`, where the bound is 410. With
defence the same schedule makes 137.

While the ordinary part waits for its father's answer, only further arrivals wait. An `ask`
is for the candidate part and is answered at once: an ordinary part that waits has been
captured, so its candidate is dead, and the answer depends on nothing that is still to come.

No message is ever *sent* to a node that has ended, because the leader has all `end`s only when
no node sends any more. But a message that was sent before may still be under way: with `n = 3`,
an `arrive` between two losers may take longer than the whole rest of the algorithm. It reaches
a node that has ended, and is discarded.
",
    invariants: &[
        (
            "disjoint",
            "no two living candidates have captured the same node, or one the other's.
            (Alive(a) | leads(a)) & (Alive(b) | leads(b)) & a != b
                -> !level(a, b) & !(level(a, c) & level(b, c))",
        ),
        (
            "level",
            "a living candidate is the father of every node that it has captured.
            (Alive(a) | leads(a)) & level(a, c) -> owned(c, a)",
        ),
        (
            "accepted",
            "and of one that tells it so.
            AcceptAnswer() at x from c to a & (Alive(a) | asleep(a)) -> owned(c, a)",
        ),
        (
            "free",
            "its own node has no father.
            Alive(a) | leads(a) -> !owned(a)",
        ),
        (
            "waits",
            "a node that asks whether it may change its father has one.
            potential_father(a) -> owned(a)",
        ),
        (
            "yielded",
            "a candidate that gives a node away has been killed.
            AnswerAcceptCandidate() at x from a to c -> !Alive(a) & !leads(a) & !asleep(a)",
        ),
        (
            "dead",
            "and so has one that says so.
            Dead() at x from a to c -> !Alive(a) & !leads(a) & !asleep(a)",
        ),
        (
            "all",
            "a leader has captured all others.
            leads(a) & b != a -> level(a, b)",
        ),
        (
            "told",
            "a leader is announced that leads.
            Leader(w) at x to a -> leads(w)",
        ),
        (
            "stopping",
            "and so does the one that a node names when it stops.
            Ending(a, w) -> leads(w)",
        ),
        (
            "ending",
            "and when it ends.
            Ended(a, w) -> leads(w)",
        ),
        (
            "idle",
            "a node that sleeps has captured none.
            asleep(a) -> Ordinary(a) & !level(a, c)",
        ),
        (
            "growing",
            "the pair that an ordinary part let pass last belongs to its potential father, if it \
             has one, and is no smaller than the pair with which its father was let pass.",
        ),
        (
            "largest-lives",
            "once a candidate has woken, some living candidate has a larger pair than every dead \
             one.",
        ),
        (
            "few-large",
            "at most `n/(l+1)` candidates have reached level `l` (the paper's lemma 1), and of \
             the candidates that were killed, the `k`-th largest owned at most `n/(k+1)` nodes, \
             itself included (its corollary 1).",
        ),
        ("prompt", "candidates queue only while the ordinary part waits for an answer."),
        ("stopped", "once a node has ended, all have stopped, and send nothing but `end`."),
    ],
};

use crate::divisors::divisor_sum;
use crate::prelude::{Ending as After, *};
use crate::queue::{LazyQueue, serve};

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Candidate to ordinary part: a candidate of this level and identity wants to capture you.
    Arrive(Count, Id),
    /// Ordinary part to candidate: you have captured me.
    AcceptAnswer,
    /// Ordinary part to its father's candidate: this candidate wants to capture me.
    Ask(Count, Id),
    /// Candidate to ordinary part: that one kills me.
    AnswerAcceptCandidate,
    /// Candidate to ordinary part: you stay mine.
    AnswerDenyCandidate,
    /// Candidate to ordinary part: I had been killed before.
    Dead,
    /// This is the leader: stop.
    Leader(Id),
    /// To the leader: I have stopped. From the leader: all have.
    End,
}
use Msg::{
    AcceptAnswer, AnswerAcceptCandidate, AnswerDenyCandidate, Arrive, Ask, Dead, End, Leader,
};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("arrive").ids(1).counters(1),
        Kind::election("accept-answer"),
        Kind::election("ask").ids(1).counters(1),
        Kind::election("answer-accept-candidate"),
        Kind::election("answer-deny-candidate"),
        Kind::election("dead"),
        Kind::announcement("leader").ids(1),
        Kind::announcement("end"),
    ];
    fn kind(&self) -> usize {
        match self {
            Arrive(..) => 0,
            AcceptAnswer => 1,
            Ask(..) => 2,
            AnswerAcceptCandidate => 3,
            AnswerDenyCandidate => 4,
            Dead => 5,
            Leader(_) => 6,
            End => 7,
        }
    }
}

/// The state of the candidate part, and of the ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    /// Asleep, or reached asleep: it has no candidate.
    Ordinary,
    Alive,
    Killed,
    /// It leads; this number of nodes have not stopped yet.
    Counting(Count),
    /// It has stopped, and follows this leader.
    Ending(Id),
    /// It has ended, with this leader.
    Ended(Id),
}
use State::{Alive, Counting, Ended, Ending, Killed, Ordinary};

/// The ordinary part of a node that has been captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Owned {
    father: Port,
    /// The largest pair that it has let pass.
    passed: (Count, Id),
}

/// A candidate that arrives at the ordinary part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Arrival {
    from: Port,
    level: Count,
    id: Id,
}

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AfekGafni {
    id: Id,
    /// The ports of the nodes that the candidate has captured; the others are untraversed.
    level: FirstPorts,
    state: State,
    owned: Option<Owned>,
    /// The candidate about which its ordinary part has asked the father, while it waits for the
    /// answer.
    potential_father: Option<Port>,
    queue: LazyQueue<Arrival>,
}

impl AfekGafni {
    /// Sends the candidate on to the next node, or announces it if it has captured all.
    fn advance(&mut self, net: &mut impl Net<Msg>) {
        if net.is_alone() {
            self.state = Ended(self.id);
        } else if self.level.are_all(net) {
            self.state = Counting(self.level.count());
            net.send_all(Leader(self.id));
        } else {
            net.send(self.level.next(), Arrive(self.level.count(), self.id));
        }
    }

    /// Takes a candidate from the queue once the father has answered.
    fn next(&mut self) -> Option<Arrival> {
        match (self.owned, self.potential_father) {
            (Some(_), None) => self.queue.pop(),
            _ => None,
        }
    }

    /// Handles a candidate that arrives at the ordinary part, which waits for no answer.
    fn arrive(&mut self, Arrival { from, level, id }: Arrival, net: &mut impl Net<Msg>) {
        let own = (self.state != Ordinary).then_some((self.level.count(), self.id));
        let passed = self.owned.map(|owned| owned.passed).or(own);
        if passed.is_some_and(|passed| (level, id) < passed) {
            return; // It is killed, and not told.
        }
        match &mut self.owned {
            Some(owned) => {
                owned.passed = (level, id);
                self.potential_father = Some(from);
                net.send(owned.father, Ask(level, id));
            }
            None => {
                if self.state == Alive {
                    self.state = Killed;
                }
                self.owned = Some(Owned { father: from, passed: (level, id) });
                net.send(from, AcceptAnswer);
            }
        }
    }

    /// Handles the father's answer at the ordinary part, and then the candidates that arrived
    /// meanwhile.
    fn answered(&mut self, from: Port, keeps: bool, net: &mut impl Net<Msg>) {
        match &mut self.owned {
            Some(Owned { father, .. }) if *father == from => match self.potential_father.take() {
                None => return net.reject("an answer is asked for"),
                Some(_) if keeps => {}
                Some(heir) => {
                    *father = heir;
                    net.send(heir, AcceptAnswer);
                }
            },
            _ => return net.reject("an answer comes from the father"),
        }
        serve(self, net, Self::next, Self::arrive);
    }

    pub(crate) fn is_killed(&self) -> bool {
        self.state == Killed
    }
}

impl Process for AfekGafni {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self {
            id,
            level: FirstPorts::NONE,
            state: Ordinary,
            owned: None,
            potential_father: None,
            queue: LazyQueue::new(),
        }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.state = Alive;
        self.advance(net);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match (self.state, msg) {
            (Counting(missing), End) if missing == Count::new(1) => {
                self.state = Ended(self.id);
                net.send_all(End);
            }
            (Counting(missing), End) => self.state = Counting(missing.map(|missing| missing - 1)),
            (Ending(leader), End) => self.state = Ended(leader),
            (Counting(_) | Ending(_), Leader(_)) => net.reject("there is one leader"),
            (Counting(_) | Ending(_), _) => {} // Whatever was under way is of no interest now.
            (_, Leader(leader)) => {
                self.state = Ending(leader);
                net.send(from, End);
            }
            (Ended(_), _) | (_, End) => net.reject("the end comes last, and once"),

            (_, Arrive(level, id)) => {
                let arrival = Arrival { from, level, id };
                match self.potential_father {
                    None => self.arrive(arrival, net), // Then the queue is empty.
                    Some(_) => self.queue.push(arrival),
                }
            }
            (_, AnswerDenyCandidate) => self.answered(from, true, net),
            (_, AnswerAcceptCandidate | Dead) => self.answered(from, false, net),

            (Ordinary, AcceptAnswer | Ask(..)) => net.reject("it has captured no node"),
            (_, AcceptAnswer) if from != self.level.next() => net.reject("it accepts unasked"),
            (Killed, AcceptAnswer) => {} // Too late.
            (Alive, AcceptAnswer) => {
                self.level = self.level.and_next();
                self.advance(net);
            }
            (_, Ask(level, id)) if (level, id) < (self.level.count(), self.id) => {
                net.send(from, AnswerDenyCandidate);
            }
            (Killed, Ask(..)) => net.send(from, Dead),
            (Alive, Ask(..)) => {
                self.state = Killed;
                net.send(from, AnswerAcceptCandidate);
            }
        }
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        match self.state {
            Counting(_) => Some(self.id),
            Ending(leader) | Ended(leader) => Some(leader),
            Ordinary | Alive | Killed => None,
        }
    }

    fn halted(&self) -> bool {
        matches!(self.state, Ended(_))
    }
}

impl Claimed for AfekGafni {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestLevelAndId,
        problem: Problem::Explicit,
        election: Bound::at_most("4 D(n) - 2n - 2", |s| {
            divisor_sum(s.nodes)
                .saturating_mul(4)
                .saturating_sub(s.nodes.saturating_mul(2).saturating_add(2))
        }),
        announcement: Bound::exactly("3(n-1)", |s| s.nodes.saturating_sub(1).saturating_mul(3)),
        time: Some(Time {
            election: Bound::at_most("4(n-1) + 2(k-1)", |s| {
                let captures = s.nodes.saturating_sub(1).saturating_mul(4);
                captures.saturating_add(s.initiators.saturating_sub(1).saturating_mul(2))
            }),
            announcement: Bound::at_most("3", |_| 3),
        }),
        ending: After::LateMessages,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(
            HEADER.invariants,
            [growing, largest_lives, few_large, prompt, stopped],
        )
    }

    fn race() -> Option<Race<Self>> {
        let standing = |node: &Self| {
            let lives = matches!(node.state, Alive | Counting(_));
            lives.then_some(Standing::Level(node.level.get().into()))
        };
        let limit = |nodes, level, _| nodes / (level + 1);
        Some(Race { stage: "level", first: 0, formula: "n/(l+1) at level l", limit, standing })
    }
}

fn living<'c>(now: &'c Configuration<'_, AfekGafni>) -> impl Iterator<Item = (u32, &'c AfekGafni)> {
    let nodes = now.nodes().map(|(number, node)| (number, node.process));
    nodes.filter(|(_, process)| matches!(process.state, Alive | Counting(_)))
}

fn growing(now: &Configuration<'_, AfekGafni>) -> Option<String> {
    now.nodes().find_map(|(node, Node { process, .. })| {
        let Owned { father, passed } = process.owned?;
        // The father's port tells the level at which it was let pass.
        let pair = |port| {
            let end = now.across(node, port);
            (Count::new(end.port.0), now.process(end.node).id)
        };
        let expected = process.potential_father.map_or(passed, pair);
        (passed < pair(father) || passed != expected)
            .then(|| format!("{node} has let {passed:?} pass, and its fathers are larger"))
    })
}

fn largest_lives(now: &Configuration<'_, AfekGafni>) -> Option<String> {
    let pair = |process: &AfekGafni| (process.level.count(), process.id);
    let dead = now.nodes().filter(|(_, node)| node.process.state == Killed);
    let dead = dead.map(|(_, node)| pair(node.process)).max();
    match (dead, living(now).map(|(_, process)| pair(process)).max()) {
        (Some(dead), Some(alive)) if dead > alive => {
            Some(format!("{dead:?} is dead, {alive:?} lives"))
        }
        (Some(dead), None) if now.nodes().all(|(_, node)| node.process.leader().is_none()) => {
            Some(format!("{dead:?} is dead, and no candidate lives"))
        }
        _ => None,
    }
}

/// Checks lemma 1 and corollary 1 of the paper.
fn few_large(now: &Configuration<'_, AfekGafni>) -> Option<String> {
    let candidates = || now.nodes().filter(|(_, node)| node.woke);
    for (_, node) in candidates() {
        let level = node.process.level.get();
        let others =
            candidates().filter(|(_, other)| other.process.level.get() >= level).count() as u32;
        if others * (level + 1) > now.size() {
            return Some(format!("{others} candidates have reached level {level}"));
        }
    }
    let killed = now.nodes().filter(|(_, node)| node.process.state == Killed);
    let mut levels: Vec<u32> = killed.map(|(_, node)| node.process.level.get()).collect();
    levels.sort_unstable_by(|a, b| b.cmp(a));
    (1..)
        .zip(levels)
        .find(|(k, level)| (level + 1) * (k + 1) > now.size())
        .map(|(k, level)| format!("number {k} of the dead has reached level {level}"))
}

fn prompt(now: &Configuration<'_, AfekGafni>) -> Option<String> {
    let idle = |process: &AfekGafni| {
        matches!(process.state, Ordinary | Alive | Killed)
            && process.potential_father.is_none()
            && process.queue.iter().next().is_some()
    };
    now.each(|one| idle(one.process).then(|| "waits for no answer, and candidates wait".into()))
}

fn stopped(now: &Configuration<'_, AfekGafni>) -> Option<String> {
    let state = |state: fn(State) -> bool| {
        now.nodes().find(|(_, node)| state(node.process.state)).map(|(number, _)| number)
    };
    let runs = |state: State| matches!(state, Ordinary | Alive | Killed);
    match (state(|state| matches!(state, Ended(_))), state(runs)) {
        (Some(ended), Some(runs)) => Some(format!("{ended} has ended, and {runs} has not stopped")),
        _ => None,
    }
}
