pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "random-referees",
    title: "Random referees: few candidates ask few processes each, and any two have one in common.",
    paper: "S. Kutten, G. Pandurangan, D. Peleg, P. Robinson, A. Trehan, TCS 561, 2015",
    citation: r#"
S. Kutten, G. Pandurangan, D. Peleg, P. Robinson, A. Trehan, "Sublinear bounds for randomized
leader election", *Theoretical Computer Science* 561, 2015, pp. 134-143; first at ICDCN 2013.
"#,
    assumes: "
A complete network, in rounds; all processes wake in the first one. Processes are anonymous; they
know the size of the network, and draw at random.
",
    idea: "
A process becomes a candidate by chance, so that about `2 log2 n` do, and draws a rank. It sends
the rank to some others, its referees, which it chooses at random: so many that any two
candidates have one in common. A referee tells the owner of the largest rank that it has won, and
the others nothing. A candidate that has won with all its referees leads; all others follow, and
most of them never hear of the election.
",
    cost: "
Let `L = ceil(log2 n)`: a process is a candidate with probability `2 L / n`, and has
`m = min(n-1, 2 ceil(sqrt(n L)))` referees. With high probability at most `2 (4 L - 1) m`
messages, which is less than `n` from `n = 3 * 10^6` on, and `O(sqrt(n) log^(3/2) n)`. *Proof.*
Each candidate sends `m` ranks, and is answered by `m` referees at most. Of the number of
candidates, whose mean is `2 L`, Chernoff's bound says that it is `4 L` or more with a
probability of at most `(e/4)^(2 L) < n^-1.1`. Time: at most 2.

One leads with a probability of at least `1 - 1/n`. *Proof.* No process is a candidate with
probability `(1 - 2 L/n)^n < e^(-2 L)`. Two have the same rank with probability `2 L^2 / n^4` at
most, since there are `2 L^2` pairs on average. Otherwise the candidate with the largest rank
leads. Another one leads only if none of its referees is that candidate or one of its referees,
which are `m` processes or more, so with probability `(1 - m/(n-1))^m < e^(-4 L)`, and
`2 L e^(-4 L)` for all together. For all `n > 1` the sum is below `1/n`.
",
    deviations: "
Of the paper (arXiv 1210.4822), the abstract could be read: `O(1)` rounds, `O(sqrt(n) log^(3/2)
n)` messages and with high probability a unique leader. The algorithm is from memory: candidates
with probability `2 log n / n`, ranks from 1 to `n^4`, `2 sqrt(n log n)` referees. Logarithms
are rounded up here, so that a process computes them exactly, and referees are distinct. A
referee that is a candidate judges its own rank, too; otherwise two processes, each the other's
referee, would both lead. Where the largest rank comes twice, it tells neither owner. A
candidate that meets a larger rank as a referee does not yield for that alone: it tells the
owner of the largest rank that it has won, and leads itself if all its own referees tell it so.
The constants of the bounds are derived here.
",
    invariants: &[
        (
            "real",
            "the largest rank that a process knows belongs to a candidate, and is not smaller \
             than the process's own.",
        ),
        ("one-each", "no more wins are counted or under way than processes have judged."),
        ("unanimous", "a process that leads is a candidate, and has won with all its referees."),
        ("largest-wins", "a candidate that has lost does not have the largest rank of all alone."),
    ],
};

use crate::prelude::*;
use alloc::collections::BTreeSet;

