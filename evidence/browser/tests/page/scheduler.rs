//! The page on which its reader is the scheduler, with the program that answers it.
//!
//! Skipped where the program is not built: `cargo xtask page` builds it.

use crate::tried::Tried;
use serde_json::json;
use std::path::Path;
use std::{env, fs};
use suffrage::algorithms::{Algorithm, FORMS};
use suffrage::checker::{Checker, Family};
use suffrage::model::{Action, Id, Timing};
use suffrage::networks::wiring::Wiring;
use suffrage::page::RunPage;
use suffrage::play::Play;
use suffrage::run::{Run, RunHeader};

/// The program, as `cargo xtask page` builds it.
const PROGRAM: &str = "../../target/wasm32-wasip1/page/suffrage-playground.wasm";

/// A browser and the program. If one is missing, returns `None` and says so.
pub(crate) fn with_program() -> Option<(Tried, Vec<u8>)> {
    let program = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(PROGRAM));
    let Ok(program) = program else {
        eprintln!("skipped: the program of the page is not built; `cargo xtask page` builds it");
        return None;
    };
    Some((Tried::still()?, program))
}

pub(crate) fn begun(algorithm: &str, wiring: Wiring, ids: &[u64]) -> Play {
    let ids = ids.iter().copied().map(Id::new).collect();
    let header = RunHeader::new(algorithm, wiring, ids);
    Play::new(RunHeader { schedule: "chosen".to_owned(), ..header }).unwrap()
}

fn ring() -> Play {
    begun("chang-roberts", Wiring::ring(4), &[4, 3, 2, 1])
}

impl Tried {
    pub(crate) fn open_play(&mut self, play: &Play, program: &[u8], fragment: &str) {
        let page = RunPage::of_play(play, None).unwrap().program(program.to_vec());
        self.open(&page, fragment);
        self.answered();
    }

    /// Waits until the program has answered everything.
    pub(crate) fn answered(&mut self) {
        self.value(
            "(async () => { const { program, explorer } = suffrage.scheduler; let last; \
             const now = () => Promise.all([program.last, explorer.last]); \
             do { last = [program.last, explorer.last].slice(); await now(); await new Promise((go) => setTimeout(go, 30)); } \
             while (last[0] !== program.last || last[1] !== explorer.last); })()",
        );
        self.settle();
    }

    /// Clicks, and waits for the answer.
    pub(crate) fn choose(&mut self, selector: &str) {
        self.click(selector);
        self.answered();
    }

