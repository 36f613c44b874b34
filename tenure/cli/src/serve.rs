//! `tenure serve`: runs a member for the programs of its host.

use crate::error::CommandError;
use crate::log::LogArgs;
use crate::notify::Notify;
use crate::signals::Signals;
use crate::{join, print};
use std::path::PathBuf;
use tracing::info;

/// Be a member of the cluster, for several programs of this host
///
/// Votes, and stands for offices on behalf of local programs: `tenure lead OFFICE -- COMMAND` without --config finds
/// this member by its socket. On SIGTERM it waits until the commands of all offices that are held here have ended,
/// releases them, and ends. On SIGHUP it reads its configuration again: certificates, priorities, offices and the token
/// of HTTP, either all changes or none. If the standard input is a terminal, which is then being closed, it ends as on
/// SIGTERM.
#[derive(clap::Args)]
pub struct Args {
    /// The configuration
    #[arg(long, value_name = "FILE", required_unless_present = "print_config")]
    config: Option<PathBuf>,

    /// Print a configuration with every key, explained, and end
    #[arg(long)]
    print_config: bool,

    /// Where local programs find this member [default: a socket with its name in `XDG_RUNTIME_DIR`,
    /// or in /run for root]
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,

    /// The permissions of the socket: who may connect, may lead. 660 are those of the member's user and group
    /// [default: 600, its user alone]
    #[arg(long, value_name = "MODE", value_parser = permissions)]
    #[arg(default_value = "600", hide_default_value = true)]
    socket_mode: u32,

    #[command(flatten)]
    log: LogArgs,
}

/// Parses the permissions of a socket.
fn permissions(text: &str) -> Result<u32, String> {
    let is_octal = text.len() == 3 && text.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
    let mode = u32::from_str_radix(text, 8).ok().filter(|_| is_octal);
    // To connect takes the right to write.
    mode.filter(|mode| mode & 0o200 != 0 && mode & 0o111 == 0).ok_or_else(|| {
        "write who may read and write, the member's user among them: 600, 660 or 666".to_owned()
    })
}

pub(crate) async fn run(args: &Args) -> Result<u8, CommandError> {
    let Some(path) = args.config.as_ref().filter(|_| !args.print_config) else {
        print(tenure_node::config::EXAMPLE)?;
        return Ok(0);
    };
    let log = args.log.start()?;
    let mut signals = Signals::listen()?;
    let mut notify = Notify::from_environment();
    let joined = join::member(path, args.socket.as_deref(), args.socket_mode).await?;
    joined.watch(log.lines());
    notify.depend_on(&joined.participant);
    notify.ready();
    notify.status(&format!("{} votes", joined.participant.name()));
    loop {
        tokio::select! {
            () = signals.quit() => break,
            () = joined.participant.ended() => {
                return Err(CommandError::failed("the member has ended by itself"));
            }
            () = notify.beat() => {}
        }
    }
    notify.stopping();
    info!("ends, when the commands of its offices have ended");
    let ending = joined.participant.shut_down();
    tokio::pin!(ending);
    loop {
        tokio::select! {
            () = &mut ending => return Ok(0),
            // A second request does not wait: offices held here become vacant when the lease is over.
            () = signals.quit() => return Ok(1),
            () = notify.beat() => {}
        }
    }
}
