//! Real members within this program, and what a script of faults does to them.

use crate::host::{Disk, HostClock};
use crate::judge::Judge;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tenure_model::Peer;
use tenure_node::records::MemoryStore;
use tenure_node::transport::{LinkFaults, LocalNetwork};
use tenure_node::{LeaseTiming, LocalCluster, Member};
use tenure_simulation::{ClusterFault, FaultScript, RecordFate, TimedFault, Who};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until};

const OFFICE: &str = "db-primary";
/// The time limit for what must happen. No test measures a time.
const LIMIT: Duration = Duration::from_secs(60);

pub(crate) struct TestCluster {
    pub(crate) network: LocalNetwork,
    cluster: LocalCluster,
    judge: Arc<Judge>,
    hosts: Vec<Host>,
    /// The faults that are active, by their place in the script.
    active: Mutex<BTreeMap<usize, Active>>,
    programs: JoinSet<()>,
}

struct Active {
    fault: ClusterFault,
    /// The links that it cuts.
    links: Vec<(u32, u32)>,
}

struct Host {
    clock: Arc<HostClock>,
    disk: Disk,
    state: Mutex<State>,
    /// What its program goes by.
    orders: watch::Sender<Orders>,
}

struct State {
    store: MemoryStore,
    /// The number of faults that keep it down.
    downs: u32,
    /// The number of faults that make its disk fail.
    failures: u32,
    /// The number of faults that suspend it.
    suspensions: u32,
}

#[derive(Clone)]
struct Orders {
    member: Option<Member>,
    /// The number of faults for which it does not stand.
    resigned: u32,
}

fn name(member: u32) -> String {
    format!("host-{member}")
}

impl TestCluster {
    pub(crate) fn start(members: u32, timing: LeaseTiming, seed: u64, judge: Arc<Judge>) -> Self {
        let network = LocalNetwork::new(seed);
        let names: Vec<String> = (0..members).map(name).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let cluster = LocalCluster::new(network.clone(), &names, timing);
        let mut programs = JoinSet::new();
        let host = |name: &&str| {
            let (store, disk) = (MemoryStore::founding(), Disk::default());
            let clock = Arc::new(HostClock::new());
            let member = cluster.member(name, disk.with(store.clone()), clock.clone()).unwrap();
            let peer = member.peer();
            let orders = watch::Sender::new(Orders { member: Some(member), resigned: 0 });
            programs.spawn(program(peer, orders.subscribe(), judge.clone()));
            let state = Mutex::new(State { store, downs: 0, failures: 0, suspensions: 0 });
            Host { clock, disk, state, orders }
        };
        let hosts = names.iter().map(host).collect();
        Self { network, cluster, judge, hosts, active: Mutex::default(), programs }
    }

    pub(crate) fn clock(&self, member: u32) -> &HostClock {
        &self.hosts[member as usize].clock
    }

