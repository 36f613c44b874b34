#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::*;

const LOG: &str = "\
    start 5 a 1000000 0\n\
    hold 5 a 1050000 10.00 10.250000000\n\
    write 5 a 1050000\n\
    start 9 b 1400000 0\n\
    write 9 b 1400000\n\
    end 1410000\n";
const A: &str = r#"{"fields":{"message":"leads db-primary in term 5"}}"#;
const B: &str = r#"{"fields":{"message":"leads db-primary in term 9"}}"#;

const KEPT: Promises =
    Promises { clocks_beyond: false, longest: 2000, restarts: false, takes_back: false };

/// What commands have traced, and the logs of the members.
fn events(trace: &str, logs: [(&str, &str); 2]) -> RunEvents {
    let mut events = RunEvents::default();
    events.trace(trace).unwrap();
    logs.into_iter().for_each(|(member, log)| events.log(member, log));
    events
}

fn judged(log: &str, promises: Promises) -> RunHistory {
    RunHistory::of(&events(log, [("a", A), ("b", B)]), promises)
}

/// What is broken if these lines are added.
fn broken(lines: &str) -> Vec<String> {
    judged(&format!("{LOG}{lines}"), KEPT).broken
}

#[test]
fn a_history_that_keeps_the_promises_is_counted() {
    let history = judged(LOG, KEPT);
    assert_eq!(history.broken, [""; 0]);
    assert_eq!((history.tenures, history.writes, history.refused), (2, 2, 0));
    assert_eq!(history.vacancies, [350 * MILLI]);
}

#[test]
fn a_value_is_that_of_a_leader_not_older_than_the_one_that_the_follower_knew() {
    assert_eq!(
        broken("value 5 a 1500000 a c\nvalue 5 a 1500000 b c\nvalue 9 b 1500000 b c\n"),
        [""; 0]
    );
    assert!(broken("value 9 b 1500000 a c\n")[0].contains("c asked for the value of term 9 of b"));
    assert!(broken("value 5 a 1500000 d c\n")[0].ends_with("was told that of d"));
}

#[test]
fn followers_on_other_hosts_know_the_next_value_some_time_after_a_fault() {
    let known = "value 9 b 1450000 b a\nvalue 5 a 1420000 b c\nvalue 9 b 1460000 b c\nvalue 9 b 1470000 b c\n";
    let history = judged(&format!("{LOG}fault 1300000 1410000 0 moves crash on a\n{known}"), KEPT);
    assert_eq!(history.broken, [""; 0]);
    assert_eq!(history.knew, BTreeMap::from([("crash".to_owned(), vec![160])]));
    assert!(history.to_string().contains("crash, 1 times: a follower knew"), "{history}");
}

#[test]
fn a_command_beside_another_breaks_a_promise_but_for_clocks_beyond_their_bound() {
    let beside = "overlap 9 b 1400000\nrefused 5 a 1410000\n";
    assert!(broken(beside)[0].contains("two commands lived at once: term 9 of b"));
    let beyond = Promises { clocks_beyond: true, ..KEPT };
    assert_eq!(judged(&format!("{LOG}{beside}"), beyond).broken, [""; 0]);
}

/// A history in which the second command started beside another, with a line of its member's or its guard's
/// log, and more of the commands' trace.
fn beside(line: &str, more: &str) -> RunHistory {
    let trace = format!("{LOG}overlap 9 b 1400000\n{more}");
    RunHistory::of(&events(&trace, [("a", &format!("{A}\n{line}\n")), ("b", B)]), KEPT)
}

fn outlived(term: u64, by: &str) -> String {
    format!("the command outlived its leadership of db-primary in term {term} by {by}: another one")
}

