//! What has been proved of algorithms for every number of processes.
//!
//! This is the record of `cargo xtask prove`, which proves it from the files of the algorithms;
//! `cargo test -p suffrage-proofs` proves it again, and fails if the record is another one.

/// The record of a proof: the algorithm, what is proved of it, and the digest of its file.
#[derive(Debug)]
pub struct ProofRecord {
    /// The algorithm.
    pub algorithm: &'static str,
    /// The properties of elections, beside the invariants that have a formula.
    pub properties: &'static [&'static str],
    /// Sets of processes that the proof takes to be finite, each as a formula. The set of the initiators is always one
    /// of them, and is not listed. On trees and graphs some set may be one of links, by their ends.
    pub finite: &'static [&'static str],
    /// The number of conditions that were refuted.
    pub conditions: usize,
    /// The day.
    pub date: &'static str,
    /// The SHA-256 of the file.
    pub source: &'static str,
}

impl ProofRecord {
    /// Returns what is proved of elections if such a property is.
    #[must_use]
    pub const fn says(property: &str) -> &'static str {
        match property.as_bytes() {
            b"at-most-one-leader" => "there are never two leaders",
            b"winner-by-rule" => "no process that competes has a better right than a leader",
            b"agreement" => "a process that names a leader names the one that leads",
            b"irrevocable-status" => "a process that has decided does not change its decision",
            b"possible-messages" => "no message is rejected",
            b"existing-ports" => "no process sends through a port that it does not have",
            b"silent-ending" => "no message of the election comes to a process that has halted",
            b"exactly-one-leader" => "when nothing is under way and a process has woken, one leads",
            b"everyone-halted" => {
                "when nothing is under way and a process has woken, all have halted"
            }
            b"sent-once" => "no process sends the same message twice",
            b"announced" => {
                "the announcement that follows takes no message away, and wakes no process"
            }
            _ => "reactions that the invariants exclude",
        }
    }
}

