//! The flags that several subcommands share.

mod conditions;
mod trials;

pub use conditions::ConditionFlags;
pub(crate) use trials::TrialFlags;

use clap::Args;
use suffrage::experiment::check::WakeMoment;
use suffrage::experiment::conditions::{NodeOrder, PortOrder};
use suffrage::experiment::real::timeout;
use suffrage::experiment::source::for_files;
use suffrage::experiment::{Timeout, Transport};
use suffrage::networks::{FileOptions, FileSyntax};

/// The flags for files with networks.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Network")]
pub struct FileFlags {
    /// If the network of a file is not connected, take its largest component
    #[arg(long)]
    pub(crate) largest_component: bool,

    /// The format of a file, instead of the recognized one
    ///
    /// edge-list, adjacency-list, multiline-adjacency-list, adjacency-matrix, counted-edge-list, tgf,
    /// sif, lgl, konect, graphml, gexf, sndlib, dot, gml, pajek, metis, json, dimacs, matrix-market
    /// or graph6. A table may have options: tabs, commas, semicolons, bars or blanks between columns,
    /// header, no-header, comments, no-comments, no-quotes, ends=2+3 (the columns with the ends of a
    /// link) and encoding=NAME, as in edge-list,tabs,no-header.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) topology_format: Option<FileSyntax>,
}

impl FileFlags {
    /// How a file is read.
    #[must_use]
    pub const fn options(self) -> FileOptions {
        FileOptions { largest_component: self.largest_component, format: self.topology_format }
    }

    /// A flag that is given.
    #[must_use]
    pub const fn given(self) -> Option<&'static str> {
        for_files(self.options())
    }
}

/// The flag of timeouts.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct TimeoutFlags {
    /// The timeouts of a node, by their names in the section `timeouts` of its file, as in
    /// gone=10,abandon=20
    ///
    /// `suffrage node --print-config` describes all of them, with their defaults.
    #[arg(
        long,
        value_name = "NAME=SECONDS,..",
        value_delimiter = ',',
        value_parser = timeout,
        help_heading = "Conditions"
    )]
    pub(crate) timeouts: Vec<Timeout>,
}

/// Offers the names of a set of the library.
macro_rules! offered_names {
    ($function:ident, $name:ident) => {
        pub(crate) fn $function() -> impl clap::builder::TypedValueParser<Value = $name> {
            use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
            let value = |&(value, about): &($name, &'static str)| {
                PossibleValue::new(value.name()).help(about.trim().trim_end_matches('.'))
            };
            PossibleValuesParser::new($name::ALL.iter().map(value))
                .try_map(|name| name.parse::<$name>())
        }
    };
}
pub(crate) use offered_names;

offered_names!(node_orders, NodeOrder);
offered_names!(port_orders, PortOrder);
offered_names!(wake_moments, WakeMoment);
offered_names!(transports, Transport);
