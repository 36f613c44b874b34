//! Elections among agents that meet by messages.

use super::agents::{AgentMember, Agents, Recorder, numbers};
use super::processes::{self, ProcessReports};
use super::{LOOK, RealElection, few_enough, inside, stopped, within_runtime};
use crate::cluster::{ClusterSpecification, Transport};
use crate::conditions::PortOrder;
use crate::error::Error;
use crate::monitor::{ExperimentProgress, PopulationMonitor};
use crate::options::{EarlyEnd, ExperimentRun, RunOptions};
use crate::report::{AgentsReport, ExperimentReport};
use std::time::Duration;
use suffrage_algorithms::Violation;
use suffrage_model::NetworkClass;
use suffrage_networks::Fault;
use suffrage_population::agents::{MeetingFindings, MeetingRecord, RealComparison, RecordEntry};
use suffrage_runtime::{Node, TICK};
use tokio::runtime::Builder;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, interval, sleep_until};

/// The number of simulated elections that are compared with a real one.
const TRIALS: u64 = 1000;

/// The agents that die, each at its time.
type Crashes = Vec<(u32, Duration)>;

/// The end of a real election.
struct AgentsOutcome {
    record: MeetingRecord,
    violations: Vec<Violation>,
    /// When it began, in the time of the record.
    began: f64,
    end: AgentsEnd,
}

/// The reason why an election was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AgentsEnd {
    /// All agents have halted.
    Halted,
    /// All agents that had not died had decided, or agreed if the protocol does not decide.
    Settled,
    /// It took too long.
    GaveUp,
    Interrupted,
}

/// Runs agents, and compares their election with simulated ones.
pub(super) fn run(
    asked: &ClusterSpecification,
    agents: Agents,
    options: &RunOptions<'_>,
) -> Result<ExperimentRun, EarlyEnd> {
    asked.refuse(agents.name(), options)?;
    let (name, class) = (agents.name(), NetworkClass::OrientedComplete);
    let elections = asked.elections();
    let source = elections.source(class, options.given)?;
    few_enough(&source)?;
    let instance = elections.prepare_custom_on(name, class, &source)?;
    let (site, crashes) = (&instance.site, asked.crashes(instance.site.topology.nodes())?);
    if site.ids.len() < 2 {
        return Err(
            Error::new(format!("{name}: agents meet in pairs, so there are 2 or more")).into()
        );
    }
    agents.check(&site.ids, asked.capacity)?;
    let election = RealElection {
        asked,
        algorithm: name,
        site,
        initiating: instance.initiating(),
        timeouts: asked.node_timeouts()?,
        steps: asked.processes,
        monitor: options.monitor,
        program: options.program.as_deref(),
    };
    if agents == Agents::KnownBounds && election.initiating.len() < site.ids.len() {
        return Err(Error::new(
            "--initiators: agents of known-bounds send nothing, so those that do not start would \
             sleep forever",
        )
        .into());
    }
    let held = match asked.processes {
        true => apart(&election, &crashes)?,
        false => together(&election, agents, &crashes)?,
    };
    if held.end == AgentsEnd::Interrupted && held.record.entries().is_empty() {
        return Err(EarlyEnd::Interrupted("interrupted".to_owned()));
    }
    let report = held.report(&election, agents)?;
    let covers = "the report covers the events until then";
    let early = match held.end {
        AgentsEnd::Interrupted => Some(EarlyEnd::Interrupted(format!("interrupted: {covers}"))),
        AgentsEnd::GaveUp => {
            Some(EarlyEnd::GaveUp(format!("gave up after {} s; {covers}", asked.timeout)))
        }
        AgentsEnd::Halted | AgentsEnd::Settled => None,
    };
    Ok(ExperimentRun { report: Some(ExperimentReport::Agents(report.into())), early })
}

