//! `suffrage check`: explores every schedule of small elections.

use crate::error::{CommandEnding, Error};
use crate::flags::{FileFlags, wake_moments};
use crate::offered;
use crate::output::{refuse_unwritable, write_text};
use crate::progress::Terminal;
use crate::report::ReportFormat;
use crate::specified::{print_spec, run_and_print};
use crate::trace;
use crate::typed::typed;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use suffrage::algorithms::Property;
use suffrage::checker::{ModelLanguage, SampleScheduler};
use suffrage::experiment::check::{
    MemorySize, NodeRange, Numberings, RoomRange, WakeMoment, property,
};
use suffrage::experiment::conditions::Initiators;
use suffrage::experiment::counts::{self, NumberRange, range};
use suffrage::experiment::{CheckSpecification, RunOptions, Specification};
use suffrage::networks::Fault;

/// Explore every schedule of small elections: which properties hold, and the worst-case costs
///
/// Every interleaving of messages and wake-ups is explored, on every instance of a family: identity
/// orders, sets of initiators, port numberings, networks. Without flags that choose a family, the
/// largest feasible one of this size is taken. A broken property is reported with the shortest
/// execution that breaks it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("samples").args(["sample", "seeds"]).conflicts_with_all([
    "full", "keep_going", "force", "topology", "all_ids", "ids", "all_initiators", "initiators",
    "all_ports", "ports", "all_graphs", "all_shapes",
]))]
pub(crate) struct Args {
    /// A name from `suffrage algorithms`
    #[arg(value_parser = offered::algorithms(), hide_possible_values = true)]
    algorithm: String,

    #[command(flatten)]
    family: FamilyArgs,

    /// A fault: no-fifo, loss:K, duplicate:K or crash:K; the last three may be combined
    ///
    /// At most K messages are lost or duplicated, or K processes crash, at any time; K is a whole
    /// number (probabilities are for `suffrage elect`). With faults only safety is checked: never
    /// two leaders, no decision revoked.
    #[arg(long = "fault", value_name = "FAULT", help_heading = "Conditions")]
    #[arg(value_parser = offered::counted_faults(str::parse::<Fault>), hide_possible_values = true)]
    faults: Vec<Fault>,

    /// Check this property or invariant; may be repeated [default: all, with faults those of
    /// safety]
    #[arg(long = "property", value_name = "NAME", help_heading = "Conditions")]
    #[arg(value_parser = offered::properties(property), hide_possible_values = true)]
    properties: Vec<Property>,

    /// Check this many random runs of random elections instead, for sizes that cannot be explored
    ///
    /// Networks, port numberings, identities, initiators and schedules are drawn at random, with
    /// the number of nodes from --nodes, as in --nodes 5..32. An eighth of the elections has
    /// identities in order or near 2^31, 2^32, 2^63 and 2^64 and, without --nodes, up to 80 nodes.
    /// Claims about chance are held to all runs together. A failure is shrunk to fewer nodes, fewer
    /// initiators and fewer steps.
    #[arg(long, value_name = "SAMPLES", value_parser = suffrage::experiment::counts::positive)]
    #[arg(help_heading = "Sample")]
    sample: Option<u64>,

    /// Check a random run of a random election for each of these seeds, from A to B inclusive;
    /// otherwise as --sample
    ///
    /// `suffrage merge` adds up JSON reports of consecutive seeds.
    #[arg(long, value_name = "A..B", value_parser = range, conflicts_with = "seed")]
    #[arg(help_heading = "Sample")]
    seeds: Option<NumberRange<u64>>,

    /// A scheduler: uniform, newest, oldest, starved-link, starved-process or pct:D; may be repeated
    /// [default: all, with D from 1 to 3]
    ///
    /// pct:D is probabilistic concurrency testing with D - 1 changes of priority.
    #[arg(long = "scheduler", value_name = "NAME", requires = "samples", help_heading = "Sample")]
    schedulers: Vec<SampleScheduler>,

    /// Explore every configuration of every instance, without reductions
    #[arg(long, help_heading = "Exploration")]
    full: bool,

