//! Fuzzes the decoder of connections: `cargo +nightly fuzz run decoder` in `lab/runtime`.
#![no_main]

use bytes::BytesMut;
use libfuzzer_sys::fuzz_target;
use suffrage_runtime::wire::{
    LinkAnswer, LinkFrame, LinkHello, LONGEST_GREETING, read_greeting, take_frame,
};

fuzz_target!(|bytes: &[u8]| {
    let mut buffer = BytesMut::from(bytes);
    while let Ok(Some(frame)) = take_frame(&mut buffer, LONGEST_GREETING) {
        assert!(frame.len() <= LONGEST_GREETING);
        let _ = LinkFrame::from_bytes(&frame);
        let _ = read_greeting::<LinkHello>(&frame);
        let _ = read_greeting::<LinkAnswer>(&frame);
    }
});
