//! The page of a run: every control, every kind of run, without an error.

use crate::tried::Tried;
use serde_json::{Value, json};
use std::{ops::ControlFlow, thread, time::Duration};
use suffrage::algorithms::Algorithm;
use suffrage::checker::{Checker, Family};
use suffrage::diagram::TenureDiagram;
use suffrage::model::NetworkClass;
use suffrage::networks::{Ids, Ports, Spec};
use suffrage::page::RunPage;
use suffrage::run::{Run, RunHeader, RunRecorder};
use suffrage::simulator::{Schedule, Simulator};
use suffrage::tenure::exploration::{Budget, Explorer};
use suffrage::tenure::protocol::{bully::Bully, tenure::Tenure};
use suffrage::tenure::simulation::{Faults, Nanos, Simulation};
use suffrage_browser::Preferences;

/// The run of an algorithm on a network.
fn recorded(algorithm: &str, network: &str, schedule: &str) -> Run {
    let topology = network.parse::<Spec>().unwrap().build(3).unwrap();
    let wiring = topology.wire(Ports::Rotation, 3);
    let ids = Ids::Random.assign(wiring.nodes(), 2);
    let header = RunHeader {
        network: network.to_owned(),
        schedule: schedule.to_owned(),
        command: Some(format!("suffrage elect {algorithm} --topology {network}")),
        ..RunHeader::new(algorithm, wiring.clone(), ids.clone())
    };
    let mut recorder = RunRecorder::new(Vec::new(), &header).unwrap();
    let algorithm = Algorithm::named(algorithm).unwrap();
    let simulator = Simulator::new(algorithm, &wiring, &ids);
    let schedule: Schedule = schedule.parse().unwrap();
    simulator.schedule(schedule).observer(&mut recorder).run().unwrap();
    Run::read("a run", recorder.finish().unwrap().as_slice()).unwrap()
}

pub(crate) fn page(algorithm: &str, network: &str, schedule: &str) -> RunPage {
    RunPage::of_run(&recorded(algorithm, network, schedule), None).unwrap()
}

/// The deadlock that the checker finds.
pub(crate) fn counterexample() -> RunPage {
    let algorithm = Algorithm::named("villadangos@published").unwrap();
    let family = Family::everything(NetworkClass::Complete, 3).unwrap();
    let report = Checker::new(algorithm, &family).run().unwrap();
    let (_, found) = report.counterexample.expect("it deadlocks");
    let broken = Some((&found.violation).into());
    RunPage::of_run(&Run::of_execution(algorithm.name, &found.execution, broken), None).unwrap()
}

/// Five members under faults.
pub(crate) fn tenure() -> RunPage {
    let length = Duration::from_secs(8);
    let script = "at 2s for 2s crash leader\nat 5s for 1s suspend leader";
    let simulation = Simulation::<Tenure>::new()
        .members(5)
        .duration(length)
        .faults(Faults::Script(script.parse().unwrap()))
        .seed(3);
    let mut tenures = TenureDiagram::new(5, 0, 0, 10_000).with_everything();
    let report = simulation.watched(&mut tenures, |_| true).unwrap().unwrap();
    assert_eq!(report.violations, []);
    RunPage::of_tenures(tenures, "tenure, 5 members, seed 3".to_owned(), Nanos::seconds(8)).unwrap()
}

