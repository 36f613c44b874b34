//! Three `ZooKeeper` servers, and a holder of kazoo's lock beside each.

use crate::{BOTH, LEAVES, Log, System, end, signal_group};
use rustix::process::Signal;
use std::fs;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

/// Where Debian's packages put them.
const PYTHON: &str = "/usr/bin/python3";
const SERVER: &str = "/usr/share/zookeeper/bin/zkServer.sh";
const HOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/failover/zookeeper.py");

struct Zookeeper {
    folder: PathBuf,
    run: String,
    /// Where each server answers clients.
    ports: Vec<u16>,
    servers: Vec<Child>,
    holders: Vec<Child>,
}

pub(crate) fn begin(folder: &Path, log: &Log) -> Result<Box<dyn System>, String> {
    let kazoo = Command::new(PYTHON).args(["-c", "import kazoo"]).stderr(Stdio::null()).status();
    if !Path::new(SERVER).exists() || !kazoo.is_ok_and(|status| status.success()) {
        return Err(
            "install it, for example by `apt-get install zookeeper python3-kazoo`".to_owned()
        );
    }
    let listeners: Vec<_> = (0..9).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let port = |at: usize| listeners[at].local_addr().unwrap().port();
    let ports = (0..3).map(port).collect();
    let servers: String = (0..3)
        .map(|host| format!("server.{host}=127.0.0.1:{}:{}\n", port(3 + host), port(6 + host)))
        .collect();
    let mut zookeeper = Zookeeper {
        folder: folder.to_owned(),
        run: log.text("run"),
        ports,
        servers: Vec::new(),
        holders: Vec::new(),
    };
    drop(listeners);
    for host in 0..3 {
        zookeeper.configure(host, &servers).map_err(|error| error.to_string())?;
        let server = zookeeper.serve(host);
        zookeeper.servers.push(server);
    }
    for host in 0..3 {
        let holder = zookeeper.hold(host);
        zookeeper.holders.push(holder);
    }
    Ok(Box::new(zookeeper))
}

impl Zookeeper {
    fn configure(&self, host: usize, servers: &str) -> std::io::Result<()> {
        let data = self.folder.join(format!("data-{host}"));
        fs::create_dir(&data)?;
        fs::write(data.join("myid"), host.to_string())?;
        // The times are those of the configuration that comes with it.
        let text = format!(
            "tickTime=2000\ninitLimit=10\nsyncLimit=5\ndataDir={}\nclientPortAddress=127.0.0.1\n\
             clientPort={}\nadmin.enableServer=false\n{servers}",
            data.display(),
            self.ports[host],
        );
        fs::write(self.folder.join(format!("{host}.cfg")), text)
    }

    fn serve(&self, host: usize) -> Child {
        Command::new(SERVER)
            .arg("start-foreground")
            .arg(self.folder.join(format!("{host}.cfg")))
            .env("ZOO_LOG_DIR", &self.folder)
            .env("ZOO_LOG4J_PROP", "ERROR,CONSOLE")
            .current_dir(&self.folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap()
    }

    fn hold(&self, host: usize) -> Child {
        Command::new(PYTHON)
            .arg(HOLDER)
            .arg(format!("127.0.0.1:{}", self.ports[host]))
            .args([&self.run, &host.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .unwrap()
    }
}

const KILLED: &str = "the program is killed (SIGKILL), session of 4 s";

impl System for Zookeeper {
    fn name(&self) -> &'static str {
        "ZooKeeper"
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
            signal_group(&self.servers[leader], Signal::KILL);
        }
        end(&self.holders[leader], fault);
        struck
    }

    fn repair(&mut self, leader: usize) {
        if matches!(self.servers[leader].try_wait(), Ok(Some(_))) {
            self.servers[leader] = self.serve(leader);
        }
        signal_group(&self.holders[leader], Signal::KILL);
        let _ = self.holders[leader].wait();
        self.holders[leader] = self.hold(leader);
    }
}

impl Drop for Zookeeper {
    fn drop(&mut self) {
        for process in self.holders.iter_mut().chain(&mut self.servers) {
            signal_group(process, Signal::KILL);
            let _ = process.wait();
        }
    }
}