impl AgentsOutcome {
    fn report(&self, election: &RealElection<'_>, agents: Agents) -> Result<AgentsReport, Error> {
        let (asked, monitor) = (election.asked, election.monitor);
        let findings = self.findings();
        let simulated = match agents {
            Agents::KnownBounds => None,
            Agents::Epidemic | Agents::SelfTerminating => {
                let progress = PopulationMonitor::new(monitor, "simulated elections");
                let (protocol, stop) = (agents.protocol(), monitor.stop());
                let beside =
                    RealComparison::of(&findings, protocol, TRIALS, asked.seed, &progress, stop);
                Some(beside.map_err(|error| Error::new(error.to_string()))?)
            }
        };
        Ok(AgentsReport {
            algorithm: agents.name(),
            medium: election.arrivals(),
            ids: asked.ids.clone(),
            initiators: election.initiating.len() as u64,
            faults: asked.fault.clone(),
            seed: asked.seed,
            seconds: self.record.entries().last().map_or(0.0, |last| last.at - self.began),
            ended: self.end == AgentsEnd::Halted,
            settled: matches!(self.end, AgentsEnd::Halted | AgentsEnd::Settled),
            findings,
            simulated,
            violations: self.violations.clone(),
        })
    }

    fn findings(&self) -> MeetingFindings {
        let mut findings = self.record.findings();
        if let Some(declared) = &mut findings.declared {
            declared.seconds -= self.began;
        }
        findings
    }
}

impl ClusterSpecification {
    /// Refuses what means nothing for agents.
    fn refuse(&self, name: &str, options: &RunOptions<'_>) -> Result<(), Error> {
        let channels = self.transport == Transport::Channels;
        let given = [
            (
                "--ports random".to_owned(),
                self.ports != PortOrder::Rotation,
                "agents report the end by position, which needs rotation",
            ),
            (
                self.fault.first().map(|fault| format!("--fault {fault}")).unwrap_or_default(),
                !self.fault.is_empty() && channels,
                "the ends of channels are dropped together: leave out --transport",
            ),
            (
                "--trace".to_owned(),
                options.trace.is_some(),
                "`suffrage replay` knows only the algorithms of the catalogue",
            ),
            (
                "--against-simulation".to_owned(),
                self.against_simulation,
                "leave it out; simulated figures are always shown",
            ),
            ("--timing".to_owned(), options.timing, "leave it out; the report has the time"),
        ];
        match given.into_iter().find(|(_, given, _)| *given) {
            Some((flag, _, why)) => Err(Error::new(format!("{flag} with {name}: {why}"))),
            None => Ok(()),
        }
    }

    fn crashes(&self, nodes: u32) -> Result<Crashes, Error> {
        let wrong = |why: String| Error::of("--fault", why);
        Fault::check_all(&self.fault).map_err(|error| wrong(error.to_string()))?;
        let crash = |fault: &Fault| match *fault {
            Fault::Crash { node, .. } if node >= nodes => {
                Err(wrong(format!("{fault}: the nodes are 0 to {}", nodes - 1)))
            }
            Fault::Crash { node, at } => {
                Ok((node, TICK.saturating_mul(at.try_into().unwrap_or(u32::MAX))))
            }
            _ => {
                Err(wrong(format!("{fault}: real links lose nothing; crash:NODE@TICK is possible")))
            }
        };
        let mut crashes = self.fault.iter().map(crash).collect::<Result<Vec<_>, _>>()?;
        crashes.sort_unstable();
        crashes.dedup();
        Ok(crashes)
    }
}

/// Runs all agents inside this program.
fn together(
    election: &RealElection<'_>,
    agents: Agents,
    crashes: &Crashes,
) -> Result<AgentsOutcome, EarlyEnd> {
    let cluster = inside::cluster(election, election.site.wiring.links())?;
    within_runtime(&mut Builder::new_multi_thread(), async {
        let recorder = Recorder::new(&election.site.ids);
        let assembly = agents.assemble(&cluster, &recorder).await;
        let assembly = assembly.map_err(|error| Error::new(error.to_string()))?;
        watch(election, agents, crashes, &recorder, assembly.into_nodes()).await
    })
}

