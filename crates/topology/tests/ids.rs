//! Identities from files.

use suffrage_process::{Id, NetworkClass};
use suffrage_topology::{FileOptions, IdError, Ids, Spec, Topology, read_from};

fn cities() -> Topology {
    let text = "New York,Oslo\nOslo,Router #5\n";
    read_from(text.as_bytes(), "cities.csv", FileOptions::default()).expect("a network")
}

fn unnamed(nodes: u32) -> Topology {
    Spec::Complete { nodes }.build(0).expect("a network")
}

fn read(text: &str, network: &Topology) -> Result<Vec<u64>, IdError> {
    let ids = Ids::read_from(text.as_bytes(), "ids.txt", network)?;
    Ok(ids.into_iter().map(Id::get).collect())
}

#[test]
fn ids_in_the_order_of_the_nodes() {
    let text = "\u{FEFF}# Three.\n 7 # the first\n\n0xfF\r\n00:00:00:00:01:00\n";
    assert_eq!(read(text, &unnamed(3)).unwrap(), [7, 255, 256]);
    assert_eq!(read(text, &cities()).unwrap(), [7, 255, 256]);
}

#[test]
fn ids_by_label_or_number() {
    let text = "Router #5 30\nNew York, 10\nOslo\t20 # the capital\n";
    assert_eq!(read(text, &cities()).unwrap(), [10, 20, 30]);
    assert_eq!(read("2 30\n0,10\n1\t20\n", &unnamed(3)).unwrap(), [10, 20, 30]);
}

#[test]
fn labels_follow_a_ring_that_is_oriented() {
    let text = "c d\na c\nb d\ne b\na e\n";
    let ring = read_from(text.as_bytes(), "ring.txt", FileOptions::default()).unwrap();
    let ring = ring.fit(NetworkClass::OrientedRing).unwrap();
    assert_eq!(read("a 1\nb 2\nc 3\nd 4\ne 5\n", &ring).unwrap(), [3, 4, 2, 5, 1]);
}

#[test]
fn errors_name_lines_and_values() {
    let three = unnamed(3);
    let cases: [(&str, &Topology, &str); 13] = [
        ("1\n2\n\n1\n", &three, "ids.txt:4: id 1 is already in line 1; ids must be unique"),
        ("16\n0x10\n3\n", &three, "ids.txt:2: id 0x10 is already in line 1; ids must be unique"),
        (
            "1\n2\n",
            &three,
            "ids.txt has 2 ids, the network has 3 nodes; the first without one is node 2",
        ),
        ("1\n2\n3\n4\n5\n", &three, "ids.txt has 5 ids, the network has 3 nodes"),
        ("", &three, "ids.txt has 0 ids, the network has 3 nodes; the first without one is node 0"),
        ("1\ntwo\n3\n", &three, "ids.txt:2: `two` is no id: a number (17, 0x11) or a MAC address"),
        (
            "18446744073709551616\n",
            &three,
            "ids.txt:1: id 18446744073709551616 is more than 2^64 - 1",
        ),
        ("1\n1 2\n", &three, "ids.txt:2: this line has a label before the id, line 1 has none"),
        ("0 1\n2\n", &three, "ids.txt:2: this line has no label before the id, line 1 has one"),
        ("0 1\n0 2\n", &three, "ids.txt:2: node 0 has an id already, in line 1"),
        ("3 1\n", &three, "ids.txt:1: the network has no node `3`"),
        ("Bergen 1\n", &cities(), "ids.txt:1: the network has no node `Bergen`"),
        (
            "Oslo 1\nNew York 2",
            &cities(),
            "ids.txt has 2 ids, the network has 3 nodes; the first without one is node Router #5",
        ),
    ];
    for (text, network, message) in cases {
        let said = read(text, network).unwrap_err().to_string();
        assert!(said.starts_with(message), "{text:?}: {said}");
    }
    let latin1 = Ids::read_from(&b"Z\xFCrich 1\n"[..], "ids.txt", &three).unwrap_err();
    assert!(latin1.to_string().starts_with("ids.txt:1: not UTF-8"));
    let missing = Ids::read_file("no/such/ids", &three).unwrap_err().to_string();
    assert!(missing.starts_with("cannot read no/such/ids: "), "{missing}");
}
