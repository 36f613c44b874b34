use super::*;
use suffrage_algorithms::Algorithm;
use suffrage_networks::{Ids, wiring::Wiring};
use suffrage_simulator::{Experiment, Schedule, Simulator};

/// They do the same work, among the same identities and under the same schedules.
#[test]
fn the_reference_loops_send_as_many_messages_as_the_simulator_and_take_as_long() {
    for (name, loop_, ring) in [
        ("chang-roberts", chang_roberts as fn(&[u32], Delays) -> Run, true),
        ("humblet", humblet, false),
    ] {
        for nodes in [1, 2, 3, 10, 1000] {
            let wiring = if ring { Wiring::ring(nodes) } else { Wiring::complete(nodes) };
            let ids = Ids::Random.assign(nodes, 5);
            let algorithm = Algorithm::named(name).unwrap();
            let small: Vec<u32> = ids.iter().map(|id| id.get() as u32).collect();
            for (schedule, delays) in
                [(Schedule::Synchronous, Delays::Unit), (Schedule::Uniform(10), Delays::UpToTen)]
            {
                let experiment = Experiment { schedule, ..Experiment::new(&wiring, &ids) };
                let outcome = Simulator::of(algorithm, experiment).run().unwrap();
                let run = Run { messages: outcome.messages.total(), time: outcome.time };
                assert_eq!(loop_(&small, delays), run, "{name} {nodes} {delays:?}");
            }
        }
    }
}
