//! Every format of a drawing is what its readers expect, for the whole catalogue.

use quick_xml::events::Event;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use suffrage_algorithms::{Algorithm, CATALOGUE};
use suffrage_figures::diagram::{Diagram, DiagramFormat, DrawError, Drawing, Selection};
use suffrage_model::NetworkClass;
use suffrage_networks::wiring::Wiring;
use suffrage_networks::{FileOptions, Ids, Ports, Spec, read_from};
use suffrage_simulator::{Fault, Outcome, Schedule, Simulator};

/// A drawn election: what it is, and how it ended.
struct Drawn {
    what: String,
    drawing: Drawing,
    outcome: Outcome,
    processes: usize,
}

fn wiring(class: NetworkClass, nodes: u32) -> Wiring {
    use NetworkClass::{Complete, HomonymRing, OrientedComplete, OrientedRing, Ring, Tree};
    let spec = if matches!(class, Complete | OrientedComplete) {
        format!("complete:{nodes}")
    } else if matches!(class, Ring | OrientedRing | HomonymRing) {
        format!("ring:{nodes}")
    } else if class == Tree {
        format!("tree:random:{nodes}")
    } else {
        // For algorithms on hypercubes, and on any connected network.
        format!("hypercube:{}", nodes.ilog2())
    };
    let topology = spec.parse::<Spec>().unwrap().build(3).unwrap();
    topology.fit(class).unwrap().wire(Ports::Rotation, 3)
}

fn draw(algorithm: &'static Algorithm, nodes: u32, schedule: &str, faults: &[&str]) -> Drawn {
    let wiring = wiring(algorithm.network, nodes);
    let ids = Ids::Random.assign(wiring.nodes(), 5);
    let schedule: Schedule = schedule.parse().unwrap();
    let what = format!("{} on {nodes} & <{schedule}> {faults:?}", algorithm.name);
    let mut diagram = Diagram::new(&wiring, &ids);
    let mut simulator =
        Simulator::new(algorithm, &wiring, &ids).schedule(schedule).seed(2).event_limit(2000);
    for fault in faults {
        simulator = simulator.fault(fault.parse::<Fault>().unwrap());
    }
    let outcome = simulator.observer(&mut diagram).run().unwrap();
    let drawing = diagram.into_drawing().titled(what.clone());
    Drawn { what, drawing, outcome, processes: ids.len() }
}

/// The whole catalogue, with ticks, without, and with everything that can go wrong.
fn all() -> impl Iterator<Item = Drawn> {
    let conditions: [(&str, &[&str]); 4] = [
        ("synchronous", &[]),
        ("uniform:7", &["no-fifo"]),
        ("random", &["loss:0.1", "duplicate:0.1"]),
        ("synchronous", &["crash:1@2"]),
    ];
    CATALOGUE.iter().flat_map(move |algorithm| {
        conditions.into_iter().map(|(schedule, faults)| draw(algorithm, 5, schedule, faults))
    })
}

fn whole(drawn: &Drawn, format: DiagramFormat) -> String {
    drawn.drawing.render(format, &Selection::default()).unwrap()
}

