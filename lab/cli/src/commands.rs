//! The subcommands, one module each.

pub(crate) mod algorithms;
pub(crate) mod cert;
pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod draw;
pub(crate) mod elect;
pub(crate) mod grade;
pub(crate) mod merge;
pub(crate) mod node;
pub(crate) mod plot;
pub(crate) mod population;
pub(crate) mod prove;
pub(crate) mod replay;
pub(crate) mod reproduce;
pub(crate) mod run;
pub(crate) mod tenure;
pub(crate) mod watch;
