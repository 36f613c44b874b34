//! The announcement of the leader, for algorithms whose papers leave it out.

use crate::around::opposite;
use crate::prelude::*;
use core::{fmt::Debug, hash::Hash, num::NonZeroU32};

/// A process that elects as `P` does and then tells all others which one leads.
///
/// `P` names itself by [`leader`](Process::leader) when it leads; it does not matter what the
/// others name.
///
/// On an oriented ring the announcement goes once around (`n` messages), on a ring without a
/// direction once around either way (`2 n`), on a complete network from the leader to each of the
/// others (`n - 1`), on an oriented hypercube from each that hears it by bit `p` on by all bits
/// below (`n - 1`), on any other network it is flooded through every link both ways (`2 |E|`). Its
/// messages are counted apart from those of the election.
///
/// A process halts when the announcement has reached it by every way that it takes: on an oriented
/// ring, a complete network and an oriented hypercube a follower when it hears it, the leader when
/// it has come back; on a ring without a direction when it has come from both sides, behind all
/// that was under way before it; and on a flooded network when every neighbour has sent it.
///
/// The announcement carries what names the leader: its identity or, where processes have none,
/// [`Anonymous`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Announced<P, L = Id> {
    elector: P,
    /// What the announcement says, once it is made or heard.
    heard: Option<Heard<L>>,
}

/// The announcement, as one process has made or heard it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Heard<L> {
    leader: L,
    /// One more than the announcements still to come before this process may halt: it is not 0, so
    /// that an option of this type takes no more room.
    pending: NonZeroU32,
}

/// The name of a leader without an identity: the announcement says that there is a leader, and every
/// process but the one that makes it becomes a follower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Anonymous;

/// The content of an announcement that names the leader.
pub trait LeaderName: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// The kind of the announcement.
    const KIND: Kind;
    /// The problem that an announced election solves.
    const PROBLEM: Problem;

    /// Returns the name of a leader that names itself so; `None` if that is not enough.
    fn of(leader: Option<Id>) -> Option<Self>;

    /// Returns the identity that it names.
    fn id(self) -> Option<Id>;
}

impl LeaderName for Id {
    const KIND: Kind = Kind::announcement("announce").ids(1);
    const PROBLEM: Problem = Problem::Explicit;
    fn of(leader: Option<Id>) -> Option<Self> {
        leader
    }
    fn id(self) -> Option<Id> {
        Some(self)
    }
}

impl LeaderName for Anonymous {
    const KIND: Kind = Kind::announcement("announce");
    const PROBLEM: Problem = Problem::Implicit;
    fn of(_: Option<Id>) -> Option<Self> {
        Some(Self)
    }
    fn id(self) -> Option<Id> {
        None
    }
}

/// A message of the election, or the announcement of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg<M, L = Id> {
    /// Part of the election.
    Elect(M),
    /// This is the leader.
    Announce(L),
}
use Msg::{Announce, Elect};

/// The size of the array of kinds, more than any algorithm has: the length of an array may not
/// depend on a type parameter.
const ROOM: usize = 16;

/// The kinds of the election and, after them, the announcement.
struct AnnouncedKinds<M, L>(core::marker::PhantomData<(M, L)>);

impl<M: Message, L: LeaderName> AnnouncedKinds<M, L> {
    const ALL: &'static [Kind; ROOM] = &{
        let mut all = [L::KIND; ROOM];
        let mut i = 0;
        while i < M::KINDS.len() {
            all[i] = M::KINDS[i];
            i += 1;
        }
        all
    };
}

impl<M: Message, L: LeaderName> Message for Msg<M, L> {
    const KINDS: &'static [Kind] = AnnouncedKinds::<M, L>::ALL.split_at(M::KINDS.len() + 1).0;

    fn kind(&self) -> usize {
        match self {
            Elect(msg) => msg.kind(),
            Announce(_) => M::KINDS.len(),
        }
    }
}

/// The net that the elector is given, which wraps what the elector sends.
struct Electing<'a, N, L>(&'a mut N, core::marker::PhantomData<L>);

impl<'a, N, L> Electing<'a, N, L> {
    const fn new(net: &'a mut N) -> Self {
        Self(net, core::marker::PhantomData)
    }
}