/// Checks that a text is well-formed XML, and returns the texts of it.
fn xml(text: &str) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    let (mut depth, mut texts) = (0, Vec::new());
    loop {
        match reader.read_event().unwrap() {
            Event::Start(element) => {
                depth += 1;
                assert!(element.attributes().all(|attribute| attribute.is_ok()));
            }
            Event::Empty(element) => {
                assert!(element.attributes().all(|attribute| attribute.is_ok()));
            }
            Event::End(_) => depth -= 1,
            Event::Text(text) => texts.push(text.xml10_content().into_owned()),
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    texts
}

#[test]
fn svg_is_well_formed_and_its_chain_is_as_long_as_the_report_says() {
    for drawn in all() {
        let svg = whole(&drawn, DiagramFormat::Svg);
        let texts = xml(&svg);
        let chain = texts.iter().find_map(|text| text.strip_prefix("the longest causal chain: "));
        let depth: u32 = chain.map_or(0, |chain| chain.parse().unwrap());
        assert_eq!(depth, drawn.outcome.causal_depth, "{}", drawn.what);
        let highlighted = svg.matches("<path class=\"chain\"").count();
        assert_eq!(highlighted as u32, depth, "{}", drawn.what);
        assert!(svg.contains("&amp; &lt;"), "the title is text");
        let arrows = svg.matches(" to p").count();
        assert!(arrows as u64 >= drawn.outcome.messages.total() - drawn.outcome.lost);
    }
}

#[test]
fn a_trace_for_perfetto_keeps_to_its_schema() {
    for drawn in all() {
        let trace: Value = serde_json::from_str(&whole(&drawn, DiagramFormat::Perfetto)).unwrap();
        let mut slices: BTreeMap<u64, Vec<(f64, f64)>> = BTreeMap::new();
        let (mut sent, mut arrived) = (BTreeMap::new(), BTreeMap::new());
        let mut named = BTreeSet::new();
        for event in trace["traceEvents"].as_array().unwrap() {
            let (ts, tid) = (event["ts"].as_f64().unwrap(), event["tid"].as_u64().unwrap());
            assert!(event["name"].is_string() && event["pid"].is_u64() && ts >= 0.0, "{event}");
            match event["ph"].as_str().unwrap() {
                "M" => {
                    named.insert(tid);
                }
                "X" => slices.entry(tid).or_default().push((ts, event["dur"].as_f64().unwrap())),
                "i" => assert_eq!(event["s"], "t"),
                "s" => assert_eq!(sent.insert(event["id"].as_u64().unwrap(), (ts, tid)), None),
                "f" => {
                    assert_eq!(event["bp"], "e");
                    assert_eq!(arrived.insert(event["id"].as_u64().unwrap(), (ts, tid)), None);
                }
                other => panic!("{other} is no phase that is written"),
            }
        }
        assert!(slices.keys().all(|tid| named.contains(tid)));
        assert!(sent.keys().eq(arrived.keys()), "{}: a flow has two ends", drawn.what);
        let inside = |(ts, tid): (f64, u64)| {
            slices[&tid].iter().any(|&(from, dur)| from <= ts && ts <= from + dur)
        };
        for (id, from) in sent {
            let to = arrived[&id];
            assert!(from.0 <= to.0 && inside(from) && inside(to), "{}: flow {id}", drawn.what);
        }
        // Slices of a thread enclose each other, or have nothing in common.
        for of_thread in slices.values() {
            for &(a, long) in of_thread {
                for &(b, short) in of_thread {
                    let crossed = a < b && b < a + long && a + long < b + short - 1e-6;
                    assert!(!crossed, "{}: {a}+{long} and {b}+{short}", drawn.what);
                }
            }
        }
    }
}

/// Reads a log as `ShiViz` does: pairs of lines, `(?<host>\S*) (?<clock>{.*})` and the event. Returns
/// each event with its clock.
fn shiviz(log: &str) -> Vec<(String, BTreeMap<String, u64>, String)> {
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines.len().is_multiple_of(2));
    let event = |two: &[&str]| {
        let (host, clock) = two[0].split_once(' ').unwrap();
        assert!(clock.starts_with('{') && clock.ends_with('}'), "{clock}");
        assert!(!host.is_empty() && !two[1].is_empty());
        (host.to_owned(), serde_json::from_str(clock).unwrap(), two[1].to_owned())
    };
    lines.chunks(2).map(event).collect()
}

