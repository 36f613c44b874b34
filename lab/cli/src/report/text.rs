//! Formats reports for people: names on the left, values on the right, in lines that fit a
//! terminal.

use super::facts::{Bound, Chosen, Facts, Leader, Network, Time, TimeBound};
use crate::flags::{Initiators as Asked, WakeUps};
use crate::number::{count, grouped};
use crate::terminal::{Emphasis, width, wrapped};
use std::fmt::Write;

/// A report with a title, and lines of a name and a value each.
#[derive(Default)]
pub(crate) struct Sheet {
    text: String,
}

impl Sheet {
    pub(crate) fn titled(title: &str) -> Self {
        Self { text: format!("{title}\n\n") }
    }

    /// Adds a line: a name, and a value that is wrapped if it is too long.
    pub(crate) fn line(&mut self, name: &str, value: &str) {
        self.marked(name, value, None);
    }

    /// Adds a line that is emphasized if colours are shown.
    pub(crate) fn emphasized(&mut self, name: &str, value: &str, emphasis: Emphasis) {
        self.marked(name, value, Some(emphasis));
    }

    fn marked(&mut self, mut name: &str, value: &str, emphasis: Option<Emphasis>) {
        for line in wrapped(value, width() - 18) {
            let line = emphasis.map_or_else(|| line.clone(), |emphasis| emphasis.paint(&line));
            let _ = writeln!(self.text, "  {name:<14}  {line}");
            name = "";
        }
    }

    /// Adds an indented, wrapped paragraph.
    pub(crate) fn wrapped(&mut self, text: &str) {
        for line in wrapped(text, width() - 4) {
            self.plain(&format!("    {line}"));
        }
    }

    /// Adds a headline about a broken property, after an empty line.
    pub(crate) fn headline(&mut self, text: &str) {
        let _ = writeln!(self.text, "\n{}", Emphasis::Broken.paint(text));
    }

