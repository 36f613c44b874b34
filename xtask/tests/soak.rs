//! `cargo xtask soak`, with a driver that makes up its runs.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt,
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// Leaves the logs of two tenures. The run of seed 3 breaks a promise. The run of seed 5 lasts until it is told to end,
/// and then ends in order.
const DRIVER: &str = r#"#!/bin/bash
[ "$2 $3" = "faults 7" ] || exit 2
mkdir -p "$LOGS/1"
echo "ok: host 1 leads"
printf '%s\n' 'start 5 host-1 1000000 0' 'write 5 host-1 1000000' 'start 9 host-1 1400000 0' \
    'overlap 9 host-1 1400000' 'refused 5 host-1 1400000' 'write 9 host-1 1400000' 'end 1500000' >"$LOGS/log"
for term in 5 9; do echo '{"fields":{"message":"leads db-primary in term '$term'"}}'; done >"$LOGS/1/err"
echo 'tenure: the command outlived its leadership of db-primary in term 5 by 3.1ms: another one' >>"$LOGS/1/err"
case $4 in
3) echo "FAILED: two led at once" >&2; exit 1 ;;
5)
    trap 'echo "removes its namespaces" >>"$0.said"; exit 143' TERM
    touch "$0.waits"
    while :; do sleep 0.05; done
    ;;
esac
"#;

struct Soak(TempDir);

impl Soak {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let driver = folder.path().join("driver");
        fs::write(&driver, DRIVER).unwrap();
        fs::set_permissions(driver, PermissionsExt::from_mode(0o755)).unwrap();
        Self(folder)
    }

    /// Runs of 7 faults, from this seed on.
    fn command(&self, seed: u32, hours: &str) -> Command {
        let path = |name: &str| self.0.path().join(name);
        let mut soak = Command::new(env!("CARGO_BIN_EXE_xtask"));
        soak.args(["soak", "--faults", "7", "--hours", hours, "--seed", &seed.to_string()]);
        soak.arg("--tenure").arg("/bin/true").arg("--driver").arg(path("driver"));
        soak.arg("--out").arg(path("out"));
        soak
    }

    fn kept(&self, seed: u32) -> bool {
        self.0.path().join(format!("out/seed-{seed}")).exists()
    }
}

fn text(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

const RUN: &str = "2 tenures, 2 writes, 1 refused, 1 commands beside another (1 of them logged as late), \
                   0 views; vacant for 400 ms (median)";

#[test]
fn a_run_is_reported_with_the_total_and_its_logs_are_removed() {
    let soak = Soak::new();
    let output = soak.command(1, "0").output().unwrap();
    let (out, err) = text(&output);
    assert!(output.status.success(), "{err}");
    assert!(out.starts_with(&format!("seed 1: {RUN}")), "{out}");
    assert!(out.contains("\n1 runs of 7 faults in ") && out.contains(&format!(": {RUN}")), "{out}");
    assert!(!soak.kept(1));
}

#[test]
fn a_broken_promise_ends_the_soak_with_its_seed_and_its_logs() {
    let soak = Soak::new();
    let output = soak.command(1, "1").output().unwrap();
    let (out, err) = text(&output);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(out.contains("seed 2: 2 tenures") && out.contains("seed 3: broken after"), "{out}");
    assert!(
        out.contains("2 runs of 7 faults in ")
            && out.contains("4 tenures, 4 writes, 2 refused, 2 commands beside another (2 of them"),
        "{out}"
    );
    assert!(
        err.contains("FAILED: two led at once") && err.contains("seed 3 broke a promise"),
        "{err}"
    );
    assert!(soak.kept(3) && !soak.kept(2));
    // They are not overwritten.
    let output = soak.command(3, "0").output().unwrap();
    assert!(text(&output).1.contains("has the logs of an earlier run"));
}

#[test]
fn an_interruption_ends_the_run_in_order_and_keeps_what_was_seen() {
    let soak = Soak::new();
    let mut command = soak.command(4, "1");
    let mut running = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.next().unwrap().starts_with(&format!("seed 4: {RUN}")));
    while !soak.0.path().join("driver.waits").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let pid = running.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert!(lines.next().unwrap().starts_with("1 runs of 7 faults in "));
    assert_eq!(running.wait().unwrap().code(), Some(130));
    let said = fs::read_to_string(soak.0.path().join("driver.said")).unwrap();
    assert_eq!(said, "removes its namespaces\n");
    assert!(!soak.kept(5));
}
