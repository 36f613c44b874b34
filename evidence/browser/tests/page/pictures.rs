//! The pictures of docs/use/watch.md. The same browser makes the same, so that they are held to nothing: they are made
//! in target/pictures, or anew in docs/pictures where `UPDATE_GOLDEN` is set.

use crate::runs::{counterexample, page, tenure};
use crate::scheduler::{begun, with_program};
use crate::tried::Tried;
use std::path::Path;
use std::{env, fs};
use suffrage::networks::wiring::Wiring;
use suffrage_browser::Preferences;

/// Writes what the browser shows.
fn picture(tried: &mut Tried, name: &str) {
    tried.settle();
    let folder =
        if env::var_os("UPDATE_GOLDEN").is_some() { "docs/pictures" } else { "target/pictures" };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), tried.browser.picture(false).unwrap()).unwrap();
    tried.no_errors(name);
}

#[test]
fn pictures_of_runs() {
    let Some(mut tried) = Tried::still() else { return };
    tried.browser.resize(1280, 1000).unwrap();
    tried.open(&page("chang-roberts", "ring:9", "synchronous"), "step=4&process=3");
    tried.value("suffrage.now += 0.5, suffrage.redraw()");
    picture(&mut tried, "watch.png");
    tried.browser.prefer(Preferences { dark: true, still: true, print: false }).unwrap();
    tried.open(&counterexample(), "step=6&message=2");
    picture(&mut tried, "watch-counterexample.png");
    tried.browser.prefer(Preferences { still: true, ..Preferences::default() }).unwrap();
    tried.browser.resize(1280, 1250).unwrap();
    tried.open(&tenure(), "");
    tried.value("suffrage.goTo(2700)");
    picture(&mut tried, "watch-tenure.png");
}

#[test]
fn pictures_of_the_scheduler() {
    let Some((mut tried, program)) = with_program() else { return };
    tried.browser.resize(1280, 1400).unwrap();
    let mut play = begun("humblet", Wiring::complete(5), &[2, 5, 1, 4, 3]);
    for number in [1, 3, 4, 5, 5, 3, 6] {
        play.take(play.possible()[number % play.possible().len()]).unwrap();
    }
    tried.open_play(&play, &program, "");
    picture(&mut tried, "watch-scheduler.png");
    // Tenure: cuts the leader off from two other members, then suspends another member.
    tried.value("document.querySelector('#members-new').open = true");
    tried.choose("#tenure-form button");
    for (at, clicked) in [(3000, "cut"), (3000, "cut"), (3200, "suspended")] {
        tried.value(&format!("suffrage.goTo({at})"));
        tried.settle();
        tried.value(match clicked {
            "cut" => {
                "(() => { const { faults } = suffrage.scheduler; const lead = suffrage.leases.held(suffrage.now)[0].peer; \
                 const other = (lead + 1 + faults.entries.length) % 5; \
                 return faults.toggle(`cut ${[lead, other].sort().join('-')}`); })()"
            }
            _ => {
                "(() => { const lead = suffrage.leases.held(suffrage.now)[0].peer; \
                 return suffrage.scheduler.faults.member((lead + 3) % 5); })()"
            }
        });
        tried.answered();
    }
    tried.value("suffrage.goTo(3400)");
    tried.value("(() => { for (const one of document.querySelectorAll('details')) one.open = false; scrollTo(0, 0); })()");
    tried.settle();
    picture(&mut tried, "watch-tenure-faults.png");
}
