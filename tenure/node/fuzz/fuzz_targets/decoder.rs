//! Fuzzes the decoders of datagrams, introductions and records: `cargo +nightly fuzz run decoder` in
//! `tenure/node`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| tenure_node::testing::decode(bytes));
