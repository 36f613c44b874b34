//! `suffrage replay` of a run of `suffrage tenure simulate`.

use super::{Args, DRAWN};
use crate::commands::tenure::{About, Traced, protocol};
use crate::error::{CommandEnding, Error, complain};
use crate::output::{Output, print};
use crate::progress::Terminal;
use crate::report::{ReportFormat, Sheet, json};
use crate::terminal;
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use suffrage::diagram::{Drawing, TenureDiagram};
use suffrage::experiment::number::{count, grouped};
use suffrage::networks::Input;
use suffrage::page::{MOST_EVENTS, RunPage};
use suffrage::tenure::simulation::promises::Promise;
use suffrage::tenure::simulation::{
    Nanos, PromiseViolation, SimulationDescription, SimulationReport, SimulationTracer,
    TRACE_VERSION,
};
use suffrage_numbers::{DistinctKeys, counted, in_words};

/// The maximal number of rows of a run to read if only some of them will be drawn.
const READ: usize = 1_000_000;

/// The key that headers begin with.
const KEY: &str = "suffrage-recovery-trace";

pub(in crate::commands) fn is_trace(first: &[u8]) -> bool {
    let text = String::from_utf8_lossy(first);
    let mut parts = text.splitn(3, '"');
    parts.next().is_some_and(|start| start.trim() == "{") && parts.next() == Some(KEY)
}

/// Runs the simulation of the file again, compares its events with the rest of the file, and draws
/// it.
pub(super) fn run(
    args: &Args,
    first: &[u8],
    rest: BufReader<Input>,
) -> Result<CommandEnding, Error> {
    let again = Again::read(&args.file, first)?;
    let mut diagram = (args.format == ReportFormat::Text).then(|| again.diagram(DRAWN.1)).flatten();
    let copy = match &args.trace {
        Some(path) => Some(Output::begin(super::TRACE, path)?),
        None => None,
    };
    let Some(report) = again.run(rest, copy, diagram.as_mut())? else {
        return Ok(CommandEnding::Interrupted);
    };
    print(&match args.format {
        ReportFormat::Text => terminal::fitted(&again.text(&report, diagram.as_ref())),
        ReportFormat::Json => {
            let SimulationReport { events, tenures, violations, .. } = &report;
            let About { protocol, run, .. } = &again.about;
            let (events, tenures) = (*events, *tenures);
            json(&TenureReplayReport { protocol, run, events, tenures, violations })?
        }
    })?;
    Ok(CommandEnding::of(false, report.violations.iter().any(|one| one.beyond.is_none())))
}

/// Runs the simulation of the file again, compares its events with the rest of the file, and returns
/// the drawing.
pub(in crate::commands) fn drawing(
    file: &Path,
    first: &[u8],
    rest: BufReader<Input>,
) -> Result<Drawing, Error> {
    let again = Again::read(file, first)?;
    let Some(mut diagram) = again.diagram(READ) else {
        let most = format!("at most {} participants are drawn", DRAWN.0);
        return Err(Error::of(file.display(), most));
    };
    if again.run(rest, None, Some(&mut diagram))?.is_none() {
        return Err(Error::of(file.display(), "interrupted: half a run is not drawn"));
    }
    if diagram.is_cut() {
        let name = file.display();
        complain(format_args!(
            "{name}: what follows the first {} rows is not drawn",
            grouped(READ)
        ));
    }
    let title = title(&again.about);
    Ok(diagram.into_drawing().titled(title))
}

/// Runs the simulation of the file again, compares its events with the rest of the file, and returns
/// the page that shows it.
pub(in crate::commands) fn page(
    file: &Path,
    first: &[u8],
    rest: BufReader<Input>,
) -> Result<RunPage, Error> {
    let place = |error: &dyn Display| Error::of(file.display(), error);
    let again = Again::read(file, first)?;
    let Some(diagram) = again.diagram(MOST_EVENTS) else {
        return Err(place(&format!("at most {} participants are shown", DRAWN.0)));
    };
    let mut diagram = diagram.with_everything();
    let Some(report) = again.run(rest, None, Some(&mut diagram))? else {
        return Err(place(&"interrupted: half a run is not shown"));
    };
    let About { protocol, run, command, .. } = &again.about;
    let title = title(&again.about);
    let page = RunPage::of_tenures(diagram, title, run.length)
        .map_err(|error| place(&format!("{error}; give it a shorter --duration, as in 20s")))?
        .command(command.clone())
        .fact("protocol", protocol)
        .fact("members", run.members)
        .fact("clients", run.clients)
        .fact("offices", run.offices)
        .fact("heartbeat", run.heartbeat)
        .fact("lease", run.lease)
        .fact("length", in_milliseconds(run.length))
        .fact("seed", run.seed);
    Ok(report.violations.iter().fold(page, |page, one| {
        let at = one.at.0 as f64 / 1e9;
        page.breach(one.breach.promise(), format_args!("at {at:.3} s: {}", one.breach))
    }))
}

fn title(About { protocol, run, .. }: &About) -> String {
    format!("{protocol}, {}, seed {}", counted(run.members.into(), "member"), run.seed)
}

/// A simulation that was recorded.
struct Again {
    name: String,
    about: About,
}

