//! Every file of `tenure/guard/scenarios` happens as it is written there.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p tenure-guard --lib guard_state
//! ```
//!
//! writes what happens now below the steps, after a change that is meant. The first step says what the guard guards.
//! After each other step but `delay`, and unless it begins with `queued`, the guard looks at its processes, as its loop
//! does. A second test draws the steps, and holds the guard to the same promises.

use super::*;
use std::path::Path;
use tenure_scenarios::{Nanos, Transcript, check_folder, machine_transcript};

/// The processes and the member of one guard, which are what a scenario says.
struct Surroundings {
    state: GuardState,
    now: Boottime,
    /// The processes that live, and what they are.
    tree: BTreeMap<i32, &'static str>,
    pids: i32,
    /// How long the next answer takes.
    slow: Duration,
    /// Why the next process cannot be started, and the lease's file not be written the next time.
    no_process: Option<String>,
    no_lease: Option<String>,
    on_uptime: bool,
    /// What the tenure may do: by the orders until when, and when it has to be killed since it was told to end.
    until: Option<Boottime>,
    ending: Option<Boottime>,
    published: bool,
    frozen: bool,
    released: bool,
    exited: bool,
    said: Vec<String>,
}

impl Surroundings {
    /// Starts a guard of a workload with these properties.
    fn new(line: &str) -> Result<Self, String> {
        let mut workload = Workload::new("db", "m1", Vec::new());
        workload.value = "at-m1".to_owned();
        let mut words = line.split_whitespace();
        if words.next() != Some("guard") {
            return Err("the first step begins with \"guard\"".to_owned());
        }
        while let Some(word) = words.next() {
            let mut time = || read(words.next().unwrap_or_default());
            match word {
                "stop" => workload.stop = time()?,
                "margin" => workload.margin = time()?,
                "spare" => workload.spare = time()?,
                "hooks" => workload.hook_limit = time()?,
                "probes" => {
                    workload.probe_limit = time()?;
                    workload.ready = Some("ready?".to_owned());
                    workload.health = Some("healthy?".to_owned());
                }
                "on-win" => workload.on_win = Some("win".to_owned()),
                "on-lose" => workload.on_lose = Some("lose".to_owned()),
                _ => return Err(format!("no guard has {word:?}")),
            }
        }
        let first = Pid::from_raw(100).ok_or("no process has this ID")?;
        Ok(Self {
            state: GuardState::new(workload, first),
            now: Boottime::default(),
            tree: BTreeMap::from([(100, "prepared")]),
            pids: 100,
            slow: Duration::ZERO,
            no_process: None,
            no_lease: None,
            on_uptime: true,
            until: None,
            ending: None,
            published: false,
            frozen: false,
            released: false,
            exited: false,
            said: Vec::new(),
        })
    }

    /// Returns from when on no process of the tenure may be left without having been killed.
    fn kill_at(&self) -> Option<Boottime> {
        let Workload { stop, margin, .. } = self.state.workload;
        let until = self.until?.after(stop).before(margin);
        Some(self.ending.map_or(until, |ending| ending.min(until)))
    }

    fn is_told_to_end(&mut self, grace: Duration) {
        let ending = self.until.map(|_| self.now.after(grace));
        self.ending = self.ending.into_iter().chain(ending).min();
    }

    fn is_over(&self) -> bool {
        self.kill_at().is_some_and(|at| at <= self.now)
    }

    /// The processes that must not outlive the leadership.
    fn lives(&self, which: &[&str]) -> bool {
        self.tree.values().any(|what| which.contains(what))
    }

    /// Tells the guard something, and gives the answers to what it does.
    fn step(&mut self, input: GuardInput) -> Result<(), String> {
        let mut inputs = vec![input];
        while let Some(input) = inputs.pop() {
            let mut answers = Vec::new();
            for output in self.state.step(self.now, input) {
                let broken = self.broken(&output);
                self.said.push(format!("{} {}", instant(self.now), in_words(&output)));
                if let Some(why) = broken {
                    return Err(format!("BROKEN: {why}"));
                }
                answers.extend(self.carry_out(output));
            }
            answers.reverse();
            inputs.extend(answers);
            if self.exited {
                return Ok(());
            }
        }
        self.killed_in_time()
    }

