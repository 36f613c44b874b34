//! The state of the page (the members and the events), and the effects of keys.

use crate::demo::cluster::{Look, ProgramCondition};
use crate::demo::script::{DemoStep, HOSTS, Ways, Whom};
use std::collections::VecDeque;
use std::time::Duration;
use suffrage_numbers::statistics::quantile;

/// The number of entries that the log keeps.
const KEPT: usize = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogKind {
    Step,
    Leads,
    Ends,
    Refused,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogEntry {
    pub(super) at: Duration,
    pub(super) kind: LogKind,
    pub(super) text: String,
}

#[derive(Clone, Debug, Default)]
pub(super) struct MemberRow {
    pub(super) look: Look,
    pub(super) state: String,
    /// Since when it has been in this state.
    pub(super) since: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Vacancy {
    since: Duration,
    /// Whether no member could have led at some time in it.
    inevitable: bool,
}

/// The state of the page. Times are those since it was opened.
#[derive(Debug, Default)]
pub(super) struct DemoPage {
    pub(super) selected: usize,
    /// Whether the keys are explained, in place of everything else.
    pub(super) explains: bool,
    pub(super) rows: [MemberRow; HOSTS],
    pub(super) log: VecDeque<LogEntry>,
    /// Who leads, and at which term.
    pub(super) leader: Option<(usize, u64)>,
    /// Who leads, or has led last.
    pub(super) latest: Option<usize>,
    pub(super) terms: u64,
    vacancy: Option<Vacancy>,
    /// Vacancies in which a member could have led all the time, and the others; shortest first.
    vacancies: Vec<Duration>,
    inevitable: Vec<Duration>,
    /// The last step that may cost the leader the office, and its time.
    cause: Option<(DemoStep, Duration)>,
    pub(super) violations: Vec<String>,
}

impl DemoPage {
    /// Notes what there is to see.
    pub(super) fn saw(&mut self, at: Duration, looks: Vec<Look>) {
        for (row, look) in self.rows.iter_mut().zip(looks) {
            row.look = look;
        }
        self.note(at);
    }

    pub(super) fn took(&mut self, at: Duration, step: &DemoStep) {
        self.log(at, LogKind::Step, said(step));
        if !matches!(
            step,
            DemoStep::Heal | DemoStep::Start(_) | DemoStep::Resume(_) | DemoStep::Wait(_)
        ) {
            self.cause = Some((*step, at));
        }
    }

    pub(super) fn refused(&mut self, at: Duration, why: &str) {
        self.log(at, LogKind::Refused, why.to_owned());
    }

    pub(super) fn began(&mut self, at: Duration, host: usize, term: u64) {
        (self.leader, self.latest) = (Some((host, term)), Some(host));
        if self.terms == 0 {
            self.selected = host;
        }
        self.terms += 1;
        let mut text = format!("member {} leads at term {term}", host + 1);
        if let Some(Vacancy { since, inevitable }) = self.vacancy.take() {
            let vacant = at.saturating_sub(since);
            text += &format!(": {} without a leader", short(vacant));
            let times = if inevitable { &mut self.inevitable } else { &mut self.vacancies };
            let place = times.partition_point(|time| *time < vacant);
            times.insert(place, vacant);
        }
        self.log(at, LogKind::Leads, text);
        self.note(at);
    }

    pub(super) fn ended(&mut self, at: Duration, host: usize, term: u64) {
        if self.leader != Some((host, term)) {
            return;
        }
        self.leader = None;
        self.vacancy = Some(Vacancy { since: at, inevitable: false });
        let mut text = format!("member {} leads no more", host + 1);
        if let Some((step, taken)) = self.cause.take() {
            text += &format!(", {} after `{step}`", short(at.saturating_sub(taken)));
        }
        self.log(at, LogKind::Ends, text);
        self.note(at);
    }

    /// Updates what follows from everything else.
    fn note(&mut self, at: Duration) {
        for (number, row) in self.rows.iter_mut().enumerate() {
            let term = self.leader.filter(|(host, _)| *host == number).map(|(_, term)| term);
            let state = state(&row.look, term, self.leader.is_some());
            if state != row.state {
                (row.state, row.since) = (state, at);
            }
        }
        let lacks = self.lack().is_some();
        if let Some(vacancy) = &mut self.vacancy {
            vacancy.inevitable |= lacks;
        }
    }

    pub(super) fn lack(&self) -> Option<&'static str> {
        let connected = |look: &&Look| look.votes && look.hears && look.heard;
        let votes = || self.rows.iter().map(|row| &row.look).filter(connected);
        let stands = |look: &Look| look.stands && look.condition == ProgramCondition::Runs;
        if votes().count() <= HOSTS / 2 {
            Some("no majority")
        } else if votes().any(stands) {
            None
        } else {
            Some("no candidate")
        }
    }

    fn log(&mut self, at: Duration, kind: LogKind, text: String) {
        // A step and its effect may be noted in another order than they happened.
        let place = self.log.iter().rposition(|entry| entry.at <= at).map_or(0, |last| last + 1);
        self.log.insert(place, LogEntry { at, kind, text });
        if self.log.len() > KEPT {
            self.log.pop_front();
        }
    }

    pub(super) fn vacant(&self, now: Duration) -> Option<Duration> {
        self.vacancy.map(|vacancy| now.saturating_sub(vacancy.since))
    }

    /// Says how long the office was vacant so far.
    pub(super) fn figures(&self) -> String {
        let terms = if self.terms == 1 { "term" } else { "terms" };
        let mut text = format!("{} {terms}", self.terms);
        let quantile = |percent| quantile(&self.vacancies, percent, 100);
        if let Some((median, longest)) = quantile(50).zip(quantile(100)) {
            let times = times(&self.vacancies);
            text += &format!(
                "; {times} without a leader: median {}, longest {}",
                short(median),
                short(longest)
            );
        }
        if let [.., longest] = *self.inevitable {
            let times = times(&self.inevitable);
            text += &format!("; {times} without a majority or candidate, up to {}", short(longest));
        }
        text
    }
}

fn times(all: &[Duration]) -> String {
    if all.len() == 1 { "once".to_owned() } else { format!("{} times", all.len()) }
}

pub(super) fn short(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    match () {
        () if ms < 99.95 => format!("{ms:.1} ms"),
        () if ms < 9_999.5 => format!("{ms:.0} ms"),
        () => format!("{:.1} s", ms / 1e3),
    }
}

fn said(step: &DemoStep) -> String {
    let who = match step.whom() {
        Some(Whom::Number(number)) => format!("member {}", number + 1),
        Some(Whom::All) => "all members".to_owned(),
        Some(Whom::Leader | Whom::Other) | None => "the leader".to_owned(),
    };
    match step {
        DemoStep::Kill(_) => format!("{who} killed"),
        DemoStep::Crash(_) => format!("{who} crashed, and its vote with it"),
        DemoStep::Stop(_) => format!("{who} asked to stop"),
        DemoStep::Suspend(..) => format!("{who} suspended"),
        DemoStep::Resume(_) => format!("{who} resumed"),
        DemoStep::Cut(_, Ways::Both) => format!("{who} cut off"),
        DemoStep::Cut(_, Ways::In) => format!("{who} cut off one way: it hears no member"),
        DemoStep::Cut(_, Ways::Out) => format!("{who} cut off one way: no member hears it"),
        DemoStep::Start(_) => format!("{who} started"),
        DemoStep::Heal => "all links healed".to_owned(),
        DemoStep::Resign => "the leader asked to leave".to_owned(),
        DemoStep::Transfer(_) => format!("the leader asked to leave the office to {who}"),
        DemoStep::Wait(_) => step.to_string(),
    }
}

fn state(look: &Look, term: Option<u64>, is_led: bool) -> String {
    let program = match look.condition {
        ProgramCondition::Runs => None,
        condition => Some(condition.to_string()),
    };
    let links = match (look.condition, look.hears, look.heard) {
        (ProgramCondition::Crashed, ..) | (_, true, true) => None,
        (_, false, false) => Some("cut off"),
        (_, false, true) => Some("hears nobody"),
        (_, true, false) => Some("heard by no member"),
    };
    let links = links.map(str::to_owned);
    let is_gone = matches!(look.condition, ProgramCondition::Killed | ProgramCondition::Stopped);
    let parts = match (term, look.condition) {
        (Some(term), ProgramCondition::Runs) if links.is_none() => {
            vec![format!("leads at term {term}")]
        }
        // The title says at which term.
        (Some(_), _) => ["leads".to_owned()].into_iter().chain(program).chain(links).collect(),
        (None, ProgramCondition::Runs) if !look.votes || !look.stands => {
            vec!["starting".to_owned()]
        }
        (None, ProgramCondition::Runs) => {
            let follows = if is_led { "follows" } else { "stands" };
            vec![links.unwrap_or_else(|| follows.to_owned())]
        }
        (None, _) => {
            let votes =
                (is_gone && look.votes && links.is_none()).then(|| "still votes".to_owned());
            program.into_iter().chain(links).chain(votes).collect()
        }
    };
    parts.join(", ")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageKey {
    Char(char),
    Up,
    Down,
    Escape,
    Interrupt,
}

/// The keys, what they do with the member that is selected, and what that means.
pub(super) const HELP: [(&str, &str, &str); 16] = [
    ("1-5 ↑↓", "select", "select a member"),
    ("l", "leader", "select the leader"),
    ("k", "kill", "kill -9 of its program, `tenure lead`; its member still votes"),
    ("x", "crash", "its program and its member end at once, silently, as if the host did"),
    ("p", "stop", "SIGTERM to its program, which leaves in order"),
    ("s", "suspend", "SIGSTOP of its program; and of one that is suspended, SIGCONT"),
    ("c", "cut off", "no message from or to its member arrives"),
    ("i", "in", "cut off one way: its member hears no other, and is heard"),
    ("o", "out", "cut off the other way: no other hears its member, which hears them"),
    ("h", "heal", "all links are restored"),
    ("S", "start", "starts again everything that was killed, crashed or stopped"),
    ("a", "start all", "the same for all members"),
    ("t", "transfer", "an operator asks the leader to leave the office to it"),
    ("r", "resign", "an operator asks the leader to leave"),
    ("?", "help", "what is written here"),
    ("q", "quit", "end everything; also Escape and Ctrl-C"),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Press {
    Nothing,
    Quit,
    Select(usize),
    /// The keys are to be explained, or no longer.
    Explain(bool),
    Take(DemoStep),
    /// Nothing can be done, for this reason.
    Refuse(String),
}

pub(super) fn press(key: PageKey, page: &DemoPage) -> Press {
    if page.explains && key != PageKey::Interrupt {
        return Press::Explain(false);
    }
    let it = Whom::Number(page.selected);
    let condition = page.rows[page.selected].look.condition;
    Press::Take(match key {
        PageKey::Char('q') | PageKey::Escape | PageKey::Interrupt => return Press::Quit,
        PageKey::Up => return Press::Select((page.selected + HOSTS - 1) % HOSTS),
        PageKey::Down => return Press::Select((page.selected + 1) % HOSTS),
        PageKey::Char('l') => {
            return page.leader.map_or(Press::Nothing, |(host, _)| Press::Select(host));
        }
        PageKey::Char(number @ '1'..='9') => {
            let number = number as usize - '1' as usize;
            return if number < HOSTS { Press::Select(number) } else { Press::Nothing };
        }
        PageKey::Char('?') => return Press::Explain(true),
        PageKey::Char('k') => DemoStep::Kill(it),
        PageKey::Char('x') => DemoStep::Crash(it),
        PageKey::Char('p') => DemoStep::Stop(it),
        PageKey::Char('s') if condition == ProgramCondition::Suspended => DemoStep::Resume(it),
        PageKey::Char('s') => DemoStep::Suspend(it, None),
        PageKey::Char('c') => DemoStep::Cut(it, Ways::Both),
        PageKey::Char('i') => DemoStep::Cut(it, Ways::In),
        PageKey::Char('o') => DemoStep::Cut(it, Ways::Out),
        PageKey::Char('h') => DemoStep::Heal,
        PageKey::Char('S')
            if matches!(condition, ProgramCondition::Runs | ProgramCondition::Suspended) =>
        {
            return Press::Refuse(format!("member {it} is {condition} already"));
        }
        PageKey::Char('S') => DemoStep::Start(it),
        PageKey::Char('a') => DemoStep::Start(Whom::All),
        PageKey::Char('t') => DemoStep::Transfer(it),
        PageKey::Char('r') => DemoStep::Resign,
        PageKey::Char(_) => return Press::Nothing,
    })
}
