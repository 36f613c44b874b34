//! Files as UTF-8: unpacked, decoded, and with line ends.

use super::raw::Flaw;
use crate::input::{Input, newlines};
use encoding_rs::{Encoding, UTF_8};
use std::io::{BufRead, BufReader, Cursor, Read};

/// The signatures of packers.
const PACKED: [&[u8]; 4] = [b"\x1F\x8B", b"BZh", b"\xFD7zXZ\0", b"\x28\xB5\x2F\xFD"];

/// Returns whether a file that begins like this has its text in plain bytes: not packed, in UTF-8, in lines.
pub(super) fn is_plain(start: &[u8]) -> bool {
    !PACKED.iter().any(|signature| start.starts_with(signature))
        && of(start).is_ok_and(|encoding| encoding == UTF_8)
        && !has_bare_returns(start)
}

/// Refuses what is packed, once it has been unpacked.
pub(super) fn refuse_packed(start: &[u8]) -> Result<(), Flaw> {
    match PACKED.iter().any(|signature| start.starts_with(signature)) {
        true => Err(Flaw::Unsupported { what: "this is packed twice: unpack it once".to_owned() }),
        false => Ok(()),
    }
}

/// Returns a reader of what gzip, bzip2, xz or zstd have packed, or of the file itself.
pub(super) fn unpacked<'a>(mut reader: impl BufRead + 'a) -> Result<Box<dyn BufRead + 'a>, Flaw> {
    let start = reader.fill_buf()?;
    let packer = PACKED.iter().position(|signature| start.starts_with(signature));
    Ok(match packer {
        Some(0) => limited(flate2::bufread::MultiGzDecoder::new(reader))?,
        Some(1) => limited(bzip2::bufread::MultiBzDecoder::new(reader))?,
        Some(2) => limited(lzma_rust2::XzReader::new(reader, true))?,
        Some(_) => {
            let mut text = Vec::new();
            while !reader.fill_buf()?.is_empty() {
                let frame = ruzstd::decoding::StreamingDecoder::new(&mut reader);
                Input::limited(frame.map_err(std::io::Error::other)?)?.read_to_end(&mut text)?;
            }
            Box::new(Cursor::new(text))
        }
        None => Box::new(reader),
    })
}

/// Limits what comes out of a packer: little may unpack to much.
fn limited<'a>(unpacked: impl Read + 'a) -> Result<Box<dyn BufRead + 'a>, Flaw> {
    Ok(Box::new(BufReader::new(Input::limited(unpacked)?)))
}

/// Determines the encoding of a text by its first bytes: a byte order mark, zeros, or a declaration of XML.
fn of(start: &[u8]) -> Result<&'static Encoding, Flaw> {
    if let [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] = start {
        let what = "this is UTF-32; convert it with `iconv -f UTF-32 -t UTF-8`";
        return Err(Flaw::Encoding { what: what.to_owned() });
    }
    if let Some((encoding, _)) = Encoding::for_bom(start) {
        return Ok(encoding);
    }
    // Without a mark, text in UTF-16 begins with a character below 256, or is very unusual.
    match start {
        [first, 0, ..] if *first != 0 => return Ok(encoding_rs::UTF_16LE),
        [0, second, ..] if *second != 0 => return Ok(encoding_rs::UTF_16BE),
        _ => {}
    }
    let declaration = start.strip_prefix(b"<?xml").map(|rest| {
        let end = rest.iter().position(|&byte| byte == b'>').unwrap_or(0);
        String::from_utf8_lossy(&rest[..end]).into_owned()
    });
    let name = declaration.as_deref().and_then(|text| {
        let (_, value) = text.split_once("encoding")?.1.split_once(['"', '\''])?;
        value.split(['"', '\'']).next()
    });
    let Some(name) = name else { return Ok(UTF_8) };
    let unknown =
        || Flaw::Encoding { what: format!("the encoding `{}` is not known", name.escape_debug()) };
    // What is declared in bytes cannot be in pairs of them.
    Ok(Some(Encoding::for_label(name.as_bytes()).ok_or_else(unknown)?)
        .filter(|it| it.is_ascii_compatible())
        .unwrap_or(UTF_8))
}

