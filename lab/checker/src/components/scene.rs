//! An instance, prepared for the tables of components.

use crate::{components::tables::ComponentTables, instance::Wake, model::TransitionSystem};

/// An instance, prepared for the tables of components.
pub(crate) struct Scene {
    pub nodes: usize,
    ports: usize,
    /// The process, and its port, to which each port of each process leads.
    ways: Vec<(u8, u8)>,
    pub initiators: u128,
    /// The nodes in the order of their identities.
    pub by_id: Vec<usize>,
    /// Of each of these, on a ring, how many steps forward it is from node 0.
    pub positions: Vec<usize>,
    /// The number of processes that wake at the start.
    pub waking: usize,
    /// On a ring, the processes whose first port leads backward; the first port of node 0 leads forward.
    pub turned: u128,
    /// For each two of the places in `by_id`, on a ring: in three bits whether the first comes after the second, going
    /// forward from node 0, and whether each is the next one after the other.
    relations: Vec<u8>,
}

impl Scene {
    pub(crate) fn new(model: &TransitionSystem<'_>, tables: &ComponentTables) -> Self {
        let (nodes, ports) = (model.nodes(), tables.ports);
        let mut ways = vec![(0, 0); nodes * ports];
        for node in 0..nodes {
            for port in 0..model.links.degree(node) {
                let to = model.links.to(model.links.leaving(node, port));
                ways[node * ports + port] = (to.node as u8, to.port.0 as u8);
            }
        }
        let initiators = model.instance.initiators.iter().fold(0, |set, node| set | 1_u128 << node);
        let at_start = model.instance.wake == Wake::AtStart;
        let waking = if at_start { initiators.count_ones() as usize } else { 0 };
        let mut by_id: Vec<usize> = (0..nodes).collect();
        by_id.sort_by_key(|&node| model.instance.ids[node]);
        let (turned, relations, positions) = (0, Vec::new(), by_id.clone());
        let mut scene =
            Self { nodes, ports, ways, initiators, by_id, positions, waking, turned, relations };
        if (0..nodes).all(|node| model.links.degree(node) == 2) {
            scene.go_round();
        }
        scene
    }

    /// Finds the order of the processes on a ring.
    fn go_round(&mut self) {
        let (mut node, mut port) = (0, 0);
        let mut positions = vec![0; self.nodes];
        for position in 0..self.nodes {
            positions[node] = position;
            self.turned |= u128::from(port) << node;
            let (to, through) = self.to(node, port);
            (node, port) = (to.into(), 1 - u16::from(through));
        }
        self.positions = self.by_id.iter().map(|&node| positions[node]).collect();
        let is_next = |of: usize, to: usize| u8::from((of + 1) % self.nodes == to);
        let relation = |(one, other)| {
            u8::from(one > other) | is_next(one, other) << 1 | is_next(other, one) << 2
        };
        let places = &self.positions;
        let all = places.iter().flat_map(|&one| places.iter().map(move |&other| (one, other)));
        self.relations = all.map(relation).collect();
    }

    /// Returns the order in which two or three of the places in `by_id` follow each other on a ring, and which are
    /// neighbours, as a number below 16.
    #[inline]
    pub(crate) fn order(&self, places: &[usize]) -> u64 {
        let relation =
            |one: usize, other: usize| u64::from(self.relations[one * self.nodes + other]);
        match *places {
            [one, two, three] if one != two && two != three && one != three => {
                // With the order of the three, it suffices to know which two are neighbours.
                let all = [relation(one, two), relation(two, three), relation(one, three)];
                let turns = all.iter().fold(0, |all, relation| all ^ relation & 1);
                all.iter().fold(turns, |known, &relation| known << 1 | u64::from(relation > 1))
            }
            [one, two, ..] if one != two => relation(one, two) >> 1,
            [one, .., last] => relation(one, last) >> 1,
            _ => 0,
        }
    }

    pub(crate) fn to(&self, node: usize, port: u16) -> (u8, u8) {
        self.ways[node * self.ports + usize::from(port)]
    }
}
