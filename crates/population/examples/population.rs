//! The command `population` without the house around it: `cargo run --release --features cli
//! --example population -- self-terminating --agents 1000 --trials 1000`.

use clap::Parser;
use std::{fs::File, io::BufWriter, process::ExitCode, sync::atomic::AtomicBool};
use suffrage_population::{
    ensemble::Silent,
    error::Error,
    ids::Ids,
    report::{Report, args::PopulationArgs},
};

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    args: PopulationArgs,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

fn run(command: &Command) -> Result<(), Box<dyn std::error::Error>> {
    let args = &command.args;
    let ids = match (args.ids.as_deref(), args.agents) {
        (None, _) => None,
        (Some("random"), Some(agents)) => Some(Ids::random(agents, args.seed)?),
        (Some("random"), None) => return Err(Error::NoAgents.into()),
        (Some(_), _) => return Err("this example reads no files".into()),
    };
    let experiment = args.experiment(ids);
    let never = AtomicBool::new(false);
    let report = Report::new(&experiment, experiment.run(&Silent, &never)?, args.each);
    if command.json {
        println!("{}", report.json());
    } else {
        print!("{report}");
    }
    if let Some(path) = &args.history {
        let history = experiment.history(args.history_interval(experiment.agents), &never)?;
        history.write_csv(&mut BufWriter::new(File::create(path)?))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(&Command::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
