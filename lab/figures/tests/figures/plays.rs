//! Elections whose schedule is chosen step by step.

use suffrage_algorithms::{Algorithm, FORMS};
use suffrage_checker::{CheckVerdict, Checker, Family};
use suffrage_figures::page::RunPage;
use suffrage_figures::play::{Play, PlayError};
use suffrage_figures::run::{Run, RunHeader};
use suffrage_model::{Action, Timing};
use suffrage_networks::{Fault, Ids, Ports, Spec, random::Generator};
use suffrage_simulator::{Adversary, Schedule, Simulator};

fn begun(algorithm: &Algorithm, nodes: u32) -> Play {
    let network = Spec::natural(algorithm.network, nodes);
    let topology = network.build(1).unwrap().fit(algorithm.network).unwrap();
    let wiring = topology.wire(Ports::Rotation, 1);
    let ids = Ids::Random.assign(wiring.nodes(), 1);
    let header = RunHeader::new(algorithm.name, wiring, ids);
    Play::new(RunHeader { schedule: "chosen".to_owned(), ..header }).unwrap()
}

fn named(name: &str) -> &'static Algorithm {
    Algorithm::named(name).unwrap()
}

/// Takes an action at random as long as one is possible.
fn at_random(play: &mut Play, seed: u64) {
    let mut generator = Generator::new(seed, "plays");
    while !play.possible().is_empty() && play.run().actions.len() < 2000 {
        let number = generator.below(play.possible().len() as u64);
        play.take(play.possible()[number as usize]).unwrap();
    }
}

fn read(play: &Play) -> Run {
    Run::read("a play", play.file().as_bytes()).unwrap()
}

#[test]
fn any_choices_elect_a_leader_and_the_file_of_them_is_replayed() {
    for algorithm in Algorithm::asynchronous() {
        let name = algorithm.name;
        let mut play = begun(algorithm, 5);
        assert!(play.outcome().unfinished, "{name}");
        assert!(play.possible().iter().all(|action| matches!(action, Action::Wake(_))), "{name}");
        at_random(&mut play, 7);
        let outcome = play.outcome();
        assert!(play.possible().is_empty() && !outcome.unfinished, "{name}");
        assert!(outcome.violations.is_empty(), "{name}: {:?}", outcome.violations);
        assert!(outcome.agreed && outcome.leader.is_some(), "{name}");
        let run = read(&play);
        assert_eq!(&run.replay(None).unwrap().outcome, outcome, "{name}");
        assert!(run.is_untimed(), "{name}");
    }
}

#[test]
fn what_was_taken_back_happens_again_in_the_same_way() {
    for algorithm in Algorithm::asynchronous() {
        let name = algorithm.name;
        let mut play = begun(algorithm, 4);
        at_random(&mut play, 3);
        let whole = play.run().actions.clone();
        let (file, outcome) = (play.file(), play.outcome().clone());
        let half = whole.len() / 2;
        play.back_to(half as u64).unwrap();
        assert_eq!(play.run().actions, whole[..half], "{name}");
        assert!(play.outcome().unfinished, "{name}");
        for &(_, action) in &whole[half..] {
            play.take(action).unwrap();
        }
        assert_eq!(play.outcome(), &outcome, "{name}: the same numbers are drawn, too");
        assert_eq!(read(&play).actions, Run::read("a play", file.as_bytes()).unwrap().actions);
        play.restart().unwrap();
        assert_eq!(play.file(), begun(algorithm, 4).file(), "{name}");
    }
}

#[test]
fn an_adversary_goes_on_as_the_schedule_of_its_name() {
    for algorithm in Algorithm::asynchronous() {
        for (adversary, schedule) in [
            (Adversary::Newest, Schedule::Newest),
            (Adversary::Oldest, Schedule::Oldest),
            (Adversary::Random(1), Schedule::Random),
        ] {
            let mut play = begun(algorithm, 6);
            let RunHeader { wiring, ids, .. } = play.run().header.clone();
            play.finish(adversary).unwrap();
            let held = Simulator::new(algorithm, &wiring, &ids).schedule(schedule).run().unwrap();
            let outcome = play.outcome();
            assert_eq!(outcome.messages, held.messages, "{} {adversary:?}", algorithm.name);
            assert_eq!(outcome.leader, held.leader, "{} {adversary:?}", algorithm.name);
            assert_eq!(outcome.causal_depth, held.causal_depth, "{}", algorithm.name);
            assert!(play.possible().is_empty() && !outcome.unfinished, "{}", algorithm.name);
        }
    }
}