    /// Waits until a member leads, and returns it.
    pub(crate) async fn until_led(&self) -> u32 {
        let begin = Instant::now();
        loop {
            if let Some(leader) = self.judge.leader() {
                return leader;
            }
            assert!(begin.elapsed() < LIMIT, "no member leads");
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Lets all faults of a script befall the members, each at its instant from now on, until all are
    /// over.
    pub(crate) async fn suffer(&self, script: &FaultScript) {
        let begin = tokio::time::Instant::now();
        // The instants at which a fault begins, ends, or is toggled; what begins at an instant comes last.
        let mut steps = Vec::new();
        for (number, entry) in script.0.iter().enumerate() {
            let at = |nanos: u64| begin + Duration::from_nanos(nanos);
            steps.push((at(entry.at.0), 1, number));
            let Some(lasts) = entry.lasts.filter(|_| !entry.fault.is_momentary()) else { continue };
            let end = entry.at.0 + lasts.0;
            if let Some(period) = entry.flapping {
                let mut next = entry.at.0 + period.0;
                let mut cut = false;
                while next < end {
                    steps.push((at(next), u8::from(cut), number));
                    (next, cut) = (next + period.0, !cut);
                }
            }
            steps.push((at(end), 0, number));
        }
        steps.sort_unstable();
        for (at, begins, number) in steps {
            sleep_until(at).await;
            if begins == 1 {
                self.begin(number, &script.0[number]).await;
            } else {
                self.end(number).await;
            }
        }
    }

    fn resolve(&self, who: Who) -> u32 {
        let members = self.hosts.len() as u32;
        let up = |&member: &u32| self.hosts[member as usize].orders.borrow().member.is_some();
        let leader = || self.judge.leader().or_else(|| (0..members).find(up)).unwrap_or(0);
        match who {
            Who::Peer(peer) => peer,
            Who::Leader => leader(),
            Who::Follower(k) => {
                let leader = leader();
                (0..members).filter(|&peer| peer != leader).nth(k as usize - 1).unwrap_or(0)
            }
        }
    }

    async fn begin(&self, number: usize, entry: &TimedFault) {
        let mut fault = entry.fault.clone();
        let links = fault.links(self.hosts.len() as u32, |who| self.resolve(who));
        match &mut fault {
            ClusterFault::Crash { peer, .. } => {
                *peer = Who::Peer(self.resolve(*peer));
                self.down(*peer).await;
            }
            ClusterFault::FailedDisk { peer } => {
                *peer = Who::Peer(self.resolve(*peer));
                let mut state = self.host(*peer).state.lock().await;
                state.failures += 1;
                state.store.fail(Some("the disk fails"));
            }
            ClusterFault::StuckDisk { peer } => {
                *peer = Who::Peer(self.resolve(*peer));
                self.host(*peer).disk.stick(1);
            }
            ClusterFault::SlowDisk { peer, sync } => {
                *peer = Who::Peer(self.resolve(*peer));
                self.host(*peer).disk.slow_down(Duration::from_nanos(sync.0));
            }
            ClusterFault::Clock { peer, ppm } => {
                *peer = Who::Peer(self.resolve(*peer));
                self.host(*peer).clock.set_rate(*ppm);
            }
            ClusterFault::Suspend { peer } => {
                *peer = Who::Peer(self.resolve(*peer));
                let mut state = self.host(*peer).state.lock().await;
                state.suspensions += 1;
                self.host(*peer).clock.suspend(state.downs == 0);
            }
            ClusterFault::Resign { peer } => {
                *peer = Who::Peer(self.resolve(*peer));
                self.host(*peer).orders.send_modify(|orders| orders.resigned += 1);
            }
            ClusterFault::Transfer { peer, to } => {
                let (from, to) = (self.resolve(*peer), self.resolve(*to));
                let member = self.host(Who::Peer(from)).orders.borrow().member.clone();
                if let Some(member) = member {
                    // In vain where it does not lead, which is no fault of its own.
                    let order =
                        async move { member.office(OFFICE).ask_to_transfer(&name(to)).await };
                    drop(tokio::time::timeout(Duration::from_millis(50), order).await);
                }
                return;
            }
            _ => {}
        }
        self.active.lock().await.insert(number, Active { fault, links });
        self.conditions_changed().await;
    }

    async fn end(&self, number: usize) {
        let Some(Active { fault, .. }) = self.active.lock().await.remove(&number) else { return };
        match fault {
            ClusterFault::Crash { peer, record } => self.up(peer, record).await,
            ClusterFault::FailedDisk { peer } => {
                let mut state = self.host(peer).state.lock().await;
                state.failures -= 1;
                if state.failures == 0 {
                    state.store.fail(None);
                }
            }
            ClusterFault::StuckDisk { peer } => self.host(peer).disk.stick(-1),
            ClusterFault::SlowDisk { peer, sync } => {
                self.host(peer).disk.speed_up(Duration::from_nanos(sync.0));
            }
            ClusterFault::Clock { peer, .. } => self.host(peer).clock.set_rate(0),
            ClusterFault::Suspend { peer } => {
                let mut state = self.host(peer).state.lock().await;
                state.suspensions -= 1;
                if state.suspensions == 0 {
                    self.host(peer).clock.suspend(false);
                }
            }
            ClusterFault::Resign { peer } => {
                self.host(peer).orders.send_modify(|orders| orders.resigned -= 1);
            }
            _ => {}
        }
        self.conditions_changed().await;
    }

    fn host(&self, who: Who) -> &Host {
        &self.hosts[self.resolve(who) as usize]
    }

    async fn down(&self, who: Who) {
        let host = self.host(who);
        host.state.lock().await.downs += 1;
        // A process that is killed neither stays suspended nor writes.
        host.clock.suspend(false);
        host.disk.drop_writes();
        let mut member = None;
        host.orders.send_modify(|orders| member = orders.member.take());
        if let Some(member) = member {
            member.kill();
            member.ended().await;
        }
    }

    async fn up(&self, who: Who, record: RecordFate) {
        let host = self.host(who);
        let mut state = host.state.lock().await;
        state.downs -= 1;
        if record == RecordFate::Lost {
            state.store = MemoryStore::lost();
            if state.failures > 0 {
                state.store.fail(Some("the disk fails"));
            }
        }
        if state.downs == 0 {
            let name = name(self.resolve(who));
            let store = host.disk.with(state.store.clone());
            let member = self.cluster.member(&name, store, host.clock.clone());
            host.clock.suspend(state.suspensions > 0);
            host.orders.send_modify(|orders| orders.member = Some(member.unwrap()));
        }
    }

    /// Sets the combined effect of the active faults on links and messages.
    async fn conditions_changed(&self) {
        let active = self.active.lock().await;
        let percent = |percent: u32| f64::from(percent) / 100.0;
        let (mut weather, mut slower, mut late) = (LinkFaults::default(), 0, 0);
        self.network.heal();
        for Active { fault, links } in active.values() {
            for &(from, to) in links {
                self.network.cut(Peer(from), Peer(to));
            }
            match *fault {
                ClusterFault::Loss { percent: lost } => {
                    weather.loss = weather.loss.max(percent(lost));
                }
                ClusterFault::Duplicate { percent: twice } => {
                    weather.duplication = weather.duplication.max(percent(twice));
                }
                // All messages are late here, by a time that is drawn: more than the script says.
                ClusterFault::Overtake { by, .. } => late = late.max(by.0),
                ClusterFault::Delay { by } => slower = slower.max(by.0),
                _ => {}
            }
        }
        weather.delay = Duration::from_nanos(slower)..Duration::from_nanos(slower + late);
        self.network.set_weather(weather);
    }
}

impl Drop for TestCluster {
    fn drop(&mut self) {
        self.programs.abort_all();
    }
}

/// Stands for the office whenever it may, and works in it as long as it may.
async fn program(peer: Peer, mut orders: watch::Receiver<Orders>, judge: Arc<Judge>) {
    loop {
        let Orders { member, resigned } = orders.borrow_and_update().clone();
        let Some(member) = member.filter(|_| resigned == 0) else {
            if orders.changed().await.is_err() {
                return;
            }
            continue;
        };
        let office = member.office(OFFICE);
        let leadership = tokio::select! {
            leadership = office.stand() => leadership,
            _ = orders.changed() => continue,
        };
        let Ok(leadership) = leadership else {
            // The member has ended: there will be another one.
            if orders.changed().await.is_err() {
                return;
            }
            continue;
        };
        let leadership = Arc::new(leadership);
        judge.begins(peer, &leadership);
        tokio::select! {
            () = leadership.stopping() => {}
            _ = orders.changed() => {}
        }
        judge.ends(peer, leadership.term());
        drop(leadership);
    }
}
