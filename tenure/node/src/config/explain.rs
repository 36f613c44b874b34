//! The explanation of a configuration.

use super::Config;
use std::fmt::Write as _;
use std::time::Duration;

impl Config {
    /// Explains the configuration in prose: who votes, how many may fail, and the guaranteed times.
    #[must_use]
    pub fn explain(&self) -> String {
        let mut text = String::new();
        let count = self.members.len();
        let majority = count / 2 + 1;
        let _ = writeln!(text, "cluster {}: {count} members", self.cluster);
        for member in &self.members {
            let what = match (member.witness, member.priority) {
                (true, _) => ", a witness: it votes and never leads".to_owned(),
                (false, 0) => String::new(),
                (false, priority) => format!(", priority {priority}"),
            };
            let _ = writeln!(text, "  {:<16} {}{what}", member.name, member.address);
        }
        let spare = count - majority;
        let _ = writeln!(
            text,
            "majority: {majority} of {count}; offices stay led while at most {spare} {} down or cut off",
            if spare == 1 { "member is" } else { "members are" }
        );
        if count.is_multiple_of(2) {
            let _ = writeln!(
                text,
                "  an even number: {} members would survive as many failures",
                count - 1
            );
        }
        let timing = self.timing;
        let _ = writeln!(
            text,
            "timing {}: heartbeat {:?}, lease {:?}, clock bound {} millionths",
            self.profile, timing.heartbeat, timing.lease, timing.clock_bound
        );
        let longest = timing.longest_vacancy(Duration::ZERO, Duration::ZERO);
        let _ = writeln!(
            text,
            "longest vacancy after a silent crash: {longest:?} + 2 round trips + 1 disk sync",
        );
        if !timing.stop.is_zero() {
            let _ = writeln!(text, "  of which {:?} are for work that stops late", timing.stop);
        }
        let _ = writeln!(
            text,
            "a member that starts again grants nothing for its first {:?}",
            timing.owed()
        );
        for office in &self.offices {
            let _ = write!(text, "office {}: stop {:?}", office.name.name(), office.stop);
            for (member, priority) in &office.priorities {
                let _ = write!(text, ", {member} has priority {priority}");
            }
            let _ = writeln!(text);
        }
        text
    }
}
