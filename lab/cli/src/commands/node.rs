//! `suffrage node`: runs one process of an election between hosts.

mod agents;

use crate::error::{CommandEnding, Error};
use crate::flags::TimeoutFlags;
use crate::interrupt;
use crate::offered;
use crate::output::print;
use crate::report::{ReportFormat, json, text};
use crate::terminal::fitted;
use std::future::pending;
use std::path::PathBuf;
use std::time::Duration;
use suffrage::experiment::real::agents::Agents;
use suffrage::experiment::real::{MemberReport, apply, seconds, within_runtime};
use suffrage::experiment::{choice::by_name, counts};
use suffrage::runtime::{EXAMPLE, Node, NodeConfig, NodeStage, NodeView};
use suffrage_shell::{LogFormat, StandardErrorLog};
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::{Instant, interval, sleep_until};
use tracing::warn;
use tracing_subscriber::filter::LevelFilter;

/// Take part in an election between processes, on this host or on several
///
/// Start one for each node, in any order and at any time: nodes wait for those that are missing.
/// Prints the leader and ends when all have halted. NO ALGORITHM OF THE CATALOGUE SURVIVES A CRASH:
/// when a process crashes during an election, the others wait for it, report this on standard
/// error, and give up after --timeout. A process that starts again has lost its state; the others
/// tell it so, and the whole election must be started again. Only connections may break: nodes
/// restore them, and no message is lost, duplicated or reordered.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The configuration file; flags override it
    #[arg(long, value_name = "FILE", required_unless_present = "print_config")]
    config: Option<PathBuf>,

    /// Print a file with every key, explained, and end
    #[arg(long)]
    print_config: bool,

    /// The identity of this node
    #[arg(long, value_name = "ID", value_parser = counts::count)]
    id: Option<u64>,

    /// The address on which this node listens: host:port
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,

    /// The algorithm
    #[arg(long, value_name = "NAME")]
    #[arg(value_parser = offered::nodes(), hide_possible_values = true)]
    algorithm: Option<String>,

    /// The name of the cluster
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,

    /// complete, ring, a specification, or a topology file
    #[arg(long, value_name = "NETWORK")]
    network: Option<String>,

    /// Whether this node starts by itself
    #[arg(long, value_name = "BOOL")]
    initiator: Option<bool>,

    /// Listen beyond the loopback interface without TLS: any host that reaches it may take part
    #[arg(long)]
    insecure: bool,

    /// Be the only node; otherwise a configuration that names no other node is refused
    #[arg(long)]
    alone: bool,

    /// Give up after this many seconds, with exit code 1 [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,

    #[command(flatten)]
    timeouts: TimeoutFlags,

    /// List each step of this node's process in the JSON report
    #[arg(long)]
    steps: bool,

    /// How to write the report
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,

    /// What to log on standard error: off, error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: LevelFilter,

    /// How to log
    #[arg(long, value_enum, default_value_t)]
    log_format: LogFormat,
}

const EXAMPLES: &str = "\
Examples:
  suffrage node --print-config > node.toml
  suffrage node --config node.toml --timeout 60
  suffrage node --config cluster.toml --id 2 --listen 127.0.0.1:7002 --format json

Exit codes:
  0    all have halted, and the report has been printed
  1    it gave up because a node was missing or has crashed, or a property was violated
  2    the command line or the configuration cannot be used
  3    a leader was elected and this node has halted, but it is not known whether all have,
       because the node that would report it could not be reached any more; the report has been
       printed
  130  ended by Ctrl-C or SIGTERM";

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let Some(path) = args.config.as_ref().filter(|_| !args.print_config) else {
        print(EXAMPLE)?;
        return Ok(CommandEnding::Fine);
    };
    let log = StandardErrorLog::start(args.log, args.log_format)
        .map_err(|error| Error::new(format!("no thread for the log: {error}")))?;
    let place = |error| Error::of(path.display(), error);
    let mut config = NodeConfig::read(path).map_err(place)?;
    args.override_(&mut config)?;
    if let Some(agents) = Agents::named(&config.algorithm) {
        return agents::run(args, agents, &config, place, &log);
    }
    // The catalogue's own message has hints.
    let algorithm = by_name(&config.algorithm)?;
    let ended = within_runtime(Builder::new_multi_thread().worker_threads(2), async {
        let mut node = config.bind().await.map_err(place)?;
        Ok(args.take_part(&mut node, &log).await)
    })?;
    let outcome = match ended {
        Ok(outcome) => outcome,
        Err(ending) => return Ok(ending),
    };
    let member = MemberReport::of(algorithm, &config.cluster, &outcome);
    print(&match args.format {
        ReportFormat::Text => fitted(&text::member::text(&member)),
        ReportFormat::Json => json(&member)?,
    })?;
    Ok(match member.all_halted {
        _ if !member.violations.is_empty() => CommandEnding::Broken,
        true => CommandEnding::Fine,
        false => CommandEnding::Doubtful,
    })
}

