use super::*;

#[test]
fn a_name_is_found_and_an_unknown_one_is_not() {
    let mut names: NodeNames = ["Praha", "", "Brno"].into_iter().collect();
    assert_eq!(names.find("Plzeň"), None);
    names.push("Plzeň");
    assert_eq!(
        (0..4).map(|node| names.get(node)).collect::<Vec<_>>(),
        names.iter().collect::<Vec<_>>()
    );
    for (node, name) in (0..).zip(["Praha", "", "Brno", "Plzeň"]) {
        assert_eq!(names.find(name), Some(node));
    }
    assert_eq!(names.find("Bratislava"), None);
}
