//! Five members in this process, and five programs that stand for an office.

use super::monitor::{CommandEvent, CommandMonitor, RunningCommand, WORK};
use super::script::{DemoStep, HOSTS, Ways, Whom};
use crate::LEAD;
use crate::control::history::LeaderHistory;
use crate::control::server::{ControlServer, OWN_USER, Socket, Stops};
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use std::fmt::{self, Display};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tenure_node::clock::BootClock;
use tenure_node::records::MemoryStore;
use tenure_node::transport::LocalNetwork;
use tenure_node::{LeaseTiming, LocalCluster, Member, ParticipantStatus};
use tokio::net::UnixListener;
use tokio::process::{Child, Command};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

pub(crate) const OFFICE: &str = "demo";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ProgramCondition {
    Runs,
    Suspended,
    Killed,
    /// Its member has crashed, too.
    Crashed,
    #[default]
    Stopped,
}

impl Display for ProgramCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Runs => "running",
            Self::Suspended => "suspended",
            Self::Killed => "killed",
            Self::Crashed => "crashed",
            Self::Stopped => "stopped",
        })
    }
}

/// A host as it is now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) condition: ProgramCondition,
    /// Whether its member hears the others.
    pub(crate) hears: bool,
    /// Whether the others hear its member.
    pub(crate) heard: bool,
    /// Whether its member votes.
    pub(crate) votes: bool,
    /// Whether its program stands for the office, or leads.
    pub(crate) stands: bool,
    /// For how long its leadership is certain.
    pub(crate) held: Option<Duration>,
    /// For how long its member owes each host a lease; for no time if it owes it none.
    pub(crate) owed: [Duration; HOSTS],
}

impl Look {
    /// Looks at a member in this state. `number` gives the index of a host.
    pub(crate) fn at(
        status: &ParticipantStatus,
        condition: ProgramCondition,
        number: impl Fn(&str) -> Option<usize>,
    ) -> Self {
        let office = status.offices.iter().find(|office| office.name == OFFICE);
        let mut owed = [Duration::ZERO; HOSTS];
        for peer in &status.members {
            if let (Some(host), Some(left)) = (number(&peer.name), peer.lease_owed) {
                owed[host] = left;
            }
        }
        Self {
            condition,
            hears: true,
            heard: true,
            votes: status.up && !status.learning && !status.quarantined,
            stands: office.is_some_and(|office| office.stands || office.here),
            held: office.and_then(|office| office.valid_for),
            owed,
        }
    }
}

pub(crate) const TIMING: LeaseTiming = LeaseTiming::LAN;

const LIMIT: Duration = Duration::from_secs(30);

/// The time without a change after which a step counts as one without effect.
const QUIET: Duration = Duration::from_millis(1500);

/// The result of what may be impossible now, with the reason.
pub(crate) type Done<T> = Result<T, String>;

