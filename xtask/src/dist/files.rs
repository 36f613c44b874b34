//! The files of a package, and archives of them that are the same bytes whenever and wherever they are made.

use anyhow::Context;
use flate2::{Compression, GzBuilder};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tar::{Builder, EntryType, Header, HeaderMode};

/// Files by path; a path that ends with `/` is a folder. Folders above them need not be named.
#[derive(Default)]
pub(super) struct FileTree(BTreeMap<String, PackagedFile>);

#[derive(Clone)]
struct PackagedFile {
    mode: u32,
    contents: Vec<u8>,
}

impl FileTree {
    pub(super) fn add(&mut self, path: impl Into<String>, contents: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), PackagedFile { mode: 0o644, contents: contents.into() });
    }

    pub(super) fn add_program(&mut self, path: impl Into<String>, contents: impl Into<Vec<u8>>) {
        self.0.insert(path.into(), PackagedFile { mode: 0o755, contents: contents.into() });
    }

    /// Adds an empty folder.
    pub(super) fn add_folder(&mut self, path: &str) {
        self.add_program(format!("{path}/"), []);
    }

    /// Adds a file under its own name to a folder. Who may execute it, may do so there.
    pub(super) fn add_copy(&mut self, folder: &str, file: &Path) -> anyhow::Result<()> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let contents = fs::read(file).with_context(|| file.display().to_string())?;
        let path = format!("{folder}/{name}");
        match fs::metadata(file)?.permissions().mode() & 0o111 {
            0 => self.add(path, contents),
            _ => self.add_program(path, contents),
        }
        Ok(())
    }

    /// The same files in a folder.
    pub(super) fn below(&self, folder: &str) -> Self {
        let moved = self.0.iter().map(|(path, file)| (format!("{folder}/{path}"), file.clone()));
        Self(moved.collect())
    }

    /// How much they take of a disk, in KiB.
    pub(super) fn kibibytes(&self) -> usize {
        self.0.values().map(|file| file.contents.len().div_ceil(1024)).sum()
    }

    /// A packed archive, sorted by path, in which all is of root and of one time.
    pub(super) fn tar_gz(&self, time: u64) -> io::Result<Vec<u8>> {
        let mut archive = Builder::new(Vec::new());
        archive.mode(HeaderMode::Deterministic);
        let mut entry = |path: &str, kind, file: &PackagedFile| {
            let mut header = Header::new_gnu();
            header.set_entry_type(kind);
            header.set_mode(file.mode);
            header.set_mtime(time);
            header.set_uid(0);
            header.set_gid(0);
            header.set_size(file.contents.len() as u64);
            archive.append_data(&mut header, path, &file.contents[..])
        };
        for (path, file) in &self.with_folders().0 {
            let kind = if path.ends_with('/') { EntryType::Directory } else { EntryType::Regular };
            entry(path, kind, file)?;
        }
        gzip(&archive.into_inner()?)
    }

    /// The same files, with all folders above them.
    fn with_folders(&self) -> Self {
        let mut tree = Self(self.0.clone());
        for path in self.0.keys() {
            for (end, _) in path.match_indices('/') {
                tree.add_folder(&path[..end]);
            }
        }
        tree
    }
}

/// Packs without a time and a name.
pub(super) fn gzip(contents: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
    packed.write_all(contents)?;
    packed.finish()
}