/// A rank: one of `n^4`, as four digits to the base `n`.
pub type Rank = [u32; 4];

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Be my referee.
    Compete(Rank),
    /// Yours is the largest rank that I know.
    Won,
}
use Msg::{Compete, Won};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::election("compete").counters(4), Kind::election("won")];
    fn kind(&self) -> usize {
        match self {
            Compete(_) => 0,
            Won => 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// In the next round it is a referee.
    Judging,
    /// It is a candidate, and in the next round it counts how often it has won.
    Waiting,
    Elected,
    Lost,
}
use State::{Elected, Judging, Lost, Sleep, Waiting};

/// A process of the algorithm. With parameters other than 0 there are `RANKS` ranks, on average
/// `CANDIDATES` candidates, and `REFEREES` referees of each: then small elections can be explored.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RandomReferees<const RANKS: u32 = 0, const CANDIDATES: u32 = 0, const REFEREES: u32 = 0>
{
    n: u32,
    state: State,
    /// Its rank, if it is a candidate.
    rank: Option<Rank>,
    /// The largest rank that it knows, and the port of its owner, unless that is itself or there
    /// are two.
    largest: Option<(Rank, Option<Port>)>,
    referees: u32,
    wins: u32,
}

const fn log2(n: u64) -> u64 {
    match n {
        0 | 1 => 0,
        _ => (n - 1).ilog2() as u64 + 1,
    }
}

const fn candidates(n: u64) -> u64 {
    if n > 1 { 2 * log2(n) } else { 1 }
}

const fn referees(n: u64) -> u64 {
    let root = (n * log2(n)).isqrt();
    let root = root + if root * root < n * log2(n) { 1 } else { 0 };
    if 2 * root < n { 2 * root } else { n.saturating_sub(1) }
}

impl<const RANKS: u32, const CANDIDATES: u32, const REFEREES: u32>
    RandomReferees<RANKS, CANDIDATES, REFEREES>
{
    fn draws_to_be_candidate(&self, net: &mut impl Net<Msg>) -> bool {
        let on_average = if CANDIDATES > 0 { CANDIDATES.into() } else { candidates(self.n.into()) };
        on_average >= self.n.into() || u64::from(net.choose(self.n - 1)) < on_average
    }

    fn draw_rank(&self, net: &mut impl Net<Msg>) -> Rank {
        match RANKS {
            0 => core::array::from_fn(|_| net.choose(self.n - 1)),
            ranks => [0, 0, 0, net.choose(ranks - 1)],
        }
    }

    /// Sends the rank to each of as many ports as there are referees, which are drawn (R. Floyd's
    /// algorithm: J. Bentley, *Communications of the ACM* 30(9), 1987).
    fn compete(&mut self, rank: Rank, net: &mut impl Net<Msg>) {
        let all = net.degree();
        let wanted = if REFEREES > 0 { REFEREES.into() } else { referees(self.n.into()) };
        self.referees = u32::try_from(wanted).map_or(all, |wanted| wanted.min(all));
        let mut drawn = BTreeSet::new();
        for last in all - self.referees..all {
            let port = if self.referees < all { net.choose(last) } else { last };
            if !drawn.insert(port) {
                drawn.insert(last);
            }
        }
        for port in drawn {
            net.send(Port(port), Compete(rank));
        }
    }
}

impl<const RANKS: u32, const CANDIDATES: u32, const REFEREES: u32> Process
    for RandomReferees<RANKS, CANDIDATES, REFEREES>
{
    const NETWORK: NetworkClass = NetworkClass::Complete;
    const TIMING: Timing = Timing::SimultaneousRounds;
    type Knows = Size;
    type Msg = Msg;

    fn new(Size(n): Size, _degree: u32) -> Self {
        Self { n, state: Sleep, rank: None, largest: None, referees: 0, wins: 0 }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.state = Judging;
        if self.draws_to_be_candidate(net) {
            let rank = self.draw_rank(net);
            self.rank = Some(rank);
            self.largest = Some((rank, None));
            self.compete(rank, net);
        }
        net.set_alarm(1);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match (msg, self.state) {
            (Compete(rank), Judging) => match self.largest {
                Some((largest, _)) if rank < largest => {}
                Some((largest, _)) if rank == largest => self.largest = Some((rank, None)),
                _ => self.largest = Some((rank, Some(from))),
            },
            (Won, Waiting) if self.wins < self.referees => self.wins += 1,
            (Compete(_), _) => net.reject("all compete in the first round"),
            (Won, _) => net.reject("each referee answers once, in the second round"),
        }
    }

    /// Ends a round.
    fn alarm(&mut self, net: &mut impl Net<Msg>) {
        match self.state {
            Judging => {
                if let Some((_, Some(owner))) = self.largest {
                    net.send(owner, Won);
                }
                if self.rank.is_some() {
                    self.state = Waiting;
                    net.set_alarm(1);
                } else {
                    self.state = Lost;
                }
            }
            Waiting if self.wins == self.referees => self.state = Elected,
            Waiting => self.state = Lost,
            Sleep | Elected | Lost => {}
        }
    }

    fn status(&self) -> Status {
        match self.state {
            Sleep | Judging | Waiting => Status::Undecided,
            Elected => Status::Leader,
            Lost => Status::Follower,
        }
    }

    fn halted(&self) -> bool {
        matches!(self.state, Elected | Lost)
    }
}

impl<const RANKS: u32, const CANDIDATES: u32, const REFEREES: u32> Claimed
    for RandomReferees<RANKS, CANDIDATES, REFEREES>
{
    const CLAIMS: Claims = Claims {
        rule: Rule::MonteCarlo,
        election: Bound::with_high_probability("2 (4 L - 1) min(n-1, 2 ceil(sqrt(n L)))", |s| {
            // Not the process's own functions: what it does wrong must not change what is claimed.
            let log = u64::from(64 - s.nodes.saturating_sub(1).leading_zeros());
            let asked = match s.nodes.saturating_mul(log) {
                0 => 0,
                square => 2 * ((square - 1).isqrt() + 1),
            };
            let candidates = (4 * log).saturating_sub(1).min(s.nodes);
            2 * candidates * asked.min(s.nodes.saturating_sub(1))
        }),
        time: Some(Time::unannounced(Bound::at_most("2", |_| 2))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [real, one_each, unanimous, largest_wins])
    }
}

fn real<const R: u32, const C: u32, const F: u32>(
    now: &Configuration<'_, RandomReferees<R, C, F>>,
) -> Option<String> {
    now.nodes().find_map(|(number, node)| {
        let largest = node.process.largest.map(|(rank, _)| rank);
        let known = |rank| now.nodes().any(|(_, other)| other.process.rank == Some(rank));
        (largest < node.process.rank || largest.is_some_and(|rank| !known(rank)))
            .then(|| format!("process {number} takes {largest:?} for the largest rank"))
    })
}

fn one_each<const R: u32, const C: u32, const F: u32>(
    now: &Configuration<'_, RandomReferees<R, C, F>>,
) -> Option<String> {
    let judged = |state| matches!(state, Waiting | Elected | Lost);
    let judged = now.nodes().filter(|(_, node)| judged(node.process.state)).count();
    let counted: u32 = now.nodes().map(|(_, node)| node.process.wins).sum();
    let wins = now.messages().iter().filter(|one| one.msg == Won).count() + counted as usize;
    match wins <= judged {
        true => None,
        false => Some(format!("there are {wins} wins, and {judged} processes have judged")),
    }
}

fn unanimous<const R: u32, const C: u32, const F: u32>(
    now: &Configuration<'_, RandomReferees<R, C, F>>,
) -> Option<String> {
    now.nodes().find_map(|(number, node)| {
        let RandomReferees { state, rank, wins, referees, .. } = node.process;
        (*state == Elected && (rank.is_none() || wins != referees))
            .then(|| format!("process {number} leads with {wins} of {referees} wins"))
    })
}

fn largest_wins<const R: u32, const C: u32, const F: u32>(
    now: &Configuration<'_, RandomReferees<R, C, F>>,
) -> Option<String> {
    let ranks = || now.nodes().filter_map(|(_, node)| node.process.rank);
    let largest = ranks().max();
    if ranks().filter(|&rank| Some(rank) == largest).count() > 1 {
        return None;
    }
    let lost = |state, rank: Option<Rank>| state == Lost && rank.is_some() && rank == largest;
    now.nodes()
        .find(|(_, node)| lost(node.process.state, node.process.rank))
        .map(|(number, _)| format!("process {number} has the largest rank, and has lost"))
}
