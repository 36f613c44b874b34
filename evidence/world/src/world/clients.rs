//! Programs that stand by a member of another process and speak the local protocol: on its host, or over HTTP from
//! another one. They stand still, vanish, flood their member and do not read, and count on no more than they were told.

use super::ServiceWorld;
use super::connections::NOTICED;
use crate::clock::{MILLI, SECOND};
use crate::queue::{HostNumber, HostTask};
use std::collections::BTreeMap;
use std::mem::take;
use tenure_cli::testing::{ClientMessage, MemberMessage};

/// The offices for which a program of each host stands: by the member of its host, and by the one of the next host.
pub(crate) const CLIENT_OFFICES: [&str; 2] = ["cache", "queue"];

/// How many messages a program sends at once that floods its member.
const FLOOD: u64 = 1000;

/// How long it takes until it is noticed that the other host has lost power.
const UNREACHED: u64 = 3 * SECOND;

/// How long an office may be vacant without a fault: programs also leave it by themselves.
const VACANT: u64 = 10 * SECOND;

/// How long it may take until all members know of a change.
const KNOWN: u64 = 5 * SECOND;

/// A program that stands for an office.
#[derive(Default)]
pub(crate) struct ProgramClient {
    host: HostNumber,
    /// The host of the member by which it stands.
    member: HostNumber,
    office: &'static str,
    connection: Option<u64>,
    /// The term in which it leads.
    term: Option<u64>,
    value: String,
    /// When it does something by itself, by the clock of its host, as the two that follow.
    next: u64,
    /// When it says that it is well.
    alive_at: Option<u64>,
    /// When its work will have ended.
    ends_at: Option<u64>,
}

/// What a program, or a part of it that outlives it, may count on.
struct ClientClaim {
    client: usize,
    host: HostNumber,
    office: &'static str,
    term: u64,
    until: u64,
    /// When this term began, or its value was changed, in the world's time.
    changed_at: u64,
}

/// What programs count on, by their connections.
#[derive(Default)]
pub(crate) struct ClientClaims {
    all: BTreeMap<u64, ClientClaim>,
    /// The last term of each office, and when a program counted on it last.
    last: BTreeMap<&'static str, (u64, u64)>,
}

impl ServiceWorld {
    /// Makes the programs of all hosts.
    pub(crate) fn make_clients(&mut self) {
        let hosts = self.hosts.len();
        // Also where there is one host, two programs stand for each office.
        for host in (0..hosts.max(2)).map(|place| place % hosts) {
            for (number, office) in CLIENT_OFFICES.into_iter().enumerate() {
                let member = (host + number) % hosts;
                let index = self.clients.len();
                self.clients.push(ProgramClient {
                    host,
                    member,
                    office,
                    ..ProgramClient::default()
                });
                self.wake_in(host, HostTask::Client(index), 100 * MILLI);
            }
        }
    }

    fn clients_of(&self, host: HostNumber) -> Vec<usize> {
        (0..self.clients.len()).filter(|&client| self.clients[client].host == host).collect()
    }

    /// Returns the tasks of the programs of a host.
    pub(crate) fn client_tasks(&self, host: HostNumber) -> Vec<HostTask> {
        self.clients_of(host).into_iter().map(HostTask::Client).collect()
    }

    pub(crate) fn wake_clients(&mut self, host: HostNumber) {
        for task in self.client_tasks(host) {
            self.wake(host, task);
        }
    }

    /// A program asks its member on its connection.
    fn ask(&mut self, client: &ProgramClient, asked: ClientMessage) {
        if let Some(id) = client.connection {
            self.tell_member(id, Ok(asked));
        }
    }

    /// A program leaves its connection, as its member finds after this time. It connects again after a pause.
    fn part(&mut self, client: &mut ProgramClient, after: u64) {
        let pause = 100 * MILLI + self.dice.below(900 * MILLI);
        client.next = self.boottime(client.host).as_nanos() + pause;
        (client.term, client.alive_at, client.ends_at) = (None, None, None);
        if let Some(id) = client.connection.take() {
            self.leave_connection(id, after);
        }
    }

