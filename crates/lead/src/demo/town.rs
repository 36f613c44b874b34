//! Five members in this process, and five programs that stand for an office.

use super::ledger::{Ledger, Work};
use super::script::{HOSTS, Whom};
use super::work::WORK;
use crate::LEAD;
use crate::control::chronicle::Chronicle;
use crate::control::server::{Desk, Socket};
use crate::error::Error;
use crate::join::Stops;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use suffrage_service::clock::BootClock;
use suffrage_service::records::MemoryStore;
use suffrage_service::transport::LocalNetwork;
use suffrage_service::{LocalCluster, Member, Timing};
use tokio::net::UnixListener;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// The times of the cluster.
pub(super) const TIMING: Timing = Timing::LAN;

/// The office.
const OFFICE: &str = "demo";

/// The time limit for what must happen.
const LIMIT: Duration = Duration::from_secs(30);

/// The time without a change after which a step counts as one without effect.
const QUIET: Duration = Duration::from_millis(1500);

/// The effect of a step.
pub(crate) struct Effect {
    pub(crate) before: Option<(String, u64)>,
    pub(crate) after: Option<(String, u64)>,
    pub(crate) gone: Option<Duration>,
    pub(crate) next: Option<Duration>,
}

struct Host {
    name: String,
    store: MemoryStore,
    member: Option<(Member, JoinHandle<()>)>,
    program: Option<Child>,
}

/// Five members and their programs.
pub(crate) struct Town {
    network: LocalNetwork,
    cluster: LocalCluster,
    hosts: Vec<Host>,
    ledger: Ledger,
    folder: tempfile::TempDir,
    keeping: JoinHandle<()>,
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::failed(format!("the demonstration: {error}"))
}

impl Town {
    /// Starts all members and programs, and waits until there is a leader.
    pub(crate) async fn found() -> Result<Self, Error> {
        let folder = tempfile::Builder::new().prefix("suffrage-").tempdir().map_err(failed)?;
        let listener = UnixListener::bind(folder.path().join("work")).map_err(failed)?;
        let ledger = Ledger::new();
        let keeping = tokio::spawn(ledger.clone().keep(listener));
        let network = LocalNetwork::new(1);
        let names: Vec<_> = (1..=HOSTS).map(|number| format!("host-{number}")).collect();
        let list: Vec<_> = names.iter().map(String::as_str).collect();
        let cluster = LocalCluster::new(network.clone(), &list, TIMING);
        let host = |name: &String| Host {
            name: name.clone(),
            store: MemoryStore::founding(),
            member: None,
            program: None,
        };
        let hosts = names.iter().map(host).collect();
        let mut town = Self { network, cluster, hosts, ledger, folder, keeping };
        town.start(Whom::All).await?;
        town.until(|ledger| ledger.alive().is_some(), "no host leads").await?;
        Ok(town)
    }

    pub(crate) fn leader(&self) -> Option<(String, u64)> {
        self.ledger.alive().map(|work| (work.host, work.term))
    }

    pub(crate) fn verdict(&self) -> (u64, Vec<String>) {
        self.ledger.verdict()
    }

    async fn until(&self, is: impl Fn(&Ledger) -> bool, otherwise: &str) -> Result<(), Error> {
        timeout(LIMIT, self.ledger.until(is))
            .await
            .map_err(|_| failed(format!("{otherwise} after {LIMIT:?}")))
    }

    fn socket(&self, host: usize) -> PathBuf {
        self.folder.path().join(format!("{}.socket", host + 1))
    }

    /// Returns the indices of the hosts that a target names.
    async fn find(&self, whom: Whom) -> Result<Vec<usize>, Error> {
        let leader = self
            .ledger
            .alive()
            .and_then(|work| self.hosts.iter().position(|host| host.name == work.host));
        let vacant = || failed("no host leads");
        Ok(match whom {
            Whom::All => (0..HOSTS).collect(),
            Whom::Number(number) => vec![number],
            Whom::Leader => vec![leader.ok_or_else(vacant)?],
            Whom::Other => {
                let others = (0..HOSTS).filter(|&host| Some(host) != leader);
                let mut ready = others.filter(|&host| self.hosts[host].program.is_some());
                vec![ready.next().ok_or_else(|| failed("no other program runs"))?]
            }
        })
    }

