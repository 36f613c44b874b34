//! `tenure lead`: runs a command while this host leads.

pub(crate) mod candidate;
mod health;
mod leader_loop;
pub(crate) mod settings;

use crate::control::client::{self, ControlAddress};
use crate::error::CommandError;
use crate::join::{self, MembersArgs};
use crate::log::LogArgs;
use crate::notify::Notify;
use crate::signals::Signals;
use candidate::Candidate;
use health::HealthProbe;
use leader_loop::LeaderLoop;
use settings::{LeadSettings, OnExit};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use tenure_guard::Workload;

/// Run a command where this host leads, and nowhere else
///
/// Runs for OFFICE, again after each loss. Starts COMMAND on becoming leader, and ends it, with all processes
/// that it has started, before another host can win. COMMAND reads from /dev/null and leads a process group.
/// On SIGTERM this program stops COMMAND, waits until all its processes are gone, releases the office, and
/// ends. On SIGHUP it reads --config again: certificates, priorities and offices. But if standard input is a
/// terminal, which is closing then, SIGHUP works like SIGTERM.
#[derive(clap::Args)]
#[command(after_help = MORE)]
pub struct Args {
    /// What to lead: any name, the same on all hosts
    office: String,

    /// The command, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    /// Be a member of the cluster, by this configuration: the same file on all hosts
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(flatten)]
    members: MembersArgs,

    /// With --config: where operators find this member. Else: the socket of the member of this host that
    /// stands for us [default: what the variable `TENURE_SOCKET` names, or the only one there is]
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,

    /// Of several hosts that stand, the one of the greatest priority leads
    #[arg(long, value_name = "N")]
    priority: Option<u32>,

    /// Once this host has been able to lead for this long while another one leads, have the office
    /// transferred to it: for the one host that is to lead whenever it can
    #[arg(long, value_name = "TIME", value_parser = interval, conflicts_with = "members")]
    take_back: Option<Duration>,

    /// How long COMMAND may go on after its leadership was lost: SIGTERM at the loss, SIGKILL after
    /// this time. Not more than the cluster's stop time, which is how long successors wait [default:
    /// the cluster's; where that is 0, COMMAND is killed as the leadership ends]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    stop: Option<Duration>,

    /// How long before COMMAND must be dead its guard kills it. A host that is slow to run processes,
    /// since its processors are busy, needs more
    #[arg(long, value_name = "TIME", default_value = "20ms", value_parser = interval)]
    margin: Duration,

    /// How long COMMAND may take to stop when the office is given up: on SIGTERM to this program,
    /// when it is resigned or transferred, or when COMMAND is not healthy. The office is held
    /// meanwhile
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = humantime::parse_duration)]
    grace: Duration,

    /// What happens when COMMAND ends by itself
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    on_exit: OnExit,

    /// Stand only while this shell command succeeds; asked while COMMAND does not run
    #[arg(long, value_name = "CMD", help_heading = "Probes")]
    ready: Option<String>,

    /// Leave the office when this shell command fails, or this address (http://..) does not answer
    /// with a status of 2xx; asked while COMMAND runs
    #[arg(long, value_name = "CMD|URL", value_parser = HealthProbe::parse, help_heading = "Probes")]
    health: Option<HealthProbe>,

    /// How long to wait between two probes
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval)]
    #[arg(help_heading = "Probes")]
    interval: Duration,

    /// The number of failures of --health in a row after which the office is left
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(help_heading = "Probes")]
    failures: u32,

    /// Failures of --health do not count for this long after the start, or until it has succeeded
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration)]
    #[arg(help_heading = "Probes")]
    warm_up: Duration,

    /// A probe that takes longer has failed
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = interval)]
    #[arg(help_heading = "Probes")]
    probe_limit: Duration,

    /// A shell command that ends before COMMAND starts; if it fails, COMMAND does not start
    #[arg(long, value_name = "CMD", help_heading = "Hooks")]
    on_win: Option<String>,

    /// A shell command that starts when COMMAND and all processes that it left are gone, also when
    /// this program was killed. An office that is given up is released when it has ended; one that was
    /// lost is free after the stop time, whether it has ended or not
    #[arg(long, value_name = "CMD", help_heading = "Hooks")]
    on_lose: Option<String>,

    /// A hook that takes longer is killed
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = interval)]
    #[arg(help_heading = "Hooks")]
    hook_limit: Duration,

    /// Do not put COMMAND into a control group of its own
    #[arg(long)]
    no_cgroup: bool,

    #[command(flatten)]
    log: LogArgs,
}

