//! An election as tables: what each process does, as a finite automaton, in the languages of other checkers.
//!
//! The reactions are those of the algorithm's own code: the checker computes each of them once
//! (`model/automaton.rs`), and here all that some schedule needs are written down, with what faults, bounded links
//! and rounds do. The greatest number of messages under way on an unbounded link is a result, not an assumption.

mod condition;
mod election;
mod prism;
mod promela;
mod tables;
mod tla;

pub use election::{NotExported, TabulatedElection};

use std::str::FromStr;

/// A language of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelLanguage {
    /// Promela, the language of Spin (G. J. Holzmann, *The SPIN Model Checker*, 2004).
    Promela,
    /// TLA+ (L. Lamport, *Specifying Systems*, 2002).
    Tla,
    /// The language of PRISM (M. Kwiatkowska, G. Norman, D. Parker, "PRISM 4.0: verification of probabilistic
    /// real-time systems", CAV 2011), which Storm reads as well: a Markov decision process.
    Prism,
}

impl FromStr for ModelLanguage {
    type Err = String;

    /// Reads the extension of a file.
    fn from_str(extension: &str) -> Result<Self, String> {
        match extension {
            "pml" => Ok(Self::Promela),
            "tla" => Ok(Self::Tla),
            "prism" => Ok(Self::Prism),
            _ => Err("a model is a file .pml (Promela), .tla (TLA+) or .prism (PRISM)".to_owned()),
        }
    }
}

impl TabulatedElection {
    /// Writes the model in a language. A module of TLA+ gets this name.
    ///
    /// # Errors
    /// If the language cannot say it: PRISM has no queues, in which messages wait for room on a full link.
    pub fn text(&self, language: ModelLanguage, module: &str) -> Result<String, NotExported> {
        Ok(match language {
            ModelLanguage::Promela => promela::Promela(self).to_string(),
            ModelLanguage::Tla => tla::Tla(self, module).to_string(),
            ModelLanguage::Prism if self.setting.capacity.is_some() => {
                return Err(NotExported::NoQueues);
            }
            ModelLanguage::Prism => prism::Prism(self).to_string(),
        })
    }
}
