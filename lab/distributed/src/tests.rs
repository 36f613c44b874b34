//! The format of the data that hosts exchange and store. Hosts compare its number.

#[path = "../tests/common/mod.rs"]
mod common;

use crate::{digest::Sha256, office::Body, part::Compiled, terms::FORMAT};
use common::network_for;
use ring::digest::Context;
use std::{fs, io::Write as _};
use suffrage_algorithms::Algorithm;
use suffrage_networks::{
    FileOptions, Ids,
    parts::{EdgeList, Exchange, PartRequest},
};
use suffrage_simulator::{
    Pace,
    blocks::{BlockLayout, Election, ElectionIds, ElectionNetwork, RoundClock},
};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/format.txt");

fn of_election(algorithm: &Algorithm, pace: Pace) -> Sha256 {
    let wiring = network_for(algorithm.network);
    let ids = Ids::Random.assign(wiring.nodes(), 5);
    let network = ElectionNetwork::Wired(&wiring);
    // Some algorithms that were printed wrongly never terminate.
    let event_limit = 2000;
    let election =
        Election { pace, event_limit, ..Election::new(network, ElectionIds::Listed(&ids)) };
    let layout = BlockLayout::new(&election, 2).expect("few processes");
    let engine = algorithm.visit(Compiled);
    let mut parts = [0, 1].map(|number| (engine.part)(&election, layout, number));
    let mut clock = RoundClock::new(&election, layout);
    let mut written = Sha256::writer();
    let body = |written: &mut Context, body: &Body| {
        written.update(&postcard::to_stdvec(body).expect("plain data"));
    };
    for exchange in 0.. {
        let Some(_) = clock.tick() else { break };
        if exchange % 5 == 4 {
            for part in &parts {
                let mut keep = |_, piece: &[u8]| {
                    written.update(piece);
                    Ok(())
                };
                part.save(&mut keep).expect("plain data");
            }
            written.update(&serde_json::to_vec(&clock.moment()).expect("plain data"));
        }
        let (mut sent, mut stretches) = (Vec::new(), Vec::new());
        for (number, part) in (0..).zip(&mut parts) {
            let stretch =
                part.run(&election, &clock, &mut |to, tick, bytes| sent.push((to, tick, bytes)));
            body(&mut written, &Body::Stretch(number, stretch.clone()));
            stretches.push(stretch);
        }
        for (to, tick, bytes) in sent {
            parts[to as usize].accept(tick, &bytes);
            body(&mut written, &Body::Messages(tick, bytes));
        }
        if clock.advance_stretch(stretches).is_err() {
            break;
        }
    }
    for part in parts {
        body(&mut written, &Body::Share(part.share()));
    }
    written.finish().into()
}

/// A worker that reads alone.
struct Alone {
    written: Context,
    letters: Vec<(u32, Vec<u8>)>,
}

impl Exchange for Alone {
    fn worker(&self) -> u32 {
        0
    }

    fn workers(&self) -> u32 {
        1
    }

    fn send(&mut self, to: u32, letter: Vec<u8>) {
        self.written.update(&letter);
        self.letters.push((to, letter));
    }

    fn exchange(&mut self) -> Vec<(u32, Vec<u8>)> {
        std::mem::take(&mut self.letters)
    }
}

fn of_reading() -> Sha256 {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    for node in 1..40 {
        writeln!(file, "v{node} v{}\nv{node} v{}", node / 2, node / 3).expect("written");
    }
    let list = EdgeList::open(file.path(), FileOptions::default()).expect("a network");
    let asked =
        PartRequest { diameter: true, labels: "v7,v9".to_owned(), ..PartRequest::default() };
    let mut alone = Alone { written: Sha256::writer(), letters: Vec::new() };
    list.expect("an edge list").part(&asked, &mut alone).expect("read");
    alone.written.finish().into()
}

#[test]
fn what_hosts_exchange_and_store_is_what_its_number_says() {
    let mut now = format!("format {FORMAT}\nreading {}\n", of_reading());
    let paces = [Pace::Unit, Pace::Uniform(5), Pace::PerLink(5)];
    for algorithm in Algorithm::rows() {
        let all = if algorithm.timing.in_rounds() { &paces[..1] } else { &paces[..] };
        let digests = all.iter().map(|&pace| of_election(algorithm, pace).to_string());
        now += &format!("{} {}\n", algorithm.name, digests.collect::<Vec<_>>().join(" "));
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(GOLDEN, &now).expect("written");
    }
    let before = fs::read_to_string(GOLDEN).unwrap_or_default();
    assert!(
        now == before,
        "it has changed: raise FORMAT in terms.rs, unless algorithms were only added, and set UPDATE_GOLDEN=1, which \
         writes {GOLDEN} as\n{now}"
    );
}
