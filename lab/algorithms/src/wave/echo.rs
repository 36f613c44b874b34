//! The echo wave.
//!
//! E. J. H. Chang, "Echo algorithms: depth parallel operations on general graphs", *IEEE
//! Transactions on Software Engineering* SE-8(4), 1982, pp. 391-401.

use crate::prelude::*;
use crate::wave::Wave;

/// A process of the echo algorithm: it takes the first sender as its father, passes the token on to all
/// other neighbours, and echoes it to its father when it has come from all of them. `2 |E|` messages,
/// in `2 D` units of time at most where each message takes exactly one, and in `2 n - 1` where it takes
/// one at most.
///
/// `Announced<Extinction<Echo>>` sends the same messages as
/// [`EchoExtinction`](crate::graph::EchoExtinction), which is the catalogue's.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Echo {
    /// The number of neighbours whose token has not come.
    missing: u32,
    /// The port from which the wave came, except where it started.
    father: Option<Port>,
    reached: bool,
}

/// The token of the echo algorithm, or of a traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Token;

impl Message for Token {
    const KINDS: &'static [Kind] = &[Kind::election("token")];
    fn kind(&self) -> usize {
        0
    }
}

impl Wave for Echo {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    const MESSAGES: Bound =
        Bound::at_most("2 |E| k", |s| s.links.saturating_mul(2).saturating_mul(s.initiators))
            .and_at_least(|s| s.links.saturating_mul(2));
    const ROOM: Bound = Bound::at_most("max(n-1, 1)", |s| s.nodes.saturating_sub(1).max(1));
    const TIME: Bound = Bound::at_most("2 n - 1", |s| s.nodes.saturating_mul(2).saturating_sub(1));
    type Msg = Token;

    fn new(degree: u32) -> Self {
        Self { missing: degree, father: None, reached: false }
    }

    fn start(&mut self, net: &mut impl Net<Token>) -> bool {
        self.reached = true;
        net.send_all(Token);
        self.missing == 0
    }

    fn receive(&mut self, from: Port, _: Token, net: &mut impl Net<Token>) -> bool {
        if self.missing == 0 {
            net.reject("a neighbour sends one token of a wave");
            return false;
        }
        if !self.reached {
            self.reached = true;
            self.father = Some(from);
            net.send_others(from, Token);
        }
        self.missing -= 1;
        match (self.missing, self.father) {
            (0, Some(father)) => net.send(father, Token),
            (0, None) => return true,
            _ => {}
        }
        false
    }
}
