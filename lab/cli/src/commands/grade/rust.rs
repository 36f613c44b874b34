//! Submissions in Rust: compiled with a library that has the model, and started by a shell that sets their limits.

use super::submission::{LIMITS_MEMORY, Limits, SubmissionFault, kill};
use std::cell::{Cell, OnceCell};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, io};
use suffrage::model::SOURCES;
use tempfile::TempDir;

/// The program that computes reactions, which is the library of submissions.
const REACTOR: (&str, &[(&str, &str)]) = ("suffrage", &[("lib.rs", include_str!("reactor.rs"))]);

/// What a compilation may use: processor time, 128 MiB in a file, and 4 GiB of memory.
const COMPILING: &str = "ulimit -t $0 && ulimit -c 0 && ulimit -f 262144";
const COMPILING_MEMORY: &str = " && ulimit -v 4194304";

/// The processor time in which the library is compiled, in seconds.
const LIBRARY_SECONDS: u64 = 60;

/// The time within which a compilation must end.
const PATIENCE: Duration = Duration::from_secs(120);

/// A compiler with the library of submissions, made when the first one needs it. Its folder has what it compiles.
#[derive(Default)]
pub(super) struct RustCompiler {
    library: OnceCell<Result<TempDir, String>>,
    compiled: Cell<u32>,
}

impl RustCompiler {
    /// Compiles a submission: the module `election` of a program, with the type `Election`, which is a member or a
    /// process. The program is there as long as this compiler.
    ///
    /// # Errors
    /// If there is no compiler that compiles the library.
    pub(super) fn compile(
        &self,
        file: &Path,
        is_member: bool,
        limits: Limits,
    ) -> Result<Result<PathBuf, SubmissionFault>, String> {
        let text = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let library = self.library.get_or_init(library).as_ref().map_err(Clone::clone)?.path();
        let number = self.compiled.get();
        self.compiled.set(number + 1);
        let folder = library.join(number.to_string());
        let answer = if is_member { "answer_member" } else { "answer_process" };
        let main =
            format!("mod election;\nfn main() {{ suffrage::{answer}::<election::Election>() }}\n");
        put(&folder, "main.rs", main.as_bytes())?;
        put(&folder, "election.rs", &text)?;
        let library = library.display().to_string();
        let with = ["--crate-name", "submission", "-L", &library, "--extern", "suffrage"];
        let with = [&with[..], &["-F", "unsafe_code"]].concat();
        let made = rustc(&folder, "main.rs", &with, limits.seconds)?;
        Ok(made.map(|()| folder.join("submission")))
    }
}

/// Writes a file of a folder, which is made where there is none.
fn put(folder: &Path, name: &str, text: &[u8]) -> Result<(), String> {
    let path = folder.join(name);
    let put = fs::create_dir_all(folder).and_then(|()| fs::write(&path, text));
    put.map_err(|error| format!("{}: {error}", path.display()))
}

/// Compiles the library, and a program that does nothing: what fails then is no submission's fault.
fn library() -> Result<TempDir, String> {
    let library = tempfile::Builder::new().prefix("suffrage-grade-").tempdir();
    let library =
        library.map_err(|error| format!("cannot make a folder to compile in: {error}"))?;
    let place = library.path().display().to_string();
    let compile = |folder: &Path, root: &str, arguments: &[&str]| {
        let made = rustc(folder, root, arguments, LIBRARY_SECONDS)?;
        made.map_err(|fault| {
            format!(
                "rustc cannot compile the library of submissions in Rust: it needs Rust 1.88 or later and a C linker: \
                 {fault}"
            )
        })
    };
    let mut known = vec!["-L", &place];
    // The command is made of the other crates itself.
    for (name, files) in SOURCES.into_iter().chain([REACTOR]) {
        let source = library.path().join(name);
        for (file, text) in files {
            put(&source, file, text.as_bytes())?;
        }
        let kind = ["--crate-type", "rlib", "--crate-name", name, "--out-dir", &place];
        compile(&source, "lib.rs", &[&kind[..], &known].concat())?;
        known.extend(["--extern", name]);
    }
    put(library.path(), "nothing.rs", b"fn main() {}")?;
    compile(library.path(), "nothing.rs", &[])?;
    let ran = Command::new(library.path().join("nothing")).env_clear().status();
    if !ran.is_ok_and(|status| status.success()) {
        return Err(format!(
            "no program can be run in {place}: set TMPDIR to a folder where that is allowed"
        ));
    }
    Ok(library)
}

/// Runs the compiler in a folder, with limits.
fn rustc(
    folder: &Path,
    root: &str,
    arguments: &[&str],
    seconds: u64,
) -> Result<Result<(), SubmissionFault>, String> {
    let said = folder.join("messages");
    let messages = File::create(&said).map_err(|error| format!("{}: {error}", said.display()))?;
    let memory = if LIMITS_MEMORY { COMPILING_MEMORY } else { "" };
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", &format!("{COMPILING}{memory} && exec rustc \"$@\"")])
        .arg(seconds.to_string())
        .args(["--edition", "2024", "--error-format", "json", "-A", "warnings"])
        .args(arguments)
        .arg(root)
        .current_dir(folder)
        .env_clear()
        // What finds a compiler, and one of rustup.
        .envs(
            ["PATH", "HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CARGO_HOME", "TMPDIR"]
                .into_iter()
                .filter_map(|name| Some((name, env::var_os(name)?))),
        )
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(messages);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let failed = |error: io::Error| format!("cannot run rustc: {error}");
    let mut child = command.spawn().map_err(failed)?;
    let end = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break Some(status),
            None if Instant::now() > end || crate::interrupt::asked() => break None,
            None => thread::sleep(Duration::from_millis(10)),
        }
    };
    kill(&mut child);
    let messages = fs::read(&said).map_err(|error| format!("{}: {error}", said.display()))?;
    let messages = String::from_utf8_lossy(&messages);
    Ok(match status {
        Some(status) if status.success() => Ok(()),
        Some(status) if status.code() == Some(127) => {
            return Err(
                "there is no rustc on the PATH, which compiles submissions in Rust: rustup.rs has it"
                    .to_owned(),
            );
        }
        _ => Err(first_error(&messages).unwrap_or(SubmissionFault::Refused(format!(
            "it was not compiled within {seconds} s of processor time (--seconds) and 4 GiB of memory"
        )))),
    })
}

/// The first error that the compiler gives, with its line in the submission.
fn first_error(messages: &str) -> Option<SubmissionFault> {
    let lines = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
    let error = { lines }.find(|line: &serde_json::Value| line["level"] == "error")?;
    let spans = error["spans"].as_array()?;
    let place = spans.iter().find(|span| span["is_primary"] == true);
    let mut words = format!("it does not compile: {}", error["message"].as_str()?);
    if let Some(label) = place.and_then(|span| span["label"].as_str()) {
        words += &format!(": {label}");
    }
    if let Some(code) = error["code"]["code"].as_str() {
        words += &format!(" ({code})");
    }
    let inside = place.filter(|span| span["file_name"] == "election.rs");
    let line = inside.and_then(|span| span["line_start"].as_u64());
    let words = words.lines().collect::<Vec<_>>().join(" ").chars().take(600).collect();
    Some(SubmissionFault::Raised(words, line.and_then(|line| line.try_into().ok())))
}
