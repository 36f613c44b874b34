//! Every file of `tenure/cli/scenarios` happens as it is written there.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p tenure-cli --lib leader_state
//! ```
//!
//! writes what happens now below the steps, after a change that is meant.

use super::*;
use clap::Parser;
use std::path::Path;
use tenure_scenarios::{Nanos, Transcript, check_folder, machine_transcript};

/// The surroundings of one `tenure lead`, which are what a scenario says.
struct Surroundings {
    settings: &'static Args,
    state: LeaderState<'static>,
    now: Duration,
    /// Whether processes of the command may be left.
    running: bool,
    standing: bool,
    releasing: bool,
    exited: bool,
    said: Vec<String>,
}

impl Surroundings {
    /// Starts a program with this command line.
    fn new(line: &str) -> Result<Self, String> {
        let parsed = crate::LeadAgain::try_parse_from(line.split_whitespace());
        let settings: &'static Args = Box::leak(parsed.map_err(|error| error.to_string())?.lead);
        // Otherwise another process is the member.
        let own = settings.config.is_some();
        let mut new = Self {
            settings,
            state: LeaderState::new(settings, own),
            now: Duration::ZERO,
            running: false,
            standing: false,
            releasing: false,
            exited: false,
            said: Vec::new(),
        };
        new.wait(Duration::ZERO)?;
        Ok(new)
    }

    fn step(&mut self, input: LeaderInput) -> Result<(), String> {
        for output in self.state.step(self.now, input) {
            let broken = match &output {
                _ if self.exited => Some("it goes on after its end"),
                LeaderOutput::Begin => {
                    self.running = true;
                    None
                }
                LeaderOutput::Release | LeaderOutput::ReleaseByNotifier => {
                    self.releasing = true;
                    self.running.then_some("another host may lead while the command runs")
                }
                LeaderOutput::Stand => {
                    replace(&mut self.standing, true).then_some("it stands twice")
                }
                LeaderOutput::Withdraw => {
                    self.standing = false;
                    None
                }
                LeaderOutput::Exit(_) => {
                    self.exited = true;
                    self.running.then_some("it ends while the command runs")
                }
                _ => None,
            };
            self.said.push(format!("{} {}", Nanos::from(self.now), in_words(output)));
            if let Some(why) = broken {
                return Err(format!("BROKEN: {why}"));
            }
        }
        Ok(())
    }

    /// Lets time pass, and rings what is due meanwhile.
    fn wait(&mut self, time: Duration) -> Result<(), String> {
        let end = self.now + time;
        while let Some((due, alarm)) = self.state.next_alarm().filter(|&(due, _)| due <= end) {
            self.now = self.now.max(due);
            self.step(LeaderInput::Alarm(alarm))?;
        }
        self.now = end;
        Ok(())
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        if self.exited {
            return Err("the program has ended".to_owned());
        }
        if let Some(time) = line.strip_prefix("wait ") {
            return self.wait(read(time)?);
        }
        let input = self.input(line)?;
        let answers = match &input {
            LeaderInput::Won(..) | LeaderInput::NotWon(_) => take(&mut self.standing),
            LeaderInput::Released => take(&mut self.releasing),
            LeaderInput::Guard(GuardEvent::Ended { .. } | GuardEvent::Lost { .. }) => {
                self.running = false;
                true
            }
            _ => true,
        };
        if answers { self.step(input) } else { Err("nothing has asked for that".to_owned()) }
    }

