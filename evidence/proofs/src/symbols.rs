//! Identities and counts that are symbols, and the paths on which code compares them.

use crate::set_number::SetGuard;
pub use crate::set_number::{OWN, Symbol};
use serde::{Deserialize, Serialize};
use std::{
    cell::{Cell, RefCell},
    cmp::Ordering,
    collections::BTreeMap,
    fmt,
    hash::{Hash, Hasher},
    marker::PhantomData,
    panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind},
};
use suffrage_algorithms::Fact;
use suffrage_model::{Facts, Knowledge, Net, Port};

/// The degrees that a process is given in a network that is no ring, each in a table of its own: the tables must be the
/// same. All that it may do with a degree is to make a set of all its ports.
pub(crate) const UNASKED: [u32; 3] = [0, 1, 65_521];

/// The most decisions on a path: one that takes more is given up as endless.
const MOST_DECISIONS: usize = 64;

/// The most paths of a reaction.
const MOST_PATHS: usize = 1 << 14;

/// An identity about which only the results of comparisons are known. Each comparison has both results, on
/// a path each.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename = "Id")]
pub struct SymbolicId(Symbol);

/// How two symbols may compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolOrders(u8);

impl SymbolOrders {
    /// The first is less.
    pub const LESS: Self = Self(1);
    /// They are the same.
    pub const SAME: Self = Self(2);
    /// The first is more.
    pub const MORE: Self = Self(4);
    const ANY: Self = Self(7);

    /// Returns whether this is one of the ways.
    #[must_use]
    pub const fn has(self, way: Self) -> bool {
        self.0 & way.0 != 0
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The same of the two in the other order.
    const fn turned(self) -> Self {
        Self(self.0 & 2 | self.0 << 2 & 4 | self.0 >> 2 & 1)
    }

    /// Returns the sign between the two.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self.0 {
            1 => "<",
            2 => "=",
            3 => "<=",
            4 => ">",
            5 => "!=",
            6 => ">=",
            _ => "?",
        }
    }
}

/// What is known of two symbols on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolGuard {
    /// The one symbol.
    pub one: Symbol,
    /// How it compares with the other one.
    pub orders: SymbolOrders,
    /// The other one.
    pub other: Symbol,
}

/// Why code is no table of comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTabulated(pub String);

impl fmt::Display for NotTabulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotTabulated {}

/// A path: the decisions taken, and those to take again.
#[derive(Default)]
struct Path {
    /// For each decision the number of the way, and of ways.
    decisions: Vec<(usize, usize)>,
    next: usize,
    known: BTreeMap<(Symbol, Symbol), SymbolOrders>,
    symbols: Symbol,
    /// The processes to which the ports lead that it has met, where ports are symbols.
    ports: Vec<Symbol>,
    /// What it has asked of first ports.
    asked: Vec<PortsGuard>,
    /// Whether its state has first ports, and how many sets of ports.
    has_first: bool,
    sets: u64,
    /// Whether it has taken a port out of a set that is only counted, and did not have it.
    has_miscounted: bool,
    turns: LoopTurns,
}

/// The turns of a loop on a path.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoopTurns {
    /// How often the path has begun anew.
    pub(crate) begun: usize,
    /// The state before the turn, if the path is one.
    pub(crate) before: Option<Vec<Fact>>,
    /// The state after the loop or the turn: with it the reaction ends.
    pub(crate) after: Option<Vec<Fact>>,
}

thread_local! {
    static PATH: RefCell<Path> = RefCell::default();
    /// How ports are written.
    static PORT_CODE: Cell<PortCode> = const { Cell::new(PortCode::Numbers) };
    /// The degree in a network that is no ring.
    static DEGREE: Cell<u32> = const { Cell::new(UNASKED[2]) };
    /// The decisions before each loop where a path came to it first. There its turns are tabulated, too.
    static LOOPS: RefCell<BTreeMap<&'static Location<'static>, Vec<usize>>> =
        const { RefCell::new(BTreeMap::new()) };
}

/// How the ports of the process that reacts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortCode {
    /// Each has its number.
    Numbers,
    /// Each stands for the process to which it leads; it is written by these two symbols.
    Symbols,
    /// The same, but it is written by a small number, in the order in which a path meets ports: what looks at the
    /// number does not react alike.
    SymbolsInOrder,
}

