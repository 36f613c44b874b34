//! The questions of a page.

use serde::Deserialize;

/// A question of the page.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum PageQuestion {
    /// Which algorithms are there?
    Catalogue,
    /// An election begins.
    Begin(Begin),
    /// A step of an election, forward or back.
    Play(PlayStep),
    /// How does Tenure go under these faults?
    Tenure(TenureRun),
    /// What does an election cost at least and at most, over every schedule?
    Worst {
        /// The run, in the format of files.
        run: String,
    },
}

/// An election that begins.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Begin {
    /// The name of the algorithm.
    pub(crate) algorithm: String,
    /// The network, as in `ring:6`.
    pub(crate) network: String,
    /// `random`, `ascending`, .. or a list of numbers; empty for random ones.
    #[serde(default)]
    pub(crate) ids: String,
    /// The nodes that may wake, as a list of numbers; empty for all.
    #[serde(default)]
    pub(crate) initiators: String,
    /// `rotation` or `random`; empty for the former.
    #[serde(default)]
    pub(crate) ports: String,
    /// What may go wrong, as a list of faults as in `check --fault`; empty for nothing.
    #[serde(default)]
    pub(crate) faults: String,
    #[serde(default = "one")]
    pub(crate) seed: u64,
}

const fn one() -> u64 {
    1
}

/// What happens to an election. First it goes back, if it does; then it goes on, if it does.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayStep {
    /// The run, in the format of files.
    pub(crate) run: String,
    /// Whether it is another run than the page has shown, whose network it does not know.
    #[serde(default)]
    pub(crate) open: bool,
    /// The tick to go back to, everything after which is dropped; the beginning, if it is negative.
    #[serde(default)]
    pub(crate) until: Option<i64>,
    /// The number of one of the possible actions, which is taken.
    #[serde(default)]
    pub(crate) take: Option<usize>,
    /// How it goes on to its end: `random`, `newest` or `oldest`.
    #[serde(default)]
    pub(crate) finish: Option<String>,
    /// The seed of random choices.
    #[serde(default)]
    pub(crate) seed: u64,
    /// Whether one of the possible actions is taken at random.
    #[serde(default)]
    pub(crate) random: bool,
}

/// A run of Tenure under faults.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TenureRun {
    pub(crate) members: u32,
    pub(crate) seed: u64,
    /// How long it is, in milliseconds.
    pub(crate) millis: u64,
    /// The faults, in lines as scripts have them.
    pub(crate) script: String,
}
