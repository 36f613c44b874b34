//! The terminal: one page in place of its contents, which are restored afterwards; the lines of the page, and the keys
//! that are pressed.

use super::model::{DemoPage, HELP, LogKind, MemberRow, PageKey, short};
use crate::demo::cluster::{ProgramCondition, TIMING};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use std::io::{self, Write, stdin, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

// What a terminal is told, as xterm does: another screen, without the cursor, on which long lines are cut.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE: &str = "\x1b[?2026l\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";
/// Begins output that terminals show at once if they can; others ignore this.
const BEGIN: &str = "\x1b[?2026h";
const END: &str = "\x1b[?2026l";
const CLEAR: &str = "\x1b[0m\x1b[2J";
const CLEAR_REST: &str = "\x1b[K";

/// How the terminal was before the page was shown.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

static OPEN: AtomicBool = AtomicBool::new(false);

/// How often the thread that reads keys looks whether the page is still shown. An Escape after which
/// nothing follows for as long is that key, and not the beginning of another one.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 40_000_000 };

/// The page on the terminal. Dropped, and when any thread panics, it leaves the terminal as it was.
pub(super) struct Screen {
    shown: Vec<ScreenLine>,
    size: (usize, usize),
    colours: bool,
}

impl Screen {
    pub(super) fn open() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                restore();
                before(panic);
            }));
        });
        let before = tcgetattr(stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
        OPEN.store(true, Ordering::SeqCst);
        let colours = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let screen = Self { shown: Vec::new(), size: (0, 0), colours };
        tcsetattr(stdin(), OptionalActions::Now, &raw)?;
        write(ENTER)?;
        Ok(screen)
    }

    pub(super) fn keys() -> io::Result<mpsc::UnboundedReceiver<io::Result<PageKey>>> {
        let (pressed, keys) = mpsc::unbounded_channel();
        std::thread::Builder::new().name("tenure-keys".into()).spawn(move || {
            if let Err(error) = listen(&pressed) {
                let _ = pressed.send(Err(error));
            }
        })?;
        Ok(keys)
    }

    pub(super) fn size() -> (usize, usize) {
        let size = tcgetwinsize(stdout());
        let size = size.map_or((0, 0), |size| (size.ws_col.into(), size.ws_row.into()));
        // One that does not say has the usual size.
        if size.0 == 0 || size.1 == 0 { (80, 24) } else { size }
    }

    /// Shows these lines: writes those that differ from what is shown.
    pub(super) fn draw(&mut self, lines: Vec<ScreenLine>, size: (usize, usize)) -> io::Result<()> {
        if !OPEN.load(Ordering::SeqCst) {
            return Err(io::Error::other("a thread of this program has panicked"));
        }
        let mut text = String::new();
        if size != self.size {
            text += CLEAR;
            self.shown.clear();
            self.size = size;
        }
        for (number, line) in lines.iter().enumerate() {
            if self.shown.get(number) != Some(line) {
                text += &format!("\x1b[{};1H{}", number + 1, self.coded(line));
            }
        }
        self.shown = lines;
        if text.is_empty() { Ok(()) } else { write(&format!("{BEGIN}{text}{END}")) }
    }

    fn coded(&self, line: &ScreenLine) -> String {
        let mut all = String::new();
        for (number, (text, tone)) in line.spans.iter().enumerate() {
            let highlighted = number < line.highlighted;
            let code = match tone {
                Tone::Strong => ";1",
                // On reversed colours what is faint cannot be read.
                Tone::Faint if !highlighted => ";2",
                Tone::Good if self.colours => ";32",
                Tone::Warning if self.colours => ";33",
                Tone::Bad if self.colours => ";31",
                Tone::Plain | Tone::Faint | Tone::Good | Tone::Warning | Tone::Bad => "",
            };
            let reversed = if highlighted { ";7" } else { "" };
            all += &format!("\x1b[0{reversed}{code}m{text}");
        }
        // Behind a line that fills its row, the cursor is still on its last character.
        let rest = if line.width() < self.size.0 { CLEAR_REST } else { "" };
        all + "\x1b[0m" + rest
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Leaves the page. The terminal may be gone.
fn restore() {
    if OPEN.swap(false, Ordering::SeqCst) {
        let _ = write(LEAVE);
        if let Some(before) = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
        }
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn listen(pressed: &mpsc::UnboundedSender<io::Result<PageKey>>) -> io::Result<()> {
    let mut bytes = Vec::new();
    while OPEN.load(Ordering::SeqCst) {
        let stdin = stdin();
        let ready = match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&LOOK)) {
            Err(rustix::io::Errno::INTR) => continue,
            ready => ready? > 0,
        };
        if ready {
            let mut piece = [0; 256];
            match rustix::io::read(&stdin, &mut piece)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => bytes.extend_from_slice(&piece[..count]),
            }
        } else if bytes == b"\x1b" {
            bytes.clear();
            let _ = pressed.send(Ok(PageKey::Escape));
        }
        let (keys, used) = read_keys(&bytes);
        bytes.drain(..used);
        for key in keys {
            let _ = pressed.send(Ok(key));
        }
    }
    Ok(())
}

