//! The protocol between a member and its guard: one JSON text per packet, over a socket that is
//! closed when either of them ends.

use crate::Boottime;
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// The maximal length of a packet, in bytes.
const LONGEST: usize = 16 * 1024;

/// A message from the member to its guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GuardOrder {
    /// Hold the descriptor that comes along, until the tenure has ended. If the member is gone
    /// then, write this word to it.
    Keep {
        /// The word, with its line end.
        word: Option<String>,
    },
    /// The office has been won: run the command.
    Begin {
        /// The term.
        term: u64,
        /// The end of the leadership.
        until: Boottime,
        /// Whether the command runs once more, in a tenure that goes on. One that has ended begins no more.
        again: bool,
    },
    /// The leadership is valid for longer.
    Prolong {
        /// The end of the leadership.
        until: Boottime,
    },
    /// The office is given up: end the command.
    End {
        /// How long the command may take to end.
        grace: Duration,
    },
    /// Run a probe, unless one runs.
    Probe {
        /// Whether it is the health probe; otherwise it is the readiness probe.
        health: bool,
    },
}

/// An event that the guard reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GuardEvent {
    /// The guard has set itself up, and the command can be started at once.
    Ready {
        /// The process ID of the guard.
        guard: u32,
        /// The consequences, if there is no control group.
        no_cgroup: Option<NoGroup>,
    },
    /// The guard knows that the leadership is valid until then, and ends the command by itself if it is not
    /// prolonged.
    Knows {
        /// The end of the leadership.
        until: Boottime,
    },
    /// Something that the guard should do failed. The tenure continues.
    Failed {
        /// What, and the reason.
        why: String,
    },
    /// The command runs.
    Started {
        /// The process ID.
        pid: i32,
    },
    /// The command could not be started. The tenure continues.
    Refused {
        /// The reason.
        why: String,
    },
    /// The command has ended by itself, and all that it left has been reaped. The tenure continues.
    Exited {
        /// How it ended.
        exit: Exit,
        /// How many of its processes lived on, and were killed: a command that puts itself into the background leaves
        /// some.
        left: usize,
    },
    /// A probe has ended.
    Probed {
        /// Whether it was the health probe; otherwise it was the readiness probe.
        health: bool,
        /// Why it failed; `None` if it succeeded.
        failure: Option<String>,
    },
    /// No process that was started in the tenure is left, and the last hook runs.
    Reaped,
    /// A hook has failed.
    Hook {
        /// The name of the hook.
        name: String,
        /// The reason.
        why: String,
    },
    /// The tenure is over: no process that was started in it is left.
    Ended {
        /// Whether the command was killed at the deadline.
        killed: bool,
        /// For how long the command, or what it had started, outlived its leadership and the stop time:
        /// where processors were busy for longer than the margin.
        late: Duration,
    },
    /// The guard itself was killed, or did not act by the deadline. All processes that it guarded
    /// have been killed and reaped; a new guard has to be spawned.
    Lost {
        /// As in [`GuardEvent::Ended`].
        late: Duration,
    },
}

/// A guard without a control group: killing takes several rounds, and longer the more processes there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoGroup {
    /// Why there is none.
    pub why: String,
    /// Whether nothing that the guard starts can gain privileges, since it could not be killed then.
    pub confined: bool,
    /// Why the command must not be started, if it could not be killed, or would lack its privileges.
    pub unkillable: Option<String>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exit {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl Exit {
    /// Returns whether it is exit code 0.
    #[must_use]
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Code(0))
    }

    /// Returns the exit code that a shell would show: 128 plus the signal's number if it was a
    /// signal.
    #[must_use]
    pub const fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

pub(crate) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let family = AddressFamily::UNIX;
    Ok(socketpair(family, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// Sends a packet, with a descriptor if there is one.
///
/// # Errors
/// `WouldBlock` if the other end does not read; this does not wait.
pub(crate) fn send<T: Serialize>(
    socket: impl AsFd,
    packet: &T,
    descriptor: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    let text = serde_json::to_vec(packet)?;
    if text.len() > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the packet is too long"));
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptors = [descriptor.unwrap_or(socket.as_fd())];
    if descriptor.is_some() {
        control.push(SendAncillaryMessage::ScmRights(&descriptors));
    }
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    loop {
        match sendmsg(&socket, &[IoSlice::new(&text)], &mut control, flags) {
            Err(Errno::INTR) => {}
            other => return Ok(other.map(drop)?),
        }
    }
}

/// Receives a packet, and a descriptor if one came along; `None` when the other end is gone.
///
/// # Errors
/// `WouldBlock` if there is none and `wait` is not set.
pub(crate) fn receive<T: DeserializeOwned>(
    socket: impl AsFd,
    wait: bool,
) -> io::Result<Option<(T, Option<OwnedFd>)>> {
    let mut text = [0; LONGEST];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let wait = if wait { RecvFlags::empty() } else { RecvFlags::DONTWAIT };
    let flags = RecvFlags::CMSG_CLOEXEC | wait;
    let bytes = loop {
        match recvmsg(&socket, &mut [IoSliceMut::new(&mut text)], &mut control, flags) {
            Err(Errno::INTR) => {}
            // The other end was closed with unread packets of ours.
            Err(Errno::CONNRESET) => return Ok(None),
            other => break other?.bytes,
        }
    };
    if bytes == 0 {
        return Ok(None);
    }
    let descriptor = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    let packet = serde_json::from_slice(text.get(..bytes).unwrap_or_default())?;
    Ok(Some((packet, descriptor)))
}

#[cfg(test)]
mod tests;
