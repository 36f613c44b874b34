//! Fuzzes the decoders of datagrams, introductions and records: `cargo +nightly fuzz run decoder` in
//! `crates/service`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| suffrage_service::testing::decode(bytes));
