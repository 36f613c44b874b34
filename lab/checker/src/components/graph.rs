//! The graph of the configurations of an instance, as numbers of components.

use crate::{
    components::{
        check_memory::CheckMemory,
        component::Component,
        formula_memory::FormulaMemory,
        scene::Scene,
        tables::{ComponentTables, WAKES},
        word::{Word, change, get, hash},
    },
    model::{
        StateView, TransitionSystem,
        automaton::Automaton,
        configuration::{GlobalState, LinkMessage},
    },
    search::Search,
};
use hashbrown::{HashTable, hash_table::Entry};
use suffrage_algorithms::Property;

/// A step between configurations.
#[derive(Clone, Copy)]
pub(crate) struct ComponentStep {
    pub to: u32,
    /// The event, and the node of the process in the upper byte.
    step: u32,
    /// The places at which the messages sent are put, four bits each, the last one lowest.
    places: u32,
}

impl ComponentStep {
    /// The greatest number of events.
    const EVENTS: u32 = 1 << 24;

    pub(crate) const fn node(self) -> usize {
        (self.step >> 24) as usize
    }

    pub(crate) const fn event(self) -> u32 {
        self.step & (Self::EVENTS - 1)
    }

    /// Returns the process to which each message goes that is sent, and its place among those under way there.
    #[inline]
    pub(crate) fn arrivals(
        self,
        scene: &Scene,
        tables: &ComponentTables,
    ) -> impl Iterator<Item = (usize, u32)> {
        let sends = tables.sends(tables.event(self.event()));
        sends.iter().enumerate().map(move |(number, &(port, _))| {
            let place = self.places >> (4 * (sends.len() - 1 - number)) & 15;
            (scene.to(self.node(), port).0.into(), place)
        })
    }
}

/// The configurations of an instance, numbered in the order of their discovery.
#[derive(Default)]
pub(crate) struct ComponentGraph<const L: usize> {
    words: Vec<Word<L>>,
    index: HashTable<u32>,
    /// The end of the steps of each configuration.
    last: Vec<u32>,
    edges: Vec<ComponentStep>,
    /// Whether an election may end in each.
    ends: Vec<bool>,
    /// Where formulas held, and invariants that are functions.
    formulas: FormulaMemory<L>,
    checks: CheckMemory<L>,
}

/// How an exploration ended that has not met a violation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GraphEnd {
    Everything,
    /// The memory is used up.
    Full,
    Stopped,
}

impl<const L: usize> ComponentGraph<L> {
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    pub(crate) fn transitions(&self) -> usize {
        self.edges.len()
    }

    pub(crate) fn is_end(&self, number: u32) -> bool {
        self.ends[number as usize]
    }

    pub(crate) fn steps(&self, number: u32) -> &[ComponentStep] {
        let first = number.checked_sub(1).map_or(0, |before| self.last[before as usize]);
        &self.edges[first as usize..self.last[number as usize] as usize]
    }

    /// Returns the reactions of the processes, as effects, in the order of their discovery: those of each component
    /// once.
    pub(crate) fn reactions(&self, tables: &ComponentTables, nodes: usize) -> Vec<(u16, u32)> {
        let mut known = vec![false; nodes * tables.events.len()];
        let mut found = Vec::new();
        for step in &self.edges {
            let event = step.event() as usize;
            let known = &mut known[step.node() * tables.events.len() + event];
            if !std::mem::replace(known, true) {
                found.push((step.node() as u16, tables.events[event].effect));
            }
        }
        found
    }

    pub(crate) fn word(&self, number: u32) -> &Word<L> {
        &self.words[number as usize]
    }

    /// Returns the set of the processes that have woken by themselves.
    pub(crate) fn woken(&self, number: u32, nodes: usize, tables: &ComponentTables) -> u128 {
        let woke = |&node: &usize| tables.flags(get(self.word(number), node)).woke;
        (0..nodes).filter(woke).fold(0, |set, node| set | 1 << node)
    }

    /// Returns the memory that is allocated, in bytes; the sweep takes a few numbers for each
    /// configuration.
    pub(crate) fn memory(&self) -> u64 {
        let each = size_of::<Word<L>>() + 6 * size_of::<u32>();
        let edges = self.edges.capacity() * size_of::<ComponentStep>();
        let words = self.words.capacity() * each + self.index.allocation_size();
        (words + edges) as u64 + self.formulas.memory() + self.checks.memory()
    }

    #[inline]
    fn insert(&mut self, word: Word<L>) -> (u32, bool) {
        let Self { words, index, .. } = self;
        let same = |&number: &u32| words[number as usize] == word;
        match index.entry(hash(&word), same, |&number| hash(&words[number as usize])) {
            Entry::Occupied(known) => (*known.get(), false),
            Entry::Vacant(place) => {
                let number = words.len() as u32;
                place.insert(number);
                words.push(word);
                (number, true)
            }
        }
    }

