//! Elections that sources describe, by name, with their words on each step.

use crate::report::Sheet;
use clap::Parser;

/// The command `elect` alone.
#[derive(Parser)]
struct Elect {
    #[command(flatten)]
    args: super::Args,
}

/// An election that a source describes.
#[derive(Debug)]
pub(in crate::commands) struct Example {
    name: &'static str,
    /// The source, with the place in it.
    about: &'static str,
    /// The words of the command after `suffrage elect`.
    words: &'static str,
    /// The statements of the source, and the ticks at which they happen.
    walk: &'static [(&'static str, &'static str)],
}

const EXAMPLES: &[Example] = &[
    Example {
        name: "villadangos-1",
        about: "Villadangos and others, 2005, as explained in 2018: the only candidate, on the ring \
                in which A's neighbour is B, and so on to E, whose neighbour is A",
        words: "villadangos@published --topology complete:5 --ids list:A,B,C,D,E \
                --order ids-ascending --initiators nodes:2",
        walk: &[
            ("0", "C wakes up by itself: it is a candidate and sends message1 to its neighbour"),
            ("1-4", "a passive node becomes a dummy, and passes message1 on to its neighbour"),
            (
                "5",
                "message1 has gone all the way around and meets no other candidate: C, which \
                   receives its own, leads",
            ),
            ("6", "the source leaves out how the others learn that; here the leader tells them"),
        ],
    },
    Example {
        name: "villadangos-2",
        about: "the same ring with the candidates A, C and D: the one with the highest name leads",
        words: "villadangos@published --topology complete:5 --ids list:A,B,C,D,E \
                --order ids-ascending --initiators nodes:0,2,3",
        walk: &[
            ("0", "many nodes may become candidates at the same time"),
            ("1", "D is higher than its predecessor C: it waits, and sends message2 to C"),
            (
                "2",
                "C is higher than A, waits, and sends message2 to A; it stores D, its successor; \
                   A stores D, its predecessor, and does nothing, being lower",
            ),
            (
                "3",
                "A learns of its successor C: it cannot lead, hands its predecessor D on by \
                   message3, and is a dummy",
            ),
            ("4", "C, which waits and knows a successor, becomes a dummy and hands D on"),
            (
                "5",
                "D is told that its predecessor is D: all nodes from itself to itself are \
                   dummies, and it leads",
            ),
        ],
    },
    Example {
        name: "afek-gafni-1",
        about: "Afek and Gafni's algorithm B, as described for implementers: P with identity 3 \
                arrives at node 1, which belongs to Q with identity 1",
        words: "afek-gafni --topology complete:4 --ids ascending --initiators nodes:0,2",
        walk: &[
            ("1-2", "a node that was never captured accepts (answer-accept), and the level rises"),
            (
                "3",
                "Q arrives at P's node with the smaller pair and is killed; P arrives at Q's node \
                   with the larger one, and captures it",
            ),
            ("4-5", "P arrives at a node that Q owns, which takes P's level and asks Q"),
            ("6-7", "Q has been killed already: P captures the node"),
            ("8", "nothing is untraversed any more, and P is not killed: it is elected"),
            (
                "9-11",
                "every other node answers LEADER by END, and the leader ends them when it has \
                      n - 1 of these",
            ),
        ],
    },
    Example {
        name: "humblet-1",
        about: "Humblet's algorithm, in notes with a proof: two active nodes of five",
        words: "humblet --topology complete:5 --ids ascending --initiators nodes:0,2",
        walk: &[
            ("0", "an active node sends a capture with its identifier and level"),
            (
                "1-2",
                "the receiver with the smaller pair is captured and accepts; the sender's level \
                     rises and it goes on to its next neighbour",
            ),
            (
                "3",
                "the receiver with the larger pair gives no response: the sender may not proceed",
            ),
            ("4", "level + 1 > n/2: the territory is a majority, and its owner announces itself"),
            ("5", "all other nodes finish after receiving the announcement"),
        ],
    },
    Example {
        name: "tree-wave-1",
        about: "election by a wave on a tree, in lecture notes: on a path of diameter D = 3, one \
                end initiates",
        words: "tree-wave --topology path:4 --ids ascending --initiators nodes:0",
        walk: &[
            ("0-3", "wake-ups reach every process, which takes D units"),
            ("2-3", "leaves start the wave, at the latest in unit D + 1"),
            ("3-4", "a token has the lowest identity of a subtree attached"),
            (
                "4-5",
                "where two tokens cross on a link, both receivers decide, at most D units later",
            ),
            (
                "4-6",
                "the decision spreads, in at most D units: 3D + 1 is 10, and this election takes 6",
            ),
        ],
    },
    Example {
        name: "lelann-1",
        about: "Le Lann's algorithm, in lecture notes: two initiators on a ring of three",
        words: "lelann --topology ring:3 --ids descending --initiators nodes:0,2",
        walk: &[
            ("0", "each initiator sends a token with its identity around the ring"),
            ("1", "a process that gets a message before it sends its own token loses"),
            ("1-2", "a process forwards foreign tokens and records their identities"),
            ("3", "a process decides when it receives its own token: the lowest identity leads"),
            ("4-6", "the notes end here; the leader's identity goes around once to end the others"),
        ],
    },
    Example {
        name: "chang-roberts-1",
        about: "Chang and Roberts's algorithm, in lecture notes: the worst case on a ring of three",
        words: "chang-roberts --topology ring:3 --ids ascending",
        walk: &[
            (
                "1-2",
                "a token is passed on only where its sender may still become a leader: here every \
                     larger one travels as far as it can, to p0",
            ),
            ("3", "the process that receives its own token leads"),
            ("4-6", "it floods a message that tells the others, and ends them"),
        ],
    },
    Example {
        name: "dolev-klawe-rodeh-1",
        about: "Dolev, Klawe and Rodeh's algorithm, in lecture notes: four active processes",
        words: "dolev-klawe-rodeh --topology ring:4 --ids ascending",
        walk: &[
            ("0", "propagation: each active process sends <one, c> downstream"),
            ("1", "it stores what it receives, acn, and sends <two, acn>"),
            (
                "2",
                "elimination: only p1 finds that acn is less than its own and the next; it assumes \
                   that identity, the others are passive",
            ),
            ("3-5", "in the next round its <one, 1> goes all around"),
            ("6", "acn = c: the identity has won, and <small, 1> informs the others"),
        ],
    },
    Example {
        name: "echo-extinction-1",
        about: "extinction applied to Echo, in lecture notes: two waves on a path of three",
        words: "echo-extinction --topology path:3 --ids descending --initiators nodes:0,2",
        walk: &[
            ("0", "each initiator starts a wave of its own, with its identity attached"),
            ("1", "p1 takes part in wave 3, then in wave 1, which is lower"),
            ("2", "p2 ignores the token of wave 3"),
            ("2-4", "only the wave with the lowest identity is allowed to finish"),
            ("4-7", "its initiator decides, and floods the result"),
        ],
    },
];

impl Example {
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        EXAMPLES.iter().map(|example| example.name)
    }

    pub(super) fn named(name: &str) -> Option<&'static Self> {
        EXAMPLES.iter().find(|example| example.name == name)
    }

    pub(super) fn args(&self) -> super::Args {
        Elect::parse_from(["elect"].into_iter().chain(self.words.split_whitespace())).args
    }

    /// Formats the statements of the source, and then the diagram.
    pub(super) fn text(&self, command: &str, diagram: &str) -> String {
        let mut sheet = Sheet::default();
        sheet.plain("");
        sheet.line("example", &format!("{}: {}", self.name, self.about));
        sheet.line("command", command);
        sheet.plain("\n  At tick         the source says");
        for (ticks, says) in self.walk {
            sheet.line(ticks, says);
        }
        sheet.plain("");
        sheet.into_text() + diagram
    }
}
