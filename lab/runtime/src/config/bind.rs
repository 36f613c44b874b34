//! Binds a node's listener and creates the node from its configuration.

use super::members::peer_key;
use super::{Config, ConfigError, PlaceInCluster};
use crate::limits::Limits;
use crate::node::{Node, Setup, Subject, Tcp};
use crate::transport::sockets::Security;
use std::net::SocketAddr;
use suffrage_net::tls::Tls;
use tokio::net::{TcpListener, lookup_host};

impl Config {
    /// Binds the listener and creates the node of the algorithm that is named. Must be called within a
    /// tokio runtime.
    ///
    /// # Errors
    /// As [`bind_to`](Self::bind_to), and if the catalogue has no such algorithm.
    pub async fn bind(&self) -> Result<Node, ConfigError> {
        self.bind_to(self.algorithm()?).await
    }

    /// Binds the listener and creates a node of this algorithm, whatever the configuration names. Must
    /// be called within a tokio runtime.
    ///
    /// # Errors
    /// As [`place_for`](Self::place_for); if a certificate cannot be read; if it is impossible to listen on
    /// the address, or not allowed without TLS.
    pub async fn bind_to(&self, algorithm: &impl Subject) -> Result<Node, ConfigError> {
        let PlaceInCluster { membership, node, addresses } = self.place_for(algorithm)?;
        let security = self.security()?;
        let wrong = |why: String| self.wrong("listen", why);
        let listen: Vec<_> = lookup_host(&self.listen)
            .await
            .map_err(|error| wrong(format!("`{}` is no address: {error}", self.listen)))?
            .collect();
        let open = listen.iter().find(|address| !address.ip().is_loopback());
        if let (Some(open), Security::None, false) = (open, &security, self.insecure) {
            return Err(wrong(format!(
                "{open} can be reached from elsewhere, and without TLS any host may take part; give \
                 certificates (`suffrage cert` makes some), or say --insecure"
            )));
        }
        self.check_own_address(&listen).await?;
        let listener = TcpListener::bind(&*listen)
            .await
            .map_err(|error| wrong(format!("cannot listen on {}: {error}", self.listen)))?;
        let setup = Setup {
            initiator: self.initiator,
            seed: self.seed ^ self.id,
            timeouts: self.timeouts,
            limits: Limits { window: self.capacity, unauthenticated: None },
            steps: self.steps,
            ..Setup::new(membership, node)
        };
        Node::tcp(algorithm, setup, Tcp { listener, addresses, security })
            .map_err(|error| self.wrong("algorithm", error))
    }

    /// Checks that the entry of `peers` with this node's own id, if there is one, names the address
    /// at which it listens: otherwise it belongs to another node, and two nodes have one id.
    async fn check_own_address(&self, listen: &[SocketAddr]) -> Result<(), ConfigError> {
        let Some(number) = self.first_of(self.id) else { return Ok(()) };
        let own = &self.peers[number].address;
        if *own == self.listen {
            return Ok(());
        }
        let wrong = |why: String| self.wrong(&peer_key(number), why);
        let listed: Vec<_> = lookup_host(own)
            .await
            .map_err(|error| wrong(format!("`{own}` is no address: {error}")))?
            .collect();
        // A node that listens on all interfaces can have any address, but has one port.
        let same = |one: &SocketAddr, other: &SocketAddr| {
            one.port() == other.port() && (one.ip().is_unspecified() || one.ip() == other.ip())
        };
        if listen.iter().any(|one| listed.iter().any(|other| same(one, other))) {
            return Ok(());
        }
        Err(wrong(format!(
            "node {} is at {own} here, but this node has that id and listens on {}: give each \
             node its own id (--id) and address (--listen)",
            self.id, self.listen
        )))
    }

    fn security(&self) -> Result<Security, ConfigError> {
        let Some(files) = &self.tls else { return Ok(Security::None) };
        Tls::from_files(files.within(&self.folder))
            .map(Security::Tls)
            .map_err(|error| self.wrong("tls", error))
    }
}
