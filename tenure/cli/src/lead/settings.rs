//! The flags of `tenure lead`.

use super::health::HealthProbe;
use crate::error::CommandError;
use crate::join::MembersArgs;
use crate::log::LogArgs;
use clap::ValueEnum;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;
use tenure_guard::{Workload, program_file};
use tenure_node::{LeaderValue, LeaseTiming, OfficeName};

/// Run a command while this host leads
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
    pub(super) office: String,

    /// The command, after `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(super) command: Vec<OsString>,

    /// Be a member of the cluster, by this configuration: the same file on all hosts
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    #[command(flatten)]
    pub(super) members: MembersArgs,

    /// With --config: where operators find this member. Otherwise: the socket of the member on this host that stands
    /// for us [default: what the variable `TENURE_SOCKET` names, or the only one there is]
    #[arg(long, value_name = "PATH")]
    pub(super) socket: Option<PathBuf>,

    /// Among the hosts that stand, the one with the greatest priority leads
    #[arg(long, value_name = "N")]
    pub(super) priority: Option<u32>,

    /// What others are told of this leader, such as the address at which COMMAND serves (`tenure office show --value`).
    /// In it, {address} is the address of this member without its port (with --config), {member} its name, and {office}
    /// the office; other braces are as they are, so that it can be JSON
    #[arg(long, value_name = "TEXT")]
    pub(super) value: Option<String>,

    /// Transfer the office to this host once it has been able to lead for this long while another one leads: for one
    /// preferred host, which is a member (a client, --members, can make no leader leave)
    #[arg(long, value_name = "TIME", value_parser = interval)]
    pub(super) take_back: Option<Duration>,

    /// How long COMMAND may go on after its leadership was lost: SIGTERM at the loss, SIGKILL after this time. At most
    /// the cluster's stop time, for which successors wait [default: the cluster's; if it is 0, COMMAND is killed as the
    /// leadership ends]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(super) stop: Option<Duration>,

    /// How long before the deadline the guard kills COMMAND. A host with busy processors needs more
    #[arg(long, value_name = "TIME", default_value = MARGIN, value_parser = interval)]
    pub(super) margin: Duration,

    /// How long COMMAND may take to stop when the office is given up: on SIGTERM to this program,
    /// when it is resigned or transferred, or when COMMAND is not healthy. The office is held
    /// meanwhile
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = humantime::parse_duration)]
    pub(super) grace: Duration,

    /// What happens when COMMAND ends by itself [default: release]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) on_exit: Option<OnExit>,

    /// Run COMMAND one time, and end with its exit code. If it is ended before, since the leadership was lost or given
    /// up, end with 1
    #[arg(long)]
    pub(super) once: bool,

    /// With --once: how long to wait until this host leads, before this program ends with 3. With 0s it waits for no
    /// other leader, and 5 s at most where no host can lead
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    wait: Option<Duration>,

    /// Stand only while this shell command succeeds; it runs while COMMAND does not
    #[arg(long, value_name = "CMD", help_heading = "Probes")]
    pub(super) ready: Option<String>,

    /// Leave the office when this shell command fails, or this address (http://..) does not answer with a status of
    /// 2xx; checked while COMMAND runs
    #[arg(long, value_name = "CMD|URL", value_parser = HealthProbe::parse, help_heading = "Probes")]
    pub(super) health: Option<HealthProbe>,

    /// How long to wait between two probes
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval)]
    #[arg(help_heading = "Probes")]
    pub(super) interval: Duration,

    /// The number of failures of --health in a row after which the office is left
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(help_heading = "Probes")]
    pub(super) failures: u32,

    /// Failures of --health do not count for this long after the start, or until the first success
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = humantime::parse_duration)]
    #[arg(help_heading = "Probes")]
    pub(super) warm_up: Duration,

    /// A probe that takes longer has failed
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = interval)]
    #[arg(help_heading = "Probes")]
    pub(super) probe_limit: Duration,

    /// A shell command that ends before COMMAND starts; if it fails, COMMAND does not start
    #[arg(long, value_name = "CMD", help_heading = "Hooks")]
    on_win: Option<String>,

    /// A shell command that starts when COMMAND and all its descendants are gone, also if this program was killed. An
    /// office that is given up is released when the hook has ended; a lost office is free after the stop time, whether
    /// the hook has ended or not
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
    pub(super) log: LogArgs,
}

