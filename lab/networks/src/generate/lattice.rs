//! Complete networks, chordal rings, grids, tori and hypercubes.

use super::Links;

/// Generates a link between every two nodes.
pub(crate) fn complete(nodes: u32) -> Links {
    (0..nodes).flat_map(|b| (0..b).map(move |a| (a, b))).collect()
}

/// Generates a ring with a chord from each node to the one `chord` places further, of at most half the
/// ring: chords of half the ring are made once.
pub(crate) fn chordal(nodes: u32, chord: u32) -> Links {
    let mut links = torus(1, nodes);
    let chords = if chord == nodes - chord { chord } else { nodes };
    let further = |node: u32| ((u64::from(node) + u64::from(chord)) % u64::from(nodes)) as u32;
    links.extend((0..chords).map(|node| (node, further(node))));
    links
}

/// Generates a grid: node `row * columns + column` is linked to the ones beside, above and below
/// it.
pub(crate) fn grid(rows: u32, columns: u32) -> Links {
    let mut links = Links::new();
    for row in 0..rows {
        for column in 0..columns {
            let node = row * columns + column;
            if column + 1 < columns {
                links.push((node, node + 1));
            }
            if row + 1 < rows {
                links.push((node, node + columns));
            }
        }
    }
    links
}

/// Generates a grid whose rows and columns are closed to rings.
///
/// A line of two nodes has a link already, a single node would be linked to itself: only lines of
/// three or more are closed. So `1 x n` is a ring, and `2 x n` a prism.
pub(crate) fn torus(rows: u32, columns: u32) -> Links {
    let mut links = grid(rows, columns);
    if columns > 2 {
        links.extend((0..rows).map(|row| (row * columns, (row + 1) * columns - 1)));
    }
    if rows > 2 {
        links.extend((0..columns).map(|column| (column, (rows - 1) * columns + column)));
    }
    links
}

/// Generates a hypercube: words of `dimension` bits, linked where they differ in one.
pub(crate) fn hypercube(dimension: u32) -> Links {
    let words = 0..1_u32 << dimension;
    words
        .flat_map(|word| {
            let zeros = (0..dimension).filter(move |bit| word >> bit & 1 == 0);
            zeros.map(move |bit| (word, word | 1 << bit))
        })
        .collect()
}