    /// Explores an instance breadth first; `None` if a property is violated, or an event does not fit
    /// into tables.
    pub(crate) fn explore(
        &mut self,
        scene: &Scene,
        tables: &mut ComponentTables,
        automaton: &mut Automaton,
        search: &mut Search<'_>,
    ) -> Option<GraphEnd> {
        self.words.clear();
        self.index.clear();
        self.last.clear();
        self.edges.clear();
        self.ends.clear();
        if self.memory() > search.memory / 2 {
            self.forget();
        }
        self.formulas.begin(&search.model.instance.ids, scene, tables);
        self.checks.begin();
        let mut here = search.model.first(automaton);
        let mut first = [0; L];
        for (node, &local) in here.locals.iter().enumerate() {
            let queues = vec![Vec::new(); search.model.links.degree(node)];
            let number = tables.number(Component { local, queues }, automaton)?;
            change(&mut first, node, 0, number);
        }
        self.insert(first);
        self.judge(None, &first, scene, tables, (automaton, &mut here), search)?;
        let mut next = 0;
        while next < self.words.len() {
            if search.is_full(next, || self.memory() + tables.memory()) {
                return Some(GraphEnd::Full);
            }
            if search.is_stopped(next) {
                return Some(GraphEnd::Stopped);
            }
            self.expand(next, scene, tables, (automaton, &mut here), search)?;
            if self.ends[next] {
                self.decode(&self.words[next], tables, search.model, &mut here);
                let view = StateView { state: &here, automaton, model: search.model };
                if search.specification.at(view, true).is_some() {
                    return None;
                }
            }
            next += 1;
        }
        Some(GraphEnd::Everything)
    }

    /// Gives the memory back if it is more than this.
    pub(crate) fn release(&mut self, memory: u64) {
        if self.memory() > memory {
            *self = Self::default();
        }
    }

    /// Forgets where invariants held.
    pub(crate) fn forget(&mut self) {
        self.formulas.forget();
        self.checks.forget();
    }

    /// Adds the steps of a configuration, in the order of the general exploration.
    #[inline]
    fn expand(
        &mut self,
        number: usize,
        scene: &Scene,
        tables: &mut ComponentTables,
        (automaton, here): (&mut Automaton, &mut GlobalState),
        search: &Search<'_>,
    ) -> Option<()> {
        let word = self.words[number];
        let begins = number < scene.waking;
        let (mut delivered, mut woken) = (false, 0);
        'nodes: for node in 0..scene.nodes {
            let component = get(&word, node);
            let (first, count) = tables.events(component, automaton)?;
            for number in first..first + count {
                let event = tables.event(number);
                if event.received != WAKES {
                    if begins {
                        continue 'nodes;
                    }
                    delivered = true;
                } else if scene.initiators >> node & 1 == 1 {
                    woken += 1;
                } else {
                    continue;
                }
                let (mut then, mut places) = (word, 0);
                change(&mut then, node, component, event.to);
                for place in event.first..event.first + u32::from(event.count) {
                    let (port, message) = tables.sends[place as usize];
                    let (to, through) = scene.to(node, port);
                    let there = get(&then, to.into());
                    let (after, place) = tables.arrive(there, through, message, automaton)?;
                    change(&mut then, to.into(), there, after);
                    places = places << 4 | place;
                }
                if event.faulty {
                    let fault = automaton.effect(event.effect).fault?;
                    if search.specification.violated_by(fault, node as u16).is_some() {
                        return None;
                    }
                }
                let (to, new) = self.insert(then);
                if new {
                    self.judge(Some(&word), &then, scene, tables, (automaton, here), search)?;
                }
                self.edges.push(ComponentStep { to, step: (node as u32) << 24 | number, places });
                if begins {
                    break 'nodes;
                }
            }
        }
        self.last.push(self.edges.len() as u32);
        let never = !search.model.counts_all() && woken < scene.initiators.count_ones();
        self.ends.push(!delivered && (woken == 0 || never));
        (tables.events.len() < ComponentStep::EVENTS as usize).then_some(())
    }

    /// Judges a new configuration, to which a step leads from one before it; `None` if a property is violated.
    #[inline]
    fn judge(
        &mut self,
        before: Option<&Word<L>>,
        now: &Word<L>,
        scene: &Scene,
        tables: &mut ComponentTables,
        (automaton, here): (&Automaton, &mut GlobalState),
        search: &Search<'_>,
    ) -> Option<()> {
        let (specification, model) = (search.specification, search.model);
        let leaders = (0..scene.nodes).filter(|&node| tables.flags(get(now, node)).leads).count();
        if leaders > 1 && specification.requires(Property::AtMostOneLeader) {
            return None;
        }
        tables.read_all(automaton, specification);
        let mut known =
            tables.all_formulas & !self.formulas.open_formulas(before, now, scene, tables);
        if specification.watches(tables.all_formulas) {
            known |= self.checks.known(now, scene.nodes, tables);
        }
        if specification.watches(known) {
            self.decode(now, tables, model, here);
            let here = StateView { state: here, automaton, model };
            let held = specification.check_anywhere(here, known).ok()?;
            self.checks.add(held, now, scene.nodes, tables);
        }
        Some(())
    }

    /// Decodes a configuration.
    pub(crate) fn decode(
        &self,
        word: &Word<L>,
        tables: &ComponentTables,
        model: &TransitionSystem<'_>,
        here: &mut GlobalState,
    ) {
        let mut tag = 0;
        for node in 0..model.nodes() {
            let component = tables.known.get(get(word, node).into());
            here.locals[node] = component.local;
            for (port, queue) in component.queues.iter().enumerate() {
                let into = &mut here.queues[model.links.entering(node, port)];
                into.clear();
                into.extend(queue.iter().map(|&msg| {
                    tag += 1;
                    LinkMessage { msg, tag: tag - 1 }
                }));
            }
        }
    }
}