pub(crate) struct Begun {
    hosts: Vec<usize>,
    before: Option<RunningCommand>,
    pub(crate) since: Instant,
    /// The answer to an operator.
    pub(crate) asked: Option<JoinHandle<Done<()>>>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct StepEffect {
    /// The leader before the step, and its term.
    pub(crate) before: Option<(String, u64)>,
    /// The leader after it, and its term.
    pub(crate) after: Option<(String, u64)>,
    /// How long after the step the old command was gone, in milliseconds.
    pub(crate) gone_ms: Option<f64>,
    /// How long after the step the next command had started, in milliseconds.
    pub(crate) next_ms: Option<f64>,
}

struct DemoHost {
    name: String,
    store: MemoryStore,
    member: Option<(Member, JoinHandle<()>)>,
    program: Option<Child>,
    condition: ProgramCondition,
    /// Whether it hears the others, and they hear it.
    hears: bool,
    heard: bool,
}

pub(crate) struct DemoCluster {
    network: LocalNetwork,
    cluster: LocalCluster,
    hosts: Vec<DemoHost>,
    monitor: CommandMonitor,
    folder: tempfile::TempDir,
    keeping: JoinHandle<()>,
    /// Whether the programs write to standard error.
    told: bool,
}

fn why(error: impl Display) -> String {
    error.to_string()
}

impl DemoCluster {
    /// Prepares everything; no member runs yet. What programs have to say is `told` on standard error,
    /// or not at all.
    pub(crate) fn found(told: bool) -> Done<Self> {
        let folder = tempfile::Builder::new().prefix("tenure-").tempdir().map_err(why)?;
        let listener = UnixListener::bind(folder.path().join("work")).map_err(why)?;
        let monitor = CommandMonitor::new();
        let keeping = tokio::spawn(monitor.clone().keep(listener));
        let network = LocalNetwork::new(1);
        let names: Vec<_> = (1..=HOSTS).map(|number| format!("host-{number}")).collect();
        let list: Vec<_> = names.iter().map(String::as_str).collect();
        let cluster = LocalCluster::new(network.clone(), &list, TIMING);
        let host = |name: &String| DemoHost {
            name: name.clone(),
            store: MemoryStore::founding(),
            member: None,
            program: None,
            condition: ProgramCondition::Stopped,
            hears: true,
            heard: true,
        };
        let hosts = names.iter().map(host).collect();
        Ok(Self { network, cluster, hosts, monitor, folder, keeping, told })
    }

    pub(crate) fn leader(&self) -> Option<(String, u64)> {
        self.monitor.alive().map(|work| (work.host, work.term))
    }

    pub(crate) fn verdict(&self) -> (u64, Vec<String>) {
        self.monitor.verdict()
    }

    pub(crate) fn events(&self) -> UnboundedReceiver<CommandEvent> {
        self.monitor.events()
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.hosts.iter().position(|host| host.name == name)
    }

    pub(crate) async fn led(&self) -> Done<()> {
        self.until(|monitor| monitor.alive().is_some(), "no host leads").await
    }

    async fn until(&self, is: impl Fn(&CommandMonitor) -> bool, otherwise: &str) -> Done<()> {
        timeout(LIMIT, self.monitor.until(is))
            .await
            .map_err(|_| format!("{otherwise} after {LIMIT:?}"))
    }

    fn socket(&self, host: usize) -> PathBuf {
        self.folder.path().join(format!("{}.socket", host + 1))
    }

    fn find(&self, whom: Whom) -> Done<Vec<usize>> {
        let leader = self.monitor.alive().and_then(|work| self.number(&work.host));
        Ok(match whom {
            Whom::All => (0..HOSTS).collect(),
            Whom::Number(number) => vec![number],
            Whom::Leader => vec![leader.ok_or("no host leads")?],
            Whom::Other => {
                let runs = |&host: &usize| self.hosts[host].condition == ProgramCondition::Runs;
                let mut others = (0..HOSTS).filter(|&host| Some(host) != leader).filter(runs);
                vec![others.next().ok_or("no other program runs")?]
            }
        })
    }

    fn member(&self, host: usize) -> Done<&Member> {
        let member = self.hosts[host].member.as_ref().map(|(member, _)| member);
        member.ok_or_else(|| format!("member {} is not up", host + 1))
    }

