use super::*;

#[test]
fn the_last_port_is_the_one_that_was_not_taken() {
    for degree in 1..20 {
        for last in 0..degree {
            let mut ports = WaitedPorts::all(degree);
            for port in (0..degree).filter(|&port| port != last) {
                assert_eq!(ports.last(), None);
                ports = ports.without(Port(port), degree).unwrap();
            }
            assert_eq!(ports.last(), Some(Port(last)));
            assert!(ports.without(Port(last), degree).unwrap().is_empty());
        }
    }
}

#[test]
fn a_sum_may_overflow() {
    let degree = 200_000;
    let mut ports = WaitedPorts::all(degree);
    for port in (0..degree).filter(|&port| port != 77) {
        ports = ports.without(Port(port), degree).unwrap();
    }
    assert_eq!(ports.last(), Some(Port(77)));
}

#[test]
fn without_ports_there_is_none_to_take() {
    let ports = WaitedPorts::all(0);
    assert!(ports.is_empty() && ports.last().is_none());
    assert_eq!(ports.without(Port(0), 0), None);
}

#[test]
fn a_port_taken_twice_is_found_out() {
    // {0, 1, 2} without 0 and 0 would leave port 3, which a process of degree 3 lacks.
    let once = WaitedPorts::all(3).without(Port(0), 3).unwrap();
    assert_eq!(once.without(Port(0), 3), None);
    // Without 1 and 1 it would leave port 1, which is possible; after that, 0 and 2 are not.
    let twice = WaitedPorts::all(3).without(Port(1), 3).unwrap().without(Port(1), 3).unwrap();
    assert_eq!(twice.without(Port(0), 3), None);
    assert_eq!(twice.without(Port(2), 3), None);
}
