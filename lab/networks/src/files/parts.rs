//! Edge lists that several workers read, each a part: no worker ever has the whole network.
//!
//! All workers open the same [`EdgeList`] and read [their parts](EdgeList::part) at the same time, over an
//! [`Exchange`] of letters. What the workers of one place have is a [`PartialNetwork`], on which an engine can
//! run that holds blocks of processes.

mod labels;
mod letters;
mod network;
mod wave;

pub use letters::Exchange;
pub use network::{NetworkPart, PartialNetwork, block_width};

use super::{
    columns::{Columns, Line, Row, Rows},
    edges::{Counts, EdgeForm},
    encoding,
    error::{FileError, FilePosition},
    foreign,
    raw::{self, Flaw, NodeIds, counted},
    read_head,
};
use crate::{
    FileFormat, FileOptions, Ports, input::newlines, memory::NetworkMemory, ports::PortArrangement,
    topology::Note,
};
use letters::{Post, told};
use network::PartLists;
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    fs::File,
    io::{self, BufRead, BufReader, Seek, SeekFrom},
    path::{Path, PathBuf},
};
use wave::PartSearch;

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
    columns: Columns,
    form: EdgeForm,
    /// The numbers of the first row, which may be counts.
    counts: Option<Counts>,
    notes: Vec<Note>,
    /// The number of columns of the first row.
    width: usize,
    /// The byte where the first row begins below a header, the byte after the last one, and the numbers of
    /// lines and comments before.
    begin: u64,
    end: u64,
    lines: u64,
    comments: u64,
    /// The mean length of the first lines, in bytes.
    line: u64,
}

/// Options for reading the network in an [`EdgeList`].
#[derive(Clone, Debug, Default)]
pub struct PartRequest {
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

