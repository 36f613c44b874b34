use super::*;
use crate::clock::TestClock;
use crate::engine::{EngineInbox, EngineParts, EngineRequest};
use crate::membership::ClusterMembers;
use crate::records::MemoryStore;
use crate::roster::Roster;
use crate::timing::{LeaseTiming, Stops};
use crate::transport::LocalNetwork;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

fn engine(clock: Arc<TestClock>) -> NodeEngine {
    let inbox = Arc::new(EngineInbox::default());
    let setting = LeaseTiming::LAN.setting(Peer(0), 3).unwrap();
    let members = ClusterMembers::founding(Roster::named(&["a", "b", "c"]));
    let links = LocalNetwork::new(1).join(Peer(0), "a", inbox.sink());
    let parts = EngineParts {
        offices: vec![OfficeName::new("configured").unwrap()],
        stops: Stops::from([(OfficeName::new("configured").unwrap().number(), 0)]),
        store: Box::new(MemoryStore::founding()),
        ..EngineParts::new(setting, ("a", "lab"), members, clock, links, inbox)
    };
    NodeEngine::new(parts, Arc::new(AtomicU32::new(0))).unwrap()
}

#[test]
fn however_many_names_are_asked_for_few_are_kept_and_not_for_long() {
    let clock = Arc::new(TestClock::new(1_000_000));
    let mut engine = engine(clock.clone());
    for number in 0..10 * MOST {
        let office = OfficeName::new(&format!("typo-{number}")).unwrap();
        let (answer, mut told) = oneshot::channel();
        engine.act(EngineRequest::Tell { office, answer });
        assert!(told.try_recv().unwrap().leader().is_none());
    }
    assert_eq!(engine.candidacies.len(), 1 + MOST);
    let offices = engine.status().offices;
    assert!(offices.iter().all(|office| office.name == "configured"), "{offices:?}");
    clock.advance(Duration::from_nanos(KEPT) + LeaseTiming::LAN.heartbeat);
    engine.look();
    assert_eq!(engine.candidacies.len(), 1);
}

fn listed(engine: &mut NodeEngine) -> Vec<String> {
    engine.status().offices.into_iter().map(|office| office.name).collect()
}

#[test]
fn a_name_that_nobody_has_asked_for_is_not_learnt_and_one_that_is_not_led_is_forgotten() {
    let clock = Arc::new(TestClock::new(1_000_000));
    let mut engine = engine(clock.clone());
    let (right, other) = (OfficeName::new("job").unwrap(), OfficeName::new("other").unwrap());
    engine.names.unknown.insert(right.number(), 1);
    engine.named(&other);
    assert_eq!(listed(&mut engine), ["configured"]);
    engine.named(&right);
    assert!(engine.names.unknown.is_empty() && listed(&mut engine).contains(&"job".to_owned()));
    clock.advance(Duration::from_nanos(NAME_KEPT));
    assert_eq!(listed(&mut engine), ["configured"]);
    assert!(engine.names.learnt.is_empty());
}

#[test]
fn an_office_that_is_led_no_more_is_asked_for_no_longer() {
    let mut engine = engine(Arc::new(TestClock::new(1_000_000)));
    engine.names.unknown.insert(OfficeName::new("job").unwrap().number(), 1);
    assert!(!engine.ask_for_names());
}