impl<M: Copy, L: LeaderName, N: Net<Msg<M, L>>> Net<M> for Electing<'_, N, L> {
    fn degree(&self) -> u32 {
        self.0.degree()
    }
    #[inline(always)]
    fn send(&mut self, to: Port, msg: M) {
        self.0.send(to, Elect(msg));
    }
    fn choose(&mut self, max: u32) -> u32 {
        self.0.choose(max)
    }
    fn set_alarm(&mut self, ticks: u32) {
        self.0.set_alarm(ticks);
    }
    fn reject(&mut self, why: &'static str) {
        self.0.reject(why);
    }
}

/// The way that an announcement takes through the networks of a class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Route {
    /// Once around a ring, forward.
    Forward,
    /// Once around a ring, both ways.
    BothWays,
    /// From the leader to each of the others.
    ToEach,
    /// In a hypercube from each that hears it by bit `p` on by all bits below.
    ByBits,
    /// Through every link, both ways.
    Flood,
}

impl Route {
    const fn of(class: NetworkClass) -> Self {
        match class {
            NetworkClass::OrientedRing | NetworkClass::HomonymRing => Self::Forward,
            NetworkClass::Ring => Self::BothWays,
            NetworkClass::Complete | NetworkClass::OrientedComplete => Self::ToEach,
            NetworkClass::OrientedHypercube => Self::ByBits,
            NetworkClass::Connected
            | NetworkClass::Tree
            | NetworkClass::Hypercube
            | NetworkClass::Mesh
            | NetworkClass::Torus
            | NetworkClass::OrientedTorus => Self::Flood,
        }
    }

    /// The number of its messages.
    const fn messages(self) -> Bound {
        match self {
            Self::Forward => Bound::exactly("n", |s| s.nodes),
            Self::BothWays => Bound::exactly("2 n", |s| s.nodes.saturating_mul(2)),
            Self::ToEach | Self::ByBits => Bound::exactly("n-1", |s| s.nodes.saturating_sub(1)),
            Self::Flood => Bound::exactly("2 |E|", |s| s.links.saturating_mul(2)),
        }
    }

    /// The time that it takes.
    const fn time(self) -> Bound {
        match self {
            Self::Forward | Self::BothWays => Bound::at_most("n", |s| s.nodes),
            Self::ToEach => Bound::at_most("1", |_| 1),
            Self::ByBits => Bound::at_most("log2 n", |s| s.nodes.max(1).ilog2().into()),
            // Every process has heard after D units, and has sent to all its neighbours then.
            Self::Flood => Bound::at_most("D + 1", |s| s.diameter.saturating_add(1)),
        }
    }
}

impl<P: Process, L: LeaderName> Announced<P, L> {
    const ROUTE: Route = Route::of(P::NETWORK);

    /// Sends the announcement on from this process, the first time that it is made or heard.
    // Inlined, since a net whose address is passed on costs an engine as much as a message does.
    #[inline(always)]
    fn announce(&mut self, leader: L, net: &mut impl Net<Msg<P::Msg, L>>) {
        let leads = self.elector.status() == Status::Leader;
        let pending = match Self::ROUTE {
            Route::Forward => {
                net.send(Port::NEXT, Announce(leader));
                u32::from(leads)
            }
            Route::BothWays | Route::ToEach | Route::ByBits => {
                if leads {
                    net.send_all(Announce(leader));
                }
                if Self::ROUTE == Route::BothWays { 2 } else { 0 }
            }
            Route::Flood => {
                net.send_all(Announce(leader));
                net.degree()
            }
        };
        self.heard = Some(Heard { leader, pending: NonZeroU32::MIN.saturating_add(pending) });
    }

    /// Passes the announcement on the way that it goes, where that depends on whence it comes.
    fn pass(&self, from: Port, leader: L, net: &mut impl Net<Msg<P::Msg, L>>) {
        match Self::ROUTE {
            _ if self.elector.status() == Status::Leader => {}
            Route::BothWays => {
                net.send(opposite(from), Announce(leader));
            }
            Route::ByBits => (0..from.0).for_each(|bit| net.send(Port(bit), Announce(leader))),
            Route::Forward | Route::ToEach | Route::Flood => {}
        }
    }

    /// Announces the elector if it has become the leader; called after each step of the elector.
    #[inline(always)]
    fn look(&mut self, net: &mut impl Net<Msg<P::Msg, L>>) {
        if self.elector.status() == Status::Leader
            && self.heard.is_none()
            && let Some(own) = L::of(self.elector.leader())
        {
            self.announce(own, net);
        }
    }

    #[cold]
    fn informed(&self) -> Status {
        match self.elector.status() {
            Status::Undecided => Status::Follower,
            status => status,
        }
    }
}

