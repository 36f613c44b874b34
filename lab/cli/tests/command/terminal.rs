//! Text on a terminal fits its width, and has colours.
#![cfg(unix)]

use crate::common::line;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

fn terminal(columns: u16) -> (File, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).unwrap();
    let terminal = File::options().read(true).write(true).open(name).unwrap();
    (File::from(master), terminal)
}

fn shown(words: &str, columns: u16, variables: &[(&str, &str)]) -> String {
    let (mut screen, terminal) = terminal(columns);
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
        .args(words.split(' '))
        .env_clear()
        .env("TERM", "xterm-256color")
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(terminal)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let text = read(&mut screen);
    child.wait().unwrap();
    text
}

fn read(screen: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    // Reading fails once the last writer of the terminal is gone.
    while let Ok(count @ 1..) = screen.read(&mut piece) {
        bytes.extend_from_slice(&piece[..count]);
    }
    String::from_utf8(bytes).unwrap().replace("\r\n", "\n")
}

/// Removes the colours from a text.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut pieces = text.split("\u{1b}[");
    plain.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        plain.push_str(piece.split_once('m').map_or("", |(_, rest)| rest));
    }
    plain
}

const REPORTS: [&str; 10] = [
    "algorithms",
    "algorithms humblet",
    "elect humblet --nodes 40 --ports random --schedule uniform:10",
    "elect villadangos@published --nodes 6 --schedule random --trials 20",
    "elect --topology grid:4x5",
    "compare --nodes 8,20 --trials 3",
    "check lelann --nodes 3",
    "check villadangos@published --nodes 3",
    "population self-terminating --agents 100 --trials 20",
    "cluster lelann --nodes 3 --transport channels --against-simulation",
];

#[test]
fn reports_fit_narrow_and_wide_terminals() {
    for words in REPORTS {
        for columns in [80, 200, 240] {
            let text = plain(&shown(words, columns, &[]));
            assert!(text.lines().count() > 3, "{words}: {text}");
            for line in text.lines() {
                // Commands are on one line, so that they can be copied.
                let is_command = line.trim_start().starts_with("suffrage ");
                let width = line.chars().count();
                assert!(width <= columns.into() || is_command, "{words}, {columns}: {line}");
            }
        }
    }
}

/// Messages on standard error, those about the command line included, are wrapped at words, and their
/// words are all there.
#[test]
fn messages_fit_the_terminal_of_standard_error() {
    for words in ["elect tree-wave --topology ring:5", "elect humblet --schedule unifrom:18"] {
        let (mut screen, terminal) = terminal(80);
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
            .args(words.split(' '))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(terminal)
            .spawn()
            .unwrap();
        let text = plain(&read(&mut screen));
        assert_eq!(child.wait().unwrap().code(), Some(2));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let long = line(words).err;
        assert!(long.lines().any(|line| line.chars().count() > 80), "{long}");
        let all = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(all(&text), all(&long));
    }
}

#[test]
fn wide_terminals_are_used() {
    // The table of the catalogue is wider than 80 columns, and complete on 240.
    let narrow = shown("algorithms", 80, &[]);
    let wide = shown("algorithms", 240, &[]);
    assert!(narrow.contains("no room for: "), "{narrow}");
    assert!(!wide.contains("no room for: ") && wide.contains("Humblet"), "{wide}");
    let longest = |text: &str| text.lines().map(|line| line.chars().count()).max();
    assert!(longest(&plain(&shown("elect --nodes 100", 200, &[]))) > Some(96));
    // Words are never cut.
    let words =
        |text: &str| -> Vec<String> { plain(text).split_whitespace().map(str::to_owned).collect() };
    let report = "elect humblet --nodes 40 --ports random --schedule uniform:10";
    assert_eq!(words(&shown(report, 60, &[])), words(&shown(report, 200, &[])));
}