    fn click_network(&mut self, place: &str) {
        let place = self.value(&format!(
            "(() => {{ document.querySelector('#network').scrollIntoView({{ block: 'center' }}); \
             const box = document.querySelector('#network').getBoundingClientRect(); \
             const [x, y] = {place}; return [box.x + x, box.y + y]; }})()"
        ));
        let (x, y) = (place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
        self.browser.click_at(x, y).unwrap();
        self.answered();
    }

    /// The run as the page would save it.
    fn run(&mut self) -> Run {
        let file = self.value("suffrage.scheduler.run.file");
        Run::read("the page", file.as_str().unwrap().as_bytes()).unwrap()
    }

    fn actions(&mut self) -> Vec<Action> {
        self.run().actions.into_iter().map(|(_, action)| action).collect()
    }

    /// The number of buttons in the list of choices.
    fn offered(&mut self) -> usize {
        self.value("document.querySelectorAll('#choices button').length").as_u64().unwrap() as usize
    }

    fn refused(&mut self) -> String {
        let hidden = self.value("document.querySelector('#refused').hidden");
        if hidden == json!(true) { String::new() } else { self.text("#refused") }
    }
}

#[test]
fn a_page_without_the_program_has_no_scheduler() {
    let Some(mut tried) = Tried::still() else { return };
    tried.open(&RunPage::of_play(&ring(), None).unwrap(), "");
    assert_eq!(tried.value("document.querySelector('#scheduler').hidden"), json!(true));
    tried.no_errors("no program");
}

#[test]
fn a_reader_chooses_what_happens_next_in_the_network_and_in_the_list() {
    let Some((mut tried, program)) = with_program() else { return };
    let mut play = ring();
    tried.open_play(&play, &program, "");
    assert_eq!(tried.offered(), 4, "every process may wake");
    // A click on a process that sleeps wakes it.
    tried.click_network("suffrage.network.at[2]");
    play.take(Action::Wake(2)).unwrap();
    assert_eq!(tried.actions(), [Action::Wake(2)]);
    assert_eq!(tried.offered(), play.possible().len());
    // A click on a message delivers it.
    tried.click_network("suffrage.network.spots[0].slice(0, 2)");
    let deliver =
        *play.possible().iter().find(|one| matches!(one, Action::Deliver { .. })).unwrap();
    play.take(deliver).unwrap();
    assert_eq!(tried.actions(), [Action::Wake(2), deliver]);
    // And so does its row in the list.
    while let Some(&next) = play.possible().last() {
        tried.choose("#choices li:last-child button");
        play.take(next).unwrap();
    }
    assert_eq!(tried.offered(), 0);
    let again = tried.run().replay(None).unwrap().outcome;
    assert_eq!(&again, play.outcome(), "the program is the library");
    let outcome = tried.text("#outcome");
    assert!(outcome.contains("leads"), "{outcome}");
    let sent = play.outcome().messages.total();
    assert!(tried.text("#score").starts_with(&format!("{sent} messages · ")));
    tried.no_errors("choices");
}

#[test]
fn every_control_of_the_scheduler_does_what_it_says() {
    let Some((mut tried, program)) = with_program() else { return };
    tried.open_play(&ring(), &program, "");
    assert_eq!(tried.value("document.querySelector('#undo').disabled"), json!(true));
    tried.choose("#random");
    tried.choose("#random");
    assert_eq!(tried.actions().len(), 2);
    tried.choose("#undo");
    assert_eq!(tried.actions().len(), 1);
    tried.value("document.querySelector('#network').focus()");
    tried.press("r");
    tried.answered();
    tried.press("u");
    tried.answered();
    let one = tried.actions();
    assert_eq!(one.len(), 1);
    for adversary in ["random", "newest", "oldest"] {
        tried.value(&format!("document.querySelector('#adversary').value = '{adversary}'"));
        tried.choose("#finish");
        let run = tried.run();
        let outcome = run.replay(None).unwrap().outcome;
        assert!(!outcome.unfinished && outcome.agreed, "{adversary}");
        assert_eq!(tried.value("document.querySelector('#finish').disabled"), json!(true));
        // From an instant before the end on, the reader chooses again.
        tried.press("Home");
        tried.press("ArrowRight");
        assert_eq!(tried.offered(), 0, "it is past");
        tried.choose("#from-here");
        assert_eq!(tried.actions(), one, "{adversary}");
    }
    tried.choose("#restart");
    assert_eq!(tried.actions(), []);
    // What is saved is the run.
    tried.choose("#random");
    tried.value("URL.createObjectURL = (blob) => { window.saved = blob; return 'data:,'; }, 0");
    tried.click("#save");
    let saved = tried.value("window.saved.text()");
    assert_eq!(saved, tried.value("suffrage.scheduler.run.file"));
    let nameless = "[...document.querySelectorAll('#scheduler :is(button, select, input)')].filter((one) => \
                    !(one.labels?.length || one.textContent.trim())).map((one) => one.outerHTML)";
    assert_eq!(tried.value(nameless), json!([]));
    tried.no_errors("controls");
}

#[test]
fn the_score_is_beside_the_exact_worst_case_which_can_be_shown() {
    let Some((mut tried, program)) = with_program() else { return };
    let play = ring();
    let costs = play.explore(1 << 26).unwrap().costs.unwrap().messages;
    tried.open_play(&play, &program, "");
    let score = tried.text("#score");
    let worst = format!("worst of all schedules {}, best {}", costs.max, costs.min);
    assert!(score.contains(&worst), "{score}");
    assert!(!score.contains("you have found"), "{score}");
    tried.choose("#show-worst");
    let outcome = tried.run().replay(None).unwrap().outcome;
    assert_eq!(outcome.messages.total(), costs.max);
    assert!(tried.text("#score").contains("you have found a worst one"));
    tried.no_errors("worst case");
}

#[test]
fn another_election_is_chosen_or_opened_and_mistakes_are_said() {
    let Some((mut tried, program)) = with_program() else { return };
    tried.open_play(&ring(), &program, "");
    tried.value("document.querySelector('#new').open = true");
    let set = |tried: &mut Tried, id: &str, value: &str| {
        tried.value(&format!(
            "(() => {{ const it = document.querySelector('#{id}'); it.value = {value:?}; \
             it.dispatchEvent(new Event('change')); }})()"
        ));
    };
    set(&mut tried, "algorithm", "tree-wave");
    assert_eq!(tried.value("document.querySelector('#topology').value"), json!("tree:random:6"));
    for (field, wrong, said) in [
        ("topology", "ring:6", "tree"),
        ("topology", "tree:random:501", "at most 500"),
        ("topology", "rings", "rings"),
        ("ids", "1 2", "the network has 5 nodes"),
        ("ids", "1 2 2 3 4", "2"),
        ("initiators", "9", "numbered from 0 to 4"),
        ("new-faults", "loss:10%", "as in loss:1"),
        ("new-faults", "fire", "fire"),
    ] {
        set(&mut tried, "topology", "path:5");
        set(&mut tried, field, wrong);
        tried.choose("#new-form button");
        let refused = tried.refused();
        assert!(refused.contains(said), "{field} {wrong}: {refused}");
        set(&mut tried, field, "");
    }
    set(&mut tried, "topology", "path:5");
    set(&mut tried, "ids", "3, 1, 5, 2, 4");
    set(&mut tried, "initiators", "0 4");
    tried.choose("#new-form button");
    assert_eq!(tried.refused(), "");
    let run = tried.run();
    assert_eq!(run.header.algorithm, "tree-wave");
    assert_eq!(run.header.ids.iter().map(|id| id.get()).collect::<Vec<_>>(), [3, 1, 5, 2, 4]);
    assert_eq!(run.header.initiators, Some(vec![0, 4]));
    assert_eq!(tried.offered(), 2);
    assert_eq!(tried.value("suffrage.network.at.length"), json!(5), "the network is another one");
    // Two files: the first is no run, the second is one.
    let open = |tried: &mut Tried, text: &str| {
        tried.value(&format!(
            "(() => {{ const files = new DataTransfer(); files.items.add(new File([{text:?}], 'run.jsonl')); \
             const it = document.querySelector('#open'); it.files = files.files; \
             it.dispatchEvent(new Event('change')); }})()"
        ));
        tried.answered();
        tried.answered();
    };
    open(&mut tried, "no run");
    assert!(tried.refused().contains("line 1"), "{}", tried.refused());
    let (file, found) = deadlock();
    open(&mut tried, &file);
    assert_eq!(tried.refused(), "");
    assert_eq!(tried.actions(), found);
    assert!(tried.text("#broken").starts_with("Broken: "));
    tried.no_errors("another election");
}

#[test]
fn faults_strike_where_a_reader_clicks() {
    let Some((mut tried, program)) = with_program() else { return };
    let mut play = ring();
    tried.open_play(&play, &program, "");
    assert_eq!(tried.value("document.querySelector('#strikes').hidden"), json!(true), "none may");
    let begin = "suffrage.scheduler.begin({ begin: { algorithm: 'chang-roberts', network: 'ring:4', \
                 ids: '4 3 2 1', faults: 'loss:1, duplicate:1 crash:1' } }, true)";
    tried.value(begin);
    tried.answered();
    let offers = |tried: &mut Tried| {
        tried.value("[...document.querySelectorAll('#click-strikes option')].filter((one) => !one.disabled).map((one) => one.value)")
    };
    assert_eq!(offers(&mut tried), json!(["next", "crash"]), "no message is under way yet");
    let header = RunHeader { faults: tried.run().header.faults, ..play.run().header.clone() };
    play = Play::new(header).unwrap();
    let mut click = |tried: &mut Tried, does: &str, place: &str, then: Action| {
        tried.value(&format!(
            "(() => {{ const it = document.querySelector('#click-strikes'); it.value = '{does}'; \
             it.dispatchEvent(new Event('change')); }})()"
        ));
        tried.click_network(place);
        play.take(then).unwrap();
        assert_eq!(tried.refused(), "");
        assert_eq!(
            tried.actions(),
            play.run().actions.iter().map(|&(_, one)| one).collect::<Vec<_>>()
        );
    };
    // Where the message of the first choice of a kind is.
    let struck = |what: &str| {
        format!(
            "(() => {{ const {{ message }} = suffrage.run.choices.find((one) => one.what === '{what}'); \
             return suffrage.network.spots.find((one) => one[2].number === message).slice(0, 2); }})()"
        )
    };
    click(&mut tried, "next", "suffrage.network.at[0]", Action::Wake(0));
    let arrives = |play: &Play| {
        play.possible().iter().find_map(|one| match *one {
            Action::Deliver { to, .. } => Some(to),
            _ => None,
        })
    };
    let to = arrives(&Play::of(tried.run()).unwrap()).expect("a message is under way");
    assert_eq!(offers(&mut tried), json!(["next", "lose", "duplicate", "crash"]));
    click(&mut tried, "duplicate", &struck("duplicate"), Action::Duplicate { to });
    click(&mut tried, "lose", &struck("lose"), Action::Lose { to });
    click(&mut tried, "crash", "suffrage.network.at[3]", Action::Crash(3));
    assert_eq!(
        tried.value("document.querySelector('#strikes').hidden"),
        json!(true),
        "all have struck"
    );
    tried.no_errors("faults that strike");
}

/// A deadlock that the checker finds, as a file, and its actions.
fn deadlock() -> (String, Vec<Action>) {
    let algorithm = Algorithm::named("villadangos@published").unwrap();
    let family = Family::everything(algorithm.network, 3).unwrap();
    let report = Checker::new(algorithm, &family).threads(1).run().unwrap();
    let (_, found) = report.counterexample.unwrap();
    let broken = Some((&found.violation).into());
    let run = Run::of_execution(algorithm.name, &found.execution, broken);
    let actions = run.actions.iter().map(|&(_, action)| action).collect();
    (Play::of(run).unwrap().file(), actions)
}

#[test]
fn a_counterexample_is_explored_from_one_of_its_steps() {
    let Some((mut tried, program)) = with_program() else { return };
    let (file, found) = deadlock();
    let play = Play::of(Run::read("a file", file.as_bytes()).unwrap()).unwrap();
    tried.open_play(&play, &program, "step=3");
    assert_eq!(tried.step(), 3);
    let said = tried.text("#score");
    assert!(said.contains("a schedule breaks"), "{said}");
    tried.choose("#from-here");
    assert_eq!(tried.actions(), found[..3]);
    assert_eq!(tried.value("document.querySelector('#broken').hidden"), json!(true));
    tried.choose("#choices li:first-child button");
    assert_eq!(tried.actions()[..3], found[..3]);
    assert_eq!(tried.actions().len(), 4);
    tried.choose("#show-worst");
    let broken = tried.run().replay(None).unwrap().reproduced;
    assert_eq!(broken, Some(true), "what the program's checker finds");
    tried.no_errors("a counterexample");
}

#[test]
fn every_algorithm_without_rounds_elects_in_the_page() {
    let Some((mut tried, program)) = with_program() else { return };
    tried.open_play(&ring(), &program, "");
    let all = Algorithm::asynchronous().chain(FORMS);
    let names: Vec<_> =
        all.filter(|row| row.timing == Timing::Asynchronous).map(|row| row.name).collect();
    let offered =
        tried.value("[...document.querySelectorAll('#algorithm option')].map((one) => one.value)");
    let mut offered: Vec<_> =
        offered.as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    offered.sort_unstable();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(offered, sorted);
    for row in Algorithm::asynchronous() {
        let name = row.name;
        let led = tried.value(&format!(
            "(async () => {{ const ask = (question) => suffrage.scheduler.program.ask(question); \
             const row = (await ask('catalogue')).find((one) => one.name === {name:?}); \
             const begun = await ask({{ begin: {{ algorithm: {name:?}, network: row.network }} }}); \
             const ended = await ask({{ play: {{ run: begun.file, finish: 'random', seed: 5 }} }}); \
             return [ended.about.outcome, ended.about.broken, ended.choices.length]; }})()"
        ));
        assert!(led[0].as_str().unwrap().contains(" leads, after "), "{name}: {led}");
        assert_eq!((&led[1], &led[2]), (&json!([]), &json!(0)), "{name}");
    }
    tried.no_errors("every algorithm");
}

#[test]
fn links_are_cut_and_members_suspended_by_a_click() {
    let Some((mut tried, program)) = with_program() else { return };
    tried.open_play(&ring(), &program, "");
    tried.value("document.querySelector('#members-new').open = true");
    tried.choose("#tenure-form button");
    assert_eq!(tried.refused(), "");
    assert_eq!(tried.value("suffrage.network.at.length"), json!(5));
    assert_eq!(tried.value("document.querySelector('#choosing').hidden"), json!(true));
    let holder = |tried: &mut Tried, at: u64| {
        tried.value(&format!("suffrage.goTo({at})"));
        tried.settle();
        tried.value("suffrage.leases.held(suffrage.now).map((one) => one.peer)")
    };
    let first = holder(&mut tried, 3000);
    assert_eq!(first.as_array().unwrap().len(), 1, "one leads: {first}");
    let first = first[0].as_u64().unwrap();
    let before = |tried: &mut Tried| {
        tried.value("JSON.stringify(suffrage.run.tenure.flights.filter((one) => one[4] >= 0 && one[4] < 3000))")
    };
    let past = before(&mut tried);
    // The holder is suspended: another one follows, and what came before is as it was.
    tried.click_network(&format!("suffrage.network.at[{first}]"));
    assert_eq!(tried.refused(), "");
    assert_eq!(tried.value("suffrage.run.end"), json!(18000));
    assert_eq!(tried.value("suffrage.now"), json!(3000));
    assert_eq!(before(&mut tried), past);
    let script = tried.value("suffrage.scheduler.faults.script");
    assert_eq!(script, json!(format!("at 3000ms suspend {first}\n")));
    let second = holder(&mut tried, 9000);
    assert_eq!(second.as_array().unwrap().len(), 1, "{second}");
    assert_ne!(second[0], json!(first));
    assert_eq!(tried.value(&format!("suffrage.moment.lives[{first}]")), json!("suspended"));
    // A click ends the fault.
    tried.click_network(&format!("suffrage.network.at[{first}]"));
    let script = tried.value("suffrage.scheduler.faults.script");
    assert!(script.as_str().unwrap().contains(" for 6000ms "), "{script}");
    holder(&mut tried, 11000);
    assert_ne!(tried.value(&format!("suffrage.moment.lives[{first}]")), json!("suspended"));
    // A click on a link cuts it: from then on nothing arrives on it.
    let middle = "(() => { const { at } = suffrage.network; return [0, 1].map((i) => (at[0][i] + at[1][i]) / 2); })()";
    tried.click_network(middle);
    assert!(tried.text("#faults").starts_with("cut "), "{}", tried.text("#faults"));
    let over = "suffrage.run.tenure.flights.filter(([, from, to, sent, , lost]) => \
                sent > 11000 && from + to === 1 && !lost).length";
    assert_eq!(tried.value(over), json!(0));
    holder(&mut tried, 12000);
    tried.click("#heal");
    tried.answered();
    assert!(tried.value(over).as_u64().unwrap() > 0, "the link is healed");
    // The list of members does what a click does; a crash, if that is chosen.
    tried.value(
        "(() => { document.querySelector('#click-does').value = 'crash'; \
         const it = document.querySelector('#peers'); it.value = '4'; it.dispatchEvent(new Event('change')); })()",
    );
    tried.answered();
    holder(&mut tried, 13000);
    assert_eq!(tried.value("suffrage.moment.lives[4]"), json!("crashed"));
    let length = tried.value("suffrage.run.end").as_f64().unwrap();
    tried.choose("#longer");
    assert!(tried.value("suffrage.run.end").as_f64().unwrap() > length);
    assert_eq!(tried.text("#broken"), "", "no promise is broken");
    // What was chosen for later is dropped where another fault begins before it.
    holder(&mut tried, 2000);
    tried.click("#heal");
    tried.answered();
    assert_eq!(tried.value("suffrage.scheduler.faults.script"), json!(""));
    // And back to an election.
    tried.value("document.querySelector('#new').open = true");
    tried.choose("#new-form button");
    assert_eq!(tried.value("document.querySelector('#leases').hidden"), json!(true));
    assert_eq!(tried.value("document.querySelector('#choosing').hidden"), json!(false));
    tried.choose("#random");
    tried.no_errors("faults");
}

/// Hundreds of processes: a click is answered; how fast, is printed.
#[test]
fn some_hundreds_of_processes_are_scheduled() {
    let Some((mut tried, program)) = with_program() else { return };
    tried.open_play(&ring(), &program, "");
    for (algorithm, network) in [
        ("chang-roberts", "ring:300"),
        ("humblet", "complete:300"),
        ("gallager-humblet-spira", "grid:15x20"),
    ] {
        let begin = format!(
            "suffrage.scheduler.begin({{ begin: {{ algorithm: {algorithm:?}, network: {network:?} }} }}, true)"
        );
        tried.value(&begin);
        tried.choose("#finish");
        tried.choose("#undo");
        let millis = "(async () => { const before = performance.now(); await suffrage.scheduler.choose(0); \
                      return performance.now() - before; })()";
        let took = tried.value(millis).as_f64().unwrap();
        let events = tried.value("suffrage.run.events.length");
        println!("{algorithm} on {network}: a choice after {events} events takes {took:.0} ms");
        assert_eq!(tried.refused(), "", "{algorithm}");
        tried.no_errors(algorithm);
    }
}
