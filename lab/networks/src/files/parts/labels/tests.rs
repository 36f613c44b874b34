use super::*;

#[test]
fn labels_belong_to_all_workers() {
    for workers in 1..9 {
        assert!((0..100).all(|label| owner(&format!("v{label}"), workers) < workers));
    }
    let owners: HashSet<u32> = (0..100).map(|label| owner(&format!("v{label}"), 4)).collect();
    assert_eq!(owners.len(), 4);
}
