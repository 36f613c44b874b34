//! The faults of a world, as text and drawn at random.

use crate::certificates::CertificateFault;
use anyhow::{Context, anyhow, bail};
use std::fmt;
use suffrage_numbers::random::Generator;
use tenure_scenarios::{CutWays, Nanos};

/// Processes of a host that a fault hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// `tenure lead`, which is a member, too, unless the hosts are `served`.
    Program,
    /// The process of the member: `tenure serve` where the hosts are `served`, or else the program.
    Server,
    /// The main loop of the program, whose member goes on: it can only be stopped.
    Loop,
    /// The loop of the program's member, whose other threads go on: it can only be stopped.
    Member,
    /// The guard of COMMAND.
    Guard,
    /// The guard's keeper.
    Keeper,
    /// COMMAND, without its descendants if it is killed.
    Command,
    /// The program and the guard.
    Both,
    /// The program, the keeper and the guard.
    All,
    /// The crash notifier of a leadership: it can only be killed.
    Notifier,
    /// The programs of a host that stand by members of other processes.
    Client,
}

/// All of them, with their names. The last one is not drawn: it is hit in place of the program.
const VICTIMS: [(Victim, &str); 11] = [
    (Victim::Program, "program"),
    (Victim::Loop, "loop"),
    (Victim::Member, "member"),
    (Victim::Guard, "guard"),
    (Victim::Keeper, "keeper"),
    (Victim::Command, "command"),
    (Victim::Both, "program-and-guard"),
    (Victim::All, "all"),
    (Victim::Notifier, "notifier"),
    (Victim::Client, "client"),
    (Victim::Server, "server"),
];

const CERTIFICATES: [(CertificateFault, &str); 3] = [
    (CertificateFault::Expired, "expired"),
    (CertificateFault::Revoked, "revoked"),
    (CertificateFault::Foreign, "foreign"),
];

/// A configuration that an operator writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenFile {
    /// With other priorities and stop times.
    Right,
    /// With a key that is none.
    Unreadable,
    /// With another timing, which all members have to agree on.
    Timing,
    /// With another member.
    Members,
}

/// The files, with their names and with what the reason to refuse them says.
const FILES: [(WrittenFile, &str, &str); 4] = [
    (WrittenFile::Right, "right", ""),
    (WrittenFile::Unreadable, "unreadable", "unknown"),
    (WrittenFile::Timing, "timing", "needs a restart of all members"),
    (WrittenFile::Members, "members", "use `tenure members`"),
];

impl WrittenFile {
    fn row(self) -> (Self, &'static str, &'static str) {
        FILES.into_iter().find(|row| row.0 == self).unwrap_or(FILES[0])
    }

    /// Returns what the reason to refuse it says.
    pub(crate) fn reason(self) -> &'static str {
        self.row().2
    }
}

/// A fault, or a request of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldFault {
    /// SIGKILL. The service manager starts the program again. `kill guard`.
    Kill(Victim),
    /// SIGSTOP, and SIGCONT at the end. `stop program`.
    Stop(Victim),
    /// SIGTERM to the program, which the service manager starts again, or to the process of its member.
    Quit {
        /// Whether it is the process of the member.
        server: bool,
    },
    /// Power fails. With `lost`, the disk is empty afterwards.
    Crash {
        /// Whether the record is lost.
        lost: bool,
    },
    /// The host is suspended: nothing runs, and its clock goes on.
    Sleep,
    /// Processes wait for processors for up to this time. `starve 30ms`.
    Starve(Nanos),
    /// A write takes this long. `slow-disk 300ms`.
    SlowDisk(Nanos),
    /// No write ends.
    StuckDisk,
    /// Writes fail.
    FailedDisk,
    /// The host is cut off. `cut`, `cut in`, `cut out`.
    Cut(CutWays),
    /// This percentage of all messages is lost. `loss 20%`.
    Loss(u32),
    /// Each message takes this much longer, on all links. `delay 40ms`.
    Delay(Nanos),
    /// The clock is fast by this many millionths. `clock 5000ppm`, and slow by `clock -5000ppm`.
    Clock(i64),
    /// The time of day is set back by this long. `set-back 1h`.
    SetBack(Nanos),
    /// COMMAND ends with this exit code. `exit 1`.
    Exit(u8),
    /// COMMAND cannot be executed.
    NoExec,
    /// No process can be started.
    NoFork,
    /// COMMAND is in a system call that no signal interrupts.
    Uninterruptible,
    /// Programs that stand by members send much more than these can use.
    Flood,
    /// Programs that stand by members read nothing, and go on to send.
    Deaf,
    /// The readiness probe fails.
    Unready,
    /// The health probe fails.
    Unhealthy,
    /// The hook on-win fails.
    NoHook,
    /// Hooks and probes hang, until they are killed.
    HungHook,
    /// A crash notifier that has to tell the members does so this much later. `slow-notifier 2s`.
    SlowNotifier(Nanos),
    /// An operator has the program read another configuration. `reload timing`.
    Reload(WrittenFile),
    /// The certificate of the host is wrong. `certificate expired`.
    Certificate(CertificateFault),
    /// An operator gives all hosts new certificates.
    Rotated,
    /// The program is started again in a version that speaks a later version of the protocol, too, or that `alone`; and
    /// at the end as it was.
    Upgraded {
        /// Whether it speaks no other one.
        alone: bool,
    },
    /// Another process comes with the identity and the certificate of this host.
    Twin,
    /// An operator has the office resigned.
    Resign,
    /// An operator has the office transferred to this host.
    Transfer,
    /// An operator has this host removed from the members, and at the end adds it again, with an empty disk.
    Removed,
    /// A majority of the hosts is destroyed. An operator has the member of this one decide without them, and at the end
    /// adds them again, with empty disks.
    Forced,
}