const MORE: &str = "\
Environment of COMMAND:
  TENURE_OFFICE        the office
  TENURE_TERM          the fencing token: a number that is greater in each leadership; pass it on
                         with every write, so that the resource can refuse smaller ones
  TENURE_MEMBER        the member that leads
  TENURE_LEASE         a file with a line `SECONDS TERM OFFICE`: the leadership is certain until
                         /proc/uptime shows SECONDS
  TENURE_LEASE_SOCKET  a Unix socket that tells each client how many seconds are left

Examples:
  tenure lead db-primary --config members.toml -- ./my-service
  tenure lead backup -- /usr/local/bin/nightly-backup
  tenure lead web --health http://127.0.0.1:8080/health -- ./server
  tenure lead db --on-win 'ip addr add 10.0.0.9/24 dev eth0' \\
      --on-lose 'ip addr del 10.0.0.9/24 dev eth0' -- postgres -D /var/lib/postgresql

Exit codes:
  0    asked to end, and has released the office
  1    cannot go on
  2    the command line or the configuration cannot be used
  other  with --on-exit stop: that of COMMAND, and 128 and the signal's number if one ended it";

/// Parses a duration that is not zero.
fn interval(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if time.is_zero() { Err("it must be more than 0".to_owned()) } else { Ok(time) }
}

impl Args {
    fn settings(&self) -> LeadSettings {
        LeadSettings {
            office: self.office.clone(),
            priority: self.priority,
            take_back: self.take_back,
            command: self.command.clone(),
            grace: self.grace,
            on_exit: self.on_exit,
            ready: self.ready.clone(),
            health: self.health.clone(),
            interval: self.interval,
            failures: self.failures,
            warm_up: self.warm_up,
            probe_limit: self.probe_limit,
        }
    }

    /// Returns the guard's workload, given the name of the member, the stop time of the office, and
    /// the longest stop time of the cluster.
    fn workload(
        &self,
        member: &str,
        stop: Duration,
        longest: Duration,
    ) -> Result<Workload, CommandError> {
        let stop = self.stop.unwrap_or(stop);
        if stop > longest {
            return Err(CommandError::usage(format!(
                "--stop {}: successors wait for {} only; set the stop time of the office in the \
                 configuration of all members, or take less",
                humantime::format_duration(stop),
                humantime::format_duration(longest)
            )));
        }
        let mut workload = Workload::new(&*self.office, member, self.command.clone());
        workload.stop = stop;
        workload.margin = self.margin;
        workload.on_win.clone_from(&self.on_win);
        workload.on_lose.clone_from(&self.on_lose);
        workload.hook_limit = self.hook_limit;
        workload.ready.clone_from(&self.ready);
        if let Some(HealthProbe::Command(line)) = &self.health {
            workload.health = Some(line.clone());
        }
        workload.probe_limit = self.probe_limit;
        workload.cgroup = !self.no_cgroup;
        Ok(workload)
    }
}

/// Runs the command. Returns the exit code.
pub(crate) async fn run(args: &Args) -> Result<u8, CommandError> {
    let settings = args.settings();
    settings.check()?;
    let client = args.members.client()?;
    args.log.start();
    let mut notify = Notify::from_environment();
    let mut signals =
        Signals::listen().map_err(|error| CommandError::failed(format!("signals: {error}")))?;
    let joined = match (&args.config, client) {
        (Some(path), _) => Some(join::member(path, args.socket.as_deref()).await?),
        (None, Some(config)) => {
            notify.status("asks for the list of members");
            tokio::select! {
                joined = join::client(config, &args.office) => Some(joined?),
                () = signals.quit() => return Ok(0),
            }
        }
        (None, None) => None,
    };
    let (candidate, workload) = match &joined {
        Some(joined) => {
            let participant = joined.participant.clone();
            notify.depend_on(&participant);
            let stop = joined.stops.of(&args.office);
            let workload = args.workload(participant.name(), stop, joined.timing.stop)?;
            (Candidate::Here(participant), workload)
        }
        None => {
            let path = client::find(args.socket.as_deref())?;
            let place = ControlAddress::Socket(path.clone());
            let (member, stop, longest) = client::introduce(&place, &args.office).await?;
            (Candidate::There(path), args.workload(&member, stop, longest)?)
        }
    };
    let leader_loop = LeaderLoop::new(&settings, candidate, notify, signals, workload)?;
    let done = leader_loop.run().await;
    if let Some(joined) = joined {
        joined.participant.shut_down().await;
    }
    done
}
