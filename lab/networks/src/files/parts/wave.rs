//! Waves over the links of all parts: connectedness and distances.

use super::{
    super::raw::SHOWN,
    labels::Named,
    letters::{Post, all_numbers, numbers, told},
    network::PartLists,
};
use crate::{
    files::error::Components,
    wiring::{BreadthSearch, Eccentricities, ReachSets, SweepResult, diameter},
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// The nodes of one worker in a wave.
pub(super) struct PartSearch<'a, 'p> {
    lists: &'a PartLists,
    post: &'a mut Post<'p>,
    /// The distance of each node.
    distance: Vec<u32>,
    known: Eccentricities,
    /// The distances that were kept.
    kept: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;

impl<'a, 'p> PartSearch<'a, 'p> {
    pub(super) fn new(lists: &'a PartLists, post: &'a mut Post<'p>) -> Self {
        let rows = lists.graph.nodes() as usize;
        let (distance, known) = (vec![UNKNOWN; rows], Eccentricities::new(rows));
        Self { lists, post, distance, known, kept: Vec::new() }
    }

    fn rows(&self) -> impl Iterator<Item = u32> + use<> {
        0..self.lists.graph.nodes()
    }

    pub(super) fn diameter(&mut self, links: u64) -> u64 {
        let is_tree = links + 1 == u64::from(self.lists.nodes);
        diameter(self, is_tree).into()
    }

    pub(super) fn components(&mut self, names: &Named) -> Option<Components> {
        self.run(0);
        let reached = self.distance.iter().filter(|distance| **distance != UNKNOWN).count() as u64;
        let reached: u64 = told(self.post, &reached).into_iter().sum();
        (reached < self.lists.nodes.into()).then(|| self.described(names))
    }

    fn described(&mut self, names: &Named) -> Components {
        let root = self.roots();
        let mut own: BTreeMap<u32, u32> = BTreeMap::new();
        root.iter().for_each(|&root| *own.entry(root).or_default() += 1);
        for (root, size) in own {
            self.post.write(self.lists.owner(root), &[root, size], &[]);
        }
        let mut sizes: BTreeMap<u32, u32> = BTreeMap::new();
        let letters = self.post.exchange();
        let mut words = all_numbers(letters.iter().map(|(_, letter)| letter));
        while let (Some(root), Some(size)) = (words.next(), words.next()) {
            *sizes.entry(root).or_default() += size;
        }
        let largest = |mut all: Vec<(u32, u32)>| {
            all.sort_by_key(|&(root, size)| (Reverse(size), root));
            all.truncate(SHOWN.0);
            all
        };
        let count = sizes.len() as u64;
        let told_sizes = told(self.post, &(count, largest(sizes.into_iter().collect())));
        let count = told_sizes.iter().map(|(count, _)| count).sum();
        let shown = largest(told_sizes.into_iter().flat_map(|(_, largest)| largest).collect());
        let members = |of: u32| {
            let rows = (self.lists.begin..).zip(&root).filter(move |(_, root)| **root == of);
            rows.map(|(node, _)| node).take(SHOWN.1).collect()
        };
        let own: Vec<Vec<u32>> = shown.iter().map(|&(root, _)| members(root)).collect();
        let mut members = vec![Vec::new(); shown.len()];
        for own in told(self.post, &own) {
            members.iter_mut().zip(own).for_each(|(members, own)| members.extend(own));
        }
        members.iter_mut().for_each(|members| members.truncate(SHOWN.1));
        let own = members.iter().flatten();
        let own: Vec<(u32, String)> =
            own.filter_map(|&node| Some((node, names.get(node.into())?.to_owned()))).collect();
        let names: BTreeMap<u32, String> = told(self.post, &own).into_iter().flatten().collect();
        let name = |node: u32| names.get(&node).cloned().unwrap_or_default();
        let largest = shown
            .into_iter()
            .zip(members)
            .map(|((_, size), members)| (size, members.into_iter().map(name).collect()));
        Components { count, largest: largest.collect() }
    }

    fn roots(&mut self) -> Vec<u32> {
        let mut root: Vec<u32> = self.rows().map(|row| self.lists.begin + row).collect();
        let mut lowered: BTreeSet<u32> = self.rows().collect();
        loop {
            let mut next = BTreeSet::new();
            self.announce(lowered.len());
            for row in lowered {
                let lower = root[row as usize];
                for &to in self.lists.graph.neighbours(row) {
                    match self.lists.row(to) {
                        Some(row) if root[row as usize] <= lower => {}
                        Some(row) => {
                            root[row as usize] = lower;
                            next.insert(row);
                        }
                        None => self.post.write(self.lists.owner(to), &[to, lower], &[]),
                    }
                }
            }
            let (announced, words) = self.heard();
            if announced == 0 {
                return root;
            }
            for pair in words.chunks_exact(2) {
                let row = pair[0] - self.lists.begin;
                if pair[1] < root[row as usize] {
                    root[row as usize] = pair[1];
                    next.insert(row);
                }
            }
            lowered = next;
        }
    }

    /// Tells all workers how many nodes have something to tell in this step.
    fn announce(&mut self, count: usize) {
        for to in 0..self.post.all() {
            self.post.write(to, &[count as u32], &[]);
        }
    }

    /// Ends the step. Returns how many nodes had something to tell, and what was told to this worker.
    fn heard(&mut self) -> (u64, Vec<u32>) {
        let (mut announced, mut words, mut last) = (0, Vec::new(), None);
        for (from, letter) in self.post.exchange() {
            let mut letter = numbers(&letter);
            if last.replace(from) != Some(from) {
                announced += u64::from(letter.next().unwrap_or(0));
            }
            words.extend(letter);
        }
        (announced, words)
    }

    fn least_of(&mut self, own: Option<(u32, u32)>) -> u32 {
        let all = told(self.post, &own).into_iter().flatten();
        all.min().map_or(0, |(_, node)| node)
    }
}

impl BreadthSearch for PartSearch<'_, '_> {
    fn run(&mut self, from: u32) -> SweepResult {
        self.distance.fill(UNKNOWN);
        let mut front: Vec<u32> = self.lists.row(from).into_iter().collect();
        front.iter().for_each(|&row| self.distance[row as usize] = 0);
        let (mut found, mut ahead) = (SweepResult::default(), 0);
        loop {
            ahead += 1;
            let mut next = Vec::new();
            self.announce(front.len());
            for row in front {
                for &to in self.lists.graph.neighbours(row) {
                    match self.lists.row(to) {
                        Some(row) if self.distance[row as usize] == UNKNOWN => {
                            self.distance[row as usize] = ahead;
                            next.push(row);
                        }
                        Some(_) => {}
                        None => self.post.write(self.lists.owner(to), &[to], &[]),
                    }
                }
            }
            let (announced, words) = self.heard();
            if announced == 0 {
                break;
            }
            found = SweepResult { radius: ahead - 1, rim: announced as u32, farthest: from };
            for row in words.into_iter().map(|node| node - self.lists.begin) {
                if self.distance[row as usize] == UNKNOWN {
                    self.distance[row as usize] = ahead;
                    next.push(row);
                }
            }
            front = next;
        }
        let radius = found.radius;
        let here = self.distance.iter().position(|&distance| distance == radius);
        let farthest = self.least_of(here.map(|row| (0, self.lists.begin + row as u32)));
        SweepResult { farthest, ..found }
    }

    fn eccentricity(&mut self, sources: &[u32]) -> u32 {
        let mut reach = ReachSets::new(self.distance.len());
        for (bit, &source) in sources.iter().enumerate() {
            if let Some(row) = self.lists.row(source) {
                reach.begin(row, bit);
            }
        }
        let mut ahead = 0;
        loop {
            self.announce(self.rows().filter(|&row| reach.at(row) != 0).count());
            for row in self.rows() {
                let bits = reach.at(row);
                if bits == 0 {
                    continue;
                }
                for &to in self.lists.graph.neighbours(row) {
                    match self.lists.row(to) {
                        Some(row) => reach.pass(row, bits),
                        None => {
                            let words = [to, bits as u32, (bits >> 32) as u32];
                            self.post.write(self.lists.owner(to), &words, &[]);
                        }
                    }
                }
            }
            let (announced, words) = self.heard();
            if announced == 0 {
                return ahead - 1;
            }
            for word in words.chunks_exact(3) {
                let bits = u64::from(word[1]) | u64::from(word[2]) << 32;
                reach.pass(word[0] - self.lists.begin, bits);
            }
            reach.advance();
            ahead += 1;
        }
    }

    fn learn(&mut self, radius: u32) {
        self.known.learn(&self.distance, radius);
    }

    fn nearest(&mut self) -> u32 {
        let own = self.known.least();
        self.least_of(own.map(|(least, row)| (least, self.lists.begin + row)))
    }

    fn busiest(&mut self) -> u32 {
        let degree = |row| self.lists.graph.neighbours(row).len() as u32;
        let own = self.rows().map(|row| (u32::MAX - degree(row), self.lists.begin + row)).min();
        self.least_of(own)
    }

    fn keep(&mut self) {
        self.kept.clone_from(&self.distance);
    }

    fn at(&mut self, distance: u32, known: u32) -> Vec<u32> {
        let own = (0..).zip(&self.kept).filter(|(_, kept)| **kept == distance);
        let own = own.map(|(row, _)| row).filter(|&row| self.known.most(row) > known);
        let own: Vec<u32> = own.map(|row| self.lists.begin + row).collect();
        told(self.post, &own).into_iter().flatten().collect()
    }
}
