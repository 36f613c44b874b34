//! An algorithm whose processes are watched.

use crate::error::ElectionError;
use crate::node::private;
use crate::node::{Gate, Node, NodeLinks, make};
use crate::process::Observer;
use crate::setup::NodeSetup;
use std::fmt;
use std::sync::Arc;
use suffrage_algorithms::{Claims, Custom};
use suffrage_model::{NetworkClass, Process, Wire};

/// A [`Custom`] algorithm with an observer, which nodes show their process after each reaction, before
/// they send its messages. So the process that receives a message is never shown before the one that
/// has sent it.
///
/// The observer is called by the tasks of the nodes, and should return at once.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
/// use suffrage_algorithms::{Announced, Custom, ring::ChangRoberts};
/// use suffrage_model::Process;
/// use suffrage_runtime::{Cluster, LinkMedium, Observed};
/// use suffrage_networks::{Ids, wiring::Wiring};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let halted = Arc::new(AtomicU32::new(0));
/// let count = halted.clone();
/// let mine = Custom::<Announced<ChangRoberts>>::claimed("mine");
/// let observed = Observed::new(mine, move |_node, process: &Announced<ChangRoberts>| {
///     count.fetch_add(u32::from(process.halted()), Relaxed);
/// });
/// let cluster = Cluster::new(Wiring::ring(4), Ids::Random.assign(4, 7))?;
/// cluster.medium(LinkMedium::Channels).elect(&observed).await?;
/// assert_eq!(halted.load(Relaxed), 4);
/// # Ok(()) }
/// ```
pub struct Observed<P: Process> {
    algorithm: Custom<P>,
    observer: Observer<P>,
}

impl<P: Process> Observed<P> {
    /// Creates the algorithm with this observer.
    pub fn new(algorithm: Custom<P>, observer: impl Fn(u32, &P) + Send + Sync + 'static) -> Self {
        Self { algorithm, observer: Arc::new(observer) }
    }
}

impl<P: Process> fmt::Debug for Observed<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observed").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}

#[expect(private_interfaces, reason = "only this crate calls it")]
impl<P: Process<Msg: Wire>> private::Runnable for Observed<P> {
    fn node(&self, setup: NodeSetup, gate: Gate, links: NodeLinks) -> Result<Node, ElectionError> {
        make::<P>(self.algorithm.name(), setup, gate, links, Some(self.observer.clone()))
    }

    fn about(&self) -> (&str, Option<&Claims>, NetworkClass) {
        (self.algorithm.name(), self.algorithm.claims(), P::NETWORK)
    }
}