#[test]
fn vector_clocks_for_shiviz_are_those_of_the_run() {
    for drawn in all() {
        let mut latest: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        // For each message text and sender, the clocks with which it was sent.
        let mut sent: BTreeMap<String, Vec<BTreeMap<String, u64>>> = BTreeMap::new();
        for (host, clock, said) in shiviz(&whole(&drawn, DiagramFormat::ShiViz)) {
            let before = latest.get(&host).cloned().unwrap_or_default();
            let own = before.get(&host).copied().unwrap_or(0);
            assert_eq!(clock[&host], own + 1, "{}: {said}", drawn.what);
            for (other, count) in &clock {
                assert!(before.get(other).is_none_or(|known| known <= count), "knowledge grows");
                let most = latest.get(other).and_then(|of| of.get(other)).copied().unwrap_or(0);
                assert!(*other == host || *count <= most, "{}: {said}: the future", drawn.what);
            }
            // What is learnt is what the sender of some message of this kind and content knew.
            if let Some((what, _)) = said.split_once(" of step ") {
                let what = what.rsplit_once(" gets ").map_or(what, |(_, what)| what);
                let knew = |sender: &BTreeMap<String, u64>| {
                    let learnt = |(other, count): (&String, &u64)| {
                        *other == host
                            || before
                                .get(other)
                                .copied()
                                .unwrap_or(0)
                                .max(sender.get(other).copied().unwrap_or(0))
                                == *count
                    };
                    clock.iter().all(learnt)
                };
                let discarded = what.contains(" reaches ") || said.contains(" reaches ");
                let known = sent.get(what).is_some_and(|all| all.iter().any(knew));
                assert!(known || discarded, "{}: {said} {clock:?}", drawn.what);
            }
            for part in said.split(" · ").filter_map(|part| part.strip_prefix("sends ")) {
                let what = part.rsplit_once(" to ").unwrap().0;
                sent.entry(what.to_owned()).or_default().push(clock.clone());
            }
            latest.insert(host, clock);
        }
        assert!(latest.len() <= drawn.processes);
    }
}

/// The lines of a sequence diagram, by a grammar of those that are written.
fn check_mermaid(text: &str) {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("sequenceDiagram"));
    let mut declared = BTreeSet::new();
    for line in lines {
        let line = line.strip_prefix("    ").unwrap();
        let entities = line.matches('#').count();
        assert_eq!(line.matches(';').count(), entities, "only entities have semicolons: {line}");
        if let Some(participant) = line.strip_prefix("participant ") {
            declared.insert(participant.split_once(" as ").unwrap().0.to_owned());
        } else if let Some(note) = line.strip_prefix("Note ") {
            let note = note.strip_prefix("over ").or_else(|| note.strip_prefix("right of "));
            let (over, said) = note.unwrap().split_once(": ").unwrap();
            assert!(over.split(',').all(|name| declared.contains(name)) && !said.is_empty());
        } else if !line.starts_with("title ") {
            let (ends, said) = line.split_once(": ").unwrap();
            let arrow = ["--x", "--)", "-x", "-)"].into_iter().find(|arrow| ends.contains(arrow));
            let (from, to) = ends.split_once(arrow.unwrap()).unwrap();
            assert!(declared.contains(from) && declared.contains(to) && !said.is_empty(), "{line}");
        }
    }
}

