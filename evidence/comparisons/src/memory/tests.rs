use super::*;

#[test]
fn every_record_is_accessed_once() {
    let mut memory = RecordMemory::new(1000);
    assert_eq!([memory.touch(), memory.touch()], [2000, 3000]);
    assert!(memory.records.iter().all(|record| record[0] == 3));
    assert!(!memory.order.is_sorted());
}
