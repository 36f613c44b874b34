//! Invariants are held to in every configuration that is explored or sampled.

use suffrage_algorithms::{
    Algorithm, Claimed, Configuration, Invariant, Property, Rule, ring::LeLann,
};
use suffrage_checker::{
    CheckVerdict, Checker, Family, Instance, Options, RandomInstances, Sampler, Specification,
    explore,
};
use suffrage_model::{Id, NetworkClass, Process, Status};
use suffrage_networks::wiring::Wiring;

fn no_leader() -> Invariant<LeLann> {
    Invariant::new("no-leader", |now: &Configuration<'_, LeLann>| {
        let leads = now.nodes().find(|(_, node)| node.process.status() == Status::Leader);
        leads.map(|(node, _)| format!("{node} leads"))
    })
}

#[test]
fn they_hold_in_every_configuration_of_every_small_election() {
    for row in Algorithm::correct() {
        // There are more ranks than can be drawn by three.
        let most = if row.claims.rule == Rule::MonteCarlo { 2 } else { 3 };
        for nodes in 1..=most {
            let family = Family::everything(row.network, nodes).unwrap().timed(row.timing);
            let all = row.invariants().into_iter().map(Property::Invariant).collect::<Vec<_>>();
            assert!(!all.is_empty(), "{}", row.name);
            // Whatever becomes of the published form, its invariants hold.
            let checker = Checker::new(row, &family).properties(&all).costs(false);
            let report = checker.full(true).symmetry(false).run().unwrap();
            assert_eq!((report.failing, report.incomplete), (0, None), "{}, {nodes}", row.name);
            assert_eq!(report.instances, report.family.len());
        }
    }
}

#[test]
fn a_broken_one_is_named_with_a_shortest_execution() {
    let instance = Instance::new(Wiring::ring(3), [3, 1, 2].map(Id::new).to_vec());
    let specification = Specification::<LeLann>::these(&[]).invariants([no_leader()]);
    let found = explore(&instance, &specification, &Options::default()).unwrap();
    let CheckVerdict::Violated(broken) = found.verdict else { panic!("LeLann elects") };
    assert_eq!(broken.violation.property, Property::Invariant("no-leader"));
    assert_eq!(broken.violation.detail, "0 leads");
    // One wakes alone, and its token goes once around.
    assert_eq!((broken.execution.moves.len(), broken.shortest), (4, true));
}

#[test]
fn samples_find_a_broken_one_and_shrink_it() {
    let instances = RandomInstances::new(NetworkClass::OrientedRing, 6..=12);
    let specification = Specification::of(&LeLann::CLAIMS).invariants([no_leader()]);
    let report = Sampler::new(&specification, &instances).samples(8).run().unwrap();
    let failure = report.violation.expect("LeLann elects");
    assert_eq!(failure.violation.property, Property::Invariant("no-leader"));
    let found = failure.counterexample;
    assert_eq!((found.execution.instance.ids.len(), found.execution.moves.len()), (1, 2));
}

#[test]
fn they_are_chosen_by_name_like_other_properties() {
    let lelann = Algorithm::named("lelann").unwrap();
    let family = Family::everything(lelann.network, 3).unwrap();
    let homeward = [Property::named("homeward").expect("LeLann has it")];
    let report = Checker::new(lelann, &family).properties(&homeward).run().unwrap();
    assert_eq!(report.failing, 0);
}
