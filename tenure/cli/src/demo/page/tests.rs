//! The page as text, and what keys ask for.

use super::model::{DemoPage, PageKey, Press, press};
use super::screen::{lines, read_keys};
use crate::demo::cluster::{Look, ProgramCondition};
use crate::demo::script::{DemoScript, DemoStep, HOSTS, Whom};
use std::time::Duration;

fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

/// A member that runs, votes and stands.
const SOUND: Look = Look {
    condition: ProgramCondition::Runs,
    hears: true,
    heard: true,
    votes: true,
    stands: true,
    held: None,
    owed: [Duration::ZERO; HOSTS],
};

/// Takes a step, as a script writes it.
fn take(page: &mut DemoPage, at: u64, step: &str) {
    let script = DemoScript::parse(step).unwrap();
    page.took(ms(at), script.steps().next().unwrap());
}

/// Changes a member.
fn change(page: &mut DemoPage, at: u64, host: usize, look: Look) {
    let mut looks: Vec<_> = page.rows.iter().map(|row| row.look).collect();
    looks[host] = look;
    page.saw(ms(at), looks);
}

/// Five members. The second leads at term 1.
fn led() -> DemoPage {
    let mut page = DemoPage::default();
    page.saw(ms(300), vec![SOUND; HOSTS]);
    page.began(ms(500), 1, 1);
    page
}

fn text(page: &DemoPage, now: u64, columns: usize, rows: usize) -> Vec<String> {
    let line = |line: super::screen::ScreenLine| {
        let text: String = line.spans.into_iter().map(|(text, _)| text).collect();
        text.trim_end().to_owned()
    };
    lines(page, ms(now), columns, rows).into_iter().map(line).collect()
}

fn log(page: &DemoPage) -> Vec<&str> {
    page.log.iter().map(|entry| entry.text.as_str()).collect()
}

fn states(page: &DemoPage) -> Vec<&str> {
    page.rows.iter().map(|row| row.state.as_str()).collect()
}

#[test]
fn a_page_has_the_members_the_log_the_figures_and_the_keys() {
    let mut page = led();
    let looks = (0..HOSTS).map(|host| match host {
        3 => Look { held: Some(ms(200)), ..SOUND },
        _ => Look { owed: [0, 50, 0, 126, 0].map(ms), ..SOUND },
    });
    take(&mut page, 12_345, "kill 2");
    page.ended(ms(12_350), 1, 1);
    page.began(ms(12_362), 3, 12_884_901_890);
    page.saw(ms(12_380), looks.collect());
    change(
        &mut page,
        12_400,
        1,
        Look { condition: ProgramCondition::Killed, stands: false, ..SOUND },
    );
    let expected = [
        " tenure demo  lease 250 ms                   member 4 leads at term 12884901890",
        "",
        "     member                         since  lease",
        "   1 follows                       12.4 s  █████████░░░░░░░░░  126 ms owed to 4",
        " > 2 killed, still votes           12.4 s",
        "   3 follows                       12.4 s  █████████░░░░░░░░░  126 ms owed to 4",
        "   4 leads at term 12884901890     12.4 s  ███████████████░░░  200 ms held",
        "   5 follows                       12.4 s  █████████░░░░░░░░░  126 ms owed to 4",
        "",
        " 2 terms; once without a leader: median 12.0 ms, longest 12.0 ms",
        " never two commands at once; each term greater than all before it",
        "",
        "     0.500 s  member 2 leads at term 1",
        "    12.345 s  member 2 killed",
        "    12.350 s  member 2 leads no more, 5.0 ms after `kill 2`",
        "    12.362 s  member 4 leads at term 12884901890: 12.0 ms without a leader",
        "",
        "",
        "",
        "",
        " A leader's command ends before the lease that it holds, and members elect",
        " another only after the lease that they owe is over: never two at once.",
        " 1-5 ↑↓ select  l leader  k kill  x crash  p stop  s suspend  c cut off  i in",
        " o out  h heal  S start  a start all  t transfer  r resign  ? help  q quit",
    ];
    assert_eq!(text(&page, 13_000, 80, 24), expected);
}

#[test]
fn a_page_fits_every_terminal() {
    let mut page = led();
    for second in 1..50 {
        take(&mut page, second * 1000, "cut 2 out");
    }
    for (columns, rows) in [(1, 1), (20, 5), (40, 12), (80, 24), (100, 30), (300, 100)] {
        let text = text(&page, 60_000, columns, rows);
        assert_eq!(text.len(), rows, "{columns} x {rows}");
        for line in text {
            assert!(line.chars().count() <= columns, "{columns} x {rows}: {line}");
        }
    }
    page.explains = true;
    assert!(text(&page, 60_000, 80, 24).join("\n").contains("any key: back"));
    page.explains = false;
    for rows in [12, 18, 24, 50] {
        let shown = text(&page, 60_000, 80, rows).join("\n");
        assert!(shown.contains("leads at term 1") && shown.contains("q quit"), "{rows}: {shown}");
    }
    let shown = text(&page, 60_000, 80, 24).join("\n");
    assert!(shown.contains("49.000 s  member 2 cut off one way"), "the last is shown: {shown}");
}