    fn killed_in_time(&self) -> Result<(), String> {
        let left = self.lives(&["command", "on-win", "descendant"]);
        match left && self.is_over() {
            true => Err("BROKEN: a process lives at the deadline, and is not killed".to_owned()),
            false => Ok(()),
        }
    }

    /// Says what must not be done now.
    fn broken(&self, output: &GuardOutput) -> Option<&'static str> {
        let work = self.lives(&["command", "on-win", "on-lose", "descendant"]);
        let frozen = self.frozen || !self.lives(&["command"]);
        match output {
            _ if self.exited => Some("it goes on after its end"),
            GuardOutput::Launch(_) if !self.published => Some("the command cannot read its lease"),
            GuardOutput::Publish(..) if work => Some("the lease is written after the start"),
            GuardOutput::Launch(_) if self.is_over() => Some("it starts at or after its deadline"),
            GuardOutput::StartShell(line, _) if line == "win" && self.is_over() => {
                Some("its hook starts at or after its deadline")
            }
            GuardOutput::StartShell(line, _)
                if !line.ends_with('?') && (self.until.is_none() || work) =>
            {
                Some("a hook runs beside others")
            }
            GuardOutput::Exterminate if !frozen => Some("the kill comes before the tree is frozen"),
            GuardOutput::Signal(pid, Signal::KILL)
                if !frozen && self.tree.get(&pid.as_raw_nonzero().get()) == Some(&"command") =>
            {
                Some("the kill comes before the tree is frozen")
            }
            GuardOutput::EndLease(_) if work => Some("a command that lives reads that all is over"),
            GuardOutput::ReleaseKept(_) | GuardOutput::RemoveLease | GuardOutput::Exit if work => {
                Some("another host may lead while processes are left")
            }
            GuardOutput::Report(event) => match event {
                GuardEvent::Reaped if work => Some("it is reported before all is reaped"),
                GuardEvent::Ended { .. }
                | GuardEvent::Exited { .. }
                | GuardEvent::Refused { .. }
                    if work =>
                {
                    Some("ended work is reported before all is reaped")
                }
                GuardEvent::Ended { .. } if !self.released => {
                    Some("the member releases before the descriptors are")
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn start(&mut self, what: &'static str) -> Result<Pid, String> {
        self.now = self.now.after(take(&mut self.slow));
        if let Some(why) = self.no_process.take() {
            return Err(why);
        }
        self.pids += 1;
        self.tree.insert(self.pids, what);
        Pid::from_raw(self.pids).ok_or_else(String::new)
    }

    fn carry_out(&mut self, output: GuardOutput) -> Option<GuardInput> {
        match output {
            GuardOutput::Prepare => return Some(GuardInput::Prepared(self.start("prepared"))),
            GuardOutput::Launch(_) => {
                let waiting = self.tree.values_mut().find(|what| **what == "prepared");
                waiting.map(|what| *what = "command")?;
            }
            GuardOutput::StartShell(line, _) => {
                let shell = self.start(match line.as_str() {
                    "win" => "on-win",
                    "lose" => "on-lose",
                    _ => "probe",
                });
                return Some(GuardInput::ShellStarted(shell));
            }
            GuardOutput::Publish(..) => {
                self.now = self.now.after(take(&mut self.slow));
                self.published = true;
                let written = self.no_lease.take().map_or(Ok(()), Err);
                let variables =
                    BTreeMap::from([("TENURE_LEASE".to_owned(), "/run/lease".to_owned())]);
                return Some(GuardInput::Published(written.map(|()| (variables, self.on_uptime))));
            }
            GuardOutput::Renew(_) => return self.no_lease.take().map(GuardInput::NotRenewed),
            GuardOutput::LookForDescendants(_) => return Some(GuardInput::Found(self.tree.len())),
            GuardOutput::Freeze => self.frozen = true,
            GuardOutput::Signal(pid, Signal::KILL) => {
                let pid = pid.as_raw_nonzero().get();
                if matches!(self.tree.get(&pid), Some(&("prepared" | "probe"))) {
                    self.tree.remove(&pid);
                }
            }
            // From then on it has its stop time, or its grace, whatever is ordered later.
            GuardOutput::Signal(_, Signal::TERM) => self.ending = self.ending.or(self.kill_at()),
            GuardOutput::Exterminate => {
                self.now = self.now.after(take(&mut self.slow));
                let lived = take(&mut self.tree).len();
                return Some(GuardInput::Exterminated(lived));
            }
            GuardOutput::ReleaseKept(_) => self.released = true,
            GuardOutput::Report(GuardEvent::Ended { .. }) => {
                (self.until, self.ending) = (None, None);
                (self.published, self.frozen, self.released) = (false, false, false);
            }
            GuardOutput::Exit => self.exited = true,
            _ => {}
        }
        None
    }

    /// Looks at the processes, as the loop does whenever it wakes.
    fn look(
        &mut self,
        ended: Vec<(Pid, Exit)>,
        executed: Option<Result<(), String>>,
    ) -> Result<(), String> {
        let reaped = Reaped { ended, childless: self.tree.is_empty() };
        self.step(GuardInput::Seen { reaped, executed })
    }

    /// Lets time pass, and looks at the processes when an alarm is due meanwhile.
    fn wait(&mut self, time: Duration) -> Result<(), String> {
        let end = self.now.after(time);
        let mut rung = 0;
        while let Some(due) = self.state.next_alarm().filter(|&due| due <= end && !self.exited) {
            self.now = self.now.max(due);
            self.look(Vec::new(), None)?;
            rung += 1;
            if rung > 100 {
                return Err("BROKEN: it never sleeps".to_owned());
            }
        }
        self.now = self.now.max(end);
        self.killed_in_time()
    }

    /// Lets a process end, which leaves others.
    fn exits(&mut self, what: &str, code: &str, leaving: &str) -> Result<(), String> {
        let code = code.parse().map_err(|_| format!("{code:?} is no exit code"))?;
        let left: i32 = leaving.parse().map_err(|_| format!("{leaving:?} is no number"))?;
        let lives = self.tree.iter().find(|(_, lives)| **lives == what).map(|(&pid, _)| pid);
        let pid = lives.ok_or_else(|| format!("there is no process {what}"))?;
        self.tree.remove(&pid);
        self.tree.extend((1..=left).map(|number| (1000 + number, "descendant")));
        let ended = Pid::from_raw(pid).map(|pid| (pid, Exit::Code(code)));
        self.look(ended.into_iter().collect(), None)
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        if self.exited {
            return Err("the guard has ended".to_owned());
        }
        let (now, why) = line.split_once(": ").unwrap_or((line, ""));
        let words = now.strip_prefix("queued ").unwrap_or(now);
        let words: Vec<_> = words.split_whitespace().collect();
        let instant = |text: &str| read(text).map(|time| Boottime::default().after(time));
        match words[..] {
            ["wait", time] => return self.wait(read(time)?),
            // The guard stands still.
            ["delay", time] => {
                self.now = self.now.after(read(time)?);
                return Ok(());
            }
            ["wake"] => {}
            ["slow", time] => {
                self.slow = read(time)?;
                return Ok(());
            }
            ["no", "process"] => {
                self.no_process = Some(why.to_owned());
                return Ok(());
            }
            ["no", "lease"] => {
                self.no_lease = Some(why.to_owned());
                return Ok(());
            }
            ["other", "clock"] => {
                self.on_uptime = false;
                return Ok(());
            }
            ["begin", "term", term, "until", until] | ["again", "term", term, "until", until] => {
                let (until, again) = (instant(until)?, words[0] == "again");
                let term = term.parse().map_err(|_| format!("{term:?} is no term"))?;
                // What has ended does not begin again.
                let begins = !again || self.until.is_some();
                if begins && !self.lives(&["command", "on-win", "on-lose", "descendant"]) {
                    self.until = self.until.max(Some(until));
                }
                self.step(GuardInput::Order(GuardOrder::Begin { term, until, again }))?;
            }
            ["prolong", "until", until] => {
                let until = instant(until)?;
                self.until = self.until.map(|before| before.max(until));
                self.step(GuardInput::Order(GuardOrder::Prolong { until }))?;
            }
            ["end", "within", grace] => {
                let grace = read(grace)?;
                self.is_told_to_end(grace);
                self.step(GuardInput::Order(GuardOrder::End { grace }))?;
            }
            ["probe", which] => {
                let health = which == "health";
                self.step(GuardInput::Order(GuardOrder::Probe { health }))?;
            }
            ["member", "gone"] => {
                self.is_told_to_end(self.state.workload.stop);
                self.step(GuardInput::Abandoned)?;
            }
            ["executed"] => return self.look(Vec::new(), Some(Ok(()))),
            ["not", "executed"] => {
                self.tree.retain(|_, what| *what != "command");
                return self.look(Vec::new(), Some(Err(why.to_owned())));
            }
            [what, "exits", code] => return self.exits(what, code, "0"),
            [what, "exits", code, "leaving", left] => return self.exits(what, code, left),
            ["command", "starts", number] if self.lives(&["command"]) => {
                let number: i32 = number.parse().map_err(|_| format!("{number:?} is no number"))?;
                self.tree.extend((1..=number).map(|number| (1000 + number, "descendant")));
            }
            ["descendants", "end"] => self.tree.retain(|_, what| *what != "descendant"),
            _ => return Err(format!("no step begins like {line:?}")),
        }
        if self.exited || now.starts_with("queued ") {
            return Ok(());
        }
        self.look(Vec::new(), None)
    }
}

fn read(time: &str) -> Result<Duration, String> {
    time.parse::<Nanos>().map(Duration::from)
}

fn instant(instant: Boottime) -> Nanos {
    Nanos(instant.as_nanos())
}

fn in_words(output: &GuardOutput) -> String {
    let time = |time: Duration| Nanos::from(time);
    let with = |all: &Environment| {
        let all: Vec<_> = all.iter().map(|(name, value)| format!("{name}={value}")).collect();
        all.join(" ")
    };
    match output {
        GuardOutput::Report(event) => format!("report {}", report(event)),
        GuardOutput::Complain(text) => format!("complain: {text}"),
        GuardOutput::Prepare => "prepare".to_owned(),
        GuardOutput::Launch(environment) => format!("launch: {}", with(environment)),
        GuardOutput::StartShell(line, environment) => {
            format!("start {line}: {}", with(environment))
        }
        GuardOutput::Publish(term, until) => {
            format!("publish term {term} until {}", instant(*until))
        }
        GuardOutput::Renew(until) => format!("renew until {}", instant(*until)),
        GuardOutput::EndLease(last) => format!("end lease, at most until {}", instant(*last)),
        GuardOutput::RemoveLease => "remove lease".to_owned(),
        GuardOutput::LookForDescendants(limit) => format!("look for descendants {}", time(*limit)),
        GuardOutput::Freeze => "freeze".to_owned(),
        GuardOutput::Signal(pid, Signal::TERM) => format!("SIGTERM to {}", pid.as_raw_nonzero()),
        GuardOutput::Signal(pid, _) => format!("SIGKILL to {}", pid.as_raw_nonzero()),
        GuardOutput::Exterminate => "exterminate".to_owned(),
        GuardOutput::ReleaseKept(true) => "release with words".to_owned(),
        GuardOutput::ReleaseKept(false) => "release".to_owned(),
        GuardOutput::Exit => "exit".to_owned(),
    }
}

fn report(event: &GuardEvent) -> String {
    match event {
        GuardEvent::Reaped => "reaped".to_owned(),
        GuardEvent::Knows { until } => format!("known until {}", instant(*until)),
        GuardEvent::Failed { why } => format!("failed: {why}"),
        GuardEvent::Started { pid } => format!("started {pid}"),
        GuardEvent::Refused { why } => format!("refused: {why}"),
        GuardEvent::Exited { exit, left } => format!("exited: {exit}, {left} left"),
        GuardEvent::Probed { health, failure } => {
            let probe = if *health { "health" } else { "readiness" };
            format!("{probe}: {}", failure.as_deref().unwrap_or("good"))
        }
        GuardEvent::Hook { name, why } => format!("hook {name}: {why}"),
        GuardEvent::Ended { killed, late } => {
            let how = if *killed { "killed" } else { "ended" };
            format!("{how}, {} late", Nanos::from(*late))
        }
        GuardEvent::Ready { .. } | GuardEvent::Lost { .. } => "nothing of the kind".to_owned(),
    }
}

/// Runs a scenario, whose first step is the guard.
fn run(text: &str) -> Result<Transcript, String> {
    Ok(machine_transcript(text, Surroundings::new, Surroundings::take, |it| &mut it.said))
}

#[test]
fn every_scenario_happens_as_it_is_written() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios"));
    let wrong = check_folder(folder, run).unwrap();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    assert!(std::fs::read_dir(folder).unwrap().count() >= 10);
}

/// Numbers that look random, the same for each seed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        let drawn = self.below(all.len() as u64);
        all[usize::try_from(drawn).unwrap()]
    }