#[test]
fn sequence_diagrams_keep_to_the_grammar_of_mermaid() {
    let folder = std::env::temp_dir().join(format!("suffrage-mermaid-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut files = Vec::new();
    for (number, drawn) in all().enumerate() {
        let text = whole(&drawn, DiagramFormat::Mermaid);
        check_mermaid(&text);
        let file = folder.join(format!("{number}.mmd"));
        std::fs::write(&file, text).unwrap();
        files.push(file);
    }
    // And to Mermaid's own parser, where its package is: NODE_PATH=DIR/node_modules, after
    // `npm install mermaid jsdom` in DIR.
    let script = "
        const fs = require('fs'), path = require('path');
        const folder = (process.env.NODE_PATH || '').split(':')
            .find(f => f && fs.existsSync(path.join(f, 'mermaid')) && fs.existsSync(path.join(f, 'jsdom')));
        if (!folder) process.exit(9);
        const { JSDOM } = require('jsdom');
        globalThis.window = new JSDOM('<body></body>').window;
        globalThis.document = window.document;
        import('file://' + path.join(folder, 'mermaid/dist/mermaid.core.mjs')).then(async m => {
            for (const f of process.argv.slice(1)) await m.default.parse(fs.readFileSync(f, 'utf8'));
        }).catch(e => { console.error(e); process.exit(1); });";
    match Command::new("node").arg("-e").arg(script).args(&files).output() {
        Ok(output) if output.status.code() != Some(9) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        _ => eprintln!("skipped: node with the packages mermaid and jsdom is not there"),
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn graphs_for_graphviz_are_read_as_what_they_show() {
    for drawn in all() {
        let text = whole(&drawn, DiagramFormat::Dot);
        let graph = read_from(text.as_bytes(), "run.dot", FileOptions::default()).unwrap();
        // A node for each process and each event at one, all hanging together by their columns.
        let nodes = text.lines().filter(|line| line.ends_with("];") && !line.contains("->"));
        let declared = nodes.filter(|line| !line.trim_start().starts_with(['f', 'l'])).count();
        assert_eq!(graph.nodes() as usize, declared, "{}\n{text}", drawn.what);
    }
}

#[test]
fn a_selection_leaves_what_was_chosen() {
    let algorithm = Algorithm::named("humblet").unwrap();
    let drawn = draw(algorithm, 12, "uniform:5", &[]);
    let select = |processes: &[u32], kinds: &[&str], window: Option<(u64, u64)>| Selection {
        processes: (!processes.is_empty()).then(|| processes.iter().copied().collect()),
        kinds: (!kinds.is_empty()).then(|| kinds.iter().map(|&kind| kind.to_owned()).collect()),
        window: window.map(|(first, last)| first..=last),
    };
    let of = |selection: &Selection| {
        let log = drawn.drawing.render(DiagramFormat::ShiViz, selection).unwrap();
        for format in DiagramFormat::ALL {
            drawn.drawing.render(format, selection).unwrap();
        }
        shiviz(&log)
    };
    let everything = of(&Selection::default());
    let some = of(&select(&[0, 7], &[], None));
    let hosts = ["p0", "p7"];
    assert!(some.iter().all(|(host, ..)| hosts.contains(&host.as_str())));
    let events = |all: &[(String, BTreeMap<String, u64>, String)]| {
        let here = all.iter().filter(|(host, ..)| hosts.contains(&host.as_str()));
        here.map(|(host, clock, _)| (host.clone(), clock[host])).collect::<Vec<_>>()
    };
    assert_eq!(events(&some), events(&everything));
    // What p7 knows of p0 has also come through other processes.
    for ((_, whole, _), (_, part, said)) in
        everything.iter().filter(|(host, ..)| hosts.contains(&host.as_str())).zip(&some)
    {
        for host in hosts {
            assert_eq!(whole.get(host), part.get(host), "{said}");
        }
    }
    let kinds = of(&select(&[], &["leader"], None));
    assert!(!kinds.is_empty() && kinds.len() < everything.len());
    let status = ["wakes", "follows", "leads", "halts", "leader"];
    assert!(kinds.iter().all(|(.., said)| status.iter().any(|word| said.contains(word))));
    let text = |window| {
        drawn.drawing.render(DiagramFormat::Text, &select(&[], &[], Some(window))).unwrap()
    };
    let ticks = |text: &str| {
        let tick = |line: &str| line.split_whitespace().next()?.parse::<u64>().ok();
        text.lines().filter_map(tick).collect::<BTreeSet<_>>()
    };
    assert!(ticks(&text((3, 6))).into_iter().eq(3..=6));
    assert!(!text((3, 6)).contains("follows follows"), "the end is not in the window");

    let refused = |selection: Selection| {
        drawn.drawing.render(DiagramFormat::Svg, &selection).unwrap_err().to_string()
    };
    assert_eq!(refused(select(&[12], &[], None)), "there is no process 12: they are 0 to 11");
    assert!(refused(select(&[], &["token"], None)).contains("there are "));
    assert!(refused(select(&[], &[], Some((9000, 9001)))).starts_with("nothing happens there"));
    let wide = draw(algorithm, 100, "synchronous", &[]);
    let error = wide.drawing.render(DiagramFormat::Svg, &Selection::default()).unwrap_err();
    assert!(matches!(error, DrawError::TooMuch { processes: 100, .. }), "{error}");
    assert!(wide.drawing.render(DiagramFormat::Perfetto, &Selection::default()).is_ok());
    assert!(wide.drawing.render(DiagramFormat::Svg, &select(&[3, 99], &[], None)).is_ok());
}
