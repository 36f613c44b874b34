use crate::experiment::*;
use crate::protocols::DeclarationRule;
use std::sync::atomic::AtomicBool;

#[test]
fn every_protocol_has_a_history() {
    let never = AtomicBool::new(false);
    let with = |rule| SelfTerminating { rule, ..SelfTerminating::default() };
    for (protocol, last) in [
        (NamedProtocol::KnownBounds, vec![40, 1, 40, 0]),
        (NamedProtocol::Epidemic { printed: false }, vec![40, 1, 0, 0]),
        (NamedProtocol::SelfTerminating(with(DeclarationRule::Text)), vec![40, 1, 40, 1]),
        (NamedProtocol::Anonymous, vec![1, 39]),
        (NamedProtocol::TwoWayEpidemic, vec![40, 0]),
    ] {
        let history = PopulationExperiment::new(protocol, 40).history(10, &never).unwrap();
        assert_eq!(history.rows.last().map(|row| row.1.clone()), Some(last), "{protocol:?}");
        let alone = PopulationExperiment::new(protocol, 1).history(10, &never).unwrap();
        assert_eq!(alone.rows.len(), 1, "{protocol:?}");
    }
    let printed = NamedProtocol::SelfTerminating(with(DeclarationRule::Printed));
    let history = PopulationExperiment::new(printed, 40).history(10, &never).unwrap();
    let last = &history.rows.last().unwrap().1;
    assert!(last[2] == 40 || (last[0] == 40 && last[3] == 0), "{last:?}");
    let large = PopulationExperiment {
        memory: Some(1000),
        ..PopulationExperiment::new(printed, 1_000_000)
    };
    assert!(matches!(large.history(10, &never), Err(PopulationError::Memory { .. })));
}

#[test]
fn large_elections_are_recorded_in_batches() {
    let never = AtomicBool::new(false);
    let agents = 10_000_000;
    for (protocol, declares) in [
        (NamedProtocol::SelfTerminating(SelfTerminating::default()), 1),
        (NamedProtocol::Epidemic { printed: false }, 0),
    ] {
        let history = PopulationExperiment::new(protocol, agents).history(agents, &never).unwrap();
        assert_eq!(history.rows[0], (0, vec![1, 16, 0, 0, 0]));
        let (last, counts) = history.rows.last().unwrap();
        assert_eq!((counts[0], counts[1], counts[4]), (agents, 1, declares));
        assert!(*last > 10 * agents && history.rows[1].0 == agents);
    }
}
