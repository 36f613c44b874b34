//! Assertions: the formulas of invariants.
//!
//! `docs/reference/invariants.md` describes the language.

mod parser;

use alloc::{boxed::Box, string::String, vec::Vec};
use core::fmt;

/// A formula about a configuration, in which the variables that stand free mean all processes and all
/// places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The formula.
    pub formula: AssertionPart,
    /// Its variables: at first those that stand free, then those after `exists`.
    pub variables: Vec<Variable>,
    /// The number of variables that stand free.
    pub free: usize,
}

/// A part of an [`Assertion`]; variables are given by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssertionPart {
    /// Something that is not claimed.
    Not(Box<Self>),
    /// All of these.
    All(Vec<Self>),
    /// One of these at least.
    Any(Vec<Self>),
    /// If the first, then the second.
    If(Box<Self>, Box<Self>),
    /// There are such processes or places.
    Exists(Vec<usize>, Box<Self>),
    /// Compares two identities, or two places on one link: the message that was sent earlier is the lesser.
    Order(usize, Comparison, usize),
    /// The second lies on the way forward from the first to the third.
    Between(usize, usize, usize),
    /// The state of a process says so.
    State(usize, NamedTerm),
    /// Such a message is at a place, and moves this way; or, in a complete network, between these processes.
    Message(RingDirection, NamedTerm, usize, MessageEnds),
    /// The process has sent such a message at some time.
    Sent(NamedTerm, usize),
    /// As many of those on the left as of those on the right.
    AsMany(Vec<CountedTerm>),
}

/// Processes, or messages under way, that are counted on one side of an equation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedTerm {
    /// The variable that stands for each of them.
    pub variable: usize,
    /// What is so of those that count.
    pub such: AssertionPart,
    /// Whether they are on the left.
    pub is_left: bool,
}

/// What an equation without a premise supposes: nothing.
static NOTHING: AssertionPart = AssertionPart::All(Vec::new());

/// The processes between which a message goes in a complete network, as far as they are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageEnds {
    /// The one to which it goes.
    pub to: Option<usize>,
    /// The one from which it comes.
    pub from: Option<usize>,
}

impl MessageEnds {
    /// Returns the variables of both.
    pub fn variables(self) -> impl Iterator<Item = usize> + Clone {
        self.to.into_iter().chain(self.from)
    }
}

/// A name with arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedTerm {
    /// The name.
    pub name: String,
    /// The arguments; of a state those after the process.
    pub arguments: Vec<Argument>,
    /// Whether it is said of the ports in a set, and the process keeps only their number.
    pub is_counted: bool,
}

impl NamedTerm {
    /// Returns whether an argument is a port that leads one way.
    pub(crate) fn has_port(&self) -> bool {
        self.arguments.iter().any(|of| matches!(of, Argument::Port(_)))
    }
}

/// An argument of a [`NamedTerm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The variable of this number, a process.
    Variable(usize),
    /// The port that leads this way.
    Port(RingDirection),
    /// First ports that lead to a majority of a complete network, with the process itself.
    Most,
    /// Anything.
    Any,
}

/// A direction on a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RingDirection {
    /// To the next process.
    Forward,
    /// To the one before.
    Back,
}

/// How two compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The first is smaller.
    Less,
    /// The first is not larger.
    AtMost,
    /// They are the same.
    Same,
}

/// A variable of an [`Assertion`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What it means.
    pub sort: Sort,
}

/// What a [`Variable`] means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A process, or its identity.
    Process,
    /// The place of a message.
    Place,
}

/// A formula that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertionError {
    /// The line, from 1 on.
    pub line: usize,
    /// The column in the line, from 1 on.
    pub column: usize,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl fmt::Display for AssertionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

impl core::error::Error for AssertionError {}

impl Assertion {
    /// Reads an assertion.
    ///
    /// # Errors
    /// If it cannot be read; the error names the place.
    pub fn read(text: &str) -> Result<Self, AssertionError> {
        parser::read(text)
    }

    /// Returns whether it speaks of what no configuration tells: of what processes have sent, or of sets of ports that
    /// they only count, from which they have taken those whose messages came.
    #[must_use]
    pub fn is_of_history(&self) -> bool {
        self.formula.any(&|part| match part {
            AssertionPart::Sent(..) => true,
            AssertionPart::State(_, term) => term.is_counted,
            _ => false,
        })
    }

    /// Returns whether it says this of the state of a process, or of processes.
    #[must_use]
    pub fn mentions_fact(&self, name: &str) -> bool {
        self.formula.any(&|part| matches!(part, AssertionPart::State(_, term) if term.name == name))
    }

    /// Returns whether it says that something exists: where there is something on one side of an equation, and not on
    /// the other, too.
    #[must_use]
    pub fn is_existential(&self) -> bool {
        let exists =
            |part: &_| matches!(part, AssertionPart::Exists(..) | AssertionPart::AsMany(_));
        self.formula.any(&exists)
    }

    /// Returns what an equation supposes, and what is counted on its sides; `None` if it is none.
    #[must_use]
    pub fn equation(&self) -> Option<(&AssertionPart, &[CountedTerm])> {
        match &self.formula {
            AssertionPart::AsMany(terms) => Some((&NOTHING, terms)),
            AssertionPart::If(premise, conclusion) => match &**conclusion {
                AssertionPart::AsMany(terms) => Some((premise, terms)),
                _ => None,
            },
            _ => None,
        }
    }
}

impl AssertionPart {
    /// Returns whether this or a part of it is such.
    pub fn any(&self, such: &impl Fn(&Self) -> bool) -> bool {
        such(self)
            || match self {
                Self::Not(of) | Self::Exists(_, of) => of.any(such),
                Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.any(such)),
                Self::If(one, other) => one.any(such) || other.any(such),
                Self::AsMany(terms) => terms.iter().any(|term| term.such.any(such)),
                _ => false,
            }
    }

    /// Returns whether it says something of such a variable.
    pub fn mentions(&self, such: &impl Fn(usize) -> bool) -> bool {
        let in_term = |term: &NamedTerm| {
            let is_such =
                |argument: &Argument| matches!(argument, Argument::Variable(of) if such(*of));
            term.arguments.iter().any(is_such)
        };
        self.any(&|part| match part {
            Self::Order(one, _, other) => such(*one) || such(*other),
            Self::Between(one, other, third) => such(*one) || such(*other) || such(*third),
            Self::State(process, term) | Self::Sent(term, process) => {
                such(*process) || in_term(term)
            }
            Self::Message(_, term, at, to) => {
                in_term(term) || such(*at) || to.variables().any(such)
            }
            _ => false,
        })
    }
}
