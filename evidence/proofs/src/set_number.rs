//! Symbols and sets of ports by their numbers, and what paths ask of such sets.

use std::fmt;

/// The number of a symbol.
pub type Symbol = u64;

/// The identity of the process that reacts.
pub const OWN: Symbol = 0;

/// Writes a symbol: `own` is the identity of the process, other letters are any.
pub(crate) struct Letter(pub(crate) Symbol);

impl fmt::Display for Letter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            OWN => f.write_str("own"),
            symbol => write!(f, "{}", char::from(b'h' + (symbol % 16) as u8)),
        }
    }
}

/// The number of a set of ports: what it is made of.
///
/// The lowest byte says from which set, and each further byte which port has been taken out, by the symbol of the
/// process to which it leads, plus one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SetNumber(pub u64);

/// From what a set is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetBase {
    /// The set of this number among those in the state.
    State(usize),
    /// All ports.
    All,
}

/// What a path asks of a set of ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetGuard {
    /// Whether the port that leads to this process is in it.
    Contains(SetNumber, Symbol, bool),
    /// Whether it is empty.
    Empty(SetNumber, bool),
    /// The port that is alone in it leads to this process; or none is.
    Last(SetNumber, Option<Symbol>),
}

impl SetNumber {
    pub(crate) const ALL: u64 = 0xff;

    /// Returns from what it is made.
    #[must_use]
    pub const fn base(self) -> SetBase {
        match self.0 & 0xff {
            Self::ALL => SetBase::All,
            number => SetBase::State(number as usize),
        }
    }

    /// Returns the processes to which the ports lead that have been taken out.
    pub fn taken_out(self) -> impl Iterator<Item = Symbol> {
        let bytes = self.0.to_le_bytes().into_iter().skip(1);
        bytes.take_while(|&byte| byte > 0).map(|byte| Symbol::from(byte) - 1)
    }
}

impl SetGuard {
    /// Returns the set.
    #[must_use]
    pub const fn set(self) -> SetNumber {
        match self {
            Self::Contains(set, ..) | Self::Empty(set, _) | Self::Last(set, _) => set,
        }
    }

    /// Returns the process that is named.
    #[must_use]
    pub const fn symbol(self) -> Option<Symbol> {
        match self {
            Self::Contains(_, to, _) => Some(to),
            Self::Last(_, to) => to,
            Self::Empty(..) => None,
        }
    }
}

impl fmt::Display for SetNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.base() {
            SetBase::All => f.write_str("all")?,
            SetBase::State(number) => write!(f, "set {number}")?,
        }
        for to in self.taken_out() {
            write!(f, " without {}", Letter(to))?;
        }
        Ok(())
    }
}

impl fmt::Display for SetGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = |holds: bool| if holds { "" } else { "not " };
        match *self {
            Self::Contains(set, to, is) => {
                write!(f, "{} {}in {set}", Letter(to), not(is))
            }
            Self::Empty(set, is) => write!(f, "{set} {}empty", not(is)),
            Self::Last(set, Some(to)) => {
                write!(f, "{} alone in {set}", Letter(to))
            }
            Self::Last(set, None) => write!(f, "none alone in {set}"),
        }
    }
}