#[test]
fn each_state_of_a_member_has_its_words() {
    let mut page = led();
    let mut says = |host, look, expected: &str| {
        change(&mut page, 1000, host, look);
        assert_eq!(page.rows[host].state, expected);
    };
    let gone = |condition| Look { condition, stands: false, ..SOUND };
    says(0, SOUND, "follows");
    says(0, Look { votes: false, ..SOUND }, "starting");
    says(0, Look { hears: false, heard: false, ..SOUND }, "cut off");
    says(0, Look { hears: false, ..SOUND }, "hears nobody");
    says(0, Look { heard: false, ..SOUND }, "heard by no member");
    says(0, Look { condition: ProgramCondition::Suspended, ..SOUND }, "suspended");
    says(
        0,
        Look { heard: false, ..gone(ProgramCondition::Suspended) },
        "suspended, heard by no member",
    );
    says(0, gone(ProgramCondition::Killed), "killed, still votes");
    says(0, gone(ProgramCondition::Stopped), "stopped, still votes");
    says(0, Look { votes: false, hears: false, ..gone(ProgramCondition::Crashed) }, "crashed");
    says(1, SOUND, "leads at term 1");
    says(1, Look { condition: ProgramCondition::Suspended, ..SOUND }, "leads, suspended");
    says(1, Look { hears: false, heard: false, ..SOUND }, "leads, cut off");
}

#[test]
fn a_violation_is_shown_in_place_of_the_promise() {
    let mut page = led();
    let promise = " never two commands at once";
    assert!(text(&page, 1000, 80, 24).iter().any(|line| line.starts_with(promise)));
    page.violations =
        vec!["term 5 came after term 5".to_owned(), "term 4 came after term 5".to_owned()];
    let shown = text(&page, 1000, 80, 24);
    assert!(!shown.iter().any(|line| line.starts_with(promise)));
    assert!(shown.contains(&" 2 VIOLATIONS, the last: term 4 came after term 5".to_owned()));
}

#[test]
fn a_state_is_shown_with_the_time_at_which_it_began() {
    let mut page = led();
    page.saw(ms(700), vec![SOUND; HOSTS]);
    assert_eq!(page.rows[0].since, ms(500), "it follows since there is a leader");
    page.ended(ms(900), 1, 1);
    assert_eq!(states(&page), ["stands"; 5]);
    page.began(ms(950), 0, 2);
    page.saw(ms(990), vec![SOUND; HOSTS]);
    assert_eq!(states(&page)[..2], ["leads at term 2", "follows"]);
    assert_eq!(page.rows.map(|row| row.since), [ms(950); 5]);
}

#[test]
fn the_log_says_how_long_nobody_led_and_after_which_step() {
    let mut page = led();
    take(&mut page, 12_345, "cut 2");
    page.ended(ms(12_561), 1, 1);
    page.began(ms(12_591), 3, 7);
    // A member that takes over without a step: a busy machine.
    page.ended(ms(14_000), 3, 7);
    page.began(ms(24_100), 0, 8);
    assert_eq!(
        log(&page),
        [
            "member 2 leads at term 1",
            "member 2 cut off",
            "member 2 leads no more, 216 ms after `cut 2`",
            "member 4 leads at term 7: 30.0 ms without a leader",
            "member 4 leads no more",
            "member 1 leads at term 8: 10.1 s without a leader",
        ]
    );
    assert_eq!(page.figures(), "3 terms; 2 times without a leader: median 30.0 ms, longest 10.1 s");
}

#[test]
fn what_is_noted_late_stands_in_the_log_at_its_time() {
    let mut page = led();
    page.refused(ms(900), "late");
    page.ended(ms(800), 1, 1);
    assert_eq!(log(&page), ["member 2 leads at term 1", "member 2 leads no more", "late"]);
}

