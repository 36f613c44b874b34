//! The tables of components: what each may do, and which one it is when a message comes to it.

use crate::{
    components::component::{Component, FormulaSet, NO_SUBJECT, SetReading},
    cost::{SUMS, sums},
    model::{
        automaton::Automaton,
        processes::{Interner, LocalInput, LocalViolation},
    },
    specification::Properties,
};
use suffrage_algorithms::SharedProcesses;
use suffrage_model::{Stage, Status};

/// What is judged of a component.
#[derive(Clone, Copy)]
pub(crate) struct ComponentFlags {
    pub leads: bool,
    pub woke: bool,
    /// The number of messages under way to the process.
    pub under_way: u8,
}

/// What a component may do.
#[derive(Clone, Copy)]
pub(crate) struct ComponentEvent {
    pub effect: u32,
    /// The component afterwards.
    pub to: u16,
    /// The place of the message that is received among those under way to the process, or [`WAKES`].
    pub received: u8,
    /// Whether the process had halted.
    pub late: bool,
    /// Whether it violates a property, if that is required.
    pub faulty: bool,
    /// The first message sent, and their number.
    pub first: u32,
    pub count: u8,
}

/// The place of no message: the process wakes.
pub(crate) const WAKES: u8 = u8::MAX;

/// The numbers of messages that are kept: as many as
/// [`RunExtremes`](crate::cost::extremes::RunExtremes) has.
pub(crate) type Counts = [u8; 16];

/// The place among them of the depth of the deepest message that has reached a process that had halted.
pub(crate) const LATEST: usize = 15;

/// The greatest number of messages in one step, or under way to one process.
const MOST: usize = 8;
const MOST_UNDER_WAY: usize = 15;

/// The greatest length of the table of arrivals.
const ROOM: usize = 1 << 23;

const UNKNOWN: u32 = u32::MAX;

/// The tables of an algorithm's components. They are kept from one instance to the next.
#[derive(Default)]
pub(crate) struct ComponentTables {
    pub known: Interner<Component>,
    pub flags: Vec<ComponentFlags>,
    /// The first event of each component and their number, once they are known.
    events_of: Vec<(u32, u32)>,
    pub events: Vec<ComponentEvent>,
    /// The messages that each event sends, counted.
    pub sent: Vec<Counts>,
    /// The messages sent, with their ports.
    pub sends: Vec<(u16, u16)>,
    /// For each component, port and message the component when the message has come through the port, in
    /// the lower half, and the place of the message among those under way to the process.
    arrivals: Vec<u32>,
    /// The numbers of ports and of messages for which there is room.
    pub ports: usize,
    room: usize,
    /// The sets of invariants that are formulas, and all of these; [`prepare`](Self::prepare) finds them.
    pub formulas: Vec<FormulaSet>,
    pub all_formulas: u64,
    /// What each of these sets has read.
    pub readings: Vec<Readings>,
    /// What each of these sets reads of each component, by number.
    read: Vec<u16>,
    /// Of each component which of these readings are those of a subject, as bits.
    subjects: Vec<u64>,
}

/// What a set of formulas has read of local states, messages and components.
#[derive(Default)]
pub(crate) struct Readings {
    pub locals: KnownReadings,
    pub messages: KnownReadings,
    /// The readings of components: the number for the local state, and those for the messages that are read.
    pub components: Interner<(u32, Vec<Vec<u32>>)>,
    /// Which processes each of them can name in a breach, if it is read as one subject.
    shared: Vec<SharedProcesses>,
}

/// What has been read of some things, by their numbers.
#[derive(Default)]
pub(crate) struct KnownReadings {
    /// The number of each reading, less one; 0 while it is not known.
    of: Vec<u32>,
    pub all: Interner<Option<SetReading>>,
}

impl KnownReadings {
    fn number(&mut self, of: u32, read: impl FnOnce() -> Option<SetReading>) -> u32 {
        let of = of as usize;
        if of >= self.of.len() {
            self.of.resize(of + 1, 0);
        }
        if self.of[of] == 0 {
            self.of[of] = self.all.number(read()) + 1;
        }
        self.of[of] - 1
    }

    /// Returns whether something is read, by number.
    fn is_some(&self, number: u32) -> bool {
        self.all.get(number).is_some()
    }
}