    /// Kills the programs of a host, or has its power fail. What they have begun may go on without them.
    pub(crate) fn kill_clients(&mut self, host: HostNumber, power: bool) {
        let power = power || self.hosts[host].is_down();
        for index in self.clients_of(host) {
            self.hosts[host].suspended.remove(&HostTask::Client(index));
            let mut client = take(&mut self.clients[index]);
            self.part(&mut client, if power { UNREACHED } else { NOTICED });
            if power {
                client.next = 0;
            }
            self.clients[index] = client;
            self.wake(host, HostTask::Client(index));
        }
        if power {
            self.claims.all.retain(|_, claim| claim.host != host);
        }
    }

    /// The programs of a host send more than their member can use.
    pub(crate) fn flood(&mut self, host: HostNumber) {
        for index in self.clients_of(host) {
            let client = take(&mut self.clients[index]);
            for ping in 0..FLOOD {
                let alive = ClientMessage::Alive { ping, unheard: false, command: None };
                self.ask(&client, alive);
            }
            if self.dice.below(2) == 0
                && let Some(id) = client.connection
            {
                self.tell_member(id, Err("the line is too long".to_owned()));
            }
            self.clients[index] = client;
        }
    }

    /// Lets a program do all that there is to do.
    pub(crate) fn run_client(&mut self, host: HostNumber, index: usize) {
        let now = self.boottime(host).as_nanos();
        let mut client = take(&mut self.clients[index]);
        while let Some(id) = client.connection.filter(|_| !self.hosts[host].deaf)
            && let Some(told) = self.told(id)
        {
            match told {
                Ok(message) => self.hear_member(&mut client, index, now, message),
                Err(()) => self.part(&mut client, 0),
            }
        }
        if client.ends_at.is_some_and(|at| at <= now) {
            self.end_work(&mut client);
        }
        let deaf = self.hosts[host].deaf && client.term.is_some();
        if deaf {
            client.alive_at.get_or_insert(now);
        }
        if client.alive_at.is_some_and(|at| at <= now) {
            client.alive_at = deaf.then_some(now + 50 * MILLI);
            let alive = ClientMessage::Alive { ping: now, unheard: false, command: None };
            self.ask(&client, alive);
        }
        if client.next <= now {
            self.act(&mut client, index, now);
        }
        let due = [Some(client.next), client.alive_at, client.ends_at].into_iter().flatten().min();
        self.clients[index] = client;
        self.wake_at(host, HostTask::Client(index), due.unwrap_or(now + SECOND));
    }

    fn hear_member(
        &mut self,
        client: &mut ProgramClient,
        index: usize,
        now: u64,
        message: MemberMessage,
    ) {
        match message {
            MemberMessage::Leading { term, .. } => {
                client.term = Some(term);
                client.alive_at = Some(now);
            }
            MemberMessage::Valid { ping, for_ms } => {
                self.count_on(client, index, ping + for_ms * MILLI);
                // Mostly at once.
                let late = self.dice.below(8) == 0;
                let late = if late { 2 * self.timing.lease.as_nanos() as u64 } else { MILLI };
                client.alive_at = Some(now + self.dice.below(late));
            }
            MemberMessage::Stopping {} => {
                client.ends_at = Some(now + self.dice.below(500 * MILLI));
            }
            MemberMessage::Over {} => {
                let until = client.connection.and_then(|id| self.claims.all.get(&id));
                let until = until.map_or(now, |claim| claim.until);
                let end = until + self.timing.stop.as_nanos() as u64;
                client.ends_at = Some(end.min(now + self.dice.below(200 * MILLI)).max(now));
            }
            MemberMessage::Refused { why, .. } => {
                self.say(client.host, || format!("a program is refused: {why}"));
            }
            _ => {}
        }
    }

    /// The work of a program has ended, and it releases the office.
    fn end_work(&mut self, client: &mut ProgramClient) {
        (client.ends_at, client.alive_at) = (None, None);
        if let Some(id) = client.connection {
            self.claims.all.remove(&id);
        }
        let to = (self.dice.below(8) == 0).then(|| self.names[client.host].clone());
        client.term = None;
        self.ask(client, ClientMessage::Release { to });
    }

