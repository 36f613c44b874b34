use super::*;

#[test]
fn nodes_probe_all_neighbours_if_there_are_few_and_together_no_more_than_a_program_can_open() {
    assert_eq!(probes(3, 2), 2);
    assert_eq!(probes(64, 63), PROBES);
    assert_eq!(probes(1000, 999), 2);
    assert_eq!(probes(100_000, 99_999), 1);
    assert!((3..2048).all(|nodes| nodes * probes(nodes, nodes - 1) <= PROBES_OF_ALL));
}
