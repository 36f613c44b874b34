use super::*;
use ReachOutput::{Dial, GiveUp};

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Lets all happen that is due. No peer answers.
fn unanswered(state: &mut ReachState) -> Vec<(Duration, ReachOutput)> {
    let mut all = Vec::new();
    while !matches!(all.last(), Some((_, GiveUp(_)))) {
        let due = state.due();
        all.extend(state.step(due, ReachInput::Due).map(|output| (due, output)));
    }
    all
}

#[test]
fn a_member_that_is_silent_is_dialled_again_and_again_until_it_is_given_up() {
    let mut state = ReachState::new(["a".to_owned()], true);
    let all = unanswered(&mut state);
    assert_eq!(all[0], (millis(0), Dial(0, ATTEMPT)));
    assert_eq!(all[1], (millis(100), Dial(0, HASTY)));
    assert_eq!(all[19], (millis(1900), Dial(0, HASTY)));
    assert_eq!(all[20], (millis(2000), GiveUp("no answer within 2s".to_owned())));
}

#[test]
fn a_client_dials_each_address_once() {
    let mut state = ReachState::new(["a".to_owned(), "b".to_owned()], false);
    let expected = [
        (millis(0), Dial(0, ATTEMPT)),
        (millis(100), Dial(1, ATTEMPT)),
        (millis(2000), GiveUp("no answer within 2s".to_owned())),
    ];
    assert_eq!(unanswered(&mut state), expected);
}

#[test]
fn an_address_that_has_failed_is_dialled_no_more_and_all_that_have_are_named() {
    let mut state = ReachState::new(["a".to_owned(), "b".to_owned()], true);
    assert_eq!(state.step(millis(0), ReachInput::Due), Some(Dial(0, ATTEMPT)));
    assert_eq!(state.step(millis(1), ReachInput::Failed(0, "refused".to_owned())), None);
    let dialled = unanswered(&mut state);
    let places = dialled.iter().filter(|(_, it)| matches!(it, Dial(0, _))).count();
    assert_eq!(places, 0, "{dialled:?}");
    let (_, last) = dialled.last().unwrap();
    assert_eq!(*last, GiveUp("a: refused, b: no answer".to_owned()));
    let all = state.step(millis(3), ReachInput::Failed(1, "unknown".to_owned()));
    assert_eq!(all, Some(GiveUp("a: refused, b: unknown".to_owned())));
}