#[test]
fn a_run_under_faults_shows_leases_that_run_down_and_faults() {
    let Some(mut tried) = Tried::still() else { return };
    tried.open(&tenure(), "");
    let leaders = |tried: &mut Tried, at: u64| {
        tried.value(&format!("suffrage.goTo({at})"));
        tried.settle();
        let label = tried.value("document.querySelector('#bars').getAttribute('aria-label')");
        (label.as_str().unwrap().to_owned(), tried.text("#faults"))
    };
    assert_eq!(leaders(&mut tried, 0), ("No member holds an office".to_owned(), String::new()));
    let (before, quiet) = leaders(&mut tried, 1900);
    assert!(before.contains("holds office 0 at term") && quiet.is_empty(), "{before}, {quiet}");
    let (after, crash) = leaders(&mut tried, 3500);
    assert!(after.contains("holds office 0 at term") && after != before, "{after}");
    assert!(crash.starts_with("crash leader"), "{crash}");
    // Between two renewals a lease runs down, and the next one fills it.
    let least = "Math.min(...Array.from({ length: 200 }, (_, part) => { const now = 1000 + part; \
                 const [one] = suffrage.views[3].held(now); return one.until - now; }))";
    let least = tried.value(least).as_f64().unwrap();
    let full = tried.value("suffrage.views[3].full").as_f64().unwrap();
    assert!(0.0 < least && least < 0.9 * full, "{least} of {full}");
    tried.press("End");
    let sent = tried.text("#table tr.total td:nth-child(2)").replace(',', "");
    assert_eq!(tried.value("suffrage.run.tenure.flights.length").to_string(), sent);
    tried.no_errors("tenure");
}

/// Three members, two of them leaders, step by step.
fn members() -> RunPage {
    let mut steps = TenureDiagram::of_steps(3);
    let explorer = Explorer::<Bully>::new(3).budget(Budget { rings: 4, ..Budget::default() });
    let report = explorer.run_showing(&mut |_| ControlFlow::Continue(()), &mut steps);
    let violation = report.violation.expect("two lead");
    let page = RunPage::of_steps(steps, "bully, 3 members".to_owned()).unwrap();
    page.breach(violation.promise.unwrap(), violation.detail)
}

#[test]
fn members_are_stepped_through() {
    let Some(mut tried) = Tried::still() else { return };
    tried.open(&members(), "step=0");
    let lives = |tried: &mut Tried| tried.value("suffrage.moment.lives");
    assert_eq!(lives(&mut tried), json!(["has not started", "has not started", "has not started"]));
    assert!(tried.text("#lives").starts_with("has not startedup"), "{}", tried.text("#lives"));
    tried.press("ArrowRight");
    assert_eq!(lives(&mut tried), json!(["up", "up", "up"]));
    assert_eq!(tried.text("#clock"), "step 1 of 6");
    assert!(tried.text("#caption").contains("p0 starts for the first time"));
    tried.press("End");
    let lead = "suffrage.moment.lives.filter((life) => life === 'leads').length";
    assert_eq!(tried.value(lead), json!(2));
    assert!(tried.text("#broken").contains("holds the office"), "{}", tried.text("#broken"));
    assert_eq!(tried.value("document.querySelector('#leases').hidden"), json!(true));
    tried.press("p");
    let state = tried.text("#chosen .state");
    assert!(state.contains("record"), "{state}");
    let words = "[...document.querySelectorAll('#words dt')].filter((word) => getComputedStyle(word).display !== 'none')\
                 .map((word) => word.textContent)";
    tried.press("?");
    let words = tried.value(words).to_string();
    assert!(words.contains("lease, term") && !words.contains("initiator"), "{words}");
    tried.no_errors("members");
}

#[test]
fn a_run_on_each_kind_of_network_is_played_to_its_end() {
    let Some(mut tried) = Tried::still() else { return };
    for (algorithm, network, schedule) in [
        ("chang-roberts", "ring:6", "synchronous"),
        ("franklin", "ring:2", "random"),
        ("humblet", "complete:8", "uniform:5"),
        ("tree-wave", "tree:random:12", "synchronous"),
        ("echo-extinction", "grid:4x5", "exponential:3"),
        ("gallager-humblet-spira", "barabasi-albert:20:2", "random"),
        ("lelann", "ring:1", "synchronous"),
        ("fokkink-pang-a", "ring:5", "random"),
    ] {
        let what = format!("{algorithm} on {network}, {schedule}");
        let run = recorded(algorithm, network, schedule);
        let outcome = run.replay(None).unwrap().outcome;
        tried.open(&RunPage::of_run(&run, None).unwrap(), "");
        assert_eq!(tried.step(), 0, "{what}: it does not move by itself");
        let steps = tried.value("suffrage.run.times.length").as_u64().unwrap();
        for step in 1..=steps.min(40) {
            tried.press("ArrowRight");
            assert_eq!(tried.step(), step, "{what}");
        }
        tried.press("End");
        assert_eq!(tried.step(), steps, "{what}");
        let total = outcome.messages.total();
        assert_eq!(tried.value("suffrage.moment.total"), json!(total), "{what}");
        let leader = outcome.leader.unwrap().node;
        let lives = tried.value("suffrage.moment.lives.map((life) => life.endsWith('leads'))");
        for (node, leads) in lives.as_array().unwrap().iter().enumerate() {
            assert_eq!(*leads, json!(node == leader as usize), "{what}: {node}");
        }
        tried.no_errors(&what);
    }
}

