//! Three etcd servers with `etcdctl lock` beside each, or three servers alone, where one leads the others.

use crate::{BOTH, LEAVES, Log, System, end, installed, signal_group};
use rustix::process::Signal;
use serde_json::Value;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

struct Etcd {
    folder: PathBuf,
    run: String,
    server: PathBuf,
    client: PathBuf,
    /// Of each member, for clients and for the others.
    ports: Vec<(u16, u16)>,
    servers: Vec<Child>,
    clients: Vec<Child>,
}

pub(crate) fn begin(folder: &Path, log: &Log) -> Result<Box<dyn System>, String> {
    let mut etcd = Etcd::serving(folder, log.text("run"))?;
    etcd.clients = (0..3).map(|host| etcd.lock(host)).collect();
    Ok(Box::new(etcd))
}

/// Begins without locks: what is measured is how soon another server leads.
pub(crate) fn begin_servers(folder: &Path, log: &Log) -> Result<Box<dyn System>, String> {
    let mut etcd = Etcd::serving(folder, log.text("note"))?;
    etcd.clients = vec![etcd.write(0)];
    Ok(Box::new(Servers(etcd)))
}

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

impl Etcd {
    /// Starts the servers.
    fn serving(folder: &Path, run: String) -> Result<Self, String> {
        let (Some(server), Some(client)) = (installed("etcd"), installed("etcdctl")) else {
            return Err(
                "install it, for example by `apt-get install etcd-server etcd-client`".to_owned()
            );
        };
        let listeners: Vec<_> = (0..6).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let port = |at: usize| listeners[at].local_addr().unwrap().port();
        let ports = (0..3).map(|host| (port(2 * host), port(2 * host + 1))).collect();
        drop(listeners);
        let (folder, servers, clients) = (folder.to_owned(), Vec::new(), Vec::new());
        let mut etcd = Self { folder, run, server, client, ports, servers, clients };
        etcd.servers = (0..3).map(|host| etcd.serve(host)).collect();
        Ok(etcd)
    }

    fn serve(&self, host: usize) -> Child {
        let peers: Vec<_> =
            (0..3).map(|peer| format!("host-{peer}={}", url(self.ports[peer].1))).collect();
        let (own, peer) = (url(self.ports[host].0), url(self.ports[host].1));
        Command::new(&self.server)
            .args(["--name", &format!("host-{host}"), "--initial-cluster", &peers.join(",")])
            .args(["--listen-client-urls", &own, "--advertise-client-urls", &own])
            .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
            .arg("--data-dir")
            .arg(self.folder.join(format!("data-{host}")))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn lock(&self, host: usize) -> Child {
        // It ends when its server does not answer, or was slow to renew its lease.
        self.shell(&format!(
            "while :; do until {0} --endpoints {1} endpoint health; do sleep 0.1; done; \
             {0} --endpoints {1} lock --ttl 2 job {2} {host}; done",
            self.client.display(),
            url(self.ports[host].0),
            self.run
        ))
    }

    /// Notes when this server answers a write, which takes a leader and a majority. A write that is sent to a
    /// dead leader is lost, so each write has a short time limit.
    fn write(&self, host: usize) -> Child {
        self.shell(&format!(
            "until {} --endpoints {} --command-timeout 100ms put job 1; do :; done; exec {} {host}",
            self.client.display(),
            url(self.ports[host].0),
            self.run
        ))
    }

    fn shell(&self, line: &str) -> Child {
        Command::new("/bin/sh")
            .args(["-c", line])
            .env("ETCDCTL_API", "3")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap()
    }

    fn leader(&self) -> usize {
        let endpoints: Vec<_> = self.ports.iter().map(|&(port, _)| url(port)).collect();
        let told = Command::new(&self.client)
            .args(["--endpoints", &endpoints.join(","), "endpoint", "status", "-w", "json"])
            .env("ETCDCTL_API", "3")
            .output()
            .unwrap();
        let told: Vec<Value> = serde_json::from_slice(&told.stdout).unwrap();
        let leads =
            |told: &&Value| told["Status"]["leader"] == told["Status"]["header"]["member_id"];
        let leader = &told.iter().find(leads).unwrap()["Endpoint"];
        endpoints.iter().position(|at| leader == at).unwrap()
    }
}

const KILLED: &str = "the program is killed (SIGKILL), lock --ttl 2";
/// No command runs: what is noted is that a write was answered.
const LEADER: &str =
    "the server that leads the others is killed (SIGKILL), until another one answers a write";

impl System for Etcd {
    fn name(&self) -> &'static str {
        "etcd"
    }

    fn faults(&self) -> &'static [&'static str] {
        &[KILLED, LEAVES, BOTH]
    }

    fn calm(&self) -> Duration {
        Duration::from_secs(3)
    }

    fn strike(&mut self, fault: &str, leader: usize) -> SystemTime {
        let struck = SystemTime::now();
        if fault == BOTH {
            let _ = self.servers[leader].kill();
        }
        end(&self.clients[leader], fault);
        struck
    }

    fn repair(&mut self, leader: usize) {
        let mut ended = vec![leader];
        if matches!(self.servers[leader].try_wait(), Ok(Some(_))) {
            self.servers[leader] = self.serve(leader);
            // Several of them may hold the lock now, so all begin again.
            ended = vec![0, 1, 2];
        }
        for &host in &ended {
            signal_group(&self.clients[host], Signal::KILL);
            let _ = self.clients[host].wait();
        }
        for host in ended {
            self.clients[host] = self.lock(host);
        }
    }
}

/// The servers alone.
struct Servers(Etcd);

impl System for Servers {
    fn name(&self) -> &'static str {
        "etcd"
    }

    fn faults(&self) -> &'static [&'static str] {
        &[LEADER]
    }

    fn locks(&self) -> bool {
        false
    }

    fn calm(&self) -> Duration {
        Duration::from_secs(3)
    }

    fn strike(&mut self, _: &str, _: usize) -> SystemTime {
        let Self(etcd) = self;
        let leader = etcd.leader();
        let struck = SystemTime::now();
        let _ = etcd.servers[leader].kill();
        etcd.clients.push(etcd.write((leader + 1) % 3));
        struck
    }

    fn repair(&mut self, _: usize) {
        let Self(etcd) = self;
        for host in 0..3 {
            if matches!(etcd.servers[host].try_wait(), Ok(Some(_))) {
                etcd.servers[host] = etcd.serve(host);
            }
        }
        for mut client in etcd.clients.drain(..) {
            let _ = client.wait();
        }
    }
}

impl Drop for Etcd {
    fn drop(&mut self) {
        for client in &self.clients {
            signal_group(client, Signal::KILL);
        }
        for process in self.clients.iter_mut().chain(&mut self.servers) {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
