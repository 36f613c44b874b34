//! Three hosts with `tenure lead`, each a member.

use crate::{LEAVES, Log, System, TENURE, children, kill};
use rustix::process::Signal;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};
use tenure_node::certificates::{Authority, CertificateSubject};

struct Hosts {
    folder: String,
    run: String,
    processes: Vec<Child>,
    /// The last fault.
    fault: String,
}

pub(crate) fn begin(folder: &Path, log: &Log) -> Result<Box<dyn System>, String> {
    let sockets: Vec<_> = (0..3).map(|_| UdpSocket::bind("127.0.0.1:0").unwrap()).collect();
    let mut members = String::new();
    for (host, socket) in sockets.iter().enumerate() {
        let address = socket.local_addr().unwrap();
        write!(members, "[[members]]\nname = \"host-{host}\"\naddress = \"{address}\"\n").unwrap();
    }
    for host in 0..3 {
        let text = format!(
            "cluster = \"lab\"\ndata = \"record-{host}\"\n{members}[tls]\nauthority = \"ca.pem\"\n\
             certificate = \"member-host-{host}.pem\"\nkey = \"member-host-{host}-key.pem\"\n"
        );
        fs::write(log.path(&format!("{host}.toml")), text).unwrap();
    }
    drop(sockets);
    let mut hosts = Hosts {
        folder: folder.to_str().unwrap().to_owned(),
        run: log.text("run"),
        processes: Vec::new(),
        fault: String::new(),
    };
    let authority = Authority::new().map_err(|error| error.to_string())?;
    fs::write(log.path("ca.pem"), authority.own().certificate).unwrap();
    for host in 0..3 {
        let name = format!("host-{host}");
        let own = authority.issue("lab", CertificateSubject::Member(&name));
        let own = own.map_err(|error| error.to_string())?;
        fs::write(log.path(&format!("member-{name}.pem")), own.certificate).unwrap();
        fs::write(log.path(&format!("member-{name}-key.pem")), own.key).unwrap();
    }
    for host in 0..3 {
        let process = hosts.lead(host);
        hosts.processes.push(process);
    }
    Ok(Box::new(hosts))
}

impl Hosts {
    fn tenure(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg(TENURE).args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn lead(&self, host: usize) -> Child {
        let config = format!("{}/{host}.toml", self.folder);
        let socket = format!("{}/{host}.socket", self.folder);
        let number = host.to_string();
        let arguments =
            ["lead", "job", "--config", &config, "--socket", &socket, "--", &self.run, &number];
        let log = OpenOptions::new().create(true).append(true).open(self.log(host)).unwrap();
        self.tenure(&arguments).stderr(log).spawn().unwrap()
    }

    fn log(&self, host: usize) -> String {
        format!("{}/{host}.log", self.folder)
    }

    fn said(&self, host: usize, what: &str) -> Option<SystemTime> {
        let log = fs::read_to_string(self.log(host)).ok()?;
        let line = log.lines().rev().find(|line| line.ends_with(what))?;
        humantime::parse_rfc3339(line.split(' ').next()?).ok()
    }
}

const KILLED: &str = "the program is killed (SIGKILL)";
const MOVED: &str = "the office is transferred";
const HOST: &str = "the host dies: all its processes at once";

impl System for Hosts {
    fn name(&self) -> &'static str {
        "tenure lead"
    }

    fn faults(&self) -> &'static [&'static str] {
        &[KILLED, LEAVES, MOVED, HOST]
    }

    fn calm(&self) -> Duration {
        Duration::from_millis(1200)
    }

    fn strike(&mut self, fault: &str, leader: usize) -> SystemTime {
        let pid = self.processes[leader].id();
        let now = SystemTime::now;
        self.fault = fault.to_owned();
        let struck;
        match fault {
            KILLED => {
                struck = now();
                kill(pid as i32, Signal::KILL);
            }
            LEAVES => {
                struck = now();
                kill(pid as i32, Signal::TERM);
            }
            MOVED => {
                let to = format!("host-{}", (leader + 1) % 3);
                let socket = format!("{}/{leader}.socket", self.folder);
                let mut transfer =
                    self.tenure(&["office", "transfer", "job", "--to", &to, "--socket", &socket]);
                struck = now();
                transfer.status().unwrap();
            }
            _ => {
                // The guard and the crash notifier as well, so that no process is left to tell the others; its command
                // dies with the guard.
                let mut all = children(pid);
                all.push(pid as i32);
                for &process in &all {
                    kill(process, Signal::STOP);
                }
                struck = now();
                for process in all {
                    kill(process, Signal::KILL);
                }
            }
        }
        struck
    }

    fn since(&self, leader: usize) -> Option<(&'static str, SystemTime)> {
        let (what, line) = match self.fault.as_str() {
            LEAVES => ("it has left", "has left job"),
            MOVED => ("it is told to", "is to leave job"),
            _ => return None,
        };
        Some((what, self.said(leader, line)?))
    }

    fn repair(&mut self, leader: usize) {
        if self.fault != MOVED {
            let _ = self.processes[leader].wait();
            self.processes[leader] = self.lead(leader);
        }
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
