use super::archive;

#[test]
fn a_member_of_an_archive_begins_at_an_even_place() {
    let members = [("one", b"x".to_vec()), ("another", b"yz".to_vec())];
    let expected = "!<arch>
one             1000000000  0     0     100644  1         `
x
another         1000000000  0     0     100644  2         `
yz";
    assert_eq!(String::from_utf8(archive(&members, 1_000_000_000)).unwrap(), expected);
}
