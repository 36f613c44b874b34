//! Commands as functions, for programs in other languages.
//!
//! A call has the words of a command line, and gives what the command prints. All that a command
//! reads, refuses and reports is therefore the same in a program as at a prompt.

use crate::cli::Cli;
use crate::commands::{check, elect};
use crate::error::{Ending, Error};
use crate::interrupt;
use clap::Parser;
use indicatif::{ProgressDrawTarget, TermLike};
use std::cell::RefCell;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use suffrage::algorithms::{CATALOGUE, Custom};
use suffrage::model::{NetworkClass, Process};
use suffrage::networks::{FileOptions, Links, Topology};

/// A command with its arguments.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The words of the command line behind `suffrage`.
    pub words: Vec<String>,
    /// Networks that the words can name in place of a file, by their names.
    pub networks: Vec<(String, Links)>,
    /// Shows how far the command is.
    pub board: Board,
}

/// What a command has said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What it has printed.
    pub text: String,
    /// Its remarks, as that something was left out.
    pub notes: Vec<String>,
    /// Its exit code: 0 if every property held, 1 if a run broke one, 130 if it was interrupted, and
    /// the text is of what was finished until then.
    pub code: u8,
}

thread_local! {
    /// The call that this thread answers.
    static CURRENT: RefCell<Option<(Call, Answer)>> = const { RefCell::new(None) };
}

impl Call {
    /// Runs the command on this thread.
    ///
    /// # Errors
    /// If the command line or its input cannot be used: with the message that the command prints.
    pub fn answer(self) -> Result<Answer, String> {
        self.answered(|words| {
            let cli = Cli::of(words).map_err(|error| unread(&error))?;
            cli.run().map_err(|error| error.to_string())
        })
    }

    /// Holds an election of a process that is not in the catalogue, under the flags of `suffrage
    /// elect`, on this thread. The report is in JSON; messages are counted by kind alone.
    ///
    /// # Errors
    /// As [`answer`](Self::answer), and if a flag needs an algorithm of the catalogue.
    pub fn elect_own<P: Process>(
        self,
        process: &Custom<P>,
        network: NetworkClass,
    ) -> Result<Answer, String> {
        self.answered(|words| {
            let Own { args } = Own::<elect::Args>::read(words)?;
            args.own(process, network).map_err(|error| error.to_string())
        })
    }

    /// Explores every schedule of small elections of a process that is not in the catalogue, under
    /// the flags of `suffrage check`, on this thread. The report is in JSON.
    ///
    /// # Errors
    /// As [`answer`](Self::answer), and if a flag needs an algorithm of the catalogue.
    pub fn check_own<P: Process>(
        self,
        process: &Custom<P>,
        network: NetworkClass,
    ) -> Result<Answer, String> {
        // The flags are those of an algorithm, whose name they need.
        let name = std::iter::once(CATALOGUE[0].name.to_owned());
        let words = name.chain(self.words.iter().cloned()).collect();
        Self { words, ..self }.answered(|words| {
            let Own { args } = Own::<check::Args>::read(words)?;
            args.own(process, network).map_err(|error| error.to_string())
        })
    }

    fn answered(
        self,
        run: impl FnOnce(Vec<String>) -> Result<Ending, String>,
    ) -> Result<Answer, String> {
        let _running = interrupt::Running::begin();
        let words = std::iter::once("suffrage".to_owned()).chain(self.words.clone()).collect();
        CURRENT.set(Some((self, Answer::default())));
        let done = run(words);
        let answer = CURRENT.take().map(|(_, answer)| answer).unwrap_or_default();
        done.map(|ending| Answer { code: ending.code(), ..answer })
    }
}

/// The flags of a command for a process that is not in the catalogue.
#[derive(Parser)]
#[command(name = "suffrage")]
struct Own<A: clap::Args> {
    #[command(flatten)]
    args: A,
}

impl<A: clap::Args> Own<A> {
    fn read(words: Vec<String>) -> Result<Self, String> {
        Self::try_parse_from(words).map_err(|error| unread(&error))
    }
}

/// Says why words were not read.
fn unread(error: &clap::Error) -> String {
    let text = error.render().to_string();
    // What follows is about the command line.
    let what = text.split("\n\nUsage:").next().unwrap_or_default();
    let what = what.split("\n\nFor more information").next().unwrap_or_default();
    what.trim_start_matches("error: ").trim_end().to_owned()
}

/// Asks the commands that are running for an orderly end, as Ctrl-C does: they report what has been
/// finished.
pub fn interrupt() {
    interrupt::ask();
}

/// Does something with the current call; `None` at a prompt.
fn with<T>(what: impl FnOnce(&mut Call, &mut Answer) -> T) -> Option<T> {
    CURRENT.with_borrow_mut(|current| current.as_mut().map(|(call, answer)| what(call, answer)))
}

/// Returns whether a program has called this command, and not a person.
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

/// Returns the words of the call.
pub(crate) fn words() -> Option<Vec<String>> {
    with(|call, _| call.words.clone())
}

/// Returns the network of this name, if the program has one.
pub(crate) fn network(name: &str, options: FileOptions) -> Option<Result<Topology, Error>> {
    let links = with(|call, _| {
        let place = call.networks.iter().position(|(known, _)| known == name)?;
        Some(call.networks[place].1.clone())
    })??;
    Some(links.topology(name, options).map_err(|error| Error::of("--topology", error)))
}

/// Returns where the progress of this call is shown.
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

    /// Returns the target of a progress bar.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn call(line: &str, networks: Vec<(String, Links)>) -> Result<Answer, String> {
        let words = line.split(' ').map(str::to_owned).collect();
        Call { words, networks, board: Board::default() }.answer()
    }

    #[test]
    fn a_call_returns_what_the_command_prints() {
        let answer = call("elect humblet --nodes 10 --format json", Vec::new()).unwrap();
        assert!(
            answer.text.contains(r#""command": "suffrage elect humblet --nodes 10 --format json""#)
        );
        assert_eq!((answer.code, answer.notes), (0, Vec::new()));
    }

    #[test]
    fn a_call_names_the_networks_of_its_program() {
        let links = Links { nodes: 3, links: vec![(0, 1), (1, 2)], ..Links::default() };
        let named = |links| vec![("mine".to_owned(), links)];
        let answer = call("elect tree-wave --topology mine", named(links.clone())).unwrap();
        assert!(answer.text.starts_with("tree-wave on mine"));
        let parted = Links { nodes: 4, ..links };
        let refused = call("elect tree-wave --topology mine", named(parted)).unwrap_err();
        assert!(refused.starts_with("--topology: mine is not connected"), "{refused}");
    }

    #[test]
    fn a_call_is_refused_in_the_words_of_the_command() {
        let refused = call("elect humblet --schedule soon", Vec::new()).unwrap_err();
        assert!(refused.starts_with("invalid value 'soon' for '--schedule"), "{refused}");
        assert!(!refused.contains("--help"), "{refused}");
    }
}
