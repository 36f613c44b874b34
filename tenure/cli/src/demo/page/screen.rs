//! The terminal: one page in place of what it shows, which it shows again afterwards.

use super::keys::{self, Key};
use super::lines::{Line, Tone};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use std::io::{self, Write, stdin, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use tokio::sync::mpsc;

// What a terminal is told, as xterm does: another screen, without the cursor, on which long lines are cut.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const LEAVE: &str = "\x1b[?2026l\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";
/// What follows is shown at once, by terminals that can; others ignore it.
const BEGIN: &str = "\x1b[?2026h";
const END: &str = "\x1b[?2026l";
const CLEAR: &str = "\x1b[0m\x1b[2J";
const CLEAR_REST: &str = "\x1b[K";

/// How the terminal was before the page was shown.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Whether the page is shown.
static OPEN: AtomicBool = AtomicBool::new(false);

/// How often the thread that reads keys looks whether the page is still shown. An Escape after which
/// nothing follows for as long is that key, and not the beginning of another one.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 40_000_000 };

/// The page on the terminal. Dropped, and when any thread panics, it leaves the terminal as it was.
pub(super) struct Screen {
    shown: Vec<Line>,
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

    pub(super) fn keys() -> io::Result<mpsc::UnboundedReceiver<io::Result<Key>>> {
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
    pub(super) fn draw(&mut self, lines: Vec<Line>, size: (usize, usize)) -> io::Result<()> {
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

    fn coded(&self, line: &Line) -> String {
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

/// Reads keys until the page is closed.
fn listen(pressed: &mpsc::UnboundedSender<io::Result<Key>>) -> io::Result<()> {
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
            let _ = pressed.send(Ok(Key::Escape));
        }
        let (keys, used) = keys::read(&bytes);
        bytes.drain(..used);
        for key in keys {
            let _ = pressed.send(Ok(key));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coded(text: &str, tone: Tone, colours: bool) -> String {
        let line = Line { spans: vec![(text.to_owned(), tone)], highlighted: 0 };
        Screen { shown: Vec::new(), size: (4, 1), colours }.coded(&line)
    }

    #[test]
    fn the_rest_of_a_row_is_cleared_if_there_is_one() {
        assert_eq!(coded("abc", Tone::Strong, true), "\x1b[0;1mabc\x1b[0m\x1b[K");
        assert_eq!(coded("abcd", Tone::Plain, true), "\x1b[0mabcd\x1b[0m");
    }

    #[test]
    fn without_colours_texts_are_plain() {
        assert_eq!(coded("abcd", Tone::Good, true), "\x1b[0;32mabcd\x1b[0m");
        assert_eq!(coded("abcd", Tone::Good, false), "\x1b[0mabcd\x1b[0m");
    }
}