    /// Reads what happens. A reason follows after a colon.
    fn input(&self, line: &str) -> Result<LeaderInput, String> {
        let (words, why) = line.split_once(": ").unwrap_or((line, ""));
        let words: Vec<_> = words.split_whitespace().collect();
        let why = why.to_owned();
        let number = |word: &str| word.parse::<u8>().map_err(|_| format!("{word:?} is no number"));
        let health = |failure| match self.settings.health {
            Some(HealthProbe::Http { .. }) => LeaderInput::Health(failure),
            _ => LeaderInput::Guard(GuardEvent::Probed { health: true, failure }),
        };
        let readiness = |failure| GuardEvent::Probed { health: false, failure };
        Ok(match words[..] {
            ["won", "term", term, left, "left"] => {
                LeaderInput::Won(u64::from(number(term)?), read(left)?)
            }
            ["not", "won"] => LeaderInput::NotWon(CommandError::failed(why)),
            ["refused"] => LeaderInput::NotWon(CommandError::usage(why)),
            ["led"] => LeaderInput::NotWon(CommandError::not_led(why)),
            ["valid", left] => {
                let left = read(left)?;
                let until = Boottime::default().after(self.now + left);
                LeaderInput::Leadership(LeadershipNews::Valid(until), left)
            }
            ["told", "to", "leave"] => leadership(LeadershipNews::Stopping),
            ["lease", "over"] => leadership(LeadershipNews::Over),
            ["member", "gone"] => leadership(LeadershipNews::Gone),
            ["not", "transferred"] => LeaderInput::Asked(Err(why)),
            ["transfer", "agreed"] => LeaderInput::Asked(Ok(())),
            ["guard", "spawned"] => LeaderInput::Spawned(Ok(())),
            ["no", "guard"] => LeaderInput::Spawned(Err(why)),
            ["notifier", "runs"] => LeaderInput::Notifier(Ok(())),
            ["no", "notifier"] => LeaderInput::Notifier(Err(why)),
            ["healthy"] => health(None),
            ["unhealthy"] => health(Some(why)),
            ["released"] => LeaderInput::Released,
            ["SIGTERM"] => LeaderInput::Quit,
            _ => LeaderInput::Guard(match words[..] {
                ["guard", "ready"] => GuardEvent::Ready { guard: 7, no_cgroup: None },
                ["guard", "ready", "without", "group"] => {
                    let no = NoGroup { why, confined: true, unkillable: None };
                    GuardEvent::Ready { guard: 7, no_cgroup: Some(no) }
                }
                ["guard", "useless"] => {
                    let no = NoGroup { why: "-".into(), confined: true, unkillable: Some(why) };
                    GuardEvent::Ready { guard: 7, no_cgroup: Some(no) }
                }
                ["guard", "knows", until] => {
                    GuardEvent::Knows { until: Boottime::default().after(read(until)?) }
                }
                ["guard", "failed"] => GuardEvent::Failed { why },
                ["guard", "lost"] => GuardEvent::Lost { late: Duration::ZERO },
                ["ready"] => readiness(None),
                ["unready"] => readiness(Some(why)),
                ["reaped"] => GuardEvent::Reaped,
                ["started"] => GuardEvent::Started { pid: 42 },
                ["not", "started"] => GuardEvent::Refused { why },
                ["exited", code] => {
                    GuardEvent::Exited { exit: Exit::Code(i32::from(number(code)?)), left: 0 }
                }
                ["exited", code, "leaving", left] => GuardEvent::Exited {
                    exit: Exit::Code(i32::from(number(code)?)),
                    left: usize::from(number(left)?),
                },
                ["hook", name, "failed"] => GuardEvent::Hook { name: name.to_owned(), why },
                ["ended"] => GuardEvent::Ended { killed: false, late: Duration::ZERO },
                ["killed"] => GuardEvent::Ended { killed: true, late: Duration::ZERO },
                ["killed", late, "late"] => GuardEvent::Ended { killed: true, late: read(late)? },
                _ => return Err(format!("no step begins like {line:?}")),
            }),
        })
    }
}

fn leadership(news: LeadershipNews) -> LeaderInput {
    LeaderInput::Leadership(news, Duration::ZERO)
}

fn read(time: &str) -> Result<Duration, String> {
    time.parse::<Nanos>().map(Duration::from)
}

fn in_words(output: LeaderOutput) -> String {
    let time = |time: Duration| Nanos::from(time);
    let instant = |instant: Boottime| Nanos(instant.as_nanos());
    match output {
        LeaderOutput::Log(level, text) => format!("{level} {text}"),
        LeaderOutput::News(level, text) => format!("NEWS {level} {text}"),
        LeaderOutput::Status(text) => format!("systemd: {text}"),
        LeaderOutput::Ready => "systemd: READY".to_owned(),
        LeaderOutput::Stopping => "systemd: STOPPING".to_owned(),
        LeaderOutput::Warn(about, Some(text)) => format!("warning of {about}: {text}"),
        LeaderOutput::Warn(about, None) => format!("no warning of {about}"),
        LeaderOutput::SpawnGuard => "spawn guard".to_owned(),
        LeaderOutput::Stand => "stand".to_owned(),
        LeaderOutput::Withdraw => "withdraw".to_owned(),
        LeaderOutput::AskForOffice => "ask for the office".to_owned(),
        LeaderOutput::ProbeReadiness => "probe readiness".to_owned(),
        LeaderOutput::ProbeHealth => "probe health".to_owned(),
        LeaderOutput::Begin => "begin".to_owned(),
        LeaderOutput::Prolong(until) => format!("prolong until {}", instant(until)),
        LeaderOutput::EndCommand(grace) => format!("end within {}", time(grace)),
        LeaderOutput::Confirm(until) => format!("confirm until {}", instant(until)),
        LeaderOutput::Tell(news) => format!("tell: {}", news.why_not().unwrap_or("it runs")),
        LeaderOutput::StartNotifier => "start notifier".to_owned(),
        LeaderOutput::Release => "release".to_owned(),
        LeaderOutput::ReleaseByNotifier => "release by notifier".to_owned(),
        LeaderOutput::Exit(Ok(code)) => format!("exit {code}"),
        LeaderOutput::Exit(Err(error)) => format!("exit {}: {error}", error.code),
    }
}

/// Runs a scenario, whose first step is the command line.
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
