//! Arrays for random access, on large pages if the system has them.
//!
//! A large array spans more pages than a processor caches the addresses of, and then a random
//! access waits for the page table as well as for the data. On Linux the kernel is asked for pages
//! of two mebibytes, which it may refuse; elsewhere the array is an ordinary one.

use bytemuck::Pod;
#[cfg(target_os = "linux")]
use memmap2::{Advice, MmapMut};

/// The size in bytes from which on an array gets pages of its own.
#[cfg(target_os = "linux")]
const WORTHWHILE: usize = 4 << 20;

/// An array of a fixed length.
#[derive(Debug)]
pub(super) enum Array<T> {
    /// Memory of the allocator.
    Heap(Vec<T>),
    /// Memory of the kernel, with advice for large pages; and the number of values.
    #[cfg(target_os = "linux")]
    Pages(MmapMut, usize),
}

impl<T: Pod> Array<T> {
    pub(super) fn zeroed(length: usize) -> Self {
        #[cfg(target_os = "linux")]
        if let Some(bytes) = length.checked_mul(size_of::<T>()).filter(|&b| b >= WORTHWHILE)
            && let Ok(pages) = MmapMut::map_anon(bytes)
        {
            // Without large pages the array is slower.
            let _ = pages.advise(Advice::HugePage);
            return Self::Pages(pages, length);
        }
        Self::Heap(vec![T::zeroed(); length])
    }

    pub(super) fn as_slice(&self) -> &[T] {
        match self {
            Self::Heap(values) => values,
            #[cfg(target_os = "linux")]
            Self::Pages(pages, length) => &bytemuck::cast_slice(pages)[..*length],
        }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        match self {
            Self::Heap(values) => values,
            #[cfg(target_os = "linux")]
            Self::Pages(pages, length) => &mut bytemuck::cast_slice_mut(pages)[..*length],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_any_length_begin_with_zeros_and_keep_what_is_written() {
        for length in [0, 1, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1] {
            let mut array = Array::<u32>::zeroed(length);
            assert_eq!(array.as_slice().len(), length);
            assert!(array.as_slice().iter().all(|&value| value == 0));
            for (value, place) in array.as_mut_slice().iter_mut().zip(0..) {
                *value = place;
            }
            assert!(array.as_slice().iter().copied().eq(0..length as u32));
        }
    }
}
