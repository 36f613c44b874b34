//! Recognition of hypercubes.

/// Returns the word of each node, if the network is a hypercube: nodes with a link have words that
/// differ in one bit. Node 0 has the word 0, and the one behind its port `p` the word with bit `p`.
///
/// `neighbour(node, p)` is the node behind port `p`. Takes linear time.
pub(crate) fn words(
    nodes: u32,
    degree: impl Fn(u32) -> u32,
    neighbour: impl Fn(u32, u32) -> u32,
) -> Option<Vec<u32>> {
    const UNKNOWN: u32 = u32::MAX;
    let dimension = nodes.checked_ilog2().filter(|_| nodes.is_power_of_two())?;
    if (0..nodes).any(|node| degree(node) != dimension) {
        return None;
    }
    let mut words = vec![0; nodes as usize];
    let mut distance = vec![UNKNOWN; nodes as usize];
    distance[0] = 0;
    let mut queue = vec![0];
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        for port in 0..dimension {
            let to = neighbour(node, port) as usize;
            if distance[to] == UNKNOWN {
                distance[to] = distance[node as usize] + 1;
                queue.push(to as u32);
            }
            // A word has the bits of all words that are one bit nearer to 0.
            if distance[to] == distance[node as usize] + 1 {
                words[to] |= if node == 0 { 1 << port } else { words[node as usize] };
            }
        }
    }
    let is_neighbour = |node: u32| {
        let flips = |port| words[node as usize] ^ words[neighbour(node, port) as usize];
        let once = |bits: u32, flip: u32| flip.is_power_of_two().then_some(bits | flip);
        (0..dimension).map(flips).try_fold(0, once) == Some(nodes - 1)
    };
    let mut met = vec![false; nodes as usize];
    let own = |&word: &u32| !std::mem::replace(&mut met[word as usize], true);
    ((0..nodes).all(is_neighbour) && words.iter().all(own)).then_some(words)
}
