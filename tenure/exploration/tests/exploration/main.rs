//! The explorer finds what is known of the rivals, and nothing against Tenure.

mod members;
mod tenure;

use std::num::NonZero;
use tenure_exploration::{Budget, Explorer};
use tenure_model::{
    Command, Effects, Kind, Message, Office, OfficeTenure, Peer, Ratio, Recoverable, Setting,
    Start, Term,
};
use tenure_protocol::{
    ballot_election::BallotElection, bully::Bully, raft_election::RaftElection, tenure::Tenure,
};
use tenure_simulation::promises::Promise;

/// Three members. The clock of one may run a quarter faster than the clock of another.
fn three<P: Recoverable>(budget: Budget) -> Explorer<P> {
    let setting = Setting {
        me: Peer(0),
        members: 3,
        heartbeat: 2,
        lease: 8,
        stop: 0,
        clocks: Ratio { fastest: 5, slowest: 4 },
    };
    Explorer::new(3).setting(setting).budget(budget)
}

fn rings(rings: u8) -> Budget {
    Budget { rings, ..Budget::default() }
}

#[test]
fn two_bullies_lead_after_five_steps() {
    let report = three::<Bully>(rings(4)).run();
    let violation = report.violation.expect("the bully algorithm needs timely messages");
    assert_eq!(violation.promise, Some(Promise::One));
    assert_eq!(violation.execution.len(), 5, "{:#?}", violation.execution);
}

#[test]
fn ballots_of_leaders_go_back() {
    let report = three::<BallotElection>(rings(4)).run();
    let violation = report.violation.expect("a leader of a smaller ballot, elsewhere");
    assert_eq!(violation.promise, Some(Promise::EverNewer));
    assert_eq!(violation.execution.len(), 6, "{:#?}", violation.execution);
}

#[test]
fn a_first_election_of_raft_has_one_leader() {
    for (report, held) in [
        (three::<RaftElection<false>>(rings(2)).full().run(), 1296),
        (three::<RaftElection<true>>(rings(2)).full().run(), 648),
    ] {
        assert!(report.complete && report.violation.is_none(), "{report:#?}");
        assert_eq!((report.configurations, report.greatest_term), (2596, 1));
        assert_eq!(report.held, held);
    }
}

#[test]
fn raft_has_a_stale_leader() {
    let report = three::<RaftElection<false>>(rings(6)).walk(20_000, 60, 1);
    let violation = report.violation.expect("a leader that does not know of the next one");
    assert_eq!(violation.promise, Some(Promise::One));
}

#[test]
fn a_lease_of_raft_does_not_survive_the_restart_of_a_voter() {
    let setting =
        Setting { me: Peer(0), members: 3, heartbeat: 1, lease: 2, stop: 0, clocks: Ratio::ONE };
    let explorer = Explorer::<RaftElection<true>>::new(3).setting(setting);
    let report = explorer.budget(Budget { crashes: 1, ..rings(6) }).follow(&[
        "participant 0's alarm Silence rings",
        "participant 0's alarm Election rings",
        "participant 1 gets PreVote(Term(1)) from participant 0",
        "participant 0 gets PreVoted(Term(1), true) from participant 1",
        "participant 1 gets RequestVote(Term(1), false) from participant 0",
        "participant 2 gets RequestVote(Term(1), false) from participant 0",
        "participant 0 gets Voted(Term(1), true) from participant 1",
        // From here on nothing of 0 reaches 2, which waits; 1 hears the heartbeats.
        "participant 0's alarm Beat rings",
        "participant 0's alarm Beat rings",
        "participant 1 gets Heartbeat(Term(1), 3) from participant 0",
        "participant 0 gets Alive(Term(1), 3) from participant 1",
        "participant 1 crashes",
        "participant 1 comes up with its record",
        "participant 2's alarm Silence rings",
        "participant 2's alarm Election rings",
        "participant 1 gets PreVote(Term(2)) from participant 2",
        "participant 2 gets PreVoted(Term(2), true) from participant 1",
        "participant 1 gets RequestVote(Term(2), false) from participant 2",
        "participant 2 gets Voted(Term(2), true) from participant 1",
        "participant 1 gets Heartbeat(Term(2), 1) from participant 2",
        "participant 2 gets Alive(Term(2), 1) from participant 1",
    ]);
    let violation = report.expect("every step can happen").violation.expect("two leases");
    assert_eq!(violation.promise, Some(Promise::One), "{violation:#?}");
}

