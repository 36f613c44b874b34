//! The numbers of labels, in the order in which the file first mentions them.
//!
//! A label belongs to the worker that its hash names. Ranges come in the order of the file: so the first
//! of the ranges that mention a label has its first mention, and within a range the order is known.
//!
//! # Why in this order
//! Every worker takes these steps at the same time, and each rests on the one before:
//!
//! 1. *Labels to owners.* Only the owner of a label sees all ranges that mention it.
//! 2. *First mentions.* Each owner tells a range which of its labels it is the first to mention.
//! 3. *Sums.* The ranges before have as many nodes as they mention first; so every range knows its first
//!    number, and numbers its labels in its own order.
//! 4. *Numbers to owners and back.* Ranges that mention a label later learn its number from the owner, in
//!    the order in which they asked in step 1: answers carry no labels.
//!
//! `tests/networks/labels.rs` has a scenario for each.

use super::{
    super::edges::Trust,
    super::raw::{NodeIds, plain, refuse_twins},
    ByteRange, PartError,
    letters::{Letters, Post, all_numbers, by_sender, texts, told},
    too_large,
};
use crate::{memory, names::NodeNames};
use std::collections::{BTreeMap, HashSet};

/// What a worker knows when all labels have numbers.
pub(super) struct Labels {
    /// The number of all nodes.
    pub(super) nodes: u32,
    /// The links of the range, by the numbers of nodes.
    pub(super) links: Vec<(u32, u32)>,
    /// The names of the nodes that the range mentions first.
    pub(super) names: Named,
    /// The label of the first node.
    pub(super) first: String,
    /// The numbers of the labels that were asked for, as far as they are there.
    pub(super) asked: BTreeMap<String, u64>,
}

/// The names of some nodes that have neighbouring numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    pub(super) begin: u64,
    pub(super) names: NodeNames,
}

impl Named {
    pub(super) fn get(&self, node: u64) -> Option<&str> {
        let place = u32::try_from(node.checked_sub(self.begin)?).ok()?;
        (place < self.names.len()).then(|| self.names.get(place))
    }
}

/// What belongs to one worker: labels, and which of them the others have asked for.
struct LabelOwner {
    ids: NodeIds,
    /// What each worker has asked for, in its order.
    asked: Vec<Vec<u32>>,
}

/// Returns the worker to which a label belongs: the same one for all that are written alike.
fn owner(label: &str, workers: u32) -> u32 {
    let label = plain(label);
    // The hash FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), of 64 bits: the same at all workers.
    let hash = label.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash % u64::from(workers)) as u32
}

impl ByteRange {
    /// Numbers all labels.
    pub(super) fn numbered(
        self,
        asked: &str,
        trust: Trust,
        post: &mut Post<'_>,
    ) -> Result<Labels, PartError> {
        let Self { ids, mut links, .. } = self;
        let (labels, workers) = (ids.into_names(), post.all());
        for label in labels.iter() {
            post.write(owner(label, workers), &[label.len() as u32], label.as_bytes());
        }
        let (own, full) = LabelOwner::of(post);
        if told(post, &full).contains(&true) {
            return Err(too_large(
                "there are too many labels for a worker: choose more of them".into(),
            ));
        }
        if trust < Trust::Told {
            refuse_twins(told(post, &own.ids.twins()).into_iter().flatten().min())?;
        }
        let (numbering, firsts) = own.firsts(post);
        let mut cursor = vec![0_usize; workers as usize];
        let mut is_first: Vec<bool> = Vec::with_capacity(labels.len() as usize);
        for label in labels.iter() {
            let owner = owner(label, workers) as usize;
            is_first.push(firsts[owner][cursor[owner]]);
            cursor[owner] += 1;
        }
        let count = is_first.iter().filter(|first| **first).count() as u64;
        let sums = told(post, &count);
        let begin: u64 = sums[..post.me() as usize].iter().sum();
        let nodes: u64 = sums.iter().sum();
        if nodes > memory::NODES.into() {
            let most = memory::NODES;
            return Err(too_large(format!(
                "{nodes} nodes are too many: a network that is read in parts has {most} at most"
            )));
        }

        let mut number = vec![u32::MAX; is_first.len()];
        let mut names = NodeNames::default();
        for (node, label) in labels.iter().enumerate().filter(|&(node, _)| is_first[node]) {
            number[node] = begin as u32 + names.len();
            names.push(label);
        }
        for (node, label) in (0..).zip(labels.iter()) {
            let owner = owner(label, workers);
            post.write(owner, &[number[node]], &[]);
        }
        let (numbers, asked) = numbering.numbers(asked, post);
        let mut numbers: Vec<_> = numbers.iter().map(all_numbers).collect();
        for (node, label) in (0..).zip(labels.iter()) {
            let next = numbers[owner(label, workers) as usize].next();
            number[node] = next.expect("a number for each label");
        }
        drop(labels);
        for (a, b) in &mut links {
            (*a, *b) = (number[*a as usize], number[*b as usize]);
        }
        let names = Named { begin, names };
        let first = told(post, &names.get(0).map(str::to_owned));
        let first = first.into_iter().flatten().next().unwrap_or_default();
        let asked = told(post, &asked).into_iter().flatten().collect();
        Ok(Labels { nodes: nodes as u32, links, names, first, asked })
    }
}

