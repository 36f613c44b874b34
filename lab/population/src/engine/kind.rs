//! The engines by name.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An engine, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// Every agent in an array.
    Direct,
    /// Agents per state.
    Batched,
    /// Only the eventual leader, or the stages.
    ClosedForm,
    /// Exact probabilities and expectations instead of trials.
    Oracle,
}

impl EngineKind {
    /// Returns the name on the command line and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Batched => "batched",
            Self::ClosedForm => "closed-form",
            Self::Oracle => "oracle",
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
