//! A network that a team reads from a file, each worker a part of it.

use crate::{
    Team,
    office::{Body, PostOffice},
};
use std::io;
use suffrage_networks::{
    FileError,
    parts::{EdgeList, Exchange, NetworkPart, PartRequest, PartialNetwork},
};

/// Reads an edge list with a team. Returns the parts of this program's workers. An election with as many
/// workers has the same parts.
///
/// If another program of the team ends before, the team's `OnLoss` ends this one.
///
/// # Errors
/// The errors of [`EdgeList::part`]. All programs return the same one, unless a connection fails.
pub fn read(list: &EdgeList, asked: &PartRequest, team: Team) -> Result<PartialNetwork, ReadError> {
    let parts = team.run(|post| list.part(asked, &mut PostExchange(post)))?;
    let parts = parts.into_iter().collect::<Result<Vec<NetworkPart>, _>>()?;
    Ok(PartialNetwork::of(parts).expect("a team has a worker in every program"))
}

/// An error: a team could not read a file.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file yields no network.
    #[error(transparent)]
    File(#[from] FileError),
    /// The connections to the other programs cannot be used.
    #[error("the connections between the hosts cannot be used: {0}")]
    Connections(#[from] io::Error),
}

/// A worker that reads.
struct PostExchange<'a>(&'a mut PostOffice);

impl Exchange for PostExchange<'_> {
    fn worker(&self) -> u32 {
        self.0.number().0
    }

    fn workers(&self) -> u32 {
        self.0.number().1
    }

    fn send(&mut self, to: u32, letter: Vec<u8>) {
        self.0.send(to, Body::Read(self.worker(), letter));
    }

    fn exchange(&mut self) -> Vec<(u32, Vec<u8>)> {
        let letters = self.0.exchange().into_iter().map(|letter| match letter.body {
            Body::Read(from, bytes) => (from, bytes),
            _ => unreachable!("the election has not begun"),
        });
        let mut letters: Vec<_> = letters.collect();
        // Stable: those of one sender stay in their order.
        letters.sort_by_key(|&(from, _)| from);
        letters
    }
}
