pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "tree-extinction",
    title: "Extinction over the tree algorithm: woken from one process, tokens meet and a report returns to it.",
    paper: "G. Tel, Introduction to Distributed Algorithms, 2nd ed., 2000, chapters 6 and 7",
    citation: "
G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000,
sections 6.2.2 (the tree algorithm) and 7.3 (extinction).
",
    assumes: "
A tree with FIFO links that hold `n/2 + 1` messages or more, rounded down. A process knows its
identity.
",
    idea: "
In the tree algorithm a process that has tokens from all neighbours but one sends that one a token,
and the two processes whose tokens cross decide. As a wave of one process it begins with wake-ups,
which spread from that process, and ends with a report, which goes back the same way from where the
tokens crossed. Extinction lets each initiator start such a wave with its identity; a process takes
part in the smallest that it has seen and ignores the others. Only the wave of the smallest
initiator ends, and that process leads.
",
    cost: "
A wave takes at most `M = 3n - 3` messages: `n - 1` wake-ups, `n` tokens, and at most `n - 2`
reports, all of them on a path that is woken from an end. So `k` initiators send at most `k M`. In
the wave of the r-th smallest the `r - 1` smaller ones take no part: it has at most `n - r + 1`
tokens, and no report. Together that is at most `(2k+1) n - 2 - k(k+1)/2`, attained with one and
with two initiators. It is at least `2n + k - 2` for `n > 1`: the winning wave without reports, and
a wake-up from every other initiator. The announcement takes `2 |E| = 2n - 2`.

Time: at most `3 D + 1` in a tree of diameter `D`. In the wave of the smallest initiator a process
at distance `d` is awake after `d` units. Below the link on which tokens cross, tokens only rise:
the one that crosses it upwards, to a process at distance `u`, arrives after `2 d - u` units, where
`d` is the greatest distance of a leaf below. The report takes `u` more, so `T = 2 D`; the
announcement takes `D + 1`. Counted from the first wake-up and not from the last, the election takes
at most `k T` (see `extinction.rs`).

Room: in a tree only two neighbours can wait for each other. Of the waves that start on one side of
their link each sends one wake-up over it, and the smallest alone a token, for which all on that
side must take part. An answer to a wake-up only takes the place of one that has arrived. So no more
than `n + 2` messages are on the two links or wait for them, and two processes that wait would need
twice as many as a link holds, and two more. With room for `n/2` they may deadlock.
",
    deviations: "
The lecture notes state extinction for any centralized wave, and use the tree algorithm as a
decentralized one, without extinction (`tree-wave`), where all leaves start after a wake-up and all
processes compete. Here one process starts a wave, and decides it.
",
    invariants: INVARIANTS,
};

use crate::extinction::INVARIANTS;
use crate::ports::WaitedPorts;
use crate::prelude::*;
use crate::wave::Wave;

/// A process of the tree algorithm, as a wave of one process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tree {
    /// The port from which the wake-up came, except where the wave started.
    father: Option<Port>,
    /// The neighbours whose token has not come.
    silent: WaitedPorts,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Asleep,
    /// It waits for tokens from all neighbours but one.
    Awake,
    /// It has sent its token.
    Sent,
    /// It has reported, or decided.
    Done,
}

/// A message of the wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Wake up.
    WakeUp,
    /// All on this side of the link have taken part.
    Token,
    /// All have taken part; addressed to the process that started the wave.
    Report,
}
use Msg::{Report, Token, WakeUp};

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::election("wake-up"), Kind::election("token"), Kind::election("report")];
    fn kind(&self) -> usize {
        match self {
            WakeUp => 0,
            Token => 1,
            Report => 2,
        }
    }
}

impl Tree {
    /// Sends its token as soon as only one neighbour's is missing.
    fn send_token(&mut self, net: &mut impl Net<Msg>) {
        if let (State::Awake, Some(last)) = (self.state, self.silent.last()) {
            self.state = State::Sent;
            net.send(last, Token);
        }
    }

    /// Reports that all have taken part. Returns whether this process has started the wave.
    fn report(&mut self, net: &mut impl Net<Msg>) -> bool {
        self.state = State::Done;
        match self.father {
            Some(father) => net.send(father, Report),
            None => return true,
        }
        false
    }
}

impl Wave for Tree {
    const NETWORK: NetworkClass = NetworkClass::Tree;
    const MESSAGES: Bound = Bound::at_most("(2k+1) n - 2 - k(k+1)/2", |s| {
        let (n, k) = (u128::from(s.nodes), u128::from(s.initiators));
        let all = (2 * k + 1).saturating_mul(n);
        all.saturating_sub(2 + k * (k + 1) / 2).try_into().unwrap_or(u64::MAX)
    })
    .and_at_least(|s| match s.nodes {
        0 | 1 => 0,
        n => n.saturating_mul(2).saturating_add(s.initiators).saturating_sub(2),
    });
    const ROOM: Bound = Bound::at_most("n/2 + 1", |s| s.nodes / 2 + 1);
    const TIME: Bound = Bound::at_most("2 D", |s| s.diameter.saturating_mul(2));
    type Msg = Msg;

    fn new(degree: u32) -> Self {
        Self { father: None, silent: WaitedPorts::all(degree), state: State::Asleep }
    }

    fn start(&mut self, net: &mut impl Net<Msg>) -> bool {
        self.state = State::Awake;
        net.send_all(WakeUp);
        self.send_token(net);
        net.degree() == 0
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) -> bool {
        let silent = self.silent.without(from, net.degree());
        match (self.state, msg, silent) {
            (State::Asleep, WakeUp, _) => {
                self.father = Some(from);
                self.state = State::Awake;
                net.send_others(from, WakeUp);
                self.send_token(net);
            }
            (State::Awake, Token, Some(silent)) => {
                self.silent = silent;
                self.send_token(net);
            }
            (State::Sent, Token, Some(silent)) if silent.is_empty() => {
                self.silent = silent;
                // Both processes at the link know; the one nearer to the start reports.
                if self.father != Some(from) {
                    return self.report(net);
                }
                self.state = State::Done;
            }
            (State::Sent, Report, _) if self.father != Some(from) => return self.report(net),
            _ => net.reject("a neighbour sends a wake-up, then a token, then a report"),
        }
        false
    }
}
