//! `suffrage cluster` with agents that meet by messages.

mod inside;
mod processes;

use super::ClusterRun;
use crate::agents::Agents;
use crate::error::{CommandEnding, Error, complain};
use crate::output::print;
use crate::progress::Terminal;
use crate::report::{AgentsReport, ReportFormat, json};
use crate::terminal::fitted;
use std::sync::Arc;
use std::time::Duration;
use suffrage::algorithms::Violation;
use suffrage::experiment::conditions::PortOrder;
use suffrage::experiment::source::for_files;
use suffrage::experiment::source::natural;
use suffrage::experiment::{Identities, NetworkSource, initiators};
use suffrage::experiment::{Monitor, PopulationMonitor, Transport};
use suffrage::model::{Id, NetworkClass as Class};
use suffrage::networks::wiring::Wiring;
use suffrage::networks::{Fault, Ports, Topology};
use suffrage::population::agents::{MeetingFindings, MeetingRecord, RealComparison};
use suffrage::runtime::TICK;

/// The number of simulated elections that are compared with a real one.
const TRIALS: u64 = 1000;

/// The agents of an election.
pub(super) struct Ground {
    pub(super) agents: Agents,
    pub(super) topology: Arc<Topology>,
    pub(super) wiring: Wiring,
    pub(super) ids: Vec<Id>,
    pub(super) initiating: Vec<u32>,
    /// The agents that die, each at its time.
    pub(super) crashes: Vec<(u32, Duration)>,
}

/// The end of a real election.
pub(super) struct AgentsOutcome {
    pub(super) record: MeetingRecord,
    pub(super) violations: Vec<Violation>,
    /// When it began, in the time of the record.
    pub(super) began: f64,
    pub(super) end: AgentsEnd,
}

/// The reason why an election was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AgentsEnd {
    /// All agents have halted.
    Halted,
    /// All agents that had not died had decided, or agreed if the protocol does not decide.
    Settled,
    /// It took too long.
    GaveUp,
    /// A node failed; why has been printed on standard error.
    Failed,
    Interrupted,
}

pub(super) fn run(args: &ClusterRun<'_>, agents: Agents) -> Result<CommandEnding, Error> {
    let ground = args.ground(agents)?;
    let held = if args.asked.processes {
        processes::hold(args, &ground)
    } else {
        inside::hold(args, &ground)
    };
    let held = held?;
    match held.end {
        AgentsEnd::Interrupted if held.record.entries().is_empty() => {
            complain("interrupted");
            return Ok(CommandEnding::Interrupted);
        }
        AgentsEnd::Failed => return Ok(CommandEnding::Broken),
        _ => {}
    }
    let findings = held.findings();
    let comparison = match agents {
        Agents::KnownBounds => None,
        Agents::Epidemic | Agents::SelfTerminating => {
            let terminal = Terminal::default();
            let progress = PopulationMonitor::new(&terminal, "simulated elections");
            let stop = terminal.stop();
            let protocol = agents.protocol();
            let beside =
                RealComparison::of(&findings, protocol, TRIALS, args.asked.seed, &progress, stop);
            Some(beside.map_err(|error| Error::new(error.to_string()))?)
        }
    };
    let report = AgentsReport {
        algorithm: agents.name(),
        medium: args.arrivals(),
        ids: args.asked.ids.clone(),
        initiators: ground.initiating.len() as u64,
        faults: args.asked.fault.clone(),
        seed: args.asked.seed,
        seconds: held.seconds(),
        ended: held.end == AgentsEnd::Halted,
        settled: matches!(held.end, AgentsEnd::Halted | AgentsEnd::Settled),
        findings,
        simulated: comparison,
        violations: held.violations,
    };
    print(&match args.format {
        ReportFormat::Text => fitted(&report.text()),
        ReportFormat::Json => json(&report)?,
    })?;
    if held.end == AgentsEnd::GaveUp {
        let seconds = args.asked.timeout().as_secs_f64();
        complain(format_args!(
            "gave up after {seconds} s; the report covers the events until then"
        ));
    }
    Ok(match held.end {
        AgentsEnd::Interrupted => CommandEnding::Interrupted,
        _ if report.is_good() => CommandEnding::Fine,
        _ => CommandEnding::Broken,
    })
}

