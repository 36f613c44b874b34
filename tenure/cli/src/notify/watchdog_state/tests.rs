use super::*;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn nothing_is_told_before_the_loop_has_answered_and_nothing_ever_once_it_has_ended() {
    let mut state = WatchdogState::new(SECOND, true);
    assert_eq!(state.step(SECOND / 2, WatchdogInput::Due), None);
    assert_eq!(state.step(SECOND, WatchdogInput::Due), Some(WatchdogOutput::Ask));
    assert_eq!((state.due(), state.step(9 * SECOND, WatchdogInput::Due)), (None, None));
    let told = state.step(9 * SECOND, WatchdogInput::Answered(true));
    assert_eq!((told, state.due()), (Some(WatchdogOutput::Tell), Some(10 * SECOND)));
    assert_eq!(state.step(10 * SECOND, WatchdogInput::Due), Some(WatchdogOutput::Ask));
    assert_eq!(
        (state.step(10 * SECOND, WatchdogInput::Answered(false)), state.due()),
        (None, None)
    );
}

#[test]
fn a_process_without_a_participant_tells_at_once() {
    let mut state = WatchdogState::new(SECOND, false);
    assert_eq!(state.step(SECOND, WatchdogInput::Due), Some(WatchdogOutput::Tell));
    assert_eq!(state.due(), Some(2 * SECOND));
}
