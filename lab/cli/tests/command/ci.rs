//! The script of network namespaces, which installs what is missing, while another process installs packages.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of programs that is the whole `PATH`: real ones that are harmless, and stand-ins.
struct Programs(tempfile::TempDir);

impl Programs {
    fn new() -> Self {
        let programs = Self(tempfile::tempdir().unwrap());
        for name in ["bash", "cat", "grep", "mktemp", "readlink", "rm", "touch", "wc"] {
            let real = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(name));
            let real = real.into_iter().find(|path| path.exists()).unwrap();
            symlink(real, programs.path(name)).unwrap();
        }
        programs.script("id", "echo 0");
        programs.script("sleep", ":");
        programs
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn script(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::write(&path, format!("#!{}\n{text}\n", self.path("bash").display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Adds an installer that fails `failures` times with a message, and then creates the tools,
    /// which know of no namespaces.
    fn installer(&self, failures: u32, message: &str) {
        let folder = self.0.path().display();
        self.script(
            "apt-get",
            &format!(
                "echo call >> {folder}/calls\n\
                 if [ $(wc -l < {folder}/calls) -le {failures} ]; then echo '{message}' >&2; exit 100; fi\n\
                 for tool in ip nft; do printf '#!%s\\nexit 1\\n' {folder}/bash > {folder}/$tool; \
                 /bin/chmod +x {folder}/$tool; done"
            ),
        );
    }

    /// Runs the script, if it exists: it is no part of the package.
    fn run(&self) -> Option<Output> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.ci/namespaces");
        if !script.exists() {
            eprintln!("skipped: {} is not there", script.display());
            return None;
        }
        let output = Command::new(self.path("bash"))
            .arg(script)
            .arg(assert_cmd::cargo::cargo_bin!("suffrage"))
            .env_clear()
            .env("PATH", self.0.path())
            .output();
        Some(output.unwrap())
    }
}

#[test]
fn it_waits_while_packages_are_being_installed() {
    for message in [
        "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt)",
        "E: Unable to lock directory /var/lib/apt/lists/",
        "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another \
         process using it?",
        "dpkg: error: dpkg frontend lock was locked by another process with pid 7",
    ] {
        let programs = Programs::new();
        programs.installer(3, message);
        let Some(output) = programs.run() else { return };
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{message}: {said}{err}");
        assert!(said.contains("skipped: this system has no network namespaces"), "{said}{err}");
    }
}

#[test]
fn it_fails_at_once_where_the_cause_is_another_one() {
    let programs = Programs::new();
    programs.installer(100, "E: Unable to locate package iproute2");
    let Some(output) = programs.run() else { return };
    assert!(!output.status.success());
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(err.contains("Unable to locate package"), "{err}");
    let calls = fs::read_to_string(programs.path("calls")).unwrap().lines().count();
    assert!(calls < 5, "{calls} attempts");
}
