//! The numbers of labels, in the order in which the file first mentions them.
//!
//! A label belongs to the worker that its hash names. Ranges come in the order of the file: so the first
//! of the ranges that mention a label has its first mention, and within a range the order is known.
//!
//! # Why in this order
//! Every worker takes these steps at the same time, and each rests on the one before:
//!
//! 1. *Labels to owners.* Only the owner of a label sees all ranges that mention it.
//! 2. *The header.* Whether the first line is one depends on all labels and on where its words occur again,
//!    and a header's words are no nodes: no label may get a number before.
//! 3. *First mentions.* Each owner tells a range which of its labels it is the first to mention. A header's
//!    word is not mentioned by the range that begins with the header, unless that mentions it again.
//! 4. *Sums.* The ranges before have as many nodes as they mention first; so every range knows its first
//!    number, and numbers its labels in its own order. A word of the header comes where it is mentioned
//!    again, which is later than the place that it had.
//! 5. *Numbers to owners and back.* Ranges that mention a label later learn its number from the owner, in
//!    the order in which they asked in step 1: answers carry no labels.
//!
//! `tests/networks/labels.rs` has a scenario for each.

use super::{
    super::{
        edges::{First, Rest, is_integer},
        raw::NodeIds,
    },
    ByteRange, EdgeList, PartError, RangeCounts,
    letters::{Letters, Post, all_numbers, by_sender, texts, told},
    too_large,
};
use crate::{memory, names::NodeNames};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// What a worker knows when all labels have numbers.
pub(super) struct Labels {
    /// The number of all nodes.
    pub(super) nodes: u32,
    /// The links of the range, by the numbers of nodes, without the header.
    pub(super) links: Vec<(u32, u32)>,
    /// The names of the nodes that the range mentions first.
    pub(super) names: Named,
    /// The first line of the file, if it is a header.
    pub(super) header: Option<First>,
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

/// What an owner tells of its labels.
#[derive(Serialize, Deserialize)]
struct OwnedLabels {
    labels: u64,
    /// Whether there are too many.
    full: bool,
    /// Whether the words of the first line are mentioned in other ranges.
    elsewhere: [bool; 2],
    /// Whether all labels but these words are integers.
    integers: bool,
    /// Of the labels but the second word those that are numbers of 32 bits: how many, the least and the
    /// largest, and whether they differ.
    counted: u64,
    bounds: (u32, u32),
    differ: bool,
}

/// Returns the worker to which a label belongs. Labels that are the same number have the same one, however
/// they are written.
fn owner(label: &str, workers: u32) -> u32 {
    if let Ok(number) = label.parse::<u32>() {
        return number % workers;
    }
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
        list: &EdgeList,
        counts: &RangeCounts,
        asked: &str,
        post: &mut Post<'_>,
    ) -> Result<Labels, PartError> {
        let Self { ids, mut links, again, .. } = self;
        let (labels, workers) = (ids.into_names(), post.all());
        for label in labels.iter() {
            post.write(owner(label, workers), &[label.len() as u32], label.as_bytes());
        }
        let (own, full) = LabelOwner::of(post);
        let header = own.header(full, list, counts, post)?;
        let leads = header.is_some() && post.me() == counts.leader;
        if leads {
            links.remove(0);
        }

        let (numbering, firsts) = own.firsts(counts, header.as_ref(), post);
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

        // Without the header, its first word comes where it is mentioned again.
        let late = leads.then_some(again[0]).flatten();
        let mut number = vec![u32::MAX; is_first.len()];
        let mut names = NodeNames::default();
        for node in order(is_first.len() as u32, late) {
            if is_first[node as usize] {
                number[node as usize] = begin as u32 + names.len();
                names.push(labels.get(node));
            }
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
        Ok(Labels { nodes: nodes as u32, links, names, header, first, asked })
    }
}

fn order(nodes: u32, late: Option<u32>) -> impl Iterator<Item = u32> {
    let begin = u32::from(late.is_some());
    let late = late.unwrap_or(begin);
    (begin..late).chain(0..begin).chain(late..nodes)
}

fn words_of(words: &[String; 2]) -> &[String] {
    if words[0] == words[1] { &words[..1] } else { words }
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

    /// Decides, with all others, whether the first line is a header, and returns it.
    fn header(
        &self,
        full: bool,
        list: &EdgeList,
        counts: &RangeCounts,
        post: &mut Post<'_>,
    ) -> Result<Option<First>, PartError> {
        let owned = told(post, &self.owned(full, counts));
        if owned.iter().any(|owned| owned.full) {
            return Err(too_large(
                "there are too many labels for a worker: choose more of them".into(),
            ));
        }
        let Some(first) = counts.first.as_ref().filter(|_| counts.links > 1) else {
            return Ok(None);
        };
        let again = [0, 1]
            .map(|word| counts.again[word] || owned.iter().any(|owned| owned.elsewhere[word]));
        let own = words_of(&first.words).iter().zip(again).filter(|(_, again)| !again).count();
        let rest = Rest {
            again,
            nodes: owned.iter().map(|owned| owned.labels).sum::<u64>() - own as u64,
            links: counts.links - 1,
            lone: counts.lone,
        };
        let in_order = || {
            let within = |owned: &OwnedLabels| {
                let (least, most) = owned.bounds;
                owned.differ && (owned.counted == 0 || least > 0 && u64::from(most) <= rest.nodes)
            };
            owned.iter().map(|owned| owned.counted).sum::<u64>() == rest.nodes
                && owned.iter().all(within)
        };
        let integers = || owned.iter().all(|owned| owned.integers);
        let is_header = first.is_header(list.trust, &rest, integers, in_order)?;
        Ok(is_header.then(|| first.clone()))
    }

    fn owned(&self, full: bool, counts: &RangeCounts) -> OwnedLabels {
        let Some(First { words, .. }) = &counts.first else { return OwnedLabels::none(full, self) };
        let here = [0, 1].map(|word| self.ids.get(&words[word]));
        let is_elsewhere = |label: u32| {
            let mut all = (0..).zip(&self.asked);
            all.any(|(worker, asked)| worker != counts.leader && asked.contains(&label))
        };
        let elsewhere = here.map(|label| label.is_some_and(is_elsewhere));
        let all_but = |left_out: [Option<u32>; 2]| {
            let all =
                (0..self.ids.names.len()).filter(move |&label| !left_out.contains(&Some(label)));
            all.map(|label| self.ids.names.get(label))
        };
        let mut owned = OwnedLabels { elsewhere, ..OwnedLabels::none(full, self) };
        owned.integers = all_but(here).all(is_integer);
        // Otherwise the first line does not count anything.
        if words[0].parse::<u64>().is_ok() && words[1].parse() == Ok(counts.links - 1) {
            let mut seen = HashSet::new();
            for number in all_but([here[1]; 2]).filter_map(|label| label.parse::<u32>().ok()) {
                owned.counted += 1;
                owned.bounds = (owned.bounds.0.min(number), owned.bounds.1.max(number));
                owned.differ &= seen.insert(number);
            }
        }
        owned
    }

    /// Tells each worker which labels it is the first to mention, and hears it of its own.
    fn firsts(
        self,
        counts: &RangeCounts,
        header: Option<&First>,
        post: &mut Post<'_>,
    ) -> (LabelNumbers, Vec<Vec<bool>>) {
        // The range of the header may not mention its words otherwise.
        let words = header.map_or(&[][..], |header| words_of(&header.words));
        let gone = words.iter().zip(counts.again).filter(|(_, again)| !again);
        let gone: Vec<u32> = gone.filter_map(|(word, _)| self.ids.get(word)).collect();
        let mut first = vec![u32::MAX; self.ids.names.len() as usize];
        for (worker, asked) in (0..).zip(&self.asked) {
            for &label in asked {
                let is_gone = worker == counts.leader && gone.contains(&label);
                let first = &mut first[label as usize];
                if !is_gone && *first == u32::MAX {
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

impl OwnedLabels {
    fn none(full: bool, owner: &LabelOwner) -> Self {
        Self {
            labels: owner.ids.names.len().into(),
            full,
            elsewhere: [false; 2],
            integers: true,
            counted: 0,
            bounds: (u32::MAX, 0),
            differ: true,
        }
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
