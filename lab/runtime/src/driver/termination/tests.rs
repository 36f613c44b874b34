use super::*;

const UP: Port = Port(0);
const LEFT: Port = Port(1);
const RIGHT: Port = Port(2);
const ACROSS: Port = Port(3);

fn inner() -> Termination {
    Termination::new(Some(UP), &[LEFT, RIGHT])
}

#[test]
fn a_node_reports_once_all_its_children_have() {
    let mut node = inner();
    assert!(!node.may_report());
    node.halted(LEFT).unwrap();
    assert!(!node.may_report());
    node.halted(RIGHT).unwrap();
    assert!(node.may_report());
    assert_eq!((node.report(), node.waits_for()), (HaltReport::Tell(UP), Some(UP)));
    assert!(!node.may_report());
    node.released(UP, true).unwrap();
    assert_eq!((node.verdict(), node.waits_for()), (Some(true), None));
}

#[test]
fn the_root_is_released_by_its_report() {
    let mut root = Termination::new(None, &[LEFT]);
    root.halted(LEFT).unwrap();
    assert_eq!((root.report(), root.verdict()), (HaltReport::AllHalted, Some(true)));
}

#[test]
fn halted_is_believed_of_a_child_and_once() {
    let mut node = inner();
    assert_eq!(node.halted(UP), Err(Unexpected::NotAChild));
    assert_eq!(node.halted(ACROSS), Err(Unexpected::NotAChild));
    node.halted(LEFT).unwrap();
    assert_eq!(node.halted(LEFT), Err(Unexpected::Twice));
    assert!(!node.may_report(), "two words of one child are not those of two");
    node.halted(RIGHT).unwrap();
    assert!(node.may_report(), "and do not keep the node from reporting");
}

#[test]
fn released_is_believed_of_the_parent_after_the_report_and_once() {
    let mut node = inner();
    assert_eq!(node.released(ACROSS, true), Err(Unexpected::NotTheParent));
    assert_eq!(node.released(LEFT, true), Err(Unexpected::NotTheParent));
    assert_eq!(node.released(UP, true), Err(Unexpected::TooEarly));
    assert_eq!(node.verdict(), None);
    node.halted(LEFT).unwrap();
    node.halted(RIGHT).unwrap();
    node.report();
    node.released(UP, false).unwrap();
    assert_eq!(node.released(UP, true), Err(Unexpected::Twice));
    assert_eq!(node.verdict(), Some(false), "the doubt of the first word stays");
}

#[test]
fn who_gives_the_parent_up_is_in_doubt() {
    let mut node = Termination::new(Some(UP), &[]);
    node.report();
    node.give_up();
    assert_eq!(node.verdict(), Some(false));
}