impl WorldFault {
    /// Returns the name of its kind.
    #[must_use]
    pub fn kind(&self) -> String {
        let text = self.to_string();
        let words = text.split(' ').filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns whether it is over as soon as it has begun.
    #[must_use]
    pub const fn is_momentary(&self) -> bool {
        matches!(
            self,
            Self::Kill(_)
                | Self::Quit { .. }
                | Self::Exit(_)
                | Self::Flood
                | Self::Reload(_)
                | Self::Rotated
                | Self::Resign
                | Self::Transfer
                | Self::SetBack(_)
        )
    }

    /// Returns whether the office may move: new certificates change no leader.
    pub(crate) fn moves(self) -> bool {
        self != Self::Rotated
    }

    /// Returns the same fault of the process of the member.
    pub(crate) const fn of_server(self) -> Option<Self> {
        match self {
            Self::Kill(Victim::Program) => Some(Self::Kill(Victim::Server)),
            Self::Stop(Victim::Program) => Some(Self::Stop(Victim::Server)),
            Self::Quit { .. } => Some(Self::Quit { server: true }),
            _ => None,
        }
    }

    /// Returns whether it concerns all hosts.
    #[must_use]
    pub const fn is_everywhere(&self) -> bool {
        matches!(self, Self::Loss(_) | Self::Delay(_) | Self::Rotated)
    }
}

/// The faults that are words alone.
const WORDS: [(WorldFault, &str); 27] = [
    (WorldFault::Quit { server: false }, "quit"),
    (WorldFault::Quit { server: true }, "quit server"),
    (WorldFault::Crash { lost: false }, "crash"),
    (WorldFault::Crash { lost: true }, "crash lost"),
    (WorldFault::Sleep, "sleep"),
    (WorldFault::StuckDisk, "stuck-disk"),
    (WorldFault::FailedDisk, "failed-disk"),
    (WorldFault::Cut(CutWays::Both), "cut"),
    (WorldFault::Cut(CutWays::In), "cut in"),
    (WorldFault::Cut(CutWays::Out), "cut out"),
    (WorldFault::NoExec, "no-exec"),
    (WorldFault::NoFork, "no-fork"),
    (WorldFault::Uninterruptible, "uninterruptible"),
    (WorldFault::Flood, "flood"),
    (WorldFault::Deaf, "deaf"),
    (WorldFault::Unready, "unready"),
    (WorldFault::Unhealthy, "unhealthy"),
    (WorldFault::NoHook, "no-hook"),
    (WorldFault::HungHook, "hung-hook"),
    (WorldFault::Rotated, "rotated"),
    (WorldFault::Upgraded { alone: false }, "upgraded"),
    (WorldFault::Upgraded { alone: true }, "upgraded alone"),
    (WorldFault::Twin, "twin"),
    (WorldFault::Resign, "resign"),
    (WorldFault::Transfer, "transfer"),
    (WorldFault::Removed, "removed"),
    (WorldFault::Forced, "forced"),
];

impl fmt::Display for WorldFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |victim: &Victim| {
            VICTIMS.iter().find(|(other, _)| other == victim).map_or("", |(_, name)| *name)
        };
        match self {
            Self::Kill(victim) => write!(f, "kill {}", name(victim)),
            Self::Stop(victim) => write!(f, "stop {}", name(victim)),
            Self::Starve(time) => write!(f, "starve {time}"),
            Self::SlowDisk(time) => write!(f, "slow-disk {time}"),
            Self::Loss(percent) => write!(f, "loss {percent}%"),
            Self::Delay(time) => write!(f, "delay {time}"),
            Self::Clock(ppm) => write!(f, "clock {ppm}ppm"),
            Self::SetBack(time) => write!(f, "set-back {time}"),
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::SlowNotifier(time) => write!(f, "slow-notifier {time}"),
            Self::Reload(file) => write!(f, "reload {}", file.row().1),
            Self::Certificate(wrong) => {
                let row = CERTIFICATES.iter().find(|(other, _)| other == wrong);
                write!(f, "certificate {}", row.map_or("", |(_, name)| *name))
            }
            fault => {
                let row = WORDS.iter().find(|(other, _)| other == fault);
                f.write_str(row.map_or("", |(_, name)| *name))
            }
        }
    }
}

