//! Every file of `tenure/cli/scenarios/connection` happens as it is written there.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p tenure-cli --lib connection
//! ```
//!
//! writes what happens now below the steps, after a change that is meant. Pings are milliseconds of the scenario's
//! clock: the time at which the program has sent them.

use super::*;
use std::path::Path;
use tenure_scenarios::{Nanos, Transcript, check_folder, machine_transcript};

/// The bound on clocks of other hosts, in millionths.
const BOUND: u32 = 10_000;

/// One connection, with a program and a member that do what a scenario says.
struct Surroundings {
    state: ConnectionState,
    now: Duration,
    stop: Duration,
    /// Until when the leadership is certain, while there is one.
    certain: Option<Duration>,
    /// By how much its clock is slower, in millionths.
    slower: u32,
    /// Until when the program counts on it, once it was told.
    counts_until: Option<Duration>,
    guarded: bool,
    /// Whether no work of the program is left.
    gone: bool,
    ended: bool,
    said: Vec<String>,
}

impl Surroundings {
    fn new(line: &str) -> Result<Self, String> {
        let rights = match line {
            "a program of this host" => Rights::Local,
            "an operator" => Rights::Operator,
            "a client of another host" => Rights::Reader,
            "a program of another host" => {
                Rights::Program { clock_bound: BOUND, lease: Duration::from_millis(500) }
            }
            _ => return Err(format!("no one connects like {line:?}")),
        };
        Ok(Self {
            state: ConnectionState::new("host-1", rights, Duration::from_millis(50)),
            now: Duration::ZERO,
            stop: Duration::ZERO,
            certain: None,
            slower: if matches!(rights, Rights::Program { .. }) { BOUND } else { 0 },
            counts_until: None,
            guarded: false,
            gone: false,
            ended: false,
            said: Vec::new(),
        })
    }

