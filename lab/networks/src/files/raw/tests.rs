use super::*;

#[test]
fn names_are_made_unique_by_their_ids() {
    let ids: NodeNames = ["1", "2", "3", "4"].into_iter().collect();
    let given = [(0, "A"), (1, "B"), (2, "A"), (3, " A\n[3] ")];
    let given = given.map(|(node, label)| (node, label.to_owned())).to_vec();
    let names = labels(ids, given);
    assert_eq!(
        names.iter().collect::<Vec<_>>(),
        ["A [1]", "B", "A [3] [3]", "A [3] [4]"],
        "a name that looks like one made unique is told apart as well"
    );
}