/// Returns the keys that a terminal sends as these bytes, and how many of them it has read: the last
/// ones may be the beginning of a key.
pub(super) fn read_keys(bytes: &[u8]) -> (Vec<PageKey>, usize) {
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
                    [b'A'] => Some(PageKey::Up),
                    [b'B'] => Some(PageKey::Down),
                    _ => None,
                };
                (key, last + 3)
            }
            (b'\x1b', [b'\x1b', ..]) => (Some(PageKey::Escape), 1),
            // A character with Alt.
            (b'\x1b', _) => (None, 2),
            (3, _) => (Some(PageKey::Interrupt), 1),
            (b' '..=b'~', _) => (Some(PageKey::Char(char::from(first))), 1),
            _ => (None, 1),
        };
        keys.extend(key);
        used += length;
    }
    (keys, used)
}

/// The lesson of the page.
const GUARANTEE: &str = "A leader's command ends before the lease that it holds, and members elect \
                         another only after the lease that they owe is over: never two at once.";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Strong,
    Faint,
    Good,
    Warning,
    Bad,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ScreenLine {
    pub(super) spans: Vec<(String, Tone)>,
    /// The number of texts that are highlighted, the first ones.
    pub(super) highlighted: usize,
}

impl ScreenLine {
    fn of(text: impl Into<String>, tone: Tone) -> Self {
        Self::default().and(text, tone)
    }

    fn and(mut self, text: impl Into<String>, tone: Tone) -> Self {
        self.spans.push((text.into(), tone));
        self
    }

    pub(super) fn width(&self) -> usize {
        self.spans.iter().map(|(text, _)| text.chars().count()).sum()
    }

    fn fitted(mut self, width: usize) -> Self {
        let mut room = width;
        for (text, _) in &mut self.spans {
            *text = text.chars().take(room).collect();
            room -= text.chars().count();
        }
        self.spans.retain(|(text, _)| !text.is_empty());
        self
    }
}

pub(super) fn lines(
    page: &DemoPage,
    now: Duration,
    columns: usize,
    rows: usize,
) -> Vec<ScreenLine> {
    if page.explains {
        return explained(page, now, columns, rows);
    }
    let mut keys = keys(columns);
    let guarantee = wrapped(GUARANTEE, columns);
    let mut top = vec![title(page, now, columns)];
    let mut table =
        vec![ScreenLine::of(format!("     {:<26}{:>10}  lease", "member", "since"), Tone::Faint)];
    let numbered = page.rows.iter().enumerate();
    table.extend(numbered.map(|(number, row)| member(page, number, row, columns)));
    let figures = figures(page, columns);
    // A small terminal has no room for everything. It loses first the space between the parts, then the text
    // of the guarantee, then the log.
    let all = top.len() + table.len() + figures.len() + keys.len();
    let spacious = rows >= all + guarantee.len() + LEAST + 4;
    let gap = || if spacious { vec![ScreenLine::default()] } else { vec![] };
    top.extend(gap());
    top.append(&mut table);
    top.extend(gap());
    if rows >= all {
        top.extend(figures);
    }
    top.extend(gap());
    let mut bottom = gap();
    if rows >= all + guarantee.len() + LEAST {
        bottom.extend(guarantee);
    }
    bottom.append(&mut keys);
    let room = rows.saturating_sub(top.len() + bottom.len());
    let mut lines = top;
    let kept = page.log.len().min(room);
    lines.extend(page.log.iter().skip(page.log.len() - kept).map(|entry| {
        let tone = match entry.kind {
            LogKind::Step => Tone::Plain,
            LogKind::Leads => Tone::Good,
            LogKind::Ends => Tone::Warning,
            LogKind::Refused => Tone::Bad,
        };
        let time = format!("{:>10.3} s  ", entry.at.as_secs_f64());
        ScreenLine::of(time, Tone::Faint).and(entry.text.as_str(), tone)
    }));
    lines.resize(rows.saturating_sub(bottom.len()).max(lines.len()), ScreenLine::default());
    lines.append(&mut bottom);
    lines.truncate(rows);
    lines.into_iter().map(|line| line.fitted(columns)).collect()
}

/// The least number of lines for the log.
const LEAST: usize = 3;

fn explained(page: &DemoPage, now: Duration, columns: usize, rows: usize) -> Vec<ScreenLine> {
    let mut lines = vec![title(page, now, columns), ScreenLine::default()];
    lines.extend(HELP.iter().map(|(key, _, means)| {
        ScreenLine::of(format!(" {key:<8}"), Tone::Strong).and(*means, Tone::Plain)
    }));
    lines.push(ScreenLine::default());
    let states = "A member votes. Its program, `tenure lead`, stands for the office, and runs a \
                  command while it leads. A member that has elected a leader owes it a lease.";
    lines.extend(wrapped(states, columns));
    lines.push(ScreenLine::default());
    lines.push(ScreenLine::of(" any key: back to the members", Tone::Strong));
    lines.resize(rows, ScreenLine::default());
    lines.into_iter().map(|line| line.fitted(columns)).collect()
}

