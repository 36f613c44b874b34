//! A path between hosts on which datagrams are delayed, for kernels without `netem`.
//!
//! At the delay proxy each host has an address that stands for it. A datagram that a host sends from port P to port
//! Q of the address that stands for another one goes to port Q of that other one, from port P of the address
//! that stands for the sender. So to each host the others are where their addresses at the delay proxy are, and an
//! answer takes the same way back.

use anyhow::{Context, bail, ensure};
use clap::Args;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    io::{self, BufRead as _},
    net::{IpAddr, SocketAddr, UdpSocket},
    str::FromStr,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};
use suffrage_numbers::random::Key;

/// Delay datagrams between hosts
///
/// Runs until it is killed. Each line of standard input, such as `20ms 10ms`, is another delay and jitter
/// for the datagrams that arrive from then on.
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct DelayProxyArgs {
    /// How long a datagram takes from one host to another
    #[arg(long, value_name = "TIME", default_value = "0ms")]
    #[arg(value_parser = humantime::parse_duration)]
    delay: Duration,

    /// By how much this differs at most, up or down: drawn for each datagram, so that some overtake others
    #[arg(long, value_name = "TIME", default_value = "0ms")]
    #[arg(value_parser = humantime::parse_duration)]
    jitter: Duration,

    /// Seed of the delays: the nth datagram from one host to another has the same delay in each run
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// The port of the hosts at which they are reached first
    #[arg(long, value_name = "PORT", default_value_t = 7400)]
    port: u16,

    /// The hosts: an address of this machine, and the address of the host that it stands for
    #[arg(required = true, value_name = "ADDRESS=HOST", value_parser = stand_in)]
    hosts: Vec<(IpAddr, IpAddr)>,
}

const EXAMPLE: &str = "\
Example:
  suffrage-histories delay-proxy --delay 20ms --jitter 10ms 10.0.0.101=10.0.0.1 10.0.0.102=10.0.0.2";

fn stand_in(text: &str) -> Result<(IpAddr, IpAddr), String> {
    let pair = text.split_once('=').map(|(own, host)| (own.parse(), host.parse()));
    match pair {
        Some((Ok(own), Ok(host))) => Ok((own, host)),
        _ => Err("write two addresses, as in 10.0.0.101=10.0.0.1".to_owned()),
    }
}

/// The most datagrams that are on their way; further ones are lost.
const MOST: usize = 1 << 16;
/// How long a port that a host has used is listened at, after its last datagram: programs come and go.
const IDLE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DatagramDelays {
    delay: Duration,
    jitter: Duration,
}

impl DatagramDelays {
    fn new(delay: Duration, jitter: Duration) -> anyhow::Result<Self> {
        ensure!(jitter <= delay, "the jitter ({jitter:?}) is more than the delay ({delay:?})");
        Ok(Self { delay, jitter })
    }

    fn of(self, drawn: Key) -> Duration {
        let range = 2 * self.jitter.as_micros() as u64 + 1;
        self.delay - self.jitter + Duration::from_micros(drawn.below(range))
    }
}

impl FromStr for DatagramDelays {
    type Err = anyhow::Error;

    fn from_str(line: &str) -> anyhow::Result<Self> {
        let Some((delay, jitter)) = line.trim().split_once(' ') else {
            bail!("write a delay and a jitter, as in `20ms 10ms`");
        };
        Self::new(humantime::parse_duration(delay)?, humantime::parse_duration(jitter)?)
    }
}

enum ProxyEvent {
    Arrived {
        at: SocketAddr,
        from: SocketAddr,
        datagram: Vec<u8>,
    },
    /// Nothing has arrived at this address for a while, and nothing is received there any more.
    Idle(SocketAddr),
    Delays(DatagramDelays),
}

/// A datagram on its way. The next to leave is the least.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct DelayedDatagram {
    due: Instant,
    /// In the order of their arrival.
    number: u64,
    from: SocketAddr,
    to: SocketAddr,
    datagram: Vec<u8>,
}

struct DelayProxy {
    delays: DatagramDelays,
    key: Key,
    /// The hosts, by the addresses that stand for them, and these, by the hosts.
    hosts: BTreeMap<IpAddr, IpAddr>,
    stand_ins: BTreeMap<IpAddr, IpAddr>,
    /// How many datagrams there were from one host to another.
    counts: BTreeMap<(IpAddr, IpAddr), u64>,
    sockets: BTreeMap<SocketAddr, Arc<UdpSocket>>,
    waiting: BinaryHeap<Reverse<DelayedDatagram>>,
    number: u64,
    sender: Sender<ProxyEvent>,
    events: Receiver<ProxyEvent>,
}