impl Again {
    /// Reads the first line of a file.
    fn read(file: &Path, first: &[u8]) -> Result<Self, Error> {
        let name = file.display().to_string();
        let wrong = |why: String| Error::of(format!("{name}, line 1"), why);
        let wrongly = |error| wrong(in_words(error));
        serde_json::from_slice::<DistinctKeys>(first).map_err(wrongly)?;
        let header: serde_json::Value = serde_json::from_slice(first).map_err(wrongly)?;
        if header[KEY] != TRACE_VERSION {
            return Err(wrong(format!(
                "version {} of this format; this program reads version {TRACE_VERSION}: \
                 `suffrage tenure simulate --trace` writes the run again",
                header[KEY]
            )));
        }
        let about = serde_json::from_value(header).map_err(wrongly)?;
        Ok(Self { name, about })
    }

    fn diagram(&self, rows: usize) -> Option<TenureDiagram> {
        let run = &self.about.run;
        let participants = run.members.saturating_add(run.clients);
        let witnesses = run.witnesses.min(run.members);
        (participants as usize <= DRAWN.0)
            .then(|| TenureDiagram::new(run.members, witnesses, run.clients, rows))
    }

    /// Runs it, and compares its events with the rest of the file; `None` if it was interrupted.
    fn run(
        &self,
        rest: BufReader<Input>,
        copy: Option<Output>,
        diagram: Option<&mut TenureDiagram>,
    ) -> Result<Option<SimulationReport>, Error> {
        let Self { name, about } = self;
        let compared = Compared { file: rest, copy, line: Vec::new(), number: 0 };
        let mut tracer =
            SimulationTracer::new(compared, about).map_err(|error| Error::of(name, error))?;
        let protocol = protocol(&about.protocol).map_err(|error| Error::of(name, error))?;
        let monitor = &Terminal::default();
        let traced = Traced { run: &about.run, tracer: &mut tracer, diagram, monitor };
        let report = about.beside.visit(protocol, traced);
        let report =
            report.map_err(|error| Error::of(format!("{name}, line 1"), error.to_string()))?;
        if report.is_none() {
            return Ok(None);
        }
        let compared = tracer.finish().map_err(|error| Error::of(name, error))?;
        let copy = compared.end().map_err(|error| Error::of(name, error))?;
        copy.map_or(Ok(()), Output::finish)?;
        Ok(report)
    }

    /// Formats the result for people.
    fn text(&self, report: &SimulationReport, diagram: Option<&TenureDiagram>) -> String {
        let run = &self.about.run;
        let mut sheet = Sheet::titled(&format!(
            "{}: {}, {}, {}, seed {}",
            self.about.protocol,
            count(run.members.into(), "member"),
            count(run.clients.into(), "client"),
            count(run.offices.into(), "office"),
            run.seed
        ));
        match diagram {
            Some(diagram) => {
                sheet.plain(&diagram.text_within(terminal::diagram_width()));
                if diagram.is_cut() {
                    let rows = grouped(DRAWN.1 as u64);
                    sheet.plain(&format!("  What follows the first {rows} rows is not drawn."));
                }
            }
            None => sheet.plain(&format!("  At most {} participants are drawn.\n", DRAWN.0)),
        }
        let length = in_milliseconds(run.length);
        sheet.line("simulated", &format!("{length}, {} events", grouped(report.events)));
        sheet.line("tenures", &grouped(report.tenures));
        for promise in Promise::ALL {
            let broken = report.violations.iter().find(|one| one.breach.promise() == promise);
            let kept = broken.map_or_else(
                || "kept".to_owned(),
                |one| {
                    let at = one.at.0 as f64 / 1e9;
                    match &one.beyond {
                        Some(beyond) => format!(
                            "broken beyond the model: {beyond}; at {at:.3} s: {}",
                            one.breach
                        ),
                        None => format!("BROKEN at {at:.3} s: {}", one.breach),
                    }
                },
            );
            sheet.line(promise.name(), &kept);
        }
        sheet.into_text()
    }
}

/// Compares what is written with the lines of a file, from the second on, and copies it.
struct Compared {
    file: BufReader<Input>,
    copy: Option<Output>,
    /// The line that is being written.
    line: Vec<u8>,
    number: u64,
}

impl Write for Compared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(copy) = &mut self.copy {
            copy.write_all(bytes)?;
        }
        for &byte in bytes {
            self.line.push(byte);
            if byte == b'\n' {
                self.compare()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Compared {
    /// Compares a line that is whole. The first, which may be written in another way, has been read.
    fn compare(&mut self) -> io::Result<()> {
        self.number += 1;
        if self.number > 1 {
            let mut known = Vec::new();
            self.file.read_until(b'\n', &mut known)?;
            if known.trim_ascii_end() != self.line.trim_ascii_end() {
                return Err(self.differs(&String::from_utf8_lossy(&self.line)));
            }
        }
        self.line.clear();
        Ok(())
    }

    fn differs(&self, here: &str) -> io::Error {
        io::Error::other(format!(
            "line {}: the run is another one here: {}. The file was changed, or written by another \
             version of this program",
            self.number,
            here.trim_end()
        ))
    }

    /// Checks that the file has ended with the run.
    fn end(mut self) -> io::Result<Option<Output>> {
        let mut rest = Vec::new();
        self.file.read_until(b'\n', &mut rest)?;
        self.number += 1;
        match rest.trim_ascii().is_empty() {
            true => Ok(self.copy),
            false => Err(self.differs("it has ended")),
        }
    }
}

/// The keys of the JSON report.
#[derive(Serialize)]
struct TenureReplayReport<'a> {
    protocol: &'a str,
    #[serde(flatten)]
    run: &'a SimulationDescription,
    events: u64,
    tenures: u64,
    violations: &'a [PromiseViolation],
}

/// A length for people: a run that breaks a promise ends at any nanosecond.
fn in_milliseconds(length: Nanos) -> Nanos {
    Nanos(length.0.next_multiple_of(1_000_000))
}
