//! `tenure members`: shows the members of a cluster, and changes them.

use crate::control::client::{self, ControlAddress};
use crate::control::{ClientMessage, MemberMessage, MembersReport};
use crate::error::CommandError;
use crate::join::AskedMember;
use crate::office::{OutputFormat, pretty, with_word};
use crate::print;
use clap::Subcommand;
use std::fmt::Write as _;
use suffrage_stdio::TextColumns;

/// Show the members of the cluster, and change them while offices are led
///
/// Asks the member of this host, or of another one: with --config from a host of the cluster, with --members from any host
/// that has a certificate of the cluster. A client's certificate allows to ask; only an operator's or a member's allows to
/// change the members.
///
/// A change needs a majority of the old members and one of the new ones. Offices stay led, and one change is made at a
/// time, however many operators ask. A change that was begun goes on if this command is interrupted.
///
/// Afterwards the configuration files of the members have to name the new ones: a member does not start with an old file.
/// A file with the key `join` leaves that to the member's record.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Option<MembersCommand>,

    #[command(flatten)]
    asked: AskedMember,

    /// How to write the answer
    #[arg(long, global = true, value_enum, default_value_t)]
    format: OutputFormat,
}

#[derive(Subcommand)]
enum MembersCommand {
    /// Show the members, and the hosts that wait to be added; the same as no command
    Show,
    /// Make a host a member. It waits for that: `tenure serve` runs there with a configuration that has the key `join`
    Add {
        /// The name in its certificate
        name: String,
        /// Where the other members reach it, if not at the address in its own configuration
        address: Option<String>,
    },
    /// Let a member be one no longer. It has no vote from then on, and need not run
    Remove {
        /// Its name
        name: String,
    },
    /// Let a host that waits to be added take the place of a member, in one change
    Replace {
        /// The name of the member
        name: String,
        /// The name of the host
        by: String,
        /// Where the other members reach it, if not at the address in its own configuration
        address: Option<String>,
    },
    /// Go on without members that are lost for good, with a majority: the asked member and the others decide alone
    ///
    /// Only if the hosts are destroyed or will never run again with their records. If one of them runs and is only cut off,
    /// there may be two leaders of an office, without an end, and terms may go back. Ask one member only: what is forced at
    /// two members makes two clusters. Refused while a lost member is connected, and where the others are a majority.
    Force {
        /// The lost members
        #[arg(
            long = "i-have-lost",
            value_name = "NAME,..",
            value_delimiter = ',',
            required = true
        )]
        lost: Vec<String>,
    },
}

pub(crate) async fn run(args: &Args) -> Result<u8, CommandError> {
    let place = args.asked.place()?;
    let (request, word) = match args.command.as_ref().unwrap_or(&MembersCommand::Show) {
        MembersCommand::Show => return show(&place, args.format).await,
        MembersCommand::Add { name, address } => {
            let (name, address) = (name.clone(), address.clone());
            (ClientMessage::AddMember { name, address }, "waits until the new members decide alone")
        }
        MembersCommand::Remove { name } => {
            let name = name.clone();
            (ClientMessage::RemoveMember { name }, "waits until the other members decide alone")
        }
        MembersCommand::Replace { name, by, address } => {
            let (name, by, address) = (name.clone(), by.clone(), address.clone());
            let request = ClientMessage::ReplaceMember { name, by, address };
            (request, "waits until the new members decide alone")
        }
        MembersCommand::Force { lost } => {
            let lost = lost.clone();
            (ClientMessage::ForceMembers { lost }, "waits for an answer")
        }
    };
    with_word(word, client::ask(&place, &request)).await?;
    show(&place, args.format).await
}

async fn show(place: &ControlAddress, format: OutputFormat) -> Result<u8, CommandError> {
    match with_word("waits for an answer", client::ask(place, &ClientMessage::Members {})).await? {
        MemberMessage::Members(report) if format == OutputFormat::Json => print(&pretty(&report)),
        MemberMessage::Members(report) => print(&table(&report)),
        _ => Err(CommandError::failed(format!("{place} answers nonsense"))),
    }
    .map(|_| 0)
}

fn table(report: &MembersReport) -> String {
    let heads = ["member", "number", "address", "connected", ""].map(str::to_owned);
    let mut rows = vec![heads.to_vec()];
    for member in &report.members {
        let connected = if member.connected { "yes" } else { "NO" };
        let mut notes = Vec::new();
        notes.extend(member.witness.then_some("witness"));
        notes.extend(member.comes.then_some("is being added"));
        notes.extend(member.leaves.then_some("is being removed"));
        rows.push(vec![
            member.name.clone(),
            member.number.to_string(),
            member.address.clone(),
            connected.to_owned(),
            notes.join(", "),
        ]);
    }
    let mut text = TextColumns::of(&rows).text(&rows);
    if report.changing {
        text.push_str("a change is under way\n");
    }
    for name in &report.waiting {
        let _ = writeln!(text, "{name} waits to be added: tenure members add {name}");
    }
    text
}