/// The port that comes after the last one.
const NOWHERE: Port = Port(u32::MAX - 1);

/// A path that is no reaction.
struct NoReaction;

/// Sets how ports are written in the tables that follow, and how many a process has where the network is no ring.
pub(crate) fn write_ports(code: PortCode, degree: u32) {
    PORT_CODE.set(code);
    DEGREE.set(degree);
}

/// Returns the degree of a process in a network that is no ring.
pub(crate) fn unasked_degree() -> u32 {
    DEGREE.get()
}

/// Returns whether ports stand for the processes to which they lead.
pub(crate) fn ports_are_symbols() -> bool {
    PORT_CODE.get() != PortCode::Numbers
}

/// Returns one of the ports that the path has met before, or another port.
pub(crate) fn any_port() -> Port {
    let known = known_ports();
    write_port(known.get(choose(known.len() + 1)).copied().unwrap_or_else(another_port))
}

/// Returns the processes to which the ports lead that the path has met.
pub(crate) fn known_ports() -> Vec<Symbol> {
    PATH.with_borrow(|path| path.ports.clone())
}

/// Returns the number of the next set of ports in the state.
pub(crate) fn next_set() -> u64 {
    PATH.with_borrow_mut(|path| {
        path.sets += 1;
        path.sets - 1
    })
}

/// Returns the process to which a port leads that the path has not met before.
pub(crate) fn another_port() -> Symbol {
    let new = fresh();
    PATH.with_borrow_mut(|path| {
        let differ = SymbolOrders::LESS.or(SymbolOrders::MORE);
        path.known.extend(path.ports.iter().map(|&known| ((known, new), differ)));
        path.ports.push(new);
    });
    new
}

pub(crate) fn write_port(to: Symbol) -> Port {
    match PORT_CODE.get() {
        PortCode::SymbolsInOrder => {
            let at = PATH.with_borrow(|path| path.ports.iter().position(|known| *known == to));
            Port(at.expect("the path has met it") as u32)
        }
        _ => towards(OWN, to),
    }
}

/// Returns a port as [`towards`] writes it; refuses a number. A port that the process does not have
/// is `None`.
pub(crate) fn read_port(port: Port) -> Option<Port> {
    if port == NOWHERE {
        return None;
    }
    let to = match PORT_CODE.get() {
        PortCode::SymbolsInOrder => {
            PATH.with_borrow(|path| path.ports.get(port.0 as usize).copied())
        }
        _ => leads_to(port),
    };
    let to = to.unwrap_or_else(|| refuse(format!("it names port {} by its number", port.0)));
    Some(towards(OWN, to))
}

/// Returns whether the path is to be a turn of the loop that stands there: once for each loop, since turns begin in any
/// state.
pub(crate) fn takes_turn(stands: &'static Location<'static>) -> bool {
    let taken = PATH.with_borrow_mut(|path| {
        if path.turns.begun > 0 || path.turns.after.is_some() {
            return None;
        }
        Some(path.decisions[..path.next].iter().map(|(way, _)| *way).collect::<Vec<_>>())
    });
    let taken = taken.unwrap_or_else(|| refuse("it has more than one loop"));
    let is_first = LOOPS
        .with_borrow_mut(|loops| loops.entry(stands).or_insert_with(|| taken.clone()) == &taken);
    is_first && choose(2) == 1
}

/// Begins the path anew, as if nothing had happened on it.
pub(crate) fn begin_turn() {
    PATH.with_borrow_mut(|path| {
        let Path { decisions, next, turns, .. } = std::mem::take(path);
        let turns = LoopTurns { begun: turns.begun + 1, ..turns };
        *path = Path { decisions, next, turns, ..Path::default() };
    });
}

/// Changes the turns of the path.
pub(crate) fn with_turns<T>(change: impl FnOnce(&mut LoopTurns) -> T) -> T {
    PATH.with_borrow_mut(|path| change(&mut path.turns))
}

/// Returns what the path has asked of first ports.
pub(crate) fn asked_of_ports() -> Vec<PortsGuard> {
    PATH.with_borrow(|path| path.asked.clone())
}

/// Notes that a set of ports that is only counted has another number than it should.
pub(crate) fn miscount() {
    PATH.with_borrow_mut(|path| path.has_miscounted = true);
}

