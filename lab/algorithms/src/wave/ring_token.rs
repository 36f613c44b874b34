pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "ring-extinction",
    title: "Extinction over a token on a ring: a token goes around, unless it meets a smaller wave.",
    paper: "G. Tel, Introduction to Distributed Algorithms, 2nd ed., 2000, chapters 6 and 7",
    citation: "
G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000,
sections 6.2.1 (the ring algorithm) and 7.3 (extinction).
",
    assumes: "
An oriented ring with FIFO links; a process knows its identity.
",
    idea: "
A token that goes once around a ring is a wave: every process passes it on, and the process that
started it decides when it comes home. Extinction lets each initiator send such a token with its
identity. A process passes on a token that is smaller than all that it has seen, its own included,
and swallows the others. Only the token of the smallest initiator comes home, and makes it the
leader.
",
    cost: "
A wave takes `M = n` messages, so `k` initiators send at most `k M`. The token of the r-th smallest
ends at the latest at the nearest smaller initiator, which has started before a token reached it:
after `n - r + 1` links. So at most `k n - k(k-1)/2` messages are sent, attained when the identities
ascend along the ring; exactly `n` with one initiator. At least `n + k-1` are sent, since every
initiator sends its token. The announcement takes `n`.

Time: at most `2 n`. No process swallows the token of the smallest initiator, which is home after
`T = n` units; the announcement takes as many. Counted from the first wake-up and not from the last,
the election takes at most `k T` (see `extinction.rs`).

Room for one message on each link is enough. A process that waits for room waits for its successor,
which waits as well, and so do all; but then `n` tokens are on the links and `n` more are to be
sent, and there are only `k`.
",
    deviations: "
The lecture notes state extinction for any wave and print it for Echo alone. A process that has lost
swallows larger tokens here, while one of `chang-roberts` passes them on. Both send the same
messages on every schedule, since links are FIFO: where a smaller token has passed, it has swallowed
the larger ones at its initiator, or follows them.
",
    invariants: &[
        INVARIANTS[0],
        INVARIANTS[1],
        INVARIANTS[2],
        (
            "initiators",
            "only initiators have tokens, and waves in which others take part.
             Tagged(a) at x | of(b, a) | Started(a) -> woke(a)",
        ),
        (
            "own",
            "an initiator takes part in its own wave or a smaller one.
             woke(a) -> of(a) & (of(a, c) -> c <= a)",
        ),
        (
            "started",
            "a process that has started a token, or leads, takes part in its own wave.
             Started(a) | leads(a) -> of(a, a)",
        ),
        (
            "takes-part",
            "a process takes part in a wave once it has started or passed a token.
             of(a) -> Started(a) | Done(a)",
        ),
        (
            "reached",
            "a process that has passed a token on takes part in a wave, and so do all from its initiator on.
             Done(b) -> of(b) & (of(b, c) & d in (c, b) -> of(d))",
        ),
        (
            "passed",
            "a process that a token has passed takes part in its wave or a smaller one.
             Tagged(a) at x & b in (a, x) -> of(b) & (of(b, c) -> c <= a)",
        ),
        (
            "larger",
            "an initiator that a token has passed is larger.
             Tagged(a) at x & b in (a, x) & woke(b) -> a < b",
        ),
        (
            "once",
            "no initiator has two tokens.
             Tagged(a) at x & Tagged(a) at y -> x = y",
        ),
        (
            "in-order",
            "a token that has passed the process of another one is not ahead of it.
             Tagged(a) at x & Tagged(b) at y & b in (a, x) -> !y in (b, x)",
        ),
        (
            "done",
            "a process that has passed a token on stands behind it, unless it takes part in a smaller wave.
             Done(b) & of(b, a) & b != a & Tagged(a) at x -> b in (a, x)",
        ),
        (
            "cleared",
            "behind a token that a process has passed on there are no tokens of larger initiators.
             Done(b) & of(b, c) & Tagged(a) at x & c < a -> !x in (c, b)",
        ),
        (
            "home",
            "an initiator whose token has come home leads.
             Done(a) & of(a, a) -> leads(a)",
        ),
        (
            "everywhere",
            "all take part in a leader's wave; this is *all-in* as a formula.
             leads(a) -> of(b) & (of(b, c) -> c = a)",
        ),
        (
            "smallest",
            "no initiator is smaller than a leader.
             leads(a) & woke(b) -> a <= b",
        ),
        (
            "silent",
            "beside a leader no token is left.
             leads(a) -> !Tagged(b) at x",
        ),
        (
            "smallest-survives",
            "the token of the smallest initiator is on the ring, or it has won.
             woke(a) -> leads(a) | (exists x. Tagged(a) at x) | (exists c. woke(c) & c < a)",
        ),
        (
            "sent",
            "a token that has been sent is that of an initiator.
             Tagged(a) by q -> woke(a)",
        ),
        (
            "sent-so-far",
            "a token on the ring has been sent by its initiator and those that it has passed alone.
             Tagged(a) by q & Tagged(a) at x -> q = a | q in (a, x)",
        ),
        (
            "not-beyond",
            "initiators up to a process that has passed a token on are larger than the token's, so that no token goes \
             beyond a smaller one.
             Tagged(a) by q & q != a & (c = q | c in (a, q)) -> of(c) & (woke(c) -> a < c)",
        ),
    ],
};

use crate::extinction::INVARIANTS;
use crate::prelude::*;
use crate::wave::{Token, Wave};

/// A process of the ring algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RingToken {
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    /// The token has not come.
    Waits,
    /// It has started the token, which has not returned.
    Started,
    /// It has passed the token on, or its own token has returned.
    Done,
}

impl Wave for RingToken {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    const MESSAGES: Bound = Bound::at_most("k n - k(k-1)/2", |s| {
        let (n, k) = (u128::from(s.nodes), u128::from(s.initiators));
        (k * n - k * k.saturating_sub(1) / 2).try_into().unwrap_or(u64::MAX)
    })
    .and_at_least(|s| s.nodes.saturating_add(s.initiators).saturating_sub(1));
    const ROOM: Bound = Bound::at_most("1", |_| 1);
    const TIME: Bound = Bound::at_most("n", |s| s.nodes);
    const INVARIANTS: &'static [(&'static str, &'static str)] =
        HEADER.invariants.split_at(INVARIANTS.len()).1;
    type Msg = Token;

    fn new(_degree: u32) -> Self {
        Self { state: State::Waits }
    }

    fn start(&mut self, net: &mut impl Net<Token>) -> bool {
        self.state = State::Started;
        net.send(Port::NEXT, Token);
        false
    }

    fn receive(&mut self, _: Port, _: Token, net: &mut impl Net<Token>) -> bool {
        let before = core::mem::replace(&mut self.state, State::Done);
        match before {
            State::Waits => net.send(Port::NEXT, Token),
            State::Started => {}
            State::Done => net.reject("a token goes around once"),
        }
        before == State::Started
    }
}
