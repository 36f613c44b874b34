//! Claims about chance, which many elections together are held to.

use crate::number::{Decimal, on_a_line};
use serde::{Deserialize, Serialize};
use suffrage_algorithms::{ChanceClaim, Claims, Property};
use suffrage_numbers::statistics::Distribution;

/// A claim about chance, and what many elections say of it. Everything follows from their weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "WrittenClaim")]
pub struct JudgedClaim {
    /// The claim.
    pub claim: ChanceClaim,
    /// The claim in words.
    pub words: String,
    /// The mean over the elections, as a part of what is claimed: of a cost over the bound on its expectation, or of
    /// how often something happened over how often it may.
    pub ratio: Decimal,
    /// The greatest `d` such that the elections have, if the claim holds, a probability of at most 10^-d.
    pub improbable: u32,
    /// Whether that refutes the claim.
    pub refuted: bool,
    /// Pairs of a [weight](ChanceClaim::weight) and the number of elections with it.
    #[serde(serialize_with = "on_a_line")]
    pub weights: Distribution,
}

/// What is read of a claim.
#[derive(Deserialize)]
struct WrittenClaim {
    claim: ChanceClaim,
    words: String,
    weights: Distribution,
}

impl From<WrittenClaim> for JudgedClaim {
    fn from(WrittenClaim { claim, words, weights }: WrittenClaim) -> Self {
        let improbable = weights.refutes_mean(ChanceClaim::CLAIMED);
        let most = u128::from(ChanceClaim::CLAIMED) * u128::from(weights.count());
        let ratio = Decimal::ratio(weights.sum(), most).unwrap_or(Decimal::near(0.0));
        let refuted = improbable >= ChanceClaim::SIGNIFICANCE;
        Self { claim, words, ratio, improbable, refuted, weights }
    }
}

impl JudgedClaim {
    /// Judges the claims about chance by the weights of elections.
    pub(crate) fn all(claims: &Claims, weights: impl Fn(ChanceClaim) -> Distribution) -> Vec<Self> {
        let judged = |claim: ChanceClaim| {
            let words = claim.words(claims)?;
            let weights = weights(claim);
            (weights.count() > 0).then(|| WrittenClaim { claim, words, weights }.into())
        };
        ChanceClaim::ALL.into_iter().filter_map(judged).collect()
    }

    /// Adds the claims of further elections to those of some.
    pub(crate) fn add(all: &mut Vec<Self>, further: Vec<Self>) {
        for more in further {
            match all.iter_mut().find(|known| known.claim == more.claim) {
                Some(known) => {
                    let Self { claim, words, mut weights, .. } = known.clone();
                    weights.merge(&more.weights);
                    *known = WrittenClaim { claim, words, weights }.into();
                }
                None => all.push(more),
            }
        }
        all.sort_by_key(|judged| judged.claim);
    }

    /// The property that is broken if the claim does not hold.
    #[must_use]
    pub const fn property(&self) -> Property {
        self.claim.property()
    }

    /// The claim and what was found.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { claim, words, ratio, .. } = self;
        match claim {
            ChanceClaim::OneLeader => format!("{words}; errors / allowed errors = {ratio}"),
            _ => format!("{words}; mean / bound = {ratio}"),
        }
    }

    /// Why the claim is refuted.
    #[must_use]
    pub fn why(&self) -> String {
        let times = self.ratio.short();
        let what = match self.claim {
            ChanceClaim::OneLeader => format!("{times} times as many elections err as may"),
            _ => format!("the mean is {times} times the bound on it"),
        };
        let count = self.weights.count();
        format!(
            "{}: {what}, over {count} elections; if it were true that {}, that would happen with a probability of at \
             most 10^-{}",
            self.property(),
            self.claim_as_clause(),
            self.improbable
        )
    }

    fn claim_as_clause(&self) -> String {
        match self.claim {
            ChanceClaim::OneLeader => self.words.clone(),
            ChanceClaim::Time => format!("an election takes {}", self.words),
            _ => format!("there are {}", self.words),
        }
    }
}

