use super::*;

const SMALL: &str = "
        complete:1 complete:2 complete:9 ring:1 ring:2 ring:3 ring:10 path:1 path:2 path:9
        star:1 star:2 star:12 tree:1:5 tree:2:1 tree:2:15 tree:2:16 tree:3:30 tree:7:5
        grid:1x1 grid:1x7 grid:5x1 grid:4x5 torus:1x2 torus:2x2 torus:1x9 torus:2x5 torus:6x1
        torus:4x5 torus:3x3 hypercube:0 hypercube:1 hypercube:5";

#[test]
fn computed_networks_are_the_stored_ones() {
    for text in SMALL.split_whitespace() {
        let spec: Spec = text.parse().unwrap();
        for ports in [Ports::Rotation, Ports::Random] {
            let (wiring, implicit) = (
                spec.build(1).unwrap().wire(ports, 7),
                spec.implicit(ports, 7).expect("small enough"),
            );
            assert_eq!(implicit.nodes(), u64::from(wiring.nodes()), "{text}");
            assert_eq!(implicit.links(), wiring.links(), "{text}");
            assert_eq!(implicit.diameter(), u64::from(wiring.diameter()), "{text}");
            for node in 0..wiring.nodes() {
                assert_eq!(implicit.degree(node.into()), wiring.degree(node), "{text} {node}");
                for port in (0..=wiring.degree(node)).map(Port) {
                    let there = wiring.try_across(node, port);
                    let there = there.map(|end| (u64::from(end.node), end.port));
                    assert_eq!(implicit.across(node.into(), port), there, "{text} {node} {port:?}");
                    let link = implicit.link(node.into(), port);
                    assert_eq!(link, wiring.link(node, port), "{text} {node}");
                }
            }
        }
    }
}

#[test]
fn classes_are_those_of_the_stored_networks_that_are_given_as_such() {
    use NetworkClass::{Complete, Connected, OrientedComplete, OrientedRing, Ring, Tree};
    let fits = |text: &str, ports| {
        let implicit = Spec::unlimited(text).unwrap().implicit(ports, 1).unwrap();
        [Connected, Tree, Ring, OrientedRing, Complete, OrientedComplete]
            .map(|class| implicit.fits(class))
    };
    let (rotation, random) = (Ports::Rotation, Ports::Random);
    assert_eq!(fits("torus:4x5", rotation), [true, false, false, false, false, false]);
    assert_eq!(fits("grid:1x5", rotation), [true, true, false, false, false, false]);
    assert_eq!(fits("ring:4000000000", rotation), [true, false, true, true, false, false]);
    assert_eq!(fits("ring:5", random), [true, false, true, false, false, false]);
    assert_eq!(fits("complete:5", rotation), [true, false, false, false, true, true]);
    assert_eq!(fits("complete:5", random), [true, false, false, false, true, false]);
}

#[test]
fn past_32_bits_every_port_leads_there_and_back() {
    for text in ["torus:100000x100000", "grid:70000x90000", "hypercube:40"] {
        for ports in [Ports::Rotation, Ports::Random] {
            let network = Spec::unlimited(text).unwrap().implicit(ports, 3).unwrap();
            let last = network.nodes() - 1;
            for node in [0, 1, 4_294_967_295, 4_294_967_296, last / 2, last - 1, last] {
                for port in (0..network.degree(node)).map(Port) {
                    let (to, back) = network.across(node, port).unwrap();
                    assert_eq!(network.across(to, back), Some((node, port)), "{network}");
                }
                let next = network.link(node, Port(network.degree(node)));
                assert_eq!(next, network.link(node + 1, Port(0)), "{network} {node}");
            }
        }
    }
}

#[test]
fn what_cannot_be_computed_is_not() {
    let implicit = |text: &str, ports| text.parse::<Spec>().unwrap().implicit(ports, 1);
    assert!(implicit("tree:random:9", Ports::Rotation).is_none());
    assert!(implicit("chordal:9:2", Ports::Rotation).is_none());
    assert!(implicit("star:65", Ports::Random).is_some());
    assert!(implicit("star:66", Ports::Random).is_none());
    assert!(implicit("star:66", Ports::Rotation).is_some());
}
