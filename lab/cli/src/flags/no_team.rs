//! Stand-ins for the flags of an election that several workers hold together if they are not built in:
//! each says how to get them.

use clap::Args;
use std::convert::Infallible;

/// The flags.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct TeamFlags {
    #[arg(long, value_name = "W", hide = true, value_parser = absent)]
    workers: Option<Infallible>,

    #[arg(long, value_name = "FILE", hide = true, value_parser = absent)]
    hosts: Option<Infallible>,

    #[arg(long, value_name = "I", hide = true, value_parser = absent)]
    process: Option<Infallible>,

    #[arg(long, value_name = "FILE", hide = true, value_parser = absent)]
    secret: Option<Infallible>,

    #[arg(long, value_name = "SECONDS", hide = true, value_parser = absent)]
    wait: Option<Infallible>,

    #[arg(long, value_name = "DIR", hide = true, value_parser = absent)]
    checkpoint: Option<Infallible>,

    #[arg(long, value_name = "TICKS", hide = true, value_parser = absent)]
    every: Option<Infallible>,

    #[arg(long, value_name = "DIR", hide = true, value_parser = absent)]
    resume: Option<Infallible>,

    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "", hide = true)]
    #[arg(value_parser = absent)]
    force: Option<Infallible>,
}

fn absent(_: &str) -> Result<Infallible, &'static str> {
    Err("elections that several workers or hosts hold together are not built in: `cargo install \
         --path lab/cli --features distributed` installs them, and `cargo run --features \
         distributed --` runs one")
}
