//! `suffrage plot`.

use crate::common::{Said, refusal, says, suffrage_in};
use std::path::Path;

fn run(folder: &Path, words: &str) -> Said {
    suffrage_in(folder, words.split_whitespace())
}

/// Results of a comparison as CSV, as JSON and trial by trial, and of one election.
fn results() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let words = "compare --algorithms lelann,chang-roberts --topology ring --nodes 5,10,20,40 \
                 --trials 6 --schedule synchronous,uniform:3";
    for (format, file) in [("csv", "c.csv"), ("json", "c.json")] {
        let said = run(folder.path(), &format!("{words} --format {format} --each each.{format}"));
        assert_eq!(said.code, 0, "{}", said.err);
        std::fs::write(folder.path().join(file), said.out).unwrap();
    }
    let said = run(folder.path(), "elect chang-roberts --nodes 20 --trials 30 --format json");
    std::fs::write(folder.path().join("one.json"), said.out).unwrap();
    folder
}

/// Runs a line that draws.
fn plot(folder: &Path, words: &str) -> String {
    let said = run(folder, words);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{words}");
    said.out
}

#[test]
fn all_forms_of_the_results_are_the_same_figure() {
    let folder = results();
    let of = |file: &str, more: &str| plot(folder.path(), &format!("plot {file} {more}"));
    let json = of("c.json", "");
    assert_eq!(of("c.csv", ""), json);
    assert_eq!(of("each.csv", ""), of("each.json", ""));
    // Single trials have no formulas of bounds, and statistics that are not rounded.
    let [trials, rows] = ["each.csv", "c.csv"].map(|file| of(file, "--no-bounds --format tikz"));
    assert_eq!(trials.lines().count(), rows.lines().count());
    let numbers = |text: &str| -> Vec<f64> {
        let lines = text.lines().filter(|line| line.trim_start().starts_with('('));
        let parts = lines.flat_map(|line| line.split(|c: char| !c.is_ascii_digit() && c != '.'));
        parts.filter_map(|part| part.parse().ok()).collect()
    };
    let (trials, rows) = (numbers(&trials), numbers(&rows));
    assert!(trials.len() >= 2 * 16 && trials.len() == rows.len(), "{}", trials.len());
    assert!(trials.iter().zip(&rows).all(|(one, two)| (one - two).abs() < 6e-4));
}

#[test]
fn curves_have_markers_intervals_bounds_and_logarithmic_axes() {
    let folder = results();
    let svg = plot(folder.path(), "plot c.json");
    says(&svg, &["lelann, schedule synchronous", "chang-roberts, schedule uniform:3", "nodes n"]);
    let variable = |name: &str| format!("<tspan font-style=\"italic\">{name}</tspan>");
    let (k, n) = (variable("k"), variable("n"));
    says(&svg, &[&format!("bound {k} {n} + {n}"), "stroke-dasharray=\"6 4\"", ">100<"]);
    says(&svg, &["means of 6 trials, with 95 % confidence intervals"]);
    // LeLann's is exact, and has no intervals: a marker for each point and legend line.
    let markers = svg.matches("r=\"3.2\"").count();
    assert_eq!(markers, 4 + 1, "the first curve has four points and its name");
    let tikz = plot(folder.path(), "plot c.json --format tikz --title 50%_of");
    says(&tikz, &["xmode=log, ymode=log", "title={50\\%\\_of}", "bound $k\\,n + n$", " +- (0,"]);
    // Within a power of ten there are numbers, and no fractions of powers.
    says(&tikz, &["xtick={5,10,20}, xticklabels={5,10,20},"]);
    assert!(!tikz.contains("ytick"), "{tikz}");
    assert_eq!(tikz.matches("\\addplot").count(), 2 * 4);
    assert_eq!(tikz.matches('{').count(), tikz.matches('}').count());
    says(
        &plot(folder.path(), "plot c.json --log none --format tikz"),
        &["xmode=linear, ymode=linear"],
    );
    // LeLann sends exactly n + 1 messages for each node, whatever the schedule.
    let per_node = plot(folder.path(), "plot c.json --per-node --no-bounds --format tikz");
    says(&per_node, &["ylabel={messages / $n$}", "(5,6)", "(10,11)", "(40,41)"]);
    let time = plot(folder.path(), "plot c.csv --figure time");
    says(&time, &["time (ticks)", &format!("bound {n} + {n}")]);
}

