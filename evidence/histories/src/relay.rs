//! A path between hosts on which datagrams are delayed, for kernels without `netem`.
//!
//! At the relay each host has an address that stands for it. A datagram that a host sends from port P to port
//! Q of the address that stands for another one goes to port Q of that other one, from port P of the address
//! that stands for the sender. So to each host the others are where their addresses at the relay are, and an
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
pub(crate) struct RelayArgs {
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
  suffrage-histories relay --delay 20ms --jitter 10ms 10.0.0.101=10.0.0.1 10.0.0.102=10.0.0.2";

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

/// How long datagrams take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Delays {
    delay: Duration,
    jitter: Duration,
}

impl Delays {
    fn new(delay: Duration, jitter: Duration) -> anyhow::Result<Self> {
        ensure!(jitter <= delay, "the jitter ({jitter:?}) is more than the delay ({delay:?})");
        Ok(Self { delay, jitter })
    }

    fn of(self, drawn: Key) -> Duration {
        let range = 2 * self.jitter.as_micros() as u64 + 1;
        self.delay - self.jitter + Duration::from_micros(drawn.below(range))
    }
}

impl FromStr for Delays {
    type Err = anyhow::Error;

    fn from_str(line: &str) -> anyhow::Result<Self> {
        let Some((delay, jitter)) = line.trim().split_once(' ') else {
            bail!("write a delay and a jitter, as in `20ms 10ms`");
        };
        Self::new(humantime::parse_duration(delay)?, humantime::parse_duration(jitter)?)
    }
}

/// What happens to the relay.
enum Event {
    /// A datagram has arrived.
    Arrived {
        at: SocketAddr,
        from: SocketAddr,
        datagram: Vec<u8>,
    },
    /// Nothing has arrived at this address for a while, and nothing is received there any more.
    Idle(SocketAddr),
    Delays(Delays),
}

/// A datagram on its way. The next to leave is the least.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Letter {
    due: Instant,
    /// In the order of their arrival.
    number: u64,
    from: SocketAddr,
    to: SocketAddr,
    datagram: Vec<u8>,
}

struct Relay {
    delays: Delays,
    key: Key,
    /// The hosts, by the addresses that stand for them, and these, by the hosts.
    hosts: BTreeMap<IpAddr, IpAddr>,
    stand_ins: BTreeMap<IpAddr, IpAddr>,
    /// How many datagrams there were from one host to another.
    counts: BTreeMap<(IpAddr, IpAddr), u64>,
    sockets: BTreeMap<SocketAddr, Arc<UdpSocket>>,
    waiting: BinaryHeap<Reverse<Letter>>,
    number: u64,
    sender: Sender<Event>,
    events: Receiver<Event>,
}

/// Relays datagrams until it is killed.
pub(crate) fn run(args: &RelayArgs) -> anyhow::Result<()> {
    let delays = Delays::new(args.delay, args.jitter).context("--jitter")?;
    let mut relay = Relay::new(&args.hosts, delays, args.seed);
    for &(own, _) in &args.hosts {
        let at = SocketAddr::new(own, args.port);
        relay.listen(at, None).with_context(|| at.to_string())?;
    }
    let sender = relay.sender.clone();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            match line.parse() {
                Ok(delays) => drop(sender.send(Event::Delays(delays))),
                Err(error) => eprintln!("{line:?}: {error:#}; the delays stay"),
            }
        }
    });
    relay.run();
    Ok(())
}