#[test]
fn every_control_does_what_it_says() {
    let Some(mut tried) = Tried::still() else { return };
    tried.open(&page("chang-roberts", "ring:6", "synchronous"), "");
    let steps = tried.value("suffrage.run.times.length").as_u64().unwrap();
    tried.click("#step");
    tried.click("#step");
    assert_eq!(tried.step(), 2);
    tried.click("#back");
    assert_eq!(tried.step(), 1);
    tried.click("#last");
    assert_eq!(tried.step(), steps);
    tried.click("#first");
    assert_eq!(tried.step(), 0);
    assert_eq!(tried.text("#caption"), "Nothing has happened yet.");
    tried.click("#play");
    assert_eq!(tried.value("suffrage.playing"), json!(true));
    tried.click("#play");
    assert_eq!(tried.value("suffrage.playing"), json!(false));
    tried.value(
        "(() => { const it = document.querySelector('#scrub'); it.value = 3; it.dispatchEvent(new Event('input')); })()",
    );
    tried.settle();
    assert_eq!(tried.value("suffrage.moment.cursor > 0 && suffrage.now"), json!(2));
    tried.value(
        "(() => { const it = document.querySelector('#speed'); it.value = '4'; it.dispatchEvent(new Event('change')); })()",
    );
    assert_eq!(tried.value("suffrage.speed"), json!(4));
    let unit = tried.value("suffrage.diagram.unit").as_f64().unwrap();
    tried.click("#closer");
    assert!(tried.value("suffrage.diagram.unit").as_f64().unwrap() > unit);
    tried.click("#further");
    tried.click("#theme");
    assert_eq!(tried.value("document.documentElement.dataset.theme"), json!("dark"));
    tried.click("#theme");
    tried.click("#help");
    assert_eq!(tried.value("document.querySelector('#keys').open"), json!(true));
    tried.click("#keys button");
    assert_eq!(tried.value("document.querySelector('#keys').open"), json!(false));
    // The keyboard, from the canvas, where no button answers itself.
    tried.value("document.querySelector('#network').focus()");
    for (key, step) in
        [("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", steps)]
    {
        tried.press(key);
        assert_eq!(tried.step(), step, "{key}");
    }
    tried.browser.press("ArrowLeft", true).unwrap();
    tried.settle();
    assert_eq!(tried.step(), steps.saturating_sub(10), "ten steps back");
    tried.press(" ");
    assert_eq!(tried.value("suffrage.playing"), json!(true));
    tried.press(" ");
    assert_eq!(tried.value("suffrage.playing"), json!(false));
    tried.press("+");
    assert_eq!(tried.value("suffrage.speed"), json!(8));
    tried.press("-");
    tried.press("p");
    assert_eq!(tried.value("suffrage.chosen.process"), json!(0));
    tried.press("P");
    assert_eq!(tried.value("suffrage.chosen.process"), json!(5));
    tried.press("Home");
    tried.press("ArrowRight");
    tried.press("m");
    assert!(tried.value("suffrage.chosen.message").as_i64().unwrap() >= 0);
    tried.press("Escape");
    assert_eq!(tried.value("suffrage.chosen.message"), json!(-1));
    tried.press("?");
    assert_eq!(tried.value("document.querySelector('#keys').open"), json!(true));
    tried.no_errors("controls");
}

