//! What a submission is worth, and why.

use super::assignment::{Assigned, AssignedElection, Assignment, Criterion, Larger};
use super::member::SubmittedMember;
use super::rust::RustCompiler;
use super::submission::{Limits, Submission, SubmissionProgram};
use crate::error::Error;
use crate::interrupt;
use serde::Serialize;
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use suffrage::algorithms::{Custom, Property};
use suffrage::diagram::TenureDiagram;
use suffrage::experiment::check::{MemorySize, NodeRange};
use suffrage::experiment::number::{count, grouped};
use suffrage::experiment::own::{OwnProcess, OwnRun, lasting};
use suffrage::experiment::{CheckSpecification, EarlyEnd, ExperimentReport, Monitor, RunOptions};
use suffrage::page::RunPage;
use suffrage::tenure::exploration::{Budget, ExplorationReport, ExplorationViolation, Explorer};
use suffrage::tenure::model::{Peer, Ratio, Setting};
use suffrage::tenure::simulation::promises::Promise;

/// Grades submissions of an assignment.
pub(super) struct Grader<'a> {
    pub(super) assignment: &'static Assignment,
    pub(super) criteria: &'a [Criterion],
    pub(super) limits: Limits,
    pub(super) python: &'a Path,
    pub(super) compiler: RustCompiler,
    pub(super) monitor: &'a dyn Monitor,
}

/// What a submission is worth.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Grade {
    submission: String,
    points: u32,
    of: u32,
    /// Why it has no points at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    criteria: Vec<CriterionGrade>,
    /// A page that plays the first execution which loses points.
    #[serde(skip)]
    pub(super) page: Option<String>,
}

/// What it is worth by one criterion.
#[derive(Clone, Debug, Serialize)]
struct CriterionGrade {
    name: &'static str,
    points: u32,
    of: u32,
    /// What was explored, or why points are lost.
    because: String,
    /// The shortest execution that loses the points.
    #[serde(skip_serializing_if = "Option::is_none")]
    execution: Option<LosingExecution>,
}

/// An execution that loses points.
#[derive(Clone, Debug, Serialize)]
struct LosingExecution {
    nodes: u32,
    /// In words.
    #[serde(skip)]
    instance: String,
    ids: Vec<u64>,
    initiators: Vec<u32>,
    steps: usize,
    diagram: String,
}

