//! The member's side of its guard.

use crate::guard::cgroup::Cgroup;
use crate::guard::{lease, tree};
use crate::wire::{self, Exit, Order, Report};
use crate::{Boottime, GUARD};
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::UnixDatagram;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// What is run in an office, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workload {
    /// The name of the office: `SUFFRAGE_OFFICE`.
    pub office: String,
    /// The name of this member: `SUFFRAGE_MEMBER`.
    pub member: String,
    /// The program and its arguments.
    #[serde(skip)]
    pub command: Vec<OsString>,
    /// How long the command may go on after the leadership ended: it gets SIGTERM at the end, and
    /// SIGKILL when this time is over. If zero, it gets SIGKILL at the end. The member has to see to
    /// it that successors wait as long.
    pub stop: Duration,
    /// How long before a deadline its work is begun, so that it is done by then.
    pub margin: Duration,
    /// A shell's command line that ends before the command of a new tenure starts. If it fails, the
    /// command is not started.
    pub on_win: Option<String>,
    /// A shell's command line that is started at the end of a tenure, when the command and all that
    /// it left has been reaped.
    pub on_lose: Option<String>,
    /// How long each of the two may take.
    pub hook_limit: Duration,
    /// A shell's command line that succeeds while this host may stand for the office.
    pub ready: Option<String>,
    /// A shell's command line that succeeds while the command is healthy.
    pub health: Option<String>,
    /// How long each of the two may take.
    pub probe_limit: Duration,
    /// Whether to put the command into a control group of its own, where one can be made.
    pub cgroup: bool,
}

impl Workload {
    /// A command without hooks and probes, which is killed at the end of the leadership.
    #[must_use]
    pub fn new(
        office: impl Into<String>,
        member: impl Into<String>,
        command: Vec<OsString>,
    ) -> Self {
        Self {
            office: office.into(),
            member: member.into(),
            command,
            stop: Duration::ZERO,
            margin: Duration::from_millis(20),
            on_win: None,
            on_lose: None,
            hook_limit: Duration::from_secs(10),
            ready: None,
            health: None,
            probe_limit: Duration::from_secs(5),
            cgroup: true,
        }
    }
}

/// What the guard says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The guard has set itself up, and the command can be started at once.
    Ready {
        /// Why there is no control group, if there is none: killing then takes several rounds.
        no_cgroup: Option<String>,
    },
    /// The command runs.
    Started {
        /// Its number.
        pid: i32,
    },
    /// The command could not be started. The tenure goes on.
    Refused {
        /// Why.
        why: String,
    },
    /// The command has ended by itself, and all that it left has been reaped. The tenure goes on.
    Exited {
        /// How.
        exit: Exit,
    },
    /// A probe has ended.
    Probed {
        /// Whether it was the one of the command's health.
        health: bool,
        /// Why it failed; `None` if it succeeded.
        failure: Option<String>,
    },
    /// A hook has failed.
    Hook {
        /// Which.
        name: String,
        /// Why.
        why: String,
    },
    /// The tenure is over: nothing that was started in it is left.
    Ended {
        /// Whether the command was killed at the deadline.
        killed: bool,
    },
    /// The guard itself was killed, or stood still beyond the deadline. All that it guarded has been
    /// killed and reaped; a new guard has to be made.
    Lost,
}

impl Event {
    /// What a report says to the member; `None` if it is between its guard and us.
    fn of(report: Report) -> Option<Self> {
        Some(match report {
            Report::Ready { no_cgroup } => Self::Ready { no_cgroup },
            Report::Started { pid } => Self::Started { pid },
            Report::Refused { why } => Self::Refused { why },
            Report::Exited { exit } => Self::Exited { exit },
            Report::Probed { health, failure } => Self::Probed { health, failure },
            Report::Hook { name, why } => Self::Hook { name, why },
            Report::Ended { killed } => Self::Ended { killed },
            Report::Reaped => return None,
        })
    }
}

/// A guard, and what it guards. Dropping it ends both: the guard sees to it.
///
/// # Other children
/// A process that has a guard is a child subreaper, and when its guard is lost, *every* child of it
/// is killed. It must have no other children, and wait for none.
#[derive(Debug)]
pub struct Guard {
    /// Not of datagrams, but of packets; tokio waits for both alike.
    control: UnixDatagram,
    child: Child,
    office: String,
    /// What a tenure's deadline adds to its validity.
    stop: Duration,
    /// How long the last hook may take.
    hook_limit: Duration,
    /// How long before its deadline the guard is taken for stuck.
    margin: Duration,
    /// When the guard must have ended the command, or its last hook, while there is a tenure.
    last: Option<Boottime>,
    /// A tenure that was over before it began.
    void: bool,
    /// The end of a guard that is lost.
    sweeping: Option<JoinHandle<()>>,
}