    /// Adds text without changes.
    pub(crate) fn plain(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

impl Facts {
    /// Formats the facts for people.
    #[must_use]
    pub fn text(&self) -> String {
        let mut sheet = Sheet::titled(&format!("{} on {}", self.algorithm, self.network.source));
        if let Some(why) = self.faulty {
            sheet.emphasized(
                "warning",
                &format!("a faulty form, kept as a warning: it {why}"),
                Emphasis::Warning,
            );
        }
        if let Some(reason) = &self.choice {
            sheet.line("choice", &format!("{}: {reason}", self.algorithm));
        }
        self.network.lines(&mut sheet);
        if self.by_default {
            sheet.line("", "taken because none was named: --nodes or --topology name one");
        }
        sheet.line("conditions", &self.conditions());
        sheet.plain("");
        self.result(&mut sheet);
        self.cost(&mut sheet);
        if let Some(invariants) = &self.invariants {
            sheet.line("invariants", &self.held(invariants));
        }
        if let Some(timing) = &self.timing {
            let rate = timing
                .messages_per_second
                .map(|rate| format!(", {} messages a second", grouped(rate)));
            let peak = timing
                .peak_bytes
                .map(|bytes| format!(", at most {} KiB of memory", grouped(bytes / 1024)));
            let links =
                timing.links_opened.map(|links| format!(", {} links opened", grouped(links)));
            sheet.line(
                "timing",
                &format!(
                    "{:.3} s{}{}{}",
                    timing.wall_seconds,
                    rate.unwrap_or_default(),
                    peak.unwrap_or_default(),
                    links.unwrap_or_default()
                ),
            );
        }
        if let Some(rounds) = &self.rounds {
            rounds.lines(&mut sheet);
        }
        self.broken(&mut sheet);
        sheet.into_text()
    }

    /// Formats the conditions: `all initiate at once, random ids, ports by rotation, schedule
    /// synchronous, seed 1`.
    fn conditions(&self) -> String {
        let who = &self.initiators;
        let chosen = match &who.chosen {
            Chosen::Recorded => format!("{} woke", grouped(who.count)),
            Chosen::Asked(Asked::Some(_)) => format!("{} at random", grouped(who.count)),
            Chosen::Asked(asked @ (Asked::All | Asked::Listed(_))) => asked.to_string(),
        };
        let when = match who.wake {
            Chosen::Recorded => "as recorded".to_owned(),
            Chosen::Asked(WakeUps::Once) => "start at once".to_owned(),
            Chosen::Asked(WakeUps::Spread(last)) => format!("start at ticks 0 to {last}"),
        };
        let start = format!("{chosen} {when}");
        let mut all = vec![
            start,
            format!("ids {}", self.ids),
            format!("ports {}", self.ports.name()),
            format!("schedule {}", self.schedule),
        ];
        if let Some(capacity) = self.capacity {
            all.push(format!("links of capacity {capacity}"));
        }
        all.extend(self.faults.iter().map(|fault| format!("fault {fault}")));
        all.push(format!("seed {}", self.seed));
        all.join(", ")
    }

    fn result(&self, sheet: &mut Sheet) {
        if let Some(delivered) = self.interrupted_after {
            let after = format!("stopped after {} deliveries; so far:", grouped(delivered));
            sheet.line("interrupted", &after);
        }
        if self.unfinished {
            let so_far = "the recording ends where more could happen; so far:";
            sheet.line("unfinished", so_far);
        }
        match &self.leader {
            Some(leader) => sheet.emphasized("leader", &leader.text(), Emphasis::Leader),
            None if self.interrupted_after.is_some() => {}
            None => sheet.line("leader", "none"),
        }
        if self.interrupted_after.is_none() {
            let known = if self.anonymous { "know whether they lead" } else { "know the leader" };
            let agreed =
                if self.agreed { format!("all {known}") } else { format!("not all {known}") };
            let halted = if self.halted { "all have halted" } else { "not all have halted" };
            sheet.line("outcome", &format!("{agreed}, {halted}"));
        }
        let who = &self.initiators;
        if who.woken != who.count && who.chosen != Chosen::Recorded {
            let woken = format!(
                "{} of {} woke by themselves, before a message reached them",
                grouped(who.woken),
                grouped(who.count)
            );
            sheet.line("initiators", &woken);
        }
    }

    fn cost(&self, sheet: &mut Sheet) {
        let messages = &self.messages;
        let all = format!(
            "{} = {} election + {} announcement",
            grouped(messages.total),
            grouped(messages.election),
            grouped(messages.announcement)
        );
        sheet.line("messages", &all);
        sheet.line("bound", &self.bound.text());
        let kinds: Vec<_> = messages
            .by_kind
            .iter()
            .map(|(kind, count)| format!("{kind} {}", grouped(count)))
            .collect();
        sheet.line("by kind", &kinds.join(", "));
        sheet.line("bits", &grouped(self.bits));
        sheet.line("time", &self.time.text());
        if let Some(time) = &self.time_bound {
            sheet.line("time bound", &time.text());
        }
        let length = count(self.causal_depth.into(), "message");
        let chain = format!("{length}, the longest causal chain");
        sheet.line("causal depth", &chain);
        let work = grouped(self.busiest.messages);
        let node = match &self.busiest.label {
            Some(label) => format!("{label} (node {})", self.busiest.node),
            None => format!("node {}", self.busiest.node),
        };
        sheet.line("busiest", &format!("{node} sent and received {work}"));
        if let Some(peak) = self.peak_in_flight {
            sheet.line("in flight", &format!("at most {} at a time", grouped(peak)));
        }
        if self.late > 0 {
            let late = format!(
                "{} reached processes that had halted, and were dropped",
                grouped(self.late)
            );
            sheet.line("late", &late);
        }
        if self.lost > 0 {
            sheet.line("lost", &format!("{} to faults", grouped(self.lost)));
        }
    }

    /// Formats the invariants, and whether they held.
    fn held(&self, invariants: &[&str]) -> String {
        let is_broken = |name: &&str| self.violations.iter().any(|of| of.property.name() == *name);
        let (broken, held): (Vec<&str>, Vec<&str>) =
            invariants.iter().partition(|of| is_broken(of));
        let held = match held.as_slice() {
            [] => None,
            held => Some(format!("held in every configuration: {}", held.join(", "))),
        };
        let broken = (!broken.is_empty()).then(|| format!("broken: {}", broken.join(", ")));
        held.into_iter().chain(broken).collect::<Vec<_>>().join("; ")
    }

    fn broken(&self, sheet: &mut Sheet) {
        if self.violations.is_empty() {
            return;
        }
        let count = self.violations.len();
        let what = if count == 1 { "property" } else { "properties" };
        sheet.headline(&format!("BROKEN: {count} {what}"));
        for violation in &self.violations {
            let property = Emphasis::Broken.paint(violation.property.name());
            sheet.plain(&format!("  {property} at {}", violation.at.instant()));
            sheet.wrapped(&violation.detail);
        }
        if !self.faults.is_empty() {
            sheet.plain(
                "\nEvery algorithm here assumes a network without faults; this one had some.",
            );
        } else if self.capacity.is_some() {
            let name = self.algorithm;
            sheet.plain(&format!(
                "\nNot every algorithm works with bounded links: `suffrage algorithms {name}` says \
                 what this one assumes."
            ));
        }
        if let Some(command) = &self.replay {
            // On one line, so that it can be copied.
            sheet.plain(&format!("\nTo see it again:\n  {command}"));
        }
    }
}

impl Network {
    pub(crate) fn lines(&self, sheet: &mut Sheet) {
        let size =
            format!("{}, {}, {}", self.kind, count(self.nodes, "node"), count(self.links, "link"));
        sheet.line("network", &size);
        for note in &self.notes {
            sheet.line("", note);
        }
    }
}

impl Time {
    pub(crate) fn text(self) -> String {
        match self {
            Self::Ticks(ticks) => count(ticks, "tick").into_owned(),
            Self::Seconds(seconds) => format!("{seconds:.6} s"),
        }
    }

    fn instant(self) -> String {
        match self {
            Self::Ticks(tick) => format!("tick {}", grouped(tick)),
            Self::Seconds(seconds) => format!("{seconds:.6} s"),
        }
    }
}

impl Leader {
    fn text(&self) -> String {
        let id = self.written.clone().unwrap_or_else(|| self.id.to_string());
        match &self.label {
            Some(label) => format!("{label} (node {}, id {id})", self.node),
            None => format!("node {}, id {id}", self.node),
        }
    }
}

impl TimeBound {
    fn text(&self) -> String {
        let Self { formula, units, most, .. } = self;
        let (units, most) = (grouped(*units), count(*most, "unit"));
        let ratio = self.ratio.map(|ratio| format!(" ({ratio})")).unwrap_or_default();
        format!("{formula} = at most {most}; taken: {units}{ratio}")
    }

    /// The claim, and where elections of many come nearest to it.
    pub(crate) fn nearest(&self) -> String {
        let Self { formula, units, most, .. } = self;
        let ratio = self.ratio.map(|ratio| format!(" ({ratio})")).unwrap_or_default();
        format!("at most {formula}; nearest: {units} of {most}{ratio}")
    }
}

impl Bound {
    pub(crate) fn text(&self) -> String {
        let sure = if self.exact { "exactly" } else { "at most" };
        let words = self.guarantee.as_deref().unwrap_or(sure);
        let ratio = self.ratio.map(|ratio| format!("; sent / bound = {ratio}")).unwrap_or_default();
        format!("{} = {words} {}{ratio}", self.formula, grouped(self.messages))
    }
}
