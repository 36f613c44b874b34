//! The columns of a diagram: lifelines, arrows and marks.

/// The characters of a column.
pub(super) const COLUMN: usize = 8;

/// A process, as its lifeline shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    Asleep,
    Awake,
    Follower,
    Leader,
    /// Halted, with its status before: its lifeline ends.
    HaltedUndecided,
    HaltedFollower,
    HaltedLeader,
    Crashed,
    /// In a run with crashes and recoveries: it has not started, runs, or is suspended.
    Unstarted,
    Up,
    Suspended,
}

impl Life {
    /// What its lifeline means.
    pub(super) fn explained(self) -> String {
        format!("{} {}", self.line(), self.word())
    }

    pub(super) const fn halted(self) -> Self {
        match self {
            Self::Leader | Self::HaltedLeader => Self::HaltedLeader,
            Self::Follower | Self::HaltedFollower => Self::HaltedFollower,
            Self::Asleep | Self::Awake | Self::HaltedUndecided => Self::HaltedUndecided,
            Self::Crashed | Self::Unstarted | Self::Up | Self::Suspended => self,
        }
    }

    /// The lifeline itself.
    const fn line(self) -> char {
        match self {
            Self::Asleep | Self::Suspended => '┊',
            Self::Awake | Self::Follower | Self::Up => '│',
            Self::Leader => '║',
            Self::HaltedUndecided
            | Self::HaltedFollower
            | Self::HaltedLeader
            | Self::Crashed
            | Self::Unstarted => ' ',
        }
    }

    /// The lifeline where an arrow leaves it, to the right or to the left.
    const fn leaving(self, right: bool) -> char {
        match (self.line(), right) {
            (' ', _) => '─',
            ('║', true) => '╟',
            ('║', false) => '╢',
            (_, true) => '├',
            (_, false) => '┤',
        }
    }

    /// The lifeline where an arrow crosses it.
    const fn crossed(self) -> char {
        match self.line() {
            ' ' => '─',
            '║' => '╫',
            _ => '┼',
        }
    }

    /// How it ends.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Asleep => "asleep",
            Self::Awake => "open",
            Self::Follower | Self::HaltedFollower => "follows",
            Self::Leader | Self::HaltedLeader => "leads",
            Self::HaltedUndecided => "halted",
            Self::Crashed => "crashed",
            Self::Unstarted => "not yet",
            Self::Up => "up",
            Self::Suspended => "suspended",
        }
    }
}

/// A sign at a process, or at the end of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    Wake,
    Receive,
    Lead,
    Alarm,
    Discard,
    Lose,
    Duplicate,
    Crash,
    Start,
    Suspend,
    Resume,
    Leave,
}

impl Mark {
    /// The signs in the order of the marks, and what they mean.
    const SIGNS: [(char, &'static str); 12] = [
        ('◆', "wakes"),
        ('●', "receives"),
        ('★', "becomes the leader"),
        ('◇', "its alarm rings"),
        ('○', "receives, and takes no notice"),
        ('×', "a message is lost"),
        ('+', "a message is doubled"),
        ('†', "crashes"),
        ('◆', "starts"),
        ('∥', "is suspended"),
        ('▷', "goes on"),
        ('☆', "leads no longer"),
    ];

    pub(super) const fn sign(self) -> char {
        Self::SIGNS[self as usize].0
    }

    pub(super) const fn meaning(self) -> &'static str {
        Self::SIGNS[self as usize].1
    }

    /// Whether the message stays on its way: the sign is then before the receiver's lifeline.
    pub(super) const fn is_on_the_way(self) -> bool {
        matches!(self, Self::Lose | Self::Duplicate)
    }
}

/// Something to draw in a row.
pub(super) enum Stroke {
    Dot(u32, Mark),
    Arrow { from: u32, to: u32, head: Mark },
}

/// The column of a process's lifeline.
const fn place(node: u32) -> usize {
    node as usize * COLUMN + COLUMN / 2
}

/// A word in the middle of each column.
pub(super) fn words(words: &[String]) -> String {
    let column = |word: &String| {
        let before = (COLUMN / 2).saturating_sub(word.chars().count() / 2);
        let word = format!("{}{word}", " ".repeat(before));
        format!("{word:COLUMN$}")
    };
    words.iter().map(column).collect()
}

/// The lifelines alone.
pub(super) fn lines(lives: &[Life]) -> Vec<char> {
    let mut line = vec![' '; lives.len() * COLUMN];
    for (node, life) in (0..).zip(lives) {
        line[place(node)] = life.line();
    }
    line
}

/// An event between the processes as they were before it, and the marks that it has.
pub(super) fn row(lives: &[Life], strokes: &[Stroke]) -> (String, Vec<Mark>) {
    let mut line = lines(lives);
    let mut marks = Vec::new();
    for stroke in strokes {
        match *stroke {
            Stroke::Dot(node, mark) => {
                line[place(node)] = mark.sign();
                marks.push(mark);
            }
            Stroke::Arrow { from, to, head } => {
                arrow(&mut line, lives, from, to, head);
                marks.push(head);
            }
        }
    }
    (line.into_iter().collect(), marks)
}

fn arrow(line: &mut [char], lives: &[Life], from: u32, to: u32, head: Mark) {
    let right = from < to;
    let (start, end) = (place(from), place(to));
    // The last character before the receiver.
    let tip = if right { end - 1 } else { end + 1 };
    if from == to {
        line[tip] = '↻';
    } else {
        let (low, high) = (start.min(end) + 1, start.max(end));
        line[low..high].fill('─');
        for node in from.min(to) + 1..from.max(to) {
            line[place(node)] = lives[node as usize].crossed();
        }
        line[start] = lives[from as usize].leaving(right);
        line[tip] = if right { '►' } else { '◄' };
    }
    if head.is_on_the_way() {
        line[tip] = head.sign();
    } else {
        line[end] = head.sign();
    }
}

/// What the signs of a diagram mean.
pub(super) fn legend(marks: &[Mark]) -> Vec<String> {
    let mut signs = marks.to_vec();
    signs.sort_unstable();
    signs.dedup();
    signs.iter().map(|mark| format!("{} {}", mark.sign(), mark.meaning())).collect()
}
