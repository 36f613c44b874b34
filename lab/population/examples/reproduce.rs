//! Repeats the paper's experiments: `reproduce figure-1 FOLDER [TRIALS]` or `reproduce theorems
//! [TRIALS]`.

use std::{env, fs, sync::atomic::AtomicBool};
use suffrage_parallel::cores;
use suffrage_population::{
    ensemble::Silent,
    reproduce::{FigureOne, Theorems},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let never = AtomicBool::new(false);
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["figure-1", folder, ref rest @ ..] => {
            let trials = rest.first().map_or(Ok(100), |trials| trials.parse())?;
            let figure = FigureOne::run(trials, 1, cores(), &Silent, &never);
            let figure = figure.ok_or("there is no figure of no trials")?;
            fs::write(format!("{folder}/figure-1.csv"), figure.csv())?;
            print!("{figure}");
        }
        ["theorems", ref rest @ ..] => {
            let trials = rest.first().map_or(Ok(10_000), |trials| trials.parse())?;
            for agents in [1000, 10_000] {
                let theorems = Theorems::run(agents, trials, 1, cores(), &Silent, &never);
                println!("{}", theorems.ok_or("two trials at least")?);
            }
        }
        _ => return Err("usage: reproduce figure-1 FOLDER [TRIALS] | theorems [TRIALS]".into()),
    }
    Ok(())
}
