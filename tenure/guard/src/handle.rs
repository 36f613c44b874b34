//! The member's handle to its guard.

use crate::cgroup::Cgroup;
use crate::guard::{lease, tree};
use crate::handle_state::HandleState;
use crate::priority;
use crate::wire::{self, GuardEvent, GuardOrder};
use crate::{Boottime, KEEPER};
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::UnixDatagram;
use tokio::sync::oneshot;
use tokio::time::sleep;

/// The command that is run while an office is held, with its hooks, probes and time limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workload {
    /// The name of the office: `TENURE_OFFICE`.
    pub office: String,
    /// The name of this member: `TENURE_MEMBER`.
    pub member: String,
    /// What others are told of this leader: `TENURE_VALUE`.
    pub value: String,
    /// The program and its arguments.
    #[serde(skip)]
    pub command: Vec<OsString>,
    /// How long the command may go on after the leadership has ended: it gets SIGTERM at the end,
    /// and SIGKILL when this time is over. If zero, it gets SIGKILL at the end. The member has to
    /// ensure that successors wait as long.
    pub stop: Duration,
    /// How long before a deadline the guard starts the work that must be done by the deadline.
    pub margin: Duration,
    /// How much earlier it may start where there are many processes to kill.
    pub spare: Duration,
    /// A shell's command line that ends before the command of a new tenure starts. If it fails, the
    /// command is not started.
    pub on_win: Option<String>,
    /// A shell's command line that is started at the end of a tenure, when the command and all that
    /// it left has been reaped.
    pub on_lose: Option<String>,
    /// The time limit of each of the two.
    pub hook_limit: Duration,
    /// A shell's command line that succeeds while this host may stand for the office.
    pub ready: Option<String>,
    /// A shell's command line that succeeds while the command is healthy.
    pub health: Option<String>,
    /// The time limit of each of the two.
    pub probe_limit: Duration,
    /// The priority of the command, its hooks and probes, as a `nice` value. Guards run before
    /// all ordinary processes where they may.
    pub nice: i32,
    /// Whether to put the command into a control group of its own, where one can be made.
    pub cgroup: bool,
}

impl Workload {
    /// Creates a command without hooks and probes, which is killed at the end of the leadership.
    #[must_use]
    pub fn new(
        office: impl Into<String>,
        member: impl Into<String>,
        command: Vec<OsString>,
    ) -> Self {
        Self {
            office: office.into(),
            member: member.into(),
            value: String::new(),
            command,
            stop: Duration::ZERO,
            margin: Duration::from_millis(20),
            spare: Duration::ZERO,
            on_win: None,
            on_lose: None,
            hook_limit: Duration::from_secs(10),
            ready: None,
            health: None,
            probe_limit: Duration::from_secs(5),
            nice: priority::usual(),
            cgroup: true,
        }
    }
}

/// A handle to a guard process. Dropping it ends the guard and all that it guards.
///
/// # Other children
/// A process that has a guard is a child subreaper, and when its guard is lost, *every* child of it
/// is killed. It must have no other children, and wait for none.
#[derive(Debug)]
pub struct Guard {
    /// A `SOCK_SEQPACKET` socket; tokio has no type for it, but can wait for it as for datagrams.
    control: UnixDatagram,
    /// The guard's keeper.
    child: Child,
    /// A number of this guard alone.
    nonce: u64,
    state: HandleState,
    /// The thread that kills and reaps what a lost guard left behind.
    sweeping: Option<oneshot::Receiver<Duration>>,
}

