//! The specifications that are accepted, and the errors for all others.

use suffrage_networks::Spec;

const ALL: [&str; 18] = [
    "complete:5",
    "complete:4294967294",
    "ring:1",
    "ring:4294967294",
    "chordal:100:7",
    "path:10",
    "star:10",
    "tree:3:40",
    "tree:random:100",
    "grid:4x5",
    "torus:3x3",
    "hypercube:0",
    "hypercube:10",
    "regular:10:3",
    "erdos-renyi:100:0.05",
    "erdos-renyi:2000:0.0000125",
    "erdos-renyi:2000:1e-300",
    "barabasi-albert:100:2",
];

#[test]
fn a_specification_is_written_as_it_was_read() {
    for text in ALL {
        let spec: Spec = text.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(spec.to_string(), text);
        assert_eq!(spec.to_string().parse::<Spec>(), Ok(spec));
    }
    // A count may have an exponent; the specification has not.
    assert_eq!("complete:1e6".parse::<Spec>().unwrap().to_string(), "complete:1000000");
}

#[test]
fn implicit_networks_take_no_memory() {
    let clique = "complete:4294967294".parse::<Spec>().unwrap().build(0).unwrap();
    assert_eq!(clique.links(), 4_294_967_294 * 4_294_967_293 / 2);
    let ring = "ring:4294967294".parse::<Spec>().unwrap().build(0).unwrap();
    assert_eq!(ring.links(), 4_294_967_294);
}

#[test]
fn an_error_says_what_is_wrong_and_what_is_right() {
    let cases: [(&str, &[&str]); 43] = [
        ("", &["no network ``"]),
        ("5", &["no network `5`", "complete:N, ring:N"]),
        ("clomplete:5", &["`clomplete`", "did you mean `complete`?"]),
        ("erdos_renyi:5:0.1", &["did you mean `erdos-renyi`?"]),
        ("Grid:2x2", &["did you mean `grid`?"]),
        ("mobius:5", &["no network `mobius`; there are"]),
        ("complete", &["the number of nodes is missing", "complete:1000"]),
        ("complete:", &["the number of nodes is missing"]),
        ("complete:0", &["the number of nodes is 0", "from 1 to 4294967294", "complete:1000"]),
        ("complete:4294967295", &["from 1 to 4294967294"]),
        ("complete:99999999999999", &["`99999999999999`", "at most 4294967294"]),
        ("complete:-1", &["`-1`", "a whole number"]),
        ("complete:+1", &["`+1`", "a whole number"]),
        ("complete:1.5", &["`1.5`", "a whole number"]),
        ("complete:1e30", &["`1e30`", "at most 4294967294"]),
        ("complete:5:6", &["the form complete:N, as in complete:1000"]),
        ("ring:0", &["the number of nodes is 0"]),
        ("chordal:8", &["the form chordal:N:D, as in chordal:100:7"]),
        ("chordal:3:2", &["the number of nodes is 3", "from 4"]),
        ("chordal:8:1", &["the length of a chord is 1", "from 2 to 4"]),
        ("chordal:9:5", &["the length of a chord is 5", "from 2 to 4"]),
        ("path:0", &["the number of nodes is 0"]),
        ("star:0", &["the number of nodes is 0"]),
        ("tree:5", &["the form tree:K:N, as in tree:2:15"]),
        ("tree:0:5", &["the number of children is 0", "from 1"]),
        ("tree:2:0", &["the number of nodes is 0"]),
        ("tree:random", &["the form tree:random:N, as in tree:random:100"]),
        ("tree:random:0", &["the number of nodes is 0"]),
        ("grid:5", &["the form grid:RxC, as in grid:4x5"]),
        ("grid:0x5", &["the number of rows is 0"]),
        ("grid:5x", &["the number of columns is missing"]),
        ("torus:5x0", &["the number of columns is 0"]),
        ("hypercube:49", &["the dimension is 49", "from 0 to 48"]),
        ("regular:5:3", &["the degree is 3", "even"]),
        ("regular:5:5", &["the degree is 5", "from 2 to 4"]),
        ("regular:6:1", &["the degree is 1", "from 2 to 5"]),
        ("regular:0:0", &["the number of nodes is 0"]),
        ("erdos-renyi:5:1.5", &["the probability is 1.5", "more than 0 and at most 1"]),
        ("erdos-renyi:5:0", &["the probability is 0"]),
        ("erdos-renyi:5:NaN", &["the probability is NaN"]),
        ("erdos-renyi:5:often", &["the probability is `often`"]),
        ("barabasi-albert:5:5", &["a new node makes is 5", "from 1 to 4"]),
        ("barabasi-albert:5:0", &["a new node makes is 0"]),
    ];
    for (text, parts) in cases {
        let error = text.parse::<Spec>().expect_err(text).to_string();
        for part in parts {
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

/// Refused from the numbers alone: an attempt would take hours, or end the process.
#[test]
fn what_does_not_fit_in_memory_is_refused_before_it_is_made() {
    let too_large = [
        "chordal:1000000000:3",
        "path:4294967294",
        "star:2000000000",
        "tree:random:1000000000",
        "grid:65536x65536",
        "torus:4294967294x4294967294",
        "hypercube:31",
        "regular:100000000:4",
        "erdos-renyi:4294967294:0.5",
        "barabasi-albert:4294967294:4294967293",
    ];
    for text in too_large {
        let error = text.parse::<Spec>().expect_err(text).to_string();
        assert!(error.contains("the limit for a stored network is 8 GiB"), "{error}");
    }
}

/// Fields are public: what was not parsed is checked as well.
#[test]
fn building_checks_too() {
    for spec in [Spec::Complete { nodes: 0 }, Spec::Regular { nodes: 3, degree: 1 }] {
        assert!(spec.build(0).is_err());
    }
}

#[test]
fn a_network_that_is_hardly_ever_connected_is_given_up() {
    let spec: Spec = "erdos-renyi:1000:0.0001".parse().unwrap();
    let error = spec.build(1).unwrap_err().to_string();
    assert!(error.contains("ln(n)/n = 0.0069"), "{error}");
}

#[test]
fn a_family_has_a_network_of_every_size_that_is_possible() {
    let families = [
        "complete",
        "ring",
        "path",
        "star",
        "tree:3",
        "tree:random",
        "grid",
        "torus",
        "regular:2",
        "erdos-renyi:0.9",
        "barabasi-albert:1",
    ];
    for family in families {
        for nodes in 3..40 {
            let spec = Spec::of_family(family, nodes).unwrap();
            assert_eq!(spec.size().0, u64::from(nodes), "{spec}");
            assert_eq!(spec.build(1).unwrap().nodes(), nodes, "{spec}");
        }
        assert!(Spec::of_family(family, 0).is_err());
    }
    assert_eq!(Spec::of_family("grid", 13).unwrap(), Spec::Grid { rows: 1, columns: 13 });
    let refused = [
        ("grdi", "did you mean `grid`?"),
        ("tree", "tree:K:N"),
        ("regular", "regular:N:D"),
        ("ring:5", "ring:N"),
        ("hypercube", "a power of two"),
    ];
    for (family, part) in refused {
        let error = Spec::of_family(family, 10).expect_err(family).to_string();
        assert!(error.contains(part), "{error}");
    }
}
