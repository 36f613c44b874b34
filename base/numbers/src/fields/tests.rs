use super::*;
use serde::de::DeserializeOwned;
use std::num::NonZero;

fn refused<T: DeserializeOwned>(json: &str) -> String {
    let error = serde_json::from_str::<T>(json).err().expect("it is refused");
    let words = in_words(error);
    words.split(" at line ").next().unwrap_or_default().to_owned()
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its errors matter")]
enum Kinds {
    One,
    Two { number: u32 },
}

#[derive(serde::Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its errors matter")]
enum Either {
    Number(u32),
    Text(String),
}

#[test]
fn no_error_has_the_types_of_a_program() {
    let said = [
        refused::<u32>("\"x, expected u32 at line 5\""),
        refused::<u8>("300"),
        refused::<Vec<NonZero<u16>>>("[0]"),
        refused::<u64>("1.5"),
        refused::<f64>("true"),
        refused::<bool>("1"),
        refused::<String>("[1]"),
        refused::<Vec<u32>>("{}"),
        refused::<(u32, u32)>("[1]"),
        refused::<(u32, u32)>("null"),
        refused::<[u32; 1]>("1"),
        refused::<std::collections::BTreeMap<String, u32>>("3"),
        refused::<Kinds>("{\"two\": [[]]}"),
        refused::<Kinds>("\"three\""),
        refused::<Kinds>("{\"two\": 3}"),
        refused::<Either>("null"),
    ];
    assert_eq!(
        said,
        [
            "write a whole number from 0 to 4294967295, and not the text \"x, expected u32",
            "write a whole number from 0 to 255, and not 300",
            "write a whole number from 1 to 65535, and not 0",
            "write a whole number from 0 to 18446744073709551615, and not 1.5",
            "write a number, and not true",
            "write true or false, and not 1",
            "write a text, and not a list",
            "write a list, and not a table",
            "write a list of 2 values, and not 1 value",
            "write a list of 2 values, and not null",
            "write a list of 1 value, and not 1",
            "write a table, and not 3",
            "write a whole number from 0 to 4294967295, and not a list",
            "unknown name `three`, expected `one` or `two`",
            "write a table, and not 3",
            "it has none of the forms that are read",
        ]
    );
}

#[test]
fn keys_are_told_apart_at_any_depth() {
    let read = |text: &str| serde_json::from_str::<DistinctKeys>(text);
    for text in ["1", "null", "[{}, {}]", "{\"a\": {\"a\": [true, -1, 0.5, \"a\"]}}"] {
        assert!(read(text).is_ok(), "{text}");
    }
    // An escape is another way to write the same key.
    for text in ["{\"a\": 1, \"b\": 2, \"\\u0061\": 3}", "[[{\"x\": {\"a\": 1, \"a\": 1}}]]"] {
        let error = read(text).expect_err(text).to_string();
        assert!(error.starts_with("the key `a` is there twice at line 1"), "{text}: {error}");
    }
}
