//! Every fault does what it says.

use crate::landlord::*;
use std::collections::BTreeMap;
use std::time::Duration;
use tenure_model::{Memory, Peer, Recoverable};
use tenure_simulation::{
    ClusterEvent, FaultKind, FaultScript, Faults, Nanos, Profile, Simulation,
    SimulationDescription, SimulationReport, SimulationTracer, SimulationWatch, TimedFault,
};

/// A landlord and two tenants, ten seconds, messages that take a millisecond.
fn three() -> Simulation<Landlord<SOUND>> {
    Simulation::new()
        .members(3)
        .heartbeat(Duration::from_millis(20))
        .lease(Duration::from_millis(100))
        .profile(Profile::Fixed(Nanos::millis(1)))
        .duration(Duration::from_secs(10))
}

/// Remembers what happened, in a few words each.
#[derive(Default)]
struct Diary(Vec<(u64, String)>);

impl<P: Recoverable> SimulationWatch<P> for Diary {
    fn event(&mut self, at: Nanos, event: ClusterEvent<'_, P>) {
        let words = match event {
            ClusterEvent::Start(Peer(p), Memory::New) => format!("{p} starts"),
            ClusterEvent::Start(Peer(p), Memory::Kept) => format!("{p} recovers"),
            ClusterEvent::Start(Peer(p), Memory::Lost) => {
                format!("{p} recovers without its record")
            }
            ClusterEvent::Crash(Peer(p)) => format!("{p} crashes"),
            ClusterEvent::Suspend(Peer(p)) => format!("{p} stands still"),
            ClusterEvent::Resume(Peer(p)) => format!("{p} goes on"),
            ClusterEvent::Ring(Peer(p), _, late) if late > 1_000_000 => {
                format!("{p} rings late")
            }
            ClusterEvent::Holds(Peer(p), ..) => format!("{p} holds"),
            ClusterEvent::Loses(Peer(p), ..) => format!("{p} loses"),
            ClusterEvent::Receive(from, to, _) => format!("{} hears {}", to.0, from.0),
            ClusterEvent::Lose(from, to, _) => format!("{} misses {}", to.0, from.0),
            ClusterEvent::Duplicate(..) => "twice".to_owned(),
            ClusterEvent::Synced(Peer(p)) => format!("{p} syncs"),
            _ => return,
        };
        self.0.push((at.0 / 1_000_000, words));
    }
}

impl Diary {
    /// When something happened, in milliseconds.
    fn when(&self, words: &str) -> Vec<u64> {
        self.0.iter().filter(|(_, said)| said == words).map(|&(at, _)| at).collect()
    }

    fn between(&self, words: &str, from: u64, to: u64) -> usize {
        self.when(words).iter().filter(|&&at| (from..to).contains(&at)).count()
    }
}

fn run(script: &str) -> (SimulationReport, Diary) {
    let mut diary = Diary::default();
    let simulation = three().faults(script.parse::<FaultScript>().unwrap());
    let report = simulation.watched(&mut diary, |_| true).unwrap().unwrap();
    (report, diary)
}

fn first_holder(diary: &Diary) -> &'static str {
    if diary.when("1 holds").first() < diary.when("2 holds").first()
        && !diary.when("1 holds").is_empty()
        || diary.when("2 holds").is_empty()
    {
        "1"
    } else {
        "2"
    }
}

#[test]
fn a_crashed_leader_is_replaced_and_recovers() {
    let (report, diary) = run("at 2s for 1s crash leader");
    let old = first_holder(&diary);
    let new = if old == "1" { "2" } else { "1" };
    assert_eq!(diary.when(&format!("{old} crashes")), [2000]);
    assert_eq!(diary.when(&format!("{old} loses")), [2000]);
    assert_eq!(diary.when(&format!("{old} recovers")), [3000]);
    let won = diary.when(&format!("{new} holds"))[0];
    assert!((2080..2200).contains(&won), "{won}");
    assert_eq!((report.tenures, report.crashes), (2, 1));
    assert_eq!(report.vacancies["crash"].len(), 1);
    assert_eq!(report.violations, []);
}

#[test]
fn a_lost_record_is_told_to_the_process() {
    let (_, diary) = run("at 2s for 1s crash 2 lost");
    assert_eq!(diary.when("2 recovers without its record"), [3000]);
}

