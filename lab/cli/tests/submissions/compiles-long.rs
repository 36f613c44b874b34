//! Is never compiled to its end.

pub struct Election;

const fn ever(number: u64) -> u64 {
    let mut next = number;
    while next != 0 {
        next = next * 3 % 1_000_003;
    }
    next
}

#[allow(long_running_const_eval)]
pub const END: u64 = ever(1);
