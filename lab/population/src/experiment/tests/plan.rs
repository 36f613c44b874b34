use crate::experiment::*;

fn election(agents: u64) -> PopulationExperiment {
    PopulationExperiment::new(NamedProtocol::SelfTerminating(SelfTerminating::default()), agents)
}

fn message(experiment: &PopulationExperiment) -> String {
    experiment.plan().unwrap_err().to_string()
}

#[test]
fn the_fastest_exact_engine_is_chosen() {
    let engine = |experiment: PopulationExperiment| experiment.plan().unwrap().engine;
    assert_eq!(engine(election(1000)), EngineKind::Direct);
    let leader = PopulationExperiment { question: Some(Question::Leader), ..election(1000) };
    assert_eq!(engine(leader), EngineKind::ClosedForm);
    for protocol in [
        NamedProtocol::KnownBounds,
        NamedProtocol::Epidemic { printed: false },
        NamedProtocol::Anonymous,
        NamedProtocol::TwoWayEpidemic,
    ] {
        assert_eq!(engine(PopulationExperiment::new(protocol, 1000)), EngineKind::ClosedForm);
    }
}

#[test]
fn too_many_agents_for_an_array_leave_the_leader() {
    let plan = election(1_000_000_000_000).plan().unwrap();
    assert_eq!((plan.engine, plan.question), (EngineKind::ClosedForm, Question::Leader));
    assert!(!plan.exact_for.contains(&Field::FirstOk));
    let question = |agents, memory| {
        PopulationExperiment { memory: Some(memory), ..election(agents) }
            .plan()
            .map(|plan| plan.question)
    };
    assert_eq!(question((1 << 27) + 1, u64::MAX), Ok(Question::Leader));
    assert_eq!(question(1 << 27, u64::MAX), Ok(Question::Everything));
    assert!(question(1 << 27, 1).is_err(), "the question does not depend on the machine");
    let everything = PopulationExperiment {
        question: Some(Question::Everything),
        ..election(1_000_000_000_000)
    };
    assert_eq!(
        message(&everything),
        "1000000000000 agents are more than the direct engine can run exactly, whose limit \
             here is 4294967295; the closed-form and the batched engine \
             keep no agents and follow the eventual leader"
    );
}

#[test]
fn memory_is_asked_before_it_is_taken() {
    let small = PopulationExperiment {
        memory: Some(1_000_000),
        engine: Some(EngineKind::Direct),
        ..election(1_000_000)
    };
    assert_eq!(
        message(&small),
        "the direct engine needs 8 MiB for 1000000 agents, and 977 KiB are free; the \
             closed-form and the batched engine keep no agents and follow the eventual leader"
    );
    let two =
        PopulationExperiment { memory: Some(20_000_000), threads: Some(8), ..election(1_000_000) };
    assert_eq!(two.plan().unwrap().threads, 2, "as many threads as there is memory for");
}

#[test]
fn classes_of_identities_are_counted_before_they_are_made() {
    let all = PopulationExperiment {
        highest: u32::MAX,
        engine: Some(EngineKind::Batched),
        memory: Some(1 << 34),
        ..election(1_000_000_000_000)
    };
    let text = message(&all);
    assert!(text.contains("to distinguish 4294967295 identities"), "{text}");
    assert!(text.contains("16.0 GiB are free; distinguish fewer"), "{text}");
    let few = PopulationExperiment { agents: 1000, ..all };
    assert!(few.plan().is_ok(), "there are no more classes than agents");
}