/// Returns whether that is so.
pub(crate) fn has_miscounted() -> bool {
    PATH.with_borrow(|path| path.has_miscounted)
}

/// Gives up the path: it is no reaction.
pub(crate) fn skip() -> ! {
    resume_unwind(Box::new(NoReaction))
}

/// Takes one of some ways; in the end each is taken on a path.
pub(crate) fn choose(ways: usize) -> usize {
    if with_turns(|turns| turns.after.is_some()) {
        refuse("it goes on after a loop");
    }
    let chosen = PATH.with_borrow_mut(|path| {
        let at = path.next;
        path.next += 1;
        match path.decisions.get(at) {
            Some(&(way, _)) => Some(way),
            None if at == MOST_DECISIONS => None,
            None => {
                path.decisions.push((0, ways));
                Some(0)
            }
        }
    });
    chosen.unwrap_or_else(|| {
        refuse(format!(
            "it takes more than {MOST_DECISIONS} decisions on a path, which may have no end"
        ))
    })
}

/// Gives up the path, and the table.
pub(crate) fn refuse(why: impl Into<String>) -> ! {
    resume_unwind(Box::new(NotTabulated(why.into())))
}

/// Returns a new identity, which has not been compared yet.
pub(crate) fn fresh() -> Symbol {
    PATH.with_borrow_mut(|path| {
        path.symbols += 1;
        path.symbols
    })
}

/// Returns the result on every path, with what is known on it.
///
/// # Errors
/// If the code does more than compare on one of them, or there are too many.
pub(crate) fn every_path<T>(
    run: impl Fn() -> T,
) -> Result<Vec<(T, Vec<SymbolGuard>)>, NotTabulated> {
    let mut all = Vec::new();
    PATH.take();
    LOOPS.take();
    loop {
        let result = match catch_unwind(AssertUnwindSafe(&run)) {
            Ok(result) => Some(result),
            Err(payload) if payload.is::<NoReaction>() => None,
            Err(payload) => {
                return Err(match payload.downcast::<NotTabulated>() {
                    Ok(refusal) => *refusal,
                    Err(_) => NotTabulated("it panics".into()),
                });
            }
        };
        let Path { mut decisions, next, known, .. } = PATH.take();
        let guards =
            known.into_iter().map(|((one, other), orders)| SymbolGuard { one, orders, other });
        if let Some(result) = result {
            all.push((result, guards.filter(|guard| guard.orders != SymbolOrders::ANY).collect()));
        }
        if all.len() > MOST_PATHS {
            return Err(NotTabulated(format!("it has more than {MOST_PATHS} paths")));
        }
        decisions.truncate(next);
        while decisions.pop_if(|(way, ways)| *way + 1 == *ways).is_some() {}
        match decisions.last_mut() {
            Some((way, _)) => *way += 1,
            None => return Ok(all),
        }
        PATH.set(Path { decisions, ..Path::default() });
    }
}

impl SymbolicId {
    /// The identity of the process that reacts.
    pub(crate) const fn own() -> Self {
        Self(OWN)
    }

    pub(crate) const fn symbol(self) -> Symbol {
        self.0
    }

    /// Returns whether it compares with another one in one of these ways.
    fn is(self, ways: SymbolOrders, other: Self) -> bool {
        if self.0 > other.0 {
            return other.is(ways.turned(), self);
        }
        let pair = (self.0, other.0);
        let all = if self.0 == other.0 { SymbolOrders::SAME } else { SymbolOrders::ANY };
        let known = PATH.with_borrow(|path| path.known.get(&pair).copied().unwrap_or(all));
        let (yes, no) = (known.and(ways), known.without(ways));
        let is = match (yes.0, no.0) {
            (0, _) => false,
            (_, 0) => true,
            _ => choose(2) == 0,
        };
        PATH.with_borrow_mut(|path| path.known.insert(pair, if is { yes } else { no }));
        is
    }

    /// An identity has a number, but what compares identities may make none of one.
    #[must_use]
    pub fn new(_: u64) -> Self {
        refuse("it makes an identity of a number")
    }

    /// An identity has a number, but what compares identities may not look at it.
    #[must_use]
    pub fn get(self) -> u64 {
        refuse("it takes the number of an identity")
    }
}