    /// Does what a step does to members and programs, at once. Its effect is still to come.
    pub(crate) fn begin(&mut self, step: &DemoStep) -> Done<Begun> {
        self.sweep();
        let hosts = step.whom().map_or(Ok(Vec::new()), |whom| self.find(whom))?;
        let (before, since) = (self.monitor.alive(), Instant::now());
        let mut asked = None;
        for &host in &hosts {
            match step {
                DemoStep::Kill(_) => self.end(host, Signal::KILL, ProgramCondition::Killed)?,
                DemoStep::Crash(_) => self.crash(host)?,
                DemoStep::Stop(_) => {
                    self.is_not(host, ProgramCondition::Suspended)?;
                    self.end(host, Signal::TERM, ProgramCondition::Stopped)?;
                }
                DemoStep::Suspend(..) => {
                    self.is_not(host, ProgramCondition::Suspended)?;
                    self.end(host, Signal::STOP, ProgramCondition::Suspended)?;
                }
                DemoStep::Resume(_) => self.resume(host)?,
                DemoStep::Cut(_, ways) => self.cut(host, *ways),
                DemoStep::Start(_) => self.start(host)?,
                DemoStep::Transfer(_) => asked = Some(self.transfer(host)?),
                DemoStep::Heal | DemoStep::Resign | DemoStep::Wait(_) => {}
            }
        }
        match step {
            DemoStep::Heal => self.heal(),
            DemoStep::Resign => asked = Some(self.resign()?),
            _ => {}
        }
        Ok(Begun { hosts, before, since, asked })
    }

    pub(crate) async fn finish(
        &mut self,
        step: &DemoStep,
        begun: Begun,
    ) -> Done<Option<StepEffect>> {
        let Begun { hosts, before, since, asked } = begun;
        let effect = match step {
            DemoStep::Kill(_) | DemoStep::Crash(_) | DemoStep::Stop(_) => {
                let effect = self.effect(since, before).await;
                self.reap(hosts[0]).await;
                effect?
            }
            DemoStep::Suspend(_, time) => {
                let effect = self.effect(since, before).await;
                if let Some(time) = time {
                    sleep(time.saturating_sub(since.elapsed())).await;
                    self.resume(hosts[0])?;
                }
                effect?
            }
            DemoStep::Cut(..) => self.effect(since, before).await?,
            DemoStep::Resign | DemoStep::Transfer(_) => {
                if let Some(asked) = asked {
                    asked.await.map_err(why)??;
                }
                self.effect_of_order(since, before).await?
            }
            DemoStep::Heal => {
                // Members that were cut off need a while to reconnect.
                sleep(TIMING.lease * 2).await;
                self.led().await?;
                return Ok(None);
            }
            DemoStep::Start(_) => {
                for host in hosts {
                    self.stood(host).await?;
                }
                return Ok(None);
            }
            DemoStep::Wait(time) => {
                sleep(*time).await;
                return Ok(None);
            }
            DemoStep::Resume(_) => return Ok(None),
        };
        Ok(Some(effect))
    }

    /// Starts a member and its program, if they do not run.
    fn start(&mut self, number: usize) -> Done<()> {
        if self.hosts[number].member.is_none() {
            let host = &self.hosts[number];
            let started = self.cluster.member(&host.name, host.store.clone(), Arc::new(BootClock));
            let member = started.map_err(why)?;
            let history = LeaderHistory::default();
            tokio::spawn(history.clone().keep((*member).clone()));
            let server = ControlServer {
                participant: (*member).clone(),
                history,
                timing: TIMING,
                stops: Stops::default(),
                neighbours: None,
            };
            let mut socket = Socket::bind(&self.socket(number), OWN_USER).map_err(why)?;
            let serving = tokio::spawn(async move { socket.serve(server).await });
            self.hosts[number].member = Some((member, serving));
            self.link();
        }
        if self.hosts[number].program.is_none() {
            self.hosts[number].program = Some(self.launch(number)?);
            self.hosts[number].condition = ProgramCondition::Runs;
        }
        Ok(())
    }

    fn launch(&self, host: usize) -> Done<Child> {
        let program = std::env::current_exe().map_err(why)?;
        Command::new(&program)
            .args([LEAD, OFFICE, "--no-cgroup", "--log", "error", "--socket"])
            .arg(self.socket(host))
            .arg("--")
            .arg(&program)
            .arg(WORK)
            .arg(self.folder.path().join("work"))
            .stdin(Stdio::null())
            .stderr(if self.told { Stdio::inherit() } else { Stdio::null() })
            .kill_on_drop(true)
            .spawn()
            .map_err(why)
    }

