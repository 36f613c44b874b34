use super::*;
use serde_json::{Value, json};

fn report(state: Value) -> StatusReport {
    StatusReport {
        version: "1.2.3".to_owned(),
        heartbeat_ms: 50.0,
        lease_ms: 250.0,
        stop_ms: 0.0,
        stops_ms: [].into(),
        clock_bound_ppm: 10_000,
        longest_vacancy_ms: 253.0,
        state: serde_json::from_value(state).unwrap(),
    }
}

fn ms(ms: u64) -> Value {
    serde_json::to_value(Duration::from_millis(ms)).unwrap()
}

#[test]
fn it_shows_what_the_member_leads_and_the_leases_that_it_holds_and_owes() {
    let peer = |name: &str, held: Option<u64>, owed: Option<u64>| {
        json!({
            "name": name, "connected": true, "version": 1, "round_trip": ms(1),
            "last_heard": ms(20), "lease_held": held.map(ms), "lease_owed": owed.map(ms),
            "trouble": null,
        })
    };
    let office = |name: &str, here: bool, valid_for: Value| json!({ "name": name, "term": 7, "here": here, "valid_for": valid_for });
    let endless = serde_json::to_value(Duration::MAX).unwrap();
    let text = text(&report(json!({
        "name": "host-a", "cluster": "lab", "member": true, "clock_drift_ppm": 3,
        "offices": [
            office("db", true, ms(210)),
            office("elsewhere", false, Value::Null),
            office("lost", true, Value::Null),
            office("alone", true, endless),
        ],
        "members": [peer("host-b", Some(210), Some(240)), peer("host-c", None, Some(9))],
        "clients": [peer("web-1", None, None)],
    })));
    let tables = text.split_once("\n\n").unwrap().1;
    assert_eq!(
        tables,
        "leads  term  certain for                   command\n\
             db     7     210.0 ms                      -\n\
             lost   -     lost; its work has not ended\n\
             alone  7     without end                   -\n\
             \n\
             member  connected  version  round trip  heard      lease held  lease owed  trouble\n\
             host-b  yes        1        1.0 ms      20 ms ago  210.0 ms    240.0 ms    -\n\
             host-c  yes        1        1.0 ms      20 ms ago  -           9.0 ms      -\n\
             \n\
             client  connected  version  round trip  heard      lease held  lease owed  trouble\n\
             web-1   yes        1        1.0 ms      20 ms ago  -           -           -\n"
    );
    assert!(
        text.contains("10000 ppm; this one ran 3 ppm off the rate of its hardware at the start\n"),
        "{text}"
    );
}

#[test]
fn it_says_nothing_of_what_the_member_does_not_tell() {
    let text = text(&report(json!({ "name": "host-a" })));
    assert!(text.contains("may differ by 10000 ppm\n") && !text.contains("leads"), "{text}");
}
