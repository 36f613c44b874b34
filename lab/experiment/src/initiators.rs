//! The initiators, and when they start.

use crate::conditions::{Conditions, Initiators, ScheduleChoice, WakeUps};
use crate::error::Error;
use crate::number;
use suffrage_networks::Topology;
use suffrage_networks::random::{Generator, Key};
use suffrage_simulator::Wakes;

/// The wake-ups of an election, and how many there are.
pub fn wakes(
    conditions: &Conditions,
    topology: &Topology,
    seed: u64,
) -> Result<(Wakes, u64), Error> {
    let named = conditions.initiators.as_ref().unwrap_or(&Initiators::All);
    if *named == Initiators::All && conditions.wake_ups() == WakeUps::Once {
        return Ok((Wakes::All, topology.nodes().into()));
    }
    let who = who(named, topology, seed)?;
    let key = Key::new(seed, "wakes");
    let tick = |node: u32| match conditions.wake_ups() {
        WakeUps::Once => 0,
        WakeUps::Spread(last) => key.at(node.into()).below(last + 1),
    };
    let count = who.len() as u64;
    Ok((Wakes::At(who.into_iter().map(|node| (tick(node), node)).collect()), count))
}

/// Initiators, each with the tick at which it wakes in front.
pub type WakeList = Vec<(u64, u64)>;

/// The wake-ups of an election on a network that is nowhere as a whole, and how many there are; `None` if all
/// wake at the start.
pub fn wakes_of(
    conditions: &Conditions,
    nodes: &Nodes<'_>,
    seed: u64,
) -> Result<(Option<WakeList>, u64), Error> {
    let named = conditions.initiators.as_ref().unwrap_or(&Initiators::All);
    let count = nodes.count;
    let who: Vec<u64> = match (named, conditions.wake_ups(), u32::try_from(count)) {
        (Initiators::All, WakeUps::Once, _) => return Ok((None, count)),
        (Initiators::Listed(list), _, _) => listed(list, nodes)?,
        (Initiators::All, _, Ok(nodes)) => (0..nodes.into()).collect(),
        (&Initiators::Some(count), _, Ok(nodes)) if count <= nodes => {
            draw(count, nodes, seed).into_iter().map(u64::from).collect()
        }
        (&Initiators::Some(count), _, Ok(nodes)) => return Err(too_many(count, nodes)),
        (_, _, Err(_)) => {
            return Err(Error::new(format!(
                "the initiators of {count} nodes are all of them at once, or those of a list: \
                 --initiators nodes:LIST"
            )));
        }
    };
    let key = Key::new(seed, "wakes");
    let tick = |node: u64| match conditions.wake_ups() {
        WakeUps::Once => 0,
        WakeUps::Spread(last) => key.at(node).below(last + 1),
    };
    let count = who.len() as u64;
    Ok((Some(who.into_iter().map(|node| (tick(node), node)).collect()), count))
}

fn too_many(count: u32, nodes: u32) -> Error {
    let nodes = number::count(nodes.into(), "node");
    Error::new(format!("--initiators {count}: the network has only {nodes}"))
}

/// The number of nodes that may start, of `nodes`, before there is a network to choose from. A
/// recording says it itself.
pub fn estimate(conditions: &Conditions, nodes: u64) -> u64 {
    match (&conditions.schedule, &conditions.initiators) {
        (ScheduleChoice::Recorded(_), _) => 0,
        (_, None | Some(Initiators::All)) => nodes,
        (_, Some(Initiators::Some(count))) => nodes.min((*count).into()),
        (_, Some(Initiators::Listed(list))) => nodes.min(list.split(',').count() as u64),
    }
}