#[test]
fn seven_curves_are_labelled_at_their_ends_and_more_are_in_panels() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..43).map(|number| format!("alg-{number}")).collect();
    for (file, names) in
        [("seven.json", &names[..7]), ("eight.json", &names[..8]), ("many.json", &names[..])]
    {
        let row = |name: &String, n: usize| {
            let mean = (n * (10 + name.len() % 3)) as f64;
            format!(
                "{{\"algorithm\":\"{name}\",\"network\":\"ring:{n}\",\"nodes\":{n},\"trials\":2,\
                 \"schedule\":\"rounds\",\"messages\":{{\"mean\":{mean},\"ci95\":0.5}}}}"
            )
        };
        let rows: Vec<_> = names.iter().flat_map(|name| [row(name, 5), row(name, 10)]).collect();
        std::fs::write(folder.path().join(file), format!("[{}]", rows.join(","))).unwrap();
    }
    let svg = plot(folder.path(), "plot seven.json");
    let at = |name: &str| -> [f64; 2] {
        let line = svg.lines().find(|line| line.ends_with(&format!(">{name}</text>"))).unwrap();
        let value =
            |key: &str| line.split(&format!("{key}=\"")).nth(1).unwrap().split('"').next().unwrap();
        ["x", "y"].map(|key| value(&format!(" {key}")).parse().unwrap())
    };
    let mut places: Vec<[f64; 2]> = names[..7].iter().map(|name| at(name)).collect();
    // One beside the other would be a legend; none covers another.
    places.sort_by(|one, other| one[1].total_cmp(&other[1]));
    assert!(places.windows(2).all(|two| two[0][0] == two[1][0] && two[1][1] - two[0][1] >= 12.0));
    let tikz = plot(folder.path(), "plot seven.json --format tikz");
    says(&tikz, &["\\draw[suffrage6, very thin", "node[right, font=\\footnotesize] {alg-6};"]);
    assert!(!tikz.contains("\\addlegendentry"));
    let svg = plot(folder.path(), "plot eight.json");
    says(&svg, &["part 1 of 2", "part 2 of 2", ">alg-7</text>"]);
    let tikz = plot(folder.path(), "plot eight.json --format tikz");
    let ranges: Vec<&str> = tikz.lines().filter(|line| line.contains("xmin=")).collect();
    assert!(ranges.len() == 2 && ranges[0] == ranges[1], "{ranges:?}");
    let said = run(folder.path(), "plot many.json");
    says(&refusal(said, "many.json"), &["more than 42 curves", "up to 42, 7 in each panel"]);
}

#[test]
fn distributions_are_those_of_the_trials() {
    let folder = results();
    let cumulative = plot(folder.path(), "plot one.json --format tikz");
    says(&cumulative, &["const plot", "share of trials up to it", ",0)", ",1)"]);
    let histogram = plot(folder.path(), "plot one.json --kind histogram --format tikz");
    let shares = histogram.lines().filter_map(|line| {
        line.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(',')?.1.parse::<f64>().ok()
    });
    assert!((shares.sum::<f64>() - 1.0).abs() < 1e-9);
    let said = run(folder.path(), "plot c.csv --kind distribution");
    says(&refusal(said, "c.csv"), &["no distributions", "--each"]);
    assert!(plot(folder.path(), "plot each.csv --kind distribution").contains("ring:40"));
}

#[test]
fn no_file_is_read_and_written_and_no_two_outputs_share_one() {
    let folder = results();
    let before = std::fs::read(folder.path().join("c.csv")).unwrap();
    let words = "elect humblet --nodes 4 --trace e.jsonl";
    assert_eq!(run(folder.path(), words).code, 0);
    std::fs::write(
        folder.path().join("spec.toml"),
        "[elect]\ntopology = \"net.csv\"\ntrials = 2\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("net.csv"), "source,target\n1,2\n2,3\n").unwrap();
    let check = "[check]\nalgorithm = \"lelann\"\nnodes = 2\n";
    std::fs::write(folder.path().join("check.toml"), check).unwrap();
    // The name of an algorithm is none of a file, even if there is such a file.
    for _ in 0..2 {
        assert_eq!(run(folder.path(), "elect lelann --nodes 3 --trace lelann").code, 0);
    }
    for (words, why) in [
        ("plot c.csv --out c.csv", "names this file a second time"),
        ("plot c.csv --out ./c.csv", "names this file a second time"),
        ("draw e.jsonl --out e.jsonl", "names this file a second time"),
        ("elect --schedule replay:e.jsonl humblet --nodes 4 --trace e.jsonl", "a second time"),
        ("elect humblet --nodes 4 --trace t.out --draw-network t.out", "a second time"),
        ("run spec.toml --each net.csv", "spec.toml names it as input"),
        (
            "run check.toml --each t.csv",
            "--each: check.toml has neither an election nor a comparison",
        ),
    ] {
        says(&refusal(run(folder.path(), words), words), &[why]);
    }
    assert_eq!(std::fs::read(folder.path().join("c.csv")).unwrap(), before);
    assert!(!folder.path().join("t.out").exists());
}

#[test]
fn the_ending_of_a_file_decides_the_format_or_is_refused() {
    let folder = results();
    for (words, why) in [
        ("plot c.csv --out q.png", "this writes svg"),
        ("plot c.csv --format tikz --out q.svg", "this writes tikz"),
        ("plot c.csv --format svg --out q.pdf", "this writes svg"),
        ("draw each.json --out q.svg", "this writes text"),
        ("elect --draw-network q.pdf", "this writes svg"),
        ("watch elect --html q.svg", "this writes html"),
    ] {
        says(&refusal(run(folder.path(), words), words), &[why]);
    }
    assert_eq!(plot(folder.path(), "plot c.csv --out q.tex"), "");
    says(&std::fs::read_to_string(folder.path().join("q.tex")).unwrap(), &[r"\begin{axis}"]);
    assert_eq!(plot(folder.path(), "plot c.csv --out q.pdf"), "");
    let pdf = std::fs::read_to_string(folder.path().join("q.pdf")).unwrap();
    assert!(pdf.starts_with("%PDF-1.4") && pdf.ends_with("%%EOF\n"));
    says(&pdf, &["(means of 6 trials, with 95 % confidence intervals) Tj", "(bound ) Tj"]);
    assert_eq!(plot(folder.path(), "plot c.csv --out q.svg"), "");
    says(
        &std::fs::read_to_string(folder.path().join("q.svg")).unwrap(),
        &["<title>messages by nodes n</title>"],
    );
}
