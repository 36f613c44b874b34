use super::*;

#[derive(Debug)]
#[expect(dead_code, reason = "read by Debug")]
enum Msg {
    Elect(Box<Self>),
    Token(Id),
    AcceptAnswer,
    Arrive(u32, Id),
    Capture { level: u32, id: Id },
    Message1(Candidate),
    Maybe(Option<Id>, Vec<u8>),
}

#[derive(Debug)]
#[expect(dead_code, reason = "read by Debug")]
struct Id(u64);

#[derive(Debug)]
#[expect(dead_code, reason = "read by Debug")]
struct Candidate {
    id: Id,
    place: Id,
}

#[test]
fn a_message_is_its_kind_and_what_it_carries() {
    for (kind, msg, text) in [
        ("token", Msg::Token(Id(7)), "token(7)"),
        ("token", Msg::Elect(Box::new(Msg::Token(Id(7)))), "token(7)"),
        ("accept-answer", Msg::AcceptAnswer, "accept-answer"),
        ("arrive", Msg::Arrive(2, Id(30)), "arrive(2, 30)"),
        ("capture", Msg::Capture { level: 0, id: Id(5) }, "capture(level 0, id 5)"),
        (
            "message1",
            Msg::Message1(Candidate { id: Id(3), place: Id(0) }),
            "message1(id 3, place 0)",
        ),
        ("maybe", Msg::Maybe(Some(Id(3)), vec![1, 2]), "maybe(some(3), [1, 2])"),
        ("maybe", Msg::Maybe(None, vec![]), "maybe(none, [])"),
    ] {
        assert_eq!(message(kind, &msg), text);
    }
    let long = message("maybe", &Msg::Maybe(None, vec![100; 100]));
    assert!(long.chars().count() == LONGEST && long.ends_with('…'), "{long}");
}

#[test]
fn lines_are_broken_between_phrases_and_then_between_words() {
    let phrases = ["p1 gets token(2) of step 1", "follows", "halts"].map(str::to_owned);
    assert_eq!(wrapped(&phrases, 60), ["p1 gets token(2) of step 1 · follows · halts"]);
    assert_eq!(wrapped(&phrases, 40), ["p1 gets token(2) of step 1 · follows", "· halts"]);
    assert_eq!(wrapped(&phrases, 20), ["p1 gets token(2) of", "  step 1 · follows", "· halts"],);
}
