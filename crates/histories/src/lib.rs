//! What happened in a run of `.ci/namespaces-lead`, and whether it keeps the promises of Tenure.
//!
//! All times are of one host's clock. Checked are: what the commands traced (they never live at once, and
//! none takes itself for certain after a newer one has started); the members' logs and what they told
//! (one leader per term, ever greater terms); the writes of a register that compares terms (none of an
//! older one after a newer one); and how long nothing led.

mod events;

use anyhow::Context;
use events::Events;
use std::{collections::BTreeMap, fmt, path::Path};

/// What a history is held to.
#[derive(Clone, Copy, Debug)]
pub struct Promises {
    /// Whether the rates of clocks stayed within their bound. If not, two may lead at once, and the
    /// register must notice.
    pub clocks: bool,
    /// The longest vacancy while they do, in milliseconds.
    pub longest: u64,
}

/// What happened in a run, and which promises it breaks.
#[derive(Debug, Default)]
pub struct History {
    /// The starts of commands.
    pub tenures: usize,
    /// Writes that the register accepted.
    pub writes: usize,
    /// Writes that the register refused.
    pub refused: usize,
    /// Commands that started while another one lived.
    pub overlaps: usize,
    /// Those of them whose predecessor was logged to have outlived its leadership.
    pub logged: usize,
    /// What members told about the office.
    pub told: usize,
    /// How long nothing led before each tenure but the first, in milliseconds.
    pub vacancies: Vec<u64>,
    /// The promises that it breaks, if any.
    pub broken: Vec<String>,
}

impl History {
    /// Reads and checks the logs in a folder.
    ///
    /// # Errors
    /// If a file cannot be read, or a line of the commands' trace is none.
    pub fn read(folder: &Path, promises: Promises) -> anyhow::Result<Self> {
        let events = Events::read(folder).with_context(|| folder.display().to_string())?;
        Ok(Self::of(&events, promises))
    }

    fn of(events: &Events, promises: Promises) -> Self {
        let mut history = Self {
            tenures: events.starts.len(),
            writes: events.writes.len(),
            refused: events.refused,
            overlaps: events.overlaps.len(),
            told: events.told.len(),
            ..Self::default()
        };
        if events.starts.is_empty() {
            history.broken.push("no command has started".to_owned());
        }
        if promises.clocks {
            history.check_alone(events);
            history.check_holds(events);
        }
        history.check_terms(events);
        history.check_leaders(events);
        history.check_register(events);
        history.check_vacancies(events, promises);
        history
    }

    /// No commands of two members live at once, unless a guard was kept from the processors for longer
    /// than its margin, and has said so.
    fn check_alone(&mut self, events: &Events) {
        for start in &events.overlaps {
            let before = events.starts.iter().rev().find(|earlier| earlier.term < start.term);
            if before.is_some_and(|before| events.late.contains(&before.term)) {
                self.logged += 1;
                continue;
            }
            self.broken.push(format!("two commands lived at once: {start} started beside another"));
        }
    }

    /// No command takes its leadership for certain after that of a newer one has begun.
    fn check_holds(&mut self, events: &Events) {
        for hold in events.holds.iter().filter(|hold| hold.is_certain()) {
            // Starts are in the order of time.
            let begun = events.starts.partition_point(|start| start.at < hold.event.at);
            let newer = events.starts[..begun].iter().find(|start| start.term > hold.event.term);
            if let Some(newer) = newer {
                let held = &hold.event;
                self.broken.push(format!("two led at once: {held} was certain, {newer} had begun"));
            }
        }
    }

    /// Each tenure has a greater term than all before it.
    fn check_terms(&mut self, events: &Events) {
        for pair in events.starts.windows(2) {
            if pair[1].term <= pair[0].term {
                self.broken.push(format!("terms do not grow: {} after {}", pair[1], pair[0]));
            }
        }
        for log in &events.logs {
            for pair in log.windows(2) {
                if pair[1].term <= pair[0].term {
                    let why = format!("a member's log goes back: {} after {}", pair[1], pair[0]);
                    self.broken.push(why);
                }
            }
        }
    }