#[test]
fn a_suspended_leader_loses_its_tenure_on_time_and_rings_late_when_it_goes_on() {
    let (report, diary) = run("at 2s for 1s suspend leader");
    let old = first_holder(&diary);
    let lost = diary.when(&format!("{old} loses"))[0];
    assert!((2080..2101).contains(&lost), "{lost}");
    assert_eq!(diary.when(&format!("{old} goes on")), [3000]);
    assert!(diary.between(&format!("{old} rings late"), 3000, 3001) >= 40);
    assert_eq!(diary.between(&format!("{old} hears 0"), 2001, 3000), 0);
    assert_eq!(report.violations, []);
}

#[test]
fn a_slow_disk_holds_back_what_was_sent() {
    // The landlord writes when it lets to a new tenant.
    let script = r#"
        at 1s for 8s slow-disk 0 300ms
        at 2s for 7s crash leader"#;
    let (report, diary) = run(script);
    let new = if first_holder(&diary) == "1" { "2" } else { "1" };
    let synced = diary.when("0 syncs")[2];
    let won = diary.when(&format!("{new} holds"))[0];
    assert!((2380..2500).contains(&synced), "{synced}");
    assert!(won >= synced);
    // Three foundings, and two lettings.
    assert_eq!(report.syncs, 5);
}

#[test]
fn a_stuck_disk_syncs_when_it_is_repaired() {
    let script = r#"
        at 1s for 4s stuck-disk 0
        at 2s for 7s crash leader"#;
    let (_, diary) = run(script);
    assert!(diary.when("0 syncs")[2] >= 5000);
}

#[test]
fn a_disk_that_fails_is_a_crash_at_the_next_write() {
    let script = r#"
        at 1s for 4s failed-disk 0
        at 2s for 7s crash leader"#;
    let (report, diary) = run(script);
    let crashed = diary.when("0 crashes")[0];
    assert!((2080..2200).contains(&crashed), "{crashed}");
    assert_eq!(diary.when("0 recovers"), [5000]);
    assert_eq!(report.crashes, 2);
}

#[test]
fn cuts_cut_exactly_their_links() {
    let heard = |fault: &str| {
        let (_, diary) = run(&format!("at 2s for 1s {fault}"));
        let mut heard = Vec::new();
        for pair in ["0 hears 1", "1 hears 0", "0 hears 2", "2 hears 0"] {
            if diary.between(pair, 2150, 3000) > 0 {
                heard.push(pair);
            }
        }
        (heard, first_holder(&diary).to_owned())
    };
    let (all, first) = heard("cut 1-2");
    assert!(all.contains(&"0 hears 1") && all.contains(&"0 hears 2"));
    let (split, _) = heard("split 0 1 | 2");
    assert_eq!(split, ["0 hears 1", "1 hears 0"]);
    let (bridge, _) = heard("bridge 1 | 0 | 2");
    assert_eq!(bridge, ["0 hears 1", "1 hears 0"]);
    let (chain, _) = heard("chain 0 2 1");
    assert_eq!(chain, ["0 hears 2", "2 hears 0"]);
    let (star, _) = heard("star 2");
    assert_eq!(star, ["0 hears 2", "2 hears 0"]);
    let (cut, _) = heard("cut 2 in");
    assert_eq!(cut, ["0 hears 1", "1 hears 0", "0 hears 2"]);
    let (one_way, _) = heard(&format!("one-way 0 > {first}"));
    assert!(one_way.contains(&format!("0 hears {first}").as_str()));
    assert!(!one_way.contains(&format!("{first} hears 0").as_str()));
}

#[test]
fn a_flapping_link_comes_and_goes() {
    let (_, diary) = run("at 2s for 1s flapping 100ms split 0 | 1 2");
    for i in 0..5 {
        let cut = 2000 + 200 * i;
        assert_eq!(diary.between("0 hears 1", cut + 2, cut + 100), 0);
        assert!(diary.between("0 hears 1", cut + 100, cut + 200) > 0);
    }
    assert!(diary.between("0 hears 1", 3002, 3200) > 5);
}

