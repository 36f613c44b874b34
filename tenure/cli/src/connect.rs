//! `tenure connect`: runs a command against the leader of an office, wherever it is.

use crate::child;
use crate::control::client::ControlAddress;
use crate::control::{ClientMessage, MemberMessage, OfficeReport};
use crate::done;
use crate::error::CommandError;
use crate::join::AskedMember;
use crate::log::LogArgs;
use crate::signals::Signals;
use std::ffi::{OsStr, OsString};
use std::time::Duration;
use suffrage_shell::NEWS;
use tenure_node::OfficeName;
use tokio::process::Child;
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::{info, warn};

/// Run a command against the leader, and again when that changes
///
/// Waits until OFFICE has a leader with a value (`tenure lead --value`), and starts COMMAND. In its words, {value} is the
/// value, {leader} the name of the leader and {term} its term; `TENURE_VALUE`, `TENURE_LEADER` and `TENURE_TERM` have them.
/// When there is another leader or another value, COMMAND is ended by SIGTERM and started again. While no leader is known
/// it goes on. If it ends well by itself, the next change is waited for; if it fails, it starts again after a second.
#[derive(clap::Args)]
#[command(after_help = MORE)]
pub struct Args {
    /// The office
    office: String,

    /// The command, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    /// End with COMMAND, and with its exit code, when it ends by itself
    #[arg(long)]
    once: bool,

    /// How long COMMAND may take to end, before SIGKILL
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = humantime::parse_duration)]
    grace: Duration,

    #[command(flatten)]
    asked: AskedMember,

    #[command(flatten)]
    log: LogArgs,
}

const MORE: &str = "\
Examples:
  tenure connect db-primary --once -- psql {value}
  tenure connect web -- /usr/local/bin/point-proxy-to {value}";

/// The pause before another attempt to ask a member, or to run a command that has failed.
const AGAIN: Duration = Duration::from_secs(1);

/// A leader with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ConnectTarget {
    /// The term, and the number of the change.
    version: (u64, u64),
    leader: String,
    value: String,
}

impl ConnectTarget {
    fn of(report: OfficeReport) -> Option<Self> {
        let OfficeReport { leader, term, value, change, .. } = report;
        Some(Self { version: (term?, change?), leader: leader?, value: value? })
    }

    fn start(&self, command: &[OsString]) -> Result<Child, CommandError> {
        let term = self.version.0.to_string();
        let fill = |word: &OsString| match word.to_str() {
            // The value last: what is in it is no placeholder.
            Some(text) => text
                .replace("{leader}", &self.leader)
                .replace("{term}", &term)
                .replace("{value}", &self.value)
                .into(),
            None => word.clone(),
        };
        let words: Vec<OsString> = command.iter().map(fill).collect();
        let environment = [
            ("TENURE_VALUE", &*self.value),
            ("TENURE_LEADER", &self.leader),
            ("TENURE_TERM", &term),
        ];
        child::start(&words, &environment)
    }
}

/// Runs the command. Returns the exit code.
pub(crate) async fn run(args: &Args) -> Result<u8, CommandError> {
    OfficeName::new(&args.office)?;
    let program = args.command.first().map_or(OsStr::new(""), OsString::as_os_str);
    let filled = program.to_str().is_some_and(|name| name.contains('{'));
    if !filled {
        child::check(&args.command)?;
    }
    let place = args.asked.place()?;
    let _log = args.log.start()?;
    let mut signals = Signals::listen()?;
    let (news, mut targets) = watch::channel(None);
    let following = follow(&place, &args.office, &news);
    tokio::pin!(following);
    let mut running: Option<Child> = None;
    loop {
        let again = tokio::select! {
            () = signals.quit() => {
                stop(running.take(), args.grace).await;
                return Ok(0);
            }
            error = &mut following => return Err(error),
            _ = targets.changed() => {
                stop(running.take(), args.grace).await;
                true
            }
            ended = done(running.as_mut().map(Child::wait)) => {
                running = None;
                let code = ended.map_or(1, child::exit_code);
                if args.once {
                    return Ok(code);
                }
                if code != 0 {
                    warn!(target: NEWS, "COMMAND has failed with exit code {code}, and starts again");
                    tokio::select! {
                        () = signals.quit() => return Ok(0),
                        () = sleep(AGAIN) => {}
                    }
                }
                code != 0
            }
        };
        let target: Option<ConnectTarget> = targets.borrow_and_update().clone();
        if let Some(target) = target.filter(|_| again) {
            info!(target: NEWS, "{} leads {} at {}", target.leader, args.office, target.value);
            running = Some(target.start(&args.command)?);
        }
    }
}

/// Tells of each leader with a value, newer ones only: another member that is asked may be behind. Returns an error that
/// another attempt does not change.
async fn follow(
    place: &ControlAddress,
    office: &str,
    news: &watch::Sender<Option<ConnectTarget>>,
) -> CommandError {
    let mut last = String::new();
    loop {
        match watch_office(place, office, news).await {
            Err(error) if error.code == 2 => return error,
            Err(error) if error.to_string() != last => {
                last = error.to_string();
                warn!(target: NEWS, "{last}: asks again");
            }
            _ => {}
        }
        sleep(AGAIN).await;
    }
}

async fn watch_office(
    place: &ControlAddress,
    office: &str,
    news: &watch::Sender<Option<ConnectTarget>>,
) -> Result<(), CommandError> {
    let mut lines = place.connect().await?;
    let gone = |error: std::io::Error| CommandError::failed(format!("the member is gone: {error}"));
    lines.say(&ClientMessage::Watch { office: office.to_owned() }).await.map_err(gone)?;
    while let Some(answer) = lines.hear().await.map_err(gone)? {
        match answer {
            MemberMessage::Office(report) => {
                let version = |target: &Option<ConnectTarget>| target.as_ref().map(|it| it.version);
                let target = ConnectTarget::of(report);
                news.send_if_modified(|known| {
                    let newer = version(&target) > version(known);
                    if newer {
                        known.clone_from(&target);
                    }
                    newer
                });
            }
            MemberMessage::Refused { why, .. } => return Err(CommandError::usage(why)),
            _ => {}
        }
    }
    Err(CommandError::failed("the member has ended"))
}

async fn stop(running: Option<Child>, grace: Duration) {
    if let Some(running) = running {
        child::stop(running, grace).await;
    }
}
