//! `tenure office`: shows who leads what, and makes leaders leave.

use crate::control::client::{self, ControlAddress};
use crate::control::{ClientMessage, LeaderChange, MemberMessage, OfficeReport};
use crate::error::CommandError;
use crate::join::AskedMember;
use crate::print;
use clap::{Subcommand, ValueEnum};
use std::io::{IsTerminal, Write as _};
use std::time::Duration;
use suffrage_stdio::TextColumns;
use tenure_node::OfficeName;
use tokio::time::sleep;

/// Show who leads what, at which term, and make a leader leave
///
/// Asks the member of this host, or of another one: with --config from a host of the cluster, with
/// --members from any host that has a certificate of the cluster. A client's certificate allows to
/// ask; only an operator's or a member's allows to make a leader leave.
///
/// For `list` and `show`, the member also asks the other members. The output shows the age of the
/// information: a leader that cannot be heard may have lost its office, and there may be another
/// one.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: OfficeCommand,

    #[command(flatten)]
    asked: AskedMember,

    /// How to write the answer
    #[arg(long, global = true, value_enum, default_value_t)]
    format: OutputFormat,
}

/// The format of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

#[derive(Subcommand)]
enum OfficeCommand {
    /// List all offices that a member knows: those for which it stands, of its configuration, or
    /// about which it was asked
    List,
    /// Show who leads an office, if there is a leader
    Show {
        /// The office
        office: String,
        /// Print the value of the leader and nothing else; the exit code is 1 if there is no leader, or it has set none
        #[arg(long, conflicts_with = "format")]
        value: bool,
    },
    /// Print a JSON line now and at each change, until interrupted
    Watch {
        /// The office
        office: String,
    },
    /// Ask the leader, wherever it is, to stop its work and to leave the office
    Resign {
        /// The office
        office: String,
    },
    /// Ask the leader, wherever it is, to leave the office to another participant. Fails if that one
    /// leads already, does not stand or does not answer, if the command does not end, or if another one
    /// leads afterwards
    Transfer {
        /// The office
        office: String,
        /// The participant that should lead; it must stand for the office
        #[arg(long, value_name = "MEMBER")]
        to: String,
    },
    /// List the leaders of an office that the member has seen, the latest last: since it started,
    /// if it stands for the office or has it in its configuration, and otherwise since it was first
    /// asked about it
    History {
        /// The office
        office: String,
    },
}

impl OfficeCommand {
    fn office(&self) -> Option<&str> {
        match self {
            Self::List => None,
            Self::Show { office, .. }
            | Self::Watch { office }
            | Self::Resign { office }
            | Self::Transfer { office, .. }
            | Self::History { office } => Some(office),
        }
    }
}

pub(crate) async fn run(args: &Args) -> Result<u8, CommandError> {
    args.command.office().map(OfficeName::new).transpose()?;
    let place = args.asked.place()?;
    let request = match &args.command {
        OfficeCommand::List => ClientMessage::List {},
        OfficeCommand::Show { office, .. } => ClientMessage::Show { office: office.clone() },
        OfficeCommand::Watch { office } => return watch(&place, office).await,
        OfficeCommand::Resign { office } => ClientMessage::Resign { office: office.clone() },
        OfficeCommand::Transfer { office, to } => {
            ClientMessage::Transfer { office: office.clone(), to: to.clone() }
        }
        OfficeCommand::History { office } => ClientMessage::History { office: office.clone() },
    };
    let word = match request {
        ClientMessage::Resign { .. } | ClientMessage::Transfer { .. } => {
            "waits until the leader has ended its work"
        }
        _ => "waits for an answer",
    };
    let answer = with_word(word, client::ask(&place, &request)).await?;
    if let (OfficeCommand::Show { value: true, .. }, MemberMessage::Office(report)) =
        (&args.command, &answer)
    {
        let Some(value) = &report.value else { return Ok(1) };
        return print(&format!("{value}\n")).map(|_| 0);
    }
    let json = args.format == OutputFormat::Json;
    print(&match answer {
        MemberMessage::Offices(offices) if json => pretty(&offices),
        MemberMessage::Offices(offices) => table(&offices),
        MemberMessage::Office(office) if json => pretty(&office),
        MemberMessage::Office(office) => table(&[office]),
        MemberMessage::History(changes) if json => pretty(&changes),
        MemberMessage::History(changes) => history(&changes),
        MemberMessage::Done {} => match &args.command {
            OfficeCommand::Transfer { office, to } if !json => format!("{to} leads {office}\n"),
            _ => String::new(),
        },
        _ => String::new(),
    })?;
    Ok(0)
}

