//! Elections in rounds: every identity order, port, wake-up tick, coin and order within a tick.

use crate::common::row;
use suffrage_algorithms::{Custom, MONTE_CARLO, Property, ROUNDS, SYNCHRONIZED};
use suffrage_checker::{
    CheckReport, Checkable, Checker, Family, FaultBudget, Instance, RandomInstances, Sampler,
    SecondTier, Specification, Wake, WideIds,
};
use suffrage_model::{
    Action, Id, Kind, Message, Net, NetworkClass, Port, Process, Size, Status, Timing,
};
use suffrage_networks::wiring::Wiring;

fn explored(subject: &impl Checkable, family: &Family) -> CheckReport {
    let report = Checker::new(subject, family).run().expect("a family that can be explored");
    let why = report.counterexample.as_ref().map(|(_, found)| &found.violation);
    assert!(report.failing == 0 && report.incomplete.is_none(), "{why:?}, {:?}", report.incomplete);
    report
}

#[test]
fn every_algorithm_in_rounds_elects_whoever_wakes_at_whichever_tick() {
    for row in ROUNDS {
        for nodes in 1..=3 {
            let family = Family::everything(row.network, nodes).expect("a small family");
            let report = explored(row, &family.timed(row.timing));
            assert!(report.costs.is_some() && report.instances == report.of, "{}", row.name);
        }
    }
}

#[test]
fn the_messages_of_time_slice_are_exact_and_its_time_is_that_of_the_smallest_identity() {
    for nodes in 2..=4 {
        let family = Family::everything(NetworkClass::OrientedRing, nodes).expect("a family");
        let costs = explored(row("time-slice"), &family).costs.expect("costs");
        assert_eq!(
            (costs.messages.min, costs.messages.max),
            (2 * u64::from(nodes), 2 * u64::from(nodes))
        );
        let family = Family { wake: Wake::AtStart, ..family };
        let costs = explored(row("time-slice"), &family).costs.expect("costs");
        // Its slice begins n ticks after it has woken, as late as n - 1 ticks after another one.
        let most = u64::from(nodes + nodes - 1 + nodes);
        assert_eq!(costs.greatest_time, Some(most), "{nodes}");
    }
}

/// The claims depend on the identity that wins, and not on the largest one.
#[test]
fn time_is_compared_with_what_is_claimed_of_the_winner() {
    let ring = Wiring::ring(3);
    let longest = |name, ids: [u64; 3]| {
        let instance = Instance::new(ring.clone(), ids.map(Id::new).to_vec());
        explored(row(name), &Family::one(&instance)).longest
    };
    // At most n v + 2 n - 1 and n + (n-1) (2^v - 1) + n, where v is the smallest identity.
    assert_eq!(longest("time-slice", [40, 70, 50]), Some((125, 125)));
    assert_eq!(longest("variable-speeds", [20, 4, 9]), Some((36, 36)));
}

#[test]
fn flood_max_takes_no_more_time_than_it_claims_and_comes_to_it() {
    let family = Family::everything(NetworkClass::Connected, 3).expect("a family");
    let report = explored(row("flood-max"), &family);
    // Two links: the claim is 3 * 2 + 1.
    assert_eq!(report.costs.and_then(|costs| costs.greatest_time), Some(7));
    assert!(report.longest.is_some_and(|(units, most)| units == most), "{:?}", report.longest);
}

#[test]
fn the_synchronizer_keeps_its_promise_on_every_schedule() {
    for row in SYNCHRONIZED {
        for nodes in 1..=2 {
            let family = Family::everything(row.network, nodes).expect("a small family");
            explored(row, &family);
        }
        let instances = RandomInstances::new(row.network, 1..=9);
        let report = Sampler::new(row, &instances).samples(256).run().expect("instances");
        assert!(report.violation.is_none(), "{}: {:?}", row.name, report.violation);
        assert_eq!(report.endless, 0, "{}", row.name);
    }
}

/// Leads if it has heard nothing within three ticks, and rejects what comes when it should not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Hasty {
    id: Id,
    heard: Option<Id>,
    over: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Here(Id);

impl Message for Here {
    const KINDS: &'static [Kind] = &[Kind::election("here").ids(1)];
    fn kind(&self) -> usize {
        0
    }
}

impl Process for Hasty {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    const TIMING: Timing = Timing::Rounds;
    type Knows = Id;
    type Msg = Here;

