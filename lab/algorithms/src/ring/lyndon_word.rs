pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "lyndon-word",
    title: "Altisen and others: processes with equal labels read the ring until they know it by heart.",
    paper: "K. Altisen, A. K. Datta, S. Devismes, A. Durand, L. L. Larmore, IEEE IPDPS, 2017",
    citation: r#"
K. Altisen, A. K. Datta, S. Devismes, A. Durand, L. L. Larmore, "Leader election in asymmetric
labeled unidirectional rings", *31st IEEE International Parallel and Distributed Processing
Symposium (IPDPS)*, 2017, pp. 182-191: the algorithm `A_k`, the faster of its two.
"#,
    assumes: "
An oriented ring of homonyms with FIFO links: several processes may have the same label, but no
rotation except for the full one maps the labels to themselves. A process knows its label, and
an upper bound `m` on how many processes have the same one; it does not know the size of the
ring. Messages go forward only.
",
    idea: "
Every process sends its label, and passes on every label that comes: so it reads the labels of
the processes behind it, lap after lap, and appends them to its string, which begins with its
own. When a label stands there `2 m - 1` times (twice if `m` is 1), the string's shortest repeating
prefix is exactly one lap. The process leads if this prefix is a Lyndon word, which is true of one
rotation of an asymmetric word. It passes on no more labels then, and sends `finish` round.
",
    cost: "
At most `l n² + n(n-1)/2` labels, where `l = max(2 m - 2, 1)`, and at least
`n² + max(m - 2, 0) n + n(n-1)/2`, so that a ring of 10,000 sends 1.5 10^8; and `n` times `finish`.

*Proof.* The copies are more than `m`, so the string is `w u`, where `w` is a lap and `u` what
follows. Let `x` be its last label, and suppose that it has a period `p < n`. If
`|u| >= p - gcd(n, p)`, then `gcd(n, p)` is a period, too (N. J. Fine, H. S. Wilf, *Proceedings of
the AMS* 16, 1965), and the labelling is symmetric. Otherwise `|u| < p`, and `w` has two copies of
`x` behind its prefix `u`. The first is `p` places before the end of the string. For the second let
`d = n - p`: the string without its first `p` labels has the period `d`, so that one of the last `d`
labels of `w` is an `x`, a multiple of `d` before the end. If both were the same, `d` would divide
`p`, so that `gcd(n, p) = d` and, with the copy among the last `d` of `w`, `|u| > p - d`: this is
the first case. So `u` has at most `m - 2` copies, and the string at most `2 m - 2`, fewer than it
has. Hence its shortest repeating prefix has the length `n`. And `2 m - 2` copies do not suffice: on
the ring `a b a`, with `m = 2`, the string `a b a` repeats `a b`.

A process reads its own label once a lap, so that it decides after `s <= l n + 1` labels, its own
included. Until then the leader has sent `s - 1` of them: its own, and all that it was sent except
for the last. Every other process sends its own and all that it is sent before `finish`, one more
than the process behind it. That is `n (s - 1) + n(n-1)/2` on every schedule.

Time: at most `(l + 1) n - 1`, and `n` for `finish`. The process at which a label starts wakes
within `n - 1` units after the last initiator, by the first label that comes if not by itself, and
the label is then passed on without delay over at most `l n` links. The paper has `n² (2 m + 1)`
messages and `(2 m + 2) n` units, for `2 m + 1` copies.
",
    deviations: "
Of the paper, the abstract was at hand; the program and its bounds are from memory. A process of
the paper reads `2 m + 1` copies of a label, which make more than two laps; by the proof above,
fewer suffice. It keeps its string until the end, and examines it again with each label; here one
that knows that it does not lead forgets it, since a longer string has the same repeating prefix. It
still passes labels on, as in the paper, although those ahead of it have been sent enough to decide.
In the paper the leader's label is found as the first letter of the Lyndon word; that is the
smallest label on the ring, and is found as such. A process starts when it wakes or when the first
label reaches it.
",
    invariants: &[
        (
            "behind",
            "a string, and after it the labels on their way to its process, are those of the \
             processes behind it, one after the other, from its own on.",
        ),
        (
            "finish",
            "`finish` is on its way exactly if there is a leader that waits for it; behind it are \
             the leader and those that have halted, ahead of it all others.",
        ),
    ],
};

