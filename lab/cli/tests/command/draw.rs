//! `suffrage draw`, and `suffrage elect --draw`.

use crate::common::{Said, refusal, says, suffrage_in};
use serde_json::Value;
use std::path::Path;

fn run(folder: &Path, words: &str) -> Said {
    suffrage_in(folder, words.split_whitespace())
}

/// Runs of a simulator, a checker and real nodes, and a run under faults.
const RUNS: [&str; 4] = [
    "elect humblet --nodes 7 --schedule uniform:4 --trace run.jsonl",
    "check villadangos@published --nodes 3 --save run.jsonl",
    "cluster chang-roberts --nodes 4 --trace run.jsonl",
    "tenure simulate --members 3 --duration 2s --trace run.jsonl",
];

#[test]
fn runs_of_every_engine_are_drawn_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for words in RUNS {
        let made = run(folder.path(), words);
        assert!(made.code < 2, "{words}: {}", made.err);
        let has_causes = !words.starts_with("tenure");
        for (format, begins) in [
            ("text", "  "),
            ("svg", "<svg xmlns="),
            ("mermaid", "sequenceDiagram\n"),
            ("dot", "digraph run {"),
            ("shiviz", "p"),
            ("perfetto", "{\"displayTimeUnit\""),
        ] {
            let words = format!("draw run.jsonl --format {format}");
            let said = run(folder.path(), &words);
            if !has_causes && ["dot", "shiviz"].contains(&format) {
                says(&refusal(said, &words), &["run.jsonl", "choose text, svg"]);
                continue;
            }
            assert_eq!((said.code, said.err.as_str()), (0, ""), "{words}");
            assert!(said.out.starts_with(begins), "{words}: {}", said.out);
            let written = run(folder.path(), &format!("{words} --out drawing"));
            assert_eq!((written.code, written.out.as_str()), (0, ""), "{words}");
            let file = std::fs::read_to_string(folder.path().join("drawing")).unwrap();
            assert_eq!(file, said.out, "{words}");
        }
    }
}

#[test]
fn the_drawing_below_a_report_is_that_of_its_trace() {
    let folder = tempfile::tempdir().unwrap();
    let plain = run(folder.path(), "elect lelann --nodes 5");
    let drawn = run(folder.path(), "elect lelann --nodes 5 --draw --trace run.jsonl");
    let replayed = run(folder.path(), "draw run.jsonl");
    assert_eq!(drawn.out, format!("{}\n{}", plain.out, replayed.out));
    let json = run(folder.path(), "elect lelann --nodes 5 --draw --format json");
    assert!(serde_json::from_str::<Value>(&json.out).is_ok(), "JSON omits the diagram");
}

#[test]
fn a_part_of_a_run_that_is_too_wide_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), "elect lelann --nodes 90 --trace run.jsonl").code, 0);
    let some = "draw run.jsonl --processes 0,4..6 --kinds token --window 0..9 --format svg";
    let said = run(folder.path(), some);
    assert_eq!((said.code, said.out.matches(" font-weight=\"bold\">p").count()), (0, 4));
}

#[test]
fn a_network_is_drawn_with_its_leader_its_losers_and_the_positions_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("net.graphml"),
        r#"<graphml><key id="a" for="node" attr.name="Longitude"/>
        <key id="b" for="node" attr.name="Latitude"/><key id="l" for="node" attr.name="label"/>
        <graph edgedefault="undirected">
        <node id="0"><data key="l">North</data><data key="a">10</data><data key="b">60</data></node>
        <node id="1"><data key="l">South &amp; sea</data><data key="a">10</data><data key="b">20</data></node>
        <node id="2"><data key="l">East</data><data key="a">50</data><data key="b">40</data></node>
        <node id="3"><data key="l">Nowhere</data></node>
        <edge source="0" target="1"/><edge source="1" target="2"/><edge source="2" target="3"/>
        </graph></graphml>"#,
    )
    .unwrap();
    let words = "elect echo-extinction --topology net.graphml --draw-network net.svg";
    let said = run(folder.path(), words);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(said.out, run(folder.path(), "elect echo-extinction --topology net.graphml").out);
    let svg = std::fs::read_to_string(folder.path().join("net.svg")).unwrap();
    says(
        &svg,
        &["positions: as in the file", "South &amp; sea, id ", "; leads", "; lost at tick "],
    );
    let circles = |name: &str| -> Vec<f64> {
        let line = svg.lines().find(|line| line.contains(&format!("<title>{name}, id "))).unwrap();
        let number = |key: &str| {
            let (_, rest) = line.split_once(&format!("{key}=\"")).unwrap();
            rest.split('"').next().unwrap().parse().unwrap()
        };
        vec![number("cx"), number("cy")]
    };
    let (north, south, east) = (circles("North"), circles("South &amp; sea"), circles("East"));
    assert!(north[1] < south[1] && (north[0] - south[0]).abs() < 0.1, "north is above the south");
    assert!(east[0] > north[0] && (east[1] - (north[1] + south[1]) / 2.0).abs() < 0.2);
    // 40 degrees of longitude at 40 degrees of latitude are 40 cos(40°) degrees.
    let ratio = (east[0] - north[0]) / (south[1] - north[1]);
    assert!((ratio - 0.766).abs() < 0.002, "{ratio}");
    let arrows = svg.matches("marker-end=\"url(#to)\"").count();
    assert_eq!(arrows, 3, "all but the leader lost to a neighbour");
    for (network, source) in
        [("ring:9", "in a circle"), ("grid:3x4", "by forces"), ("complete:12", "in a circle")]
    {
        let draw = || {
            let words = format!("elect --topology {network} --draw-network net.svg");
            assert_eq!(run(folder.path(), &words).code, 0);
            std::fs::read_to_string(folder.path().join("net.svg")).unwrap()
        };
        let svg = draw();
        says(&svg, &[source]);
        assert_eq!(svg, draw());
    }
}