#[test]
fn models_are_for_the_engines_that_know_them() {
    let graph = |agents| {
        let spec = format!("ring:{agents}").parse::<suffrage_networks::Spec>().unwrap();
        MeetingModel::Graph(LinkMeetings::of(&spec.build(1).unwrap()))
    };
    let on_ring = PopulationExperiment { model: graph(100), ..election(100) };
    assert_eq!(on_ring.plan().unwrap().engine, EngineKind::Direct);
    for engine in [EngineKind::Batched, EngineKind::ClosedForm, EngineKind::Oracle] {
        let other = PopulationExperiment { engine: Some(engine), ..on_ring.clone() };
        assert!(message(&other).ends_with("use the direct engine"), "{}", message(&other));
    }
    let size = PopulationExperiment { agents: 99, ..on_ring };
    assert_eq!(message(&size), "the interaction graph has 100 nodes for 99 agents");
    let itself = PopulationExperiment { model: MeetingModel::SelfMeetings, ..election(100) };
    assert_eq!(itself.plan().unwrap().engine, EngineKind::Direct);
    let leader = PopulationExperiment { question: Some(Question::Leader), ..itself.clone() };
    assert_eq!(leader.plan().unwrap().engine, EngineKind::ClosedForm);
    let batched = PopulationExperiment { engine: Some(EngineKind::Batched), ..itself };
    assert!(message(&batched).ends_with("use the closed-form engine"));
    for model in [MeetingModel::SelfMeetings, graph(9)] {
        let anonymous = PopulationExperiment {
            model,
            ..PopulationExperiment::new(NamedProtocol::Anonymous, 9)
        };
        assert!(message(&anonymous).contains("the protocol anonymous does not run"));
    }
}

#[test]
fn an_engine_that_is_not_exact_is_refused_for_a_question_and_says_so_otherwise() {
    let batched = PopulationExperiment { engine: Some(EngineKind::Batched), ..election(1000) };
    let plan = batched.plan().unwrap();
    assert_eq!(plan.among_highest, Some(16));
    assert!(plan.exact_for.contains(&Field::LeaderOk));
    assert!(!plan.exact_for.contains(&Field::FirstOk));
    let asked = PopulationExperiment { question: Some(Question::Everything), ..batched };
    assert!(message(&asked).contains("does not follow declared_at, told_at, first_ok, final_ok"));
    let printed = SelfTerminating { rule: DeclarationRule::Printed, ..SelfTerminating::default() };
    let printed = PopulationExperiment {
        engine: Some(EngineKind::ClosedForm),
        ..PopulationExperiment::new(NamedProtocol::SelfTerminating(printed), 10)
    };
    assert!(message(&printed).ends_with("use the direct engine"));
}

#[test]
fn limits_are_named() {
    let anonymous = PopulationExperiment::new(NamedProtocol::Anonymous, 1 << 25);
    assert!(message(&anonymous).contains("16777216"));
    let huge = PopulationExperiment::new(NamedProtocol::TwoWayEpidemic, 1 << 45);
    assert!(message(&huge).contains("17592186044416"));
    let oracle = PopulationExperiment { engine: Some(EngineKind::Oracle), ..election(10_001) };
    assert!(message(&oracle).contains("10000; the closed-form engine draws trials of more"));
}

#[test]
fn bad_input_is_refused() {
    assert_eq!(election(0).plan(), Err(PopulationError::NoAgents));
    assert_eq!(
        PopulationExperiment { trials: 0, ..election(5) }.plan(),
        Err(PopulationError::NoTrials)
    );
    let margin = |rule| {
        let protocol = SelfTerminating { margin: 0.into(), rule, min_interactions: 0 };
        PopulationExperiment::new(NamedProtocol::SelfTerminating(protocol), 5).plan()
    };
    assert!(margin(DeclarationRule::Difference).is_ok() && margin(DeclarationRule::Equal).is_ok());
    for rule in [DeclarationRule::Printed, DeclarationRule::Text, DeclarationRule::AtLeast] {
        assert_eq!(margin(rule), Err(PopulationError::NoMargin { rule: rule.name() }));
    }
    let ids = Some(PopulationIds::given(&[1, 2, 3]).unwrap());
    let few = PopulationExperiment { ids, ..election(5) };
    assert_eq!(few.plan(), Err(PopulationError::IdCount { ids: 3, agents: 5 }));
}
