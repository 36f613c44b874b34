//! What keys do.

use super::model::Page;
use crate::demo::look::Condition;
use crate::demo::script::{HOSTS, Step, Ways, Whom};

/// The keys, what they do with the member that is selected, and what that means.
pub(super) const HELP: [(&str, &str, &str); 16] = [
    ("1-5 ↑↓", "select", "select a member"),
    ("l", "leader", "select the leader"),
    ("k", "kill", "kill -9 of its program, `tenure lead`; its member still votes"),
    ("x", "crash", "its program and its member end at once, silently, as if the host did"),
    ("p", "stop", "SIGTERM to its program, which leaves in order"),
    ("s", "suspend", "SIGSTOP of its program; and of one that is suspended, SIGCONT"),
    ("c", "cut off", "no message from or to its member arrives"),
    ("i", "in", "cut off one way: its member hears nobody, and is heard"),
    ("o", "out", "cut off the other way: nobody hears its member, which hears them"),
    ("h", "heal", "all links are restored"),
    ("S", "start", "what was killed, crashed or stopped is started again"),
    ("a", "start all", "the same for all members"),
    ("t", "transfer", "an operator asks the leader to leave the office to it"),
    ("r", "resign", "an operator asks the leader to leave"),
    ("?", "help", "what is written here"),
    ("q", "quit", "end everything; also Escape and Ctrl-C"),
];

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    Up,
    Down,
    Escape,
    /// Ctrl-C.
    Interrupt,
}

/// Returns the keys that a terminal sends as these bytes, and how many of them it has read: the last
/// ones may be the beginning of a key.
pub(super) fn read(bytes: &[u8]) -> (Vec<Key>, usize) {
    let mut keys = Vec::new();
    let mut used = 0;
    while let Some((&first, rest)) = bytes[used..].split_first() {
        let (key, length) = match (first, rest) {
            (b'\x1b', []) => break,
            // Arrows have modes in which they are sent in one or the other way.
            (b'\x1b', [b'[' | b'O', rest @ ..]) => {
                let Some(last) = rest.iter().position(|byte| (0x40..0x7f).contains(byte)) else {
                    break;
                };
                let key = match rest[..=last] {
                    [b'A'] => Some(Key::Up),
                    [b'B'] => Some(Key::Down),
                    _ => None,
                };
                (key, last + 3)
            }
            (b'\x1b', [b'\x1b', ..]) => (Some(Key::Escape), 1),
            // A character with Alt.
            (b'\x1b', _) => (None, 2),
            (3, _) => (Some(Key::Interrupt), 1),
            (b' '..=b'~', _) => (Some(Key::Char(char::from(first))), 1),
            _ => (None, 1),
        };
        keys.extend(key);
        used += length;
    }
    (keys, used)
}

/// What a key asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Press {
    Nothing,
    Quit,
    Select(usize),
    /// The keys are to be explained, or no longer.
    Explain(bool),
    Take(Step),
    /// Nothing can be done, for this reason.
    Refuse(String),
}

pub(super) fn press(key: Key, page: &Page) -> Press {
    if page.explains && key != Key::Interrupt {
        return Press::Explain(false);
    }
    let it = Whom::Number(page.selected);
    let condition = page.rows[page.selected].look.condition;
    Press::Take(match key {
        Key::Char('q') | Key::Escape | Key::Interrupt => return Press::Quit,
        Key::Up => return Press::Select((page.selected + HOSTS - 1) % HOSTS),
        Key::Down => return Press::Select((page.selected + 1) % HOSTS),
        Key::Char('l') => {
            return page.leader.map_or(Press::Nothing, |(host, _)| Press::Select(host));
        }
        Key::Char(number @ '1'..='9') => {
            let number = number as usize - '1' as usize;
            return if number < HOSTS { Press::Select(number) } else { Press::Nothing };
        }
        Key::Char('?') => return Press::Explain(true),
        Key::Char('k') => Step::Kill(it),
        Key::Char('x') => Step::Crash(it),
        Key::Char('p') => Step::Stop(it),
        Key::Char('s') if condition == Condition::Suspended => Step::Resume(it),
        Key::Char('s') => Step::Suspend(it, None),
        Key::Char('c') => Step::Cut(it, Ways::Both),
        Key::Char('i') => Step::Cut(it, Ways::In),
        Key::Char('o') => Step::Cut(it, Ways::Out),
        Key::Char('h') => Step::Heal,
        Key::Char('S') if matches!(condition, Condition::Runs | Condition::Suspended) => {
            return Press::Refuse(format!("member {it} is {condition} already"));
        }
        Key::Char('S') => Step::Start(it),
        Key::Char('a') => Step::Start(Whom::All),
        Key::Char('t') => Step::Transfer(it),
        Key::Char('r') => Step::Resign,
        Key::Char(_) => return Press::Nothing,
    })
}
