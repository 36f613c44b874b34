//! `tenure dev`: a cluster for the tests of programs, which lives as long as this process.

use crate::child;
use crate::control::server::OWN_USER;
use crate::done;
use crate::error::CommandError;
use crate::join::{self, Joined};
use crate::log::LogArgs;
use crate::print;
use crate::signals::Signals;
use serde::Serialize;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::net::SocketAddr as UnixAddress;
use std::path::{Path, PathBuf};
use std::time::Duration;
use suffrage_net::free;
use suffrage_shell::StandardErrorLog;
use tempfile::TempDir;
use tenure_node::certificates::{Authority, CertificateSubject};
use tokio::process::Child;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Run three members in this process, for the tests of programs that use Tenure
///
/// The members vote, and serve programs, HTTP and operators, as `tenure serve` does: between sockets on the loopback
/// interface, with certificates and records in a temporary folder. When an office can be led, one line of JSON on
/// standard output says where they are; or COMMAND starts, with `TENURE_SOCKET` for the first member, and with the line in
/// `TENURE_DEV`. The first signal ends all of it, with the folder, and so does the end of COMMAND, whose exit code this one
/// has, too. It is no cluster to rely on: all votes are lost with one process, and the status of each member says so.
#[derive(clap::Args)]
#[command(after_help = MORE)]
pub struct Args {
    /// Where the first member serves HTTP: a loopback address [default: a free port, as the others do]
    #[arg(long, value_name = "HOST:PORT", value_parser = loopback)]
    http: Option<SocketAddr>,

    /// The command, after `--`, that needs the cluster
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    #[command(flatten)]
    log: LogArgs,
}

const MORE: &str = "\
The line of JSON has `cluster`, `folder`, `token` (for POST by HTTP) and `members`, each with
`name`, `socket` (for TENURE_SOCKET), `http` (a URL) and `address` (for --members). The folder has
the certificate of a client under the names that --members expects, and NAME.toml of each member.

Examples:
  tenure dev -- pytest
  tenure dev >dev.json & until [ -s dev.json ]; do sleep 0.1; done
  export TENURE_SOCKET=$(jq -r '.members[0].socket' dev.json)
  tenure lead db -- ./my-service";

/// The names of the cluster and its members say what they are.
const CLUSTER: &str = "tenure-dev";
const MEMBERS: [&str; 3] = ["dev-1", "dev-2", "dev-3"];

/// This is no secret: every program that can connect may make leaders leave.
const TOKEN: &str = "tests-only-no-secret";

const WARNING: &str =
    "this is `tenure dev`, for tests alone: all members are one process, and no record outlives it";

/// The time limit for the start, and for the end of a member.
const LIMIT: Duration = Duration::from_secs(30);

/// How long COMMAND may take to end after a signal, before SIGKILL.
const GRACE: Duration = Duration::from_secs(10);

/// Parses an address that other hosts cannot reach.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text
        .parse()
        .map_err(|_| "write an IP address and a port, as in 127.0.0.1:8500".to_owned())?;
    match address {
        _ if !address.ip().is_loopback() => Err(format!(
            "{} is no loopback address: other hosts must not take this for a cluster. Write 127.0.0.1:{}",
            address.ip(),
            address.port()
        )),
        _ if address.port() == 0 => {
            Err("name a port; without this flag it is a free one".to_owned())
        }
        _ => Ok(address),
    }
}

/// What the user has to know, on standard output.
#[derive(Serialize)]
struct DevReport {
    cluster: &'static str,
    folder: PathBuf,
    token: &'static str,
    members: Vec<DevMember>,
}

#[derive(Serialize)]
struct DevMember {
    name: &'static str,
    socket: PathBuf,
    http: String,
    address: SocketAddr,
}

pub(crate) async fn run(args: &Args) -> Result<u8, CommandError> {
    if !args.command.is_empty() {
        child::check(&args.command)?;
    }
    let log = args.log.start()?;
    let mut signals = Signals::listen()?;
    let folder = tempfile::Builder::new().prefix("tenure-dev-").tempdir().map_err(failed)?;
    let report = found(folder.path(), args.http)?;
    let mut members = Vec::new();
    // A start is not interrupted: it would go on, and write into the folder after its end.
    let done = match start(&report, &log, &mut members).await {
        Err(error) => Err(error),
        Ok(()) => tokio::select! {
            () = signals.quit() => Ok(0),
            line = announce(&report, &log, &members) => match line {
                Ok(line) => serve(&line, &report, &args.command, &members, &mut signals).await,
                Err(error) => Err(error),
            }
        },
    };
    close(members, folder).await.and(done)
}

fn failed(why: impl Display) -> CommandError {
    CommandError::failed(format!("tenure dev: {why}"))
}