/// What has been proved, in the order of the document.
pub const PROVED: [ProofRecord; 15] = [
    ProofRecord {
        algorithm: "all-to-all",
        properties: &[
            "at-most-one-leader",
            "winner-by-rule",
            "agreement",
            "irrevocable-status",
            "possible-messages",
            "silent-ending",
            "exactly-one-leader",
            "everyone-halted",
        ],
        finite: &["!Sleep(a)"],
        conditions: 257,
        date: "2026-11-29",
        source: "ce5f24adc591f08a2293bc4c8338afaa9ab0da970ac6e46f3a0c76685fd813b8",
    },
    ProofRecord {
        algorithm: "afek-gafni",
        properties: &["at-most-one-leader", "agreement", "irrevocable-status"],
        finite: &[],
        conditions: 8039,
        date: "2026-11-29",
        source: "ecaa1a861618d21389c9000874d47320ddb7709cf3b96c83297dc5d3d669e714",
    },
    ProofRecord {
        algorithm: "humblet",
        properties: &["at-most-one-leader", "agreement", "irrevocable-status", "existing-ports"],
        finite: &[],
        conditions: 3721,
        date: "2026-11-29",
        source: "838d3b2f2457a49699398c35bc441e9fd29e4fb4168a80f0a3ab56aaca8d445c",
    },
    ProofRecord {
        algorithm: "villadangos",
        properties: &[
            "at-most-one-leader",
            "winner-by-rule",
            "agreement",
            "irrevocable-status",
            "possible-messages",
            "existing-ports",
            "silent-ending",
            "exactly-one-leader",
            "announced",
        ],
        finite: &["Candidate(a) & predecessor(a)"],
        conditions: 735,
        date: "2026-11-27",
        source: "e3978d9db2a570df40c7d7b254f698ed87768e936982764c9b2d0962061255cd",
    },
    ProofRecord {
        algorithm: "tree-wave",
        properties: &[
            "at-most-one-leader",
            "winner-by-rule",
            "agreement",
            "irrevocable-status",
            "possible-messages",
            "silent-ending",
            "exactly-one-leader",
            "everyone-halted",
        ],
        finite: &["Sleep(a)", "Decided(a)", "silent(a, b)"],
        conditions: 715,
        date: "2026-11-29",
        source: "2bd296105613d2abff858b007fc4d0d29a087f4e1ec776af2cf9e82e6ddba6e8",
    },
    ProofRecord {
        algorithm: "tree-extinction",
        properties: &[
            "at-most-one-leader",
            "winner-by-rule",
            "agreement",
            "irrevocable-status",
            "possible-messages",
            "silent-ending",
        ],
        finite: &[],
        conditions: 2242,
        date: "2026-11-30",
        source: "9c18d161eede2344528f9b31791a0a701cc18c161f442544c4ce0ceab46a79b4",
    },
    ProofRecord {
        algorithm: "chang-roberts",
        properties: &[
            "at-most-one-leader",
            "winner-by-rule",
            "agreement",
            "irrevocable-status",
            "possible-messages",
            "silent-ending",
            "exactly-one-leader",
            "sent-once",
            "announced",
        ],
        finite: &[],
        conditions: 187,
        date: "2026-11-27",
        source: "d6d322fca563e37eefacecce25941039a90570599ec3fb08c8b0015699041d28",
    },
    ProofRecord {
        algorithm: "lelann",
        properties: &[
            "at-most-one-leader",
            "winner-by-rule",
            "agreement",
            "irrevocable-status",
            "possible-messages",
            "silent-ending",
            "exactly-one-leader",
            "sent-once",
        ],
        finite: &[],
        conditions: 199,
        date: "2026-11-29",
        source: "13d9aff0d348ca8e7065fd3e300f05074914d8bc61caa27974b7addef7554b9a",
    },
    ProofRecord {
        algorithm: "ring-extinction",
        properties: &[
            "at-most-one-leader",
            "winner-by-rule",
            "agreement",
            "irrevocable-status",
            "possible-messages",
            "silent-ending",
            "exactly-one-leader",
            "sent-once",
            "announced",
        ],
        finite: &[],
        conditions: 229,
        date: "2026-11-30",
        source: "52817d2ae4565dd6c17df677fba91f8a1e02424f39d442555ee0f8d9ebeb315c",
    },
    ProofRecord {
        algorithm: "franklin",
        properties: &[
            "at-most-one-leader",
            "winner-by-rule",
            "agreement",
            "irrevocable-status",
            "possible-messages",
            "silent-ending",
            "exactly-one-leader",
            "announced",
        ],
        finite: &["Active(a) | asleep(a)"],
        conditions: 1907,
        date: "2026-11-30",
        source: "87e8106cf2a19e1bd42c062bfbef3d8c855c515d677814a7bbb1838426979b13",
    },
    ProofRecord {
        algorithm: "hirschberg-sinclair",
        properties: &[
            "at-most-one-leader",
            "winner-by-rule",
            "agreement",
            "irrevocable-status",
            "announced",
        ],
        finite: &[],
        conditions: 3249,
        date: "2026-11-27",
        source: "8efeb55e1fecf1f7b74d95cc992102466490e64feb79ac76dfcde1a62bf7bcb3",
    },
    ProofRecord {
        algorithm: "higham-przytycka",
        properties: &[
            "at-most-one-leader",
            "agreement",
            "irrevocable-status",
            "silent-ending",
            "announced",
        ],
        finite: &[],
        conditions: 405,
        date: "2026-11-27",
        source: "38f236f561a3c42fb3d774fe75f9dee766d261a4cdd2601d96715f9125ea0789",
    },
    ProofRecord {
        algorithm: "alternating-steps",
        properties: &[
            "at-most-one-leader",
            "winner-by-rule",
            "agreement",
            "irrevocable-status",
            "possible-messages",
            "silent-ending",
            "exactly-one-leader",
            "announced",
        ],
        finite: &["Sent(a)"],
        conditions: 568,
        date: "2026-11-30",
        source: "9cdc725d3a98930800ee5483a02dbdd8096319e65c432a73800b7f9b1ea81b36",
    },
    ProofRecord {
        algorithm: "stages-with-feedback",
        properties: &["at-most-one-leader", "agreement", "irrevocable-status", "announced"],
        finite: &[],
        conditions: 19060,
        date: "2026-11-29",
        source: "6d7e0973d291e666aad32bc1d6889f3c82e665cee24dfe2d8a826ce98fd4cbf4",
    },
    ProofRecord {
        algorithm: "dolev-klawe-rodeh",
        properties: &[
            "at-most-one-leader",
            "winner-by-rule",
            "agreement",
            "irrevocable-status",
            "possible-messages",
            "silent-ending",
            "exactly-one-leader",
            "everyone-halted",
        ],
        finite: &["Propagation(a) | Elimination(a) | Sleep(a)"],
        conditions: 672,
        date: "2026-11-30",
        source: "fae8fd07b38206995a764d5b7910d80a18b7d8f7409616fcc641e0106d231b11",
    },
];
