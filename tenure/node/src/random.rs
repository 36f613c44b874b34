//! Numbers that no other process has drawn.

use std::hash::{BuildHasher as _, RandomState};

pub(crate) fn draw() -> u128 {
    let half = |salt: u8| {
        let now = std::time::SystemTime::now();
        u128::from(RandomState::new().hash_one((salt, now, std::process::id())))
    };
    half(0) << 64 | half(1)
}