impl Grader<'_> {
    /// Grades a submission.
    ///
    /// # Errors
    /// If it cannot be run.
    pub(super) fn grade(&self, name: &str, file: &Path) -> Result<Grade, Error> {
        let program = match file.extension().is_some_and(|ending| ending == "rs") {
            false => SubmissionProgram::Python(self.python.to_owned(), file.to_owned()),
            true => {
                let is_member = matches!(self.assignment.assigned, Assigned::Leadership(_));
                match self.compiler.compile(file, is_member, self.limits).map_err(Error::new)? {
                    Ok(program) => SubmissionProgram::Rust(program),
                    Err(fault) => return Ok(self.failed(name, &fault.to_string())),
                }
            }
        };
        let started = Submission::start(program, self.limits, self.assignment.knows);
        let submission = match started.map_err(Error::new)? {
            Ok(submission) => Arc::new(submission),
            Err(fault) => return Ok(self.failed(name, &fault.to_string())),
        };
        let (network, wanted) = (&submission.network, self.assignment.network());
        if network != wanted {
            let fault =
                format!("network = {network:?}: the network of this assignment is {wanted:?}");
            return Ok(self.failed(name, &fault));
        }
        let mut page = None;
        let criteria = match &self.assignment.assigned {
            Assigned::Leadership(budgets) => {
                SubmittedMember::are_of(&submission);
                leadership(self.criteria, budgets, &submission, name, &mut page)
            }
            Assigned::Election(task) => {
                let explored: Result<Vec<_>, Error> = OwnRun::new(submission.clone()).run(|| {
                    self.criteria
                        .iter()
                        .map(|criterion| self.explored(task, criterion, name, &mut page))
                        .collect()
                });
                explored?
            }
        };
        // What came of a program that has failed says nothing.
        let fault = submission.fault().or_else(|| submission.ask_again().err());
        Ok(match fault {
            Some(fault) => self.failed(name, &fault.to_string()),
            None => Grade::of(name, criteria, page),
        })
    }

    /// Explores networks of more and more nodes, until points are lost.
    fn explored(
        &self,
        task: &AssignedElection,
        criterion: &Criterion,
        name: &str,
        page: &mut Option<String>,
    ) -> Result<CriterionGrade, Error> {
        let process = Custom::<OwnProcess<false>>::new(lasting(name)).with_claims(task.claims());
        let lost = |because, execution| Ok(CriterionGrade::lost(criterion, because, execution));
        let (mut instances, mut configurations) = (0, 0);
        for nodes in 1..=task.nodes {
            let asked = asked(task, criterion, nodes);
            let mut options =
                RunOptions { threads: std::num::NonZero::new(1), ..RunOptions::new(self.monitor) };
            let network = task.algorithm().network;
            let (ran, diagram) = asked.run_custom(&process, network, &mut options)?;
            let Some(ExperimentReport::Exploration(report)) = ran.report else {
                return lost("nothing was explored".to_owned(), None);
            };
            instances += report.instances;
            configurations += report.states;
            if let Some(broken) = &report.counterexample {
                if page.is_none()
                    && let Some(run) = &broken.run
                {
                    let made = RunPage::of_custom(&process, run, None);
                    *page = made.ok().map(|page| page.html());
                }
                let because = format!("{}: {}", broken.property, broken.detail);
                let (ids, initiators) = (&broken.instance.ids, &broken.instance.initiators);
                let woken: Vec<String> = initiators.iter().map(|node| format!("p{node}")).collect();
                let named: Vec<String> = ids.iter().map(ToString::to_string).collect();
                let execution = LosingExecution {
                    nodes,
                    instance: format!(
                        "{}, ids {}, of which {} can wake",
                        count(nodes.into(), "process"),
                        named.join(" "),
                        woken.join(" ")
                    ),
                    ids: ids.clone(),
                    initiators: initiators.clone(),
                    steps: broken.steps,
                    diagram: diagram.unwrap_or_default(),
                };
                return lost(because, Some(execution));
            }
            match ran.early {
                // Who does nothing does nothing wrong.
                None if report.winners.is_empty() => {
                    let all = count(nodes.into(), "process");
                    return lost(format!("with {all}, none ever becomes the leader"), None);
                }
                None => {}
                Some(EarlyEnd::Interrupted(words) | EarlyEnd::GaveUp(words)) => {
                    return lost(words, None);
                }
                Some(EarlyEnd::Failed(_)) => {
                    return lost(endless(&count(nodes.into(), "process"), report.states), None);
                }
            }
        }
        let because = format!(
            "every schedule of 1 to {} processes: {}, {}",
            task.nodes,
            count(instances, "instance"),
            count(configurations, "configuration")
        );
        Ok(CriterionGrade { because, ..CriterionGrade::full(criterion) })
    }

    /// The grade of a submission that cannot be explored.
    fn failed(&self, submission: &str, fault: &str) -> Grade {
        let nothing = |criterion| CriterionGrade {
            points: 0,
            because: "it could not be explored".to_owned(),
            ..CriterionGrade::full(criterion)
        };
        let criteria = self.criteria.iter().map(nothing).collect();
        Grade { fault: Some(fault.to_owned()), ..Grade::of(submission, criteria, None) }
    }
}

fn asked(task: &AssignedElection, criterion: &Criterion, nodes: u32) -> CheckSpecification {
    let larger = nodes > 3;
    let path = (larger && task.family == Larger::Path).then(|| format!("path:{nodes}"));
    CheckSpecification {
        nodes: path.is_none().then_some(NodeRange(nodes..=nodes)),
        topology: path,
        all_ids: larger && task.family == Larger::Orders,
        all_shapes: larger && task.family == Larger::Shapes,
        all_initiators: larger,
        property: criterion.properties.to_vec(),
        // Reductions also compute reactions that no schedule has, which may raise exceptions.
        full: true,
        memory: MemorySize(256 << 20),
        ..CheckSpecification::of(task.algorithm)
    }
}