/// Runs the nodes until their election is over.
async fn watch(
    election: &RealElection<'_>,
    agents: Agents,
    crashes: &Crashes,
    recorder: &Recorder,
    nodes: Vec<Node>,
) -> Result<AgentsOutcome, EarlyEnd> {
    let monitor = election.monitor;
    let mut tasks = JoinSet::new();
    let handles: Vec<AbortHandle> =
        nodes.into_iter().map(|mut node| tasks.spawn(async move { node.elect().await })).collect();
    let began = recorder.with(|_, now| now);
    let start = Instant::now();
    let mut violations: Vec<Violation> = Vec::new();
    let mut coming = crashes.iter().peekable();
    let mut look = interval(LOOK);
    let (what, of) = ("agents have decided", Some(election.nodes()));
    let end = loop {
        let crash = coming.peek().map(|&&(_, after)| start + after);
        tokio::select! {
            ended = tasks.join_next() => match ended {
                None => break Ok(AgentsEnd::Halted),
                Some(Ok(Ok(outcome))) => violations.extend(outcome.violations),
                Some(Ok(Err(error))) => break Err(EarlyEnd::GaveUp(error.to_string())),
                // It has died.
                Some(Err(_)) => {}
            },
            () = sleep_until(crash.unwrap_or(start)), if crash.is_some() => {
                if let Some(&(node, _)) = coming.next() {
                    // Dropping a node closes its connections, as a crash does.
                    handles[node as usize].abort();
                    recorder.with(|record, now| record.died(now, node));
                }
            }
            _ = look.tick() => {
                let done = recorder.with(|record, _| record.decided().1).into();
                monitor.progress(ExperimentProgress::Done { what, done, of });
                let any_died = !crashes.is_empty() && coming.peek().is_none();
                if is_settled(agents, recorder, any_died || crashes.is_empty(), any_died) {
                    break Ok(AgentsEnd::Settled);
                }
            }
            () = sleep_until(start + election.asked.timeout()) => break Ok(AgentsEnd::GaveUp),
            () = stopped(monitor) => break Ok(AgentsEnd::Interrupted),
        }
    };
    monitor.progress(ExperimentProgress::Ended);
    let (end, record) = (end?, recorder.with(|record, _| record.clone()));
    let end = if record.findings().died.is_empty() || end != AgentsEnd::Halted {
        end
    } else {
        AgentsEnd::Settled
    };
    Ok(AgentsOutcome { record, violations, began, end })
}

/// Whether nothing more is to be expected: `all_died` says whether no agent is still to die, and `any_died` whether
/// there was one.
fn is_settled(agents: Agents, recorder: &Recorder, all_died: bool, any_died: bool) -> bool {
    recorder.with(|record, _| match agents {
        Agents::Epidemic => record.agrees() && all_died,
        Agents::KnownBounds | Agents::SelfTerminating => {
            let (alive, decided) = record.decided();
            any_died && alive == decided
        }
    })
}

/// Runs each agent as a process of its own.
fn apart(election: &RealElection<'_>, crashes: &Crashes) -> Result<AgentsOutcome, EarlyEnd> {
    let ids = &election.site.ids;
    let ProcessReports { members, died, .. } =
        processes::hold::<AgentMember>(election, Some(crashes))?;
    let entries: Vec<RecordEntry> =
        members.iter().flat_map(|member| member.entries.clone()).collect();
    let mut record = MeetingRecord::of(numbers(ids), entries);
    for node in
        (0..ids.len() as u32).filter(|node| members.iter().all(|member| member.node != *node))
    {
        // What it had seen is lost, so it counts as if it had never been.
        record.died(f64::NEG_INFINITY, node);
    }
    let reported = members.len() == ids.len();
    let end = match () {
        () if reported && members.iter().all(|member| member.all_halted) => AgentsEnd::Halted,
        () if died && members.iter().all(|member| member.leader.is_some()) => AgentsEnd::Settled,
        () => AgentsEnd::GaveUp,
    };
    Ok(AgentsOutcome {
        record,
        violations: members.iter().flat_map(|member| member.violations.clone()).collect(),
        began: members.iter().map(|member| member.started).fold(f64::INFINITY, f64::min),
        end,
    })
}
