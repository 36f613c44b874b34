//! Configurations that are read again: an operator writes another file, and sends SIGHUP to the program.

use super::program::Program;
use super::{OFFICE, ServiceWorld};
use crate::faults::WrittenFile;
use crate::queue::{HostNumber, HostTask};
use std::fmt::Write as _;
use tenure_node::LeaseTiming;
use tenure_node::testing::SteppedMember;

impl ServiceWorld {
    /// The program of a host reads another file. It uses a right one, and refuses a wrong one, with a reason.
    pub(crate) fn reload(&mut self, number: HostNumber, file: WrittenFile) {
        let text = self.file_of(number, file);
        let Some(program) = &self.hosts[number].program else { return };
        // While members change, a file may name the old ones or the new ones.
        let changes = program.member.membership().number() % 2 == 1;
        let read = program.member.reload(&text);
        self.say(number, || match &read {
            Ok(()) => "the file was read again".to_owned(),
            Err(error) => format!("{error}; the old configuration stays"),
        });
        match (file, read) {
            (WrittenFile::Right, Err(error)) if !changes => {
                self.broken(&format!("host {number} refuses a right file: {error}"));
            }
            (WrittenFile::Right, _) => {}
            (_, Ok(())) => self.broken(&format!("host {number} uses a wrong file: {file:?}")),
            (_, Err(error)) => {
                if !error.to_string().contains(file.reason()) {
                    self.broken(&format!("host {number} refuses a wrong file, and says: {error}"));
                }
            }
        }
        self.wake(number, HostTask::Engine);
    }

    /// Writes a file as an operator would for this cluster, with priorities that are drawn.
    fn file_of(&mut self, number: HostNumber, file: WrittenFile) -> String {
        let told = self.hosts[number].program.as_deref().map(Program::membership);
        let mut names = told.unwrap_or_else(|| self.names.clone());
        let wan = self.timing.heartbeat == LeaseTiming::WAN.heartbeat;
        let mut profile = if wan { "wan" } else { "lan" };
        match file {
            WrittenFile::Right | WrittenFile::Unreadable => {}
            WrittenFile::Timing => profile = if wan { "lan" } else { "wan" },
            WrittenFile::Members => names.push("host-99".to_owned()),
        }
        let mut text = format!("cluster = \"world\"\ndata = \"d\"\nprofile = \"{profile}\"\n");
        if file == WrittenFile::Unreadable {
            text += "[[membrs]]\n";
        }
        for (place, name) in names.iter().enumerate() {
            let priority = self.dice.below(3);
            let _ = writeln!(
                text,
                "[[members]]\nname = \"{name}\"\naddress = \"10.0.0.{}:7400\"\npriority = {priority}",
                place + 1
            );
        }
        // The longest of all stop times is the one of the cluster.
        let stop = self.timing.stop.as_millis();
        let offices = [OFFICE].into_iter().chain(super::clients::CLIENT_OFFICES);
        for (place, office) in offices.enumerate() {
            let stop = if place == 0 || self.dice.below(2) == 0 { stop } else { 0 };
            let _ = writeln!(text, "[[offices]]\nname = \"{office}\"\nstop = \"{stop}ms\"");
        }
        text + "[tls]\nauthority = \"a\"\ncertificate = \"c\"\nkey = \"k\"\n"
    }
}

impl Program {
    /// Returns the names of the members, as the member of this program knows them.
    fn membership(&self) -> Vec<String> {
        let member: &SteppedMember = &self.member;
        member.membership().hosts().map(|(_, host)| host.name.clone()).collect()
    }
}
