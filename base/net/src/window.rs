//! A bound on the connections that have yet to authenticate themselves, which anybody can make.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};
use tokio::task::{AbortHandle, JoinError, JoinSet};

/// The time that each connection has at least before it makes room for a connection of an address that has as
/// many. Without it, hosts that all connect to a slow host at once would keep each other from ever being
/// done.
const GRACE: Duration = Duration::from_secs(1);

/// The connections that have yet to authenticate themselves, each with its task.
///
/// When there are too many, a new connection takes the place of the oldest of the address that has the most
/// of them: at once if its own address has no more than that one then, and otherwise if the oldest has had
/// a second. So neither one address nor connections that say nothing keep others out for long.
#[derive(Debug)]
pub struct PendingConnections<T> {
    most: usize,
    grace: Duration,
    tasks: JoinSet<T>,
    /// From the oldest to the newest.
    connections: VecDeque<(Source, Instant, AbortHandle)>,
}

/// All addresses among which one host can choose are one source: in IPv6 a network of 64 bits.
type Source = u128;

fn source(address: SocketAddr) -> Source {
    match address.ip().to_canonical() {
        IpAddr::V4(address) => u128::from(address.to_ipv6_mapped()),
        IpAddr::V6(address) => u128::from(address) >> 64 << 64,
    }
}

impl<T: Send + 'static> PendingConnections<T> {
    /// Creates a window for this number of connections, which is empty.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, grace: GRACE, tasks: JoinSet::new(), connections: VecDeque::new() }
    }

    /// Returns the number of connections that have not been authenticated.
    pub fn count(&mut self) -> usize {
        self.connections.retain(|(_, _, task)| !task.is_finished());
        self.connections.len()
    }

    /// Spawns the task that authenticates a connection from this address. If there is no room for it, the
    /// task is dropped, and the result is `false`.
    pub fn admit(
        &mut self,
        from: SocketAddr,
        task: impl Future<Output = T> + Send + 'static,
    ) -> bool {
        let source = source(from);
        if self.count() >= self.most {
            let Some((_, _, oldest)) =
                self.place(source).and_then(|place| self.connections.remove(place))
            else {
                return false;
            };
            oldest.abort();
        }
        self.connections.push_back((source, Instant::now(), self.tasks.spawn(task)));
        true
    }

    fn place(&self, newcomer: Source) -> Option<usize> {
        let mut counts = BTreeMap::from([(newcomer, 0)]);
        for (source, ..) in &self.connections {
            *counts.entry(*source).or_insert(0) += 1;
        }
        let most = counts.values().copied().max()?;
        let place = self.connections.iter().position(|(source, ..)| counts[source] == most)?;
        let (_, since, _) = self.connections[place];
        (counts[&newcomer] < most - 1 || since.elapsed() >= self.grace).then_some(place)
    }

    /// Returns the result of the task of a connection; pending while there is none. Skips connections that were dropped
    /// to make room. Cancellation-safe.
    ///
    /// # Errors
    /// If the task has panicked.
    pub async fn next(&mut self) -> Result<T, JoinError> {
        loop {
            match self.tasks.join_next().await {
                Some(Err(error)) if error.is_cancelled() => {}
                Some(ended) => return ended,
                None => std::future::pending().await,
            }
        }
    }
}

#[cfg(test)]
mod tests;
