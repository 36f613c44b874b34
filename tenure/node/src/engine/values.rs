//! The values of leaderships: carries out what [`LeaderValues`](tenure_protocol::value::LeaderValues) decides. No message
//! of the protocol waits for it.

use super::{NodeEngine, TICK};
use crate::packet::PeerMessage;
use tenure_model::{Office, Peer, Term};
use tenure_protocol::value::{LeaderValue, ValueInput, ValueOutput};

impl NodeEngine {
    pub(super) fn step_values(&mut self, input: ValueInput) {
        let mut outputs = Vec::new();
        self.values.step(input, &mut outputs);
        if self.values.is_open() {
            let beat = u64::from(self.parts.setting.heartbeat) * TICK;
            self.look_at.get_or_insert(self.now() + beat);
        }
        for output in outputs {
            match output {
                ValueOutput::Send(to, message) => {
                    self.send(vec![(to, PeerMessage::Value(message))]);
                }
                ValueOutput::Changed(office) => self.tell_watchers(office),
            }
        }
    }

    /// Repeats what was not answered within a heartbeat. Returns whether anything is left to repeat. A loop that is behind
    /// has the answers among its messages.
    pub(super) fn repeat_values(&mut self) -> bool {
        if !self.repeats.is_behind() {
            self.step_values(ValueInput::Beat);
        }
        self.values.is_open()
    }

    /// Passes on who leads an office, if its value matters here. A member follows the values of all offices. A client, which
    /// may stand for a great number of them, follows only those about which a program has asked.
    pub(super) fn follow_value(&mut self, office: Office, leader: Option<(Peer, Term)>) {
        let setting = self.parts.setting;
        let asked_for = self.candidacies.get(&office).is_some_and(|it| it.asked_for.is_some());
        let matters = self.votes() || asked_for;
        let leader = leader.filter(|&(leader, _)| matters || leader == setting.me);
        self.step_values(ValueInput::Led(office, leader));
    }

    /// Sets the value of a leadership that begins here.
    pub(super) fn begin_value(&mut self, office: Office, term: Term, value: LeaderValue) {
        self.follow_value(office, Some((self.parts.setting.me, term)));
        self.step_values(ValueInput::Proclaim(office, term, value));
    }
}
