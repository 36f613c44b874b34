//! A QUIC endpoint for datagrams: no datagram is retransmitted, and a lost one does not delay later
//! ones.

use quinn::congestion::{Controller, ControllerFactory};
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{
    AckFrequencyConfig, ClientConfig, EndpointConfig, IdleTimeout, ServerConfig, TransportConfig,
    VarInt,
};
use quinn_proto::HashedConnectionIdGenerator;
use std::any::Any;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use suffrage_net::tls::Tls;

/// The application protocol in the TLS handshake.
const PROTOCOL: &[u8] = b"tenure-tenure";
/// The number of packets after which a peer acknowledges them at once, and not with what it sends next, or
/// 25 ms later. The answer to a renewal follows within a millisecond, and an acknowledgement of its own for
/// every other packet would be a sixth of all that members send.
const UNACKNOWLEDGED: u32 = 8;
/// When the first packet of a handshake is sent again, and the answer to it.
pub(super) const SENT_AGAIN: Duration = Duration::from_millis(150);
/// The size of the send and receive buffers of datagrams, in bytes.
const BUFFER: usize = 1 << 20;

/// Returns the silence after which a connection is closed, and dialled again. Four times in it a peer
/// shows that it is there, so it needs not be longer than a long lease; a peer whose host has died and
/// is up again is found by then.
pub(crate) fn idle(lease: Duration) -> Duration {
    (2 * lease).clamp(Duration::from_secs(1), Duration::from_secs(10))
}

fn transport(lease: Duration, again: Duration) -> Arc<TransportConfig> {
    let idle = idle(lease);
    let mut acknowledgements = AckFrequencyConfig::default();
    acknowledgements.ack_eliciting_threshold(VarInt::from_u32(UNACKNOWLEDGED));
    let mut config = TransportConfig::default();
    config
        .max_concurrent_uni_streams(VarInt::from_u32(0))
        // The introduction, and the word of a crash notifier or the questions of an operator.
        .max_concurrent_bidi_streams(VarInt::from_u32(2))
        .stream_receive_window(VarInt::from_u32(16 << 10))
        .receive_window(VarInt::from_u32(16 << 10))
        .max_idle_timeout(IdleTimeout::try_from(idle).ok())
        .keep_alive_interval(Some(idle / 4))
        .ack_frequency_config(Some(acknowledgements))
        // Three of these are waited for at first.
        .initial_rtt(again / 3)
        .datagram_receive_buffer_size(Some(BUFFER))
        .datagram_send_buffer_size(BUFFER)
        .congestion_controller_factory(Arc::new(Steady));
    Arc::new(config)
}

pub(super) fn server(tls: &Tls, lease: Duration) -> io::Result<ServerConfig> {
    let mut config = (*tls.configs().1).clone();
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    config.max_early_data_size = 0; // Early data could be replayed.
    let crypto = QuicServerConfig::try_from(config).map_err(io::Error::other)?;
    let mut config = ServerConfig::with_crypto(Arc::new(crypto));
    config
        .transport_config(transport(lease, SENT_AGAIN))
        .migration(false)
        .max_incoming(64)
        .incoming_buffer_size(16 << 10)
        .incoming_buffer_size_total(1 << 20);
    Ok(config)
}

pub(super) fn client(tls: &Tls, lease: Duration, again: Duration) -> io::Result<ClientConfig> {
    let mut config = (*tls.configs().0).clone();
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    let crypto = QuicClientConfig::try_from(config).map_err(io::Error::other)?;
    let mut config = ClientConfig::new(Arc::new(crypto));
    config.transport_config(transport(lease, again));
    Ok(config)
}

/// Returns the configuration of an endpoint with a constant secret, so that a peer that was
/// connected to an earlier process of this member learns at once that the connection is gone: this one
/// recognizes the identifiers of the earlier one's connections, and resets them (RFC 9000, section 10.3).
pub(super) fn endpoint(secret: &[u8]) -> EndpointConfig {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
    let mut identifiers = [0; 8];
    identifiers.copy_from_slice(&ring::hmac::sign(&key, b"connection identifiers").as_ref()[..8]);
    let identifiers = u64::from_le_bytes(identifiers);
    let mut config = EndpointConfig::new(Arc::new(key));
    config.cid_generator(move || Box::new(HashedConnectionIdGenerator::from_key(identifiers)));
    config
}

/// A congestion controller with a constant window: heartbeats are few and small, and delaying them
/// would cost leases.
#[derive(Clone, Copy, Debug)]
struct Steady;

impl ControllerFactory for Steady {
    fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
        Box::new(Self)
    }
}

impl Controller for Steady {
    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: u64) {}

    fn on_mtu_update(&mut self, _: u16) {}

    fn window(&self) -> u64 {
        8 << 20
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(*self)
    }

    fn initial_window(&self) -> u64 {
        self.window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests;
