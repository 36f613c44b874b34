//! `tenure lead` by the member of another process: the shell around its session, as `SessionLines` is on a real host.

use super::connections::NOTICED;
use super::guarded::GuardShell;
use super::{OFFICE, ServiceWorld};
use crate::queue::{HostNumber, HostTask};
use std::collections::VecDeque;
use tenure_cli::testing::{
    ClientMessage, MemberMessage, OfficeSession, SessionInput, SessionOutput,
};

/// More messages at once are too many.
const SPINS: u32 = 10_000;

/// A connection on which something is asked as soon as the member has greeted.
pub(crate) struct AskedConnection {
    id: u64,
    request: Option<ClientMessage>,
}

/// A connection by which `tenure lead` stands, or leads.
pub(crate) struct MemberSession {
    asked: AskedConnection,
    state: OfficeSession,
    found: VecDeque<SessionOutput>,
}

impl MemberSession {
    pub(crate) const fn connection(&self) -> u64 {
        self.asked.id
    }
}

impl ServiceWorld {
    /// Asks the member of this host by a connection of its own.
    pub(crate) fn ask_member_here(
        &mut self,
        number: HostNumber,
        request: ClientMessage,
    ) -> Option<AskedConnection> {
        // To a member that speaks other versions alone, this program is as one that does.
        let version = if self.hosts[number].upgraded == Some(true) { 2 } else { 1 };
        let id = self.connect(HostTask::Loop, (number, number), version)?;
        Some(AskedConnection { id, request: Some(request) })
    }

    /// Returns what the member says next, after its greeting; or why nothing more is heard of it.
    fn hear_asked(&mut self, asked: &mut AskedConnection) -> Option<Result<MemberMessage, String>> {
        loop {
            let told = self.told(asked.id)?;
            match (told, asked.request.take()) {
                (Err(()), _) => return Some(Err("it closed the connection".to_owned())),
                (Ok(message), None) => return Some(Ok(message)),
                (Ok(MemberMessage::Hello { .. }), Some(request)) => {
                    self.tell_member(asked.id, Ok(request));
                }
                (Ok(MemberMessage::Refused { why, .. }), Some(_)) => return Some(Err(why)),
                (Ok(_), Some(_)) => return Some(Err("it answers nonsense".to_owned())),
            }
        }
    }

    /// Closes a connection, if there is one.
    pub(crate) fn leave_asked(&mut self, asked: &mut Option<AskedConnection>) {
        if let Some(asked) = asked.take() {
            self.leave_connection(asked.id, NOTICED);
        }
    }

    /// Returns the answer to a request to have the office transferred, whose connection is over then.
    pub(crate) fn transferred(
        &mut self,
        asking: &mut Option<AskedConnection>,
    ) -> Option<Result<(), String>> {
        let answer = self.hear_asked(asking.as_mut()?)?;
        self.leave_asked(asking);
        Some(match answer {
            Ok(MemberMessage::Done {}) => Ok(()),
            Ok(MemberMessage::Refused { why, .. }) | Err(why) => Err(why),
            Ok(_) => Err("it answers nonsense".to_owned()),
        })
    }

    /// Begins to stand by the member of this host, with this value.
    pub(crate) fn stand_there(&mut self, number: HostNumber, value: String) -> MemberSession {
        let stand = ClientMessage::Stand {
            office: OFFICE.to_owned(),
            priority: None,
            stop_ms: Some(self.workloads[number].stop.as_millis() as u64),
            wait_ms: None,
            only_try: false,
            value: Some(value),
            guarded: true,
            says_release: true,
        };
        let mut state = OfficeSession::new("the member".to_owned());
        let asked = self.ask_member_here(number, stand);
        let mut found = VecDeque::new();
        if asked.is_none() {
            let why = SessionInput::Closed("no member listens there".to_owned());
            found.extend(state.step(self.boottime(number), why));
        }
        // One that nothing is heard of.
        let asked = asked.unwrap_or(AskedConnection { id: 0, request: None });
        self.wake(number, HostTask::Loop);
        MemberSession { asked, state, found }
    }

    /// Closes the connection by which the program stands or leads: a guard may keep it open.
    pub(crate) fn leave_session(&mut self, session: &mut Option<MemberSession>) {
        self.leave_asked(&mut session.take().map(|session| session.asked));
    }

    /// Tells the session what has happened, and says what it wants.
    pub(crate) fn step_session(
        &mut self,
        number: HostNumber,
        session: &mut Option<MemberSession>,
        input: SessionInput,
    ) {
        let now = self.boottime(number);
        let Some(session) = session else { return };
        for output in session.state.step(now, input) {
            match output {
                SessionOutput::Say(message) => self.tell_member(session.asked.id, Ok(message)),
                output => session.found.push_back(output),
            }
        }
    }

    /// Returns what the session finds next.
    pub(crate) fn next_of_session(
        &mut self,
        number: HostNumber,
        session: &mut Option<MemberSession>,
    ) -> Option<SessionOutput> {
        for _ in 0..SPINS {
            let under_way = session.as_mut()?;
            if let Some(found) = under_way.found.pop_front() {
                return Some(found);
            }
            let input = match self.hear_asked(&mut under_way.asked)? {
                Ok(message) => SessionInput::Heard(message),
                Err(why) => SessionInput::Closed(why),
            };
            self.step_session(number, session, input);
        }
        self.broken("the program hears nothing but the end of its connection, and goes on to hear");
        None
    }

    /// A guard gets a descriptor of a connection, in place of an earlier one. That closes with the last descriptor.
    pub(crate) fn keep_session(&mut self, number: HostNumber, guard: u64, id: u64) {
        let guard = self.hosts[number].guards.get_mut(&guard).filter(|guard| guard.alive);
        let Some(guard) = guard else { return };
        let earlier = guard.connection.replace(id);
        earlier.into_iter().for_each(|earlier| self.keep_connection(earlier, false));
        self.keep_connection(id, true);
    }

    /// A guard closes the connection that it has kept, perhaps after it has said that no process of COMMAND is left.
    pub(crate) fn leave_kept(&mut self, guard: &mut GuardShell, says: bool) {
        let Some(id) = guard.connection.take() else { return };
        if says {
            self.tell_member(id, Ok(ClientMessage::Release { to: None }));
        }
        self.keep_connection(id, false);
    }
}