    fn recognized(path: &Path, name: &str, options: FileOptions) -> Result<Option<Self>, Flaw> {
        let file = File::open(path)?;
        let known = file.metadata()?;
        if options.largest_component || !known.is_file() {
            return Ok(None);
        }
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let start = reader.fill_buf()?;
        foreign::refuse_binary(start)?;
        if !encoding::is_plain(start) || options.format.is_some_and(|told| told.encoding.is_some())
        {
            return Ok(None);
        }
        let mark = if start.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        reader.consume(mark);
        let (head, reading) = read_head(&mut reader, name, options)?;
        let text = String::from_utf8_lossy(&head);
        let syntax = &reading.syntax;
        let Some(separator) = syntax.separator.filter(|_| syntax.format == FileFormat::EdgeList)
        else {
            return Ok(None);
        };
        let columns = Columns::new(syntax, separator);
        let is_open = |line| matches!(columns.line(line, 2), Ok(Line::Open));
        if text.contains('"') && text.lines().any(is_open) {
            return Ok(None);
        }
        let Opening { header, width, bytes, lines, comments } =
            Opening::of(&text, &columns, syntax.header == Some(true))?;
        let mut notes: Vec<Note> = reading.note().into_iter().collect();
        notes.extend(header.as_ref().map(|row| Note::Header { line: row.line }));
        let all_lines = newlines(&head);
        Ok(Some(Self {
            path: path.to_owned(),
            name: name.to_owned(),
            form: EdgeForm::new(syntax, header.as_ref().map(|row| &row.columns[..]), reading.trust),
            columns,
            counts: reading.counts,
            notes,
            width,
            begin: mark as u64 + bytes,
            end: known.len().max(mark as u64 + bytes),
            lines,
            comments,
            line: (head.len() as u64).div_ceil(all_lines.max(1)).max(1),
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
        NetworkMemory::stored(0, (self.end - self.begin) / self.line).peak
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
    pub fn part(
        &self,
        asked: &PartRequest,
        exchange: &mut dyn Exchange,
    ) -> Result<NetworkPart, FileError> {
        self.read(asked, &mut Post::new(exchange)).map_err(|end| match end {
            PartError::Flaw(fault) => fault.in_file(&self.name),
            PartError::Error(error) => error,
        })
    }

    fn read(&self, asked: &PartRequest, post: &mut Post<'_>) -> Result<NetworkPart, PartError> {
        let (me, all) = (post.me(), post.all());
        let mut range = ByteRange::read(self, me, all);
        let total = range.checked(self, post)?;
        let labels = range.numbered(&asked.labels, self.form.trust, post)?;
        let nodes = labels.nodes;
        if nodes == 0 {
            return Err(PartError::Error(FileError::Empty { path: self.name.clone() }));
        }
        if let Some(counts) = self.counts {
            counts.refuse(nodes.into(), total.links)?;
        }
        let lists = PartLists::exchange(nodes, &labels.links, post)?;
        let loops = labels.links.iter().filter(|(a, b)| a == b).count() as u64;
        drop(labels.links);

        let ends = lists.graph.ends();
        let two = (0..lists.graph.nodes()).all(|row| lists.graph.neighbours(row).len() == 2);
        let sums = told::<(u64, u64, bool)>(post, &(ends, loops, two));
        let links_before = sums[..me as usize].iter().map(|sum| sum.0).sum();
        let simple = sums.iter().map(|sum| sum.0).sum::<u64>() / 2;
        let loops = sums.iter().map(|sum| sum.1).sum();
        let kind = raw::kind(nodes.into(), simple, || sums.iter().all(|sum| sum.2));

        let mut wave = PartSearch::new(&lists, post);
        let names = &labels.names;
        if let Some(components) = wave.components(names) {
            let path = self.name.clone();
            return Err(PartError::Error(FileError::Disconnected { path, components }));
        }
        let diameter = if asked.diameter { Some(wave.diameter(simple)) } else { None };

        let mut notes = self.notes.clone();
        notes.extend(counted([
            Note::Comments(self.comments + total.comments),
            Note::Weights(total.weights),
            Note::Columns(total.columns),
            Note::ParallelLinks(total.links - loops - simple),
            Note::SelfLoops(loops),
        ]));
        let order = PortArrangement::new(asked.ports, asked.seed);
        let block = lists.wired(order, links_before, post);
        Ok(NetworkPart {
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

/// The lines before the first row that has a link.
struct Opening {
    /// The first row, if it is a header.
    header: Option<Row<'static>>,
    /// The number of columns of the first row.
    width: usize,
    bytes: u64,
    lines: u64,
    comments: u64,
}

impl Opening {
    /// Reads the lines before the first row.
    fn of(text: &str, columns: &Columns, has_header: bool) -> Result<Self, Flaw> {
        let mut rows = Rows::default();
        let mut opening = Self { header: None, width: 0, bytes: 0, lines: 0, comments: 0 };
        for line in text.split_inclusive('\n') {
            let number = opening.lines + 1;
            let found = columns.line(line, number)?;
            if let Some(found) = rows.take(columns, found, number)? {
                if opening.width == 0 {
                    opening.width = found.len();
                }
                if !has_header || opening.header.is_some() {
                    break;
                }
                let found =
                    found.into_iter().map(|column| Cow::Owned(column.into_owned())).collect();
                opening.header = Some(Row { line: number, columns: found });
            }
            opening.comments = rows.comments;
            opening.lines = number;
            opening.bytes += line.len() as u64;
        }
        Ok(opening)
    }
}

/// The content of a range of a file: nodes are numbered in the order in which the range mentions them.
#[derive(Default)]
struct ByteRange {
    ids: NodeIds,
    links: Vec<(u32, u32)>,
    rows: Rows,
    count: RangeCounts,
    stop: Option<RangeStop>,
}

/// Why a range was not read to its end.
enum RangeStop {
    /// A line is at fault; its number in the range, and its bytes.
    Line(u64, Vec<u8>),
    /// The file cannot be read.
    Unread(io::Error),
    /// There are too many labels.
    Full,
}

/// What a range has, or all of them.
#[derive(Clone, Default, Serialize, Deserialize)]
struct RangeCounts {
    lines: u64,
    links: u64,
    comments: u64,
    weights: u64,
    columns: u64,
    stopped: bool,
}

/// The fault at which reading stopped, as it is told to all workers. `Line` has the line's number apart.
#[derive(Serialize, Deserialize)]
enum RangeFault {
    Line(u64, String),
    Encoding(String),
    Unread(String),
    Full,
}

impl ByteRange {
    /// Reads the range of a worker.
    fn read(list: &EdgeList, worker: u32, workers: u32) -> Self {
        let mut range = Self { rows: Rows::after(list.width), ..Self::default() };
        if let Err(error) = range.read_lines(list, worker, workers) {
            range.stop = Some(RangeStop::Unread(error));
        }
        range
    }

    fn read_lines(&mut self, list: &EdgeList, worker: u32, workers: u32) -> io::Result<()> {
        let bytes = u128::from(list.end - list.begin);
        let bound =
            |worker: u32| list.begin + (bytes * u128::from(worker) / u128::from(workers)) as u64;
        let (begin, end) = (bound(worker), bound(worker + 1));
        let mut file = File::open(&list.path)?;
        let mut line = Vec::new();
        let mut at = begin;
        // A line that began before belongs to the range in which it did.
        if begin > list.begin {
            at -= 1;
        }
        file.seek(SeekFrom::Start(at))?;
        let mut reader = BufReader::with_capacity(1 << 18, file);
        if begin > list.begin {
            at += reader.skip_until(b'\n')? as u64;
        }
        while at < end {
            line.clear();
            let read = reader.read_until(b'\n', &mut line)?;
            if read == 0 {
                break;
            }
            at += read as u64;
            self.count.lines += 1;
            match self.take(list, &line, list.lines + self.count.lines) {
                Ok(()) => {}
                Err(Flaw::TooLarge { .. }) => self.stop = Some(RangeStop::Full),
                Err(_) => {
                    self.stop = Some(RangeStop::Line(self.count.lines, std::mem::take(&mut line)));
                }
            }
            if self.stop.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn take(&mut self, list: &EdgeList, line: &[u8], number: u64) -> Result<(), Flaw> {
        let line = list.columns.line(encoding::line(line, number)?, number)?;
        let Some(columns) = self.rows.take(&list.columns, line, number)? else { return Ok(()) };
        let row = list.form.row(Row { line: number, columns })?;
        let from = self.mention(&row.from, number)?;
        if let Some(to) = &row.to {
            let to = self.mention(to, number)?;
            self.links.push((from, to));
            self.count.weights += u64::from(row.weighs);
            self.count.columns += u64::from(row.further);
        }
        Ok(())
    }

    fn mention(&mut self, label: &str, line: u64) -> Result<u32, Flaw> {
        if label.contains(char::is_control) {
            let what = format!(
                "the label `{}` has a control character, which only a single worker can replace: \
                 remove it, or run the election with one worker",
                label.escape_debug()
            );
            return Err(Flaw::line(line, what));
        }
        self.ids.number(label)
    }

    /// Exchanges what all ranges count. Returns the error of the first fault in the file, if there is
    /// one.
    fn checked(&mut self, list: &EdgeList, post: &mut Post<'_>) -> Result<RangeCounts, PartError> {
        self.count.links = self.links.len() as u64;
        self.count.comments = self.rows.comments;
        self.count.stopped = self.stop.is_some();
        let ranges: Vec<RangeCounts> = told(post, &self.count);
        if let Some(first) = ranges.iter().position(|range| range.stopped) {
            let before = list.lines + ranges[..first].iter().map(|range| range.lines).sum::<u64>();
            return Err(self.fault(list, first as u32, before, post));
        }
        let sum = |count: fn(&RangeCounts) -> u64| ranges.iter().map(count).sum();
        Ok(RangeCounts {
            lines: sum(|range| range.lines),
            links: sum(|range| range.links),
            comments: sum(|range| range.comments),
            weights: sum(|range| range.weights),
            columns: sum(|range| range.columns),
            stopped: false,
        })
    }

    fn fault(&self, list: &EdgeList, worker: u32, before: u64, post: &mut Post<'_>) -> PartError {
        let own = match &self.stop {
            Some(stop) if worker == post.me() => Some(match stop {
                RangeStop::Line(line, bytes) => Self::fault_of(list, before + line, bytes),
                RangeStop::Unread(error) => RangeFault::Unread(error.to_string()),
                RangeStop::Full => RangeFault::Full,
            }),
            _ => None,
        };
        let fault = told(post, &own).into_iter().flatten().next();
        match fault.unwrap_or(RangeFault::Full) {
            RangeFault::Line(line, what) => Flaw::line(line, what).into(),
            RangeFault::Encoding(what) => Flaw::Encoding { what }.into(),
            RangeFault::Unread(why) => Flaw::Io(io::Error::other(why)).into(),
            RangeFault::Full => {
                too_large("a worker reads too many labels: choose more workers".into())
            }
        }
    }

    /// Reads a line again that is at fault, by its number in the whole file.
    fn fault_of(list: &EdgeList, number: u64, bytes: &[u8]) -> RangeFault {
        let mut again = Self { rows: Rows::after(list.width), ..Self::default() };
        match again.take(list, bytes, number) {
            Err(Flaw::Syntax { at: FilePosition { line, .. }, what }) => {
                RangeFault::Line(line, what)
            }
            Err(Flaw::Encoding { what }) => RangeFault::Encoding(what),
            _ => RangeFault::Full,
        }
    }
}

/// Why no part is read: a fault of the file that is known by its place, or another error.
enum PartError {
    Flaw(Flaw),
    Error(FileError),
}

impl From<Flaw> for PartError {
    fn from(fault: Flaw) -> Self {
        Self::Flaw(fault)
    }
}

fn too_large(what: String) -> PartError {
    PartError::Flaw(Flaw::Unsupported { what })
}