    /// A program does something by itself.
    fn act(&mut self, client: &mut ProgramClient, index: usize, now: u64) {
        client.next = now + 5 * SECOND + self.dice.below(25 * SECOND);
        if client.connection.is_none() {
            return self.connect_client(client, index, now);
        }
        match (client.term, self.dice.below(8)) {
            (Some(_), 0) => client.ends_at = Some(now + self.dice.below(100 * MILLI)),
            (Some(_), 1 | 2) => {
                client.value = format!("host-{} at {now}", client.host);
                let claim = client.connection.and_then(|id| self.claims.all.get_mut(&id));
                if let Some(claim) = claim {
                    claim.changed_at = self.now;
                }
                let value = client.value.clone();
                self.ask(client, ClientMessage::Proclaim { value });
            }
            (_, 3) => self.part(client, NOTICED),
            _ => {}
        }
    }

    fn connect_client(&mut self, client: &mut ProgramClient, index: usize, now: u64) {
        let ends = (client.host, client.member);
        client.connection = self.connect(HostTask::Client(index), ends, 1);
        if client.connection.is_none() {
            client.next = now + 200 * MILLI;
            return;
        }
        client.value = format!("host-{}", client.host);
        let stand = ClientMessage::Stand {
            office: client.office.to_owned(),
            priority: None,
            stop_ms: Some(self.timing.stop.as_millis() as u64),
            wait_ms: None,
            only_try: false,
            value: Some(client.value.clone()),
            guarded: false,
            says_release: false,
        };
        self.ask(client, stand);
    }

    /// A program counts on an office until this instant of its clock: no other one may, with its stop time.
    fn count_on(&mut self, client: &ProgramClient, index: usize, until: u64) {
        let (Some(id), Some(term)) = (client.connection, client.term) else { return };
        if until <= self.boottime(client.host).as_nanos() {
            return;
        }
        let stop = self.timing.stop.as_nanos() as u64;
        let mut others = take(&mut self.claims.all);
        others.retain(|_, claim| self.boottime(claim.host).as_nanos() < claim.until + stop);
        let (office, host) = (client.office, client.host);
        let other = others.iter().find(|&(&other, it)| other != id && it.office == office);
        let mut broken = other.map(|(_, other)| {
            format!(
                "two programs count on leading {office}: of host {} in term {}, and of host {host} in term {term}",
                other.host, other.term
            )
        });
        let changed_at = others.get(&id).map_or(self.now, |claim| claim.changed_at);
        let until = others.get(&id).map_or(until, |claim| claim.until.max(until));
        others.insert(id, ClientClaim { client: index, host, office, term, until, changed_at });
        self.claims.all = others;
        let counted = self.hosts[host].rate.world(until);
        let (last, counted_on) = self.claims.last.entry(office).or_default();
        *counted_on = counted.max(*counted_on);
        if std::mem::replace(last, term) > term {
            broken.get_or_insert(format!("terms of {office} do not grow: {term} is a later one"));
        }
        self.report.counted += 1;
        if let Some(why) = broken {
            self.broken(&why);
        }
    }

    /// Checks that each office of programs is led, that all members say so, and that nothing is left of programs that
    /// are gone.
    pub(crate) fn clients_are_well(&mut self) -> Result<(), String> {
        for office in CLIENT_OFFICES {
            let (_, counted) = self.claims.last.get(office).copied().unwrap_or_default();
            if counted + VACANT < self.now {
                return Err(format!("no program leads {office}"));
            }
            let led = self.claims.all.iter().find(|(id, claim)| {
                let client = &self.clients[claim.client];
                let now = self.boottime(claim.host).as_nanos();
                claim.office == office
                    && client.connection == Some(**id)
                    && client.ends_at.is_none()
                    && claim.until > now
                    && claim.changed_at + KNOWN < self.now
            });
            let Some((_, claim)) = led else { continue };
            let client = &self.clients[claim.client];
            let right = (client.member, claim.term, client.value.clone());
            (0..self.hosts.len()).try_for_each(|host| self.tells(host, office, &right))?;
        }
        for (host, it) in self.hosts.iter().enumerate() {
            let Some(program) = &it.program else { continue };
            let left = program.served.keys().filter(|id| self.connections.is_stale(**id, self.now));
            let (left, all) = (left.count(), program.served.len());
            if left > 0 || all > 2 * self.clients.len() {
                return Err(format!(
                    "host {host} keeps {all} connections, {left} of programs that are gone"
                ));
            }
        }
        Ok(())
    }
}