    fn step(&mut self, input: ConnectionInput) -> Result<(), String> {
        for output in self.state.step(self.now, input) {
            self.said.push(format!("{} {}", Nanos::from(self.now), in_words(&output)));
            match output {
                _ if self.ended => return Err("BROKEN: it goes on after its end".to_owned()),
                ConnectionOutput::Say(MemberMessage::Valid { ping, for_ms }) => {
                    let until = Duration::from_millis(ping) + self.by_its_clock(for_ms);
                    self.counts_until = self.counts_until.max(Some(until));
                    if self.certain.is_none_or(|certain| certain < until) {
                        return Err("BROKEN: the program counts on more than is certain".to_owned());
                    }
                }
                ConnectionOutput::Stand(_) => self.gone = false,
                ConnectionOutput::Release(_) => self.certain = None,
                ConnectionOutput::End => {
                    self.ended = true;
                    let promised =
                        self.counts_until.filter(|_| self.certain.is_some() && !self.gone);
                    let stop = self.by_its_clock(milliseconds(self.stop));
                    if promised.is_some_and(|until| self.now < until + stop) {
                        return Err("BROKEN: another one may lead, and work is left".to_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns how long a number of milliseconds by the clock of the program is by the clock of the member.
    fn by_its_clock(&self, ms: u64) -> Duration {
        Duration::from_micros(ms * (1_000_000 + u64::from(self.slower)) / 1000)
    }

    /// Lets time pass, and rings what is due meanwhile.
    fn wait(&mut self, time: Duration) -> Result<(), String> {
        let end = self.now + time;
        while let Some(due) = self.state.alarm().filter(|&due| due <= end) {
            self.now = self.now.max(due);
            self.step(ConnectionInput::Alarm)?;
        }
        self.now = end;
        // A timer that comes too early.
        self.step(ConnectionInput::Alarm)
    }

    fn take(&mut self, line: &str) -> Result<(), String> {
        if self.ended {
            return Err("the connection has ended".to_owned());
        }
        let (words, why) = line.split_once(": ").unwrap_or((line, ""));
        let number = |word: &str| word.parse::<u64>().map_err(|_| format!("{word:?} is no number"));
        let input = match words.split_whitespace().collect::<Vec<_>>()[..] {
            [">", ..] => {
                if !self.state.listens() {
                    return Err("it does not listen".to_owned());
                }
                let heard = serde_json::from_str::<ClientMessage>(&line[2..]);
                if let Ok(ClientMessage::Stand { guarded, says_release, .. }) = heard {
                    self.guarded = guarded && !says_release;
                }
                ConnectionInput::Heard(heard.map_err(|error| error.to_string()))
            }
            ["wait", time] => return self.wait(read(time)?),
            ["closed"] => {
                self.gone = self.guarded;
                ConnectionInput::Closed
            }
            ["won", "term", term, "stop", stop] => {
                (self.stop, self.certain) = (read(stop)?, Some(self.now));
                let release_ticket = None;
                ConnectionInput::Won { term: number(term)?, stop: self.stop, release_ticket }
            }
            ["certain", "for", time] => {
                self.certain = Some(self.now + read(time)?);
                ConnectionInput::Certain(read(time)?)
            }
            ["not", "won"] => ConnectionInput::NotWon(Some(why.to_owned())),
            ["member", "ends"] => ConnectionInput::NotWon(None),
            ["led", "by", name] => ConnectionInput::Led(name.to_owned()),
            ["extended"] => ConnectionInput::Extended,
            ["told", "to", "leave"] => ConnectionInput::Stopping,
            ["lost"] => ConnectionInput::Lost,
            ["failed"] => ConnectionInput::Answer(Err(why.to_owned())),
            ["done"] => ConnectionInput::Answer(Ok(MemberMessage::Done {})),
            ["released"] => ConnectionInput::Answer(Ok(MemberMessage::Released {})),
            ["changes"] => ConnectionInput::Answer(Ok(MemberMessage::History(Vec::new()))),
            _ => return Err(format!("no step begins like {line:?}")),
        };
        self.step(input)
    }
}

fn read(time: &str) -> Result<Duration, String> {
    time.parse::<Nanos>().map(Duration::from)
}

fn in_words(output: &ConnectionOutput) -> String {
    match output {
        ConnectionOutput::Say(MemberMessage::Hello { version, member, .. }) => {
            format!("< hello of version {version} from {member}")
        }
        ConnectionOutput::Say(message) => {
            format!("< {}", serde_json::to_string(message).unwrap_or_default())
        }
        ConnectionOutput::Ask(question) => {
            format!("ask {}", serde_json::to_string(question).unwrap_or_default())
        }
        ConnectionOutput::Stand(StandRequest { office, priority, stop, only_try, value }) => {
            let priority = priority.map(|priority| format!(", priority {priority}"));
            let stop = stop.map(|stop| format!(", stop {}", Nanos::from(stop)));
            let only = if *only_try { ", once" } else { "" };
            let value = Some(value.text()).filter(|text| !text.is_empty());
            format!(
                "stand for {office}{}{}{only}{}",
                priority.unwrap_or_default(),
                stop.unwrap_or_default(),
                value.map(|text| format!(", value {text:?}")).unwrap_or_default()
            )
        }
        ConnectionOutput::Look => "look".to_owned(),
        ConnectionOutput::Work(news) => format!("work: {}", news.why_not().unwrap_or("it runs")),
        ConnectionOutput::Proclaim(value) => format!("proclaim {:?}", value.text()),
        ConnectionOutput::Release(None) => "release".to_owned(),
        ConnectionOutput::Release(Some(to)) => format!("release to {to}"),
        ConnectionOutput::Log(text) => format!("INFO {text}"),
        ConnectionOutput::HangUp => "hang up".to_owned(),
        ConnectionOutput::End => "end".to_owned(),
    }
}

/// Runs a scenario, whose first step says who connects.
fn run(text: &str) -> Result<Transcript, String> {
    Ok(machine_transcript(text, Surroundings::new, Surroundings::take, |it| &mut it.said))
}

#[test]
fn every_scenario_of_a_connection_happens_as_it_is_written() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/connection"));
    let wrong = check_folder(folder, run).unwrap();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    assert!(std::fs::read_dir(folder).unwrap().count() >= 10);
}

#[test]
fn a_program_that_would_count_on_more_than_is_certain_is_found_out() {
    let text = "# A ping from the future.\na program of this host\n> {\"hello\":{\"versions\":[1]}}\n\
        > {\"stand\":{\"office\":\"db\"}}\nwon term 1 stop 0ms\n> {\"alive\":{\"ping\":100}}\ncertain for 250ms\n";
    assert!(run(text).unwrap().failures[0].contains("BROKEN: the program counts on more"));
}