pub(crate) fn run(args: &DelayProxyArgs) -> anyhow::Result<()> {
    let delays = DatagramDelays::new(args.delay, args.jitter).context("--jitter")?;
    let mut proxy = DelayProxy::new(&args.hosts, delays, args.seed);
    for &(own, _) in &args.hosts {
        let at = SocketAddr::new(own, args.port);
        proxy.listen(at, None).with_context(|| at.to_string())?;
    }
    let sender = proxy.sender.clone();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            match line.parse() {
                Ok(delays) => drop(sender.send(ProxyEvent::Delays(delays))),
                Err(error) => eprintln!("{line:?}: {error:#}; the delays stay"),
            }
        }
    });
    proxy.run();
    Ok(())
}

impl DelayProxy {
    fn new(hosts: &[(IpAddr, IpAddr)], delays: DatagramDelays, seed: u64) -> Self {
        let (sender, events) = channel();
        Self {
            delays,
            key: Key::new(seed, "delays of datagrams"),
            hosts: hosts.iter().copied().collect(),
            stand_ins: hosts.iter().map(|&(own, host)| (host, own)).collect(),
            counts: BTreeMap::new(),
            sockets: BTreeMap::new(),
            waiting: BinaryHeap::new(),
            number: 0,
            sender,
            events,
        }
    }

    /// Receives what arrives at an address, until nothing has for this long.
    fn listen(&mut self, at: SocketAddr, idle: Option<Duration>) -> io::Result<Arc<UdpSocket>> {
        let socket = Arc::new(UdpSocket::bind(at)?);
        socket.set_read_timeout(idle)?;
        self.sockets.insert(at, socket.clone());
        let (receiver, sender) = (socket.clone(), self.sender.clone());
        thread::spawn(move || {
            let mut room = vec![0; 1 << 16];
            while let Ok((length, from)) = receiver.recv_from(&mut room) {
                let datagram = room[..length].to_vec();
                if sender.send(ProxyEvent::Arrived { at, from, datagram }).is_err() {
                    return;
                }
            }
            let _ = sender.send(ProxyEvent::Idle(at));
        });
        Ok(socket)
    }

    fn run(mut self) {
        loop {
            let now = Instant::now();
            let next =
                self.waiting.peek().map(|Reverse(delayed)| delayed.due - now.min(delayed.due));
            // There is always a sender: our own.
            let event = match next {
                Some(Duration::ZERO) => Err(RecvTimeoutError::Timeout),
                Some(next) => self.events.recv_timeout(next),
                None => self.events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(ProxyEvent::Arrived { at, from, datagram }) => self.accept(at, from, datagram),
                Ok(ProxyEvent::Idle(at)) => drop(self.sockets.remove(&at)),
                Ok(ProxyEvent::Delays(delays)) => self.delays = delays,
                Err(RecvTimeoutError::Timeout) => self.send(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Takes a datagram, and draws when it leaves.
    fn accept(&mut self, at: SocketAddr, from: SocketAddr, datagram: Vec<u8>) {
        let arrived = Instant::now();
        let (Some(&host), Some(&own)) = (self.hosts.get(&at.ip()), self.stand_ins.get(&from.ip()))
        else {
            return; // Of a stranger.
        };
        let count = self.counts.entry((from.ip(), host)).or_default();
        *count += 1;
        let link = [from.ip(), host].into_iter().fold(self.key, |key, ip| key.at(number(ip)));
        let due = arrived + self.delays.of(link.at(*count));
        if self.waiting.len() < MOST {
            self.number += 1;
            self.waiting.push(Reverse(DelayedDatagram {
                due,
                number: self.number,
                from: SocketAddr::new(own, from.port()),
                to: SocketAddr::new(host, at.port()),
                datagram,
            }));
        }
    }

    fn send(&mut self) {
        let Some(Reverse(delayed)) = self.waiting.pop() else { return };
        let socket = match self.sockets.get(&delayed.from) {
            Some(socket) => Ok(socket.clone()),
            None => self.listen(delayed.from, Some(IDLE)),
        };
        // A host that is down cannot be reached: the datagram is lost.
        match socket {
            Ok(socket) => drop(socket.send_to(&delayed.datagram, delayed.to)),
            Err(error) => eprintln!("{}: {error}", delayed.from),
        }
    }
}

fn number(ip: IpAddr) -> u64 {
    match ip {
        IpAddr::V4(ip) => u64::from(ip.to_bits()),
        IpAddr::V6(ip) => ip.to_bits() as u64,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests;