fn parse(words: &[&str]) -> anyhow::Result<WorldFault> {
    let time = |text: &str| text.parse::<Nanos>().map_err(|why| anyhow!(why));
    let victim = |text: &str| {
        let known = VICTIMS.iter().find(|(_, name)| *name == text).map(|(victim, _)| *victim);
        known.with_context(|| {
            let names = VICTIMS.map(|(_, name)| name).join(", ");
            format!("{text:?} is none of {names}")
        })
    };
    let number = |text: &str, unit: &str| {
        let number = text.strip_suffix(unit).and_then(|number| number.parse::<i32>().ok());
        number.with_context(|| format!("{text:?} is no number with the unit {unit:?}"))
    };
    Ok(match *words {
        ["kill", whom] if !matches!(whom, "loop" | "member") => WorldFault::Kill(victim(whom)?),
        ["stop", whom] if whom != "notifier" => WorldFault::Stop(victim(whom)?),
        ["starve", by] => WorldFault::Starve(time(by)?),
        ["slow-disk", by] => WorldFault::SlowDisk(time(by)?),
        ["loss", percent] => {
            let percent = u32::try_from(number(percent, "%")?).ok().filter(|&it| it <= 100);
            WorldFault::Loss(percent.context("from 0% to 100% can be lost")?)
        }
        ["delay", by] => WorldFault::Delay(time(by)?),
        ["clock", ppm] => WorldFault::Clock(number(ppm, "ppm")?.into()),
        ["set-back", by] => WorldFault::SetBack(time(by)?),
        ["exit", code] => WorldFault::Exit(code.parse().context("an exit code is below 256")?),
        ["slow-notifier", by] => WorldFault::SlowNotifier(time(by)?),
        ["reload", file] => {
            let known = FILES.iter().find(|(_, name, _)| *name == file);
            WorldFault::Reload(known.context("a file is right, unreadable, timing or members")?.0)
        }
        ["certificate", wrong] => {
            let known = CERTIFICATES.iter().find(|(_, name)| *name == wrong);
            WorldFault::Certificate(known.context("it is expired, revoked or foreign")?.0)
        }
        _ => {
            let text = words.join(" ");
            let known = WORDS.iter().find(|(_, name)| *name == text);
            known.with_context(|| format!("there is no fault {text:?}"))?.0
        }
    })
}

/// The host that a fault hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultTarget {
    /// The host of this number.
    Host(usize),
    /// The host whose COMMAND runs when the fault begins; if there is none, the first one.
    Leader,
    /// A host that is not [`Leader`](Self::Leader), counted from 1 on.
    Follower(usize),
    /// All hosts.
    Everywhere,
}

/// A fault with its instant and its duration: `at 2s for 500ms stop guard on leader`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedWorldFault {
    /// The instant at which it begins.
    pub at: Nanos,
    /// Its duration; zero if it is momentary.
    pub lasts: Nanos,
    /// The fault.
    pub fault: WorldFault,
    /// The host.
    pub target: FaultTarget,
}

impl fmt::Display for TimedWorldFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {} ", self.at)?;
        if self.lasts.0 > 0 {
            write!(f, "for {} ", self.lasts)?;
        }
        write!(f, "{}", self.fault)?;
        match self.target {
            FaultTarget::Host(host) => write!(f, " on {host}"),
            FaultTarget::Leader => f.write_str(" on leader"),
            FaultTarget::Follower(number) => write!(f, " on follower-{number}"),
            FaultTarget::Everywhere => Ok(()),
        }
    }
}

