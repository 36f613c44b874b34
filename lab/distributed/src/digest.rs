//! Digests of data that is too large to be compared.

use ring::digest::{Context, SHA256, digest};
use std::{
    fmt,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
    sync::atomic::AtomicBool,
};
use suffrage_model::Port;
use suffrage_networks::wiring::{Numbering, Wiring};
use suffrage_parallel::Jobs;

/// A SHA-256.
#[derive(Clone, Copy)]
pub(crate) struct Sha256([u8; 32]);

/// The length of the pieces of a file, in bytes.
const PIECE: u64 = 1 << 26;

impl From<ring::digest::Digest> for Sha256 {
    fn from(digest: ring::digest::Digest) -> Self {
        let mut whole = [0; 32];
        whole.copy_from_slice(digest.as_ref());
        Self(whole)
    }
}

impl Sha256 {
    pub(crate) fn of(words: impl IntoIterator<Item = u64>) -> Self {
        let mut context = Self::writer();
        let mut buffer = Vec::with_capacity(1 << 16);
        for word in words {
            buffer.extend(word.to_le_bytes());
            if buffer.len() == buffer.capacity() {
                context.update(&buffer);
                buffer.clear();
            }
        }
        context.update(&buffer);
        context.finish().into()
    }

    pub(crate) fn writer() -> Context {
        Context::new(&SHA256)
    }

    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        digest(&SHA256, bytes).into()
    }

    /// Returns a digest of a file: the digest of its length and of the digests of its pieces. `threads`
    /// threads read the pieces.
    pub(crate) fn of_file(path: &Path, threads: u32) -> io::Result<Self> {
        let length = File::open(path)?.metadata()?.len();
        let jobs = Jobs {
            count: length.div_ceil(PIECE),
            threads: threads as usize,
            interrupted: &AtomicBool::new(false),
        };
        let digest_of = |buffer: &mut Vec<u8>, piece: u64| -> io::Result<Option<Self>> {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(piece * PIECE))?;
            let mut left = file.take(PIECE);
            let mut context = Self::writer();
            loop {
                match left.read(buffer)? {
                    0 => return Ok(Some(context.finish().into())),
                    read => context.update(&buffer[..read]),
                }
            }
        };
        let digests = jobs.try_map(|| vec![0; 1 << 18], digest_of, |_| {})?;
        let whole: Vec<u8> = digests.iter().flat_map(|digest| digest.0).collect();
        Ok(Self::of_bytes(&[&length.to_le_bytes()[..], &whole].concat()))
    }

    pub(crate) fn short(&self) -> [u8; 8] {
        let mut short = [0; 8];
        short.copy_from_slice(&self.0[..8]);
        short
    }

    pub(crate) fn of_network(wiring: &Wiring) -> Self {
        let nodes = u64::from(wiring.nodes());
        let (kind, seed) = match wiring.numbering() {
            Numbering::Complete => (0, 0),
            Numbering::CompleteShuffled(seed) => (1, seed),
            Numbering::Ring => (2, 0),
            Numbering::RingShuffled(seed) => (3, seed),
            Numbering::Stored(_) => return Self::of([nodes, 4, 0].into_iter().chain(ends(wiring))),
        };
        Self::of([nodes, kind, seed])
    }
}

fn ends(wiring: &Wiring) -> impl Iterator<Item = u64> {
    (0..wiring.nodes()).flat_map(move |node| {
        let degree = wiring.degree(node);
        let end = move |port| {
            let end = wiring.across(node, Port(port));
            u64::from(end.node) << 32 | u64::from(end.port.0)
        };
        [degree.into()].into_iter().chain((0..degree).map(end))
    })
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..8].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