    fn new(id: Id, _: u32) -> Self {
        Self { id, heard: None, over: false }
    }
    fn wake(&mut self, net: &mut impl Net<Here>) {
        net.set_alarm(3);
        net.send_all(Here(self.id));
    }
    fn receive(&mut self, _: Port, Here(id): Here, net: &mut impl Net<Here>) {
        if self.heard.is_none() {
            net.set_alarm(1);
        }
        self.heard = self.heard.max(Some(id));
    }
    fn alarm(&mut self, _: &mut impl Net<Here>) {
        self.over = true;
    }
    fn status(&self) -> Status {
        match self.over {
            false => Status::Undecided,
            true if self.heard < Some(self.id) => Status::Leader,
            true => Status::Follower,
        }
    }
    fn leader(&self) -> Option<Id> {
        self.over.then(|| self.heard.max(Some(self.id))).flatten()
    }
    fn halted(&self) -> bool {
        self.over
    }
}

/// Where both wake in one tick it elects: exactly one tick later each has heard of the other one. Where
/// one wakes when the other one's message has come, it is none that wakes; but the smaller identity
/// alone wakes, and the larger one leads without a word.
#[test]
fn what_is_wrong_with_a_process_in_rounds_is_found_with_the_shortest_execution() {
    let hasty = Custom::<Hasty>::new("hasty");
    let family = Family::everything(NetworkClass::Complete, 2).expect("a small family");
    let at_start = Family { wake: Wake::AtStart, ..family.clone() };
    let report = Checker::new(&hasty, &at_start).keep_going(true).run().expect("a family");
    assert!(report.failing < report.of, "together they elect");
    let report = Checker::new(&hasty, &family).run().expect("a family");
    let (_, found) = report.counterexample.expect("it is hasty");
    assert!(found.shortest);
    assert_eq!(found.violation.property, Property::AtMostOneLeader);
    let wakes = |step: &&Action| matches!(step, Action::Wake(_));
    assert_eq!(found.execution.moves.iter().filter(wakes).count(), 1, "{:?}", found.execution);
}

#[test]
fn what_rounds_have_not_is_refused() {
    let refused = |family: &Family| {
        Checker::new(row("time-slice"), family).run().err().map(|why| why.to_string())
    };
    let family = Family::everything(NetworkClass::OrientedRing, 3).expect("a family");
    let faults = FaultBudget { no_fifo: true, ..FaultBudget::default() };
    let says = "a message takes exactly one tick";
    assert!(refused(&Family { faults, ..family.clone() }).is_some_and(|why| why.contains(says)));
    let bounded = Family { capacity: Some(1), ..family };
    assert!(refused(&bounded).is_some_and(|why| why.contains(says)));
}

/// An alarm may be set for 2^32 - 1 ticks, and parts of a wait are: identities of 32 and more double the wait of one
/// before.
#[test]
fn an_alarm_of_the_greatest_number_of_ticks_rings() {
    for (name, ids) in [
        ("variable-speeds", &[32, 33][..]),
        ("time-slice", &[1_431_655_765, 1_431_655_770, 1_431_655_771]),
    ] {
        let wiring = Wiring::ring(ids.len() as u32);
        let ids = ids.iter().copied().map(Id::new).collect();
        let instance = Instance { wake: Wake::AtStart, ..Instance::new(wiring, ids) };
        let report = Checker::new(row(name), &Family::one(&instance)).run().expect("a family");
        assert!(report.counterexample.is_none(), "{name}: {:?}", report.counterexample);
        assert_eq!(report.incomplete, None, "{name}");
    }
}

#[test]
fn random_runs_in_rounds_hold_and_reach_the_time_that_exploration_finds() {
    for row in ROUNDS.iter().chain(MONTE_CARLO) {
        let wide = WideIds::of(&row.claims);
        let second_tier = Some(SecondTier { nodes: 17..=80, wide_ids: wide });
        let instances = RandomInstances { second_tier, ..RandomInstances::new(row.network, 1..=9) };
        // Where a shift is by an identity, 32 is one at which it may wrap.
        let few = (0..1024).map(|number| instances.get(1, number).ids).filter(|ids| ids.len() <= 9);
        let largest = few.flatten().map(Id::get).max();
        let shifts = wide == WideIds::Shifts;
        assert!(
            largest > Some(31) && (!shifts || largest <= Some(40)),
            "{}: {largest:?}",
            row.name
        );
        let report = Sampler::new(row, &instances).samples(64).run().expect("instances");
        assert!(report.violation.is_none(), "{}: {:?}", row.name, report.violation);
        assert_eq!((report.samples, report.endless), (64, 0), "{}", row.name);
        assert_eq!(report.refuted().count(), 0, "{}: {:?}", row.name, report.chances);
        assert_eq!(report.chances.is_empty(), row.claims.guarantee().is_sure(), "{}", row.name);
        let (units, most) = report.longest.expect("a claim about time");
        assert!(0 < units && units <= most, "{}: {units} of {most}", row.name);
    }
    // The longest waits are those of explorations, and a lost message is found.
    let instances = RandomInstances {
        faults: FaultBudget { loss: 1, ..FaultBudget::default() },
        ..RandomInstances::new(NetworkClass::OrientedRing, 3..=6)
    };
    let report = Sampler::new(row("time-slice"), &instances).run().expect("instances");
    let failure = report.violation.expect("it relies on every message");
    assert_eq!(failure.violation.property, Property::AtMostOneLeader);
    assert_eq!(failure.counterexample.execution.instance.wiring.nodes(), 2);
}