/// The interval and the bound are there on 80 columns, and a line names what is not.
#[test]
fn narrow_terminals_show_what_matters_and_say_what_is_left_out() {
    let compared =
        shown("compare --algorithms lelann --topology ring --nodes 8 --trials 3", 80, &[]);
    for part in ["± 95 %", "ratio", "    bound = k n", "    time bound ≤ n", "no room for: "] {
        assert!(compared.contains(part), "{part}: {compared}");
    }
    let trials = shown("elect lelann --nodes 8 --trials 3", 80, &[]);
    assert!(
        trials.contains("mean ± 95 %") && trials.contains("no room for: deviation"),
        "{trials}"
    );
    let catalogue = shown("algorithms", 80, &[]);
    assert!(catalogue.contains("≤ k n - k(k-1)/2"), "{catalogue}");
    for words in
        ["compare --algorithms lelann --topology ring --nodes 8", "elect lelann --trials 3"]
    {
        assert!(!shown(words, 240, &[]).contains("no room for"), "{words}");
    }
}

#[test]
fn the_leader_and_what_is_broken_have_colours() {
    let elected = shown("elect lelann --nodes 8 --ids ascending", 100, &[]);
    assert!(elected.contains("\u{1b}[1m\u{1b}[32mnode 0, id 1\u{1b}[0m"), "{elected:?}");
    let broken = shown("elect tree-wave --nodes 9 --fault crash:3@0", 100, &[]);
    assert!(broken.contains("\u{1b}[1m\u{1b}[31mBROKEN: "), "{broken:?}");
}

#[test]
fn colours_are_left_out_where_they_are_not_wanted() {
    let words = "elect lelann --nodes 8 --ids ascending";
    for variables in [&[("NO_COLOR", "1")][..], &[("TERM", "dumb")], &[("CLICOLOR", "0")]] {
        let text = shown(words, 100, variables);
        assert!(text.contains("node 0, id 1") && !text.contains('\u{1b}'), "{text:?}");
    }
    assert!(!line(words).out.contains('\u{1b}'));
}

#[test]
fn pipes_get_the_same_bytes_whatever_the_terminal() {
    let text = line("elect humblet --nodes 40 --ports random").out;
    assert!(text.lines().all(|line| line.chars().count() <= 96));
    assert_eq!(text, line("elect humblet --nodes 40 --ports random").out);
}

/// Runs a long command with its standard error on a terminal until that shows `part`, interrupts it,
/// and returns what was shown.
fn progress_until(words: &str, part: &str) -> String {
    let (mut screen, terminal) = terminal(120);
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
        .args(words.split(' '))
        .env("TERM", "xterm-256color")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(terminal)
        .spawn()
        .unwrap();
    let id = child.id().to_string();
    // Without progress there is nothing to read, so another thread ends the wait.
    let watched = id.clone();
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    let watchdog = std::thread::spawn(move || {
        if is_done.recv_timeout(std::time::Duration::from_secs(60)).is_err() {
            let _ = Command::new("kill").args(["-KILL", &watched]).status();
        }
    });
    let (mut text, mut piece) = (String::new(), [0; 4096]);
    while let Ok(count @ 1..) = screen.read(&mut piece) {
        let before = text.contains(part);
        text += &String::from_utf8_lossy(&piece[..count]);
        if !before && text.contains(part) {
            assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        }
    }
    let _ = done.send(());
    watchdog.join().unwrap();
    let code = child.wait().unwrap().code();
    assert!(text.contains(part), "{words}: `{part}` is not in {text}");
    assert_eq!(code, Some(130), "{words}: {text}");
    text
}

#[test]
fn long_commands_show_progress() {
    for (words, part) in [
        ("elect lelann --nodes 15000", "messages"),
        ("elect lelann --nodes 300 --trials 1e8", "trials"),
        ("compare --algorithms lelann --topology ring --nodes 3000 --trials 1e5", "trials: lelann"),
        ("check afek-gafni --nodes 4 --all-ports --all-initiators", "configurations"),
        ("check lelann --nodes 5..9 --sample 1e9", "samples"),
        // A trial takes more than a minute, and its own progress is shown.
        ("population epidemic --agents 1e8 --engine direct", "% of the usual"),
        ("population self-terminating --agents 60 --trials 1e9", "trials"),
        ("reproduce theorems --trials 1e9", "trials"),
    ] {
        progress_until(words, part);
    }
}

#[test]
fn a_long_command_says_how_long_it_still_takes() {
    let words = "check dolev-klawe-rodeh --nodes 7 --all-ids --all-initiators";
    let text = progress_until(words, " left");
    assert!(text.contains("an estimated") && text.contains(", about "), "{text}");
    for words in ["elect lelann --nodes 300 --trials 1e8", "reproduce theorems --trials 1e9"] {
        progress_until(words, " left");
    }
}
