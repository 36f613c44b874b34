use super::*;

#[test]
fn ports_are_numbered_in_the_order_of_the_lists() {
    let adjacency = Adjacency::new(&[vec![2, 1, 3], vec![0, 2], vec![1, 0], vec![0]]);
    for (node, list) in [(0, vec![2, 1, 3]), (1, vec![0, 2]), (2, vec![1, 0]), (3, vec![0])] {
        for (port, to) in (0..).map(Port).zip(list) {
            let end = adjacency.across(node, port);
            assert_eq!(end.node, to);
            assert_eq!(adjacency.across(to, end.port), End { node, port });
        }
    }
}

#[test]
fn lists_that_are_no_network_are_refused() {
    let refused: [&[Vec<u32>]; 7] = [
        &[vec![0]],
        &[vec![1], vec![]],
        &[vec![1, 1], vec![0, 0]],
        &[vec![1, 1], vec![0]],
        &[vec![1], vec![0, 2], vec![0]],
        &[vec![7]],
        // As many ends as beginnings, but one-way.
        &[vec![1], vec![2], vec![0]],
    ];
    for lists in refused {
        assert!(std::panic::catch_unwind(|| Adjacency::new(lists)).is_err(), "{lists:?}");
    }
    assert_eq!(Adjacency::new(&[]).nodes(), 0);
}
