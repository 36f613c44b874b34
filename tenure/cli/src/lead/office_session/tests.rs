use super::*;

const MILLI: u64 = 1_000_000;

fn at(ms: u64) -> Boottime {
    Boottime::from_nanos(ms * MILLI)
}

fn session() -> OfficeSession {
    OfficeSession::new("the member at m".to_owned())
}

/// Hears a message at this time, and returns what is to be done.
fn hear(session: &mut OfficeSession, ms: u64, message: MemberMessage) -> String {
    format!("{:?}", session.step(at(ms), SessionInput::Heard(message)))
}

fn leading() -> MemberMessage {
    MemberMessage::Leading { term: 7, release_ticket: None }
}

const fn valid(ping_ms: u64, for_ms: u64) -> MemberMessage {
    MemberMessage::Valid { ping: ping_ms * MILLI, for_ms }
}

/// A session that holds an office until 600 ms, which its guard knows.
fn holding() -> OfficeSession {
    let mut session = session();
    hear(&mut session, 100, leading());
    hear(&mut session, 400, valid(100, 500));
    session
}

#[test]
fn the_end_of_a_leadership_is_counted_from_the_ping_and_not_from_the_answer() {
    let mut session = session();
    let said = hear(&mut session, 100, leading());
    assert!(said.contains("Alive { ping: 100000000, unheard: false, command: None }"), "{said}");
    let won = session.step(at(400), SessionInput::Heard(valid(100, 500)));
    let [SessionOutput::Won { term: 7, until, release_ticket: None }] = won.as_slice() else {
        panic!("{won:?}")
    };
    assert_eq!(*until, at(600));
    let news = session.step(at(500), SessionInput::Heard(valid(450, 500)));
    let [SessionOutput::News(LeadershipNews::Valid(until))] = news.as_slice() else {
        panic!("{news:?}")
    };
    assert_eq!(*until, at(950));
}

#[test]
fn an_earlier_end_does_not_shorten_what_is_known() {
    let mut session = holding();
    let news = session.step(at(500), SessionInput::Heard(valid(100, 300)));
    let [SessionOutput::News(LeadershipNews::Valid(until))] = news.as_slice() else {
        panic!("{news:?}")
    };
    assert_eq!(*until, at(600));
}

#[test]
fn an_extension_is_unheard_until_the_guard_knows_of_it() {
    let mut session = holding();
    hear(&mut session, 500, valid(450, 500));
    let tell = |session: &mut OfficeSession| {
        format!("{:?}", session.step(at(510), SessionInput::Tell(CommandNews::RUNS)))
    };
    assert!(tell(&mut session).contains("unheard: true"));
    let confirmed = format!("{:?}", session.step(at(520), SessionInput::Confirm(at(950))));
    assert!(confirmed.contains("unheard: false"), "{confirmed}");
    // An older answer of the guard takes nothing back.
    session.step(at(530), SessionInput::Confirm(at(600)));
    assert!(tell(&mut session).contains("unheard: false"));
}

#[test]
fn what_is_to_end_before_its_end_is_known_is_told_after_it_was_won() {
    let mut session = session();
    hear(&mut session, 100, leading());
    assert_eq!(hear(&mut session, 200, MemberMessage::Stopping {}), "[]");
    let won = session.step(at(400), SessionInput::Heard(valid(100, 500)));
    let [SessionOutput::Won { .. }, SessionOutput::News(LeadershipNews::Stopping)] = won.as_slice()
    else {
        panic!("{won:?}")
    };
}

#[test]
fn only_a_refusal_that_may_change_is_tried_again() {
    let refused = |code| {
        let message = MemberMessage::Refused { code, why: "no".to_owned() };
        match session().step(at(1), SessionInput::Heard(message)).pop() {
            Some(SessionOutput::NotWon(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    assert!(refused(RefusalCode::NotWon).is_not_led());
    assert!(refused(RefusalCode::Impossible).is_usage());
    for (begun, message, why) in [
        (false, valid(1, 1), "it answers nonsense"),
        (true, MemberMessage::Over {}, "it leads no more"),
        (true, MemberMessage::Done {}, "it answers nonsense"),
    ] {
        let mut session = session();
        if begun {
            hear(&mut session, 1, leading());
        }
        let Some(SessionOutput::NotWon(error)) =
            session.step(at(2), SessionInput::Heard(message)).pop()
        else {
            panic!("{why}")
        };
        assert!(!error.is_usage() && !error.is_not_led());
        assert_eq!(error.to_string(), format!("the member at m is gone: {why}"));
    }
}

#[test]
fn a_member_that_is_gone_is_noticed_once() {
    let mut session = holding();
    let closed = |session: &mut OfficeSession| {
        format!("{:?}", session.step(at(500), SessionInput::Closed("it is".to_owned())))
    };
    assert_eq!(closed(&mut session), "[News(Gone)]");
    assert_eq!(closed(&mut session), "[]");
    assert_eq!(hear(&mut session, 510, valid(500, 500)), "[]");
}

#[test]
fn a_release_ends_with_its_answer_or_with_the_member() {
    for end in ["answer", "end"] {
        let mut session = holding();
        let said = format!("{:?}", session.step(at(500), SessionInput::Release));
        assert_eq!(said, "[Say(Release { to: None })]");
        // What was under way before.
        assert_eq!(hear(&mut session, 510, valid(500, 500)), "[]");
        let input = match end {
            "answer" => SessionInput::Heard(MemberMessage::Released {}),
            _ => SessionInput::Closed("it is".to_owned()),
        };
        assert_eq!(format!("{:?}", session.step(at(520), input)), "[Released]");
    }
}
