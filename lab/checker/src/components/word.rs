//! Configurations as numbers of components.

/// A configuration: the component of each process, four in each word.
pub(crate) type Word<const L: usize> = [u64; L];

#[inline]
pub(crate) fn get<const L: usize>(word: &Word<L>, node: usize) -> u16 {
    (word[node >> 2] >> ((node & 3) * 16)) as u16
}

#[inline]
pub(crate) fn change<const L: usize>(word: &mut Word<L>, node: usize, from: u16, to: u16) {
    word[node >> 2] ^= u64::from(from ^ to) << ((node & 3) * 16);
}

#[inline]
pub(crate) fn hash<const L: usize>(word: &Word<L>) -> u64 {
    word.iter().fold(0, |all, &part| {
        let wide = u128::from(part ^ all ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
        wide as u64 ^ (wide >> 64) as u64
    })
}
