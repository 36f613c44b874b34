//! What docs/reference says of the protocol is what these types are.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p tenure-cli --lib messages
//! ```
//!
//! writes the schema, after a change that is meant.

use super::*;
use schemars::SchemaGenerator;
use serde_json::{Value, json};
use std::fs;

const REFERENCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/");

#[test]
fn the_schema_is_that_of_the_types() {
    let mut generator = SchemaGenerator::default();
    let sides = [
        generator.subschema_for::<ClientMessage>().to_value(),
        generator.subschema_for::<MemberMessage>().to_value(),
    ];
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The local protocol of Tenure, version 1: a message of a program, or of a member",
        "anyOf": sides,
        "$defs": generator.take_definitions(true),
    });
    let path = format!("{REFERENCE}local-protocol.schema.json");
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        return fs::write(path, text).unwrap();
    }
    let written: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert!(written == schema, "write it again with UPDATE_GOLDEN=1");
}

#[test]
fn the_specification_has_messages_of_the_protocol_and_all_of_them() {
    let text = fs::read_to_string(format!("{REFERENCE}local-protocol.md")).unwrap();
    let examples = text.split('`').skip(1).step_by(2).filter(|it| it.starts_with("{\""));
    let examples: Vec<_> =
        examples.filter(|it| !it.contains("..") && !it.contains("running")).collect();
    assert!(examples.len() > 20);
    for example in examples {
        let read = serde_json::from_str::<ClientMessage>(example).is_ok()
            || serde_json::from_str::<MemberMessage>(example).is_ok();
        assert!(read, "{example}");
    }
    let defs = fs::read_to_string(format!("{REFERENCE}local-protocol.schema.json")).unwrap();
    let defs: Value = serde_json::from_str::<Value>(&defs).unwrap()["$defs"].take();
    for side in ["ClientMessage", "MemberMessage"] {
        for kind in defs[side]["oneOf"].as_array().unwrap() {
            let name = kind["required"][0].as_str().unwrap();
            assert!(
                text.contains(&format!("{{\"{name}\":")) || text.contains(&format!("`{name}`")),
                "{name}"
            );
        }
    }
}
