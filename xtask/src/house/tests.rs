use super::*;

/// The limits of the crate `a`: a hundred lines, and nothing else.
const LIMITS: &str = "circle = 0\nnames = 0\nlong = 0\n\n[lines]\n\"a\" = 100\n";

/// The state of a crate `a` with these files below its folder.
fn house(files: &[(&str, &str)]) -> House {
    let files = files.iter().map(|&(path, text)| (format!("a/{path}"), text.to_owned()));
    House::of(&Sources::new(files.chain([("a/Cargo.toml".to_owned(), String::new())])))
}

/// Holds a crate `a` with these files, and one without contents, to limits.
fn excesses(files: &[(&str, &str)], budget: &str) -> Vec<String> {
    let files: Vec<_> = files.iter().copied().chain([("src/lib.rs", "")]).collect();
    house(&files).excesses(&toml_edit::de::from_str(budget).unwrap())
}

/// Asserts that some files are above a limit once, that the line has these words, and that a limit that is
/// higher by `more` allows the files.
fn assert_excess(files: &[(&str, &str)], words: &[&str], limit: (&str, &str)) {
    let found = excesses(files, LIMITS);
    assert_eq!(found.len(), 1, "{found:?}");
    for word in words.iter().chain(&["the limit is", BUDGET]) {
        assert!(found[0].contains(word), "no {word} in {found:?}");
    }
    assert!(LIMITS.contains(limit.0));
    assert_eq!(excesses(files, &LIMITS.replace(limit.0, limit.1)), [""; 0]);
}

#[test]
fn a_circle_is_found() {
    let one = ("src/one.rs", "use crate::{deep::{two::B as Other}, three};\npub struct A;\n");
    let two = ("src/deep/two.rs", "pub struct B(super::super::one::A);\n");
    let words = ["2 files", "a/src/one.rs", "a/src/deep/two.rs"];
    assert_excess(&[one, two], &words, ("circle = 0", "circle = 2"));
}

#[test]
fn every_circle_that_is_too_large_has_a_line() {
    let files = [
        ("src/a.rs", "use super::b::B;\npub struct A;\n"),
        ("src/b.rs", "use super::a::A;\npub struct B;\n"),
        ("src/c.rs", "use crate::d;\npub struct C;\n"),
        ("src/d/mod.rs", "use self::e::*;\npub struct D;\n"),
        ("src/d/e.rs", "fn f() -> crate::c::C { crate::c::C }\n"),
    ];
    let found = excesses(&files, LIMITS);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("3 files") && found[0].contains("a/src/d/mod.rs"), "{found:?}");
    assert_eq!(excesses(&files, &LIMITS.replace("circle = 0", "circle = 2")).len(), 1);
}

#[test]
fn reexports_and_tests_and_comments_close_no_circle() {
    let parent = "pub use self::inner::Other;\nuse self::inner::Inner;\nstruct Parent(Inner);\n";
    let circles = |inner: &str| {
        house(&[("src/parent.rs", parent), ("src/parent/inner.rs", inner)]).circles.len()
    };
    let inner = "pub struct Inner;\npub struct Other;\n";
    assert_eq!(circles(&format!("{inner}use super::{{Other, Parent}};\n")), 1);
    for line in [
        "use super::Other;",
        "pub(super) use super::Parent;",
        "// crate::parent::Parent",
        "#[cfg(test)]\nmod tests {\n    use crate::parent::Parent;\n}",
    ] {
        assert_eq!(circles(&format!("{inner}{line}\n")), 0, "{line}");
    }
}

#[test]
fn a_type_name_in_several_files_is_found() {
    let one = ("src/one.rs", "pub(crate) struct Twice;\nstruct Args;\nenum Once {}\n");
    let two = ("src/two.rs", "mod inner {\n    trait Twice {}\n}\nstruct Args;\n");
    let tests = ("src/three.rs", "#[cfg(test)]\nmod tests {\n    struct Once;\n}\n");
    let words = ["1 type names", "`Twice` (a/src/one.rs, a/src/two.rs)"];
    assert_excess(&[one, two, tests], &words, ("names = 0", "names = 1"));
}

#[test]
fn a_long_function_is_found() {
    let text = |lines| format!("    pub(crate) async fn f() {{{}    }}\n", "\n".repeat(lines));
    assert_eq!(excesses(&[("src/one.rs", &text(LONGEST))], LIMITS), [""; 0]);
    let words = ["1 functions", "`f` (a/src/one.rs, 76 lines)"];
    let above = text(LONGEST + 1);
    assert_excess(&[("src/one.rs", &above)], &words, ("long = 0", "long = 1"));
}

#[test]
fn lines_are_counted_without_tests_and_examples() {
    let sixty = "\n".repeat(60);
    let left_out =
        ["tests/a.rs", "src/tests.rs", "benches/b.rs", "examples/e/f.rs", "docs/g.rs", "build.rs"];
    let mut files = left_out.map(|path| (path, sixty.as_str())).to_vec();
    files.push(("src/one.rs", &sixty));
    assert_eq!(excesses(&files, LIMITS), [""; 0]);
    files.push(("src/two.rs", &sixty));
    assert_excess(&files, &["lines.\"a\"", "120 lines"], ("= 100", "= 120"));
}

#[test]
fn a_crate_has_a_limit_and_a_limit_has_a_crate() {
    let found = excesses(&[], &LIMITS.replace("\"a\"", "\"b\""));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].contains("states no limit") && found[1].contains("no such crate"),
        "{found:?}"
    );
}

#[test]
fn limits_are_lowered_and_never_raised() {
    let figures = house(&[("src/one.rs", &"\n".repeat(51))]).figures();
    let budget = "# Why.\ncircle = 3\nnames = 0\nlong = 0\n[lines]\n\"a\" = 170\n\"gone\" = 5\n";
    let expected = "# Why.\ncircle = 0\nnames = 0\nlong = 0\n[lines]\n\"a\" = 100\n";
    assert_eq!(lowered(budget, &figures).unwrap(), expected);
    let low = budget.replace("170", "40").replace("\"gone\" = 5\n", "");
    assert_eq!(lowered(&low, &figures).unwrap(), low.replace("circle = 3", "circle = 0"));
}

#[test]
fn what_states_no_limit_is_named() {
    for (wrong, what) in [
        ("circles = 3\n", "circles"),
        (&LIMITS.replace("= 100", "= many"), "line 6"),
        (&format!("long = 4\n{LIMITS}"), "duplicate key"),
    ] {
        let error = lowered(wrong, &house(&[]).figures()).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}