#[test]
fn messages_are_lost_doubled_and_delayed() {
    let (_, diary) = run("at 2s for 5s loss 50%");
    let lost = diary.between("0 misses 1", 2000, 7000);
    assert!((90..160).contains(&lost), "{lost} of 250");
    assert_eq!(diary.between("0 misses 1", 100, 2000), 0);
    let (_, diary) = run("at 2s for 5s duplicate 50%");
    assert!(diary.between("twice", 2000, 7000) > 200);
    let (report, _) = run("at 2s for 5s delay 500ms");
    // Leases of 100 ms do not survive round trips of a second.
    assert!(report.vacancies["delay"].iter().any(|&nanos| nanos > 4_000_000_000));
}

#[test]
fn late_messages_are_overtaken() {
    let (report, diary) = run("at 2s for 5s overtake 50% 1s");
    assert!(diary.between("0 hears 1", 7100, 8000) > 0);
    assert_eq!(report.violations, []);
}

#[test]
fn a_leader_that_resigns_stops_working_and_is_replaced_within_milliseconds() {
    let (report, _) = run("at 2s for 1s resign leader");
    let vacancy = report.vacancies["resign"][0];
    assert!(vacancy < 25_000_000, "{vacancy}");
    assert_eq!(report.needless, 0);
}

#[test]
fn a_run_is_the_same_from_its_description() {
    let regions = "a b\na 0.25 20.125\nb 20.125 0.25\n".parse().unwrap();
    for profile in [Profile::LAN, Profile::Regions(regions)] {
        let run = three().faults(Faults::all()).profile(profile).seed(5);
        let described = serde_json::to_string(&SimulationDescription::of(&run).unwrap()).unwrap();
        let again: SimulationDescription = serde_json::from_str(&described).unwrap();
        assert_eq!(again.simulation::<Landlord<SOUND>>().run(), run.run(), "{described}");
    }
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_one_another() {
    let hostile = |seed| {
        let mut trace =
            SimulationTracer::new(Vec::new(), &BTreeMap::from([("seed", seed)])).unwrap();
        let simulation = three().faults(Faults::all()).seed(seed);
        let report = simulation.watched(&mut trace, |_| true).unwrap();
        (report, trace.finish().unwrap())
    };
    assert_eq!(hostile(1), hostile(1));
    assert_ne!(hostile(1), hostile(2));
    let others: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| hostile(1))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(others.into_iter().all(|other| other == hostile(1)));
}

#[test]
fn a_drawn_script_can_be_given_again() {
    let drawn = three().faults(Faults::all()).seed(5);
    let script = drawn.script().unwrap();
    assert!(!script.0.is_empty());
    let again: FaultScript = script.to_string().parse().unwrap();
    assert_eq!(drawn.clone().faults(again).run(), drawn.run());
}

#[test]
fn every_kind_is_drawn() {
    let drawn = |kind| {
        let simulation = three().duration(Duration::from_secs(100)).faults(Faults::of(&[kind]));
        simulation.script().unwrap().0
    };
    for kind in FaultKind::ALL.into_iter().chain(FaultKind::BEYOND) {
        let entries: Vec<TimedFault> = drawn(kind);
        assert!(!entries.is_empty(), "{kind}");
        for entry in entries.iter().filter(|entry| entry.fault.name() != "backup") {
            let name = entry.fault.name();
            match kind {
                FaultKind::Flapping => assert!(entry.flapping.is_some()),
                FaultKind::ClockBeyond => assert_eq!(name, "clock"),
                kind => assert_eq!(name, kind.name()),
            }
            assert!(entry.at < Nanos::seconds(80));
        }
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let error = |simulation: Simulation<Landlord<SOUND>>| simulation.run().unwrap_err().to_string();
    assert!(error(three().members(0)).contains("at least one member"));
    assert!(error(three().witnesses(4)).contains("more than 3 members"));
    assert!(error(three().offices(0)).contains("offices"));
    assert!(error(three().lease(Duration::from_millis(10))).contains("shorter than a heartbeat"));
    assert!(error(three().clients(5000)).contains("at most 4096"));
    let script: FaultScript = "at 1s crash 3".parse().unwrap();
    assert_eq!(
        error(three().faults(script)),
        "at 1s crash 3: there is no participant 3; they are 0 to 2"
    );
}
