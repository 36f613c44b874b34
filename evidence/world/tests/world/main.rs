//! The service in simulated worlds.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use suffrage_world::{WorldPlan, WorldReport, run, shrink};

fn outcome(plan: &WorldPlan) -> WorldReport {
    run(plan, false, &AtomicBool::new(false)).unwrap()
}

fn script(lines: &[&str]) -> WorldPlan {
    WorldPlan::parse(&lines.join("\n")).unwrap()
}

#[test]
fn every_scenario_keeps_the_promises() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 8);
    for path in paths {
        let plan = WorldPlan::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        // With other delays, too.
        for seed in [plan.seed, 1001, 1002] {
            let report = outcome(&WorldPlan { seed, ..plan.clone() });
            assert_eq!(report.broken, [], "{}, seed {seed}", path.display());
            assert!(report.judgements > 0 && report.starts > 1, "{}", path.display());
        }
    }
}

#[test]
fn a_program_does_not_answer_for_what_a_killed_one_has_left() {
    let text = include_str!("../../scenarios/left-behind.txt");
    let report = outcome(&WorldPlan::parse(text).unwrap());
    assert_eq!((report.broken.as_slice(), report.outlived), (&[][..], 1));
}

#[test]
fn a_drawn_world_is_the_same_again_and_as_a_script() {
    let draw = |seed| WorldPlan::draw(seed, 3, Duration::from_secs(300));
    let served = (1..).map(draw).find(|plan| plan.served && plan.to_string().contains(" server "));
    for plan in [draw(7), served.unwrap()] {
        assert!(plan.faults.len() > 5, "{plan}");
        assert_eq!(WorldPlan::parse(&plan.to_string()).unwrap(), plan);
        let (one, other) = (outcome(&plan), outcome(&plan));
        assert_eq!(one.to_string(), other.to_string());
        assert_eq!(one.broken, []);
        assert_ne!(one.events, outcome(&WorldPlan { seed: plan.seed + 1, ..plan }).events);
    }
}

#[test]
fn one_host_and_two_keep_the_promises() {
    for (hosts, seed) in [(1, 1), (1, 2), (1, 5), (2, 1), (2, 2)] {
        let report = outcome(&WorldPlan::draw(seed, hosts, Duration::from_secs(1200)));
        assert_eq!(report.broken, [], "{hosts} hosts, seed {seed}");
        assert!(report.judgements > 25, "{report}");
    }
}

/// The leader is cut off. The clocks of the others are too fast, so that they free its leases too early.
const CLOCKS: [&str; 5] = [
    "seed 4",
    "timing wan",
    "at 10s for 9s clock 500000ppm on follower-1",
    "at 10s for 9s clock 500000ppm on follower-2",
    "at 12s for 5s cut on leader",
];

#[test]
fn the_judge_sees_two_leaders_where_clocks_go_beyond_their_bound() {
    let report = outcome(&script(&CLOCKS));
    let broken: Vec<_> = report.broken.iter().map(|(_, why)| &**why).collect();
    let [two, certain] = *broken.as_slice() else { panic!("{broken:?}") };
    assert!(two.starts_with("two commands lived at once: term "), "{two}");
    assert!(
        certain.starts_with("two led at once: term ") && certain.contains(" was certain"),
        "{certain}"
    );
}

#[test]
fn the_judge_sees_that_nobody_leads_where_a_majority_has_lost_its_records() {
    let lost = ["at 10s for 3s crash lost on 0", "at 10s for 3s crash lost on 1"];
    let report = outcome(&script(&lost));
    let [(_, why)] = report.broken.as_slice() else { panic!("{report}") };
    assert_eq!(why, "COMMAND acts on 0 hosts");
}

#[test]
fn a_world_that_breaks_a_promise_is_shrunk_to_the_faults_that_it_takes() {
    let more = ["at 1s resign on leader", "at 25s quit on leader", "at 5s exit 1 on follower-1"];
    let plan = script(&[&CLOCKS[..], &more].concat());
    let (least, seen) = shrink(&plan, &AtomicBool::new(false)).unwrap();
    assert_eq!(least.faults, script(&CLOCKS).faults);
    let again = WorldPlan::parse(&least.to_string()).unwrap();
    assert_eq!(outcome(&again).broken, seen.broken);
    assert!(!seen.broken.is_empty());
}

#[test]
fn steps_for_real_hosts_say_how_long_faults_may_have_effect_and_when_all_should_be_well() {
    let steps = script(&[
        "at 10s for 4s cut on 1",
        "at 12s exit 1 on leader",
        "at 100s rotated",
        "at 200s for 1s removed on follower-1",
    ])
    .steps();
    let steps: Vec<&str> = steps.lines().skip_while(|line| !line.ends_with("well")).collect();
    assert_eq!(
        steps,
        [
            "5000 well",
            "10000 begin 0 1 15000 cut",
            // Its host pauses before it stands again.
            "12000 once 1 leader 45000 exit 1",
            "14000 end 0 1 15000 cut",
            "57000 well",
            // No leader changes for it.
            "100000 once 2 0 0 rotated",
            "115000 well",
            "200000 begin 3 follower-1 15000 removed",
            "201000 end 3 follower-1 15000 removed",
            "216000 well",
        ]
    );
}

#[test]
fn a_script_that_cannot_be_read_is_refused_with_its_line() {
    let wrong = [
        ("hosts 0", "line 1: there are 1 to 9 hosts"),
        ("\ntiming slow", "line 2: \"slow\" is no timing: write lan or wan"),
        (
            "leads x",
            "line 1: \"leads x\": write seed, hosts, timing, stop, disk, lead, lead-0, served or a fault (at 2s ..)",
        ),
        ("disk fast", "line 1: \"fast\" is no duration; write 250ms, 1.5s or the like"),
        ("at 2 quit on 0", "line 1: \"2\" is no duration; write 250ms, 1.5s or the like"),
        (
            "at 2s kill cat on 0",
            "line 1: \"cat\" is none of program, loop, member, guard, keeper, command, program-and-guard, all, notifier, client, server",
        ),
        (
            "at 2s quit",
            "line 1: quit: name a host (on 1, on leader) for faults of one host, and no other",
        ),
        (
            "at 2s for 1s quit on 0",
            "line 1: quit: give a duration (for 2s) to faults that last, and to no other",
        ),
        ("at 2s crash on 3", "line 1: \"3\": there are 3 hosts, from 0 on"),
        ("at 2s for 1s loss 101%", "line 1: from 0% to 100% can be lost"),
        ("at 2s for 1s burn on 1", "line 1: there is no fault \"burn\""),
    ];
    for (text, why) in wrong {
        assert_eq!(format!("{:#}", WorldPlan::parse(text).unwrap_err()), why);
    }
    let refused = run(&script(&["lead --margin 1h"]), false, &AtomicBool::new(false));
    assert!(refused.unwrap_err().to_string().starts_with("--margin 1h: "));
}