    fn member(&self, host: usize) -> Result<&Member, Error> {
        let member = self.hosts[host].member.as_ref().map(|(member, _)| member);
        member.ok_or_else(|| failed(format!("{} is not there", self.hosts[host].name)))
    }

    /// Starts members and programs that do not run, and waits until they vote and stand.
    pub(crate) async fn start(&mut self, whom: Whom) -> Result<(), Error> {
        let hosts = self.find(whom).await?;
        for &number in &hosts {
            if self.hosts[number].member.is_none() {
                let host = &self.hosts[number];
                let started =
                    self.cluster.member(&host.name, host.store.clone(), Arc::new(BootClock));
                let member = started.map_err(failed)?;
                let chronicle = Chronicle::default();
                tokio::spawn(chronicle.clone().keep((*member).clone()));
                let desk = Desk {
                    participant: (*member).clone(),
                    chronicle,
                    timing: TIMING,
                    stops: Stops::default(),
                    neighbours: None,
                };
                let served = tokio::spawn(Socket::bind(&self.socket(number))?.serve(desk));
                self.hosts[number].member = Some((member, served));
            }
            if self.hosts[number].program.is_none() {
                self.hosts[number].program = Some(self.launch(number)?);
            }
        }
        for number in hosts {
            let begin = Instant::now();
            while !self.stands(number).await? {
                if begin.elapsed() > LIMIT {
                    return Err(failed(format!("{} does not stand", self.hosts[number].name)));
                }
                sleep(Duration::from_millis(5)).await;
            }
        }
        Ok(())
    }

