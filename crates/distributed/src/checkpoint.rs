//! Checkpoints: the state of an election between two ticks, in a directory.
//!
//! Every worker writes a part, and when all parts are on the disk the first worker writes a list of them
//! in the place of the one before, in one step. So the directory always has a whole checkpoint, or none.

use crate::{Terms, digest::Digest};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read, Write},
    ops::Range,
    path::{Path, PathBuf},
};
use suffrage_simulator::blocks::Moment;

/// Where and how often an election is to be stored.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    /// The directory, in which every host has the files of all or of its own workers.
    pub directory: PathBuf,
    /// The number of ticks from one checkpoint to the next, at least.
    pub every: u64,
    /// The terms of the election.
    pub terms: Terms,
}

/// A checkpoint that has been found: an election goes on from there.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    directory: PathBuf,
    list: List,
    digest: String,
}

/// The list of the parts of a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct List {
    terms: Terms,
    parts: Vec<Part>,
    moment: String,
}

/// A part of a checkpoint: what one worker has written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// The name of its file.
    name: String,
    bytes: u64,
}

/// An error: a checkpoint cannot be written or read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum CheckpointError {
    /// A file cannot be written or read.
    #[error("{path}: {why}")]
    File {
        /// The file.
        path: String,
        /// What the system says.
        why: String,
    },
    /// There is no checkpoint in a directory.
    #[error("{0} has no checkpoint: no file `{LIST}`, which --checkpoint writes")]
    None(String),
    /// A file is not what was written.
    #[error(
        "{0} is damaged, or of another version; take an older copy of the directory, or hold the \
         election from its beginning"
    )]
    Damaged(String),
    /// A part is not there.
    #[error("{0} is missing: copy the files of all hosts into one directory")]
    Missing(String),
    /// The checkpoint is of another election.
    #[error("{directory} has a checkpoint of another election: {difference}")]
    Other {
        /// The directory.
        directory: String,
        /// What differs.
        difference: String,
    },
}

/// The name of the list.
const LIST: &str = "checkpoint.json";

/// The length of the head of a piece: its own length, its nodes, a digest.
const HEAD: usize = 4 + 8 + 8 + 8;

impl CheckpointError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::File { path, why: error.to_string() }
    }
}

impl Checkpoints {
    /// Creates the directory, if it is not there.
    ///
    /// # Errors
    /// If it cannot be written to.
    pub fn prepare(&self) -> Result<(), CheckpointError> {
        fs::create_dir_all(&self.directory).map_err(CheckpointError::file(&self.directory))?;
        let probe = self.directory.join(".writable");
        fs::write(&probe, "").map_err(CheckpointError::file(&self.directory))?;
        fs::remove_file(&probe).or_else(|error| match error.kind() {
            // Another host has removed it.
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(CheckpointError::file(&probe)(error)),
        })
    }

    /// Writes a part by what `pieces` passes on.
    pub(crate) fn write_part(
        &self,
        tick: u64,
        worker: u32,
        pieces: impl FnOnce(&mut dyn FnMut(Range<u64>, &[u8]) -> io::Result<()>) -> io::Result<()>,
    ) -> Result<Part, CheckpointError> {
        let name = format!("{tick}-{worker}.part");
        let path = self.directory.join(&name);
        let write = || {
            let mut file = BufWriter::with_capacity(1 << 20, File::create(&path)?);
            let mut bytes = 0;
            pieces(&mut |nodes, piece| {
                let length = u32::try_from(piece.len()).map_err(io::Error::other)?;
                file.write_all(&length.to_le_bytes())?;
                file.write_all(&nodes.start.to_le_bytes())?;
                file.write_all(&nodes.end.to_le_bytes())?;
                file.write_all(&Digest::of_bytes(piece).short())?;
                file.write_all(piece)?;
                bytes += (HEAD + piece.len()) as u64;
                Ok(())
            })?;
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            Ok(bytes)
        };
        let bytes = write().map_err(CheckpointError::file(&path))?;
        Ok(Part { name, bytes })
    }

