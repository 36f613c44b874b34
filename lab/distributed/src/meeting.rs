//! How the programs of an election meet: each pair has one connection, over which both prove that they
//! know the secret, and compare the terms.
//!
//! Nothing of `suffrage-net` is used here: hosts have a common secret and no certificates, and a worker blocks on its
//! connection, so there are no tasks that could share a window.

use crate::{
    Difference, Hosts, OnLoss, Secret, Team, Terms,
    introduction::{HostIntroduction, INTRODUCTION},
    link::{HostLink, Leaving},
    team::Company,
};
use ring::{
    hmac,
    rand::{SecureRandom, SystemRandom},
};
use std::{
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream, ToSocketAddrs},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

/// The beginning of every connection, and the version of the rest.
const MAGIC: [u8; 16] = *b"suffrage rounds\x01";

/// The length of an introduction: the magic, the caller, the called host, and a number used once.
const HELLO: usize = 16 + 4 + 4 + 32;

/// The length of a proof.
const PROOF: usize = 32;

/// The greatest length of the terms in their written form.
const TERMS: usize = 1 << 16;

/// The greatest number of connections that introduce themselves at the same time.
const STRANGERS: usize = 64;

/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(50);

impl Hosts {
    /// Meets the programs of all other hosts, and waits at most `patience` for them. Each has `workers`
    /// threads. If one of them leaves before the election is over, `on_loss` ends this program.
    ///
    /// What the hosts send each other afterwards is neither encrypted nor authenticated: the network
    /// between them must be one whose other users are trusted.
    ///
    /// # Errors
    /// If a host does not come, does not know the secret, or has other terms.
    pub fn meet(
        &self,
        workers: u32,
        terms: &Terms,
        secret: &Secret,
        patience: Duration,
        on_loss: OnLoss,
    ) -> Result<Team, MeetingError> {
        let terms = terms.clone().with("--hosts", self.addresses.join(" "));
        let meeting = Meeting {
            hosts: self,
            key: hmac::Key::new(hmac::HMAC_SHA256, &secret.0),
            written: serde_json::to_vec(&terms).map_err(io::Error::other)?,
            terms,
            deadline: Instant::now() + patience,
            patience,
            failure: OnceLock::new(),
        };
        let streams = meeting.streams()?;
        let (leaving, told) = (Leaving::default(), Arc::new(AtomicBool::new(false)));
        let link = |(host, stream): (u32, Option<TcpStream>)| {
            let (name, leaving, told) =
                (self.name(host).into(), leaving.clone(), Arc::clone(&told));
            Some(HostLink::new(stream?, name, leaving, told, on_loss))
        };
        let links = (0..).zip(streams).map(link).collect();
        Ok(Team::of_programs(workers, Company { process: self.process, links, leaving }))
    }
}

/// An error: the programs of an election did not meet.
#[derive(Debug, thiserror::Error)]
pub enum MeetingError {
    /// The address of this host cannot be used.
    #[error("{host} is this one, and cannot be reached there: {error}")]
    Listen {
        /// The host.
        host: String,
        /// The reason.
        error: io::Error,
    },
    /// A host has not come.
    #[error("{host} has not come within {patience} seconds{last}; start it, or wait longer")]
    Absent {
        /// The host.
        host: String,
        /// The time for which it was waited for.
        patience: u64,
        /// What was tried last, if anything.
        last: String,
    },
    /// A host does not know the secret, or has ended.
    #[error(
        "{host} has hung up: it does not know the secret of this host, or has ended; give the \
         same secret to all hosts, and read its messages"
    )]
    Stranger {
        /// The host.
        host: String,
    },
    /// A program of a host speaks otherwise.
    #[error("{host} does not answer as this version of suffrage does")]
    Language {
        /// The host.
        host: String,
    },
    /// A program of a host holds another election.
    #[error(
        "{host} would hold another election: {difference}; start all hosts with the same arguments \
         and input"
    )]
    Terms {
        /// The host.
        host: String,
        /// What differs.
        difference: Difference,
    },
    /// A system call has failed.
    #[error("the hosts cannot be met: {0}")]
    System(#[from] io::Error),
}

