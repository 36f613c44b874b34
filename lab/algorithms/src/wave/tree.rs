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
    invariants: &[
        INVARIANTS[0],
        INVARIANTS[1],
        INVARIANTS[2],
        (
            "own",
            "an initiator takes part in its own wave or in a smaller one.
             woke(a) -> of(a) & (of(a, w) -> w <= a)",
        ),
        (
            "initiators",
            "a process takes part in the wave of an initiator.
             of(a, w) -> woke(w)",
        ),
        (
            "wake-up-started",
            "a wake-up is of an initiator's wave, and its sender takes part in this or in a smaller one.
             WakeUp(w) at x from c to a -> woke(w) & of(c) & (of(c, v) -> v <= w)",
        ),
        (
            "token-started",
            "so it is with a token,
             Token(w) at x from c to a -> woke(w) & of(c) & (of(c, v) -> v <= w)",
        ),
        (
            "report-started",
            "and with a report.
             Report(w) at x from c to a -> woke(w) & of(c) & (of(c, v) -> v <= w)",
        ),
        (
            "idle",
            "a process that takes part in no wave waits for the tokens of all neighbours.
             !of(a) -> Asleep(a) & !father(a) & (near(a, c) -> counted silent(a, c))",
        ),
        (
            "takes-part",
            "a process that takes part in a wave has been woken.
             of(a) -> !Asleep(a)",
        ),
        (
            "token",
            "when a token comes, each process on its side of the link takes part in the wave and has sent its token, \
             or takes part in a smaller one; and no initiator there is smaller.
             Token(w) at x from c to a & beyond(a, c, d) -> of(d) & (of(d, v) -> v <= w) & (of(d, w) -> Sent(d)
                 | Done(d)) & (woke(d) -> w <= d)",
        ),
        (
            "own-side",
            "so it is beyond each link through which a token has come,
             of(a, w) & near(a, c) & !counted silent(a, c) & beyond(a, c, d) -> of(d) & (of(d, v) -> v <= w)
                 & (of(d, w) -> Sent(d) | Done(d)) & (woke(d) -> w <= d)",
        ),
        (
            "report",
            "everywhere when a report comes,
             Report(w) at x from c to a -> of(d) & (of(d, v) -> v <= w) & (of(d, w) -> Sent(d) | Done(d)) & (woke(d)
                 -> w <= d)",
        ),
        (
            "everywhere",
            "and everywhere when a process has finished.
             of(a, w) & Done(a) -> of(d) & (of(d, v) -> v <= w) & (of(d, w) -> Sent(d) | Done(d)) & (woke(d)
                 -> w <= d)",
        ),
        (
            "leader",
            "a leader has finished its own wave,
             leads(a) -> of(a, a) & Done(a)",
        ),
        (
            "led",
            "so that this holds of its wave.
             leads(a) -> of(d) & (of(d, v) -> v <= a) & (of(d, a) -> Sent(d) | Done(d)) & (woke(d) -> a <= d)",
        ),
        (
            "silent",
            "no message comes to a leader.
             leads(a) -> of(a, a) & !(WakeUp(w) at x from c to a | Token(w) at x from c to a
                 | Report(w) at x from c to a)",
        ),
        (
            "awake",
            "a process that has sent no token waits for those of two neighbours.
             Awake(a) & near(a, c) -> (exists d. counted silent(a, d) & c != d)",
        ),
        (
            "last",
            "a process that has sent its token waits for one more.
             Sent(a) & counted silent(a, c) & counted silent(a, d) -> c = d",
        ),
        (
            "expected",
            "a token comes to a process that waits for it, and has not finished.
             Token(w) at x from c to a & of(a, w) -> counted silent(a, c) & !Done(a)",
        ),
        (
            "one-token",
            "no second one follows it.
             Token(w) at x from c to a & Token(w) at y from c to a -> x = y",
        ),
        (
            "returned",
            "its sender waits for a token in return, or has finished.
             Token(w) at x from c to a & of(c, w) -> Done(c) | Sent(c) & counted silent(c, a)",
        ),
        (
            "answered",
            "so it is after the token has come, unless its sender takes part in a smaller wave.
             of(a, w) & near(a, c) & !counted silent(a, c) -> of(c) & (of(c, v) -> v <= w) & (of(c, w) -> Done(c)
                 | Sent(c) & counted silent(c, a))",
        ),
        (
            "from-there",
            "a wake-up comes from the side of the process that started the wave.
             WakeUp(w) at x from c to a -> beyond(a, c, w)",
        ),
        (
            "father",
            "a father is on that side,
             father(a, c) -> near(a, c) & (of(a, w) -> beyond(a, c, w))",
        ),
        (
            "homeward",
            "and no other neighbour is.
             of(a, w) & near(a, c) & beyond(a, c, w) -> father(a, c)",
        ),
        (
            "fathers",
            "only the process that started the wave has no father.
             of(a, w) & a != w -> father(a)",
        ),
        (
            "first",
            "a wake-up comes to a process that does not take part in the wave.
             WakeUp(w) at x from c to a -> !of(a, w)",
        ),
        (
            "one-wake-up",
            "no second one follows it.
             WakeUp(w) at x from c to a & WakeUp(w) at y from c to a -> x = y",
        ),
        (
            "after-father",
            "a father takes part in the wave or in a smaller one.
             of(a, w) & near(a, c) & beyond(a, c, w) -> of(c) & (of(c, v) -> v <= w)",
        ),
        (
            "spreads",
            "a wake-up is under way to each neighbour that does not take part in the wave, nor in a smaller one.
             of(c, w) & near(c, a) -> of(a) & !(exists v. of(a, v) & w < v) | (exists x. WakeUp(w) at x from c to a)",
        ),
        (
            "in-order",
            "it comes before the token.
             Token(w) at y from c to a -> of(a) & !(exists v. of(a, v) & w < v)
                 | (exists x. WakeUp(w) at x from c to a & x < y)",
        ),
        (
            "homewards",
            "a report goes to the side of the process that started the wave.
             Report(w) at x from c to a -> beyond(c, a, w)",
        ),
        (
            "to-the-last",
            "it comes to a process that has sent its token, and waits for that of the report's sender.
             Report(w) at x from c to a & of(a, w) -> Sent(a) & counted silent(a, c)",
        ),
        (
            "one-report",
            "no second one follows it.
             Report(w) at x from c to a & Report(w) at y from c to a -> x = y",
        ),
        (
            "reported",
            "its sender has finished,
             Report(w) at x from c to a & of(c, w) -> Done(c)",
        ),
        (
            "no-token-either",
            "and has sent no token to the same process.
             Report(w) at x from c to a -> !Token(w) at y from c to a",
        ),
        (
            "told",
            "a process that finished without the token of a neighbour had a report from it.
             of(a, w) & Done(a) & near(a, c) & counted silent(a, c) & of(c, w) -> Done(c)",
        ),
        (
            "behind-wake-up",
            "no message of a larger wave comes after a wake-up,
             WakeUp(v) at y from c to a & v < w & (WakeUp(w) at x from c to a | Token(w) at x from c to a
                 | Report(w) at x from c to a) -> x < y",
        ),
        (
            "behind-token",
            "or after a token,
             Token(v) at y from c to a & v < w & (WakeUp(w) at x from c to a | Token(w) at x from c to a
                 | Report(w) at x from c to a) -> x < y",
        ),
        (
            "behind-report",
            "or after a report,
             Report(v) at y from c to a & v < w & (WakeUp(w) at x from c to a | Token(w) at x from c to a
                 | Report(w) at x from c to a) -> x < y",
        ),
        (
            "cleared",
            "or from a father, or from a neighbour whose token or report has come.
             of(a, v) & near(a, c) & (father(a, c) | !counted silent(a, c) | Done(a)) & (WakeUp(w) at x from c to a
                 | Token(w) at x from c to a | Report(w) at x from c to a) -> w <= v",
        ),
    ],
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
    /// Notes that the token of a neighbour has come. Returns whether it may come.
    fn hears(&mut self, from: Port, net: &impl Net<Msg>) -> bool {
        let silent = self.silent.without(from, net.degree());
        self.silent = silent.unwrap_or(self.silent);
        silent.is_some()
    }

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
    const INVARIANTS: &'static [(&'static str, &'static str)] =
        HEADER.invariants.split_at(INVARIANTS.len()).1;
    type Msg = Msg;

    fn new(degree: u32) -> Self {
        Self { father: None, silent: WaitedPorts::all(degree), state: State::Asleep }
    }

    fn start(&mut self, net: &mut impl Net<Msg>) -> bool {
        self.state = if net.is_alone() { State::Done } else { State::Awake };
        net.send_all(WakeUp);
        self.send_token(net);
        self.state == State::Done
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) -> bool {
        match (self.state, msg) {
            (State::Asleep, WakeUp) => {
                self.father = Some(from);
                self.state = State::Awake;
                net.send_others(from, WakeUp);
                self.send_token(net);
            }
            (State::Awake, Token) if self.hears(from, net) => self.send_token(net),
            (State::Sent, Token) if self.hears(from, net) && self.silent.is_empty() => {
                // Both processes at the link know; the one nearer to the start reports.
                if self.father != Some(from) {
                    return self.report(net);
                }
                self.state = State::Done;
            }
            (State::Sent, Report) if self.father != Some(from) => return self.report(net),
            _ => net.reject("a neighbour sends a wake-up, then a token, then a report"),
        }
        false
    }
}