const MORE: &str = "\
Environment of COMMAND:
  TENURE_OFFICE        the office
  TENURE_TERM          the fencing token: a number that is greater in each leadership; pass it on
                         with every write, so that the resource can refuse smaller ones
  TENURE_MEMBER        the member that leads
  TENURE_VALUE         what --value tells of this leader, filled in
  TENURE_LEASE         a file that says until when the leadership is certain: `tenure valid` reads
                         it; docs/use/lead.md says how a shell does
  TENURE_LEASE_SOCKET  a Unix socket that tells each client how many seconds are left

Examples:
  tenure lead db-primary --config members.toml -- ./my-service
  tenure lead backup -- /usr/local/bin/nightly-backup
  tenure lead db --config members.toml --value 'postgres://{address}:5432' -- ./my-database
  tenure lead web --health http://127.0.0.1:8080/health -- ./server
  tenure lead db --on-win 'ip addr add 10.0.0.9/24 dev eth0' \\
      --on-lose 'ip addr del 10.0.0.9/24 dev eth0' -- postgres -D /var/lib/postgresql

Exit codes:
  0    it was asked to end, and has released the office
  1    cannot go on; with --once: COMMAND was ended, and has not ended by itself
  2    the command line or the configuration cannot be used
  3    with --wait: this host did not lead in that time, and COMMAND was not started
  other  with --on-exit stop or --once: COMMAND's exit code, or 128 and the signal's number if one
         ended it";

/// What the help of `tenure try` says last.
pub(crate) const TRY: &str = "\
COMMAND has the environment that `tenure lead --help` lists.

Examples:
  tenure try nightly-report -- /usr/local/bin/report
  tenure try migration --wait 30s -- ./migrate

Exit codes:
  1    it failed; or COMMAND was ended, since the leadership was lost or given up
  2    the command line or the configuration cannot be used
  3    this host did not lead in that time, and COMMAND was not started
  other  COMMAND's exit code, or 128 and the signal's number if one ended it";

/// How long --wait 0s waits where no host can lead.
const NO_LEADER: Duration = Duration::from_secs(5);

/// Parses a duration that is not zero.
fn interval(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if time.is_zero() { Err("it must be more than 0".to_owned()) } else { Ok(time) }
}

impl Args {
    /// Checks the name of the office, and that the command exists. It may be gone when the office is won;
    /// but this reports most mistakes early.
    pub(super) fn check(&self) -> Result<(), CommandError> {
        OfficeName::new(&self.office)?;
        if self.take_back.is_some() && !self.members.members.is_empty() {
            return Err(CommandError::usage(
                "--take-back: a host without a vote (--members) can make no leader leave; be a member (--config), or \
                 stand with --priority for when the office is vacant",
            ));
        }
        if self.once && self.on_exit.is_some() {
            return Err(CommandError::usage(
                "--on-exit: COMMAND runs one time (`--once`, `tenure try`), and its exit code is the one of this program",
            ));
        }
        if self.wait.is_some() && !self.once {
            return Err(CommandError::usage(
                "--wait: without --once this program stands for as long as it runs",
            ));
        }
        // Whatever the name and the address are.
        self.leader_value("", self.config.as_ref().map(|_| ""))?;
        let program = self.command.first().map_or(OsStr::new(""), OsString::as_os_str);
        if program_file(program).is_some() {
            return Ok(());
        }
        let program = program.display();
        Err(CommandError::usage(format!(
            "COMMAND: there is no program `{program}`, or it cannot be executed"
        )))
    }

    pub(super) fn on_exit(&self) -> OnExit {
        if self.once { OnExit::Stop } else { self.on_exit.unwrap_or_default() }
    }

    /// Returns whether to stand no longer when another program is known to lead.
    pub(super) fn only_try(&self) -> bool {
        self.wait.is_some_and(|wait| wait.is_zero())
    }