#[test]
fn tenure_keeps_its_promises_on_random_walks() {
    hold_walks(20);
}

#[test]
#[ignore = "takes minutes; part of `.ci/evidence`"]
fn tenure_keeps_its_promises_on_many_random_walks() {
    hold_walks(1000);
}

fn hold_walks(walks: u64) {
    let budget = Budget { crashes: 2, lost_records: 1, departures: 2, ..rings(60) };
    let report = three::<Tenure>(budget).walk(walks, 300, 1);
    assert!(report.violation.is_none(), "{:#?}", report.violation);
    assert!(report.greatest_term > 0, "a leader was elected");
}

#[test]
fn what_is_found_does_not_depend_on_the_threads() {
    let explore = |threads| {
        let threads = NonZero::new(threads).unwrap();
        three::<Bully>(rings(2)).threads(threads).filled_within(400).run()
    };
    let alone = explore(1);
    assert_eq!(alone, explore(3));
    let broken =
        |threads| three::<Bully>(rings(4)).threads(NonZero::new(threads).unwrap()).run().violation;
    assert_eq!(broken(1), broken(2));
}

#[test]
fn every_configuration_of_a_first_election_leads_to_a_leader() {
    let report = three::<RaftElection<true>>(rings(2)).filled_within(400).run();
    assert!(report.violation.is_none(), "{:#?}", report.violation);
    assert!(report.longest_vacancy.is_some_and(|ticks| ticks > 0));
}

/// Sends 300 messages when it comes up, and as many again in each tick.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Chatterer(Setting);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Word(u32);

impl Message for Word {
    const KINDS: &'static [Kind] = &[Kind::election("word").counters(1)];

    fn kind(&self) -> usize {
        0
    }
}

impl Recoverable for Chatterer {
    type Msg = Word;
    type Alarm = ();

    fn start(setting: Setting, _: Start, effects: &mut impl Effects<Self>) -> Self {
        let mut chatterer = Self(setting);
        chatterer.ring((), effects);
        chatterer
    }

    fn receive(&mut self, _: Peer, _: Word, _: &mut impl Effects<Self>) {}
    fn command(&mut self, _: Command, _: &mut impl Effects<Self>) {}

    fn ring(&mut self, (): (), effects: &mut impl Effects<Self>) {
        for word in 0..300 {
            self.0.others().for_each(|other| effects.send(other, Word(word)));
        }
        effects.set_alarm((), 1);
    }

    fn tenure(&self, _: Office) -> Option<OfficeTenure<()>> {
        None
    }

    fn leader(&self, _: Office) -> Option<(Peer, Term)> {
        None
    }
}

#[test]
fn any_number_of_messages_is_under_way_where_none_is_lost() {
    let budget = Budget { crashes: 1, ..rings(0) };
    let report = Explorer::<Chatterer>::new(2).budget(budget).run();
    // Both are up; one of them is down; it is up again.
    assert_eq!((report.complete, report.configurations, report.depth), (true, 5, 2));
}

#[test]
fn messages_without_end_leave_an_office_vacant() {
    let report = Explorer::<Chatterer>::new(3).budget(rings(0)).filled_within(10).run();
    let violation = report.violation.expect("none of them ever leads");
    assert_eq!(violation.detail, "more than 1000 messages are under way");
}

#[test]
fn what_is_waived_ends_no_execution() {
    let ballots = || three::<BallotElection>(rings(4));
    let went_back = ballots().waive(Promise::One).run().violation;
    assert_eq!(went_back.map(|violation| violation.promise), Some(Some(Promise::EverNewer)));
    let two_lead = ballots().waive(Promise::EverNewer).run().violation;
    assert_eq!(two_lead.map(|violation| violation.promise), Some(Some(Promise::One)));
    let report = ballots().waive(Promise::EverNewer).waive(Promise::One).limit(50_000).run();
    assert_eq!((report.violation, report.configurations > 50_000), (None, true));
}
