//! Addresses at which nothing listens.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The first port: those below are the well-known ones and many of the registered ones.
const FIRST: u32 = 10_240;

/// The number of ports. Linux gives those from 32,768 on to connections that go out, other systems
/// those from 49,152 on.
const PORTS: u32 = 32_768 - FIRST;

/// Returns loopback addresses at which no process listens, neither for TCP nor for UDP.
///
/// Unlike a port that the system has chosen, theirs are given to no connection that goes out, so they
/// stay free until a process listens there. Another process may do so first; calls in one process
/// return different addresses until all have been tried.
///
/// # Errors
/// If not as many addresses are free.
///
/// # Examples
/// ```
/// let addresses = suffrage_net::free::addresses(3)?;
/// let listener = std::net::TcpListener::bind(addresses[0])?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn addresses(count: usize) -> io::Result<Vec<SocketAddr>> {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    let start = process::id().wrapping_mul(61);
    let candidates = (0..PORTS).map(|_| {
        let offset = start.wrapping_add(TRIED.fetch_add(1, Relaxed)) % PORTS;
        SocketAddr::from((Ipv4Addr::LOCALHOST, (FIRST + offset) as u16))
    });
    let free = |address: &SocketAddr| {
        TcpListener::bind(address).is_ok() && UdpSocket::bind(address).is_ok()
    };
    let found: Vec<SocketAddr> = candidates.filter(free).take(count).collect();
    match found.len() == count {
        true => Ok(found),
        false => Err(io::Error::new(io::ErrorKind::AddrInUse, "no port is free")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn addresses_differ_and_are_free() {
        let mut all = addresses(2).unwrap();
        all.extend(addresses(3).unwrap());
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 5);
        let taken: Vec<_> = all.iter().map(|address| TcpListener::bind(address).unwrap()).collect();
        let more = addresses(2).unwrap();
        assert!(taken.iter().all(|listener| !more.contains(&listener.local_addr().unwrap())));
    }
}
