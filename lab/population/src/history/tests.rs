use super::*;
use crate::{
    engine::batched::{Goal, MeetingTable},
    meetings::Meetings,
    protocols::{Agent, Infection, NumberedCandidate, NumberedEpidemic, SelfTerminating},
};
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);

fn recorder(interval: u64, seed: u64) -> HistoryRecorder<'static> {
    HistoryRecorder { interval, stream: RandomStream::of_trial(seed, 0), supervisor: &NEVER }
}

fn csv(history: &CountHistory) -> String {
    let mut text = Vec::new();
    history.write_csv(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn an_infection_is_recorded_at_the_times_asked_for() {
    let agents = 100_000;
    let table = MeetingTable::reachable(&Infection, &[true, false]).unwrap();
    let goal = Goal::Count { state: 0, count: agents };
    let engine = StateCounts::new(table, &[1, agents - 1], goal);
    let history = recorder(50_000, 1).of_counts(engine);
    let (last, all) = history.rows.split_last().unwrap();
    assert!(all.iter().enumerate().all(|(row, (time, _))| *time == 50_000 * row as u64));
    assert_eq!(last.1, [agents, 0]);
    assert!(history.rows.iter().all(|(_, counts)| counts.iter().sum::<u64>() == agents));
    assert!(history.rows.is_sorted_by_key(|(_, counts)| counts[0]), "no agent recovers");
    assert!(csv(&history).starts_with("interactions,true,false\n0,1,99999\n50000,"));
}

#[test]
fn an_election_is_recorded_until_it_is_over() {
    let complete = |counts: &[u64; 4]| counts[0] == 50;
    let epidemic = NumberedEpidemic::default();
    let meetings = Meetings::among(50);
    let epidemic =
        recorder(20, 2).of_election(epidemic, meetings, NumberedCandidate::new, complete);
    assert_eq!(epidemic.rows[0], (0, vec![1, 50, 0, 0]));
    assert_eq!(epidemic.rows.last().unwrap().1, [50, 1, 0, 0]);
    let over = |counts: &[u64; 4]| counts[2] == 30;
    let protocol = SelfTerminating::default();
    let meetings = Meetings::among(30);
    let history = recorder(100, 3).of_election(protocol, meetings, Agent::new, over);
    assert_eq!(history.rows.last().unwrap().1, [30, 1, 30, 1]);
    assert!(
        csv(&history).starts_with(
            "interactions,hold_maximum,believe_in_self,told,declared\n0,1,30,0,0\n100,"
        )
    );
}

#[test]
fn a_run_that_cannot_go_on_ends() {
    // No agent is infected, so none will be.
    let table = MeetingTable::reachable(&Infection, &[true, false]).unwrap();
    let engine = StateCounts::new(table, &[0, 10], Goal::Count { state: 0, count: 10 });
    let history = recorder(5, 3).of_counts(engine);
    assert_eq!(history.rows, [(0, vec![0, 10]), (5, vec![0, 10])]);
}
