//! The call that this thread answers, if a program and not a person has called the command: its
//! input and its output.

use indicatif::{ProgressDrawTarget, TermLike};
use std::cell::RefCell;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use suffrage::networks::Links;

/// A command with its arguments.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The words of the command line behind `suffrage`.
    pub words: Vec<String>,
    /// Networks that the words can name in place of a file, by their names.
    pub networks: Vec<(String, Links)>,
    /// Shows the progress of the command.
    pub board: Board,
}

/// The output of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The printed text.
    pub text: String,
    /// Its warnings, for example that something was ignored.
    pub notes: Vec<String>,
    /// Its exit code: 0 if every property held, 1 if a run broke one, 130 if it was interrupted;
    /// then the text is about the finished part.
    pub code: u8,
}

thread_local! {
    /// The call that this thread answers.
    static CURRENT: RefCell<Option<(Call, Answer)>> = const { RefCell::new(None) };
}

/// Makes this the call that the thread answers.
pub(crate) fn begin(call: Call) {
    CURRENT.set(Some((call, Answer::default())));
}

/// Ends the call that the thread answers, and returns what was said.
pub(crate) fn end() -> Answer {
    CURRENT.take().map(|(_, answer)| answer).unwrap_or_default()
}

/// Does something with the current call; `None` at a prompt.
fn with<T>(what: impl FnOnce(&mut Call, &mut Answer) -> T) -> Option<T> {
    CURRENT.with_borrow_mut(|current| current.as_mut().map(|(call, answer)| what(call, answer)))
}

pub(crate) fn is_one() -> bool {
    with(|_, _| ()).is_some()
}

/// Takes what the command prints, and returns whether there is a call to take it.
pub(crate) fn print(text: &str) -> bool {
    with(|_, answer| answer.text.push_str(text)).is_some()
}

/// Takes a remark, and returns whether there is a call to take it.
pub(crate) fn remark(line: &str) -> bool {
    with(|_, answer| answer.notes.push(line.to_owned())).is_some()
}

pub(crate) fn words() -> Option<Vec<String>> {
    with(|call, _| call.words.clone())
}

/// The networks of the program that has called.
pub(crate) fn networks() -> Vec<(String, Links)> {
    with(|call, _| call.networks.clone()).unwrap_or_default()
}

pub(crate) fn board() -> Option<Board> {
    with(|call, _| call.board.clone())
}

/// A line of progress, which another thread may look at.
#[derive(Clone, Debug, Default)]
pub struct Board(Arc<Mutex<Lines>>);

#[derive(Debug, Default)]
struct Lines {
    /// The line that is being written.
    next: String,
    shown: String,
}

impl Board {
    /// Returns the line; an empty one as long as a command has taken less than a second.
    #[must_use]
    pub fn line(&self) -> String {
        self.change(|lines| lines.shown.trim_end().to_owned())
    }

    pub(crate) fn target(&self) -> ProgressDrawTarget {
        ProgressDrawTarget::term_like(Box::new(self.clone()))
    }

    fn change<T>(&self, how: impl FnOnce(&mut Lines) -> T) -> T {
        how(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// As a terminal, it has one line.
impl TermLike for Board {
    fn width(&self) -> u16 {
        100
    }
    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        self.change(|lines| lines.next.push_str(text));
        Ok(())
    }
    fn clear_line(&self) -> io::Result<()> {
        self.change(|lines| lines.next.clear());
        Ok(())
    }
    fn flush(&self) -> io::Result<()> {
        self.change(|lines| lines.shown.clone_from(&lines.next));
        Ok(())
    }
}