#[test]
fn a_command_whose_guard_came_too_late_and_said_so_is_counted() {
    let member = |term| format!(r#"{{"fields":{{"message":"{}"}}}}"#, outlived(term, "3.1ms"));
    // The member was killed, and its guard is left.
    let guard = |term| format!("tenure: {}", outlived(term, "3.1ms"));
    for line in [&member as &dyn Fn(u64) -> String, &guard] {
        let told = beside(&line(5), "");
        assert_eq!((told.broken.len(), told.overlaps, told.logged), (0, 1, 1));
        // It must be the one before.
        let other = beside(&line(4), "");
        assert_eq!((other.broken.len(), other.logged), (1, 0));
    }
}

#[test]
fn a_command_that_outlived_its_leadership_is_forgiven_only_what_that_explains() {
    let guard = |by| format!("tenure: {}", outlived(5, by));
    let late = beside(&guard("1.000001s"), "");
    assert!(late.broken[0].contains("outlived its leadership by 1.000001s"), "{:?}", late.broken);
    assert_eq!(beside(&guard("999ms"), "").broken, [""; 0]);
    // Its guard and its program stood still.
    let stood = "fault 1300000 2300000 0 moves stop program-and-guard on host-1\n";
    assert_eq!(beside(&guard("1.999s"), stood).broken, [""; 0]);
    assert_eq!(beside(&guard("2.001s"), stood).broken.len(), 1);

    // It was dead 3.1 ms after the end of its leadership, and the other one began after that.
    for (sign, alive) in [("hold 5 a 1403101 10.40 10.25", true), ("refused 5 a 1403100", false)] {
        let told = beside(&guard("3.1ms"), &format!("{sign}\n"));
        assert_eq!(!told.broken.is_empty(), alive, "{sign}: {:?}", told.broken);
        assert!(told.broken.iter().all(|why| why.contains("did something 3101 us after")));
    }

    let logged = |time: &str| {
        let message = outlived(5, "3.1ms");
        let line = format!(
            r#"{{"timestamp":"1970-01-01T00:00:{time}Z","fields":{{"message":"{message}"}}}}"#
        );
        beside(&line, "").broken
    };
    assert_eq!(logged("01.400000"), [""; 0]);
    assert!(
        logged("01.399999")[0].contains("after term 5 of a (1000000 us) had been logged as late")
    );
}

#[test]
fn a_leadership_that_is_certain_after_a_newer_one_began_breaks_a_promise() {
    let certain = "hold 5 a 1400001 10.40 10.500000000\n";
    assert!(broken(certain)[0].contains("two led at once: term 5 of a"));
    // Its lease is over: it is told so.
    assert_eq!(broken("hold 5 a 1400001 10.40 10.250000000\n"), [""; 0]);
}

#[test]
fn an_older_term_after_a_newer_one_breaks_a_promise() {
    assert!(broken("write 5 a 1500000\n")[0].contains("the register took term 5 after 9"));
    let back = broken("start 5 a 1500000 0\n");
    assert!(back.iter().any(|why| why.contains("terms do not grow")), "{back:?}");
}

#[test]
fn a_term_has_one_leader_and_what_starts_was_won() {
    let stolen = broken("start 9 a 1500000 0\n");
    assert!(stolen.iter().any(|why| why.contains("term 9 has two leaders")), "{stolen:?}");
    let never = broken("start 12 a 1500000 0\n");
    assert!(never.iter().any(|why| why.contains("no log says that it won")), "{never:?}");
}

#[test]
fn what_members_tell_is_what_was_won() {
    let told = |leader: &str| {
        let mut events = events(LOG, [("a", A), ("b", B)]);
        let view = format!("{{\"office\":\"db-primary\",\"leader\":\"{leader}\",\"term\":9}}\n");
        events.watch(&view);
        RunHistory::of(&events, KEPT).broken
    };
    assert_eq!(told("b"), [""; 0]);
    assert!(told("a")[0].contains("term 9 has two leaders: b, term 9 of a"));
}

/// What is broken if a vacancy of 350 ms, after a command that gave a sign each 50 ms, may last for this long.
fn vacant(longest: u64, lines: &str) -> Vec<String> {
    judged(&format!("{LOG}{lines}"), Promises { longest, ..KEPT }).broken
}

#[test]
fn a_vacancy_has_a_bound() {
    assert_eq!(vacant(300, ""), [""; 0]);
    let broken = vacant(299, "");
    assert!(broken[0].contains("vacant for 350 ms before term 9 of b"), "{broken:?}");
    assert!(broken[0].contains("where 349 ms are allowed"), "{broken:?}");
}

#[test]
fn a_vacancy_may_last_longer_by_what_a_fault_adds_and_by_waits_meanwhile() {
    for during in
        ["fault 900000 1100000 100 moves slow disks\n", "waits 1000000 1100000 60000 40000\n"]
    {
        assert_eq!(vacant(200, during), [""; 0], "{during}");
        assert_eq!(vacant(199, during).len(), 1, "{during}");
    }
    for before_or_after in
        ["fault 900000 1050000 100 moves a\n", "waits 1400000 1500000 60000 40000\n"]
    {
        assert_eq!(vacant(200, before_or_after).len(), 1, "{before_or_after}");
    }
    let prolonged = |during: &str| {
        judged(&format!("{LOG}{during}"), Promises { longest: 200, ..KEPT }).prolonged
    };
    assert_eq!(prolonged("fault 900000 1100000 100 moves slow disks\n"), 0);
    assert_eq!(prolonged("waits 1000000 1100000 60000 40000\n"), 1);
    // For what its own command waited.
    let late = LOG.replace("b 1400000 0", "b 1400000 100000");
    assert_eq!(judged(&late, Promises { longest: 200, ..KEPT }).broken, [""; 0]);
}

#[test]
fn a_vacancy_at_the_end_of_the_run_breaks_a_promise_and_a_run_has_an_end() {
    let end = |end: &str| judged(&LOG.replace("end 1410000\n", end), KEPT).broken;
    assert_eq!(end("end 3400000\n"), [""; 0]);
    assert!(end("end 3402000\n")[0].contains("vacant for 2002 ms at the end of the run"));
    assert!(end("")[0].contains("has not come to the end"));
}

/// Two tenures. The first one is lost 1 s after it began, during a fault.
fn deposed(fault: &str, waits: &str) -> RunHistory {
    let log = format!(
        "start 5 a 1000000 0\nhold 5 a 2000000 11.00 11.250000000\nstart 9 b 2300000 0\n\
         hold 9 b 3000000 12.00 12.250000000\n{fault} a chain\n{waits}end 3000000\n"
    );
    judged(&log, KEPT)
}

#[test]
fn a_leader_survives_what_it_can_unless_members_did_not_run() {
    let kept = |fault: &str, waits: &str| {
        let RunHistory { broken, survived, starved, .. } = deposed(fault, waits);
        (broken.len(), survived, starved)
    };
    let broken = deposed("fault 1500000 2500000 0 100", "").broken;
    assert!(broken[0].contains("deposed that a majority hears: term 5 of a"), "{broken:?}");
    assert!(broken[0].contains("a chain; members waited for processors for 0 us"), "{broken:?}");
    // It need not, or has not begun, or another one has lost it before.
    assert_eq!(kept("fault 1500000 2500000 0 moves", ""), (0, 0, 0));
    assert_eq!(kept("fault 1200000 2500000 0 100", ""), (0, 0, 0));
    assert_eq!(kept("fault 2100000 2500000 0 100", ""), (0, 0, 0));
    // The other one has held it for long enough.
    assert_eq!(kept("fault 2600000 3000000 0 100", ""), (0, 1, 0));

    let fault = "fault 1500000 2500000 0 100";
    let waits = |from: u64, waited: u64| format!("waits {from} {} {waited} 0\n", from + 50_000);
    // Within a lease, and just before.
    assert_eq!(kept(fault, &(waits(2_000_000, 50_000) + &waits(2_240_000, 50_000))), (0, 0, 1));
    assert_eq!(kept(fault, &(waits(2_000_000, 50_000) + &waits(2_250_000, 50_000))), (1, 0, 0));
    assert_eq!(kept(fault, &waits(1_200_000, 200_000)), (1, 0, 0));
    let (later, less) = ("fault 1500000 2500000 0 51", waits(2_000_000, 50_000));
    assert_eq!(kept(later, &less), (1, 0, 0));
    assert_eq!(kept(&later.replace("51", "50"), &less), (0, 0, 1));
}

#[test]
fn histories_add_up() {
    let mut all = judged(LOG, KEPT);
    all.add(beside(&format!("tenure: {}", outlived(5, "3.1ms")), "refused 5 a 1401000\n"));
    let all = all.to_string();
    assert!(
        all.starts_with(
            "4 tenures, 4 writes, 1 refused, 1 commands beside another (1 of them logged as late)"
        ),
        "{all}"
    );
}

#[test]
fn an_office_is_not_vacant_while_an_older_leader_goes_on() {
    let both = "\
        start 5 a 1000000 0\n\
        start 9 b 1400000 0\n\
        hold 5 a 8900000 18.00 18.250000000\n\
        start 12 c 9000000 0\n";
    let history = judged(both, Promises { clocks_beyond: true, ..KEPT });
    assert_eq!(history.vacancies, [400 * MILLI, 100 * MILLI]);
}

#[test]
fn a_command_is_started_again_in_its_term_where_it_may_be() {
    let again = "start 9 b 1405000 0\n";
    assert!(broken(again)[0].contains("terms do not grow: term 9 of b"));
    let history = judged(&format!("{LOG}{again}"), Promises { restarts: true, ..KEPT });
    assert_eq!(history.broken, [""; 0]);
    // No other host led meanwhile.
    assert_eq!(history.vacancies, [350 * MILLI]);
    let older = judged(&format!("{LOG}start 5 a 1405000 0\n"), Promises { restarts: true, ..KEPT });
    assert!(older.broken[0].contains("terms do not grow"), "{:?}", older.broken);
}

#[test]
fn when_all_should_be_well_each_member_says_who_leads() {
    assert_eq!(broken("view 1405000 a b 9\nview 1390000 b a 5\n"), [""; 0]);
    assert_eq!(broken("view 1405000 a b 5\n"), ["a tells of b in term 5, not of b in term 9"]);
    assert_eq!(broken("view 1405000 a a 9\n"), ["a tells of a in term 9, not of b in term 9"]);
    let none = "view 1405000 a - 0\n";
    assert_eq!(broken(none), ["a tells of - in term 0, not of b in term 9"]);
    // It waited for a processor, before it said so or afterwards.
    for from in [1_300_000, 2_300_000] {
        let waits = |waited| format!("{none}waits {from} {} {waited} 0\n", from + 100_000);
        assert_eq!(broken(&waits(100_000)), [""; 0]);
        assert_eq!(broken(&waits(99_999)).len(), 1);
    }
}

#[test]
fn a_vacancy_lasts_no_longer_than_faults_have_effect() {
    assert_eq!(vacant(200, "unsettled 900000 1150000\n"), [""; 0]);
    // Of ranges that overlap no time counts twice.
    let two = vacant(200, "unsettled 900000 1149000\nunsettled 1060000 1100000\n");
    assert!(two[0].contains("vacant for 350 ms before term 9 of b"), "{two:?}");
    assert!(two[0].contains("where 349 ms are allowed"), "{two:?}");
    // Where its end is known, the vacancy is.
    let trace = LOG.replace("hold 5 a 1050000 10.00 10.250000000\n", "");
    let mut events = events(&trace, [("a", A), ("b", B)]);
    events.ends = vec![(1_150_000_000, 5)];
    let judged = |longest| RunHistory::of(&events, Promises { longest, ..KEPT });
    assert_eq!((judged(250).broken.len(), judged(249).broken.len()), (0, 1));
    assert_eq!(judged(250).vacancies, [250 * MILLI]);
}

#[test]
fn while_no_fault_of_a_script_has_effect_the_leader_stays() {
    let trace = |lines: &str| format!("{LOG}hold 5 a 1390000 10.00 10.250000000\n{lines}");
    let deposed =
        |lines: &str, takes_back| judged(&trace(lines), Promises { takes_back, ..KEPT }).broken;
    let calm = "unsettled 900000 1350000\n";
    let broken = deposed(calm, false);
    assert!(broken[0].starts_with("a leader was deposed that a majority hears"), "{broken:?}");
    assert!(broken[0].contains("without a fault"), "{broken:?}");
    assert_eq!(deposed("unsettled 900000 1400000\n", false), [""; 0]);
    assert_eq!(deposed(&format!("{calm}waits 1340000 1440000 100000 0\n"), false), [""; 0]);
    // The second member takes no office back.
    assert_eq!(deposed(calm, true).len(), 1);
    let first = events(&trace(calm), [("b", B), ("a", A)]);
    let first = RunHistory::of(&first, Promises { takes_back: true, ..KEPT });
    assert_eq!(first.broken, [""; 0]);
}