impl LabelOwner {
    /// Takes up what the workers ask for.
    fn of(post: &mut Post<'_>) -> (Self, bool) {
        let (mut ids, mut full) = (NodeIds::default(), false);
        let mut asked = vec![Vec::new(); post.all() as usize];
        for (from, letter) in post.exchange() {
            for label in texts(&letter) {
                match ids.number(label) {
                    Ok(number) => asked[from as usize].push(number),
                    Err(_) => full = true,
                }
            }
        }
        (Self { ids, asked }, full)
    }

    /// Tells each worker which labels it is the first to mention, and hears it of its own.
    fn firsts(self, post: &mut Post<'_>) -> (LabelNumbers, Vec<Vec<bool>>) {
        let mut first = vec![u32::MAX; self.ids.names.len() as usize];
        for (worker, asked) in (0..).zip(&self.asked) {
            for &label in asked {
                let first = &mut first[label as usize];
                if *first == u32::MAX {
                    *first = worker;
                }
                post.write(worker, &[], &[u8::from(*first == worker)]);
            }
        }
        let told = by_sender(post).into_iter().map(|letters| letters.concat());
        let firsts = told.map(|bytes| bytes.into_iter().map(|byte| byte == 1).collect()).collect();
        (LabelNumbers { owner: self, first }, firsts)
    }
}

/// The labels of a worker, and who is the first to mention each.
struct LabelNumbers {
    owner: LabelOwner,
    first: Vec<u32>,
}

impl LabelNumbers {
    /// Receives the numbers of all labels from their first ranges, and sends them to all workers that have asked.
    /// Returns the numbers that this worker receives, by owner, and the numbers of its labels in this list.
    fn numbers(self, list: &str, post: &mut Post<'_>) -> (Vec<Letters>, Vec<(String, u64)>) {
        let Self { owner: LabelOwner { ids, asked }, first } = self;
        let mut number = vec![u32::MAX; first.len()];
        for (worker, letters) in (0..).zip(by_sender(post)) {
            for (&label, told) in asked[worker as usize].iter().zip(all_numbers(&letters)) {
                if first[label as usize] == worker {
                    number[label as usize] = told;
                }
            }
        }
        for (worker, asked) in (0..).zip(&asked) {
            asked.iter().for_each(|&label| post.write(worker, &[number[label as usize]], &[]));
        }
        let told = by_sender(post);
        if list.is_empty() {
            return (told, Vec::new());
        }
        let (alone, list): (HashSet<&str>, _) = (list.split(',').collect(), format!(",{list},"));
        let is_listed = |label: &str| match label.contains(',') {
            true => list.contains(&format!(",{label},")),
            false => alone.contains(label),
        };
        let known = (0..)
            .zip(ids.names.iter())
            .filter(|&(label, name)| number[label] != u32::MAX && is_listed(name));
        let listed = known.map(|(label, name)| (name.to_owned(), number[label].into())).collect();
        (told, listed)
    }
}

#[cfg(test)]
mod tests;