    /// Waits until a host votes and stands.
    async fn stood(&self, host: usize) -> Done<()> {
        let begin = Instant::now();
        loop {
            let status = self.member(host)?.status().await.map_err(why)?;
            let look = Look::at(&status, ProgramCondition::Runs, |_| None);
            if look.votes && look.stands {
                return Ok(());
            }
            if begin.elapsed() > LIMIT {
                return Err(format!("member {} does not stand", host + 1));
            }
            sleep(Duration::from_millis(5)).await;
        }
    }

    pub(crate) async fn look(&mut self) -> Vec<Look> {
        self.sweep();
        let mut looks = Vec::new();
        for host in &self.hosts {
            let status = match &host.member {
                Some((member, _)) => member.status().await.ok(),
                None => None,
            };
            let mut look = Look { condition: host.condition, ..Look::default() };
            if let Some(status) = status {
                look = Look::at(&status, host.condition, |name| self.number(name));
            }
            looks.push(Look { hears: host.hears, heard: host.heard, ..look });
        }
        looks
    }

    /// Waits for the effect of a step that was taken at `since`.
    async fn effect(&self, since: Instant, before: Option<RunningCommand>) -> Done<StepEffect> {
        let tenures = self.verdict().0;
        let mut gone_ms = None;
        if let Some(before) = &before {
            let gone = self.monitor.until(|monitor| !monitor.lives(before));
            if timeout(QUIET, gone).await.is_err() {
                // The step had no effect.
                let (before, after) = (pair(Some(before.clone())), self.leader());
                return Ok(StepEffect { before, after, gone_ms: None, next_ms: None });
            }
            gone_ms = passed(since, self.monitor.ended());
        }
        let next =
            |monitor: &CommandMonitor| monitor.verdict().0 > tenures || monitor.alive().is_some();
        self.until(next, "no host leads").await?;
        let next_ms = passed(since, self.monitor.started());
        Ok(StepEffect { before: pair(before), after: self.leader(), gone_ms, next_ms })
    }

    fn signal(&self, host: usize, signal: Signal) -> Done<()> {
        let id = self.hosts[host].program.as_ref().and_then(Child::id);
        let pid = id.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let pid = pid.ok_or_else(|| format!("the program of member {} does not run", host + 1))?;
        kill_process(pid, signal).map_err(why)
    }

    fn is_not(&self, host: usize, condition: ProgramCondition) -> Done<()> {
        if self.hosts[host].condition == condition {
            return Err(format!("the program of member {} is {condition}", host + 1));
        }
        Ok(())
    }

    /// Sends a signal to a program, which is in this condition then.
    fn end(&mut self, host: usize, signal: Signal, condition: ProgramCondition) -> Done<()> {
        // A killed program counts as ended, even while it is still ending.
        self.is_not(host, ProgramCondition::Killed)?;
        self.signal(host, signal)?;
        self.hosts[host].condition = condition;
        Ok(())
    }

    fn resume(&mut self, host: usize) -> Done<()> {
        if self.hosts[host].condition != ProgramCondition::Suspended {
            return Err(format!("the program of member {} is not suspended", host + 1));
        }
        self.end(host, Signal::CONT, ProgramCondition::Runs)
    }

    fn crash(&mut self, host: usize) -> Done<()> {
        self.member(host)?;
        if let Some((member, served)) = self.hosts[host].member.take() {
            member.kill();
            served.abort();
        }
        if self.hosts[host].program.is_some() {
            self.signal(host, Signal::KILL)?;
        }
        self.hosts[host].condition = ProgramCondition::Crashed;
        Ok(())
    }

    fn cut(&mut self, host: usize, ways: Ways) {
        self.hosts[host].hears &= ways == Ways::Out;
        self.hosts[host].heard &= ways == Ways::In;
        self.link();
    }