/// Why points are lost where an exploration has no end.
fn endless(among: &str, configurations: u64) -> String {
    format!(
        "with {among} it was given up after {} configurations: solutions of this assignment have fewer, so messages or \
         states have no end",
        grouped(configurations)
    )
}

/// The most configurations of members, the most steps of an execution, and the most ticks until one leads when nothing fails.
const CONFIGURATIONS: usize = 1_000_000;
const STEPS: u64 = 100;
const SOON: u64 = 200;

/// Explores one member, then two, and so on, until all points are lost. A breach loses the points of its promise, and the
/// others are explored on.
fn leadership(
    criteria: &[Criterion],
    budgets: &[Budget],
    submission: &Arc<Submission>,
    name: &str,
    page: &mut Option<String>,
) -> Vec<CriterionGrade> {
    let mut grades: Vec<_> = criteria.iter().map(CriterionGrade::full).collect();
    let mut waived: Vec<Promise> = Promise::ALL.to_vec();
    waived.retain(|promise| !criteria.iter().any(|of| of.promises.contains(promise)));
    // Returns whether all points are lost.
    let mut lose = |lost: Option<Promise>, because: &str, execution: Option<LosingExecution>| {
        for (criterion, grade) in criteria.iter().zip(&mut grades) {
            if grade.points > 0 && lost.is_none_or(|lost| criterion.promises.contains(&lost)) {
                *grade = CriterionGrade::lost(criterion, because.to_owned(), execution.clone());
            }
        }
        grades.iter().all(|grade| grade.points == 0)
    };
    let mut configurations = 0;
    for (members, &budget) in (1..).zip(budgets) {
        let among = count(members.into(), "member");
        let report = loop {
            let mut diagram = TenureDiagram::of_steps(members);
            let report = explored(members, budget, &waived, submission, &mut diagram);
            let Some(violation) = report.violation else { break report };
            if page.is_none() {
                *page = played(format!("{name}, {among}"), budget, &violation, diagram);
            }
            let steps = violation.execution;
            let execution = LosingExecution {
                nodes: members,
                instance: among.to_string(),
                ids: Vec::new(),
                initiators: Vec::new(),
                steps: steps.len(),
                diagram: steps.join("\n"),
            };
            if lose(violation.promise, &violation.detail, Some(execution)) {
                return grades;
            }
            waived.extend(violation.promise);
        };
        configurations += report.configurations;
        if !report.complete {
            lose(None, &endless(&among, report.configurations), None);
            return grades;
        }
        // Who does nothing does nothing wrong.
        if report.held == 0 {
            lose(None, &format!("with {among}, none ever leads"), None);
            return grades;
        }
    }
    let because = format!(
        "every execution of 1 to {} members within bounds: {}",
        budgets.len(),
        count(configurations, "configuration")
    );
    for grade in grades.iter_mut().filter(|grade| grade.points > 0) {
        grade.because.clone_from(&because);
    }
    grades
}

