//! Tools of this repository: `cargo xtask verify`, `explore`, `bench`, `catalogue`, `dist`, `house`,
//! `mutants`, `page`, `prove`, `rounds`, `schedules`, `site`, `soak` and `tenure`.

mod bench;
mod catalogue;
#[cfg(target_os = "linux")]
mod dist;
mod explore;
mod house;
mod mutants;
mod page;
mod prove;
mod repository;
mod rounds;
mod schedules;
mod site;
mod soak;
mod tenure;
mod verify;

use clap::Parser;
use std::env;
use std::process::ExitCode;

/// Tools of this repository
#[derive(Parser)]
#[command(name = "cargo xtask", version, arg_required_else_help = true)]
enum Task {
    Verify(verify::Args),
    Explore(explore::Args),
    Bench(bench::Args),
    Catalogue(catalogue::Args),
    #[cfg(target_os = "linux")]
    Dist(dist::Args),
    House(house::Args),
    Mutants(mutants::Args),
    Page(page::Args),
    Prove(prove::Args),
    Rounds(rounds::Args),
    Schedules(schedules::Args),
    Site(site::Args),
    Soak(soak::Args),
    Tenure(tenure::Args),
}

fn main() -> ExitCode {
    if env::args_os().next().is_some_and(|name| name == site::SUFFRAGE) {
        return suffrage_cli::main();
    }
    run(&Task::parse()).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}

fn run(command: &Task) -> anyhow::Result<ExitCode> {
    match command {
        Task::Verify(args) => verify::run(args),
        Task::Explore(args) => explore::run(args),
        Task::Bench(args) => bench::run(args),
        Task::Catalogue(args) => catalogue::run(args),
        #[cfg(target_os = "linux")]
        Task::Dist(args) => dist::run(args),
        Task::House(args) => house::run(args),
        Task::Mutants(args) => mutants::run(args),
        Task::Page(args) => page::run(args),
        Task::Prove(args) => prove::run(args),
        Task::Rounds(args) => rounds::run(args),
        Task::Schedules(args) => schedules::run(args),
        Task::Site(args) => site::run(args),
        Task::Soak(args) => soak::run(args),
        Task::Tenure(args) => tenure::run(args),
    }
}