/// Elections end with identities around 2^32 / n if the time is their product with n, and not if it is a power.
#[test]
fn identities_are_as_wide_as_elections_with_them_end() {
    let of = |name| WideIds::of(&row(name).claims);
    assert_eq!(["humblet", "flood-max", "afek-gafni-a"].map(of), [WideIds::Powers; 3]);
    assert_eq!(of("time-slice"), WideIds::Products);
    assert_eq!(["variable-speeds", "content-oblivious"].map(of), [WideIds::Shifts; 2]);
}

/// A process that speaks first if nothing is heard before its slice, whose first tick is cut off at 32 bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CutOff {
    slice: u32,
    status: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Spoken;

impl Message for Spoken {
    const KINDS: &'static [Kind] = &[Kind::election("spoken")];
    fn kind(&self) -> usize {
        0
    }
}

impl Process for CutOff {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    const TIMING: Timing = Timing::SimultaneousRounds;
    type Knows = (Id, Size);
    type Msg = Spoken;

    fn new((id, Size(size)): (Id, Size), _: u32) -> Self {
        Self { slice: size.wrapping_mul(id.get() as u32), status: Status::Undecided }
    }

    fn wake(&mut self, net: &mut impl Net<Spoken>) {
        net.set_alarm(self.slice);
    }

    fn receive(&mut self, _: Port, _: Spoken, net: &mut impl Net<Spoken>) {
        if self.status == Status::Undecided {
            self.status = Status::Follower;
            net.send(Port::NEXT, Spoken);
        }
    }

    fn alarm(&mut self, net: &mut impl Net<Spoken>) {
        if self.status == Status::Undecided {
            self.status = Status::Leader;
            net.send(Port::NEXT, Spoken);
        }
    }

    fn status(&self) -> Status {
        self.status
    }

    fn halted(&self) -> bool {
        self.status != Status::Undecided
    }
}

/// A time of n times the identity is cut off where the product has more than 32 bits.
#[test]
fn samples_have_identities_whose_products_with_n_are_on_both_sides_of_2_to_the_32() {
    let smallest = Specification::<CutOff>::election().always("the smallest leads", |now| {
        let least = now.ids().iter().min();
        now.ids()
            .iter()
            .zip(now.processes())
            .all(|(id, process)| process.status != Status::Leader || Some(id) == least)
    });
    for (wide_ids, fails) in [(WideIds::Products, true), (WideIds::Shifts, false)] {
        let second_tier = Some(SecondTier { nodes: 17..=40, wide_ids });
        let network = NetworkClass::OrientedRing;
        let instances = RandomInstances { second_tier, ..RandomInstances::new(network, 3..=9) };
        let sampler = Sampler::new(&smallest, &instances).samples(512).shrink(false);
        let report = sampler.run().expect("instances");
        assert_eq!(report.violation.is_some(), fails, "{wide_ids:?}: {:?}", report.violation);
    }
}

/// A lost message is a fault that the model in rounds has as well.
#[test]
fn a_lost_token_leaves_time_slice_without_agreement_and_never_two_leaders() {
    let family = Family::everything(NetworkClass::OrientedRing, 3).expect("a family");
    let faults = FaultBudget { loss: 1, ..FaultBudget::default() };
    let family = Family { faults, ..family };
    let report = Checker::new(row("time-slice"), &family).keep_going(true).run().expect("a family");
    // The next process does not wake, or does not hear the token, and its own slice comes.
    let (_, found) = report.counterexample.expect("it relies on every message");
    assert_eq!(found.violation.property, Property::AtMostOneLeader);
}
