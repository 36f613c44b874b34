//! The links that a fault cuts.

use super::{Fault, Who};

impl Fault {
    /// Returns the links that it cuts among a number of members and the standers that it names, each from
    /// the sender to the receiver; `resolve` says who is meant at this instant.
    pub fn links(&self, members: u32, resolve: impl Fn(Who) -> u32) -> Vec<(u32, u32)> {
        let all = |whos: &[Who]| whos.iter().map(|&who| resolve(who)).collect::<Vec<u32>>();
        let mut links = Vec::new();
        let mut both = |a: u32, b: u32| links.extend([(a, b), (b, a)]);
        match self {
            Self::Split { sides } | Self::Bridge { sides, .. } => {
                let sides: Vec<Vec<u32>> = sides.iter().map(|side| all(side)).collect();
                for (i, side) in sides.iter().enumerate() {
                    for (&a, &b) in pairs(side, &sides[i + 1..].concat()) {
                        both(a, b);
                    }
                }
            }
            Self::OneWay { from, to } => {
                let (from, to) = (all(from), all(to));
                links.extend(pairs(&from, &to).map(|(&a, &b)| (a, b)));
            }
            Self::Chain { peers } => {
                let peers = all(peers);
                for (i, &a) in peers.iter().enumerate() {
                    peers.iter().skip(i + 2).for_each(|&b| both(a, b));
                }
            }
            Self::Star { hub, but } => {
                let (hub, but) = (resolve(*hub), all(but));
                let members: Vec<u32> = (0..members).collect();
                for (&a, &b) in pairs(&members, &members) {
                    if a < b && ((a != hub && b != hub) || but.contains(&a) || but.contains(&b)) {
                        both(a, b);
                    }
                }
            }
            Self::Link { between: [a, b] } => both(resolve(*a), resolve(*b)),
            _ => {}
        }
        links
    }
}

fn pairs<'a>(these: &'a [u32], those: &'a [u32]) -> impl Iterator<Item = (&'a u32, &'a u32)> {
    these.iter().flat_map(move |a| those.iter().map(move |b| (a, b)))
}
