//! What one worker reads: the lines that begin in a range of the bytes.

use super::{
    super::{
        columns,
        edges::{self, First, Further, Row},
        error::Position,
        raw::{Fault, NodeIds},
    },
    EdgeList, End,
    letters::{Post, told},
    too_large,
};
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Seek, SeekFrom},
};

/// The content of a range of a file: nodes are numbered in the order in which the range mentions them.
#[derive(Default)]
pub(super) struct Range {
    pub(super) ids: NodeIds,
    pub(super) links: Vec<(u32, u32)>,
    /// The first line that has content, if it is a link.
    pub(super) first: Option<First>,
    /// The number of nodes known when a word of that line was mentioned again, for each of its words.
    pub(super) again: [Option<u32>; 2],
    further: Further,
    /// The number of lines, of those with content, and whether one of these is a node alone.
    lines: u64,
    content: u64,
    lone: bool,
    stop: Option<Stop>,
}

/// Why a range was not read to its end.
enum Stop {
    /// A line is at fault; its number in the range, and its bytes.
    Line(u64, Vec<u8>),
    /// The file cannot be read.
    Unread(io::Error),
    /// There are too many labels.
    Full,
}

/// What all workers know of all ranges.
pub(super) struct Counts {
    /// The range of the first line that has content.
    pub(super) leader: u32,
    /// That line, if it is a link, by its number in the whole file.
    pub(super) first: Option<First>,
    /// Whether the range of that line mentions its words again.
    pub(super) again: [bool; 2],
    pub(super) further: Further,
    pub(super) links: u64,
    pub(super) lone: bool,
}

/// What a worker tells of its range.
#[derive(Serialize, Deserialize)]
struct Told {
    lines: u64,
    content: u64,
    links: u64,
    lone: bool,
    weights: u64,
    columns: u64,
    first: Option<(u64, [String; 2], u64, u64)>,
    again: [bool; 2],
    stopped: bool,
}

/// The fault at which reading stopped, as it is told to all workers. `Line` has the line's number apart.
#[derive(Serialize, Deserialize)]
enum ToldFault {
    Line(u64, String),
    Encoding(String),
    Unread(String),
    Full,
}

