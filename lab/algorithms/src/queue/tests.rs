use super::*;
use alloc::format;

/// A hasher that distinguishes any two sequences of writes: FNV-1a.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

fn hash(queue: &LazyQueue<u32>) -> u64 {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    queue.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn what_was_pushed_first_comes_out_first() {
    let mut queue = LazyQueue::new();
    queue.push(1);
    queue.push(2);
    assert_eq!(queue.pop(), Some(1));
    queue.push(3);
    assert_eq!(format!("{queue:?}"), "[2, 3]");
    assert_eq!([queue.pop(), queue.pop(), queue.pop()], [Some(2), Some(3), None]);
}

#[test]
fn a_queue_never_used_equals_one_that_has_been_emptied() {
    let (fresh, mut used) = (LazyQueue::new(), LazyQueue::new());
    used.push(7);
    assert_ne!(fresh, used);
    assert_ne!(hash(&fresh), hash(&used));
    used.pop();
    assert_eq!(fresh, used);
    assert_eq!(hash(&fresh), hash(&used));
}

#[test]
fn a_queue_takes_one_word() {
    assert_eq!(size_of::<LazyQueue<[u64; 4]>>(), size_of::<usize>());
}