    /// Continue after a broken property, to count the instances that break one
    #[arg(long, help_heading = "Exploration")]
    keep_going: bool,

    /// Memory for configurations, as in 512MiB or 8GiB; if less is free, no more than that
    #[arg(long, value_name = "SIZE", default_value = "4GiB", help_heading = "Exploration")]
    #[arg(allow_hyphen_values = true)]
    memory: MemorySize,

    /// Explore although it is estimated to be too large
    #[arg(long, help_heading = "Exploration")]
    force: bool,

    /// Threads; the result does not depend on them [default: all cores]
    #[arg(long, value_name = "N", help_heading = "Exploration")]
    #[arg(value_parser = suffrage::experiment::counts::threads)]
    threads: Option<NonZero<usize>>,

    /// Write a run to this file, for `suffrage replay`: one that breaks a property, or else one
    /// with the most messages
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) save: Option<PathBuf>,

    /// Write the election as a model for another checker: FILE.pml for Spin, FILE.tla for TLC, FILE.prism
    /// for PRISM and Storm
    ///
    /// The election has one network, one order of identities and one set of initiators. The model has every
    /// reaction as a table, with faults, bounded links (not for PRISM) and rounds, and says what is to be found.
    #[arg(long, value_name = "FILE", conflicts_with = "samples", help_heading = "Output")]
    export: Option<PathBuf>,

    /// How to write the report
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: ReportFormat,

    /// Print the specification of the exploration as TOML, and run nothing
    ///
    /// `suffrage run FILE` runs it.
    #[arg(long, help_heading = "Output")]
    print_spec: bool,
}

const EXAMPLES: &str = "\
Examples:
  suffrage check humblet --nodes 4
  suffrage check villadangos@published --nodes 3 --save deadlock.jsonl
  suffrage check afek-gafni --nodes 4 --all-ports --all-initiators
  suffrage check echo-extinction --topology ring:5 --all-ids --initiators 2
  suffrage check chang-roberts --nodes 12 --ids descending --wake start
  suffrage check dolev-klawe-rodeh --nodes 3 --fault no-fifo
  suffrage check humblet --nodes 5 --ports random:100
  suffrage check humblet --nodes 5..32 --sample 100000
  suffrage check humblet --nodes 5..32 --seeds 1..50000 --format json >first.json
  suffrage check lelann --nodes 4 --fault crash:1 --property at-most-one-leader";

/// The flags that choose a family.
#[derive(clap::Args)]
struct FamilyArgs {
    /// The number of nodes, on the networks that the algorithm is for; with --sample also a range,
    /// as in 5..32, both included [default: 4, with --sample 5..16]
    #[arg(long, value_name = "N", conflicts_with = "topology", help_heading = "Family")]
    nodes: Option<NodeRange>,

    /// One network: a file, or a specification such as ring:4 (see `suffrage elect --help`)
    #[arg(long, value_name = "SPEC|FILE", help_heading = "Family")]
    #[arg(value_parser = offered::specs(), hide_possible_values = true)]
    topology: Option<String>,

    #[command(flatten)]
    file: FileFlags,

    /// All assignments of the ids 1 to N, up to symmetry
    #[arg(long, conflicts_with = "ids", help_heading = "Family")]
    all_ids: bool,

    /// Every set of initiators
    #[arg(long, conflicts_with = "initiators", help_heading = "Family")]
    all_initiators: bool,

    /// Every numbering of the ports; on a complete network without --ids, with every order of the ids
    #[arg(long, help_heading = "Family")]
    all_ports: bool,

    /// The numbering of the ports: rotation, or random:K for K random numberings of each network
    #[arg(long, value_name = "PORTS", conflicts_with_all = ["all_ports", "all_graphs", "all_shapes"])]
    #[arg(default_value = "rotation", help_heading = "Family")]
    ports: Numberings,

    /// Every connected network of this size, with every order of the ids; ports are in the order of
    /// the neighbours' ids
    #[arg(long, conflicts_with_all = ["topology", "ids", "all_ports"], help_heading = "Family")]
    all_graphs: bool,

