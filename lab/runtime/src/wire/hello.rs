//! The greetings with which a connection begins.

use super::{VERSION, put_frame};
use crate::membership::Digest;
use bytes::BytesMut;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use suffrage_model::Id;

const MAGIC: [u8; 4] = *b"SFRG";

/// The greeting of the dialling node: its identity and its membership.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The name of the cluster.
    pub cluster: String,
    /// The algorithm.
    pub algorithm: String,
    /// The digest of the network and the identities.
    pub digest: Digest,
    /// The node that has dialled, and its port.
    pub from: (u32, u32),
    /// The node that was dialled, and its port.
    pub to: (u32, u32),
    /// A number that the process drew when it started.
    pub incarnation: u64,
    /// The last known incarnation of the other end, if the link was ever up.
    pub expects: Option<u64>,
    /// The number of the last known connection of this link, 0 for none.
    pub last: u32,
    /// The number of payloads received over this link.
    pub received: u64,
    /// The maximal number of payloads that are held until the process takes them.
    pub window: u32,
}

/// The answer to a [`Hello`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// The link is up.
    Welcome(Welcome),
    /// Both sides have dialled, and the connection of the answering side counts.
    Crossed,
    /// The link is refused.
    Refused(Refusal),
}

/// The answer of a node that admits the other one: the state from which the link resumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// As in [`Hello`].
    pub incarnation: u64,
    /// The number of this connection.
    pub connection: u32,
    /// As in [`Hello`].
    pub received: u64,
    /// As in [`Hello`].
    pub window: u32,
}

/// The reason why a node refuses another one, with the value of the refusing side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// The clusters have different names.
    #[error("the cluster is called `{}` there", .0.escape_debug())]
    Cluster(String),
    /// The nodes run different algorithms.
    #[error("the algorithm is {} there", .0.escape_debug())]
    Algorithm(String),
    /// Networks or identities differ.
    #[error("it knows another network, or other ids (digest {0:?} there)")]
    Network(Digest),
    /// Dialler and dialled node are not the two ends of one link.
    #[error("node {0} is there, or the network has another link")]
    Who(Id),
    /// The certificate is another node's.
    #[error("the certificate is not that of the node in this cluster")]
    Certificate,
    /// The link was up with an earlier incarnation.
    #[error("this process was restarted and has forgotten its part in the election")]
    Restarted,
    /// The numbers of the link do not fit.
    #[error("the link cannot be resumed: more was received than was sent")]
    Numbers,
}

/// An error: a first frame cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GreetingError {
    /// It is of another protocol.
    #[error("it does not speak this protocol")]
    Foreign,
    /// It is of another version.
    #[error("it speaks version {0} of the protocol, and this node version {VERSION}")]
    Version(u16),
}

/// Appends a first frame.
pub(crate) fn greeting(out: &mut BytesMut, value: &impl Serialize) {
    let [low, high] = VERSION.to_le_bytes();
    let [a, b, c, d] = MAGIC;
    put_frame(out, &[a, b, c, d, low, high], value);
}

/// Decodes a first frame.
///
/// # Errors
/// If it is not one, or one of another version.
pub fn read_greeting<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, GreetingError> {
    let Some((head, rest)) = bytes.split_first_chunk::<6>() else {
        return Err(GreetingError::Foreign);
    };
    let [a, b, c, d, low, high] = *head;
    if [a, b, c, d] != MAGIC {
        return Err(GreetingError::Foreign);
    }
    match u16::from_le_bytes([low, high]) {
        VERSION => match postcard::take_from_bytes(rest) {
            Ok((greeting, [])) => Ok(greeting),
            _ => Err(GreetingError::Foreign),
        },
        other => Err(GreetingError::Version(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::take_frame;

    #[test]
    fn a_version_is_known_before_anything_else_is_read() {
        let mut out = BytesMut::new();
        greeting(&mut out, &Answer::Crossed);
        let frame = take_frame(&mut out, 64).unwrap().unwrap();
        assert_eq!(read_greeting::<Answer>(&frame), Ok(Answer::Crossed));
        let mut later = frame.to_vec();
        later[4] = 99;
        later[6] = 99;
        assert_eq!(read_greeting::<Answer>(&later), Err(GreetingError::Version(99)));
        assert_eq!(read_greeting::<Answer>(b"GET / HTTP/1.1"), Err(GreetingError::Foreign));
        assert_eq!(read_greeting::<Answer>(b""), Err(GreetingError::Foreign));
    }
}
