//! The page of the demonstration on a terminal of its own.

use crate::hosts::LIMIT;
use crate::{Test, tenure};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

pub(crate) const TESTS: &[Test] = &[
    ("a_key_kills_the_leader_and_the_page_shows_who_leads_then", kill),
    ("a_page_that_is_asked_to_end_ends_all_members_and_leaves_the_terminal_as_it_was", terminate),
    ("a_page_that_is_killed_leaves_no_process_behind", killed),
];

/// The page of a demonstration, and its terminal.
struct Page {
    child: Child,
    /// The two sides of the terminal: the user's and the program's.
    user: File,
    terminal: File,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Page {
    fn open() -> Self {
        let user = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&user).unwrap();
        unlockpt(&user).unwrap();
        let name = ptsname(&user, Vec::new()).unwrap().into_string().unwrap();
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&user, size).unwrap();
        let terminal = File::options().read(true).write(true).open(name).unwrap();
        let end = || terminal.try_clone().unwrap();
        let mut command = tenure(&["demo"]);
        command.env("TERM", "xterm").stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().unwrap();
        let user = File::from(user);
        let written: Arc<Mutex<Vec<u8>>> = Arc::default();
        let (mut reader, all) = (user.try_clone().unwrap(), written.clone());
        spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut piece) {
                all.lock().unwrap().extend_from_slice(&piece[..count]);
            }
        });
        Self { child, user, terminal, written }
    }

    fn text(&self) -> String {
        let written = String::from_utf8_lossy(&self.written.lock().unwrap()).into_owned();
        let mut pieces = written.split("\x1b[");
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let end = piece.find(|c: char| c.is_ascii_alphabetic());
            // A line is written as a whole, where the cursor was moved to.
            if end.is_some_and(|end| piece[end..].starts_with('H')) {
                text.push('\n');
            }
            text += end.map_or("", |end| &piece[end + 1..]);
        }
        text
    }

    /// Waits until something is written after the first `from` bytes of the text, and returns the
    /// place behind it; `None` if it is not in this time.
    fn within(&self, limit: Duration, from: usize, what: &str) -> Option<usize> {
        let begin = Instant::now();
        while begin.elapsed() < limit {
            if let Some(place) = self.text()[from..].find(what) {
                return Some(from + place + what.len());
            }
            sleep(Duration::from_millis(10));
        }
        None
    }

    fn shows(&self, from: usize, what: &str) -> usize {
        let place = self.within(LIMIT, from, what);
        place.unwrap_or_else(|| panic!("`{what}` is not shown: {}", self.text()))
    }

    fn press(&mut self, keys: &str) {
        self.user.write_all(keys.as_bytes()).unwrap();
    }

    fn is_raw(&self) -> bool {
        let modes = tcgetattr(&self.terminal).unwrap().local_modes;
        !modes.intersects(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    fn descendants(&self) -> Vec<u32> {
        let mut all = vec![self.child.id()];
        let mut next = 0;
        while let Some(&id) = all.get(next) {
            next += 1;
            for task in fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten() {
                let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
                all.extend(children.split_whitespace().map(|id| id.parse::<u32>().unwrap()));
            }
        }
        all.split_off(1)
    }

    /// Waits for its end, and returns its exit code. Nothing of it is left then: no process, and no
    /// trace on the terminal.
    fn ended(&mut self, processes: &[u32]) -> i32 {
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begin.elapsed() < LIMIT, "it does not end: {}", self.text());
            sleep(Duration::from_millis(10));
        };
        vanish(processes);
        self.shows(0, "no two commands ever lived at once");
        let written = String::from_utf8_lossy(&self.written.lock().unwrap()).into_owned();
        let (page, after) = written.rsplit_once("\x1b[?1049l").unwrap();
        assert!(page.starts_with("\x1b[?1049h") && page.contains("\x1b[?25h"), "{written:?}");
        assert!(!after.contains('\x1b'), "{after:?}");
        assert!(!self.is_raw());
        status.code().unwrap()
    }
}

/// Waits until these processes are gone.
fn vanish(processes: &[u32]) {
    assert!(processes.len() >= 5, "five programs: {processes:?}");
    let begin = Instant::now();
    for id in processes {
        // A guard outlives its command by an instant.
        while fs::exists(format!("/proc/{id}")).unwrap() {
            assert!(begin.elapsed() < LIMIT, "process {id} lives on");
            sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A busy machine may cost a leader its lease at any time, so that not every key hits the leader.
fn kill() {
    let mut page = Page::open();
    let mut place = page.shows(0, "leads at term");
    assert!(page.is_raw());
    let moves = |_| {
        page.press("lk");
        place = page.shows(place, " killed\n");
        let moved = page.within(Duration::from_secs(5), place, " without a leader\n");
        page.press("a");
        place = page.shows(place, "all members started");
        moved.is_some()
    };
    assert!((0..5).any(moves), "{}", page.text());
    let processes = page.descendants();
    page.press("q");
    assert_eq!(page.ended(&processes), 0);
}

fn terminate() {
    let mut page = Page::open();
    page.shows(0, "leads at term");
    // A member that is suspended is ended, too.
    page.press("s");
    page.shows(0, " suspended\n");
    let processes = page.descendants();
    let pid = Pid::from_raw(page.child.id().try_into().unwrap()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    assert_eq!(page.ended(&processes), 130);
}

fn killed() {
    let mut page = Page::open();
    page.shows(0, "leads at term");
    page.press("s");
    page.shows(0, " suspended\n");
    let processes = page.descendants();
    page.child.kill().unwrap();
    page.child.wait().unwrap();
    vanish(&processes);
}
