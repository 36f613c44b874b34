//! `tenure lead`: runs a command while this host leads.

mod candidate;
mod health;
mod leader_loop;
pub(crate) mod leader_state;
pub(crate) mod office_session;
mod settings;
mod take_back;

pub use settings::Args;
pub(crate) use settings::TRY;
pub(crate) use settings::usual_margin_fits;

use crate::control::client::{self, ControlAddress};
use crate::control::server::OWN_USER;
use crate::done;
use crate::error::CommandError;
use crate::join;
use crate::notify::Notify;
use crate::signals::Signals;
use candidate::OfficeCandidate;
use leader_loop::LeaderLoop;
use leader_state::asked_to_end;
use tokio::time::{Instant, sleep_until};

/// Runs the command. Returns the exit code.
pub(crate) async fn run(args: &Args) -> Result<u8, CommandError> {
    let start = Instant::now();
    args.check()?;
    let client = args.members.client()?;
    let log = args.log.start()?;
    let mut notify = Notify::from_environment();
    let mut signals = Signals::listen()?;
    let joined = match (&args.config, client) {
        (Some(path), _) => Some(join::member(path, args.socket.as_deref(), OWN_USER).await?),
        (None, Some(config)) => {
            notify.status("asks for the list of members");
            let end = args.longest_wait().and_then(|wait| start.checked_add(wait));
            tokio::select! {
                joined = join::client(config, &args.office) => Some(joined?),
                () = signals.quit() => return asked_to_end(args),
                () = done(end.map(sleep_until)) => {
                    let why = "no member has answered in time";
                    return Err(CommandError::not_led(format!("this host does not lead {}: {why}", args.office)));
                }
            }
        }
        (None, None) => None,
    };
    let mut address = None;
    let (candidate, mut workload) = match &joined {
        Some(joined) => {
            let participant = joined.participant.clone();
            joined.watch(log.lines());
            notify.depend_on(&participant);
            let stop = joined.stops.of(&args.office);
            let workload = args.workload(participant.name(), stop, &joined.timing)?;
            address = joined.address.as_deref();
            (OfficeCandidate::Here(participant), workload)
        }
        None => {
            let path = client::find(args.socket.as_deref())?;
            let place = ControlAddress::Socket(path.clone());
            let (member, stop, timing) = client::introduce(&place, &args.office).await?;
            (OfficeCandidate::There(path), args.workload(&member, stop, &timing)?)
        }
    };
    let value = args.leader_value(&workload.member, address)?;
    value.text().clone_into(&mut workload.value);
    let leader_loop = LeaderLoop::new(args, candidate, notify, signals, workload, value)?;
    let done = leader_loop.run(start).await;
    if let Some(joined) = joined {
        joined.participant.shut_down().await;
    }
    done
}
