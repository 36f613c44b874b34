//! The binary format of a record.
//!
//! An image is a header, the cells, the roster and a checksum, padded to whole blocks. All numbers are
//! little-endian. A reader accepts only a whole image, valid to the last byte.

use super::MemberRecord;
use crate::roster::Roster;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use tenure_model::Cell;

pub(super) const VERSION: u8 = 2;
/// The first bytes of an image. The last of them is the version of the format, in every version.
const MAGIC: &[u8; 8] = &[b'S', b'F', b'R', b'G', b'R', b'E', b'C', VERSION];
/// The length of an image is a multiple of this, so that no two images share a sector of a disk.
pub(super) const BLOCK: usize = 4096;
const HEADER: usize = 8 + 16 + 8 + 8 + 8 + 4;
const CELL: usize = 4 + 8 + 8;
const CHECKSUM: usize = 32;
/// The maximal number of cells that are read.
const MOST: u64 = 1 << 24;

/// A version of the record of one store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// The random number of the store, drawn when it was created: both files of a record have the same.
    pub(crate) store: u128,
    /// The number of saves in this store.
    pub(crate) generation: u64,
    pub(crate) record: MemberRecord,
}

impl Image {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let cells = &self.record.cells;
        let roster = self.record.roster.as_ref().map(Roster::encode).unwrap_or_default();
        let mut bytes = Vec::with_capacity(HEADER + cells.len() * CELL + roster.len());
        bytes.extend(self.store.to_le_bytes());
        bytes.extend(self.generation.to_le_bytes());
        bytes.extend(self.record.boot.to_le_bytes());
        bytes.extend((cells.len() as u64).to_le_bytes());
        bytes.extend((roster.len() as u32).to_le_bytes());
        for (cell, number) in cells {
            bytes.extend(cell.table.to_le_bytes());
            bytes.extend(cell.key.to_le_bytes());
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(roster);
        Self::seal(&bytes)
    }

    /// Returns the image of this content, which is what stands between the first bytes and the
    /// checksum.
    pub(crate) fn seal(content: &[u8]) -> Vec<u8> {
        let length = MAGIC.len() + content.len() + CHECKSUM;
        let mut bytes = Vec::with_capacity(length.next_multiple_of(BLOCK));
        bytes.extend(MAGIC);
        bytes.extend(content);
        let checksum = Sha256::digest(&bytes);
        bytes.extend(checksum);
        bytes.resize(length.next_multiple_of(BLOCK), 0);
        bytes
    }

    pub(super) fn other_version(bytes: &[u8]) -> Option<u8> {
        let [name @ .., own] = MAGIC;
        let [same @ .., version] = bytes.first_chunk::<{ MAGIC.len() }>()?;
        (name == same && own != version).then_some(*version)
    }

    /// Decodes an image, which must span all of the bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut take = |length: usize| -> Option<&[u8]> {
            let (taken, left) = rest.split_at_checked(length)?;
            rest = left;
            Some(taken)
        };
        if take(8)? != MAGIC {
            return None;
        }
        let store = u128::from_le_bytes(take(16)?.try_into().ok()?);
        let mut number = || Some(u64::from_le_bytes(take(8)?.try_into().ok()?));
        let (generation, boot, count) = (number()?, number()?, number()?);
        if count > MOST {
            return None;
        }
        let roster = u32::from_le_bytes(take(4)?.try_into().ok()?) as usize;
        let cells = HEADER + usize::try_from(count).ok()? * CELL;
        let length = cells + roster;
        let whole = (length + CHECKSUM).next_multiple_of(BLOCK);
        let (content, checksum) = bytes.get(..length + CHECKSUM)?.split_at(length);
        let padding = bytes.get(length + CHECKSUM..)?;
        if bytes.len() != whole
            || Sha256::digest(content)[..] != *checksum
            || padding.iter().any(|&byte| byte != 0)
        {
            return None;
        }
        let (cells, roster) = content.split_at(cells);
        let roster = match roster {
            [] => None,
            bytes => Some(Roster::decode(bytes)?),
        };
        let cells: BTreeMap<Cell, u64> = cells[HEADER..]
            .chunks_exact(CELL)
            .map(|chunk| {
                let word = |at: usize| chunk[at..at + 8].try_into().map(u64::from_le_bytes);
                let table = chunk[..4].try_into().map(u32::from_le_bytes);
                Some((Cell { table: table.ok()?, key: word(4).ok()? }, word(12).ok()?))
            })
            .collect::<Option<_>>()?;
        Some(Self { store, generation, record: MemberRecord { boot, cells, roster } })
    }
}

#[cfg(test)]
pub(crate) mod tests;