impl Range {
    /// Reads the range of a worker.
    pub(super) fn read(list: &EdgeList, worker: u32, workers: u32) -> Self {
        let mut range = Self::default();
        if let Err(error) = range.read_lines(list, worker, workers) {
            range.stop = Some(Stop::Unread(error));
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
            self.lines += 1;
            match self.take(list, &line) {
                Ok(()) => {}
                Err(Fault::TooLarge { .. }) => self.stop = Some(Stop::Full),
                Err(_) => self.stop = Some(Stop::Line(self.lines, std::mem::take(&mut line))),
            }
            if self.stop.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn take(&mut self, list: &EdgeList, line: &[u8]) -> Result<(), Fault> {
        let Some(Row { from, to, further }) = row(list, line, self.lines)? else { return Ok(()) };
        self.content += 1;
        let a = self.mention(&from)?;
        let Some(to) = to else {
            self.lone = true;
            return Ok(());
        };
        let b = self.mention(&to)?;
        self.links.push((a, b));
        self.further.weights += further.weights;
        self.further.columns += further.columns;
        if self.content == 1 {
            let words = [from.into(), to.into()];
            self.first = Some(First { line: self.lines, words, further });
        }
        Ok(())
    }

    fn mention(&mut self, label: &str) -> Result<u32, Fault> {
        if label.contains(char::is_control) {
            let what = format!(
                "the label `{}` has a control character, which one worker alone can replace: leave it \
                 out, or hold the election with one",
                label.escape_debug()
            );
            return Err(Fault::line(self.lines, what));
        }
        let number = self.ids.number(label)?;
        if self.content > 1
            && let Some(again) = self.again.get_mut(number as usize)
        {
            let known = self.ids.names.len();
            again.get_or_insert(known);
        }
        Ok(number)
    }

    /// Exchanges what all ranges count. Returns the error of the first fault in the file, if there is
    /// one.
    pub(super) fn checked(&self, list: &EdgeList, post: &mut Post<'_>) -> Result<Counts, End> {
        // Where both words are the same, so are their mentions.
        let same = self.first.as_ref().is_some_and(|first| first.words[0] == first.words[1]);
        let again = [self.again[0], self.again[usize::from(!same)]].map(|again| again.is_some());
        let ranges: Vec<Told> = told(
            post,
            &Told {
                lines: self.lines,
                content: self.content,
                links: self.links.len() as u64,
                lone: self.lone,
                weights: self.further.weights,
                columns: self.further.columns,
                first: self.first.as_ref().map(|first| {
                    let Further { weights, columns } = first.further;
                    (first.line, first.words.clone(), weights, columns)
                }),
                again,
                stopped: self.stop.is_some(),
            },
        );
        let lines = |ranges: &[Told]| ranges.iter().map(|range| range.lines).sum::<u64>();
        let before: Vec<u64> = (0..ranges.len()).map(|at| lines(&ranges[..at])).collect();
        if let Some(first) = ranges.iter().position(|range| range.stopped) {
            return Err(self.fault(list, first as u32, before[first], post));
        }
        let leader = ranges.iter().position(|range| range.content > 0).unwrap_or(0);
        let first = ranges[leader].first.as_ref().map(|(line, words, weights, columns)| First {
            line: before[leader] + line,
            words: words.clone(),
            further: Further { weights: *weights, columns: *columns },
        });
        let sum = |count: fn(&Told) -> u64| ranges.iter().map(count).sum();
        let further =
            Further { weights: sum(|range| range.weights), columns: sum(|range| range.columns) };
        Ok(Counts {
            leader: leader as u32,
            first,
            again: ranges[leader].again,
            further,
            links: sum(|range| range.links),
            lone: ranges.iter().any(|range| range.lone),
        })
    }

    fn fault(&self, list: &EdgeList, worker: u32, before: u64, post: &mut Post<'_>) -> End {
        let own = match &self.stop {
            Some(stop) if worker == post.me() => Some(match stop {
                Stop::Line(line, bytes) => Self::fault_of(list, before + line, bytes),
                Stop::Unread(error) => ToldFault::Unread(error.to_string()),
                Stop::Full => ToldFault::Full,
            }),
            _ => None,
        };
        let fault = told(post, &own).into_iter().flatten().next();
        match fault.unwrap_or(ToldFault::Full) {
            ToldFault::Line(line, what) => Fault::line(line, what).into(),
            ToldFault::Encoding(what) => Fault::Encoding { what }.into(),
            ToldFault::Unread(why) => Fault::Io(io::Error::other(why)).into(),
            ToldFault::Full => {
                too_large("a worker reads too many labels: choose more workers".into())
            }
        }
    }

    /// Reads a line again that is at fault, by its number in the whole file.
    fn fault_of(list: &EdgeList, number: u64, bytes: &[u8]) -> ToldFault {
        let mut again = Self { lines: number - 1, ..Self::default() };
        again.lines += 1;
        match again.take(list, bytes) {
            Err(Fault::Syntax { at: Position { line, .. }, what }) => ToldFault::Line(line, what),
            Err(Fault::Encoding { what }) => ToldFault::Encoding(what),
            _ => ToldFault::Full,
        }
    }
}

impl Counts {
    pub(super) fn sum(mut self, header: Option<&First>) -> Self {
        if let Some(header) = header {
            self.links -= 1;
            self.further.weights -= header.further.weights;
            self.further.columns -= header.further.columns;
        }
        self
    }
}

/// Reads a line, if it has content.
fn row<'a>(list: &EdgeList, bytes: &'a [u8], number: u64) -> Result<Option<Row<'a>>, Fault> {
    let Some(line) = columns::content(bytes, number)? else { return Ok(None) };
    edges::row(line, number, list.separator, list.trust).map(Some)
}
