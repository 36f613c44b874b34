use super::*;

#[test]
fn an_alarm_of_any_number_of_ticks_is_read_as_it_was_written() {
    let alarms = vec![None, Some(0), Some(127), Some(u32::MAX)];
    let mut configuration = GlobalState::new(4, 0);
    configuration.round = Some(Round { begins: true, alarms: alarms.clone() });
    let mut bytes = Vec::new();
    configuration.write(&mut bytes);
    let mut read = GlobalState::new(4, 0);
    read.round = Some(Round { begins: false, alarms: vec![Some(7); 4] });
    read.read(&bytes);
    assert_eq!(read.round, Some(Round { begins: true, alarms }));
}

#[test]
fn a_configuration_is_read_as_it_was_written() {
    let mut configuration = GlobalState::new(3, 4);
    configuration.locals = vec![5, 127, 128];
    configuration.budget = [1, 0, 2];
    let token = |msg| LinkMessage { msg, tag: NEW };
    configuration.queues[1] = vec![token(3), token(70_000)];
    configuration.queues[3] = vec![token(0)];
    configuration.outboxes[2] = vec![(3, token(9)), (0, token(300))];
    let mut bytes = Vec::new();
    configuration.write(&mut bytes);
    let mut read = GlobalState::new(3, 4);
    read.queues[0].push(token(1));
    read.read(&bytes);
    assert_eq!((read.locals.clone(), read.budget), (configuration.locals, [1, 0, 2]));
    let messages: Vec<u32> = read.tokens().map(|token| token.msg).collect();
    assert_eq!(messages, [3, 70_000, 0, 9, 300]);
    assert!(read.tokens().map(|token| token.tag).eq(0..5));
    assert_eq!(read.outboxes[2][1].0, 0);
    let mut again = Vec::new();
    read.write(&mut again);
    assert_eq!(bytes, again);
}