#[test]
fn the_worst_that_the_checker_finds_can_be_played_and_is_exceeded_by_nobody() {
    for name in ["chang-roberts", "humblet", "echo-extinction", "tree-wave"] {
        let mut play = begun(named(name), 4);
        let found = play.explore(1 << 26).unwrap();
        assert!(matches!(found.verdict, CheckVerdict::Holds), "{name}");
        let costs = found.costs.unwrap().messages;
        for (_, action) in Run::of_execution(name, &found.worst.unwrap(), None).actions {
            play.take(action).unwrap();
        }
        assert_eq!(play.outcome().messages.total(), costs.max, "{name}");
        for seed in 0..20 {
            play.restart().unwrap();
            at_random(&mut play, seed);
            let total = play.outcome().messages.total();
            assert!((costs.min..=costs.max).contains(&total), "{name}: {total}");
        }
    }
}

#[test]
fn a_counterexample_can_be_left_at_any_of_its_steps() {
    let algorithm = named("villadangos@published");
    let family = Family::everything(algorithm.network, 3).unwrap();
    let report = Checker::new(algorithm, &family).threads(1).run().unwrap();
    let (_, found) = report.counterexample.unwrap();
    let run = Run::of_execution(algorithm.name, &found.execution, Some((&found.violation).into()));
    let whole = Play::of(run.clone()).unwrap();
    let breaks = read(&whole).header.breaks.unwrap();
    assert_eq!(breaks.property, found.violation.property.to_string(), "it is that of the file");
    for step in 0..run.actions.len() {
        let mut play = Play::of(run.clone()).unwrap();
        play.back_to(step as u64).unwrap();
        let next = run.actions[step].1;
        assert!(play.possible().contains(&next), "step {step}: {next:?}");
        let other = play.possible().iter().copied().find(|&action| action != next);
        if let Some(other) = other {
            play.take(other).unwrap();
            play.finish(Adversary::Oldest).unwrap();
            assert!(play.possible().is_empty(), "step {step}");
            read(&play).replay(None).unwrap();
        }
    }
}

#[test]
fn faults_are_possible_as_often_as_the_run_allows() {
    let mut header = begun(named("chang-roberts"), 3).run().header.clone();
    header.faults = vec!["loss:1".parse().unwrap()];
    let mut play = Play::new(header.clone()).unwrap();
    play.take(Action::Wake(0)).unwrap();
    let lose = play.possible().iter().copied().find(|one| matches!(one, Action::Lose { .. }));
    play.take(lose.unwrap()).unwrap();
    play.take(Action::Wake(1)).unwrap();
    assert!(!play.possible().iter().any(|one| one.is_fault()), "{:?}", play.possible());
    assert_eq!(read(&play).actions.len(), 3);

    header.faults = vec![Fault::NoFifo];
    let mut play = Play::new(header).unwrap();
    while !play.possible().iter().any(|one| one.is_fault()) {
        play.take(play.possible()[0]).unwrap();
    }
    let overtakes = play.possible().iter().copied().find(|one| one.is_fault()).unwrap();
    play.take(overtakes).unwrap();
    assert!(matches!(read(&play).actions.last(), Some((_, Action::Deliver { overtakes: 1, .. }))));
}

#[test]
fn what_is_not_possible_is_refused_and_changes_nothing() {
    let mut play = begun(named("chang-roberts"), 3);
    let before = play.file();
    for action in [Action::Wake(7), Action::Alarm(0), Action::Crash(0)] {
        assert_eq!(play.take(action), Err(PlayError::NotPossible));
    }
    assert_eq!(play.file(), before);
}

#[test]
fn in_rounds_nothing_is_chosen() {
    for algorithm in Algorithm::all().filter(|row| row.timing == Timing::Rounds) {
        assert_eq!(begun(algorithm, 3).possible(), [], "{}", algorithm.name);
    }
}

#[test]
fn a_page_offers_what_is_possible_with_the_message_of_each_choice() {
    for algorithm in Algorithm::asynchronous().chain(FORMS) {
        let name = algorithm.name;
        if algorithm.timing == Timing::Rounds {
            continue;
        }
        let mut play = begun(algorithm, 4);
        play.take(play.possible()[0]).unwrap();
        let page: serde_json::Value =
            serde_json::from_str(&RunPage::next_of(&play).unwrap().content()).unwrap();
        assert!(page["network"].is_null(), "{name}: the page has it already");
        let choices = page["choices"].as_array().unwrap();
        assert_eq!(choices.len(), play.possible().len(), "{name}");
        for (choice, action) in choices.iter().zip(play.possible()) {
            let Action::Deliver { to, .. } = action else { continue };
            let message = &page["run"]["messages"][choice["message"].as_u64().unwrap() as usize];
            assert_eq!((&message[2], &message[4]), (&to.node.into(), &(-1).into()), "{name}");
            let words = choice["words"].as_str().unwrap();
            assert!(words.contains(message[6].as_str().unwrap()), "{name}: {words}");
        }
        let file = page["file"].as_str().unwrap();
        assert_eq!(Run::read("a page", file.as_bytes()).unwrap().actions, play.run().actions);
    }
}