    /// Checks that no two sources name different leaders of one term, and that every command was
    /// started by a member whose log says that it has won the term.
    fn check_leaders(&mut self, events: &Events) {
        let mut leaders: BTreeMap<u64, &str> = BTreeMap::new();
        let won = events.logs.iter().flatten();
        for event in won.clone().chain(&events.starts).chain(&events.told) {
            let known = leaders.entry(event.term).or_insert(&event.member);
            if *known != event.member {
                self.broken.push(format!("term {} has two leaders: {known}, {event}", event.term));
            }
        }
        let won: BTreeMap<u64, &str> =
            won.map(|event| (event.term, event.member.as_str())).collect();
        for start in &events.starts {
            if won.get(&start.term) != Some(&start.member.as_str()) {
                self.broken.push(format!("{start} started, and no log says that it won"));
            }
        }
    }

    /// The register has accepted no older term after a newer one.
    fn check_register(&mut self, events: &Events) {
        for pair in events.writes.windows(2) {
            if pair[1] < pair[0] {
                self.broken.push(format!("the register took term {} after {}", pair[1], pair[0]));
            }
        }
        if self.refused > 0 && events.overlaps.is_empty() {
            self.broken.push("the register refused a writer, and none lived beside it".to_owned());
        }
    }

    /// From the last sign of any command to the next start. Where clocks break their bound, that need not
    /// be the command that started last: an older leader may go on, and a newer one end.
    fn check_vacancies(&mut self, events: &Events, promises: Promises) {
        let signs = events.holds.iter().map(|hold| &hold.event).chain(&events.starts);
        let mut signs: Vec<u64> = signs.map(|event| event.at).collect();
        signs.sort_unstable();
        for pair in events.starts.windows(2) {
            let before = signs.partition_point(|&at| at < pair[1].at);
            let ended = signs[..before].last().copied().unwrap_or(pair[0].at);
            let vacant = pair[1].at.saturating_sub(ended) / 1000;
            self.vacancies.push(vacant);
            if promises.clocks && vacant > promises.longest {
                let why = format!("vacant for {vacant} ms: between {} and {}", pair[0], pair[1]);
                self.broken.push(why);
            }
        }
    }
}