impl Guard {
    /// Executes this program again, as a guard. [`enter`](crate::enter) has to be the first thing
    /// that its `main` does. The first event is [`Event::Ready`].
    ///
    /// # Errors
    /// If no process can be started.
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O and time.
    pub fn spawn(workload: &Workload) -> io::Result<Self> {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let (ours, theirs) = wire::pair()?;
        let child = Command::new("/proc/self/exe")
            .arg(GUARD)
            .arg(serde_json::to_string(workload)?)
            .args(&workload.command)
            .stdin(Stdio::from(theirs))
            .process_group(0)
            .spawn()?;
        let ours = net::UnixDatagram::from(ours);
        ours.set_nonblocking(true)?;
        Ok(Self {
            control: UnixDatagram::from_std(ours)?,
            child,
            office: workload.office.clone(),
            stop: workload.stop,
            hook_limit: workload.hook_limit,
            margin: workload.margin,
            last: None,
            void: false,
            sweeping: None,
        })
    }

    /// The number of the guard's process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Hands a descriptor to the guard, which closes it when the present tenure has ended, or the next
    /// one if there is none, and not before. By a connection that ends, though this process may be
    /// gone, others learn that nothing of the tenure runs any more.
    ///
    /// # Errors
    /// If it cannot be sent.
    pub fn keep(&self, descriptor: impl AsFd) -> io::Result<()> {
        wire::send(&self.control, &Order::Keep, Some(descriptor.as_fd()))
    }

    /// Runs the command: the office was won at this term, and the leadership is valid until then. In
    /// a tenure whose command has ended, runs it once more.
    pub fn begin(&mut self, term: u64, until: Boottime) {
        let hook = self.last.is_none();
        if hook && until.remaining() <= self.margin {
            self.void = true;
            return;
        }
        self.extend(until);
        self.order(&Order::Begin { term, until, hook });
    }

    /// The leadership is valid for longer. An instant before that of an earlier call does nothing.
    pub fn prolong(&mut self, until: Boottime) {
        if self.last.is_some() {
            self.extend(until);
            self.order(&Order::Prolong { until });
        }
    }

    fn extend(&mut self, until: Boottime) {
        self.last = self.last.max(Some(until.after(self.stop)));
    }

    /// Ends the command: SIGTERM, and SIGKILL when it has not ended after so long, or when the
    /// leadership ends. [`Event::Ended`] follows.
    pub fn end(&self, grace: Duration) {
        self.order(&Order::End { grace });
    }

    /// Runs the probe of the command's health, or of this host's readiness, unless one runs.
    pub fn probe(&self, health: bool) {
        self.order(&Order::Probe { health });
    }

    /// A guard that does not read is found out at the deadline.
    fn order(&self, order: &Order) {
        let _ = wire::send(&self.control, order, None);
    }

    /// The next event. Nothing is lost if this is not awaited to the end.
    pub async fn event(&mut self) -> Event {
        loop {
            if let Some(sweeping) = &mut self.sweeping {
                let _ = sweeping.await;
                self.sweeping = None;
                return Event::Lost;
            }
            if std::mem::take(&mut self.void) {
                return Event::Ended { killed: false };
            }
            // The guard began its work a margin before; half of that is left for the same work here.
            let overdue = self.last.map(|last| last.before(self.margin / 2));
            let come = tokio::select! {
                biased;
                ready = self.control.readable() => ready.and_then(|()| {
                    let receive = || wire::receive::<Report>(&self.control, false);
                    self.control.try_io(Interest::READABLE, receive)
                }),
                () = reached(overdue) => Ok(None),
            };
            let report = match come {
                Ok(Some((report, _))) => report,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                // It is gone, it is overdue, or what it says makes no sense.
                Ok(None) | Err(_) => {
                    self.last = None;
                    self.sweeping = Some(self.sweep());
                    continue;
                }
            };
            match report {
                Report::Reaped => self.last = Some(Boottime::now().after(self.hook_limit * 2)),
                Report::Ended { .. } => self.last = None,
                _ => {}
            }
            if let Some(event) = Event::of(report) {
                return event;
            }
        }
    }

    /// Kills the guard and all that it guards, and reaps it.
    fn sweep(&self) -> JoinHandle<()> {
        let pid = Pid::from_child(&self.child);
        // It has not been reaped, so that this is nobody else's number.
        let _ = kill_process(pid, Signal::KILL);
        let (office, guard) = (self.office.clone(), self.child.id());
        tokio::task::spawn_blocking(move || {
            let group = Cgroup::of(&office, guard);
            tree::exterminate(|| {
                if let Some(group) = &group {
                    group.kill();
                }
            });
            if let Some(group) = &group {
                group.clear();
            }
            lease::remove(&office, guard);
        })
    }
}

/// Waits until this instant of the clock that goes on during a suspension.
async fn reached(instant: Option<Boottime>) {
    let Some(instant) = instant else { return std::future::pending().await };
    loop {
        let left = instant.remaining();
        if left.is_zero() {
            return;
        }
        // The timer's clock may stand still, so it is not trusted for long.
        sleep(left.min(Duration::from_millis(100))).await;
    }
}