#[test]
fn a_click_shows_a_process_in_its_own_words_and_a_message_with_its_causes() {
    let Some(mut tried) = Tried::still() else { return };
    tried.open(&page("chang-roberts", "ring:6", "synchronous"), "step=3");
    let at = |tried: &mut Tried, canvas: &str, place: &str| {
        let place = tried.value(&format!(
            "(() => {{ const box = document.querySelector('{canvas}').getBoundingClientRect(); \
             const [x, y] = {place}; return [box.x + x, box.y + y]; }})()"
        ));
        tried.browser.click_at(place[0].as_f64().unwrap(), place[1].as_f64().unwrap()).unwrap();
        tried.settle();
    };
    at(&mut tried, "#network", "suffrage.network.at[2]");
    assert_eq!(tried.value("suffrage.chosen.process"), json!(2));
    assert_eq!(tried.value("document.querySelector('#process').value"), json!("2"));
    let state = tried.text("#chosen .state");
    assert!(state.contains("id"), "the variables of the algorithm: {state}");
    assert!(
        tried.value("document.querySelectorAll('#chosen .rows button').length").as_u64() > Some(2)
    );
    // The last message of the longest chain has all the others of it among its causes.
    let middle = "(() => { const d = suffrage.diagram, m = suffrage.run.messages[suffrage.run.chain[1]]; \
                  const [b, e] = d.ends(m); return [(d.laneX(m.from) + d.laneX(m.to)) / 2, (d.y(b) + d.y(e)) / 2]; })()";
    at(&mut tried, "#diagram", middle);
    assert_eq!(tried.value("suffrage.chosen.message === suffrage.run.chain[1]"), json!(true));
    assert_eq!(
        tried.value("suffrage.chosen.cone.causes.messages.has(suffrage.run.chain[0])"),
        json!(true)
    );
    let later = "suffrage.run.chain.slice(2).every((one) => suffrage.chosen.cone.effects.messages.has(one))";
    assert_eq!(tried.value(later), json!(true));
    let both = "[...suffrage.chosen.cone.causes.messages].some((one) => suffrage.chosen.cone.effects.messages.has(one))";
    assert_eq!(tried.value(both), json!(false), "nothing is a cause and an effect");
    // From the list of a process to a message, and from it to its instant.
    tried.press("p");
    tried.click("#chosen .rows li:last-child button");
    tried.no_errors("choosing");
}

#[test]
fn the_invariants_of_the_algorithm_are_shown_holding() {
    let Some(mut tried) = Tried::still() else { return };
    for (algorithm, network) in [("chang-roberts", "ring:6"), ("echo-extinction", "grid:3x3")] {
        tried.open(&page(algorithm, network, "synchronous"), "step=3");
        let names = Algorithm::named(algorithm).unwrap().invariants();
        let shown =
            tried.value("[...document.querySelectorAll('#held li')].map((one) => one.textContent)");
        let shown = shown.as_array().unwrap();
        assert_eq!(shown.len(), names.len(), "{algorithm}");
        for (shown, name) in shown.iter().zip(names) {
            let shown = shown.as_str().unwrap();
            assert!(shown.starts_with(&format!("✓ {name}")), "{algorithm}: {shown}");
        }
    }
    // A broken invariant is marked from the step on at which it breaks.
    tried.value("suffrage.run.about.invariants[0].broken = 2, suffrage.panel.held = null");
    for (key, sign) in [("Home", "✓"), ("End", "✗")] {
        tried.press(key);
        let shown = tried.text("#held li");
        assert!(shown.starts_with(sign), "{key}: {shown}");
        assert_eq!(shown.contains("broken at tick 2"), key == "End", "{key}: {shown}");
    }
    // Under faults nothing is claimed.
    tried.open(&tenure(), "");
    assert_eq!(tried.value("document.querySelector('#invariants').hidden"), json!(true));
    tried.no_errors("invariants");
}

