//! The limit that memory sets: accesses in random order.

use suffrage_networks::random::Generator;

/// Memory as an election uses it at best: one record for each process, to which messages come in
/// random order, known beforehand.
///
/// A message cannot do less than to read and write its receiver, so no engine that delivers one
/// message after the other in an order that depends on random delays exceeds the rate of
/// [`touch`](Self::touch). The receivers are known here long before they are accessed, and depend
/// on nothing, so the processor overlaps as many cache misses as it can.
pub struct RecordMemory {
    /// 32 bytes each: the smallest process of the catalogue with its accounts.
    records: Vec<[u32; 8]>,
    order: Vec<u32>,
}

impl RecordMemory {
    /// Creates the memory of `nodes` processes.
    #[must_use]
    pub fn new(nodes: u32) -> Self {
        let mut order: Vec<u32> = (0..nodes).collect();
        Generator::new(1, "memory").shuffle(&mut order);
        Self { records: vec![[1; 8]; nodes as usize], order }
    }

    /// Reads and writes the record of every process once. Returns a sum, so that nothing is left out.
    pub fn touch(&mut self) -> u32 {
        let mut sum = 0_u32;
        for &node in &self.order {
            let record = &mut self.records[node as usize];
            record[0] = record[0].wrapping_add(record[7]);
            sum = sum.wrapping_add(record[0]);
        }
        sum
    }
}

#[cfg(test)]
mod tests;
