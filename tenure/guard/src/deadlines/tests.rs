use super::*;

fn at(milliseconds: u64) -> Boottime {
    Boottime::from_nanos(milliseconds * 1_000_000)
}

fn tenure(stop: u64) -> Deadlines {
    Deadlines {
        until: at(1000),
        stop: Duration::from_millis(stop),
        margin: Duration::from_millis(20),
        ending: None,
    }
}

#[test]
fn without_a_stop_time_the_command_is_killed_before_the_leadership_ends() {
    let tenure = tenure(0);
    assert_eq!(tenure.due(at(0)), DueAction::Run(at(980)));
    assert_eq!(tenure.due(at(979)), DueAction::Run(at(980)));
    assert_eq!(tenure.due(at(980)), DueAction::Kill);
}

#[test]
fn with_a_stop_time_it_is_asked_first() {
    let tenure = tenure(500);
    assert_eq!(tenure.due(at(979)), DueAction::Run(at(980)));
    assert_eq!(tenure.due(at(980)), DueAction::Terminate(at(1480)));
    assert_eq!(tenure.due(at(1480)), DueAction::Kill);
}

#[test]
fn an_office_that_is_given_up_is_held_while_the_command_stops() {
    let mut tenure = tenure(0);
    tenure.end(at(100), Duration::from_millis(300));
    assert_eq!(tenure.due(at(100)), DueAction::Terminate(at(400)));
    assert_eq!(tenure.due(at(400)), DueAction::Kill);
}

#[test]
fn but_not_beyond_its_validity() {
    let mut tenure = tenure(0);
    tenure.end(at(100), Duration::from_secs(10));
    assert_eq!(tenure.due(at(100)), DueAction::Terminate(at(980)));
    tenure.until = at(2000);
    assert_eq!(tenure.due(at(980)), DueAction::Terminate(at(1980)));
}

#[test]
fn a_second_end_can_only_be_sooner() {
    let mut tenure = tenure(500);
    tenure.end(at(100), Duration::from_millis(300));
    tenure.end(at(200), Duration::from_secs(1));
    assert_eq!(tenure.due(at(399)), DueAction::Terminate(at(400)));
    tenure.end(at(250), Duration::ZERO);
    assert_eq!(tenure.due(at(250)), DueAction::Kill);
}
