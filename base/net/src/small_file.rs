//! Files that hosts are given: configurations, certificates, keys, lists.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of such a file: a list of a million revoked certificates has fewer. A device or a pipe may never end.
const MOST: u64 = 64 << 20;

/// Reads a file.
///
/// # Errors
/// If it cannot be read, or has more than 64 MiB.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    limited(File::open(path)?, MOST)
}

/// Reads a text.
///
/// # Errors
/// As [`read`], and if it is not UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    let utf8 = |_| io::Error::new(io::ErrorKind::InvalidData, "it is no text in UTF-8");
    String::from_utf8(read(path)?).map_err(utf8)
}

fn limited(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(io::Error::other(format!("it has more than {} MiB", most >> 20))),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_read_up_to_the_limit() {
        let error = limited(io::repeat(0), 1 << 20).unwrap_err();
        assert_eq!(error.to_string(), "it has more than 1 MiB");
        assert_eq!(limited(io::repeat(7).take(1 << 20), 1 << 20).unwrap().len(), 1 << 20);
    }
}