impl PartialEq for SymbolicId {
    fn eq(&self, other: &Self) -> bool {
        self.is(SymbolOrders::SAME, *other)
    }
}

impl Eq for SymbolicId {}

impl Ord for SymbolicId {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is(SymbolOrders::LESS, *other), self.is(SymbolOrders::SAME, *other)) {
            (true, _) => Ordering::Less,
            (false, true) => Ordering::Equal,
            (false, false) => Ordering::Greater,
        }
    }

    fn max(self, other: Self) -> Self {
        if self.is(SymbolOrders::MORE, other) { self } else { other }
    }

    fn min(self, other: Self) -> Self {
        if self.is(SymbolOrders::MORE, other) { other } else { self }
    }
}

impl PartialOrd for SymbolicId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    fn lt(&self, other: &Self) -> bool {
        self.is(SymbolOrders::LESS, *other)
    }

    fn le(&self, other: &Self) -> bool {
        self.is(SymbolOrders::LESS.or(SymbolOrders::SAME), *other)
    }

    fn gt(&self, other: &Self) -> bool {
        self.is(SymbolOrders::MORE, *other)
    }

    fn ge(&self, other: &Self) -> bool {
        self.is(SymbolOrders::MORE.or(SymbolOrders::SAME), *other)
    }
}

impl Hash for SymbolicId {
    fn hash<H: Hasher>(&self, _: &mut H) {
        refuse("it hashes an identity")
    }
}

impl fmt::Display for SymbolicId {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        refuse("it writes an identity")
    }
}

/// A number with which a process counts, and of which nothing is known: what is computed of it is such a number
/// again, and each comparison has all results, on a path each. So a table has every reaction that the process has,
/// and others.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(from = "UnknownCount", into = "UnknownCount")]
#[serde(bound(serialize = "T: Clone", deserialize = ""))]
pub struct SymbolicCount<T = u32>(PhantomData<T>);

/// How a count is written.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Count")]
struct UnknownCount(u32);

impl<T> From<UnknownCount> for SymbolicCount<T> {
    fn from(_: UnknownCount) -> Self {
        Self(PhantomData)
    }
}

impl<T> From<SymbolicCount<T>> for UnknownCount {
    fn from(_: SymbolicCount<T>) -> Self {
        Self(0)
    }
}

impl<T> SymbolicCount<T> {
    /// The count of this many.
    #[must_use]
    pub fn new(_: T) -> Self {
        Self(PhantomData)
    }

    /// A count has a number, and nothing is known of it.
    #[must_use]
    pub fn get(self) -> T {
        refuse("it takes the number of a count")
    }

    /// So many less, or that there are fewer.
    #[must_use]
    pub fn checked_sub(self, _: T) -> Option<Self> {
        (choose(2) == 1).then_some(self)
    }

    /// What a function makes of it.
    #[must_use]
    pub fn map<U>(self, _: impl FnOnce(T) -> U) -> SymbolicCount<U> {
        SymbolicCount(PhantomData)
    }
}

impl<T> PartialEq for SymbolicCount<T> {
    fn eq(&self, _: &Self) -> bool {
        choose(2) == 1
    }
}

impl<T> Eq for SymbolicCount<T> {}

impl<T> Ord for SymbolicCount<T> {
    fn cmp(&self, _: &Self) -> Ordering {
        [Ordering::Less, Ordering::Equal, Ordering::Greater][choose(3)]
    }
}

impl<T> PartialOrd for SymbolicCount<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Hash for SymbolicCount<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {
        refuse("it hashes a count")
    }
}

/// The first ports of the process that reacts: those in its state or none, and a number of ports that follow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename = "FirstPorts")]
pub struct SymbolicFirstPorts(u32);

/// What a path asks of first ports, as [`SymbolicFirstPorts::parts`] reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortsGuard {
    /// Whether the port that leads to this process is one of them.
    Contains(u32, Symbol, bool),
    /// The port that comes next leads to this process; or the process has no more.
    Next(u32, Option<Symbol>),
    /// Whether they lead to a majority.
    Majority(u32, bool),
    /// Something of a set of ports.
    OfSet(SetGuard),
}

impl PortsGuard {
    /// Returns the process that is named.
    #[must_use]
    pub const fn symbol(&self) -> Option<Symbol> {
        match *self {
            Self::Contains(_, to, _) => Some(to),
            Self::Next(_, to) => to,
            Self::Majority(..) => None,
            Self::OfSet(guard) => guard.symbol(),
        }
    }
}

