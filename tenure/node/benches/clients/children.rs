//! The processes of the measurement: members, and clients.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::UdpSocket;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;
use tenure_node::certificates::{Authority, CertificateSubject};

/// The time limit of anything that is waited for.
const LIMIT: Duration = Duration::from_secs(120);

/// A process, and what is measured of it.
pub(crate) struct Child {
    process: std::process::Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

/// What a member has used and sent so far.
pub(crate) struct Sample {
    pub(crate) at: Instant,
    /// Processor time.
    pub(crate) time: Duration,
    /// In bytes.
    pub(crate) memory: u64,
    pub(crate) messages_sent: u64,
    pub(crate) datagrams_sent: u64,
    pub(crate) datagrams_received: u64,
}

/// A line of a client's process: which process said it, the word, and its numbers.
type Event = (usize, String, Vec<u64>);

impl Child {
    fn start(arguments: &[&str], heard: impl Fn(String) + Send + 'static) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (answers, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                match line.strip_prefix("! ") {
                    Some(event) => heard(event.to_owned()),
                    None => drop(answers.send(line)),
                }
            }
        });
        Self { process, input, lines }
    }

    /// Sends a line and returns the answer.
    fn ask(&self, question: &str) -> Vec<u64> {
        let mut input = self.input.as_ref().unwrap();
        writeln!(input, "{question}").unwrap();
        let answer = self.lines.recv_timeout(LIMIT).expect("a process answers");
        answer.split(' ').map(|number| number.parse().unwrap()).collect()
    }

    fn time(&self) -> Duration {
        let tasks = format!("/proc/{}/task", self.process.id());
        let spent = |task: fs::DirEntry| {
            let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<u64>().ok()
        };
        let tasks = fs::read_dir(tasks).unwrap().flatten();
        Duration::from_nanos(tasks.filter_map(spent).sum())
    }

    fn memory(&self) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    pub(crate) fn sample(&self) -> Sample {
        let answer = self.ask("status");
        Sample {
            at: Instant::now(),
            time: self.time(),
            memory: self.memory(),
            messages_sent: answer[1],
            datagrams_sent: answer[2],
            datagrams_received: answer[3],
        }
    }

    fn until_ready(&self) {
        let begin = Instant::now();
        while self.ask("status")[0] == 0 {
            assert!(begin.elapsed() < LIMIT, "a member is not ready");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn kill(&mut self) {
        let _ = self.process.kill();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
        let _ = self.process.wait();
    }
}

/// The cluster.
pub(crate) struct TestCluster {
    folder: TempDir,
    addresses: String,
    members: Vec<Child>,
    /// Many clients each; the last one has a single client, which is the leader that is killed.
    clients: Vec<Option<Child>>,
    events: (Sender<Event>, Receiver<Event>),
    /// The latest leader: its process and its term.
    leader: Option<(usize, u64)>,
    /// The term that all clients of each process know, and since when.
    known: Vec<Option<(u64, SystemTime)>>,
}

const NAMES: [&str; 3] = ["a", "b", "c"];

impl TestCluster {
    pub(crate) fn start(clients: u32, in_a_process: u32, timing: &str) -> Self {
        let sockets = NAMES.map(|_| UdpSocket::bind("127.0.0.1:0").unwrap());
        let addresses = sockets.map(|socket| socket.local_addr().unwrap().to_string());
        let mut cluster = Self {
            folder: TempDir::new().unwrap(),
            addresses: addresses.join(","),
            members: Vec::new(),
            clients: Vec::new(),
            events: channel(),
            leader: None,
            known: Vec::new(),
        };
        cluster.install(&addresses, timing);
        for member in 0..NAMES.len() {
            let child = cluster.member(member);
            cluster.members.push(child);
        }
        cluster.members.iter().for_each(Child::until_ready);
        let mut left = clients - 1;
        while left > 0 {
            let count = left.min(in_a_process);
            left -= count;
            cluster.add_clients(count);
        }
        cluster
    }

    fn install(&self, addresses: &[String], timing: &str) {
        let authority = Authority::new().unwrap();
        let path = |name: &str| self.folder.path().join(name);
        let mut members = String::new();
        for (name, address) in NAMES.iter().zip(addresses) {
            members += &format!("[[members]]\nname = \"{name}\"\naddress = \"{address}\"\n");
        }
        let all = NAMES
            .map(|name| (name, authority.issue("lab", CertificateSubject::Member(name)).unwrap()));
        let web = [("web", authority.issue("lab", CertificateSubject::Client("web")).unwrap())];
        for (name, own) in all.into_iter().chain(web) {
            let own = authority.with(own);
            fs::write(path("ca.pem"), &own.authority).unwrap();
            fs::write(path(&format!("{name}.pem")), &own.certificate).unwrap();
            fs::write(path(&format!("{name}-key.pem")), &own.key).unwrap();
            let text = format!(
                "cluster = \"lab\"\nprofile = \"custom\"\ntiming = {timing}\n\
                 data = \"record-{name}\"\n{members}[tls]\nauthority = \"ca.pem\"\n\
                 certificate = \"{name}.pem\"\nkey = \"{name}-key.pem\"\n"
            );
            fs::write(path(&format!("{name}.toml")), text).unwrap();
        }
    }

    fn member(&self, number: usize) -> Child {
        let folder = self.folder.path().to_str().unwrap();
        Child::start(&["__member", folder, NAMES[number]], |_| {})
    }

    /// Starts a process with clients, and waits until they are up.
    fn add_clients(&mut self, count: u32) {
        let (events, number) = (self.events.0.clone(), self.clients.len());
        let heard = move |line: String| {
            let (word, numbers) = line.split_once(' ').unwrap();
            let numbers = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
            let _ = events.send((number, word.to_owned(), numbers));
        };
        let folder = self.folder.path().to_str().unwrap();
        let child =
            Child::start(&["__clients", folder, &self.addresses, &count.to_string()], heard);
        let up = child.lines.recv_timeout(LIMIT).expect("the clients start");
        assert_eq!(up, "up");
        self.clients.push(Some(child));
        self.known.push(None);
    }

    pub(crate) fn members(&self) -> &[Child] {
        &self.members
    }

    pub(crate) fn clients_time(&self) -> Duration {
        self.clients.iter().flatten().map(Child::time).sum()
    }

    /// Waits for something that a client says.
    fn hear(&mut self) -> Event {
        let event = self.events.1.recv_timeout(LIMIT).expect("the clients go on");
        let (process, word, numbers) = &event;
        match word.as_str() {
            "leads" => self.leader = Some((*process, numbers[0])),
            "know" => self.known[*process] = Some((numbers[0], instant(numbers[1]))),
            _ => {}
        }
        event
    }

    /// Waits until the next client leads, and returns its term and when it began.
    pub(crate) fn next_leader(&mut self) -> (u64, SystemTime) {
        loop {
            let (_, word, numbers) = self.hear();
            if word == "leads" {
                return (numbers[0], instant(numbers[1]));
            }
        }
    }

    /// Waits until all know the leader of this term, and returns since when.
    pub(crate) fn all_know(&mut self, term: u64) -> SystemTime {
        loop {
            let alive = self.known.iter().zip(&self.clients).filter(|(_, child)| child.is_some());
            let known: Option<Vec<SystemTime>> = alive
                .map(|(known, _)| known.filter(|known| known.0 == term).map(|known| known.1))
                .collect();
            if let Some(latest) = known.and_then(|known| known.into_iter().max()) {
                return latest;
            }
            self.hear();
        }
    }

    /// Starts a process with one client, makes it the leader, waits until all know, and returns it.
    pub(crate) fn leader_of_its_own(&mut self) -> usize {
        self.add_clients(1);
        let own = self.clients.len() - 1;
        let number = self.clients[own].as_ref().unwrap().ask("number")[0];
        let begin = Instant::now();
        loop {
            assert!(begin.elapsed() < LIMIT, "the leader hands over");
            match self.leader {
                Some((process, term)) if process == own => {
                    self.all_know(term);
                    return own;
                }
                Some((process, _)) => {
                    if let Some(leader) = &self.clients[process] {
                        leader.ask(&format!("transfer {number}"));
                    }
                    self.next_leader();
                }
                None => {
                    self.next_leader();
                }
            }
        }
    }

    /// Kills the leader's process and a member at once.
    pub(crate) fn kill(&mut self, leader: usize, member: usize) {
        self.members[member].kill();
        let mut own = self.clients[leader].take().unwrap();
        own.kill();
        // All that the clients have said before is of the past.
        while self.events.1.try_recv().is_ok() {}
    }

    pub(crate) fn repair(&mut self, member: usize) {
        let _ = self.members[member].process.wait();
        self.members[member] = self.member(member);
        self.members[member].until_ready();
    }
}

fn instant(micros: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_micros(micros)
}