    /// Draws a step; the instants are near.
    fn step(&mut self, guard: &Surroundings) -> String {
        let now = Duration::from_nanos(guard.now.as_nanos());
        let time = Duration::from_millis([0, 1, 10, 50, 300, 1000, 3000][self.below(7) as usize]);
        let (time, until, left) = (Nanos::from(time), Nanos::from(now + time), self.below(3));
        let what = self
            .one_of(&["command", "command", "on-win", "on-win", "on-lose", "probe", "prepared"]);
        let (code, left) = (self.below(2), if what.starts_with('p') { 0 } else { left });
        let processes = [
            format!("wait {time}"),
            format!("wait {time}"),
            format!("delay {time}"),
            format!("slow {time}"),
            format!("{what} exits {code} leaving {left}"),
            format!("{what} exits {code} leaving {left}"),
            "descendants end".to_owned(),
            "command starts 300".to_owned(),
            self.one_of(&["no process: -", "no lease: -", "executed", "not executed: -"])
                .to_owned(),
        ];
        let term = self.below(2);
        let orders = [
            format!("begin term {term} until {until}"),
            format!("again term {term} until {until}"),
            format!("prolong until {until}"),
            format!("prolong until {until}"),
            format!("end within {time}"),
            format!("probe {}", self.one_of(&["health", "readiness"])),
        ];
        match self.below(3) {
            0 if guard.state.member => {
                let queued = self.one_of(&["", "", "queued "]);
                format!("{queued}{}", orders[self.below(6) as usize])
            }
            _ => processes[self.below(9) as usize].clone(),
        }
    }
}

