//! Agents that meet by messages: under the schedules of the simulator, and for real, beside the
//! simulated distribution.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use suffrage::algorithms::Custom;
use suffrage::networks::Ids;
use suffrage::networks::wiring::Wiring;
use suffrage::population::agents::{MeetingAgent, MeetingFindings, MeetingRecord, Meets};
use suffrage::population::ensemble::Silent;
use suffrage::population::experiment::{NamedProtocol, PopulationExperiment, TrialSample};
use suffrage::population::protocols::{Agent, Margin, SelfTerminating};
use suffrage::runtime::{Cluster, LinkMedium, Observed};
use suffrage::simulator::{Schedule, Simulator};
use suffrage::statistics::ks_distance;

type Meeting = MeetingAgent<Agent>;

const ALGORITHM_3: Custom<Meeting> = Custom::new("self-terminating");

#[test]
fn simulated_agents_elect_the_highest_and_halt() {
    for (nodes, seed) in [(2, 1), (3, 2), (8, 3), (8, 4), (21, 5)] {
        for schedule in [Schedule::Synchronous, Schedule::Uniform(10), Schedule::Exponential(3.0)] {
            let (wiring, ids) = (Wiring::complete(nodes), Ids::Random.assign(nodes, seed));
            let run = Simulator::new(&ALGORITHM_3, &wiring, &ids).schedule(schedule).seed(seed);
            let run = if nodes == 8 { run.initiators([0]) } else { run };
            let outcome = run.event_limit(1_000_000).run().unwrap();
            assert_eq!(outcome.violations, [], "{nodes}, {seed}");
            assert_eq!(outcome.leader.map(|leader| leader.id.get()), Some(nodes.into()));
            assert!(outcome.agreed && outcome.halted);
            let of =
                |name| outcome.messages.by_kind().find(|(kind, _)| kind.name == name).unwrap().1;
            // Agents below another one report, and hear of the end.
            assert_eq!((of("told"), of("end")), (u64::from(nodes) - 1, u64::from(nodes) - 1));
            assert!(of("result") + of("cancel") <= of("accept") && of("accept") <= of("invite"));
        }
    }
}

/// The agents of a real election.
const AGENTS: u32 = 14;

/// The number of real elections, all at the same time.
const ELECTIONS: u64 = 60;

/// The limit of each of the two tests below. For samples of one distribution the scaled distance
/// exceeds x with a probability of 2 exp(-2 x^2) at most (P. Massart, "The tight constant in the
/// Dvoretzky-Kiefer-Wolfowitz inequality", Annals of Probability 18(3), 1990, for one sample; in the
/// limit for two, and ties make it less): 1.8 x 10^-7. So a false alarm of any of the two has a
/// probability below 4 x 10^-7 per run.
const LIMIT: f64 = 2.85;

/// Holds elections over channels.
async fn real() -> Vec<MeetingFindings> {
    let elections = (0..ELECTIONS).map(|seed| {
        let ids = Ids::Random.assign(AGENTS, seed);
        let numbers = ids.iter().map(|id| id.get() as u32).collect();
        let record = Arc::new(Mutex::new(MeetingRecord::new(numbers)));
        let seen = record.clone();
        let observed = Observed::new(ALGORITHM_3, move |node, agent: &Meeting| {
            seen.lock().unwrap().observe(0.0, node, agent.snapshot());
        });
        let cluster = Cluster::new(Wiring::complete(AGENTS), ids).unwrap();
        tokio::spawn(async move {
            let cluster = cluster.medium(LinkMedium::Channels).seed(seed);
            let summary = cluster.elect(&observed).await.unwrap();
            assert!(summary.outcomes.iter().all(|outcome| outcome.violations.is_empty()));
            record.lock().unwrap().findings()
        })
    });
    let elections: Vec<_> = elections.collect();
    let mut found = Vec::new();
    for election in elections {
        found.push(election.await.unwrap());
    }
    found
}

/// The interactions of simulated elections until the first declaration, and until all agree.
fn simulated(protocol: SelfTerminating) -> (Vec<u64>, Vec<u64>) {
    let protocol = NamedProtocol::SelfTerminating(protocol);
    let experiment = PopulationExperiment {
        trials: 20_000,
        ..PopulationExperiment::new(protocol, AGENTS.into())
    };
    match experiment.run(&Silent, &AtomicBool::new(false)).unwrap().sample {
        TrialSample::Trials(trials) => trials
            .iter()
            .map(|trial| (trial.declared_at.unwrap(), trial.completed_at.unwrap()))
            .unzip(),
        other => panic!("{other:?}"),
    }
}

/// Real meetings are as random as those of the model: Kolmogorov-Smirnov tests of the interactions
/// until the first declaration and until all agree.
#[tokio::test]
async fn real_meetings_take_as_long_as_simulated_ones() {
    let found = real().await;
    for election in &found {
        assert_eq!((election.leader, election.leaders), (Some(AGENTS), 1));
        assert_eq!((election.decided, election.halted), (AGENTS, AGENTS));
    }
    let declared: Vec<u64> = found.iter().map(|it| it.declared.unwrap().meetings).collect();
    let completed: Vec<u64> = found.iter().map(|it| it.completed_at.unwrap()).collect();
    let (declares, completes) = simulated(SelfTerminating::DEFAULT);
    let (declared_off, completed_off) =
        (ks_distance(&declared, &declares), ks_distance(&completed, &completes));
    assert!(declared_off < LIMIT, "{declared_off}: {declared:?}");
    assert!(completed_off < LIMIT, "{completed_off}: {completed:?}");
    // The test is strong enough to tell another rule.
    let other = SelfTerminating { margin: Margin::whole(8), ..SelfTerminating::DEFAULT };
    assert!(ks_distance(&declared, &simulated(other).0) > LIMIT);
}