    fn launch(&self, host: usize) -> Result<Child, Error> {
        let program = std::env::current_exe().map_err(failed)?;
        Command::new(&program)
            .args([LEAD, OFFICE, "--no-cgroup", "--log", "warn", "--socket"])
            .arg(self.socket(host))
            .arg("--")
            .arg(&program)
            .arg(WORK)
            .arg(self.folder.path().join("work"))
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)
    }

    async fn stands(&self, host: usize) -> Result<bool, Error> {
        let status = self.member(host)?.status().await.map_err(failed)?;
        let here = status
            .offices
            .iter()
            .any(|office| office.name == OFFICE && (office.stands || office.here));
        Ok(here && status.up && !status.learning && !status.quarantined)
    }

    /// Waits for the effect of a step that was taken at `since`.
    async fn effect(&self, since: Instant, before: Option<Work>) -> Result<Effect, Error> {
        let tenures = self.verdict().0;
        let mut effect =
            Effect { before: pair(before.clone()), after: None, gone: None, next: None };
        if let Some(before) = &before {
            let gone = self.ledger.until(|ledger| !ledger.lives(before));
            if timeout(QUIET, gone).await.is_err() {
                // The step had no effect.
                effect.after = self.leader();
                return Ok(effect);
            }
            effect.gone = self.ledger.ended().map(|at| at.saturating_duration_since(since));
        }
        let next = |ledger: &Ledger| ledger.verdict().0 > tenures || ledger.alive().is_some();
        self.until(next, "no host leads").await?;
        effect.next = self.ledger.started().map(|at| at.saturating_duration_since(since));
        effect.after = self.leader();
        Ok(effect)
    }

    fn signal(&self, host: usize, signal: rustix::process::Signal) -> Result<(), Error> {
        let program = self.hosts[host].program.as_ref().and_then(Child::id);
        let pid = program.and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?));
        let pid = pid.ok_or_else(|| failed(format!("{} has no program", self.hosts[host].name)))?;
        rustix::process::kill_process(pid, signal).map_err(failed)
    }

    async fn reap(&mut self, host: usize) {
        if let Some(mut program) = self.hosts[host].program.take() {
            let _ = program.wait().await;
        }
    }

    pub(crate) async fn kill(&mut self, whom: Whom) -> Result<Effect, Error> {
        let host = self.find(whom).await?[0];
        let (before, since) = (self.ledger.alive(), Instant::now());
        self.signal(host, rustix::process::Signal::KILL)?;
        let effect = self.effect(since, before).await;
        self.reap(host).await;
        effect
    }

    pub(crate) async fn crash(&mut self, whom: Whom) -> Result<Effect, Error> {
        let host = self.find(whom).await?[0];
        let (before, since) = (self.ledger.alive(), Instant::now());
        if let Some((member, served)) = self.hosts[host].member.take() {
            member.kill();
            served.abort();
            self.signal(host, rustix::process::Signal::KILL)?;
        }
        let effect = self.effect(since, before).await;
        self.reap(host).await;
        effect
    }

    pub(crate) async fn stop(&mut self, whom: Whom) -> Result<Effect, Error> {
        let host = self.find(whom).await?[0];
        let (before, since) = (self.ledger.alive(), Instant::now());
        self.signal(host, rustix::process::Signal::TERM)?;
        let effect = self.effect(since, before).await;
        self.reap(host).await;
        effect
    }

    pub(crate) async fn suspend(&mut self, whom: Whom, time: Duration) -> Result<Effect, Error> {
        let host = self.find(whom).await?[0];
        let (before, since) = (self.ledger.alive(), Instant::now());
        self.signal(host, rustix::process::Signal::STOP)?;
        let effect = self.effect(since, before).await;
        sleep(time.saturating_sub(since.elapsed())).await;
        self.signal(host, rustix::process::Signal::CONT)?;
        effect
    }

    pub(crate) async fn cut(&mut self, whom: Whom) -> Result<Effect, Error> {
        let host = self.find(whom).await?[0];
        let peer = self.member(host)?.peer();
        let (before, since) = (self.ledger.alive(), Instant::now());
        self.network.isolate(peer);
        self.effect(since, before).await
    }

    pub(crate) async fn heal(&mut self) -> Result<(), Error> {
        self.network.heal();
        // Members that were cut off need a while to reconnect.
        sleep(TIMING.lease * 2).await;
        self.until(|ledger| ledger.alive().is_some(), "no host leads").await
    }

    pub(crate) async fn resign(&mut self) -> Result<Effect, Error> {
        let host = self.find(Whom::Other).await?[0];
        let (before, since) = (self.ledger.alive(), Instant::now());
        let asked = self.member(host)?.office(OFFICE).ask_to_resign().await;
        asked.map_err(failed)?;
        self.effect_of_order(since, before).await
    }

    pub(crate) async fn transfer(&mut self, whom: Whom) -> Result<Effect, Error> {
        let host = self.find(whom).await?[0];
        let (before, since) = (self.ledger.alive(), Instant::now());
        let to = self.hosts[host].name.clone();
        let asked = self.member(host)?.office(OFFICE).ask_to_transfer(&to).await;
        asked.map_err(failed)?;
        self.effect_of_order(since, before).await
    }

    /// Like [`effect`](Self::effect), for steps after which the office may have moved already.
    async fn effect_of_order(&self, since: Instant, before: Option<Work>) -> Result<Effect, Error> {
        let moved = |ledger: &Ledger| ledger.alive().is_some() && ledger.alive() != before;
        self.until(moved, "no other host leads").await?;
        Ok(Effect {
            before: pair(before.clone()),
            after: self.leader(),
            gone: self.ledger.ended().map(|at| at.saturating_duration_since(since)),
            next: self.ledger.started().map(|at| at.saturating_duration_since(since)),
        })
    }

    /// Ends all programs and members.
    pub(crate) async fn close(&mut self) {
        for number in 0..HOSTS {
            if self.hosts[number].program.is_some() {
                let _ = self.signal(number, rustix::process::Signal::TERM);
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

fn pair(work: Option<Work>) -> Option<(String, u64)> {
    work.map(|work| (work.host, work.term))
}
