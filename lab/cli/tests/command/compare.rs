//! `suffrage compare`.

use crate::common::line;
use serde_json::Value;

fn rows(words: &str) -> Vec<Value> {
    let said = line(&format!("compare {words} --format json"));
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{words}");
    serde_json::from_str(&said.out).unwrap()
}

#[test]
fn threads_change_nothing() {
    for layout in ["table", "csv", "json"] {
        let with = |threads: u32| {
            line(&format!(
                "compare --nodes 8,20 --trials 12 --schedule uniform:6 --ports random \
                 --threads {threads} --format {layout}"
            ))
            .out
        };
        assert_eq!(with(1), with(2));
        assert_eq!(with(1), with(5));
    }
}

#[test]
fn a_row_is_the_summary_of_elect() {
    let row = &rows("--algorithms humblet --nodes 50 --trials 7 --schedule uniform:4")[0];
    let said = line("elect humblet --nodes 50 --trials 7 --schedule uniform:4 --format json");
    let summary: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(row["messages"], summary["messages"]);
    assert_eq!(row["time"], summary["time"]);
    assert_eq!(row["bound"]["ratio"], summary["bound"]["ratio"]);
    assert_eq!(row["time_bound"], summary["time_bound"]);
    let (units, most) = (&row["time_bound"]["units"], &row["time_bound"]["most"]);
    assert!(units.as_u64() > Some(0) && units.as_u64() <= most.as_u64(), "{row}");
}
