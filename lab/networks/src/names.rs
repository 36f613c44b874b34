//! The names of nodes.

use std::sync::OnceLock;

/// One name for each node, in one string: a million names are two allocations.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeNames {
    text: String,
    /// The position in the string at which each name ends.
    ends: Vec<usize>,
    /// The nodes in the order of their names, sorted on first use.
    sorted: OnceLock<Vec<u32>>,
}

impl NodeNames {
    /// Adds the name of the next node.
    pub(crate) fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
        self.sorted.take();
    }

    pub(crate) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.text.capacity() + self.ends.capacity() * 8 + self.ends.len() * 4) as u64
    }

    pub(crate) fn get(&self, node: u32) -> &str {
        let begin = if node == 0 { 0 } else { self.ends[node as usize - 1] };
        &self.text[begin..self.ends[node as usize]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|node| self.get(node))
    }

    pub(crate) fn sorted(&self) -> &[u32] {
        self.sorted.get_or_init(|| {
            let mut nodes: Vec<u32> = (0..self.len()).collect();
            nodes.sort_by_key(|&node| self.get(node));
            nodes
        })
    }

    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        let sorted = self.sorted();
        let at = sorted.binary_search_by_key(&name, |&node| self.get(node)).ok()?;
        Some(sorted[at])
    }
}

impl<'a> FromIterator<&'a str> for NodeNames {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        let mut all = Self::default();
        names.into_iter().for_each(|name| all.push(name));
        all
    }
}

#[cfg(test)]
mod tests;
