//! Answers to the questions of a page.

use crate::question::{Begin, PageQuestion, PlayStep, TenureRun};
use serde::Serialize;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use suffrage_algorithms::{Algorithm, FORMS, Group};
use suffrage_checker::{CheckVerdict, FaultBudget};
use suffrage_experiment::conditions::{Initiators, PortOrder};
use suffrage_experiment::{ElectionSpecification, Several};
use suffrage_figures::diagram::TenureDiagram;
use suffrage_figures::page::{MOST_EVENTS, RunPage};
use suffrage_figures::play::Play;
use suffrage_figures::run::{Run, RunHeader};
use suffrage_model::Timing;
use suffrage_networks::{Spec, Topology};
use suffrage_simulator::Adversary;
use tenure_protocol::tenure::Tenure;
use tenure_simulation::{Faults, Simulation};

/// The most nodes of an election that begins here.
const MOST_NODES: u64 = 500;

/// How much memory configurations may take that are explored, in bytes: some seconds' worth.
const MEMORY: u64 = 32 << 20;

/// The most nodes of an election that is explored or searched: of larger ones neither ends.
const MOST_EXPLORED: usize = 16;

/// The most steps of the search for a costly schedule, if there are too many configurations.
const SEARCHED: u64 = 300;

/// The most members of Tenure.
const MOST_MEMBERS: u32 = 9;

/// The number of nodes of the networks that are offered.
const OFFERED: u32 = 6;

/// An answer.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum PageAnswer {
    Catalogue(Vec<OfferedAlgorithm>),
    /// The data of a run for the page, as JSON.
    Play(String),
    Worst(ExtremeCosts),
    Error(String),
}

/// An algorithm.
#[derive(Serialize)]
struct OfferedAlgorithm {
    name: &'static str,
    paper: &'static str,
    group: &'static str,
    /// A network for it.
    network: String,
    /// The difference from the correct algorithm, if it is a printed form.
    form: Option<&'static str>,
}

/// What an election costs over every schedule.
#[derive(Serialize)]
struct ExtremeCosts {
    /// The number of configurations that were explored.
    states: u64,
    /// The least and the greatest number of messages, if they are known.
    messages: Option<(u64, u64)>,
    /// Why they are not known, or which property is broken.
    why: Option<String>,
    /// The number of messages of a costly execution that was searched for.
    found: Option<u64>,
    /// The costliest execution, one that was found, or the one that breaks a property, as a file of a
    /// run.
    run: Option<String>,
}

/// Answers a question.
pub(crate) fn answer(question: &str) -> String {
    let answer = serde_json::from_str(question).map_err(Into::into).and_then(answered);
    let answer = answer.unwrap_or_else(|error| PageAnswer::Error(error.to_string()));
    // Everything in it can be serialized.
    match answer {
        // The content is JSON already.
        PageAnswer::Play(content) => format!("{{\"play\":{content}}}"),
        answer => serde_json::to_string(&answer).unwrap_or_default(),
    }
}

fn answered(question: PageQuestion) -> Result<PageAnswer, Box<dyn Error>> {
    Ok(match question {
        PageQuestion::Catalogue => PageAnswer::Catalogue(catalogue()),
        PageQuestion::Begin(begin) => {
            let (play, topology) = begun(&begin)?;
            let page = RunPage::of_play(&play, Some(&topology))?;
            PageAnswer::Play(page.content())
        }
        PageQuestion::Play(next) => moved(&next)?,
        PageQuestion::Tenure(asked) => PageAnswer::Play(tenure(&asked)?.content()),
        PageQuestion::Worst { run } => PageAnswer::Worst(worst(&read(&run)?)?),
    })
}

/// The algorithms whose schedule can be chosen: those that need no rounds.
fn catalogue() -> Vec<OfferedAlgorithm> {
    let forms = FORMS.iter().filter(|form| form.timing == Timing::Asynchronous);
    let rows = Algorithm::asynchronous().chain(forms).map(|row| OfferedAlgorithm {
        name: row.name,
        paper: row.paper,
        group: Group::ALL.iter().find(|group| group.has(row)).map_or("", |group| group.heading),
        network: Spec::natural(row.network, OFFERED).to_string(),
        form: row.form.map(|form| form.difference),
    });
    rows.collect()
}

fn begun(begin: &Begin) -> Result<(Play, Arc<Topology>), Box<dyn Error>> {
    let Begin { algorithm, network, ids, initiators, ports, faults, seed } = begin;
    let list = |text: &str| listed(text).collect::<Vec<_>>().join(",");
    let asked = ElectionSpecification {
        algorithm: Several::one(algorithm.clone()),
        topology: Several::one(network.trim().to_owned()),
        ids: Several::one(match ids.trim() {
            "" => "random".to_owned(),
            ids if ids.starts_with(|first: char| first.is_ascii_digit()) => {
                format!("list:{}", list(ids))
            }
            layout => layout.to_owned(),
        }),
        initiators: match initiators.trim() {
            "" | "all" => Several::default(),
            some => Several::one(Initiators::Listed(list(some))),
        },
        ports: Several::one(match ports.as_str() {
            "" => PortOrder::Rotation,
            ports => ports.parse()?,
        }),
        seed: *seed,
        ..ElectionSpecification::default()
    };
    let prepared = asked.prepare(&[])?.prepared;
    let nodes = prepared.source.shape().nodes();
    if nodes > MOST_NODES {
        return Err(format!("{nodes} nodes are too many here: take at most {MOST_NODES}").into());
    }
    let instance = prepared.instance(*seed)?;
    let faults = listed(faults).map(str::parse).collect::<Result<Vec<_>, _>>()?;
    // Each is a choice, so it is counted, as where every choice is explored.
    let faults = FaultBudget::of(&faults)?.list();
    let header = RunHeader { faults, ..instance.header(None, &"chosen") };
    Ok((Play::new(header)?, instance.site.topology))
}