impl SymbolicFirstPorts {
    /// No ports.
    pub const NONE: Self = Self(1);

    /// Those in the state, which has them in one place.
    pub(crate) fn of_state() -> u32 {
        let has = PATH.with_borrow_mut(|path| std::mem::replace(&mut path.has_first, true));
        if has { refuse("it has first ports in two places") } else { 0 }
    }

    /// Returns whether such a number counts from none, and not from those in the state; and how many are added.
    #[must_use]
    pub const fn parts(number: u32) -> (bool, u32) {
        (number & 1 == 1, number >> 1)
    }

    /// Returns the number for one port less.
    #[must_use]
    pub(crate) const fn before(number: u32) -> Option<u32> {
        number.checked_sub(2)
    }

    /// Their number is not known.
    #[must_use]
    pub fn get(self) -> u32 {
        refuse("it takes the number of first ports")
    }

    /// How many these are: a number about which nothing is known.
    #[must_use]
    pub fn count(self) -> SymbolicCount {
        SymbolicCount(PhantomData)
    }

    /// Whether a port is one of these.
    #[must_use]
    pub fn contains(self, port: Port) -> bool {
        let port = read_port(port).unwrap_or_else(|| refuse("it has no such port"));
        let to = leads_to(port).unwrap_or(OWN);
        let known = asked_of_ports().into_iter().find_map(|guard| match guard {
            PortsGuard::Contains(of, port, is) if (of, port) == (self.0, to) => Some(is),
            _ => None,
        });
        known.unwrap_or_else(|| {
            let is = choose(2) == 0;
            ask(PortsGuard::Contains(self.0, to, is));
            is
        })
    }

    /// The port that comes next: one that the path has met, another one, or none.
    #[must_use]
    pub fn next(self) -> Port {
        let known = asked_of_ports().into_iter().find_map(|guard| match guard {
            PortsGuard::Next(of, to) if of == self.0 => Some(to),
            _ => None,
        });
        let to = known.unwrap_or_else(|| {
            let ports = known_ports();
            let to = match choose(ports.len() + 2) {
                way if way < ports.len() => Some(ports[way]),
                way => (way == ports.len()).then(another_port),
            };
            ask(PortsGuard::Next(self.0, to));
            to
        });
        to.map_or(NOWHERE, write_port)
    }

    /// These with the next port.
    #[must_use]
    pub const fn and_next(self) -> Self {
        Self(self.0 + 2)
    }

    /// Whether the process has no other ports.
    #[must_use]
    pub fn are_all<M: Copy>(self, _: &impl Net<M>) -> bool {
        self.next() == NOWHERE
    }

    /// Whether these lead to a majority.
    #[must_use]
    pub fn are_majority<M: Copy>(self, _: &impl Net<M>) -> bool {
        let known = asked_of_ports().into_iter().find_map(|guard| match guard {
            PortsGuard::Majority(of, is) if of == self.0 => Some(is),
            _ => None,
        });
        known.unwrap_or_else(|| {
            let is = choose(2) == 0;
            ask(PortsGuard::Majority(self.0, is));
            is
        })
    }
}

pub(crate) fn ask(guard: PortsGuard) {
    PATH.with_borrow_mut(|path| path.asked.push(guard));
}

impl PartialEq for SymbolicFirstPorts {
    fn eq(&self, _: &Self) -> bool {
        refuse("it compares first ports")
    }
}

impl Eq for SymbolicFirstPorts {}

impl Hash for SymbolicFirstPorts {
    fn hash<H: Hasher>(&self, _: &mut H) {
        refuse("it hashes first ports")
    }
}

/// A position on the ring, as the symbol of the process that has it. An algorithm may compare positions, and ask for
/// the port that leads to one.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename = "Place")]
pub struct SymbolicPlace(Symbol);

impl SymbolicPlace {
    /// A position is one of the network.
    #[must_use]
    pub const fn is_in(self, _: SymbolicSize) -> bool {
        true
    }

    /// The port that leads from the own position to another one.
    #[must_use]
    pub fn port_to(self, there: Self, _: SymbolicSize) -> Port {
        towards(self.0, there.0)
    }
}