    /// Returns how long after its start this program stands at most.
    pub(super) fn longest_wait(&self) -> Option<Duration> {
        if self.only_try() { Some(NO_LEADER) } else { self.wait }
    }

    /// Returns the value of the leadership, given the name of the member, and its address if it is known.
    pub(super) fn leader_value(
        &self,
        member: &str,
        address: Option<&str>,
    ) -> Result<LeaderValue, CommandError> {
        let template = self.value.as_deref().unwrap_or_default();
        let wrong = |why: &dyn Display| CommandError::usage(format!("--value: {why}"));
        let (mut value, mut rest) = (String::new(), template);
        while let Some((before, after)) = rest.split_once('{') {
            value += before;
            let is_name = |name: &str| {
                !name.is_empty() && name.chars().all(|letter| letter.is_ascii_lowercase())
            };
            let Some((name, after)) = after.split_once('}').filter(|(name, _)| is_name(name))
            else {
                // As in JSON.
                (value, rest) = (value + "{", after);
                continue;
            };
            value += match name {
                "member" => member,
                "office" => &self.office,
                "address" => address.ok_or_else(|| {
                    wrong(&"{address} is the address of a member in its configuration (--config)")
                })?,
                _ => {
                    let why = "there are {address}, {member} and {office}";
                    return Err(wrong(&format!("there is no {{{name}}}; {why}")));
                }
            };
            rest = after;
        }
        value += rest;
        LeaderValue::new(&value).map_err(|why| wrong(&why))
    }

    /// Returns the guard's workload, given the name of the member, the stop time of the office, and the timing of the
    /// cluster. Refuses times with which the command would never run, or too long.
    pub(crate) fn workload(
        &self,
        member: &str,
        stop: Duration,
        timing: &LeaseTiming,
    ) -> Result<Workload, CommandError> {
        let (stop, longest) = (self.stop.unwrap_or(stop), timing.stop);
        if stop > longest {
            return Err(CommandError::usage(format!(
                "--stop {}: successors wait for {} only; set the stop time of the office in the \
                 configuration of all members, or take less",
                humantime::format_duration(stop),
                humantime::format_duration(longest)
            )));
        }
        let left = margin_fits(self.margin, timing).map_err(CommandError::usage)?;
        let mut workload = Workload::new(&*self.office, member, self.command.clone());
        workload.stop = stop;
        workload.margin = self.margin;
        // The rest is for renewals that are late.
        workload.spare = left / 2;
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

/// The usual margin.
const MARGIN: &str = "20ms";

/// Checks that a command can run with the usual margin.
pub(crate) fn usual_margin_fits(timing: &LeaseTiming) -> Result<(), String> {
    margin_fits(interval(MARGIN)?, timing).map(|_| ())
}

/// The precision of the timers of a guard, and the shortest margin.
const PRECISION: Duration = Duration::from_millis(1);

/// Checks that a command can run with this margin: each renewal has to arrive before the guard would kill it. Returns by
/// how much the margin could be longer.
fn margin_fits(margin: Duration, timing: &LeaseTiming) -> Result<Duration, String> {
    let shown = humantime::format_duration;
    if margin < PRECISION {
        return Err(format!(
            "--margin {}: a guard needs {} or more",
            shown(margin),
            shown(PRECISION)
        ));
    }
    // A renewal is on its way for some time: half a heartbeat is for that.
    let between = timing.heartbeat * 3 / 2 + PRECISION;
    let most = timing.lease.saturating_sub(between);
    if margin < most {
        return Ok(most - margin);
    }
    Err(format!(
        "--margin {}: COMMAND would never run, or be killed between two renewals: the lease is {} and is renewed \
         every {}. Take less than {}, or set a longer lease in the configuration of all members",
        shown(margin),
        shown(timing.lease),
        shown(timing.heartbeat),
        shown(most)
    ))
}

/// The reaction to a command that ends by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnExit {
    /// Release the office, and stand for it again
    #[default]
    Release,
    /// Start the command again, and keep the office
    Restart,
    /// Release the office, and end with the command's exit code
    Stop,
}

#[cfg(test)]
mod tests;
