//! Permutations, graphs and trees by number.

use suffrage_model::Port;
use suffrage_networks::wiring::Wiring;

pub(crate) fn factorial(n: u32) -> u64 {
    (1..=u64::from(n)).fold(1, u64::saturating_mul)
}

pub(crate) fn permutation(n: u32, mut rank: u64) -> Vec<u8> {
    let mut left: Vec<u8> = (0..n as u8).collect();
    let mut order = Vec::with_capacity(n as usize);
    for i in (0..n).rev() {
        let ways = factorial(i);
        order.push(left.remove((rank / ways) as usize));
        rank %= ways;
    }
    order
}

/// Returns the Lyndon words of a length over as many letters, in ascending order: each is smaller
/// than all its other rotations. Takes time in the order of the number of necklaces (F. Ruskey,
/// C. Savage, T. Wang, *Journal of Algorithms* 13, 1992).
pub(crate) fn lyndon_words(length: usize) -> Vec<Vec<u8>> {
    /// Extends a prefix whose longest prefix that is a Lyndon word has this length.
    fn extend(word: &mut Vec<u8>, lyndon: usize, length: usize, all: &mut Vec<Vec<u8>>) {
        if word.len() == length {
            all.extend((lyndon == length).then(|| word.clone()));
            return;
        }
        let same = word[word.len() - lyndon];
        for letter in same..length as u8 {
            word.push(letter);
            let lyndon = if letter == same { lyndon } else { word.len() };
            extend(word, lyndon, length, all);
            word.pop();
        }
    }
    let mut all = Vec::new();
    for letter in 0..length as u8 {
        extend(&mut vec![letter], 1, length, &mut all);
    }
    all
}

pub(crate) fn automorphisms(wiring: &Wiring) -> Vec<Vec<u8>> {
    let nodes = wiring.nodes();
    // The network is connected, so the image of node 0 determines all images.
    let image = |start: u32| {
        let mut image = vec![None; nodes as usize];
        image[0] = Some(start);
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            let to = image[node as usize]?;
            if wiring.degree(node) != wiring.degree(to) {
                return None;
            }
            for port in (0..wiring.degree(node)).map(Port) {
                let (here, there) = (wiring.across(node, port), wiring.across(to, port));
                let known = &mut image[here.node as usize];
                if here.port != there.port || known.is_some_and(|known| known != there.node) {
                    return None;
                }
                if known.replace(there.node).is_none() {
                    open.push(here.node);
                }
            }
        }
        image.into_iter().map(|node| node.map(|node| node as u8)).collect()
    };
    (0..nodes).filter_map(image).collect()
}

pub(crate) fn graph_automorphisms(lists: &[Vec<u32>]) -> Vec<Vec<u8>> {
    /// Extends an image of the first nodes.
    fn extend(lists: &[Vec<u32>], image: &mut Vec<u8>, all: &mut Vec<Vec<u8>>) {
        let node = image.len();
        if node == lists.len() {
            all.push(image.clone());
            return;
        }
        let linked = |a: usize, b: usize| lists[a].contains(&(b as u32));
        for to in 0..lists.len() {
            let free = !image.contains(&(to as u8)) && lists[to].len() == lists[node].len();
            let same = |(other, &image): (usize, &u8)| {
                linked(node, other) == linked(to, image.into())
                    && linked(other, node) == linked(image.into(), to)
            };
            if free && image.iter().enumerate().all(same) {
                image.push(to as u8);
                extend(lists, image, all);
                image.pop();
            }
        }
    }
    let mut all = Vec::new();
    extend(lists, &mut Vec::new(), &mut all);
    all
}

pub(crate) fn neighbours(nodes: u32, links: u32) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); nodes as usize];
    let pairs = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b)));
    for (bit, (a, b)) in pairs.enumerate() {
        if links >> bit & 1 == 1 {
            lists[a as usize].push(b);
            lists[b as usize].push(a);
        }
    }
    lists
}

pub(crate) fn renamed(nodes: u32, links: u32, to: &[u8]) -> u32 {
    let bit = |a: u8, b: u8| {
        let (a, b) = (u32::from(a.min(b)), u32::from(a.max(b)));
        a * (2 * nodes - a - 1) / 2 + b - a - 1
    };
    let pairs = (0..nodes as usize).flat_map(|a| (a + 1..nodes as usize).map(move |b| (a, b)));
    let moved = pairs.enumerate().filter(|(place, _)| links >> place & 1 == 1);
    moved.fold(0, |links, (_, (a, b))| links | 1 << bit(to[a], to[b]))
}

pub(crate) fn shape(lists: &[Vec<u32>]) -> String {
    fn look(lists: &[Vec<u32>], node: u32, from: u32) -> String {
        let below = lists[node as usize].iter().filter(|&&next| next != from);
        let mut branches: Vec<String> = below.map(|&next| look(lists, next, node)).collect();
        branches.sort_unstable();
        format!("({})", branches.concat())
    }
    let looks = (0..lists.len() as u32).map(|node| look(lists, node, node));
    looks.min().unwrap_or_default()
}

pub(crate) fn is_connected(lists: &[Vec<u32>]) -> bool {
    let (mut reached, mut open) = (1_u64, vec![0_u32]);
    while let Some(node) = open.pop() {
        for &other in &lists[node as usize] {
            if reached >> other & 1 == 0 {
                reached |= 1 << other;
                open.push(other);
            }
        }
    }
    reached.count_ones() as usize == lists.len()
}

/// Returns the neighbours of each node of the tree with this number: its digits to the base of the
/// number of nodes are the code of H. Prüfer, Archiv der Mathematik und Physik 27, 1918.
pub(crate) fn tree(nodes: u32, mut number: u64) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); nodes as usize];
    let mut link = |a: u32, b: u32| {
        lists[a as usize].push(b);
        lists[b as usize].push(a);
    };
    let mut code = Vec::new();
    for _ in 2..nodes {
        code.push((number % u64::from(nodes)) as u32);
        number /= u64::from(nodes);
    }
    let mut missing = vec![1_u32; nodes as usize];
    code.iter().for_each(|&node| missing[node as usize] += 1);
    for &node in &code {
        let leaf = missing.iter().position(|&links| links == 1).unwrap_or(0);
        link(leaf as u32, node);
        missing[leaf] = 0;
        missing[node as usize] -= 1;
    }
    let mut last = (0..nodes).filter(|&node| missing[node as usize] == 1);
    if let (Some(a), Some(b)) = (last.next(), last.next()) {
        link(a, b);
    }
    lists.iter_mut().for_each(|list| list.sort_unstable());
    lists
}

/// An error: a family is too large to be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("all {what} of {nodes} nodes are too many to list: the limit is {most} nodes")]
pub struct FamilyTooLarge {
    pub(super) nodes: u32,
    pub(super) most: u32,
    pub(super) what: &'static str,
}