#[test]
fn whatever_happens_nothing_outlives_its_leadership_and_all_ends() {
    const GUARDS: [&str; 4] = [
        "guard",
        "guard stop 500ms on-lose hooks 1s",
        "guard on-win on-lose hooks 300ms probes 200ms spare 100ms",
        "guard stop 300ms margin 100ms on-win probes 1s",
    ];
    let (mut tenures, mut steps) = (0, 0);
    for seed in 0..2000 {
        let mut draws = Draws(seed);
        let mut guard = Surroundings::new(draws.one_of(&GUARDS)).unwrap();
        let mut taken = Vec::new();
        for number in 0..=80 {
            let line = match number {
                80 => "member gone".to_owned(),
                _ => draws.step(&guard),
            };
            taken.push(line.clone());
            // Steps that are impossible now are no steps.
            if let Err(why) = guard.take(&line)
                && why.starts_with("BROKEN")
            {
                panic!("seed {seed}: {why}\n{}\n{}", taken.join("\n"), guard.said.join("\n"));
            }
        }
        // It may have ended at once.
        let _ = guard.take("wait 1h");
        assert!(guard.exited && guard.tree.is_empty(), "seed {seed}\n{}", guard.said.join("\n"));
        tenures += guard.said.iter().filter(|said| said.contains(" late")).count();
        steps += guard.said.len();
    }
    assert!(tenures > 6_000, "{tenures} tenures, {steps} outputs");
}