/// Says on a terminal that an answer takes long: a command may take its time to stop.
pub(crate) async fn with_word<T>(word: &str, answer: impl Future<Output = T>) -> T {
    tokio::pin!(answer);
    tokio::select! {
        answer = &mut answer => return answer,
        () = sleep(Duration::from_secs(1)) => {}
    }
    if std::io::stderr().is_terminal() {
        let _ = writeln!(std::io::stderr(), "{word} ..");
    }
    answer.await
}

async fn watch(place: &ControlAddress, office: &str) -> Result<u8, CommandError> {
    let mut lines = with_word("waits for an answer", place.connect()).await?;
    let gone = |error: std::io::Error| CommandError::failed(format!("the member is gone: {error}"));
    lines.say(&ClientMessage::Watch { office: office.to_owned() }).await.map_err(gone)?;
    while let Some(answer) = lines.hear().await.map_err(gone)? {
        match answer {
            MemberMessage::Office(report) => {
                let line = serde_json::to_string(&report).unwrap_or_default();
                if !print(&format!("{line}\n"))? {
                    return Ok(0);
                }
            }
            MemberMessage::Refused { why, .. } => return Err(CommandError::failed(why)),
            _ => {}
        }
    }
    Err(CommandError::failed("the member has ended"))
}

pub(crate) fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// The beginning of a value, for a table.
fn shorten(value: &str) -> String {
    match value.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}..", &value[..end]),
        None => value.to_owned(),
    }
}

/// How many letters of a value a table shows.
const LONGEST_SHOWN: usize = 60;

/// The columns of a table. The last one is left out where no leader has a value.
const HEADS: [&str; 8] =
    ["office", "leader", "term", "since", "valid for", "heard", "command", "value"];

fn table(offices: &[OfficeReport]) -> String {
    let mut rows = vec![HEADS.map(str::to_owned).to_vec()];
    for office in offices {
        let term = office.term.map_or_else(|| "-".to_owned(), |term| term.to_string());
        let valid = office.valid_for_ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms} ms"));
        let heard =
            if office.here { "here".to_owned() } else { format!("{} ms ago", office.staleness_ms) };
        let leader = office.leader.as_deref().unwrap_or("(none)");
        let since = office.since.as_deref().unwrap_or("-");
        let command = office.command.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        let value = office.value.as_deref().map_or_else(|| "-".to_owned(), shorten);
        let cells: [&str; 8] =
            [&office.office, leader, &term, since, &valid, &heard, &command, &value];
        rows.push(cells.map(str::to_owned).to_vec());
    }
    if offices.iter().all(|office| office.value.is_none()) {
        rows.iter_mut().for_each(|row| row.truncate(HEADS.len() - 1));
    }
    TextColumns::of(&rows).text(&rows)
}

fn history(changes: &[LeaderChange]) -> String {
    let mut rows = vec![vec!["at".to_owned(), "leader".to_owned(), "term".to_owned()]];
    for change in changes {
        let leader = change.leader.clone().unwrap_or_else(|| "(none)".to_owned());
        let term = change.term.map_or_else(|| "-".to_owned(), |term| term.to_string());
        rows.push(vec![change.at.clone(), leader, term]);
    }
    TextColumns::of(&rows).text(&rows)
}

#[cfg(test)]
mod tests;