fn has_bare_returns(start: &[u8]) -> bool {
    start.contains(&b'\r') && !start.contains(&b'\n')
}

/// Returns a reader of the content in UTF-8, without a byte order mark, with lines that end in LF or CR LF.
///
/// What is plain is checked when it is parsed, line by line.
pub(super) fn utf8<'a>(
    mut reader: impl BufRead + 'a,
    told: Option<&'static Encoding>,
) -> Result<Box<dyn BufRead + 'a>, Flaw> {
    let start = reader.fill_buf()?;
    let bare = has_bare_returns(start);
    let encoding = match told {
        Some(told) => told,
        None => of(start)?,
    };
    if encoding == UTF_8 && !bare {
        let mark = if start.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        reader.consume(mark);
        return Ok(Box::new(reader));
    }
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    let mut text = if encoding == UTF_8 {
        text(bytes)?.trim_start_matches('\u{FEFF}').to_owned()
    } else {
        let (text, broken) = encoding.decode_with_bom_removal(&bytes);
        if broken {
            let line = newlines(text.split('\u{FFFD}').next().unwrap_or_default().as_bytes()) + 1;
            let what = format!(
                "this looks like {}, but line {line} is not; save the file in UTF-8 (in a whole copy, if this one is \
                 cut off)",
                encoding.name()
            );
            return Err(Flaw::Encoding { what });
        }
        text.into_owned()
    };
    if bare {
        text = text.replace('\r', "\n");
    }
    Ok(Box::new(Cursor::new(text.into_bytes())))
}

/// Reads everything that remains, as text.
pub(super) fn whole(mut reader: impl Read) -> Result<String, Flaw> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    text(bytes)
}

/// The error for a NUL byte.
pub(super) const NUL: &str = "a NUL byte: this is no text";

fn text(bytes: Vec<u8>) -> Result<String, Flaw> {
    beginning(&bytes, true)?;
    Ok(String::from_utf8(bytes).unwrap_or_default())
}

/// Returns the beginning of a text, without a character that is cut off if it is not `whole`.
pub(super) fn beginning(bytes: &[u8], whole: bool) -> Result<&str, Flaw> {
    std::str::from_utf8(bytes).or_else(|error| {
        let (valid, rest) = bytes.split_at(error.valid_up_to());
        match error.error_len() {
            None if !whole => Ok(std::str::from_utf8(valid).unwrap_or_default()),
            _ => Err(not_utf8(1, valid, rest)),
        }
    })
}

pub(super) fn line(bytes: &[u8], number: u64) -> Result<&str, Flaw> {
    std::str::from_utf8(bytes).map_err(|error| {
        let (valid, rest) = bytes.split_at(error.valid_up_to());
        not_utf8(number, valid, rest)
    })
}

/// Returns the flaw of bytes, from this line on, that are no UTF-8 after those that are `valid`. In a text of any encoding
/// that may be here no byte is NUL: those with one have been decoded.
fn not_utf8(first: u64, valid: &[u8], rest: &[u8]) -> Flaw {
    let line_of = |before: &[u8]| first + newlines(before);
    let nul = |bytes: &[u8]| bytes.iter().position(|&byte| byte == 0);
    if let Some(at) = nul(valid) {
        return Flaw::line(line_of(&valid[..at]), NUL);
    }
    if let Some(at) = nul(rest) {
        return Flaw::line(line_of(valid) + newlines(&rest[..at]), NUL);
    }
    let (line, byte) = (line_of(valid), rest[0]);
    let what = format!(
        "line {line} is not UTF-8 (byte 0x{byte:02x}); convert the file, for example from Latin-1 \
         with `iconv -f ISO-8859-1 -t UTF-8`"
    );
    Flaw::Encoding { what }
}