struct Meeting<'a> {
    hosts: &'a Hosts,
    key: hmac::Key,
    terms: Terms,
    /// The terms as they are sent.
    written: Vec<u8>,
    deadline: Instant,
    patience: Duration,
    /// Why this host will not meet the others.
    failure: OnceLock<MeetingError>,
}

/// The connections to the other hosts that exist so far.
type Streams = Mutex<Vec<Option<TcpStream>>>;

fn keep(host: u32, stream: TcpStream, streams: &Streams) {
    streams.lock().unwrap_or_else(PoisonError::into_inner)[host as usize] = Some(stream);
}

/// The two parts in a conversation; their proofs differ, so that none can be sent back.
#[derive(Clone, Copy)]
enum CallRole {
    Caller,
    Called,
}

impl Meeting<'_> {
    /// Returns a connection to each other host, in the order of their numbers. Hosts call those before
    /// them, and are called by those after them.
    fn streams(self) -> Result<Vec<Option<TcpStream>>, MeetingError> {
        let me = self.hosts.process;
        let address = self.hosts.addresses[me as usize].as_str();
        let listener = TcpListener::bind(address)
            .map_err(|error| MeetingError::Listen { host: self.hosts.name(me), error })?;
        listener.set_nonblocking(true)?;
        let streams = Mutex::new((0..self.hosts.count()).map(|_| None).collect());
        thread::scope(|scope| {
            for host in 0..me {
                scope.spawn({
                    let (meeting, streams) = (&self, &streams);
                    move || meeting.call(host, streams)
                });
            }
            self.answer(&listener, &streams);
        });
        match self.failure.into_inner() {
            Some(failure) => Err(failure),
            None => Ok(streams.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// Ends all attempts. This is the reason, unless there is an earlier one.
    fn fail(&self, failure: MeetingError) {
        let _ = self.failure.set(failure);
    }

    fn is_over(&self, host: u32, last: &str) -> bool {
        if Instant::now() >= self.deadline {
            let (host, patience) = (self.hosts.name(host), self.patience.as_secs());
            self.fail(MeetingError::Absent { host, patience, last: last.to_owned() });
        }
        self.failure.get().is_some()
    }

    /// Calls a host until it answers.
    fn call(&self, host: u32, streams: &Streams) {
        let mut last = String::new();
        while !self.is_over(host, &last) {
            let talk = |stream: TcpStream| self.talk(stream, Some(host));
            match self.connect(host).map_err(MeetingError::from).and_then(talk) {
                Ok((_, stream)) => return keep(host, stream, streams),
                // The host may not have been started yet.
                Err(MeetingError::System(error)) => last = format!(" ({error})"),
                Err(error) => self.fail(error),
            }
            thread::sleep(PAUSE);
        }
    }

    fn connect(&self, host: u32) -> io::Result<TcpStream> {
        let mut error = io::Error::other("the name has no address");
        for address in self.hosts.addresses[host as usize].to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, INTRODUCTION) {
                Ok(stream) => return Ok(stream),
                Err(failed) => error = failed,
            }
        }
        Err(error)
    }

    /// Waits until all hosts after this one have called. Rejects a caller that cannot prove that it
    /// is one of them.
    fn answer(&self, listener: &TcpListener, streams: &Streams) {
        let missing = || {
            let streams = streams.lock().unwrap_or_else(PoisonError::into_inner);
            (self.hosts.process + 1..self.hosts.count())
                .find(|&host| streams[host as usize].is_none())
        };
        let (talking, strangers) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let answer = |stream| {
            match self.talk(stream, None) {
                // One that calls twice has not heard the answer to its first call.
                Ok((host, stream)) => keep(host, stream, streams),
                Err(error @ MeetingError::Terms { .. }) => self.fail(error),
                Err(_) => {
                    strangers.fetch_add(1, SeqCst);
                }
            }
            talking.fetch_sub(1, SeqCst);
        };
        thread::scope(|scope| {
            while let Some(host) = missing() {
                match listener.accept() {
                    Ok((stream, _)) if talking.load(SeqCst) < STRANGERS => {
                        talking.fetch_add(1, SeqCst);
                        scope.spawn(|| answer(stream));
                    }
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(PAUSE),
                    Err(error) => self.fail(error.into()),
                }
                let last = match strangers.load(SeqCst) {
                    0 => String::new(),
                    1 => " (a connection did not prove that it knows the secret)".to_owned(),
                    many => {
                        format!(" ({many} connections did not prove that they know the secret)")
                    }
                };
                if self.is_over(host, &last) {
                    return;
                }
            }
        });
    }

    /// Introduces this program over a connection, to the host that it has `called` or to one that calls. Returns
    /// the number of the other one.
    fn talk(
        &self,
        stream: TcpStream,
        called: Option<u32>,
    ) -> Result<(u32, TcpStream), MeetingError> {
        let other = || called.map_or_else(String::new, |host| self.hosts.name(host));
        let stranger = || MeetingError::Stranger { host: other() };
        let language = || MeetingError::Language { host: other() };
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        let mut stream = HostIntroduction::over(stream);
        let me = self.hosts.process;
        let (from, ours, theirs) = match called {
            Some(host) => {
                let ours = hello(me, host)?;
                stream.write_all(&ours)?;
                let theirs: [u8; HELLO] = read(&mut stream)?;
                (host, ours, theirs)
            }
            None => {
                let theirs: [u8; HELLO] = read(&mut stream)?;
                let from = u32::from_le_bytes([theirs[16], theirs[17], theirs[18], theirs[19]]);
                let ours = hello(me, from)?;
                stream.write_all(&ours)?;
                (from, ours, theirs)
            }
        };
        if theirs[..24] != hello_head(from, me) || from >= self.hosts.count() || from == me {
            return Err(language());
        }
        // The caller proves itself first: who is called tells strangers nothing.
        match called {
            Some(_) => {
                stream.write_all(self.proof(CallRole::Caller, &ours, &theirs).as_ref())?;
                let proof: [u8; PROOF] = match read(&mut stream) {
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                        return Err(stranger());
                    }
                    proof => proof?,
                };
                let said = said(CallRole::Called, &ours, &theirs);
                hmac::verify(&self.key, &said, &proof).map_err(|_| stranger())?;
            }
            None => {
                let proof: [u8; PROOF] = read(&mut stream)?;
                let said = said(CallRole::Caller, &theirs, &ours);
                hmac::verify(&self.key, &said, &proof).map_err(|_| stranger())?;
                stream.write_all(self.proof(CallRole::Called, &theirs, &ours).as_ref())?;
            }
        }
        stream.write_all(&(self.written.len() as u32).to_le_bytes())?;
        stream.write_all(&self.written)?;
        let length = u32::from_le_bytes(read(&mut stream)?) as usize;
        if length > TERMS {
            return Err(language());
        }
        let mut text = vec![0; length];
        stream.read_exact(&mut text)?;
        let theirs: Terms = serde_json::from_slice(&text).map_err(|_| language())?;
        if let Some(difference) = self.terms.difference(&theirs) {
            return Err(MeetingError::Terms { host: self.hosts.name(from), difference });
        }
        Ok((from, stream.end()?))
    }

    fn proof(&self, part: CallRole, caller: &[u8], called: &[u8]) -> hmac::Tag {
        hmac::sign(&self.key, &said(part, caller, called))
    }
}

/// The subject of a proof: the whole conversation, with the roles.
fn said(part: CallRole, caller: &[u8], called: &[u8]) -> Vec<u8> {
    [&[part as u8], caller, called].concat()
}

fn hello_head(from: u32, to: u32) -> Vec<u8> {
    [&MAGIC[..], &from.to_le_bytes(), &to.to_le_bytes()].concat()
}

fn hello(from: u32, to: u32) -> io::Result<Vec<u8>> {
    let mut hello = hello_head(from, to);
    let head = hello.len();
    hello.resize(HELLO, 0);
    let random = SystemRandom::new().fill(&mut hello[head..]);
    random.map_err(|_| io::Error::other("the system has no random numbers"))?;
    Ok(hello)
}

fn read<const N: usize>(stream: &mut HostIntroduction) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}
