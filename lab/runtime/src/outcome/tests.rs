use super::*;

#[test]
fn causes_come_before_effects() {
    let step = |clock, event, coins: &[u32]| ProcessStep { clock, event, coins: coins.to_vec() };
    let first = [
        step(0, StepEvent::Wake, &[7]),
        step(2, StepEvent::Receive(0), &[]),
        step(2, StepEvent::Alarm, &[9]),
    ];
    let second = [step(1, StepEvent::Receive(1), &[8])];
    let (actions, coins) = in_causal_order([(0, &first[..]), (1, &second[..])]);
    let deliver = |node, port| Action::Deliver { to: End { node, port: Port(port) }, overtakes: 0 };
    assert_eq!(actions, [Action::Wake(0), deliver(1, 1), deliver(0, 0), Action::Alarm(0)]);
    assert_eq!(coins, [7, 8, 9]);
}
