//! Identities from files.

use std::io::Write;
use suffrage_model::{Id, NetworkClass};
use suffrage_networks::{FileOptions, IdError, IdNote, Ids, Spec, Topology, read_from};

fn cities() -> Topology {
    let text = "New York,Oslo\nOslo,Router #5\n";
    read_from(text.as_bytes(), "cities.csv", FileOptions::default()).expect("a network")
}

fn unnamed(nodes: u32) -> Topology {
    Spec::Complete { nodes }.build(0).expect("a network")
}

fn read(text: &str, network: &Topology) -> Result<Vec<u64>, IdError> {
    let ids = Ids::read_from(text.as_bytes(), "ids.txt", network)?;
    Ok(ids.ids().iter().map(|id| id.get()).collect())
}

#[test]
fn ids_in_the_order_of_the_nodes() {
    let text = "\u{FEFF}# Three.\n 7 # the first\n\n0xfF\r\n00:00:00:00:01:00\n";
    assert_eq!(read(text, &unnamed(3)).unwrap(), [7, 255, 256]);
    assert_eq!(read(text, &cities()).unwrap(), [7, 255, 256]);
}

/// As files of networks may be: packed, in other encodings, with any ends of lines.
#[test]
fn ids_are_read_from_any_text() {
    let text = "3\n1\n2\n";
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    let pairs: Vec<u8> =
        format!("\u{FEFF}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let texts =
        [text.replace('\n', "\r").into_bytes(), pairs, packed.finish().unwrap(), text.into()];
    for text in texts {
        let ids = Ids::read_from(text.as_slice(), "ids.txt", &unnamed(3)).unwrap();
        assert_eq!(ids.ids(), [3, 1, 2].map(Id::new), "{text:?}");
    }
    let error = Ids::read_from(&b"PK\x03\x04\0"[..], "ids.xlsx", &unnamed(3)).unwrap_err();
    assert!(error.to_string().starts_with("ids.xlsx: this is a zip archive"), "{error}");
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
fn ids_are_shown_as_they_are_written() {
    let text = "00-1B-21-3A-BC-DE\n0x0A\n007\n";
    let ids = Ids::read_from(text.as_bytes(), "ids.txt", &unnamed(3)).unwrap();
    assert_eq!([0, 1, 2].map(|node| ids.written(node)), ["00-1B-21-3A-BC-DE", "0x0A", "007"]);
    assert_eq!(ids.notes(), []);
}

#[test]
fn serial_numbers_with_letters_are_ordered_as_strings() {
    let text = "Oslo SN-010\nNew York SN-002\nRouter #5 SN-100\n";
    let ids = Ids::read_from(text.as_bytes(), "ids.txt", &cities()).unwrap();
    assert_eq!(ids.ids(), [1, 2, 3].map(Id::new));
    assert_eq!([0, 1, 2].map(|node| ids.written(node)), ["SN-002", "SN-010", "SN-100"]);
    assert_eq!(ids.notes(), [IdNote::Ranks]);
}

/// If nodes have labels and lines have none, a note names the node that gets the first identity.
#[test]
fn the_order_of_the_lines_is_noted() {
    let ids = Ids::read_from(&b"1\n2\n3\n"[..], "ids.txt", &cities()).unwrap();
    assert_eq!(ids.notes(), [IdNote::InOrder { first: "New York".to_owned() }]);
    assert_eq!(
        ids.notes()[0].to_string(),
        "ids go to the nodes in the order in which the network first names them, the first to New \
         York; lines `LABEL ID` say whose each is"
    );
}

#[test]
fn a_list_without_a_network_may_have_labels() {
    let path = std::env::temp_dir().join(format!("suffrage-ids-{}", std::process::id()));
    std::fs::write(&path, "host 7 SN-2\nhost 8 SN-1\n").unwrap();
    let ids = Ids::read_list(&path).unwrap();
    assert_eq!((ids.ids()[0].get(), ids.label(0), ids.written(0)), (2, Some("host 7"), "SN-2"));
    std::fs::write(&path, "a 1\na 2\n").unwrap();
    let error = Ids::read_list(&path).unwrap_err().to_string();
    std::fs::remove_file(&path).unwrap();
    assert!(error.ends_with(":2: node a has an id already, in line 1"), "{error}");
}

#[test]
fn errors_name_lines_and_values() {
    let three = unnamed(3);
    let cases: [(&str, &Topology, &str); 16] = [
        ("1\n2\n\n1\n", &three, "ids.txt:4: id 1 is already in line 1; ids must be unique"),
        ("16\n0x10\n3\n", &three, "ids.txt:2: id 0x10 is already in line 1; ids must be unique"),
        (
            "1\n2\n",
            &three,
            "ids.txt has 2 ids, the network has 3 nodes; the first without one is node 2",
        ),
        ("1\n2\n3\n4\n5\n", &three, "ids.txt has 5 ids, the network has 3 nodes"),
        ("", &three, "ids.txt has 0 ids, the network has 3 nodes; the first without one is node 0"),
        (
            "1\ntwo\n3\n",
            &three,
            "ids.txt:2: `two` is no id; write a number (17, 0x11), a MAC address",
        ),
        ("1.5\n2\n3\n", &three, "ids.txt:1: `1.5` is no id"),
        (
            "SN-9\nSN-10\nSN-11\n",
            &three,
            "ids.txt:2: `SN-10` has another form than `SN-9` in line 1",
        ),
        (
            "SN-1\nSN-2\nSN-1\n",
            &three,
            "ids.txt:3: id SN-1 is already in line 1; ids must be unique",
        ),
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