/// The greatest memory of the list of initiators at a time, in bytes: none if all start at once.
pub fn tables(conditions: &Conditions, nodes: u64) -> u64 {
    // The nodes, and with their ticks; these twice, since the election has them, too.
    let listed = estimate(conditions, nodes).saturating_mul(2 * 16);
    match (&conditions.initiators, conditions.wake_ups()) {
        (None | Some(Initiators::All), WakeUps::Once) => 0,
        // They are drawn of a list of all nodes.
        (Some(Initiators::Some(count)), _) => {
            nodes.saturating_mul(4).saturating_add(8 * u64::from(*count)).max(listed)
        }
        _ => listed,
    }
}

/// How many of them start at one tick, on average.
pub fn at_once(conditions: &Conditions, nodes: u64) -> u64 {
    let all = estimate(conditions, nodes);
    match conditions.wake_ups() {
        WakeUps::Once => all,
        WakeUps::Spread(last) => all.div_ceil(last + 1),
    }
}

/// The nodes of a network, by their numbers and names.
pub struct Nodes<'a> {
    /// How many there are.
    pub count: u64,
    /// The node of a name.
    pub named: &'a dyn Fn(&str) -> Option<u64>,
    /// The name of the first node, if nodes have names.
    pub first: Option<&'a str>,
}

/// The nodes that may start.
pub fn who(named: &Initiators, topology: &Topology, seed: u64) -> Result<Vec<u32>, Error> {
    let nodes = topology.nodes();
    match named {
        Initiators::All => Ok((0..nodes).collect()),
        &Initiators::Some(count) if count > nodes => Err(too_many(count, nodes)),
        &Initiators::Some(count) => Ok(draw(count, nodes, seed)),
        Initiators::Listed(list) => {
            let named = |name: &str| topology.node_named(name).map(u64::from);
            let nodes = Nodes { count: nodes.into(), named: &named, first: topology.label(0) };
            Ok(listed(list, &nodes)?.into_iter().map(|node| node as u32).collect())
        }
    }
}

/// A set of this size, each with the same probability.
fn draw(count: u32, nodes: u32, seed: u64) -> Vec<u32> {
    let mut all: Vec<u32> = (0..nodes).collect();
    Generator::new(seed, "initiators").shuffle(&mut all);
    all.truncate(count as usize);
    all.sort_unstable();
    all
}

/// The nodes of a list of labels and numbers.
fn listed(list: &str, nodes: &Nodes<'_>) -> Result<Vec<u64>, Error> {
    let place = format!("--initiators nodes:{list}");
    let mut who = Vec::new();
    let mut rest: Vec<&str> = list.split(',').collect();
    rest.reverse();
    while let Some(first) = rest.pop() {
        // A label may itself have commas in it.
        let mut label = first.to_owned();
        let mut joined = rest.len();
        while (nodes.named)(&label).is_none() && joined > 0 {
            joined -= 1;
            label = format!("{label},{}", rest[joined]);
        }
        let node = match (nodes.named)(&label) {
            Some(node) => {
                rest.truncate(joined);
                node
            }
            None => number(first, nodes).map_err(|error| Error::of(&place, error))?,
        };
        if who.contains(&node) {
            return Err(Error::of(place, format!("`{first}` occurs twice")));
        }
        who.push(node);
    }
    who.sort_unstable();
    Ok(who)
}

/// The node of this number. If labels are numbers themselves, a number is a label.
fn number(text: &str, &Nodes { count, first, .. }: &Nodes<'_>) -> Result<u64, Error> {
    let text = text.trim();
    let labelled = first.is_some_and(|label| label.parse::<u64>().is_ok());
    match text.parse::<u64>() {
        Ok(node) if node < count && !labelled => Ok(node),
        Ok(node) if !labelled => Err(Error::new(format!(
            "there is no node {node}: they are numbered from 0 to {}",
            count - 1
        ))),
        _ => {
            let hint = match first {
                Some(label) => format!("labels are such as `{label}`"),
                None => format!("nodes have no labels, and are numbered from 0 to {}", count - 1),
            };
            Err(Error::new(format!("no node is called `{}`; {hint}", text.escape_debug())))
        }
    }
}