use crate::prelude::*;
use alloc::collections::BTreeMap;

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The label of a process, on its way round.
    Token(Label),
    /// There is a leader.
    Finish,
}
use Msg::{Finish, Token};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::election("token").ids(1), Kind::announcement("finish")];
    fn kind(&self) -> usize {
        match self {
            Token(_) => 0,
            Finish => 1,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// Reads the ring.
    Reads {
        string: Vec<Label>,
        /// The copies of each label in the string.
        copies: BTreeMap<Label, u32>,
    },
    /// Does not lead, and waits for `finish`: the leader's label.
    Passive(Label),
    /// `finish` has come: the leader's label.
    Follower(Label),
    Leader,
    /// Leads, and its `finish` has come round.
    Done,
}
use State::{Done, Follower, Leader, Passive, Reads, Sleep};

/// A process of the algorithm. It is told a bound on the multiplicity that is by `MORE` larger than
/// the multiplicity itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LyndonWord<const MORE: u32 = 0> {
    label: Label,
    /// The bound on the multiplicity, `m`.
    most: u32,
    state: State,
}

fn repeating_prefix(string: &[Label]) -> &[Label] {
    let repeats = |&length: &usize| string[length..] == string[..string.len() - length];
    &string[..(1..string.len()).find(repeats).unwrap_or(string.len())]
}

fn is_lyndon(word: &[Label]) -> bool {
    (1..word.len()).all(|start| word < &word[start..])
}

fn smallest(string: &[Label], first: Label) -> Label {
    string.iter().copied().fold(first, Label::min)
}

impl<const MORE: u32> Process for LyndonWord<MORE> {
    const NETWORK: NetworkClass = NetworkClass::HomonymRing;
    type Knows = (Label, Multiplicity);
    type Msg = Msg;

    fn new((label, Multiplicity(most)): (Label, Multiplicity), _degree: u32) -> Self {
        Self { label, most: most.saturating_add(MORE), state: Sleep }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        let copies = BTreeMap::from([(self.label, 1)]);
        self.state = Reads { string: vec![self.label], copies };
        net.send(Port::NEXT, Token(self.label));
    }

    fn receive(&mut self, _: Port, msg: Msg, net: &mut impl Net<Msg>) {
        if let (Sleep, Token(_)) = (&self.state, msg) {
            self.wake(net);
        }
        match (&mut self.state, msg) {
            (Reads { string, copies }, Token(label)) => {
                string.push(label);
                let copies = copies.entry(label).or_default();
                *copies += 1;
                if *copies >= self.most.saturating_mul(2).saturating_sub(1).max(2) {
                    let word = repeating_prefix(string);
                    if is_lyndon(word) {
                        self.state = Leader;
                        return net.send(Port::NEXT, Finish);
                    }
                    self.state = Passive(smallest(word, self.label));
                }
                net.send(Port::NEXT, msg);
            }
            (Passive(_), Token(_)) => net.send(Port::NEXT, msg),
            (Leader, Token(_)) => {} // It was sent before its sender heard of the leader.
            (Leader, Finish) => self.state = Done,
            (Reads { string, .. }, Finish) => {
                self.state = Follower(smallest(string, self.label));
                net.send(Port::NEXT, Finish);
            }
            (Passive(leader), Finish) => {
                self.state = Follower(*leader);
                net.send(Port::NEXT, Finish);
            }
            (Sleep, _) => net.reject("labels come before the finish"),
            (Follower(_) | Done, _) => net.reject("nothing comes after the finish"),
        }
    }