fn title(page: &DemoPage, now: Duration, columns: usize) -> ScreenLine {
    let lease = TIMING.lease.as_millis();
    let left = ScreenLine::of(" tenure demo", Tone::Strong)
        .and(format!("  lease {lease} ms"), Tone::Faint);
    let (text, tone) = match (page.leader, page.vacant(now)) {
        (Some((host, term)), _) => {
            (format!("member {} leads at term {term}", host + 1), Tone::Good)
        }
        (None, Some(vacant)) => {
            let lack = page.lack().map(|lack| format!(": {lack}"));
            (format!("no leader for {}{}", short(vacant), lack.unwrap_or_default()), Tone::Bad)
        }
        (None, None) => ("the members are starting".to_owned(), Tone::Warning),
    };
    let gap = columns.saturating_sub(left.width() + text.chars().count() + 1).max(2);
    left.and(" ".repeat(gap), Tone::Plain).and(text, tone)
}

fn member(page: &DemoPage, number: usize, row: &MemberRow, columns: usize) -> ScreenLine {
    let selected = page.selected == number;
    let leads = page.leader.is_some_and(|(host, _)| host == number);
    let sound = row.look.hears && row.look.heard;
    let tone = match row.look.condition {
        _ if leads && sound => Tone::Good,
        ProgramCondition::Runs if sound => Tone::Plain,
        ProgramCondition::Runs | ProgramCondition::Suspended => Tone::Warning,
        ProgramCondition::Killed | ProgramCondition::Crashed | ProgramCondition::Stopped => {
            Tone::Bad
        }
    };
    let mut line = ScreenLine::default()
        .and(if selected { " > " } else { "   " }, Tone::Strong)
        .and(format!("{} ", number + 1), Tone::Strong)
        .and(format!("{:<26}", row.state), tone)
        .and(format!("{:>8.1} s ", row.since.as_secs_f64()), Tone::Faint);
    if selected {
        // The bar is not highlighted: reversed colours would show the contrary.
        line.highlighted = line.spans.len();
    }
    line = line.and(" ", Tone::Plain);
    let owed = page.latest.map(|host| (host, row.look.owed[host]));
    let lease = match (row.look.held, owed) {
        (Some(held), _) if leads => Some((held, Tone::Good, "held".to_owned())),
        (_, Some((host, owed))) if !owed.is_zero() => {
            Some((owed, Tone::Plain, format!("owed to {}", host + 1)))
        }
        _ => None,
    };
    if let Some((left, tone, what)) = lease {
        let cells = columns.saturating_sub(line.width() + 19).clamp(5, 50);
        // In whole cells, rounded up: the last cell goes when the lease ends.
        let part = left.as_secs_f64() / TIMING.owed().as_secs_f64();
        let full = ((part * cells as f64).ceil() as usize).min(cells);
        line = line
            .and("█".repeat(full), tone)
            .and("░".repeat(cells - full), Tone::Faint)
            .and(format!("{:>5} ms {what}", left.as_millis()), Tone::Plain);
    }
    line
}

/// How long the office was vacant, and whether everything was right.
fn figures(page: &DemoPage, columns: usize) -> Vec<ScreenLine> {
    let mut lines = wrapped(&page.figures(), columns);
    match page.violations.last() {
        None => {
            let text = " never two commands at once; each term greater than all before it";
            lines.push(ScreenLine::of(text, Tone::Plain));
        }
        Some(last) => {
            let text = format!(" {} VIOLATIONS, the last: {last}", page.violations.len());
            lines.push(ScreenLine::of(text, Tone::Bad));
        }
    }
    lines
}

fn keys(columns: usize) -> Vec<ScreenLine> {
    let mut lines = vec![ScreenLine::default()];
    for (key, does) in HELP.iter().map(|(key, does, _)| (*key, *does)) {
        let pair =
            ScreenLine::of(format!(" {key} "), Tone::Strong).and(format!("{does} "), Tone::Faint);
        let last = lines.len() - 1;
        if lines[last].width() > 0 && lines[last].width() + pair.width() > columns + 1 {
            lines.push(pair);
        } else {
            lines[last].spans.extend(pair.spans);
        }
    }
    lines
}

fn wrapped(text: &str, columns: usize) -> Vec<ScreenLine> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let width = lines[last].chars().count() + 1 + word.chars().count();
        if !lines[last].is_empty() && width > columns {
            lines.push(String::new());
        }
        let last = lines.len() - 1;
        lines[last] += " ";
        lines[last] += word;
    }
    lines.into_iter().map(|line| ScreenLine::of(line, Tone::Plain)).collect()
}

#[cfg(test)]
mod tests;
