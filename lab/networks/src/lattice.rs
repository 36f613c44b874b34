//! Recognition of meshes and tori.

use suffrage_model::NetworkClass;

/// A mesh or torus: the node in row `i` and column `j` is `order[i * columns + j]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lattice {
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    pub(crate) order: Vec<u32>,
}

impl Lattice {
    /// Arranges the nodes of a connected network as `class` says: as a mesh of two or more rows and
    /// columns, or as a torus of three or more. Returns `None` if the network is no such mesh or torus.
    ///
    /// Takes linear time in the number of nodes and links.
    pub(crate) fn of(
        class: NetworkClass,
        nodes: u32,
        neighbours: &dyn Fn(u32) -> Vec<u32>,
    ) -> Option<Self> {
        let survey =
            LatticeSurvey { nodes, neighbours, closed: class.unoriented() == NetworkClass::Torus };
        match survey.closed {
            false => {
                let corner = (0..nodes).find(|&node| neighbours(node).len() == 2)?;
                let &[east, south] = neighbours(corner).as_slice() else { return None };
                survey.arrange(corner, east, &[south])
            }
            true => {
                let &[a, b, c, d] = neighbours(0).as_slice() else { return None };
                // One of the others is opposite to `a`.
                let pairs = [[a, b, c, d], [a, c, b, d], [a, d, b, c]];
                pairs
                    .iter()
                    .find_map(|&[east, _, south, north]| survey.arrange(0, east, &[south, north]))
            }
        }
    }
}

struct LatticeSurvey<'a> {
    nodes: u32,
    neighbours: &'a dyn Fn(u32) -> Vec<u32>,
    /// Whether rows and columns are closed to rings.
    closed: bool,
}

impl LatticeSurvey<'_> {
    fn are_linked(&self, one: u32, other: u32) -> bool {
        (self.neighbours)(one).contains(&other)
    }

    /// Arranges the nodes from one on, given its neighbour in its row and those in its column. The
    /// first row goes straight ahead: nodes beside the next node are linked to nodes beside this
    /// one. Then each row lies next to the previous one.
    fn arrange(&self, start: u32, east: u32, beside: &[u32]) -> Option<Lattice> {
        let mut order = vec![start];
        let mut second = vec![*beside.first()?];
        let (mut beside, mut before, mut here) = (beside.to_vec(), start, Some(east));
        while let Some(node) = here.filter(|&node| node != start) {
            order.push(node);
            let mut ahead = (self.neighbours)(node);
            ahead.retain(|&other| other != before);
            for side in &mut beside {
                let at = ahead.iter().position(|&other| self.are_linked(other, *side))?;
                *side = ahead.swap_remove(at);
            }
            if ahead.len() > 1 || order.len() > self.nodes as usize {
                return None;
            }
            second.push(beside[0]);
            (before, here) = (node, ahead.first().copied());
        }
        if here.is_some() != self.closed {
            return None;
        }
        let columns = order.len();
        let mut placed = vec![false; self.nodes as usize];
        let mut place = |node: u32| !std::mem::replace(&mut placed[node as usize], true);
        if !order.iter().chain(&second).all(|&node| place(node)) {
            return None;
        }
        order.extend(second);
        while order.len() < self.nodes as usize {
            for at in order.len() - columns..order.len() {
                let mut behind =
                    (self.neighbours)(order[at]).into_iter().filter(|&node| !placed[node as usize]);
                let (Some(node), None) = (behind.next(), behind.next()) else { return None };
                placed[node as usize] = true;
                order.push(node);
            }
        }
        let (rows, columns) = ((order.len() / columns) as u32, columns as u32);
        let lattice = Lattice { rows, columns, order };
        self.has_all_links(&lattice).then_some(lattice)
    }

    fn has_all_links(&self, lattice: &Lattice) -> bool {
        let &Lattice { rows, columns, ref order } = lattice;
        let least = if self.closed { 3 } else { 2 };
        if rows < least || columns < least || order.len() != self.nodes as usize {
            return false;
        }
        let at = |row: u32, column: u32| order[(row * columns + column) as usize];
        let next = |place: u32, size: u32| match place + 1 < size {
            true => Some(place + 1),
            false => self.closed.then_some(0),
        };
        let mut links = 0;
        for row in 0..rows {
            for column in 0..columns {
                let east = next(column, columns).map(|column| at(row, column));
                let south = next(row, rows).map(|row| at(row, column));
                for other in [east, south].into_iter().flatten() {
                    if !self.are_linked(at(row, column), other) {
                        return false;
                    }
                    links += 1;
                }
            }
        }
        let ends: usize = (0..self.nodes).map(|node| (self.neighbours)(node).len()).sum();
        ends == 2 * links
    }
}