    /// Every connected network of this size up to isomorphism, with one order of the ids
    #[arg(long, conflicts_with_all = ["topology", "ids", "all_ports", "all_ids", "all_graphs"])]
    #[arg(help_heading = "Family")]
    all_shapes: bool,

    /// The order of the identities: ascending, descending, bit-reversed, random, scattered,
    /// homonyms:K, list:ID,.., or a file
    #[arg(long, value_name = "IDS", help_heading = "Family")]
    #[arg(value_parser = offered::ids(), hide_possible_values = true)]
    ids: Option<String>,

    /// Who may start: all, a number K (of nodes drawn at random), or nodes:LIST
    #[arg(long, value_name = "WHO", help_heading = "Family")]
    initiators: Option<Initiators>,

    /// When they start [default: any; with --sample either]
    #[arg(long, value_name = "WAKE", value_parser = wake_moments(), help_heading = "Conditions")]
    wake: Option<WakeMoment>,

    /// Messages that a link holds: unbounded, or a number, with --sample also a range; the sender
    /// waits for room
    #[arg(long, value_name = "C", default_value = "unbounded", help_heading = "Conditions")]
    capacity: RoomRange,

    /// Drives what is random: networks, initiators
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "Conditions")]
    #[arg(value_parser = counts::count)]
    seed: u64,
}

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let asked = Specification::Check(args.specification().into());
    if args.print_spec {
        return print_spec(&asked);
    }
    let outputs = [("--save", &args.save), ("--export", &args.export)];
    for (flag, path) in outputs {
        path.as_ref().map_or(Ok(()), |path| refuse_unwritable(flag, path))?;
    }
    let model = args.export.as_deref().map(language).transpose()?;
    let terminal = Terminal::default();
    let options = RunOptions { threads: args.threads, ..RunOptions::new(&terminal) };
    let exported = match model.zip(args.export.as_deref()) {
        Some((model, path)) => {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let text = args.specification().tabulate(&options)?.text(model, &name);
            Some((path, text.map_err(|error| Error::of(export_to(path), error))?))
        }
        None => None,
    };
    let ran = run_and_print(asked, options, args.format, typed())?;
    let run = ran.report.as_ref().and_then(|report| report.run());
    if let (Some(path), Some(run)) = (&args.save, run) {
        trace::write(run, "--save", path)?;
    }
    if let Some((path, text)) = exported {
        write_text("--export", path, &text)?;
    }
    CommandEnding::after(ran)
}

fn export_to(path: &Path) -> String {
    format!("--export {}", path.display())
}

/// The language of a model in this file.
fn language(path: &Path) -> Result<ModelLanguage, Error> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let wrong = |error: String| Error::of(export_to(path), error);
    let language = extension.parse().map_err(wrong)?;
    // TLC takes the module of a file by the name of the file.
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    if language == ModelLanguage::Tla && !name.chars().all(is_letter) {
        let what = "a module of TLA+ is named as its file, by letters, digits and _ alone";
        return Err(wrong(what.to_owned()));
    }
    Ok(language)
}

impl Args {
    /// The specification that the flags describe.
    fn specification(&self) -> CheckSpecification {
        let FamilyArgs { file, .. } = &self.family;
        let family = &self.family;
        CheckSpecification {
            algorithm: self.algorithm.clone(),
            nodes: family.nodes.clone(),
            topology: family.topology.clone(),
            topology_format: file.topology_format,
            largest_component: file.largest_component,
            all_ids: family.all_ids,
            all_initiators: family.all_initiators,
            all_ports: family.all_ports,
            ports: family.ports,
            all_graphs: family.all_graphs,
            all_shapes: family.all_shapes,
            ids: family.ids.clone(),
            initiators: family.initiators.clone(),
            wake: family.wake,
            capacity: family.capacity.clone(),
            fault: self.faults.clone(),
            property: self.properties.clone(),
            sample: self.sample,
            seeds: self.seeds,
            scheduler: self.schedulers.clone(),
            full: self.full,
            keep_going: self.keep_going,
            memory: self.memory,
            force: self.force,
            seed: family.seed,
        }
    }
}
