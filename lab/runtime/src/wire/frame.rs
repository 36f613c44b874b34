//! The frames of a connection.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use serde::{Deserialize, Serialize};

/// A frame after the greetings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Frame<'a> {
    /// The payload of this number; the first on a link has number 0.
    Payload {
        /// Its number.
        number: u64,
        /// The message of the algorithm or of the engine.
        #[serde(borrow)]
        bytes: &'a [u8],
    },
    /// All payloads before this number have reached the process.
    Taken(u64),
    /// A heartbeat.
    Beat,
    /// The sender leaves, and does not reconnect.
    Bye {
        /// Whether all are known to have halted.
        certain: bool,
    },
}

/// An error: a stream of bytes is not a sequence of frames.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// A frame is longer than the limit.
    #[error("a frame of {length} bytes, where {limit} are the most")]
    TooLong {
        /// The announced length, in bytes.
        length: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The bytes are no frame.
    #[error("{0} bytes that are no frame")]
    Garbage(usize),
}

impl<'a> Frame<'a> {
    /// Decodes a frame.
    ///
    /// # Errors
    /// If the bytes are no frame, or more than one.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, FrameError> {
        match postcard::take_from_bytes(bytes) {
            Ok((frame, [])) => Ok(frame),
            _ => Err(FrameError::Garbage(bytes.len())),
        }
    }
}

/// Splits off the next frame, once it is complete. No memory is allocated for an announced frame
/// that does not arrive.
///
/// # Errors
/// If the next frame is longer than `limit`.
pub fn take_frame(buffer: &mut BytesMut, limit: usize) -> Result<Option<Bytes>, FrameError> {
    let Some((prefix, rest)) = buffer.split_first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_le_bytes(*prefix) as usize;
    if length > limit {
        return Err(FrameError::TooLong { length, limit });
    }
    if rest.len() < length {
        return Ok(None);
    }
    buffer.advance(4);
    Ok(Some(buffer.split_to(length).freeze()))
}

/// Appends a frame: the bytes of `head`, then an encoded value.
pub(crate) fn put_frame(out: &mut BytesMut, head: &[u8], value: &impl Serialize) {
    let start = out.len();
    out.put_u32_le(0);
    out.put_slice(head);
    // Frames and greetings are plain data, whose encoding cannot fail.
    let written = postcard::to_extend(value, Extender(out)).is_ok();
    debug_assert!(written);
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// Implements postcard's trait for `BytesMut`.
struct Extender<'a>(&'a mut BytesMut);

impl Extend<u8> for Extender<'_> {
    fn extend<T: IntoIterator<Item = u8>>(&mut self, bytes: T) {
        self.0.extend(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAMES: [Frame<'_>; 5] = [
        Frame::Payload { number: 7, bytes: &[1, 2, 3] },
        Frame::Taken(u64::MAX),
        Frame::Beat,
        Frame::Payload { number: 300, bytes: &[] },
        Frame::Bye { certain: true },
    ];

    #[test]
    fn frames_come_out_as_they_went_in_however_the_stream_is_cut() {
        let mut stream = BytesMut::new();
        FRAMES.iter().for_each(|frame| put_frame(&mut stream, &[], frame));
        let (mut buffer, mut read) = (BytesMut::new(), Vec::new());
        for byte in stream {
            buffer.put_u8(byte);
            while let Some(bytes) = take_frame(&mut buffer, 64).unwrap() {
                read.push(bytes);
            }
        }
        let read: Vec<_> = read.iter().map(|bytes| Frame::from_bytes(bytes).unwrap()).collect();
        assert_eq!(read, FRAMES);
        assert!(buffer.is_empty());
    }

    #[test]
    fn a_frame_that_is_too_long_is_refused_before_it_comes() {
        let mut buffer = BytesMut::from(&[0xFF, 0xFF, 0xFF, 0x7F][..]);
        let error = take_frame(&mut buffer, 64).unwrap_err();
        assert_eq!(error, FrameError::TooLong { length: 0x7FFF_FFFF, limit: 64 });
    }
}