/// Whether every single election and all claims about chance are good.
pub(crate) fn none_refuted(judged: &[JudgedClaim]) -> bool {
    !judged.iter().any(|judged| judged.refuted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use suffrage_algorithms::{
        Algorithm, Announced, Claimed, Custom, ElectionCost, Parameters, Sent,
        complete::RandomReferees, graph::LeastElementLists,
    };
    use suffrage_model::{Id, Net, NetworkClass, Phase, Port, Process, Status, Timing};
    use suffrage_networks::{Ids, wiring::Wiring};
    use suffrage_simulator::{Experiment, Pace, Schedule, Simulator};

    /// A process that draws a few times, and takes the first of all possible results from then on.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Unfair<P, const DRAWN: u32> {
        process: P,
        drawn: u32,
    }

    struct UnfairNet<'a, N> {
        net: &'a mut N,
        drawn: &'a mut u32,
        most: u32,
    }

    impl<M: Copy, N: Net<M>> Net<M> for UnfairNet<'_, N> {
        fn degree(&self) -> u32 {
            self.net.degree()
        }
        fn send(&mut self, to: Port, msg: M) {
            self.net.send(to, msg);
        }
        fn choose(&mut self, max: u32) -> u32 {
            *self.drawn += 1;
            if *self.drawn > self.most { 0 } else { self.net.choose(max) }
        }
        fn set_alarm(&mut self, ticks: u32) {
            self.net.set_alarm(ticks);
        }
        fn reject(&mut self, why: &'static str) {
            self.net.reject(why);
        }
    }

    impl<P: Process, const DRAWN: u32> Process for Unfair<P, DRAWN> {
        const NETWORK: NetworkClass = P::NETWORK;
        const TIMING: Timing = P::TIMING;
        type Knows = P::Knows;
        type Msg = P::Msg;

        fn new(knows: P::Knows, degree: u32) -> Self {
            Self { process: P::new(knows, degree), drawn: 0 }
        }
        fn wake(&mut self, net: &mut impl Net<P::Msg>) {
            self.process.wake(&mut UnfairNet { net, drawn: &mut self.drawn, most: DRAWN });
        }
        fn receive(&mut self, from: Port, msg: P::Msg, net: &mut impl Net<P::Msg>) {
            let net = &mut UnfairNet { net, drawn: &mut self.drawn, most: DRAWN };
            self.process.receive(from, msg, net);
        }
        fn alarm(&mut self, net: &mut impl Net<P::Msg>) {
            self.process.alarm(&mut UnfairNet { net, drawn: &mut self.drawn, most: DRAWN });
        }
        fn status(&self) -> Status {
            self.process.status()
        }
        fn leader(&self) -> Option<Id> {
            self.process.leader()
        }
        fn halted(&self) -> bool {
            self.process.halted()
        }
    }

    impl<P: Claimed, const DRAWN: u32> Claimed for Unfair<P, DRAWN> {
        const CLAIMS: Claims = P::CLAIMS;
    }

    /// The claims of a process, judged by elections on this network.
    fn held<P: Claimed>(wiring: &Wiring, ids: Ids, elections: u64) -> Vec<JudgedClaim> {
        let (nodes, links) = (wiring.nodes().into(), wiring.links());
        let ids = ids.assign(wiring.nodes(), 1);
        let parameters = Parameters::new(nodes, links, nodes);
        let custom = Custom::<P>::claimed("an election");
        let costs: Vec<ElectionCost> = (1..=elections)
            .map(|seed| {
                let schedule = Schedule::Rounds(Pace::Unit);
                let experiment = Experiment { schedule, seed, ..Experiment::new(wiring, &ids) };
                let outcome = Simulator::of(&custom, experiment).run().expect("an election");
                assert_eq!(outcome.violations, []);
                ElectionCost {
                    sent: Sent { election: outcome.messages.of(Phase::Election), announcement: 0 },
                    units: outcome.units,
                    one_leads: outcome.leader.is_some(),
                }
            })
            .collect();
        JudgedClaim::all(&P::CLAIMS, |claim| {
            let diameter = || wiring.diameter().into();
            let weight = |cost| claim.weight(&P::CLAIMS, &parameters, &diameter, cost);
            costs.iter().filter_map(weight).collect()
        })
    }

    /// With ports by rotation, referees that are always the first ports are those of the neighbours: far candidates have
    /// none in common. Random ports would hide it.
    #[test]
    fn referees_that_are_not_drawn_are_found_out() {
        let complete = Wiring::complete(1_000);
        let sound = held::<RandomReferees>(&complete, Ids::Ascending, 60);
        assert!(none_refuted(&sound), "{sound:?}");
        // It draws whether it is a candidate, and four digits of a rank.
        let faulty = held::<Unfair<RandomReferees, 5>>(&complete, Ids::Ascending, 60);
        let refuted: Vec<_> = faulty.iter().filter(|judged| judged.refuted).collect();
        assert_eq!(refuted.len(), 1, "{faulty:?}");
        assert_eq!(refuted[0].claim, ChanceClaim::OneLeader);
    }

    /// With identities in order, ranks that are never drawn are in the worst order. Random identities would hide it.
    #[test]
    fn ranks_that_are_never_drawn_are_found_out() {
        type Lists = Announced<LeastElementLists>;
        let ring = Wiring::ring(40);
        for ids in [Ids::Ascending, Ids::Descending] {
            let sound = held::<Lists>(&ring, ids, 100);
            assert!(none_refuted(&sound) && sound.len() == 1, "{ids:?}: {sound:?}");
            let faulty = held::<Unfair<Lists, 0>>(&ring, ids, 200);
            assert!(faulty[0].refuted, "{ids:?}: {faulty:?}");
        }
        let random = held::<Unfair<Lists, 0>>(&ring, Ids::Random, 100);
        assert!(none_refuted(&random), "{random:?}");
    }

    fn judged(weight: u64, elections: usize) -> Vec<JudgedClaim> {
        let row = Algorithm::named("random-referees").unwrap();
        JudgedClaim::all(&row.claims, |_| std::iter::repeat_n(weight, elections).collect())
    }

    /// The two claims of the row: its bound holds with high probability, and one leads.
    #[test]
    fn errors_in_nearly_every_election_refute_a_claim_and_one_error_does_not() {
        let one = judged(1_000_000, 1);
        assert_eq!(one.len(), 2);
        assert!(none_refuted(&one), "{one:?}");
        let many = judged(1_000_000, 4);
        assert!(many.iter().all(|claim| claim.refuted), "{many:?}");
        let says = many[1].why();
        assert!(says.starts_with("exactly-one-leader: 1,000.0 times as many elections err as may"));
    }

    #[test]
    fn parts_add_up_to_the_whole_and_are_read_from_their_weights() {
        let mut parts = judged(1_000_000, 2);
        JudgedClaim::add(&mut parts, judged(0, 300));
        let written = serde_json::to_string(&parts).unwrap();
        let read: Vec<JudgedClaim> = serde_json::from_str(&written).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), written);
        assert_eq!(parts[0].weights.count(), 302);
        assert_eq!(parts[0].ratio.to_string(), "6.623");
    }
}