fn listed(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', ' ']).filter(|part| !part.is_empty())
}

fn read(run: &str) -> Result<Play, Box<dyn Error>> {
    Ok(Play::of(Run::read("the run", run.as_bytes())?)?)
}

fn moved(next: &PlayStep) -> Result<PageAnswer, Box<dyn Error>> {
    let mut play = read(&next.run)?;
    if let Some(tick) = next.until {
        match u64::try_from(tick) {
            Ok(tick) => play.back_to(tick)?,
            Err(_) => play.restart()?,
        }
    }
    if let Some(number) = next.take {
        let action = play.possible().get(number).copied();
        play.take(action.ok_or("this is not possible now")?)?;
    }
    if next.random {
        // Faults are for those who choose them.
        let all: Vec<_> = play.possible().iter().filter(|one| !one.is_fault()).copied().collect();
        let number =
            next.seed.checked_rem(all.len() as u64).ok_or("nothing is possible any more")?;
        play.take(all[number as usize])?;
    }
    if let Some(adversary) = &next.finish {
        play.finish(match adversary.as_str() {
            "random" => Adversary::Random(next.seed),
            "newest" => Adversary::Newest,
            "oldest" => Adversary::Oldest,
            other => {
                return Err(format!("schedule `{other}`: take random, newest or oldest").into());
            }
        })?;
    }
    let page = if next.open { RunPage::of_play(&play, None)? } else { RunPage::next_of(&play)? };
    Ok(PageAnswer::Play(page.content()))
}

/// Simulates Tenure under faults.
fn tenure(asked: &TenureRun) -> Result<RunPage, Box<dyn Error>> {
    let TenureRun { members, seed, millis, ref script } = *asked;
    if !(1..=MOST_MEMBERS).contains(&members) {
        return Err(format!("there are 1 to {MOST_MEMBERS} members here").into());
    }
    let length = Duration::from_millis(millis);
    let simulation = Simulation::<Tenure>::new()
        .members(members)
        .seed(seed)
        .duration(length)
        .faults(Faults::Script(script.parse()?));
    let mut tenures = TenureDiagram::new(members, 0, 0, MOST_EVENTS).with_everything();
    let report = simulation.watched(&mut tenures, |_| true)?;
    let title = format!("tenure, {members} members, seed {seed}");
    let page = RunPage::of_tenures(tenures, title, length.into())?
        .fact("members", members)
        .fact("seed", seed);
    let violations = report.into_iter().flat_map(|report| report.violations);
    Ok(violations.fold(page, |page, one| {
        let at = one.at.0 as f64 / 1e9;
        page.breach(one.breach.promise(), format_args!("at {at:.3} s: {}", one.breach))
    }))
}

fn worst(play: &Play) -> Result<ExtremeCosts, Box<dyn Error>> {
    let nodes = play.run().header.ids.len();
    if nodes > MOST_EXPLORED {
        return Err(
            format!("{nodes} nodes are too many to explore here: at most {MOST_EXPLORED}").into()
        );
    }
    let explored = play.explore(MEMORY)?;
    let name = &play.run().header.algorithm;
    let (mut why, mut found) = (None, None);
    let run = match &explored.verdict {
        CheckVerdict::Holds => {
            if explored.costs.is_none() {
                why = Some("what it costs has no end, or faults may strike".to_owned());
            }
            explored.worst.as_ref().map(|worst| Run::of_execution(name, worst, None))
        }
        CheckVerdict::Violated(found) => {
            let violation = &found.violation;
            why = Some(format!("a schedule breaks {}: {}", violation.property, violation.detail));
            Some(Run::of_execution(name, &found.execution, Some(violation.into())))
        }
        CheckVerdict::OutOfMemory | CheckVerdict::Stopped => {
            why = Some("there are too many configurations to explore here".to_owned());
            let costly = play.search(1, SEARCHED)?;
            found = Some(costly.cost);
            Some(Run::of_execution(name, &costly.execution, None))
        }
    };
    let file = |mut run: Run| {
        run.header.network.clone_from(&play.run().header.network);
        Play::of(run).map(|play| play.file())
    };
    Ok(ExtremeCosts {
        states: explored.states,
        messages: explored.costs.map(|costs| (costs.messages.min, costs.messages.max)),
        why,
        found,
        run: run.map(file).transpose()?,
    })
}