    fn status(&self) -> Status {
        match self.state {
            Sleep | Reads { .. } => Status::Undecided,
            Passive(_) | Follower(_) => Status::Follower,
            Leader | Done => Status::Leader,
        }
    }

    fn leader(&self) -> Option<Id> {
        match self.state {
            Sleep | Reads { .. } => None,
            Passive(Label(leader)) | Follower(Label(leader)) => Some(leader),
            Leader | Done => Some(self.label.0),
        }
    }

    fn halted(&self) -> bool {
        matches!(self.state, Follower(_) | Done)
    }
}

impl<const MORE: u32> Claimed for LyndonWord<MORE> {
    const CLAIMS: Claims = Claims {
        rule: Rule::LyndonWord,
        problem: Problem::Explicit,
        election: Bound::at_most("l n^2 + n(n-1)/2", |s| {
            labels(s.nodes, laps::<MORE>(s.multiplicity).saturating_mul(s.nodes))
        })
        .given(LAPS)
        .and_at_least(|s| labels(s.nodes, s.nodes + s.multiplicity.saturating_sub(2))),
        announcement: Bound::exactly("n", |s| s.nodes),
        time: Some(Time {
            election: Bound::at_most("(l + 1) n - 1", |s| {
                let laps = laps::<MORE>(s.multiplicity).saturating_add(1);
                laps.saturating_mul(s.nodes).saturating_sub(1)
            })
            .given(LAPS),
            announcement: Bound::at_most("n", |s| s.nodes),
        }),
        ending: Ending::Silent,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [behind, finish])
    }
}

const LAPS: &str = "l = max(2 m - 2, 1)";

/// The laps after which a process has read its own label often enough.
fn laps<const MORE: u32>(multiplicity: u64) -> u64 {
    multiplicity.saturating_add(MORE.into()).saturating_mul(2).saturating_sub(2).max(1)
}

/// The labels that are sent if the leader sends `last` of them.
const fn labels(nodes: u64, last: u64) -> u64 {
    let more = nodes.saturating_sub(1).saturating_mul(nodes) / 2;
    nodes.saturating_mul(last).saturating_add(more)
}

fn behind<const MORE: u32>(now: &Configuration<'_, LyndonWord<MORE>>) -> Option<String> {
    for (node, of) in now.nodes() {
        let Reads { string, .. } = &of.process.state else { continue };
        let coming = now.on_link(now.across(node, Port::PREVIOUS)).filter_map(|msg| match msg {
            Token(label) => Some(label),
            Finish => None,
        });
        let mut at = node;
        for label in string.iter().copied().chain(coming) {
            if label != now.process(at).label {
                return Some(format!("{node} reads {label:?} for {:?}", now.process(at).label));
            }
            at = now.across(at, Port::PREVIOUS).node;
        }
    }
    None
}

fn finish<const MORE: u32>(now: &Configuration<'_, LyndonWord<MORE>>) -> Option<String> {
    let leads = |process: &LyndonWord<MORE>| process.status() == Status::Leader;
    let leader = now.nodes().find(|(_, node)| leads(node.process));
    let under_way: Vec<End> =
        now.messages().iter().filter(|one| one.msg == Finish).map(|one| one.from).collect();
    let expected = match leader {
        Some((leader, _)) if now.process(leader).state == Leader => {
            let mut last = leader;
            loop {
                let next = now.across(last, Port::NEXT).node;
                if next == leader || !now.process(next).halted() {
                    break;
                }
                last = next;
            }
            vec![End { node: last, port: Port::NEXT }]
        }
        _ => Vec::new(),
    };
    let halted = now.nodes().filter(|(_, node)| node.process.halted()).count();
    let reached = match (leader, expected.first()) {
        (None, _) => 0,
        (Some((leader, _)), Some(last)) => {
            ((last.node + now.size() - leader) % now.size()) as usize
        }
        (Some(_), None) => now.size() as usize,
    };
    match under_way == expected && halted == reached {
        true => None,
        false => Some(format!("finish is under way from {under_way:?}, and {halted} have halted")),
    }
}