impl Args {
    fn override_(&self, config: &mut NodeConfig) -> Result<(), Error> {
        if let Some(id) = self.id {
            config.id = id;
            config.overridden("id");
        }
        for (key, flag) in [
            ("listen", &self.listen),
            ("algorithm", &self.algorithm),
            ("cluster", &self.cluster),
            ("network", &self.network),
        ] {
            let Some(text) = flag else { continue };
            let field = match key {
                "listen" => &mut config.listen,
                "algorithm" => &mut config.algorithm,
                "cluster" => &mut config.cluster,
                _ => &mut config.network,
            };
            field.clone_from(text);
            config.overridden(key);
        }
        config.initiator = self.initiator.unwrap_or(config.initiator);
        config.insecure |= self.insecure;
        config.alone |= self.alone;
        config.steps = self.steps;
        match self.timeouts.timeouts.as_slice() {
            [] => Ok(()),
            given => apply(given, &mut config.timeouts),
        }
    }

    async fn take_part(
        &self,
        node: &mut Node,
        log: &StandardErrorLog,
    ) -> Result<suffrage::runtime::NodeOutcome, CommandEnding> {
        let start = Instant::now();
        let view = node.watch();
        let give_up = async {
            match self.timeout {
                Some(timeout) => sleep_until(start + timeout).await,
                None => pending().await,
            }
        };
        tokio::select! {
            result = node.elect() => result.map_err(|error| {
                log.say(&format!("error: {error}"));
                CommandEnding::Broken
            }),
            () = give_up => {
                let seconds = start.elapsed().as_secs();
                log.say(&format!("error: gave up after {seconds} s: {}", state(&view)));
                Err(CommandEnding::Broken)
            }
            () = interrupted() => {
                log.say(&format!("interrupted: {}", state(&view)));
                Err(CommandEnding::Interrupted)
            }
            () = remind(&view) => Err(CommandEnding::Broken),
        }
    }
}

/// Waits for Ctrl-C or SIGTERM, without looking for them many times a second.
async fn interrupted() {
    #[cfg(unix)]
    let terminated = {
        use tokio::signal::unix::{SignalKind, signal};
        let terminate = signal(SignalKind::terminate());
        async move {
            match terminate {
                Ok(mut terminate) => terminate.recv().await,
                Err(_) => pending().await,
            }
        }
    };
    #[cfg(not(unix))]
    let terminated = pending::<()>();
    let pressed = async {
        match tokio::signal::ctrl_c().await {
            Ok(()) => {}
            Err(_) => pending().await,
        }
    };
    // A signal that arrived before this was called has been recorded.
    let before = async {
        if !interrupt::asked() {
            pending::<()>().await;
        }
    };
    tokio::select! {
        biased;
        () = pressed => {}
        _ = terminated => {}
        () = before => {}
    }
}

/// Periodically logs the missing nodes.
async fn remind(view: &watch::Receiver<NodeView>) {
    let mut often = interval(Duration::from_secs(5));
    often.tick().await;
    loop {
        often.tick().await;
        warn!("waiting: {}", state(view));
    }
}

/// Describes the state of the election, as this node sees it, and the missing nodes.
pub(crate) fn state(view: &watch::Receiver<NodeView>) -> String {
    let view = view.borrow();
    let what = match (view.stage, view.leader) {
        (NodeStage::Asleep, _) => "no message has come yet".to_owned(),
        (NodeStage::Running, None) => "the election is going on".to_owned(),
        (NodeStage::Running, Some(leader)) => {
            format!("{leader} leads, but this node may not halt yet")
        }
        (NodeStage::Halted | NodeStage::Released, leader) => {
            let who = leader.map(|leader| format!("{leader} leads; ")).unwrap_or_default();
            format!("{who}this node has halted, but it is not known whether all others have")
        }
    };
    let mut missing: Vec<_> =
        view.missing.values().map(|absence| format!("node {absence}")).collect();
    // Two links may lead to the same node.
    missing.dedup();
    match missing.as_slice() {
        [] => what,
        missing => format!("{what}; missing: {}", missing.join("; ")),
    }
}
