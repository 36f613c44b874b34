use crate::experiment::*;
use crate::{ensemble::Silent, protocols::SelfTerminating};

fn run(experiment: &PopulationExperiment) -> TrialSample {
    experiment.run(&Silent, &AtomicBool::new(false)).unwrap().sample
}

#[test]
fn the_smallest_populations() {
    let election = NamedProtocol::SelfTerminating(SelfTerminating::default());
    for protocol in [
        NamedProtocol::KnownBounds,
        NamedProtocol::Epidemic { printed: false },
        election,
        NamedProtocol::Anonymous,
        NamedProtocol::TwoWayEpidemic,
    ] {
        for engine in [EngineKind::Direct, EngineKind::Batched, EngineKind::ClosedForm] {
            let of = |agents| {
                let experiment = PopulationExperiment {
                    engine: Some(engine),
                    ..PopulationExperiment::new(protocol, agents)
                };
                let TrialSample::Trials(trials) = run(&experiment) else { panic!("trials") };
                trials[0]
            };
            assert_eq!(of(1).completed_at, Some(0), "{protocol:?} {engine}");
            let expected = if protocol == NamedProtocol::KnownBounds { 0 } else { 1 };
            assert_eq!(of(2).completed_at, Some(expected), "{protocol:?} {engine}");
            if protocol == election {
                assert_eq!((of(1).leader_declared_at, of(1).leader_ok), (None, None));
                // One conversion, and followers until 25 meetings are full: all meetings are.
                assert_eq!((of(2).leader_declared_at, of(2).leader_ok), (Some(25), Some(true)));
            }
        }
    }
}

#[test]
fn a_seed_stands_for_the_same_trials_for_ever() {
    let protocol = SelfTerminating { min_interactions: 0, ..SelfTerminating::default() };
    for (engine, completed_at, declared_at) in PINNED {
        let experiment = PopulationExperiment {
            engine: Some(engine),
            ..PopulationExperiment::new(NamedProtocol::SelfTerminating(protocol), 100_000)
        };
        let TrialSample::Trials(trials) = run(&experiment) else { panic!("trials") };
        let trial = trials[0];
        assert_eq!(
            (trial.completed_at, trial.leader_declared_at),
            (Some(completed_at), Some(declared_at)),
            "{engine}"
        );
    }
}
const PINNED: [(EngineKind, u64, u64); 3] = [
    (EngineKind::Direct, 1_181_362, 3_141_575),
    (EngineKind::Batched, 1_053_293, 3_332_989),
    (EngineKind::ClosedForm, 1_126_446, 3_146_774),
];
