//! `suffrage tenure`: simulates leadership among processes that crash and recover.

mod cluster;
pub(super) mod compare;
pub(super) mod scale;
pub(crate) mod simulate;
pub(super) mod table;

pub(crate) use cluster::{About, Traced, protocol};

use crate::error::{CommandEnding, Error};
use clap::Subcommand;

/// Leadership that survives crashes: simulated under faults, and compared
///
/// Members and clients hold offices for a time, each time at a greater term. They crash and
/// recover, lose their disks and pause; messages are lost, late and duplicated; the network is cut.
/// Every run is checked for five promises: one holder at a time, ever greater terms, no office
/// vacant for long, no needless change, and no false leader named.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: TenureStudy,
}

#[derive(Subcommand)]
enum TenureStudy {
    Simulate(simulate::Args),
    Compare(compare::Args),
    Scale(scale::Args),
}

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    match &args.command {
        TenureStudy::Simulate(args) => simulate::run(args),
        TenureStudy::Compare(args) => compare::run(args),
        TenureStudy::Scale(args) => scale::run(args),
    }
}