    /// Cuts the links between members that are up, as their hosts say.
    fn link(&self) {
        let up = |host: &DemoHost| host.member.as_ref().map(|(member, _)| member.peer());
        for from in &self.hosts {
            for to in self.hosts.iter().filter(|to| to.name != from.name) {
                if let (Some(sender), Some(receiver)) = (up(from), up(to))
                    && !(from.heard && to.hears)
                {
                    self.network.cut(sender, receiver);
                }
            }
        }
    }

    fn heal(&mut self) {
        self.network.heal();
        for host in &mut self.hosts {
            (host.hears, host.heard) = (true, true);
        }
    }

    /// Asks the leader to leave, by another member if there is one.
    fn resign(&self) -> Done<JoinHandle<Done<()>>> {
        let leader = self.monitor.alive().and_then(|work| self.number(&work.host));
        let up = (0..HOSTS).filter(|&host| self.hosts[host].member.is_some());
        let unsuited = |&host: &usize| {
            let DemoHost { hears, heard, .. } = self.hosts[host];
            (!(hears && heard), Some(host) == leader)
        };
        let host = up.min_by_key(unsuited).ok_or("no member is up")?;
        let office = self.member(host)?.office(OFFICE);
        Ok(tokio::spawn(async move { office.ask_to_resign().await.map_err(why) }))
    }

    /// Asks the leader to leave the office to a host, by the member of that one.
    fn transfer(&self, host: usize) -> Done<JoinHandle<Done<()>>> {
        let to = self.hosts[host].name.clone();
        if self.monitor.alive().is_some_and(|work| work.host == to) {
            return Err(format!("member {} leads already", host + 1));
        }
        let office = self.member(host)?.office(OFFICE);
        Ok(tokio::spawn(async move { office.ask_to_transfer(&to).await.map_err(why) }))
    }

    fn sweep(&mut self) {
        for host in &mut self.hosts {
            let ended = |program: &mut Child| matches!(program.try_wait(), Ok(Some(_)));
            if host.program.as_mut().is_some_and(ended) {
                host.program = None;
                if matches!(host.condition, ProgramCondition::Runs | ProgramCondition::Suspended) {
                    host.condition = ProgramCondition::Killed;
                }
            }
        }
    }

    async fn reap(&mut self, host: usize) {
        if let Some(mut program) = self.hosts[host].program.take() {
            let _ = program.wait().await;
        }
    }

    /// Like [`effect`](Self::effect), for steps after which the office may have moved already.
    async fn effect_of_order(
        &self,
        since: Instant,
        before: Option<RunningCommand>,
    ) -> Done<StepEffect> {
        let moved =
            |monitor: &CommandMonitor| monitor.alive().is_some() && monitor.alive() != before;
        self.until(moved, "no other host leads").await?;
        Ok(StepEffect {
            before: pair(before.clone()),
            after: self.leader(),
            gone_ms: passed(since, self.monitor.ended()),
            next_ms: passed(since, self.monitor.started()),
        })
    }

    pub(crate) async fn close(&mut self) {
        for number in 0..HOSTS {
            if self.hosts[number].program.is_some() {
                let _ = self.signal(number, Signal::TERM);
                // A suspended program gets the SIGTERM when it resumes.
                let _ = self.signal(number, Signal::CONT);
            }
        }
        for number in 0..HOSTS {
            if timeout(LIMIT, self.reap(number)).await.is_err() {
                self.hosts[number].program = None;
            }
        }
        for host in &mut self.hosts {
            if let Some((member, served)) = host.member.take() {
                served.abort();
                member.kill();
            }
        }
        self.keeping.abort();
    }
}

fn pair(work: Option<RunningCommand>) -> Option<(String, u64)> {
    work.map(|work| (work.host, work.term))
}

fn passed(since: Instant, at: Option<Instant>) -> Option<f64> {
    Some(at?.saturating_duration_since(since).as_secs_f64() * 1e3)
}
