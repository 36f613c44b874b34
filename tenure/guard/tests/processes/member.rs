//! A member that tests can kill: it holds the office as long as it runs, and prints the reports of
//! its guard.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, Write, stdin, stdout};
use std::process::ExitCode;
use std::time::Duration;
use tenure_guard::{Boottime, Guard, GuardEvent, Workload};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// `__member WORKLOAD COMMAND ..`, with orders a line on the standard input: `begin TERM MS`,
/// `hold MS` (prolong again and again), `end MS`, `probe health`, `probe ready`, `keep PATH`.
pub(crate) fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(2);
    let workload = arguments.next().unwrap();
    let mut workload: Workload = serde_json::from_str(workload.to_str().unwrap()).unwrap();
    workload.command = arguments.collect::<Vec<OsString>>();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(serve(&workload));
    ExitCode::SUCCESS
}

fn say(line: &str) {
    let mut out = stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).unwrap();
}

fn read(lines: &UnboundedSender<Option<String>>) {
    for line in stdin().lock().lines() {
        lines.send(Some(line.unwrap())).unwrap();
    }
    let _ = lines.send(None);
}

async fn serve(workload: &Workload) {
    let mut guard = Guard::spawn(workload).unwrap();
    let (lines, mut orders) = unbounded_channel();
    std::thread::spawn(move || read(&lines));
    let mut hold = None;
    let mut until = Boottime::default();
    let mut beat = tokio::time::interval(Duration::from_millis(10));
    loop {
        tokio::select! {
            event = guard.event() => {
                let late = if Boottime::now() > until { " late" } else { "" };
                if let GuardEvent::Ready { guard, .. } = &event {
                    say(&format!("guard {guard}"));
                }
                match &event {
                    GuardEvent::Ready { no_cgroup: None, .. } => say("ready with a control group"),
                    GuardEvent::Ready { no_cgroup: Some(no), .. } => {
                        let barred = if no.unkillable.is_some() { " unkillable" } else { "" };
                        say(&format!("ready without{barred}: {}", no.why));
                    }
                    GuardEvent::Knows { .. } | GuardEvent::Reaped => {}
                    GuardEvent::Failed { why } => say(&format!("failed {why}")),
                    GuardEvent::Started { .. } => say("started"),
                    GuardEvent::Refused { why } => say(&format!("refused {why}")),
                    GuardEvent::Exited { exit, left: 0 } => say(&format!("exited {exit}")),
                    GuardEvent::Exited { exit, left } => {
                        say(&format!("exited {exit} and left {left}"));
                    }
                    GuardEvent::Probed { failure: None, .. } => say("probed well"),
                    GuardEvent::Probed { failure: Some(why), .. } => say(&format!("probed: {why}")),
                    GuardEvent::Hook { name, why } => say(&format!("hook {name}: {why}")),
                    GuardEvent::Ended { killed: true, late: over } => {
                        let over = if over.is_zero() { "" } else { " outlived" };
                        say(&format!("killed{late}{over}"));
                    },
                    GuardEvent::Ended { killed: false, .. } => say(&format!("ended{late}")),
                    GuardEvent::Lost { .. } => {
                        say("lost");
                        guard = loop {
                            match Guard::spawn(workload) {
                                Ok(guard) => break guard,
                                // At a limit of processes.
                                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                            }
                        };
                    }
                }
                if matches!(event, GuardEvent::Ended { .. } | GuardEvent::Lost { .. }) {
                    hold = None;
                }
            }
            order = orders.recv() => {
                let Some(order) = order.unwrap() else { return };
                let words: Vec<_> = order.split(' ').collect();
                let ms = |text: &str| Duration::from_millis(text.parse().unwrap());
                match words.as_slice() {
                    ["begin", term, valid] => {
                        until = Boottime::now().after(ms(valid));
                        guard.begin(term.parse().unwrap(), until);
                    }
                    ["hold", valid] => hold = Some(ms(valid)),
                    ["end", grace] => guard.end(ms(grace)),
                    ["probe", which] => guard.probe(*which == "health"),
                    ["keep", path] => {
                        let file = File::options().write(true).open(path).unwrap();
                        guard.keep(file, Some("reaped")).unwrap();
                    }
                    other => panic!("{other:?}"),
                }
            }
            _ = beat.tick() => {
                if let Some(valid) = hold {
                    until = Boottime::now().after(valid);
                    guard.prolong(until);
                }
            }
        }
    }
}