impl Guard {
    /// Spawns a guard by executing this program again. [`enter`](crate::enter) has to be the first
    /// call in its `main`. The first event is [`GuardEvent::Ready`].
    ///
    /// # Errors
    /// If no process can be started, or `/proc` shows another PID namespace: processes could not be told apart.
    ///
    /// # Panics
    /// Outside of a tokio runtime with I/O and time.
    pub fn spawn(workload: &Workload) -> io::Result<Self> {
        let own = std::process::id().to_string();
        if std::fs::read_link("/proc/self")?.to_str() != Some(&own) {
            return Err(io::Error::other(
                "/proc shows the processes of another PID namespace: mount the one of this namespace \
                 (`unshare --pid --fork --mount-proc`)",
            ));
        }
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let nonce = Boottime::now().as_nanos();
        let (ours, theirs) = wire::pair()?;
        let child = Command::new("/proc/self/exe")
            .arg(KEEPER)
            .arg(nonce.to_string())
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
            nonce,
            state: HandleState::new(workload.clone()),
            sweeping: None,
        })
    }

    /// Hands a descriptor to the guard, which closes it when the present tenure has ended, or the
    /// next one if there is none, and not before. If the descriptor is a connection, its other end
    /// learns that no process of the tenure is left, even if this process is gone.
    ///
    /// If this process is gone by then, the guard writes `word` before. The end of a connection
    /// without a word may also mean that the guard was killed, and processes of the tenure are left.
    /// A later descriptor with the same word takes the place of the earlier one.
    ///
    /// # Errors
    /// If it cannot be sent.
    pub fn keep(&self, descriptor: impl AsFd, word: Option<&str>) -> io::Result<()> {
        let word = word.map(str::to_owned);
        wire::send(&self.control, &GuardOrder::Keep { word }, Some(descriptor.as_fd()))
    }

    /// Begins a tenure: runs the command in `term`, in which the leadership is valid until `until`.
    /// In a tenure whose command has ended, runs it once more.
    pub fn begin(&mut self, term: u64, until: Boottime) {
        let order = self.state.begin(Boottime::now(), term, until);
        self.order(order.as_ref());
    }

    /// Extends the leadership to `until`. Has no effect if an earlier call gave a later instant.
    /// [`GuardEvent::Knows`] follows, when the guard knows it. A guard that does not say so counts as stuck at the
    /// deadline that it knows.
    pub fn prolong(&self, until: Boottime) {
        self.order(self.state.prolong(until).as_ref());
    }

    /// Ends the command: sends SIGTERM, and SIGKILL if it has not ended after `grace`, or when the
    /// leadership ends. [`GuardEvent::Ended`] follows.
    pub fn end(&self, grace: Duration) {
        self.order(Some(&GuardOrder::End { grace }));
    }

    /// Runs the health probe of the command, or the readiness probe of this host, unless a probe
    /// runs.
    pub fn probe(&self, health: bool) {
        self.order(Some(&GuardOrder::Probe { health }));
    }

    /// Sends an order. Errors are ignored: a guard that does not read is detected at the deadline.
    fn order(&self, order: Option<&GuardOrder>) {
        let _ = order.map(|order| wire::send(&self.control, order, None));
    }

    /// Waits for the next event. Cancellation-safe.
    pub async fn event(&mut self) -> GuardEvent {
        loop {
            if let Some(sweeping) = &mut self.sweeping {
                let late = sweeping.await.unwrap_or_default();
                self.sweeping = None;
                return GuardEvent::Lost { late };
            }
            if let Some(ended) = self.state.end_void() {
                return ended;
            }
            let overdue = self.state.overdue();
            let come = tokio::select! {
                biased;
                ready = self.control.readable() => ready.and_then(|()| {
                    let receive = || wire::receive::<GuardEvent>(&self.control, false);
                    self.control.try_io(Interest::READABLE, receive)
                }),
                // What the guard has reported while this process was suspended comes first.
                () = reached(overdue) => match wire::receive::<GuardEvent>(&self.control, false) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
                    come => come,
                },
            };
            let event = match come {
                Ok(Some((event, _))) => event,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                // The guard is gone or overdue, or its report cannot be read.
                Ok(None) | Err(_) => {
                    let last = self.state.lose();
                    self.sweeping = Some(self.sweep(last));
                    continue;
                }
            };
            self.state.hear(Boottime::now(), &event);
            return event;
        }
    }

    /// Kills and reaps the guard, its keeper and all processes that it guards: on a thread, or here where none can be
    /// started. Returns where it is told how long after this deadline that was.
    fn sweep(&self, last: Option<Boottime>) -> oneshot::Receiver<Duration> {
        let pid = Pid::from_child(&self.child);
        // It has not been reaped, so that no other process can have this ID.
        let _ = kill_process(pid, Signal::KILL);
        let (office, guard) = (self.state.workload().office.clone(), self.state.guard());
        let (nonce, (done, late)) = (self.nonce, oneshot::channel());
        let done = Arc::new(Mutex::new(Some(done)));
        let work = move || {
            let group = guard.and_then(|guard| Cgroup::of(&office, guard, nonce));
            tree::exterminate(group.as_ref());
            if let Some(guard) = guard {
                lease::remove(&office, guard);
            }
            let late = last.map_or(Duration::ZERO, |last| Boottime::now().since(last));
            if let Some(done) = done.lock().unwrap_or_else(PoisonError::into_inner).take() {
                let _ = done.send(late);
            }
        };
        if thread::Builder::new().name("tenure-sweep".into()).spawn(work.clone()).is_err() {
            work();
        }
        late
    }
}

/// Waits until this instant of `CLOCK_BOOTTIME`. Without one, never returns.
async fn reached(instant: Option<Boottime>) {
    let Some(instant) = instant else { return std::future::pending().await };
    loop {
        let left = instant.remaining();
        if left.is_zero() {
            return;
        }
        // The timer's clock stops during a suspension, so long sleeps would wake too late.
        sleep(left.min(Duration::from_millis(100))).await;
    }
}