impl<P: Process, L: LeaderName> Process for Announced<P, L> {
    const NETWORK: NetworkClass = P::NETWORK;
    const TIMING: Timing = P::TIMING;
    type Knows = P::Knows;
    type Msg = Msg<P::Msg, L>;

    fn new(knows: Self::Knows, degree: u32) -> Self {
        Self { elector: P::new(knows, degree), heard: None }
    }

    fn wake(&mut self, net: &mut impl Net<Self::Msg>) {
        self.elector.wake(&mut Electing::new(net));
        self.look(net);
    }

    fn receive(&mut self, from: Port, msg: Self::Msg, net: &mut impl Net<Self::Msg>) {
        match msg {
            Elect(msg) => {
                self.elector.receive(from, msg, &mut Electing::new(net));
                self.look(net);
            }
            Announce(leader) => {
                match self.heard {
                    None => self.announce(leader, net),
                    Some(known) if known.leader != leader => {
                        return net.reject("there is only one leader");
                    }
                    Some(_) => {}
                }
                self.pass(from, leader, net);
                if let Some(Heard { pending, .. }) = &mut self.heard {
                    *pending = NonZeroU32::new(pending.get() - 1).unwrap_or(NonZeroU32::MIN);
                }
            }
        }
    }

    fn alarm(&mut self, net: &mut impl Net<Self::Msg>) {
        self.elector.alarm(&mut Electing::new(net));
        self.look(net);
    }

    fn status(&self) -> Status {
        match self.heard {
            None => self.elector.status(),
            Some(_) => self.informed(),
        }
    }

    fn leader(&self) -> Option<Id> {
        self.heard.and_then(|heard| heard.leader.id())
    }

    fn halted(&self) -> bool {
        self.heard.is_some_and(|heard| heard.pending == NonZeroU32::MIN)
    }
}

impl<P: Claimed, L: LeaderName> Claimed for Announced<P, L> {
    const PER_PORT: usize = P::PER_PORT;
    const ROOM: Bound = P::ROOM;

    /// The claims about the elector and the announcement. An announcement that carries an identity
    /// makes the election explicit. Its number of messages has the same guarantee as the elector's
    /// own announcement, which sends none.
    const CLAIMS: Claims = {
        let claims = P::CLAIMS;
        let time = match claims.time {
            Some(Time { election, .. }) => {
                Some(Time { election, announcement: Self::ROUTE.time() })
            }
            None => None,
        };
        Claims {
            time,
            problem: L::PROBLEM,
            announcement: Self::ROUTE.messages().with(claims.announcement.guarantee),
            ..claims
        }
    };

    fn race() -> Option<Race<Self>> {
        P::race().map(|race| race.lift(standing::<P, L>))
    }

    /// Returns the invariants of the elector, and *named*: a process that is announced as the leader
    /// leads.
    fn invariants() -> Vec<Invariant<Self>> {
        let elector = |msg| match msg {
            Elect(msg) => Some(msg),
            Announce(_) => None,
        };
        let lift = |of: Invariant<P>| of.lift(|process: &Self| &process.elector, elector);
        P::invariants().into_iter().map(lift).chain([Invariant::new(NAMED.0, named)]).collect()
    }
}

/// The invariant of every announcement, which stands in no algorithm's header.
pub(crate) const NAMED: (&str, &str) =
    ("named", "whoever is announced as the leader, in a message or at a process, leads.");

fn standing<P: Claimed, L: LeaderName>(process: &Announced<P, L>) -> Option<Standing> {
    P::race().and_then(|race| (race.standing)(&process.elector))
}

fn named<P: Process, L: LeaderName>(now: &Configuration<'_, Announced<P, L>>) -> Option<String> {
    let leads = |leader: L| {
        now.nodes().any(|(_, node)| {
            let led = node.process.elector.status() == Status::Leader;
            led && leader.id().is_none_or(|id| node.id == id)
        })
    };
    let heard = now.nodes().filter_map(|(_, node)| node.process.heard.map(|heard| heard.leader));
    let told = now.messages().iter().filter_map(|one| match one.msg {
        Announce(leader) => Some(leader),
        Elect(_) => None,
    });
    heard.chain(told).find(|&leader| !leads(leader)).map(|leader| match leader.id() {
        Some(id) => format!("{id} is announced, and does not lead"),
        None => "a leader is announced, and there is none".into(),
    })
}
