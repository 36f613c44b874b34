//! Code for the tests, the fuzz targets and the benchmarks of this repository. No part of the interface: it changes
//! without notice.

mod links;
mod rogue;
mod stepped;

pub use links::{DiallingNews, DiallingOrder, SteppedDialling, SteppedLinks, SteppedSession};
pub use rogue::{Rogue, Stranger};
pub use stepped::SteppedMember;

use crate::config::ClusterConfig;
use crate::error::StartError;
use crate::packet::{self, LONGEST, PeerMessage};
use crate::participant::{Client, Member};
use crate::records::image::Image;
use crate::roster::Roster;
use crate::start::ClientConfig;
use crate::transport::quic::introduction::{self, DiallerIntroduction, IntroductionReply};
use crate::transport::quic::{LIMITS, ServingLimits, VERSIONS, Versions, numbers};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::time::Duration;
use tenure_model::{Peer, Term};
use tenure_protocol::reconfiguration::{ConfigurationTag, ReconfigurableMsg};
use tenure_protocol::tenure::Msg;

/// Starts a member that offers these versions of the protocol.
pub async fn start_member(
    config: ClusterConfig,
    versions: RangeInclusive<u16>,
) -> Result<Member, StartError> {
    Member::start_within(config, range(&versions), LIMITS).await
}

/// Starts a member that serves no more than one client, one crash notifier and one operator, and gives no more than
/// four connections the time to introduce themselves, but much of it.
pub async fn start_small_member(config: ClusterConfig) -> Result<Member, StartError> {
    let introduction = Duration::from_secs(600);
    let limits =
        ServingLimits { clients: 1, notifiers: 1, operators: 1, strangers: 4, introduction };
    Member::start_within(config, VERSIONS, limits).await
}

/// Starts a client that offers these versions of the protocol, with this number, or a random one.
pub async fn start_client(
    config: ClientConfig,
    versions: RangeInclusive<u16>,
    number: Option<u32>,
) -> Result<Client, StartError> {
    let number = number.map_or_else(numbers::draw, Peer);
    Client::start_as(config, number, range(&versions)).await
}

/// Returns the versions that this program offers.
#[must_use]
pub const fn versions() -> RangeInclusive<u16> {
    VERSIONS.oldest..=VERSIONS.newest
}

fn range(versions: &RangeInclusive<u16>) -> Versions {
    Versions { oldest: *versions.start(), newest: *versions.end() }
}

/// Returns a message about offices or leases as it is where the members have never changed.
pub(crate) fn among_the_same_members(msg: Msg) -> ReconfigurableMsg {
    let tag = ConfigurationTag::default();
    match msg {
        Msg::Renew { .. } => ReconfigurableMsg::Renewal(tag, tag, msg),
        Msg::Ack { .. } => ReconfigurableMsg::Acknowledgement(None, tag, msg),
        Msg::Learn { .. } | Msg::Promised { .. } | Msg::Blank { .. } => {
            ReconfigurableMsg::Record(tag, Term(0), msg)
        }
        _ => ReconfigurableMsg::Own(msg),
    }
}

/// Decodes bytes as each kind of external input: a datagram with its messages, an introduction and its answer, and the
/// record of a member, unchanged and with a correct checksum, and a roster.
///
/// # Panics
/// If a decoder panics, or if decoding the encoded result gives another result.
pub fn decode(bytes: &[u8]) {
    let mut copy = Vec::new();
    let mut readable = true;
    for message in packet::messages(bytes) {
        assert!(readable, "nothing follows what cannot be read");
        let Ok(message) = message else {
            readable = false;
            continue;
        };
        packet::append(&mut copy, message);
        if let Some(packet) = PeerMessage::decode(message) {
            let again = packet.encode();
            assert!(again.len() <= LONGEST, "{packet:?} is too long");
            assert_eq!(PeerMessage::decode(&again), Some(packet));
        }
    }
    assert!(if readable { copy == bytes } else { bytes.starts_with(&copy) });
    introduction::<Versions>(bytes);
    introduction::<DiallerIntroduction>(bytes);
    introduction::<IntroductionReply>(bytes);
    if let Some(roster) = Roster::decode(bytes) {
        assert_eq!(Roster::decode(&roster.encode()), Some(roster));
    }
    for image in [Image::decode(bytes), Image::decode(&Image::seal(bytes))].into_iter().flatten() {
        assert_eq!(Image::decode(&image.encode()), Some(image));
    }
}

fn introduction<T: Debug + PartialEq + Serialize + DeserializeOwned>(bytes: &[u8]) {
    if let Some(what) = introduction::decode::<T>(bytes) {
        assert_eq!(introduction::decode::<T>(&introduction::encode(&what)), Some(what));
    }
}

#[cfg(test)]
mod tests;