impl AgentsOutcome {
    fn seconds(&self) -> f64 {
        self.record.entries().last().map_or(0.0, |last| last.at - self.began)
    }

    fn findings(&self) -> MeetingFindings {
        let mut findings = self.record.findings();
        if let Some(declared) = &mut findings.declared {
            declared.seconds -= self.began;
        }
        findings
    }
}

impl ClusterRun<'_> {
    fn ground(&self, agents: Agents) -> Result<Ground, Error> {
        let name = agents.name();
        self.refuse(name)?;
        let class = Class::OrientedComplete;
        let source = match &self.asked.topology {
            Some(text) => NetworkSource::named(text, self.asked.file_options(), &[])?,
            None => NetworkSource::Made(natural(class, self.asked.nodes.unwrap_or(16))?),
        };
        super::few_enough(&source)?;
        let misfit = |misfit: &dyn std::fmt::Display| Error::new(format!("{name}: {misfit}"));
        let topology = source.build(self.asked.seed)?;
        let topology = Arc::unwrap_or_clone(topology).fit(class).map_err(|error| misfit(&error))?;
        if topology.nodes() < 2 {
            return Err(Error::new(format!(
                "{name}: agents meet in pairs, so there are 2 or more"
            )));
        }
        let ids = Identities::named(&self.asked.ids, class, || Ok(topology.clone()))?;
        let ids = ids.assign(topology.nodes(), self.asked.seed);
        agents.check(&ids, self.asked.capacity)?;
        let who = self.asked.initiators.clone().unwrap_or_default();
        let initiating = initiators::who(&who, &topology, self.asked.seed)?;
        if agents == Agents::KnownBounds && initiating.len() < ids.len() {
            return Err(Error::new(
                "--initiators: agents of known-bounds send nothing, so those that do not start \
                 would sleep forever",
            ));
        }
        let wiring = topology.wire(Ports::Rotation, self.asked.seed);
        let crashes = self.crashes(topology.nodes())?;
        Ok(Ground { agents, topology: topology.into(), wiring, ids, initiating, crashes })
    }

    /// Refuses flags that mean nothing for agents.
    fn refuse(&self, name: &str) -> Result<(), Error> {
        let no = |flag: &str, why: &str| Err(Error::new(format!("{flag} with {name}: {why}")));
        if self.asked.topology.is_none()
            && let Some(flag) = for_files(self.asked.file_options())
        {
            return no(flag, "it is for files: name one with --topology");
        }
        if self.asked.processes && self.asked.transport == Transport::Channels {
            return no(
                "--transport channels",
                "it is for nodes of one program: leave out --processes",
            );
        }
        if self.asked.ports != PortOrder::Rotation {
            return no("--ports random", "agents report the end by position, which needs rotation");
        }
        if let Some(fault) = self.asked.fault.first()
            && self.asked.transport == Transport::Channels
        {
            let flag = format!("--fault {fault}");
            return no(&flag, "the ends of channels are dropped together: leave out --transport");
        }
        if self.trace.is_some() {
            return no("--trace", "`suffrage replay` knows only the algorithms of the catalogue");
        }
        if self.asked.against_simulation {
            return no("--against-simulation", "leave it out; simulated figures are always shown");
        }
        if self.timing {
            return no("--timing", "leave it out; the report has the time");
        }
        Ok(())
    }

    fn crashes(&self, nodes: u32) -> Result<Vec<(u32, Duration)>, Error> {
        let wrong = |why: String| Error::of("--fault", why);
        Fault::check_all(&self.asked.fault).map_err(|error| wrong(error.to_string()))?;
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
        let mut crashes = self.asked.fault.iter().map(crash).collect::<Result<Vec<_>, _>>()?;
        crashes.sort_unstable();
        crashes.dedup();
        Ok(crashes)
    }
}