    /// Writes the list, when all parts are there.
    pub(crate) fn write_list(
        &self,
        parts: Vec<Part>,
        moment: &Moment,
    ) -> Result<(), CheckpointError> {
        let path = self.directory.join(LIST);
        let write = || {
            let moment = serde_json::to_string(moment)?;
            let list = List { terms: self.terms.clone(), parts, moment };
            let fresh = self.directory.join(format!("{LIST}.new"));
            let mut file = File::create(&fresh)?;
            file.write_all(&serde_json::to_vec_pretty(&list)?)?;
            file.sync_all()?;
            fs::rename(&fresh, &path)?;
            // The new name, too, is to outlive a loss of power.
            File::open(&self.directory)?.sync_all()
        };
        write().map_err(CheckpointError::file(&path))
    }

    /// Removes the parts of other ticks: the list that named them is gone.
    pub(crate) fn remove_others(&self, tick: u64) {
        let own = format!("{tick}-");
        let Ok(files) = fs::read_dir(&self.directory) else { return };
        for file in files.flatten() {
            let name = file.file_name();
            let name = name.to_string_lossy();
            if name.ends_with(".part") && !name.starts_with(&own) {
                // What cannot be removed does no harm.
                let _ = fs::remove_file(file.path());
            }
        }
    }
}

impl Checkpoint {
    /// Finds the checkpoint of an election in a directory. The numbers of workers and hosts may be others
    /// than they were.
    ///
    /// # Errors
    /// If there is none, or that of another election, or if a part is missing.
    pub fn find(directory: &Path, terms: &Terms) -> Result<Self, CheckpointError> {
        let path = directory.join(LIST);
        let text = fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => CheckpointError::None(directory.display().to_string()),
            _ => CheckpointError::file(&path)(error),
        })?;
        let damaged = || CheckpointError::Damaged(path.display().to_string());
        let list: List = serde_json::from_slice(&text).map_err(|_| damaged())?;
        serde_json::from_str::<Moment>(&list.moment).map_err(|_| damaged())?;
        if let Some(difference) = terms.same_election(&list.terms) {
            let (directory, difference) = (directory.display().to_string(), difference.to_string());
            return Err(CheckpointError::Other { directory, difference });
        }
        for Part { name, bytes } in &list.parts {
            let path = directory.join(name);
            let shown = path.display().to_string();
            match fs::metadata(&path) {
                Err(_) => return Err(CheckpointError::Missing(shown)),
                Ok(file) if file.len() != *bytes => return Err(CheckpointError::Damaged(shown)),
                Ok(_) => {}
            }
        }
        let digest = Digest::of_bytes(&text).to_string();
        Ok(Self { directory: directory.to_owned(), list, digest })
    }

    /// Returns the digest of its list, which all hosts must have.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the moment from which the election goes on.
    pub(crate) fn moment(&self) -> Result<Moment, CheckpointError> {
        let damaged = |_| CheckpointError::Damaged(self.directory.join(LIST).display().to_string());
        serde_json::from_str(&self.list.moment).map_err(damaged)
    }

    /// Passes on the pieces that are about some of these nodes, or about none in particular; `take`
    /// returns whether it can read one.
    pub(crate) fn read(
        &self,
        nodes: &Range<u64>,
        mut take: impl FnMut(&[u8]) -> bool,
    ) -> Result<(), CheckpointError> {
        for Part { name, bytes } in &self.list.parts {
            let path = self.directory.join(name);
            let file = File::open(&path).map_err(CheckpointError::file(&path))?;
            let mut file = BufReader::with_capacity(1 << 20, file);
            let damaged = || CheckpointError::Damaged(path.display().to_string());
            let mut left = *bytes;
            while left > 0 {
                let mut head = [0; HEAD];
                file.read_exact(&mut head).map_err(CheckpointError::file(&path))?;
                let word = |at: usize| {
                    let mut word = [0; 8];
                    word.copy_from_slice(&head[at..at + 8]);
                    word
                };
                let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
                let about = u64::from_le_bytes(word(4))..u64::from_le_bytes(word(12));
                left = left.checked_sub(HEAD as u64 + u64::from(length)).ok_or_else(damaged)?;
                if about.start >= nodes.end || nodes.start >= about.end {
                    file.seek_relative(length.into()).map_err(CheckpointError::file(&path))?;
                    continue;
                }
                let mut piece = vec![0; length as usize];
                file.read_exact(&mut piece).map_err(CheckpointError::file(&path))?;
                if Digest::of_bytes(&piece).short() != word(20) || !take(&piece) {
                    return Err(damaged());
                }
            }
        }
        Ok(())
    }
}