impl Readings {
    /// Returns what is read of a component, by number.
    fn number(
        &mut self,
        (set, subject): (FormulaSet, Option<usize>),
        component: &Component,
        automaton: &Automaton,
        specification: &dyn Properties,
    ) -> u16 {
        let Self { locals, messages, components, shared } = self;
        let local = locals.number(component.local, || {
            specification.read_local(set.formulas, subject, component.local, automaton)
        });
        let queue = |queue: &Vec<u32>| {
            let numbers = queue.iter().map(|&message| {
                messages.number(message, || {
                    specification.read_message(set.formulas, subject, message, automaton)
                })
            });
            let mut numbers: Vec<u32> = numbers.collect();
            numbers.retain(|&number| messages.is_some(number));
            numbers
        };
        let queues: Vec<Vec<u32>> = component.queues.iter().map(queue).collect();
        if !locals.is_some(local) && queues.iter().all(Vec::is_empty) {
            return NO_SUBJECT;
        }
        let number = components.number((local, queues));
        if let Some(subject) = subject.filter(|_| number as usize == shared.len()) {
            let (local, queues) = components.get(number);
            let of_messages = queues.iter().flatten().map(|&message| messages.all.get(message));
            let all = of_messages.chain([locals.all.get(*local)]).flatten();
            let each = all.map(|of| specification.shared_processes(set.formulas, subject, of));
            // A component that cannot be the subject has been left out.
            let both = |one: SharedProcesses, other: SharedProcesses| {
                std::array::from_fn(|at| one[at] | other[at])
            };
            shared.push(each.reduce(both).expect("something is read of a subject"));
        }
        number as u16
    }

    /// Returns which processes a subject can name in a breach if this is read of it.
    #[inline]
    pub(crate) fn shared(&self, reading: u16) -> SharedProcesses {
        self.shared[usize::from(reading)]
    }
}

impl ComponentTables {
    /// Empties the tables if they are half full, take half of the memory, or have no room for this many
    /// ports, and returns whether it did. The specification is the same for all instances.
    pub(crate) fn prepare(
        &mut self,
        ports: usize,
        specification: &dyn Properties,
        memory: u64,
    ) -> bool {
        let half = self.arrivals.len() > ROOM / 2
            || self.known.len() > usize::from(u16::MAX) / 2
            || self.memory() > memory / 2;
        let empties = half || ports > self.ports || self.room == 0;
        if empties {
            let formulas = specification.formulas();
            *self = Self { ports, room: 16, ..Self::default() };
            self.all_formulas = formulas.iter().fold(0, |all, set| all | set.formulas);
            let readings = formulas.iter().map(|set| set.subjects.readings()).sum();
            self.readings.resize_with(readings, Readings::default);
            self.formulas = formulas;
        }
        empties
    }

