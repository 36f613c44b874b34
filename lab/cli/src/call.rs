//! Commands as functions, for programs in other languages.
//!
//! A call has the words of a command line, and returns the output of the command. So a program gets
//! the same checks, errors and reports as a person at a prompt.

use crate::cli::Cli;
use crate::commands::{check, elect};
use crate::error::CommandEnding;
use crate::interrupt;
use crate::session;
pub use crate::session::{Answer, Board, Call};
use clap::Parser;
use suffrage::algorithms::{CATALOGUE, Custom};
use suffrage::model::{NetworkClass, Process};

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
        run: impl FnOnce(Vec<String>) -> Result<CommandEnding, String>,
    ) -> Result<Answer, String> {
        let _running = interrupt::CalledCommand::begin();
        let words = std::iter::once("suffrage".to_owned()).chain(self.words.clone()).collect();
        session::begin(self);
        let done = run(words);
        let answer = session::end();
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

#[cfg(test)]
mod tests {
    use super::*;
    use suffrage::networks::Links;

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