impl Relay {
    fn new(hosts: &[(IpAddr, IpAddr)], delays: Delays, seed: u64) -> Self {
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
                if sender.send(Event::Arrived { at, from, datagram }).is_err() {
                    return;
                }
            }
            let _ = sender.send(Event::Idle(at));
        });
        Ok(socket)
    }

    fn run(mut self) {
        loop {
            let now = Instant::now();
            let next = self.waiting.peek().map(|Reverse(letter)| letter.due - now.min(letter.due));
            // There is always a sender: our own.
            let event = match next {
                Some(Duration::ZERO) => Err(RecvTimeoutError::Timeout),
                Some(next) => self.events.recv_timeout(next),
                None => self.events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(Event::Arrived { at, from, datagram }) => self.accept(at, from, datagram),
                Ok(Event::Idle(at)) => drop(self.sockets.remove(&at)),
                Ok(Event::Delays(delays)) => self.delays = delays,
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
            self.waiting.push(Reverse(Letter {
                due,
                number: self.number,
                from: SocketAddr::new(own, from.port()),
                to: SocketAddr::new(host, at.port()),
                datagram,
            }));
        }
    }

    /// Sends the datagram that is due.
    fn send(&mut self) {
        let Some(Reverse(letter)) = self.waiting.pop() else { return };
        let socket = match self.sockets.get(&letter.from) {
            Some(socket) => Ok(socket.clone()),
            None => self.listen(letter.from, Some(IDLE)),
        };
        // A host that is down cannot be reached: the datagram is lost.
        match socket {
            Ok(socket) => drop(socket.send_to(&letter.datagram, letter.to)),
            Err(error) => eprintln!("{}: {error}", letter.from),
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
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn delays_are_drawn_from_the_seed_within_the_jitter() {
        let delays: Delays = "20ms 10ms".parse().unwrap();
        let drawn = |seed| (0..1000).map(move |n| delays.of(Key::new(seed, "test").at(n)));
        assert!(drawn(1).eq(drawn(1)) && !drawn(1).eq(drawn(2)));
        assert!(drawn(1).all(|delay| delay >= 10 * MS && delay <= 30 * MS));
        assert!(drawn(1).min().unwrap() < 11 * MS && drawn(1).max().unwrap() > 29 * MS);
    }

    #[test]
    fn what_is_no_delay_and_jitter_is_refused() {
        for (line, why) in [
            ("20ms", "write a delay and a jitter"),
            ("soon 1ms", "number"),
            ("10ms 20ms", "the jitter (20ms) is more than the delay (10ms)"),
        ] {
            let error = line.parse::<Delays>().unwrap_err().to_string();
            assert!(error.contains(why), "{line}: {error}");
        }
        assert!(stand_in("10.0.0.101").is_err() && stand_in("a=b").is_err());
    }

    /// Two hosts, and the addresses that stand for them. All of 127.0.0.0/8 is of this machine.
    #[test]
    fn both_sides_see_one_path_on_which_datagrams_overtake_each_other_and_none_is_early() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        let hosts = [(ip("127.0.1.1"), ip("127.0.0.1")), (ip("127.0.1.2"), ip("127.0.0.2"))];
        let delays = Delays::new(30 * MS, 25 * MS).unwrap();
        let (one, other) = (UdpSocket::bind("127.0.0.1:0"), UdpSocket::bind("127.0.0.2:0"));
        let (one, other) = (one.unwrap(), other.unwrap());
        let place = |own: usize, socket: &UdpSocket| {
            SocketAddr::new(hosts[own].0, socket.local_addr().unwrap().port())
        };
        let mut relay = Relay::new(&hosts, delays, 7);
        relay.listen(place(1, &other), None).unwrap();
        thread::spawn(move || relay.run());

        let mut room = [0; 8];
        let mut order = Vec::new();
        let began = Instant::now();
        for number in 0..50 {
            one.send_to(&[number], place(1, &other)).unwrap();
        }
        for _ in 0..50 {
            let (_, from) = other.recv_from(&mut room).unwrap();
            assert_eq!(from, place(0, &one));
            order.push(room[0]);
        }
        assert!(began.elapsed() >= 5 * MS);
        assert!(!order.is_sorted());
        order.sort_unstable();
        assert_eq!(order, (0..50).collect::<Vec<u8>>());

        other.send_to(b"answer", place(0, &one)).unwrap();
        let (length, from) = one.recv_from(&mut room).unwrap();
        assert_eq!((&room[..length], from), (&b"answer"[..], place(1, &other)));
    }
}