impl PartialEq for SymbolicPlace {
    fn eq(&self, other: &Self) -> bool {
        SymbolicId(self.0) == SymbolicId(other.0)
    }
}

impl Eq for SymbolicPlace {}

impl Hash for SymbolicPlace {
    fn hash<H: Hasher>(&self, _: &mut H) {
        refuse("it hashes a position")
    }
}

/// A port of at least this number encodes two symbols, and leads from the position of the first to the position of the
/// second.
const TOWARDS: u32 = 1 << 16;

/// The most symbols that ports tell.
const MOST_SYMBOLS: Symbol = 1 << 8;

/// Returns the port from the position of one symbol to the position of another.
pub(crate) fn towards(from: Symbol, to: Symbol) -> Port {
    if from.max(to) >= MOST_SYMBOLS {
        refuse(format!("it sends to one of more than {MOST_SYMBOLS} positions"));
    }
    Port(TOWARDS + (from * MOST_SYMBOLS + to) as u32)
}

/// Returns the symbols from whose position to whose a port leads, if that is known of it.
pub(crate) fn route(Port(port): Port) -> Option<(Symbol, Symbol)> {
    let route = Symbol::from(port.checked_sub(TOWARDS)?);
    Some((route / MOST_SYMBOLS, route % MOST_SYMBOLS))
}

/// Returns the symbol of the process to which a port leads, if that is known of it.
pub(crate) fn leads_to(port: Port) -> Option<Symbol> {
    route(port).map(|(_, to)| to)
}

/// The size of the network. Nothing is known about it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename = "Size")]
pub struct SymbolicSize(u32);

impl PartialEq for SymbolicSize {
    fn eq(&self, _: &Self) -> bool {
        refuse("it compares sizes")
    }
}

impl Eq for SymbolicSize {}

impl Hash for SymbolicSize {
    fn hash<H: Hasher>(&self, _: &mut H) {
        refuse("it hashes a size")
    }
}

/// What a process knows before it starts, about itself.
macro_rules! knowledge {
    ($($name:ident = $own:expr;)*) => {$(
        impl Knowledge for $name {
            fn of(_: &Facts) -> Self {
                $own
            }

            fn words(_: &mut dyn FnMut(&'static str)) {}
        }
    )*};
}

knowledge! {
    SymbolicId = Self::own();
    SymbolicPlace = Self(OWN);
    SymbolicSize = Self(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> (SymbolicId, SymbolicId) {
        (SymbolicId(fresh()), SymbolicId(fresh()))
    }

    #[test]
    fn a_comparison_decides_both_ways_and_is_remembered() {
        let paths = every_path(|| {
            let (a, b) = two();
            (a < b, b > a, a == b)
        });
        let results: Vec<_> = paths.expect("comparisons").into_iter().map(|(of, _)| of).collect();
        assert_eq!(results, [(true, true, false), (false, false, true), (false, false, false)]);
    }

    #[test]
    fn what_is_known_is_the_least_that_the_code_asks() {
        let paths = every_path(|| {
            let (a, b) = two();
            a.min(b).symbol() == a.symbol()
        });
        let signs = |(first, guards): (bool, Vec<SymbolGuard>)| (first, guards[0].orders.sign());
        let signs: Vec<_> = paths.expect("comparisons").into_iter().map(signs).collect();
        assert_eq!(signs, [(false, ">"), (true, "<=")]);
    }

    #[test]
    fn a_comparison_of_counts_has_every_result() {
        let paths = every_path(|| {
            let (one, other) = (SymbolicCount::new(1), SymbolicCount::new(2).map(|of| of - 1));
            (one == other, one.cmp(&other), one.checked_sub(1).is_some())
        });
        let results: Vec<_> = paths.expect("comparisons").into_iter().map(|(of, _)| of).collect();
        assert_eq!(results.len(), 12);
        assert!(results.contains(&(true, Ordering::Greater, false)));
    }

    #[test]
    fn more_than_a_comparison_is_refused() {
        let why = |run: &dyn Fn()| every_path(run).unwrap_err().0;
        assert_eq!(
            why(&|| assert!(SymbolicId::own().get() > 0)),
            "it takes the number of an identity"
        );
        assert!(why(&|| while choose(2) == 0 {}).contains("more than 64 decisions"));
    }
}