impl TimedWorldFault {
    /// Reads a line.
    ///
    /// # Errors
    /// If it is none, or names a host that is not there.
    pub fn parse(line: &str, hosts: usize) -> anyhow::Result<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let time = |text: &str| text.parse::<Nanos>().map_err(|why| anyhow!(why));
        let ["at", at, rest @ ..] = words.as_slice() else {
            bail!("a fault begins with its instant: at 2s ..");
        };
        let (lasts, rest) = match rest {
            ["for", lasts, rest @ ..] => (time(lasts)?, rest),
            _ => (Nanos(0), rest),
        };
        let (what, target) = match rest {
            [what @ .., "on", "leader"] => (what, FaultTarget::Leader),
            [what @ .., "on", host] => {
                let follower = host.strip_prefix("follower-");
                let number = follower.unwrap_or(host).parse::<usize>().ok();
                let number = number.with_context(|| format!("{host:?} is no host"))?;
                match follower {
                    Some(_) if (1..hosts).contains(&number) => {
                        (what, FaultTarget::Follower(number))
                    }
                    None if number < hosts => (what, FaultTarget::Host(number)),
                    _ => bail!("{host:?}: there are {hosts} hosts, from 0 on"),
                }
            }
            what => (what, FaultTarget::Everywhere),
        };
        let fault = parse(what)?;
        if fault.is_everywhere() != (target == FaultTarget::Everywhere) {
            bail!("{fault}: name a host (on 1, on leader) for faults of one host, and no other");
        }
        if fault.is_momentary() != (lasts.0 == 0) {
            bail!("{fault}: give a duration (for 2s) to faults that last, and to no other");
        }
        Ok(Self { at: time(at)?, lasts, fault, target })
    }
}

/// What operators do.
const OPERATORS: [WorldFault; 5] = [
    WorldFault::Quit { server: false },
    WorldFault::Resign,
    WorldFault::Transfer,
    WorldFault::Removed,
    WorldFault::Forced,
];

/// What befalls programs that stand by members.
const CLIENTS: [WorldFault; 4] = [
    WorldFault::Kill(Victim::Client),
    WorldFault::Stop(Victim::Client),
    WorldFault::Flood,
    WorldFault::Deaf,
];

/// Draws a fault that a cluster has to bear.
pub(crate) fn draw(dice: &mut Generator) -> WorldFault {
    let victims: [Victim; 10] = std::array::from_fn(|place| VICTIMS[place].0);
    let kills = victims.map(|victim| match victim {
        Victim::Loop | Victim::Member => WorldFault::Kill(Victim::Command),
        victim => WorldFault::Kill(victim),
    });
    let stops = victims.map(|victim| match victim {
        Victim::Notifier => WorldFault::Stop(Victim::Program),
        victim => WorldFault::Stop(victim),
    });
    let ways = [CutWays::Both, CutWays::In, CutWays::Out].map(WorldFault::Cut);
    let hosts = [
        WorldFault::Crash { lost: false },
        WorldFault::Crash { lost: true },
        WorldFault::Sleep,
        // Half of the usual margin has room for this.
        WorldFault::Starve(Nanos::millis(7)),
        WorldFault::Starve(Nanos::millis(60)),
        // These two clocks differ by the greatest rate that a cluster bears.
        WorldFault::Clock(4_000),
        WorldFault::Clock(-5_900),
        WorldFault::SetBack(Nanos::seconds(3600)),
    ];
    let disks = [
        WorldFault::SlowDisk(Nanos::millis(30)),
        WorldFault::SlowDisk(Nanos::millis(400)),
        WorldFault::StuckDisk,
        WorldFault::FailedDisk,
    ];
    let weather = [
        WorldFault::Loss(20),
        WorldFault::Loss(80),
        WorldFault::Delay(Nanos::millis(20)),
        WorldFault::Delay(Nanos::millis(150)),
    ];
    let work = [
        WorldFault::Exit(0),
        WorldFault::Exit(1),
        WorldFault::NoExec,
        WorldFault::NoFork,
        WorldFault::Uninterruptible,
        WorldFault::Unready,
        WorldFault::Unhealthy,
        WorldFault::NoHook,
        WorldFault::HungHook,
        WorldFault::SlowNotifier(Nanos::seconds(2)),
    ];
    let files = FILES.map(|(file, ..)| WorldFault::Reload(file));
    let certificates = CERTIFICATES.map(|(wrong, _)| WorldFault::Certificate(wrong));
    let identities = [
        WorldFault::Rotated,
        WorldFault::Upgraded { alone: false },
        WorldFault::Upgraded { alone: true },
        WorldFault::Twin,
        certificates[dice.below(certificates.len() as u64) as usize],
    ];
    let kinds: [&[WorldFault]; 11] = [
        &kills,
        &stops,
        &ways,
        &hosts,
        &disks,
        &weather,
        &work,
        &OPERATORS,
        &CLIENTS,
        &files,
        &identities,
    ];
    let kind = kinds[dice.below(kinds.len() as u64) as usize];
    kind[dice.below(kind.len() as u64) as usize]
}
