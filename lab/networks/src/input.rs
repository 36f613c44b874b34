//! Input of every kind: a file or standard input, up to a number of bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use suffrage_numbers::{grouped, parse_count};

/// The limit, unless [`LIMIT`] says another.
const MOST: u64 = 1 << 30;

/// Whether standard input was opened: there is no second one.
static STANDARD_INPUT: AtomicBool = AtomicBool::new(false);

/// The environment variable that raises the limit.
const LIMIT: &str = "SUFFRAGE_MAX_INPUT";

/// A reader of input, which ends with an error behind the limit: 1 GiB, or the bytes that the environment variable
/// `SUFFRAGE_MAX_INPUT` says. A device or a pipe may never end.
pub struct Input<R = Box<dyn Read>> {
    from: R,
    left: u64,
    most: u64,
    /// Whether it may hold NUL bytes.
    binary: bool,
}

impl Input {
    /// Whether there is input of this name: a file, or standard input.
    #[must_use]
    pub fn exists(path: &Path) -> bool {
        path == Path::new("-") || path.exists()
    }

    /// Opens a file that may be packed, or in an encoding with NUL bytes; `-` is standard input.
    ///
    /// # Errors
    /// If it cannot be opened, or the limit is no number.
    pub fn open(path: &Path) -> io::Result<Self> {
        let from: Box<dyn Read> = match path == Path::new("-") {
            true if STANDARD_INPUT.swap(true, Ordering::Relaxed) => {
                return Err(io::Error::other(
                    "standard input was read already: name one input `-`",
                ));
            }
            true => Box::new(io::stdin()),
            false => Box::new(File::open(path)?),
        };
        Self::limited(from)
    }

    /// Opens a text, whose first NUL byte is an error; `-` is standard input. A byte order mark, as spreadsheets
    /// write it, is left out.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if its beginning cannot be read.
    pub fn open_text(path: &Path) -> io::Result<Self> {
        let Self { from, left, most, .. } = Self::open(path)?;
        let mut from = BufReader::new(from);
        if from.fill_buf()?.starts_with(b"\xEF\xBB\xBF") {
            from.consume(3);
        }
        Ok(Self { from: Box::new(from), left, most, binary: false })
    }

    /// Reads a whole text; `-` is standard input.
    ///
    /// # Errors
    /// If it cannot be read, is larger than the limit, or is no text in UTF-8.
    pub fn text(path: &Path) -> io::Result<String> {
        let mut bytes = Vec::new();
        Self::open_text(path)?.read_to_end(&mut bytes)?;
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let (before, rest) = error.as_bytes().split_at(valid);
            let line = newlines(before) + 1;
            let byte = rest.first().copied().unwrap_or_default();
            no_text(&format!("line {line} is not UTF-8 (byte 0x{byte:02x})"))
        })
    }
}

/// The number of ends of lines.
pub(crate) fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

impl<R> Input<R> {
    /// Limits another reader, such as a packed text.
    ///
    /// # Errors
    /// If the limit is no number.
    pub(crate) fn limited(from: R) -> io::Result<Self> {
        let most = match std::env::var(LIMIT) {
            Err(_) => MOST,
            Ok(text) => parse_count(&text)
                .map_err(|error| io::Error::other(format!("{LIMIT}={text}: {error}")))?,
        };
        Ok(Self { from, left: most, most, binary: true })
    }

    /// The same, whose first NUL byte is an error.
    pub(crate) fn of_text(self) -> Self {
        Self { binary: false, ..self }
    }
}

fn no_text(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{what}: this is no text"))
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        if !self.binary && buffer[..read].contains(&0) {
            return Err(no_text("a NUL byte"));
        }
        let within = self.left.checked_sub(read as u64);
        self.left = within.ok_or_else(|| {
            let most = grouped(&self.most.to_string(), ',');
            io::Error::other(format!("more than {most} bytes; {LIMIT}=BYTES raises this limit"))
        })?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        let path = std::env::temp_dir().join(format!("suffrage-mark-{}", std::process::id()));
        for (bytes, text) in [(&b"\xEF\xBB\xBFa\n"[..], "a\n"), (b"a\n", "a\n"), (b"", "")] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(Input::text(&path).unwrap(), text);
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn endless_input_ends_at_the_limit_and_at_a_nul_byte() {
        let mut input =
            Input { from: io::repeat(b'a'), left: 1 << 20, most: 1 << 20, binary: false };
        let mut bytes = Vec::new();
        let error = input.read_to_end(&mut bytes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "more than 1,048,576 bytes; SUFFRAGE_MAX_INPUT=BYTES raises this limit"
        );
        let zeros = Input { from: io::repeat(0), left: 1 << 20, most: 1 << 20, binary: false };
        let error = io::read_to_string(zeros).unwrap_err();
        assert_eq!(error.to_string(), "a NUL byte: this is no text");
    }
}
