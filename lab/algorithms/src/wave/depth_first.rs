pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "depth-first-extinction",
    title: "Extinction over a depth-first traversal: a token visits all, unless it meets a smaller wave.",
    paper: "G. Tel, Introduction to Distributed Algorithms, 2nd ed., 2000, chapters 6 and 7",
    citation: r#"
G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000,
sections 6.4.1 (depth-first search) and 7.3 (extinction); the traversal after G. Tarry, "Le problème
des labyrinthes", *Nouvelles annales de mathématiques* 14, 1895.
"#,
    assumes: "
Any connected graph with FIFO links that hold `n/2` messages or more, rounded down, and at least
one. A process knows its identity.
",
    idea: "
A token traverses the graph: a process sends it through no port twice, and to its father, from which
it came first, only when no other port is left; a process that has had it before returns it at once
where it may. That is depth-first search, and a wave: in the end the token is back where it started.
Extinction lets each initiator send such a token with its identity; a process takes part in the
smallest wave that it has seen and swallows the other tokens. Only the token of the smallest
initiator comes home, and that process leads.
",
    cost: "
A wave takes exactly `M = 2 |E|` messages, one each way on each link, so `k` initiators send at
most `k M`, and at least `M`. The announcement takes `2 |E|`. No election sends more than `2 |E|
k - (k-1)^2`, which paths attain: the wave of the r-th smallest ends at the latest when its
token meets one of the `r - 1` smaller initiators, and its other messages are on links that
touch none of these. A connected graph has at most `|E| - (r - 1)` such links.

Time: at most `2 |E| + D + 1`. One message of a wave is under way at a time, so the token of the
smallest initiator is home after `T = 2 |E|` units; the announcement takes `D + 1` in a graph of
diameter `D`. Counted from the first wake-up and not from the last, the election takes at most `k T`
(see `extinction.rs`).

Room: processes that wait for each other in a circle, two at least, have a token each to send, and
as many before it on the link as that has room for. These are tokens of different waves, and there
are `k` of them, so room for `n/2` is enough. With room for one, two of four processes may
deadlock.
",
    deviations: "
The lecture notes state extinction for any wave and print it for Echo alone. A process tries its
ports in ascending order.
",
    invariants: INVARIANTS,
};

use crate::extinction::INVARIANTS;
use crate::prelude::*;
use crate::wave::{Token, Wave};
use alloc::boxed::Box;

/// A process of the traversal, which takes one bit for each of its ports while it takes part.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DepthFirst {
    /// The ports through which it has sent the token, as one bit each.
    used: Box<[u64]>,
    /// The port through which the token came first, except where it started.
    father: Option<Port>,
    reached: bool,
}

impl DepthFirst {
    fn is_used(&self, port: Port) -> bool {
        self.used[port.0 as usize / 64] >> (port.0 % 64) & 1 == 1
    }

    fn send(&mut self, to: Port, net: &mut impl Net<Token>) {
        self.used[to.0 as usize / 64] |= 1 << (to.0 % 64);
        net.send(to, Token);
    }

    /// Sends the token on, back to where it came from if it may. Returns whether the traversal has
    /// ended.
    fn pass_on(&mut self, from: Option<Port>, net: &mut impl Net<Token>) -> bool {
        let free = |port: Port| Some(port) != self.father && !self.is_used(port);
        let back = from.filter(|&port| free(port));
        // Skips words whose ports are all used. The only unused port in the first word left may be
        // the father's.
        let first = self.used.iter().position(|&word| word != u64::MAX).unwrap_or(0);
        let from_there = || (first as u32 * 64..net.degree()).map(Port).find(|&port| free(port));
        match back.or_else(from_there).or(self.father.filter(|&father| !self.is_used(father))) {
            Some(to) => {
                self.send(to, net);
                false
            }
            None => true,
        }
    }
}

impl Wave for DepthFirst {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    // The sharper bound of the header would make `suffrage elect` choose this algorithm, which is slow,
    // for every network.
    const MESSAGES: Bound =
        Bound::at_most("2 |E| k", |s| s.links.saturating_mul(2).saturating_mul(s.initiators))
            .and_at_least(|s| s.links.saturating_mul(2));
    const ROOM: Bound = Bound::at_most("max(n/2, 1)", |s| (s.nodes / 2).max(1));
    const TIME: Bound = Bound::at_most("2 |E|", |s| s.links.saturating_mul(2));
    type Msg = Token;

    fn new(_degree: u32) -> Self {
        Self { used: Box::default(), father: None, reached: false }
    }

    fn start(&mut self, net: &mut impl Net<Token>) -> bool {
        self.used = vec![0; net.degree().div_ceil(64) as usize].into();
        self.reached = true;
        self.pass_on(None, net)
    }

    fn receive(&mut self, from: Port, _: Token, net: &mut impl Net<Token>) -> bool {
        if self.reached {
            // It returns at once where it came from, unless the token left through that port.
            return match self.pass_on(Some(from), net) {
                true if self.father.is_some() => {
                    net.reject("the token has left through every port");
                    false
                }
                ended => ended,
            };
        }
        self.used = vec![0; net.degree().div_ceil(64) as usize].into();
        self.reached = true;
        self.father = Some(from);
        // A process without other ports returns it.
        self.pass_on(None, net)
    }
}