/// Writes all files of the cluster into a folder.
fn found(folder: &Path, http: Option<SocketAddr>) -> Result<DevReport, CommandError> {
    let mut free = free::addresses(2 * MEMBERS.len()).map_err(failed)?;
    let addresses = free.split_off(MEMBERS.len());
    free[0] = http.unwrap_or(free[0]);
    let authority = Authority::new().map_err(failed)?;
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).map_err(failed);
    write("ca.pem", &authority.own().certificate)?;
    write("token", TOKEN)?;
    let issue = |subject, certificate: &str, key: &str| {
        let own = authority.issue(CLUSTER, subject).map_err(failed)?;
        write(certificate, &own.certificate)?;
        write(key, &own.key)
    };
    issue(CertificateSubject::Client("dev"), "certificate.pem", "key.pem")?;
    let listed: String = MEMBERS.iter().zip(&addresses).fold(String::new(), |text, (name, at)| {
        text + &format!("[[members]]\nname = \"{name}\"\naddress = \"{at}\"\n")
    });
    let mut members = Vec::new();
    for ((name, http), address) in MEMBERS.into_iter().zip(free).zip(addresses) {
        issue(
            CertificateSubject::Member(name),
            &format!("{name}.pem"),
            &format!("{name}-key.pem"),
        )?;
        let text = format!(
            "# {WARNING}.\ncluster = \"{CLUSTER}\"\ndata = \"{name}\"\n{listed}[tls]\nauthority = \"ca.pem\"\n\
             certificate = \"{name}.pem\"\nkey = \"{name}-key.pem\"\n[http]\nlisten = \"{http}\"\ntoken = \"token\"\n\
             [[http.programs]]\nname = \"dev\"\ntoken = \"token\"\noffices = [\"*\"]\n"
        );
        write(&format!("{name}.toml"), &text)?;
        let socket = folder.join(format!("{name}.socket"));
        UnixAddress::from_pathname(&socket).map_err(|error| {
            failed(format!("{}: {error}; choose a shorter TMPDIR", socket.display()))
        })?;
        members.push(DevMember { name, socket, http: format!("http://{http}"), address });
    }
    Ok(DevReport { cluster: CLUSTER, folder: folder.to_owned(), token: TOKEN, members })
}

/// Starts the members.
async fn start(
    report: &DevReport,
    log: &StandardErrorLog,
    members: &mut Vec<Joined>,
) -> Result<(), CommandError> {
    for member in &report.members {
        let config = report.folder.join(format!("{}.toml", member.name));
        let joined = join::member(&config, Some(&member.socket), OWN_USER).await?;
        joined.participant.warn_of("tenure dev", Some(WARNING.to_owned()));
        joined.watch(log.lines());
        members.push(joined);
    }
    Ok(())
}

/// Says where the members are when they are ready. Returns the line of JSON.
async fn announce(
    report: &DevReport,
    log: &StandardErrorLog,
    members: &[Joined],
) -> Result<String, CommandError> {
    if timeout(LIMIT, ready(members)).await.is_err() {
        return Err(failed(format!("the members are not ready after {LIMIT:?}")));
    }
    log.say(WARNING);
    for DevMember { name, socket, http, .. } in &report.members {
        log.say(&format!("  {name}  {http}  TENURE_SOCKET={}", socket.display()));
    }
    Ok(serde_json::to_string(report).unwrap_or_default())
}

/// Prints the line, or runs the command, until that has ended, a signal comes, or a member has ended.
async fn serve(
    line: &str,
    report: &DevReport,
    command: &[OsString],
    members: &[Joined],
    signals: &mut Signals,
) -> Result<u8, CommandError> {
    let mut running = None;
    if command.is_empty() {
        print(&format!("{line}\n"))?;
    } else {
        let socket = report.members[0].socket.to_string_lossy();
        let environment = [("TENURE_SOCKET", &*socket), ("TENURE_DEV", line)];
        running = Some(child::start(command, &environment)?);
    }
    let mut ended = JoinSet::new();
    for joined in members {
        let participant = joined.participant.clone();
        ended.spawn(async move { participant.ended().await });
    }
    let done = tokio::select! {
        () = signals.quit() => Ok(0),
        status = done(running.as_mut().map(Child::wait)) => {
            return Ok(status.map_or(1, child::exit_code));
        }
        _ = ended.join_next() => Err(failed("a member has ended by itself")),
    };
    match running {
        Some(running) => {
            let code = child::stop(running, GRACE).await;
            done.and(Ok(code))
        }
        None => done,
    }
}

/// Waits until an office can be led.
async fn ready(members: &[Joined]) {
    for joined in members {
        while !joined.participant.status().await.is_ok_and(|status| status.unready().is_none()) {
            sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Ends the members at once, and then removes what they have written: one that runs would write it again.
async fn close(members: Vec<Joined>, folder: TempDir) -> Result<(), CommandError> {
    for joined in &members {
        joined.participant.kill();
    }
    for joined in &members {
        let _ = timeout(LIMIT, joined.participant.ended()).await;
    }
    drop(members);
    let path = folder.path().to_owned();
    folder.close().map_err(|error| failed(format!("{}: {error}", path.display())))
}
