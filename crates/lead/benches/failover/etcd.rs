//! Three etcd servers, and `etcdctl lock` beside each.

use crate::{BOTH, LEAVES, Log, System, end, installed, signal_group};
use rustix::process::Signal;
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
    let (Some(server), Some(client)) = (installed("etcd"), installed("etcdctl")) else {
        return Err(
            "install it, for example by `apt-get install etcd-server etcd-client`".to_owned()
        );
    };
    let listeners: Vec<_> = (0..6).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let port = |at: usize| listeners[at].local_addr().unwrap().port();
    let ports = (0..3).map(|host| (port(2 * host), port(2 * host + 1))).collect();
    drop(listeners);
    let mut etcd = Etcd {
        folder: folder.to_owned(),
        run: log.text("run"),
        server,
        client,
        ports,
        servers: Vec::new(),
        clients: Vec::new(),
    };
    for host in 0..3 {
        let server = etcd.serve(host);
        etcd.servers.push(server);
    }
    for host in 0..3 {
        let client = etcd.lock(host);
        etcd.clients.push(client);
    }
    Ok(Box::new(etcd))
}

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

impl Etcd {
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
        let line = format!(
            "while :; do until {0} --endpoints {1} endpoint health; do sleep 0.1; done; \
             {0} --endpoints {1} lock --ttl 2 job {2} {host}; done",
            self.client.display(),
            url(self.ports[host].0),
            self.run
        );
        Command::new("/bin/sh")
            .args(["-c", &line])
            .env("ETCDCTL_API", "3")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap()
    }
}

const KILLED: &str = "the program is killed (SIGKILL), lock --ttl 2";

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