/// Explores members, whose clocks differ by a quarter.
fn explored(
    members: u32,
    budget: Budget,
    waived: &[Promise],
    submission: &Arc<Submission>,
    diagram: &mut TenureDiagram,
) -> ExplorationReport {
    let setting = Setting {
        me: Peer(0),
        members,
        heartbeat: 0,
        lease: 0,
        stop: 0,
        clocks: Ratio { fastest: 5, slowest: 4 },
    };
    let mut explorer = Explorer::<SubmittedMember>::new(members)
        .setting(setting)
        .budget(budget)
        .limit(CONFIGURATIONS);
    if !waived.contains(&Promise::Soon) {
        explorer = explorer.filled_within(SOON);
    }
    let explorer = waived.iter().fold(explorer, |explorer, &promise| explorer.waive(promise));
    // A look comes at least with each step, and otherwise with each 4,096 configurations.
    let mut looks = 0;
    let mut watch = |configurations| {
        looks += 1;
        let is_endless = looks > STEPS + configurations / 4_096;
        match is_endless || interrupt::is_set() || submission.fault().is_some() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    explorer.run_showing(&mut watch, diagram)
}

/// The page that plays an execution of members.
fn played(
    title: String,
    budget: Budget,
    violation: &ExplorationViolation,
    diagram: TenureDiagram,
) -> Option<String> {
    let promise = violation.promise.map_or(Property::PossibleMessages.name(), Promise::name);
    let page = RunPage::of_steps(diagram, title).ok()?;
    let page = page.fact("alarms", format!("at most {}", budget.rings));
    let page = page.fact("crashes", format!("at most {}", budget.crashes));
    Some(page.breach(promise, &violation.detail).html())
}

impl CriterionGrade {
    const fn full(criterion: &Criterion) -> Self {
        let &Criterion { name, points, .. } = criterion;
        Self { name, points, of: points, because: String::new(), execution: None }
    }

    fn lost(criterion: &Criterion, because: String, execution: Option<LosingExecution>) -> Self {
        Self { points: 0, because, execution, ..Self::full(criterion) }
    }
}

impl Grade {
    fn of(submission: &str, criteria: Vec<CriterionGrade>, page: Option<String>) -> Self {
        let points = criteria.iter().map(|criterion| criterion.points).sum();
        let of = criteria.iter().map(|criterion| criterion.of).sum();
        Self { submission: submission.to_owned(), points, of, fault: None, criteria, page }
    }

    pub(super) const fn is_full(&self) -> bool {
        self.points == self.of
    }

    /// The grade for people.
    pub(super) fn text(&self, assignment: &Assignment) -> String {
        let mut text = format!(
            "{}: assignment {}, {}\n\n",
            self.submission, assignment.number, assignment.title
        );
        if let Some(fault) = &self.fault {
            text += &format!("  fault           {fault}\n");
        }
        for criterion in &self.criteria {
            text += &criterion.text(self.fault.is_none());
        }
        text + &format!("  points          {} of {}\n\n", self.points, self.of)
    }
}

impl CriterionGrade {
    fn text(&self, explained: bool) -> String {
        let worth = format!("{} of {}", self.points, self.of);
        let because = if explained { &*self.because } else { "" };
        let line = format!("  {:<15} {worth:<9} {because}", self.name);
        let mut text = line.trim_end().to_owned() + "\n";
        if let Some(execution) = &self.execution {
            text += &format!(
                "    with          {}; {}:\n\n",
                execution.instance,
                count(execution.steps as u64, "step")
            );
            for line in execution.diagram.lines() {
                text += format!("    {line}").trim_end();
                text.push('\n');
            }
            text.push('\n');
        }
        text
    }
}

/// A table of grades: a row for each submission.
///
/// # Errors
/// If it cannot be written.
pub(super) fn csv(criteria: &[Criterion], grades: &[Grade]) -> Result<String, Error> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let names = criteria.iter().map(|criterion| criterion.name);
    let wrong = |error: csv::Error| Error::new(error.to_string());
    let head = ["submission"].into_iter().chain(names).chain(["points", "of", "fault"]);
    table.write_record(head).map_err(wrong)?;
    for grade in grades {
        let points = grade.criteria.iter().map(|criterion| criterion.points);
        let numbers = points.chain([grade.points, grade.of]).map(|number| number.to_string());
        let fault = grade.fault.clone().unwrap_or_default();
        let row = [grade.submission.clone()].into_iter().chain(numbers).chain([fault]);
        table.write_record(row).map_err(wrong)?;
    }
    let bytes = table.into_inner().map_err(|error| Error::new(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| Error::new(error.to_string()))
}

/// The results.json of an autograder of Gradescope.
pub(super) fn gradescope(grade: &Grade, assignment: &Assignment) -> Value {
    let tests = grade.criteria.iter().map(|criterion| {
        json!({
            "name": criterion.name,
            "score": criterion.points,
            "max_score": criterion.of,
            "status": if criterion.points == criterion.of { "passed" } else { "failed" },
            "output": criterion.text(grade.fault.is_none()),
        })
    });
    json!({
        "score": grade.points,
        "output": grade.text(assignment),
        "tests": tests.collect::<Vec<_>>(),
    })
}