#[test]
fn a_counterexample_says_what_is_broken() {
    let Some(mut tried) = Tried::still() else { return };
    tried.open(&counterexample(), "step=6");
    let broken = tried.text("#broken");
    assert!(broken.starts_with("Broken: "), "{broken}");
    assert_eq!(tried.value("document.querySelector('#broken').hidden"), json!(false));
    tried.press("ArrowLeft");
    assert_eq!(tried.value("document.querySelector('#broken').hidden"), json!(true), "not yet");
    tried.no_errors("a counterexample");
}

#[test]
fn it_is_readable_on_a_phone_in_the_dark_and_on_paper() {
    let Some(mut tried) = Tried::still() else { return };
    let page = page("humblet", "complete:12", "uniform:5");
    tried.browser.resize(390, 800).unwrap();
    tried.open(&page, "step=9");
    assert_eq!(tried.value("document.documentElement.scrollWidth <= innerWidth"), json!(true));
    for dark in [false, true] {
        tried.browser.prefer(Preferences { dark, still: true, print: false }).unwrap();
        tried.settle();
        // The contrast of text and signs with what is behind them (WCAG 2.2: 4.5 for text, 3 for signs).
        let poor = tried.value(CONTRASTS);
        assert_eq!(poor, json!([]), "dark: {dark}");
    }
    tried.browser.prefer(Preferences { dark: true, still: true, print: true }).unwrap();
    tried.settle();
    assert_eq!(
        tried.value("getComputedStyle(document.querySelector('#transport .buttons')).display"),
        json!("none")
    );
    tried.no_errors("a phone");
}

/// The pairs of colours that have too little contrast.
const CONTRASTS: &str = r"(() => {
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    const hex = style.getPropertyValue('--' + name).trim().slice(1);
    const [r, g, b] = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const texts = ['ink', 'soft', 'bad', 'accent', 'cause', 'effect'].flatMap((name) => [[name, 'card', 4.5], [name, 'page', 4.5]]);
  const signs = [0, 1, 2, 3, 4, 5, 6].map((kind) => ['kind' + kind, 'card', 3]);
  return [...texts, ...signs, ['ink', 'changed', 4.5], ['ink', 'follow', 4.5]]
    .map(([a, b, least]) => [a, b, contrast(a, b), least]).filter(([, , found, least]) => found < least);
})()";

#[test]
fn everything_that_can_be_used_has_a_name() {
    let Some(mut tried) = Tried::still() else { return };
    tried.open(&page("chang-roberts", "ring:6", "synchronous"), "step=2&process=1");
    let nameless = "[...document.querySelectorAll('button, select, input, canvas')].filter((one) => \
                    !(one.getAttribute('aria-label') || one.labels?.length || one.textContent.trim())).map((one) => one.outerHTML)";
    assert_eq!(tried.value(nameless), json!([]));
    let label = tried.value("document.querySelector('#network').getAttribute('aria-label')");
    assert!(label.as_str().unwrap().starts_with("Network of 6 processes: "), "{label}");
    tried.no_errors("names");
}

/// A run of a thousand nodes plays; how smoothly, is printed: a test does not rely on a machine's speed.
#[test]
fn a_thousand_nodes_move() {
    let Some(mut tried) = Tried::new(Preferences::default()) else { return };
    for (algorithm, network) in [
        ("chang-roberts", "ring:1000"),
        ("humblet", "complete:1000"),
        ("echo-extinction", "torus:25x40"),
    ] {
        tried.open(&page(algorithm, network, "uniform:5"), "");
        thread::sleep(Duration::from_secs(4));
        let frames = tried.value("suffrage.frames");
        let frames: Vec<f64> =
            frames.as_array().unwrap().iter().filter_map(Value::as_f64).collect();
        assert!(frames.len() > 2, "{algorithm} moves");
        let seconds = (frames[frames.len() - 1] - frames[0]) / 1000.0;
        let rate = (frames.len() - 1) as f64 / seconds;
        println!("{algorithm} on {network}: {rate:.0} frames a second");
        assert!(tried.value("suffrage.now").as_f64().unwrap() > 0.0);
        tried.no_errors(algorithm);
    }
}
