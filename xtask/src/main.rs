//! Tools of this repository: `cargo xtask verify`, `explore`, `bench`, `book`, `catalogue`, `house`,
//! `mutants`, `page`, `rounds`, `schedules`, `soak` and `tenure`.

mod bench;
mod book;
mod catalogue;
mod explore;
mod house;
mod mutants;
mod page;
mod rounds;
mod schedules;
mod soak;
mod tenure;
mod verify;

use clap::Parser;
use std::process::ExitCode;

/// Tools of this repository
#[derive(Parser)]
#[command(name = "cargo xtask", version, arg_required_else_help = true)]
enum Command {
    Verify(verify::Args),
    Explore(explore::Args),
    Bench(bench::Args),
    Book(book::Args),
    Catalogue(catalogue::Args),
    House(house::Args),
    Mutants(mutants::Args),
    Page(page::Args),
    Rounds(rounds::Args),
    Schedules(schedules::Args),
    Soak(soak::Args),
    Tenure(tenure::Args),
}

fn main() -> ExitCode {
    run(&Command::parse()).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}

fn run(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Verify(args) => verify::run(args),
        Command::Explore(args) => explore::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Book(args) => book::run(args),
        Command::Catalogue(args) => catalogue::run(args),
        Command::House(args) => house::run(args),
        Command::Mutants(args) => mutants::run(args),
        Command::Page(args) => page::run(args),
        Command::Rounds(args) => rounds::run(args),
        Command::Schedules(args) => schedules::run(args),
        Command::Soak(args) => soak::run(args),
        Command::Tenure(args) => tenure::run(args),
    }
}
