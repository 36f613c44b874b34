//! Edge lists that several workers read, each a part: no worker ever has the whole network.
//!
//! All workers open the same [`EdgeList`] and read [their parts](EdgeList::part) at the same time, over an
//! [`Exchange`] of letters. What the workers of one place have is a [`PartialNetwork`], on which an engine can
//! run that holds blocks of processes.

mod labels;
mod letters;
mod network;
mod range;
mod spread;
mod wave;

pub use letters::Exchange;
pub use network::{Part, PartialNetwork, block_width};

use super::{
    columns::Separator,
    edges::Trust,
    encoding::{self, Encoding},
    error::FileError,
    normal::{self, counted},
    raw::Fault,
    read_head, recognize,
};
use crate::{FileFormat, FileOptions, Ports, graph::PortOrder, memory::Memory, topology::Note};
use letters::{Post, told};
use range::{Counts, Range};
use spread::Lists;
use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};
use wave::Wave;

/// A file with an edge list that several workers can read together.
///
/// Each of them reads a range of its bytes, and they exchange what they have read: labels with the
/// worker that their hash names, numbers of nodes in the order in which the file first mentions them,
/// links with the owners of both ends. Each ends with the links and ports of a range of the nodes, and
/// with the names of another one. The network is the one that [`read_file`](super::read_file) and
/// [`Topology::wire`](crate::Topology::wire) make of the file, with the same notes, and an error is the
/// same error.
#[derive(Clone, Debug)]
pub struct EdgeList {
    path: PathBuf,
    /// The path as it was given.
    name: String,
    separator: Separator,
    trust: Trust,
    note: Option<Note>,
    /// The first byte of the text, and the byte after the last one.
    begin: u64,
    end: u64,
    /// The mean length of the first lines, in bytes.
    line: u64,
}

/// Options for reading the network in an [`EdgeList`].
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The order in which ports are numbered.
    pub ports: Ports,
    /// The seed of a random order of the ports.
    pub seed: u64,
    /// Whether the diameter is to be measured.
    pub diameter: bool,
    /// The nodes whose numbers are asked for, by their labels, separated by commas. A label may itself
    /// have commas in it.
    pub labels: String,
}

impl EdgeList {
    /// Opens a file, if it is an edge list that can be read in parts: in UTF-8, and the whole of it, not
    /// its largest component. The format is recognized as [`read_file`](super::read_file) does.
    ///
    /// Reads no more than the first MiB.
    ///
    /// # Errors
    /// If the file cannot be read, or its format is not recognized.
    pub fn open(path: impl AsRef<Path>, options: FileOptions) -> Result<Option<Self>, FileError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        Self::recognized(path, &name, options).map_err(|fault| fault.in_file(&name))
    }

    fn recognized(path: &Path, name: &str, options: FileOptions) -> Result<Option<Self>, Fault> {
        let file = File::open(path)?;
        let known = file.metadata()?;
        if options.largest_component || !known.is_file() {
            return Ok(None);
        }
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let start = reader.fill_buf()?;
        recognize::refuse_binary(start)?;
        let Encoding::Utf8(mark) = encoding::of(start)? else { return Ok(None) };
        reader.consume(mark);
        let (head, reading) = read_head(&mut reader, name, options.format)?;
        if reading.format != FileFormat::EdgeList {
            return Ok(None);
        }
        let lines = head.iter().filter(|&&byte| byte == b'\n').count() as u64;
        Ok(Some(Self {
            path: path.to_owned(),
            name: name.to_owned(),
            separator: reading.separator,
            trust: Trust::of(options.format, reading),
            note: reading.note(),
            begin: mark as u64,
            end: known.len().max(mark as u64),
            line: (head.len() as u64).div_ceil(lines.max(1)).max(1),
        }))
    }

    /// Returns the path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path as it was given, in words.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Estimates the memory that the links take in all parts together while they are exchanged, in
    /// bytes, by the length of the file and of its first lines; the labels come on top.
    #[must_use]
    pub fn memory(&self) -> u64 {
        Memory::stored(0, (self.end - self.begin) / self.line).peak
    }

    /// Reads the part of one worker, while all others read theirs.
    ///
    /// Takes time linear in the size of the part, up to sorting, and some fifteen exchanges; and one for each
    /// node on the longest of the shortest paths from the first node, to see that the network is connected. Its
    /// diameter takes as many searches as [`Wiring::diameter`](crate::wiring::Wiring::diameter), with as many
    /// exchanges each.
    ///
    /// # Errors
    /// As [`read_file`](super::read_file), the same one at all workers. In place of the limit of a
    /// stored network, there is one of 2^32 - 2 nodes and of fewer than 2^32 ends of links in a part.
    /// Labels with control characters are refused.
    pub fn part(&self, asked: &Asked, exchange: &mut dyn Exchange) -> Result<Part, FileError> {
        self.read(asked, &mut Post::new(exchange)).map_err(|end| match end {
            End::Fault(fault) => fault.in_file(&self.name),
            End::Error(error) => error,
        })
    }

    fn read(&self, asked: &Asked, post: &mut Post<'_>) -> Result<Part, End> {
        let (me, all) = (post.me(), post.all());
        let range = Range::read(self, me, all);
        let counts = range.checked(self, post)?;
        let labels = range.numbered(self, &counts, &asked.labels, post)?;
        let Counts { further, links, .. } = counts.sum(labels.header.as_ref());
        let nodes = labels.nodes;
        if nodes == 0 {
            return Err(End::Error(FileError::Empty { path: self.name.clone() }));
        }
        let lists = Lists::exchange(nodes, &labels.links, post)?;
        let loops = labels.links.iter().filter(|(a, b)| a == b).count() as u64;
        drop(labels.links);

        let ends = lists.graph.ends();
        let two = (0..lists.graph.nodes()).all(|row| lists.graph.neighbours(row).len() == 2);
        let sums = told::<(u64, u64, bool)>(post, &(ends, loops, two));
        let links_before = sums[..me as usize].iter().map(|sum| sum.0).sum();
        let simple = sums.iter().map(|sum| sum.0).sum::<u64>() / 2;
        let loops = sums.iter().map(|sum| sum.1).sum();
        let kind = normal::kind(nodes.into(), simple, || sums.iter().all(|sum| sum.2));

        let mut wave = Wave::new(&lists, post);
        let names = &labels.names;
        if let Some(components) = wave.components(names) {
            let path = self.name.clone();
            return Err(End::Error(FileError::Disconnected { path, components }));
        }
        let diameter = if asked.diameter { Some(wave.diameter(simple)) } else { None };

        let mut notes: Vec<Note> = self.note.into_iter().collect();
        notes.extend(labels.header.map(|header| Note::Header { line: header.line }));
        notes.extend(counted([
            Note::Weights(further.weights),
            Note::Columns(further.columns),
            Note::ParallelLinks(links - loops - simple),
            Note::SelfLoops(loops),
        ]));
        let order = PortOrder::new(asked.ports, asked.seed);
        let block = lists.wired(order, links_before, post);
        Ok(Part {
            nodes: nodes.into(),
            links: simple,
            parts: all,
            number: me,
            kind,
            notes,
            diameter,
            source: self.name.clone(),
            block,
            names: labels.names,
            first: labels.first,
            asked: labels.asked,
        })
    }
}

/// Why no part is read: a fault of the file that is known by its place, or another error.
enum End {
    Fault(Fault),
    Error(FileError),
}

impl From<Fault> for End {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

fn too_large(what: String) -> End {
    End::Fault(Fault::Unsupported { what })
}
