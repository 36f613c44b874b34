//! The flags of conditions, which may have several values.

use super::{node_orders, port_orders};
use crate::offered;
use clap::Args;
use std::str::FromStr;
use suffrage::experiment::conditions::{
    Capacity, Initiators, NodeOrder, PortOrder, ScheduleChoice, WakeUps,
};
use suffrage::experiment::{ElectionSpecification, Several, counts};
use suffrage::simulator::Fault;

/// The flags of conditions. Some take several values, which are then compared.
#[derive(Args, Clone)]
#[command(next_help_heading = "Conditions")]
pub struct ConditionFlags {
    /// Identities: random, ascending, descending, bit-reversed, scattered, homonyms:K, list:ID,.., or a
    /// file
    ///
    /// The named layouts give the ids 1 to N to the nodes; scattered is a random order without a
    /// table, for networks that several hosts share. With homonyms:K up to K nodes have the same
    /// id, for an algorithm for rings of homonyms. A list, as in list:3,1,2 or list:A,B,C, has the
    /// ids in the order of the nodes. A file has one id per line in the order of the nodes, or a
    /// label and an id. An id is decimal, hexadecimal (0x..), a MAC address, or a serial number
    /// such as SN-001; or all are names such as Praha. Serial numbers and names are ordered as
    /// strings.
    #[arg(long, value_name = "IDS", default_value = "random")]
    #[arg(value_parser = offered::ids(), hide_possible_values = true)]
    ids: String,

    /// Order of the nodes around the virtual ring of a complete network
    #[arg(long, value_name = "ORDER", value_parser = node_orders(), default_value = "given")]
    order: NodeOrder,

    /// Numbering of the ports: algorithms for oriented networks need rotation
    #[arg(long, value_name = "PORTS", value_parser = port_orders(), value_delimiter = ',')]
    #[arg(default_value = "rotation")]
    ports: Vec<PortOrder>,

    /// Who starts: all, a number K (K nodes at random), or nodes:LIST
    ///
    /// LIST has labels or numbers of nodes, separated by commas, as in nodes:0,4,9 or
    /// nodes:Praha,Brno. Labels take precedence over numbers. [default: all]
    #[arg(long, value_name = "WHO")]
    initiators: Option<Separated<Initiators>>,

    /// When they start: once (all at tick 0), or spread:T (each at a random tick in 0..=T)
    /// [default: once]
    #[arg(long, value_name = "WHEN")]
    wake: Option<WakeUps>,

    /// When messages arrive
    ///
    /// Delays: synchronous (1 tick), uniform:D (1 to D ticks), exponential:MEAN, pareto:ALPHA,
    /// per-link:D (each link keeps a delay of 1 to D ticks); rounds, rounds:uniform:D and
    /// rounds:per-link:D deliver each tick in the order of receiver and port. Interleavings:
    /// random, newest, oldest (which link delivers next), replay:FILE (the order of a trace).
    /// Searched for: worst (many messages), worst:depth (a long causal chain), for networks of up to
    /// 64 nodes; how near they come to the exact extremes is in docs/reference/schedules.md.
    #[arg(long, value_name = "SCHEDULE", default_value = "synchronous")]
    #[arg(value_parser = offered::schedules(str::parse::<Separated<ScheduleChoice>>), hide_possible_values = true)]
    schedule: Separated<ScheduleChoice>,

    /// The number of messages that a link holds, or unbounded; the sender waits for room
    #[arg(long, value_name = "C", default_value = "unbounded")]
    capacity: Separated<Capacity>,

    /// A fault: no-fifo, loss:P, duplicate:P or crash:NODE@TICK; may be repeated
    ///
    /// P is a probability, with a point or a percent sign: loss:0.05 or loss:5%. A whole number is a
    /// count, as in loss:1, which `suffrage check` explores.
    #[arg(long = "fault", value_name = "FAULT")]
    #[arg(value_parser = offered::faults(str::parse::<Fault>), hide_possible_values = true)]
    faults: Vec<Fault>,

    /// The seed of everything random: network, ids, ports, initiators, delays
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = counts::count)]
    seed: u64,

    /// Deliveries after which a run counts as endless [default: 64 times the
    /// bound, and 100000]
    #[arg(long, value_name = "N", value_parser = counts::positive)]
    event_limit: Option<u64>,

    /// Check the invariants of the algorithm in every configuration
    ///
    /// `suffrage algorithms NAME` lists them. They hold for elections without faults. After every
    /// event all processes and all messages in transit are checked, which takes time.
    #[arg(long)]
    invariants: bool,
}

/// Values between commas. One that may have commas itself, such as `list:3,1,2`, takes all that
/// follows.
#[derive(Clone, Debug)]
struct Separated<T>(Vec<T>);

/// The prefixes of values that may contain commas.
const WITH_COMMAS: [&str; 3] = ["list:", "nodes:", "replay:"];

/// Splits a text at its commas into values.
fn values(text: &str) -> Vec<&str> {
    let mut values = Vec::new();
    let mut rest = text;
    loop {
        let whole = WITH_COMMAS.iter().any(|start| rest.starts_with(start));
        match rest.split_once(',').filter(|_| !whole) {
            Some((value, more)) => {
                values.push(value);
                rest = more;
            }
            None => {
                values.push(rest);
                return values;
            }
        }
    }
}

impl<T: FromStr> FromStr for Separated<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        values(text).into_iter().map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl ConditionFlags {
    /// Sets the fields of a specification that these flags are for.
    pub fn set(&self, specification: &mut ElectionSpecification) {
        *specification = ElectionSpecification {
            ids: values(&self.ids).into_iter().map(str::to_owned).collect(),
            order: self.order,
            ports: Several(self.ports.clone()),
            initiators: Several(self.initiators.clone().map_or_else(Vec::new, |several| several.0)),
            wake: self.wake,
            schedule: Several(self.schedule.0.clone()),
            capacity: Several(self.capacity.0.clone()),
            fault: self.faults.clone(),
            event_limit: self.event_limit,
            invariants: self.invariants,
            seed: self.seed,
            ..std::mem::take(specification)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_takes_its_commas() {
        assert_eq!(values("synchronous,uniform:10"), ["synchronous", "uniform:10"]);
        assert_eq!(values("random,list:3,1,2"), ["random", "list:3,1,2"]);
        assert_eq!(values("all,3,nodes:0,4"), ["all", "3", "nodes:0,4"]);
        assert!("random,uniform:x".parse::<Separated<ScheduleChoice>>().is_err());
    }
}
