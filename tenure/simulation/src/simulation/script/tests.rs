use super::*;

#[test]
fn scripts_are_read_as_they_are_written() {
    let text = r#"{"at":"1s","crash":{"peer":0}}
{"at":"1500ms","for":"1s","crash":{"peer":"leader","record":"lost"}}
{"at":"2s","for":"3s","flapping":"100ms","split":{"sides":[[0,1],["follower-2"]]}}
{"at":"4s","for":"1s","clock":{"peer":1,"ppm":-200}}
{"at":"4s","for":"1s","star":{"hub":"follower-1"}}
{"at":"4s","for":"1s","loss":{"percent":20}}
{"at":"5s","transfer":{"peer":"leader","to":"follower-1"}}
"#;
    assert_eq!(text.parse::<Script>().unwrap().to_string(), text);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let error = |text: &str| text.parse::<Script>().unwrap_err().to_string();
    assert_eq!(
        error("# fine\n{\"at\":\"1s\"}"),
        "line 2: there is no fault, as in \"crash\": {\"peer\": 0}"
    );
    assert_eq!(error("{\"crash\":{\"peer\":0}}"), "line 1: \"at\" is missing: when it begins");
    assert_eq!(
        error("{\"at\":\"1s\",\"fro\":\"1s\",\"crash\":{\"peer\":0}}"),
        "line 1: one fault a line, not crash and fro"
    );
    assert!(error("{\"at\":\"1s\",\"crash\":{\"peer\":\"boss\"}}").contains("no participant"));
    assert!(error("{\"at\":\"1s\",\"crash\":{\"peer\":0,\"hard\":1}}").contains("hard"));
    assert!(error("{\"at\":1,\"crash\":{\"peer\":0}}").contains("no duration"));
}

#[test]
fn what_does_not_fit_the_cluster_is_refused() {
    let check = |line: &str| line.parse::<Entry>().unwrap().check(5, 3).unwrap_err();
    assert!(check(r#"{"at":"1s","crash":{"peer":5}}"#).contains("no participant 5"));
    assert!(check(r#"{"at":"1s","crash":{"peer":"follower-3"}}"#).contains("no follower-3"));
    assert!(check(r#"{"at":"1s","flapping":"1s","loss":{"percent":3}}"#).contains("flapping"));
    assert!(check(r#"{"at":"1s","loss":{"percent":101}}"#).contains("more than all"));
}