    /// Returns the approximate memory that is allocated, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let component = size_of::<Component>() + self.ports * size_of::<Vec<u32>>() * 2;
        let events = size_of::<ComponentEvent>() + size_of::<Counts>();
        let all = self.arrivals.capacity() * size_of::<u32>()
            + self.read.capacity() * size_of::<u16>()
            + self.subjects.capacity() * size_of::<u64>()
            + self.flags.capacity() * component
            + self.events.capacity() * events;
        all as u64
    }

    /// Returns the number of a component; `None` if there are too many.
    pub(crate) fn number(&mut self, component: Component, automaton: &Automaton) -> Option<u16> {
        let under_way: usize = component.queues.iter().map(Vec::len).sum();
        let view = *automaton.view(component.local);
        let number = self.known.number(component);
        if number as usize == self.flags.len() {
            let (leads, woke) = (view.status == Status::Leader, view.woke);
            let under_way = under_way as u8;
            self.flags.push(ComponentFlags { leads, woke, under_way });
            self.events_of.push((UNKNOWN, 0));
            self.arrivals.resize(self.arrivals.len() + self.ports * self.room, UNKNOWN);
        }
        let fits = under_way <= MOST_UNDER_WAY && !view.alarm && self.arrivals.len() <= ROOM;
        // There are no more readings than components, and each needs a number as well.
        u16::try_from(number).ok().filter(|&number| fits && number < NO_SUBJECT)
    }

    /// Finds what formulas read of the components that are new.
    #[inline]
    pub(crate) fn read_all(&mut self, automaton: &Automaton, specification: &dyn Properties) {
        let width = self.readings.len();
        while self.subjects.len() < self.flags.len() {
            let component = self.known.get(self.subjects.len() as u32);
            let mut readings = self.readings.iter_mut();
            for &set in &self.formulas {
                for (subject, readings) in (0..set.subjects.readings()).zip(&mut readings) {
                    let subject = (subject + 1 < set.subjects.readings()).then_some(subject);
                    let number =
                        readings.number((set, subject), component, automaton, specification);
                    self.read.push(number);
                }
            }
            let read = self.read[width * self.subjects.len()..].iter().enumerate();
            let subjects = read.filter(|&(_, &number)| number != NO_SUBJECT);
            self.subjects.push(subjects.fold(0, |all, (column, _)| all | 1 << column));
        }
    }

    /// Returns what each set of formulas reads of a component, as each of its subjects, by number.
    pub(crate) fn read(&self, component: u16) -> &[u16] {
        &self.read[usize::from(component) * self.readings.len()..][..self.readings.len()]
    }

    /// Returns the columns of those as which a component is read, as bits.
    pub(crate) fn subjects(&self, component: u16) -> u64 {
        self.subjects[usize::from(component)]
    }

    pub(crate) fn flags(&self, component: u16) -> ComponentFlags {
        self.flags[usize::from(component)]
    }

    pub(crate) fn event(&self, number: u32) -> ComponentEvent {
        self.events[number as usize]
    }

    pub(crate) fn sends(&self, event: ComponentEvent) -> &[(u16, u16)] {
        &self.sends[event.first as usize..][..usize::from(event.count)]
    }

    /// Returns the numbers of the events of a component; `None` if one is a draw, or there are too many
    /// components.
    #[inline]
    pub(crate) fn events(
        &mut self,
        component: u16,
        automaton: &mut Automaton,
    ) -> Option<(u32, u32)> {
        match self.events_of[usize::from(component)] {
            (UNKNOWN, _) => self.find_events(component, automaton),
            known => Some(known),
        }
    }

    #[cold]
    fn find_events(&mut self, number: u16, automaton: &mut Automaton) -> Option<(u32, u32)> {
        let from = self.known.get(number.into()).clone();
        let first = self.events.len() as u32;
        if automaton.view(from.local).stage == Stage::Asleep {
            self.find_event(from.clone(), LocalInput::Wake, WAKES, automaton)?;
        }
        let mut place = 0;
        for (port, queue) in from.queues.iter().enumerate() {
            if let Some(&message) = queue.first() {
                let mut from = from.clone();
                from.queues[port].remove(0);
                let input = LocalInput::Deliver(port as u16, message);
                self.find_event(from, input, place, automaton)?;
            }
            place += queue.len() as u8;
        }
        let found = (first, self.events.len() as u32 - first);
        self.events_of[usize::from(number)] = found;
        Some(found)
    }

    /// Finds what a component does that has taken the message of an input.
    fn find_event(
        &mut self,
        component: Component,
        input: LocalInput,
        received: u8,
        automaton: &mut Automaton,
    ) -> Option<()> {
        let reaction = automaton.react(component.local, input);
        let (_, effects) = automaton.reaction(reaction);
        if effects.len() != 1 {
            return None;
        }
        let effect = automaton.effect(effects.start);
        let (fault, sends) = (effect.fault, automaton.sends(effect));
        if sends.len() > MOST {
            return None;
        }
        let first = self.sends.len() as u32;
        let mut sent = Counts::default();
        for &(port, message) in sends {
            self.sends.push((port, u16::try_from(message).ok()?));
            let kind = automaton.kind(message);
            for &number in sums(automaton.kinds()[kind].phase) {
                sent[number] += 1;
            }
            *sent[..LATEST].get_mut(SUMS + kind)? += 1;
        }
        let (count, local) = (sends.len() as u8, effect.to);
        let most = sends.iter().map(|&(_, message)| message as usize + 1).max();
        if let Some(most) = most.filter(|&most| most > self.room) {
            self.widen(most.next_power_of_two());
        }
        let to = self.number(Component { local, ..component }, automaton)?;
        let late = fault == Some(LocalViolation::Late);
        let effect = effects.start;
        let faulty = fault.is_some();
        self.events.push(ComponentEvent { effect, to, received, late, faulty, first, count });
        self.sent.push(sent);
        Some(())
    }

    /// Makes room for this many messages.
    fn widen(&mut self, room: usize) {
        let mut wide = vec![UNKNOWN; self.known.len() * self.ports * room];
        let rows = self.arrivals.chunks_exact(self.room);
        rows.zip(wide.chunks_exact_mut(room)).for_each(|(row, wide)| {
            wide[..row.len()].copy_from_slice(row);
        });
        (self.arrivals, self.room) = (wide, room);
    }

    /// Returns where the table of arrivals has what becomes of a component by a message through a port.
    #[inline]
    fn arrival(&self, component: u16, port: u8, message: u16) -> usize {
        let row = usize::from(component) * self.ports + usize::from(port);
        row * self.room + usize::from(message)
    }

    /// Returns a component when a message has come through a port, and the place of the message; `None` if
    /// there are too many components.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        component: u16,
        port: u8,
        message: u16,
        automaton: &Automaton,
    ) -> Option<(u16, u32)> {
        match self.arrivals[self.arrival(component, port, message)] {
            UNKNOWN => self.find_arrival(component, port, message, automaton),
            known => Some((known as u16, known >> 16)),
        }
    }

    #[cold]
    fn find_arrival(
        &mut self,
        component: u16,
        port: u8,
        message: u16,
        automaton: &Automaton,
    ) -> Option<(u16, u32)> {
        let mut to = self.known.get(component.into()).clone();
        let place: usize = to.queues[..=usize::from(port)].iter().map(Vec::len).sum();
        to.queues[usize::from(port)].push(message.into());
        let to = self.number(to, automaton)?;
        let place = place as u32;
        let at = self.arrival(component, port, message);
        self.arrivals[at] = place << 16 | u32::from(to);
        Some((to, place))
    }
}