#[test]
fn without_a_majority_or_a_candidate_a_vacancy_is_counted_apart() {
    let mut page = led();
    assert_eq!(page.figures(), "1 term");
    let gone = Look { condition: ProgramCondition::Crashed, votes: false, stands: false, ..SOUND };
    let crashed =
        |count: usize| (0..HOSTS).map(move |host| if host < count { gone } else { SOUND });
    page.saw(ms(1000), crashed(2).collect());
    page.ended(ms(1000), 1, 1);
    page.began(ms(1300), 2, 2);
    assert_eq!(page.figures(), "2 terms; once without a leader: median 300 ms, longest 300 ms");
    page.ended(ms(2000), 2, 2);
    page.saw(ms(2100), crashed(3).collect());
    assert!(text(&page, 2100, 80, 24)[0].ends_with("no leader for 100 ms: no majority"));
    let killed = Look { condition: ProgramCondition::Killed, stands: false, ..SOUND };
    page.saw(ms(2200), vec![killed; HOSTS]);
    assert!(text(&page, 2200, 80, 24)[0].ends_with("no leader for 200 ms: no candidate"));
    page.saw(ms(5000), vec![SOUND; HOSTS]);
    page.began(ms(5100), 0, 3);
    let two = "3 terms; once without a leader: median 300 ms, longest 300 ms; once without a \
               majority or candidate, up to 3100 ms";
    assert_eq!(page.figures(), two);
}

#[test]
fn each_key_is_a_step_of_a_script() {
    let mut page = led();
    page.selected = 2;
    let steps = [
        ('k', "kill 3"),
        ('x', "crash 3"),
        ('p', "stop 3"),
        ('s', "suspend 3"),
        ('c', "cut 3"),
        ('i', "cut 3 in"),
        ('o', "cut 3 out"),
        ('h', "heal"),
        ('a', "start all"),
        ('t', "transfer 3"),
        ('r', "resign"),
    ];
    for (key, step) in steps {
        let script = DemoScript::parse(step).unwrap();
        let step = *script.steps().next().unwrap();
        assert_eq!(press(PageKey::Char(key), &page), Press::Take(step), "{key}");
    }
    let runs = press(PageKey::Char('S'), &page);
    assert_eq!(runs, Press::Refuse("member 3 is running already".to_owned()));
    change(&mut page, 1000, 2, Look { condition: ProgramCondition::Suspended, ..SOUND });
    assert_eq!(press(PageKey::Char('s'), &page), Press::Take(DemoStep::Resume(Whom::Number(2))));
    change(&mut page, 1000, 2, Look { condition: ProgramCondition::Killed, ..SOUND });
    assert_eq!(press(PageKey::Char('S'), &page), Press::Take(DemoStep::Start(Whom::Number(2))));
}

#[test]
fn members_are_selected_by_number_by_arrows_and_as_the_leader() {
    let mut page = led();
    assert_eq!(press(PageKey::Char('5'), &page), Press::Select(4));
    assert_eq!(press(PageKey::Char('6'), &page), Press::Nothing);
    assert_eq!(page.selected, 1, "at first the first leader");
    assert_eq!(press(PageKey::Up, &page), Press::Select(0));
    page.selected = 0;
    assert_eq!(press(PageKey::Up, &page), Press::Select(4));
    assert_eq!(press(PageKey::Down, &page), Press::Select(1));
    assert_eq!(press(PageKey::Char('l'), &page), Press::Select(1));
    page.ended(ms(900), 1, 1);
    assert_eq!(press(PageKey::Char('l'), &page), Press::Nothing);
    assert_eq!(press(PageKey::Char('?'), &page), Press::Explain(true));
    page.explains = true;
    assert_eq!(press(PageKey::Char('k'), &page), Press::Explain(false), "which kills nobody");
    page.explains = false;
    for key in [PageKey::Char('q'), PageKey::Escape, PageKey::Interrupt] {
        assert_eq!(press(key, &page), Press::Quit);
    }
}

#[test]
fn keys_are_read_from_what_a_terminal_sends() {
    let whole = |bytes: &[u8]| {
        let (keys, used) = read_keys(bytes);
        assert_eq!(used, bytes.len());
        keys
    };
    assert_eq!(whole(b"kS\x03"), [PageKey::Char('k'), PageKey::Char('S'), PageKey::Interrupt]);
    assert_eq!(
        whole(b"\x1b[A\x1bOB\x1b\x1b[Bq"),
        [PageKey::Up, PageKey::Down, PageKey::Escape, PageKey::Down, PageKey::Char('q')]
    );
    // Other keys: an arrow with Shift, F5, a k with Alt, and letters of another alphabet.
    assert_eq!(whole("\x1b[1;2A\x1b[15~\x1bkж\r".as_bytes()), []);
    assert_eq!(
        read_keys(b"a\x1b"),
        (vec![PageKey::Char('a')], 1),
        "an Escape, or the beginning of an arrow"
    );
    assert_eq!(read_keys(b"\x1b["), (vec![], 0));
}
