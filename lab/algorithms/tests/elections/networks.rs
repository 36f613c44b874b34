//! Small networks, and a generator of random numbers.

/// For each node and each of its ports: the node and the port at the other end.
pub(crate) type Wiring = Vec<Vec<(usize, usize)>>;

/// `SplitMix64`: small, seeded, the same everywhere.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        (1..items.len()).rev().for_each(|i| items.swap(i, self.below(i + 1)));
    }
}

/// A complete network in which port `p` of node `i` leads to node `i + p + 1`.
pub(crate) fn oriented_complete(n: usize) -> Wiring {
    let peer = |i: usize, p: usize| ((i + p + 1) % n, n - 2 - p);
    (0..n).map(|i| (0..n - 1).map(|p| peer(i, p)).collect()).collect()
}

/// A ring: port 0 leads to the next node, port 1 to the previous one.
pub(crate) fn ring(n: usize) -> Wiring {
    (0..n).map(|i| vec![((i + 1) % n, 1), ((i + n - 1) % n, 0)]).collect()
}

/// A hypercube with a sense of direction, of the largest dimension with at most `n` nodes.
pub(crate) fn hypercube(n: usize) -> Wiring {
    let dimension = n.ilog2() as usize;
    (0..1 << dimension).map(|i| (0..dimension).map(|bit| (i ^ 1 << bit, bit)).collect()).collect()
}

/// A mesh: rows and columns.
pub(crate) fn mesh(rows: usize, columns: usize) -> Wiring {
    let at = |row: usize, column: usize| row * columns + column;
    let across = (0..rows).flat_map(|i| (1..columns).map(move |j| (at(i, j - 1), at(i, j))));
    let down = (1..rows).flat_map(|i| (0..columns).map(move |j| (at(i - 1, j), at(i, j))));
    graph(rows * columns, &across.chain(down).collect::<Vec<_>>())
}

/// A torus: ports 0 and 1 lead forward and back in the row, ports 2 and 3 in the column.
pub(crate) fn torus(rows: usize, columns: usize) -> Wiring {
    let node = |row: usize, column: usize| row % rows * columns + column % columns;
    let ends = |i: usize, j: usize| {
        vec![
            (node(i, j + 1), 1),
            (node(i, j + columns - 1), 0),
            (node(i + 1, j), 3),
            (node(i + rows - 1, j), 2),
        ]
    };
    (0..rows * columns).map(|place| ends(place / columns, place % columns)).collect()
}

/// A simple graph with these links, each node's ports in the order of the list.
pub(crate) fn graph(n: usize, links: &[(usize, usize)]) -> Wiring {
    let mut wiring: Wiring = vec![vec![]; n];
    for &(a, b) in links {
        let (at_a, at_b) = (wiring[a].len(), wiring[b].len());
        wiring[a].push((b, at_b));
        wiring[b].push((a, at_a));
    }
    wiring
}

/// All pairs, in random order: a complete network with random port numbers.
pub(crate) fn complete(n: usize, rng: &mut Rng) -> Wiring {
    let mut links: Vec<_> = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
    rng.shuffle(&mut links);
    graph(n, &links)
}

/// A random tree.
pub(crate) fn tree(n: usize, rng: &mut Rng) -> Wiring {
    graph(n, &(1..n).map(|i| (rng.below(i), i)).collect::<Vec<_>>())
}

/// A random tree and `n` more links, some of them parallel.
pub(crate) fn connected(n: usize, rng: &mut Rng) -> Wiring {
    let mut links: Vec<_> = (1..n).map(|i| (rng.below(i), i)).collect();
    links.extend((0..n).map(|_| (rng.below(n), rng.below(n))).filter(|(a, b)| a != b));
    graph(n, &links)
}
