//! Systems as relations: guarded actions over any number of participants, and the invariants that they keep.
//!
//! Reactions that use collections are not tabulated. A text beside the process has their actions instead. [`induction`]
//! proves the invariants of the text for every number of participants. [`steps`] takes a step of the code apart into
//! actions, or reports that it is none.
//! [`text`] describes the language.

pub mod induction;
mod smt;
pub mod steps;
mod structure;
pub mod text;

pub use structure::{FiniteStructure, Value};

/// The number of a sort, of a symbol or of a variable.
pub(crate) type Number = usize;

/// A sort of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSort {
    /// Its name.
    pub name: String,
    /// Whether its values are totally ordered, with a least one.
    pub is_ordered: bool,
}

/// What a symbol is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Of what never changes.
    Fixed,
    /// Of the state.
    State,
    /// Of the messages that are under way.
    Message,
    /// Of the past: no guard asks for it.
    Ghost,
}

/// A relation, or a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemSymbol {
    /// Its name.
    pub name: String,
    /// The sorts of its arguments.
    pub of: Vec<Number>,
    /// The sort of its values, if it is a function.
    pub value: Option<Number>,
    /// What it is part of.
    pub role: Role,
}

/// What stands for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SystemTerm {
    Variable(Number),
    Apply(Number, Vec<Self>),
    /// The least value of a sort.
    Least(Number),
}

/// A formula of first-order logic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SystemFormula {
    Is(Number, Vec<SystemTerm>),
    Same(SystemTerm, SystemTerm),
    Less(SystemTerm, SystemTerm),
    Not(Box<Self>),
    All(Vec<Self>),
    Any(Vec<Self>),
    /// For all values of these variables.
    Every(Vec<Number>, Box<Self>),
    /// For some.
    Some(Vec<Number>, Box<Self>),
}

impl SystemFormula {
    pub(crate) const TRUE: Self = Self::All(Vec::new());
    pub(crate) const FALSE: Self = Self::Any(Vec::new());

    pub(crate) fn not(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// Returns whether it speaks of a symbol that is such.
    pub(crate) fn mentions(&self, such: &impl Fn(Number) -> bool) -> bool {
        match self {
            Self::Is(symbol, terms) => {
                such(*symbol) || terms.iter().any(|term| term.mentions(such))
            }
            Self::Same(one, other) | Self::Less(one, other) => {
                one.mentions(such) || other.mentions(such)
            }
            Self::Not(of) | Self::Every(_, of) | Self::Some(_, of) => of.mentions(such),
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.mentions(such)),
        }
    }

    /// Puts terms in place of variables, where there is one.
    pub(crate) fn with(&self, terms: &impl Fn(Number) -> Option<SystemTerm>) -> Self {
        let each = |of: &[SystemTerm]| of.iter().map(|term| term.with(terms)).collect();
        let all = |parts: &[Self]| parts.iter().map(|part| part.with(terms)).collect();
        match self {
            Self::Is(symbol, of) => Self::Is(*symbol, each(of)),
            Self::Same(one, other) => Self::Same(one.with(terms), other.with(terms)),
            Self::Less(one, other) => Self::Less(one.with(terms), other.with(terms)),
            Self::Not(of) => of.with(terms).not(),
            Self::All(parts) => Self::All(all(parts)),
            Self::Any(parts) => Self::Any(all(parts)),
            Self::Every(bound, of) => Self::Every(bound.clone(), Box::new(of.with(terms))),
            Self::Some(bound, of) => Self::Some(bound.clone(), Box::new(of.with(terms))),
        }
    }
}

impl SystemTerm {
    pub(crate) fn mentions(&self, such: &impl Fn(Number) -> bool) -> bool {
        match self {
            Self::Apply(symbol, of) => such(*symbol) || of.iter().any(|term| term.mentions(such)),
            Self::Variable(_) | Self::Least(_) => false,
        }
    }

    pub(crate) fn with(&self, terms: &impl Fn(Number) -> Option<Self>) -> Self {
        match self {
            Self::Variable(number) => terms(*number).unwrap_or_else(|| self.clone()),
            Self::Apply(symbol, of) => {
                Self::Apply(*symbol, of.iter().map(|term| term.with(terms)).collect())
            }
            Self::Least(_) => self.clone(),
        }
    }
}

/// A formula with a name. Variables that it does not bind mean *all*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedClaim {
    /// Its name.
    pub name: String,
    /// What it says, in words.
    pub says: String,
    /// The text of the formula.
    pub text: String,
    pub(crate) formula: SystemFormula,
    pub(crate) variables: Scope,
    /// The action that has to happen for it to hold; `None` if it holds in all states.
    pub(crate) at: Option<Number>,
}

/// Variables: the name of each, and its sort.
pub(crate) type Scope = Vec<(String, Number)>;

/// A change of a symbol: at the values of these terms it is this afterwards. A variable that is no parameter of the
/// action stands for any value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Update {
    pub(crate) symbol: Number,
    pub(crate) at: Vec<SystemTerm>,
    pub(crate) becomes: Becomes,
}

/// What a symbol becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Becomes {
    Relation(SystemFormula),
    Function(SystemTerm),
}

/// What may happen: the first parameter is the participant that does it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardedAction {
    /// Its name.
    pub name: String,
    /// What it is, in words.
    pub says: String,
    /// The number of parameters: the first variables.
    pub(crate) parameters: usize,
    pub(crate) variables: Scope,
    pub(crate) guard: SystemFormula,
    pub(crate) updates: Vec<Update>,
}

/// A system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relation {
    /// The sorts.
    pub sorts: Vec<ValueSort>,
    /// The symbols.
    pub symbols: Vec<SystemSymbol>,
    /// What is true of what never changes.
    pub axioms: Vec<NamedClaim>,
    /// What is true at first.
    pub start: Vec<NamedClaim>,
    /// What may happen.
    pub actions: Vec<GuardedAction>,
    /// What is true at first, and after each action if it was before.
    pub invariants: Vec<NamedClaim>,
    /// What follows.
    pub goals: Vec<NamedClaim>,
}

impl Relation {
    /// Returns the number of the symbol of this name.
    #[must_use]
    pub fn symbol(&self, name: &str) -> Option<usize> {
        self.symbols.iter().position(|symbol| symbol.name == name)
    }

    /// Returns the number of the sort of this name.
    #[must_use]
    pub fn sort(&self, name: &str) -> Option<usize> {
        self.sorts.iter().position(|sort| sort.name == name)
    }

    pub(crate) fn is(&self, symbol: Number, role: Role) -> bool {
        self.symbols[symbol].role == role
    }

    /// The sort of a term.
    pub(crate) fn sort_of(&self, term: &SystemTerm, scope: &Scope) -> Number {
        match term {
            SystemTerm::Variable(number) => scope[*number].1,
            SystemTerm::Apply(symbol, _) => self.symbols[*symbol].value.expect("it is a function"),
            SystemTerm::Least(sort) => *sort,
        }
    }
}
