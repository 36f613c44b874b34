//! Three network namespaces with keepalived, and a virtual address that moves.

use crate::{LEAVES, Log, System, children, installed, kill};
use rustix::process::Signal;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

struct Keepalived {
    folder: PathBuf,
    program: PathBuf,
    tag: String,
    processes: Vec<Child>,
}

pub(crate) fn begin(folder: &Path, log: &Log) -> Result<Box<dyn System>, String> {
    let Some(program) = installed("keepalived") else {
        return Err("install it, for example by `apt-get install keepalived`".to_owned());
    };
    if !rustix::process::geteuid().is_root() {
        return Err("network namespaces need root".to_owned());
    }
    let tag = format!("failover{}", std::process::id());
    let mut hosts = Keepalived { folder: folder.to_owned(), program, tag, processes: Vec::new() };
    hosts.connect()?;
    for host in 0..3 {
        let text = format!(
            "global_defs {{\n script_user root\n}}\nvrrp_instance job {{\n state BACKUP\n nopreempt\n \
             interface eth0\n virtual_router_id 51\n priority {}\n advert_int 1\n \
             virtual_ipaddress {{\n 10.0.0.100/24\n }}\n notify_master \"{} {host}\"\n}}\n",
            100 + host,
            log.text("note"),
        );
        fs::write(log.path(&format!("{host}.conf")), text).map_err(|error| error.to_string())?;
        let process = hosts.start(host);
        hosts.processes.push(process);
    }
    Ok(Box::new(hosts))
}

impl Keepalived {
    /// Creates the namespaces, and a switch between them.
    fn connect(&self) -> Result<(), String> {
        let tag = &self.tag;
        let mut lines = vec![
            format!("netns add {tag}-switch"),
            format!("-n {tag}-switch link add bridge type bridge"),
            format!("-n {tag}-switch link set bridge up"),
        ];
        for host in 0..3 {
            lines.extend([
                format!("netns add {tag}-{host}"),
                format!(
                    "-n {tag}-switch link add cable{host} type veth peer name eth0 netns {tag}-{host}"
                ),
                format!("-n {tag}-switch link set cable{host} master bridge up"),
                format!("-n {tag}-{host} address add 10.0.0.{}/24 dev eth0", host + 1),
                format!("-n {tag}-{host} link set eth0 up"),
                format!("-n {tag}-{host} link set lo up"),
            ]);
        }
        for line in lines {
            if !ip(&line) {
                return Err(format!("`ip {line}` fails: there are no network namespaces"));
            }
        }
        Ok(())
    }

    fn start(&self, host: usize) -> Child {
        let file = |kind: &str| self.folder.join(format!("{host}.{kind}"));
        // What a killed one has left.
        ip(&format!("-n {}-{host} address del 10.0.0.100/24 dev eth0", self.tag));
        Command::new("ip")
            .args(["netns", "exec", &format!("{}-{host}", self.tag)])
            .arg(&self.program)
            .args(["--dont-fork", "--vrrp", "--use-file"])
            .arg(file("conf"))
            .arg("--pid")
            .arg(file("pid"))
            .arg("--vrrp_pid")
            .arg(file("vrrp"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }
}

fn ip(line: &str) -> bool {
    let done = Command::new("ip").args(line.split(' ')).stderr(Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}

const HOST: &str = "the host dies: all its processes at once";

impl System for Keepalived {
    fn name(&self) -> &'static str {
        "keepalived"
    }

    fn faults(&self) -> &'static [&'static str] {
        &[HOST, LEAVES]
    }

    /// Its script says that it leads, and ends.
    fn locks(&self) -> bool {
        false
    }

    fn calm(&self) -> Duration {
        Duration::from_secs(5)
    }

    fn strike(&mut self, fault: &str, leader: usize) -> SystemTime {
        let pid = self.processes[leader].id();
        let mut all = children(pid);
        all.push(pid as i32);
        let struck = SystemTime::now();
        if fault == LEAVES {
            kill(pid as i32, Signal::TERM);
        } else {
            all.into_iter().for_each(|process| kill(process, Signal::KILL));
        }
        struck
    }

    fn repair(&mut self, leader: usize) {
        let _ = self.processes[leader].wait();
        self.processes[leader] = self.start(leader);
    }
}

impl Drop for Keepalived {
    fn drop(&mut self) {
        for process in &mut self.processes {
            children(process.id()).into_iter().for_each(|child| kill(child, Signal::KILL));
            let _ = process.kill();
            let _ = process.wait();
        }
        for host in ["0", "1", "2", "switch"] {
            ip(&format!("netns del {}-{host}", self.tag));
        }
    }
}