/// Returns the least value that is no less than this share of the values, in percent; 0 if there are
/// none.
#[must_use]
pub fn quantile(values: &[u64], percent: usize) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let index = (sorted.len() * percent).div_ceil(100).max(1) - 1;
    sorted.get(index).copied().unwrap_or(0)
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vacant = &self.vacancies;
        write!(
            f,
            "{} tenures, {} writes, {} refused, {} commands beside another ({} of them logged as late), \
             {} views; vacant for {} ms (median), {} ms (p99), {} ms (longest)",
            self.tenures,
            self.writes,
            self.refused,
            self.overlaps,
            self.logged,
            self.told,
            quantile(vacant, 50),
            quantile(vacant, 99),
            quantile(vacant, 100),
        )
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    const LOG: &str = "\
        start 5 a 1000000\n\
        hold 5 a 1050000 10.00 10.250000000\n\
        write 5 a 1050000\n\
        start 9 b 1400000\n\
        write 9 b 1400000\n";
    const A: &str = r#"{"fields":{"message":"leads db-primary in term 5"}}"#;
    const B: &str = r#"{"fields":{"message":"leads db-primary in term 9"}}"#;

    const KEPT: Promises = Promises { clocks: true, longest: 2000 };

    fn judged(log: &str, promises: Promises) -> History {
        let mut events = Events::default();
        events.trace(log).unwrap();
        events.log("a", A);
        events.log("b", B);
        History::of(&events, promises)
    }

    /// What is broken if these lines are added.
    fn broken(lines: &str) -> Vec<String> {
        judged(&format!("{LOG}{lines}"), KEPT).broken
    }

    #[test]
    fn a_history_that_keeps_the_promises_is_counted() {
        let history = judged(LOG, KEPT);
        assert_eq!(history.broken, [""; 0]);
        assert_eq!((history.tenures, history.writes, history.refused), (2, 2, 0));
        assert_eq!(history.vacancies, [350]);
    }

    #[test]
    fn a_command_beside_another_breaks_a_promise_but_for_clocks_beyond_their_bound() {
        let beside = "overlap 9 b 1400000\nrefused 5 a 1410000\n";
        assert!(broken(beside)[0].contains("two commands lived at once: term 9 of b"));
        let beyond = Promises { clocks: false, ..KEPT };
        assert_eq!(judged(&format!("{LOG}{beside}"), beyond).broken, [""; 0]);
    }

    #[test]
    fn a_command_whose_guard_came_too_late_and_said_so_is_counted() {
        let beside = format!("{LOG}overlap 9 b 1400000\n");
        let late = |line: &dyn Fn(String) -> String, term: u64| {
            let mut events = Events::default();
            events.trace(&beside).unwrap();
            let why = "the command outlived its leadership of db-primary in term";
            let line = line(format!("{why} {term} by 3.1ms: another one"));
            events.log("a", &format!("{A}\n{line}\n"));
            events.log("b", B);
            History::of(&events, KEPT)
        };
        let member = |why| format!(r#"{{"fields":{{"message":"{why}"}}}}"#);
        // The member was killed, and its guard is left.
        let guard = |why| format!("suffrage: {why}");
        for line in [&member as &dyn Fn(String) -> String, &guard] {
            let told = late(line, 5);
            assert_eq!((told.broken.len(), told.overlaps, told.logged), (0, 1, 1));
            // It must be the one before.
            assert_eq!((late(line, 4).broken.len(), late(line, 4).logged), (1, 0));
        }
    }

    #[test]
    fn a_leadership_that_is_certain_after_a_newer_one_began_breaks_a_promise() {
        let certain = "hold 5 a 1400001 10.40 10.500000000\n";
        assert!(broken(certain)[0].contains("two led at once: term 5 of a"));
        // Its lease is over: it is told so.
        assert_eq!(broken("hold 5 a 1400001 10.40 10.250000000\n"), [""; 0]);
    }

    #[test]
    fn an_older_term_after_a_newer_one_breaks_a_promise() {
        assert!(broken("write 5 a 1500000\n")[0].contains("the register took term 5 after 9"));
        let back = broken("start 5 a 1500000\n");
        assert!(back.iter().any(|why| why.contains("terms do not grow")), "{back:?}");
    }

    #[test]
    fn a_term_has_one_leader_and_what_starts_was_won() {
        let stolen = broken("start 9 a 1500000\n");
        assert!(stolen.iter().any(|why| why.contains("term 9 has two leaders")), "{stolen:?}");
        let never = broken("start 12 a 1500000\n");
        assert!(never.iter().any(|why| why.contains("no log says that it won")), "{never:?}");
    }

    #[test]
    fn what_members_tell_is_what_was_won() {
        let told = |leader: &str| {
            let mut events = Events::default();
            events.trace(LOG).unwrap();
            events.log("a", A);
            events.log("b", B);
            let view =
                format!("{{\"office\":\"db-primary\",\"leader\":\"{leader}\",\"term\":9}}\n");
            events.watch(&view);
            History::of(&events, KEPT).broken
        };
        assert_eq!(told("b"), [""; 0]);
        assert!(told("a")[0].contains("term 9 has two leaders: b, term 9 of a"));
    }

    #[test]
    fn a_vacancy_has_a_bound() {
        let mut events = Events::default();
        events.trace(LOG).unwrap();
        events.log("a", A);
        events.log("b", B);
        let short = Promises { longest: 300, ..KEPT };
        assert!(History::of(&events, short).broken[0].contains("vacant for 350 ms"));
    }

    #[test]
    fn an_office_is_not_vacant_while_an_older_leader_goes_on() {
        let both = "\
            start 5 a 1000000\n\
            start 9 b 1400000\n\
            hold 5 a 8900000 18.00 18.250000000\n\
            start 12 c 9000000\n";
        let history = judged(both, Promises { clocks: false, ..KEPT });
        assert_eq!(history.vacancies, [400, 100]);
    }

    #[test]
    fn quantiles_are_values_that_occur() {
        let values: Vec<u64> = (1..=100).rev().collect();
        let all = [50, 99, 100].map(|percent| quantile(&values, percent));
        assert_eq!((all, quantile(&[], 50)), ([50, 99, 100], 0));
    }
}
