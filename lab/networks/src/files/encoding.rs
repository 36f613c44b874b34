//! Decoding of files to UTF-8.

use super::raw::Flaw;
use std::io::{BufRead, Cursor};

/// An encoding of a text.
pub(super) enum Encoding {
    /// UTF-8, behind a mark of this many bytes.
    Utf8(usize),
    /// UTF-16, whose pairs of bytes this function reads.
    Utf16(fn([u8; 2]) -> u16),
}

/// Determines the encoding of a text by its first bytes.
pub(super) fn of(start: &[u8]) -> Result<Encoding, Flaw> {
    // Without a mark, text in UTF-16 begins with a character below 256, or is very unusual.
    Ok(match start {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => {
            let what = "this is UTF-32; convert it with `iconv -f UTF-32 -t UTF-8`";
            return Err(Flaw::Encoding { what: what.to_owned() });
        }
        [0xEF, 0xBB, 0xBF, ..] => Encoding::Utf8(3),
        [0xFF, 0xFE, ..] => Encoding::Utf16(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => Encoding::Utf16(u16::from_be_bytes),
        [first, 0, ..] if *first != 0 => Encoding::Utf16(u16::from_le_bytes),
        [0, second, ..] if *second != 0 => Encoding::Utf16(u16::from_be_bytes),
        _ => Encoding::Utf8(0),
    })
}

/// Returns a reader of the content in UTF-8, without a byte order mark; UTF-16 is decoded.
///
/// Whether the rest is UTF-8 is checked when it is parsed, line by line.
pub(super) fn utf8<'a>(mut reader: impl BufRead + 'a) -> Result<Box<dyn BufRead + 'a>, Flaw> {
    let decode = match of(reader.fill_buf()?)? {
        Encoding::Utf16(decode) => decode,
        Encoding::Utf8(mark) => {
            reader.consume(mark);
            return Ok(Box::new(reader));
        }
    };
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|&pair| decode(pair));
    let mut text = String::with_capacity(bytes.len() / 2);
    for character in char::decode_utf16(units) {
        match character {
            Ok('\u{FEFF}') if text.is_empty() => {}
            Ok(character) => text.push(character),
            Err(_) => return Err(broken_utf16(&text)),
        }
    }
    if !rest.is_empty() {
        return Err(broken_utf16(&text));
    }
    Ok(Box::new(Cursor::new(text.into_bytes())))
}

fn broken_utf16(before: &str) -> Flaw {
    let line = before.matches('\n').count() + 1;
    let what = format!(
        "this looks like UTF-16, but line {line} is not; save the file in UTF-8 (in a whole copy, \
         if this one is cut off)"
    );
    Flaw::Encoding { what }
}

/// Reads everything that remains, as text.
pub(super) fn whole(mut reader: impl BufRead) -> Result<String, Flaw> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    String::from_utf8(bytes).map_err(|error| {
        let (valid, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
        let line = bytes[..valid].iter().filter(|&&byte| byte == b'\n').count() + 1;
        not_utf8(line as u64, bytes[valid])
    })
}

pub(super) fn line(bytes: &[u8], number: u64) -> Result<&str, Flaw> {
    std::str::from_utf8(bytes).map_err(|error| not_utf8(number, bytes[error.valid_up_to()]))
}

fn not_utf8(line: u64, byte: u8) -> Flaw {
    let what = format!(
        "line {line} is not UTF-8 (byte 0x{byte:02x}); convert the file, for example from Latin-1 \
         with `iconv -f ISO-8859-1 -t UTF-8`"
    );
    Flaw::Encoding { what }
}
