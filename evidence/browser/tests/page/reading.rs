//! What a reader sees: words where they can be read, pictures that nothing covers, and no ending before the end.

use crate::runs::{page, tenure};
use crate::tried::Tried;
use serde_json::json;
use suffrage_browser::Preferences;

/// A desktop, a phone, and a phone on its side.
const SCREENS: [(u32, u32); 3] = [(1280, 800), (390, 844), (844, 390)];

/// The edges of an element: left, top, right, bottom.
fn edges(tried: &mut Tried, selector: &str) -> [f64; 4] {
    let edges = tried.value(&format!(
        "(() => {{ const box = document.querySelector({selector:?}).getBoundingClientRect(); \
         return [box.left, box.top, box.right, box.bottom]; }})()"
    ));
    [0, 1, 2, 3].map(|at| edges[at].as_f64().unwrap())
}

/// Whether two elements have a place in common.
fn meet(tried: &mut Tried, one: &str, other: &str) -> bool {
    let ([a, b, c, d], [e, f, g, h]) = (edges(tried, one), edges(tried, other));
    a < g - 0.5 && e < c - 0.5 && b < h - 0.5 && f < d - 0.5
}

/// What the diagram writes on its canvas.
fn written(tried: &mut Tried) -> Vec<String> {
    let texts = tried.value(
        "(() => { const { context } = suffrage.diagram.surface, all = [], before = context.fillText; \
         context.fillText = (text, ...place) => { all.push(text); before.call(context, text, ...place); }; \
         suffrage.paint(); delete context.fillText; return all; })()",
    );
    texts.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn identities_stand_in_discs_and_words_lie_on_no_disc() {
    let Some(mut tried) = Tried::still() else { return };
    tried.open(&page("chang-roberts", "ring:9", "synchronous"), "step=5");
    let ids = tried.value("suffrage.run.heads.map((head) => head.replace('id ', ''))");
    assert_eq!(tried.value("suffrage.network.inside"), ids);
    let places = "suffrage.network.names.map(([text]) => text)";
    let all: Vec<_> = (0..9).map(|node| format!("p{node}")).collect();
    assert_eq!(tried.value(places), json!(all));
    // Boxes of words that meet a disc or each other.
    let wrong = "(() => { const { names, words, at, radius } = suffrage.network; \
         const boxes = [...names.filter((one) => one).map(([, box]) => box), ...words]; \
         const onDisc = ([x, y, w, h]) => at.some(([cx, cy]) => Math.hypot(Math.max(x - cx, 0, cx - x - w), Math.max(y - cy, 0, cy - y - h)) < radius); \
         const meets = ([x, y, w, h], [a, b, c, d]) => x < a + c && a < x + w && y < b + d && b < y + h; \
         return boxes.filter((box, i) => onDisc(box) || boxes.slice(i + 1).some((other) => meets(box, other))); })()";
    for (algorithm, network) in [
        ("chang-roberts", "ring:9"),
        ("humblet", "complete:12"),
        ("echo-extinction", "grid:4x5"),
        ("tree-wave", "tree:random:12"),
    ] {
        for (width, height) in SCREENS {
            tried.browser.resize(width, height).unwrap();
            tried.open(&page(algorithm, network, "uniform:3"), "");
            for _ in 0..30 {
                tried.press("ArrowRight");
                assert_eq!(tried.value(wrong), json!([]), "{algorithm}, {width} x {height}");
            }
            // They are not simply left out: on a flat phone a few of a grid have no room.
            let named = "suffrage.network.names.filter((one) => one).length / suffrage.run.nodes";
            let named = tried.value(named).as_f64().unwrap();
            let least = if height < 500 { 0.75 } else { 1.0 };
            assert!(named >= least, "{algorithm}, {width} x {height}: {named}");
        }
    }
    tried.no_errors("words");
}

#[test]
fn a_chosen_process_is_described_beside_the_network() {
    let Some(mut tried) = Tried::still() else { return };
    let page = page("chang-roberts", "ring:9", "synchronous");
    for (width, height) in SCREENS {
        tried.browser.resize(width, height).unwrap();
        tried.open(&page, "step=5");
        assert_eq!(tried.value("document.querySelector('#details').hidden"), json!(true));
        let network = edges(&mut tried, "#network");
        tried.value("suffrage.choose({ process: 3 })");
        tried.settle();
        let [left, top, right, _] = edges(&mut tried, "#details");
        let (width, height) = (f64::from(width), f64::from(height));
        assert!(top < height - 100.0 && right <= width, "not below the fold: {top} of {height}");
        if width > 600.0 {
            let [.., beside, bottom] = edges(&mut tried, "#network");
            assert!(left >= beside && top < bottom, "beside the network");
        } else {
            assert!(top >= network[3], "below the network");
        }
        assert!(tried.text("#details").contains("p3, id "));
        tried.click("#unchoose");
        assert_eq!(tried.value("document.querySelector('#details').hidden"), json!(true));
    }
    tried.no_errors("the panel");
}

#[test]
fn the_idea_is_told_and_the_end_is_not() {
    let Some(mut tried) = Tried::still() else { return };
    tried.open(&page("chang-roberts", "ring:6", "synchronous"), "step=0");
    let idea = tried.text("#idea");
    assert!(idea.starts_with("Every initiator sends a token"), "{idea}");
    assert!(idea.ends_with("Who wins: smallest initiator."), "{idea}");
    let header = |tried: &mut Tried| tried.text("#outcome");
    let steps = tried.value("suffrage.run.times.length").as_u64().unwrap();
    for step in 0..steps {
        assert_eq!(tried.step(), step);
        assert!(header(&mut tried).ends_with(" so far"), "step {step}");
        tried.press("ArrowRight");
    }
    assert!(header(&mut tried).contains(" leads, after "), "{}", header(&mut tried));
    tried.no_errors("the end");
}

#[test]
fn a_step_in_the_address_is_this_step() {
    let Some(mut tried) = Tried::still() else { return };
    tried.open(&page("chang-roberts", "ring:6", "synchronous"), "step=0");
    let steps = tried.value("suffrage.run.times.length");
    assert_eq!(tried.text("#clock"), format!("step 0 of {steps} · start"));
    tried.press("ArrowRight");
    assert_eq!(tried.text("#clock"), format!("step 1 of {steps} · tick 0"));
    tried.value("location.hash = '#step=5', new Promise((done) => setTimeout(done, 50))");
    tried.settle();
    assert_eq!((tried.step(), tried.text("#clock")), (5, format!("step 5 of {steps} · tick 4")));
    // Each event of the step has a line of its own.
    let events = "suffrage.run.events.filter((event) => event.at === suffrage.run.times[4]).map((event) => event.words)";
    let lines = "[...document.querySelectorAll('#caption li')].map((line) => line.textContent)";
    assert_eq!(tried.value(lines), tried.value(events));
    assert!(!tried.text("#caption").contains(" of step "), "ticks are no steps");
    // What is shared leads back here.
    tried.value("suffrage.choose({ process: 2 })");
    tried.settle();
    let copied = "(() => { navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }; })()";
    tried.value(copied);
    tried.click("#share");
    let copied = tried.value("window.copied");
    assert!(copied.as_str().unwrap().ends_with("page.html#step=5&process=2"), "{copied}");
    assert_eq!(tried.text("#share"), "Copied");
    tried.click("#copy");
    let command = "suffrage elect chang-roberts --topology ring:6";
    assert_eq!(tried.value("window.copied"), json!(command));
    tried.no_errors("addresses");
}

#[test]
fn members_have_not_started_and_votes_are_drawn() {
    let Some(mut tried) = Tried::still() else { return };
    tried.open(&tenure(), "step=0");
    assert_eq!(tried.value("suffrage.moment.lives"), json!(vec!["has not started"; 5]));
    assert!(tried.text("#lives").starts_with("has not started"));
    // By the first time that a member leads, it has asked, and a majority has granted; heartbeats are not drawn.
    let drawn = |tried: &mut Tried, kind: &str, until: &str| {
        tried.value(&format!(
            "(() => {{ const {{ run }} = suffrage, first = run.events.find((event) => event.sign === 'lead').at; \
             return run.messages.filter((one) => run.kinds[one.kind] === {kind:?} && one.ends >= 0 && {until} \
             && one.at < run.events[one.ends].at).length; }})()"
        ))
        .as_u64()
        .unwrap()
    };
    let first = "run.events[one.ends].at <= first";
    assert!(drawn(&mut tried, "request", first) >= 2);
    assert!(drawn(&mut tried, "grant", first) >= 2);
    let renewed = tried.value(
        "suffrage.run.tenure.flights.filter(([kind]) => suffrage.run.kinds[kind] === 'renew').length",
    );
    assert!(drawn(&mut tried, "renew", "true") * 10 < renewed.as_u64().unwrap());
    assert!(tried.text("#idea").contains("lease"));
    tried.no_errors("votes");
}

#[test]
fn on_a_phone_nothing_lies_over_a_picture() {
    let Some(mut tried) = Tried::still() else { return };
    let page = page("chang-roberts", "ring:9", "synchronous");
    for (width, height) in [(390, 844), (844, 390), (360, 640)] {
        tried.browser.resize(width, height).unwrap();
        for fragment in ["step=4", "step=4&process=3"] {
            tried.open(&page, fragment);
            for scrolled in [0, 150, 400] {
                tried.value(&format!("scrollTo(0, {scrolled})"));
                for picture in ["#network", "#diagram"] {
                    let over = meet(&mut tried, "#transport", picture);
                    assert!(!over, "{width} x {height}, {picture}");
                }
            }
            let wide = "document.documentElement.scrollWidth <= innerWidth";
            assert_eq!(tried.value(wide), json!(true), "{width} x {height}");
        }
        tried.value("scrollTo(0, 0)");
        let bottom = edges(&mut tried, "#network")[3];
        assert!(bottom <= f64::from(height), "the network is whole: {bottom} of {height}");
        let whole = "(() => { const { at, radius, surface } = suffrage.network; return at.every(([x, y]) => \
                     x > radius && y > radius && x < surface.width - radius && y < surface.height - radius); })()";
        assert_eq!(tried.value(whole), json!(true), "{width} x {height}");
    }
    tried.no_errors("phones");
}

#[test]
fn many_processes_keep_headings_and_lifelines() {
    let Some(mut tried) = Tried::still() else { return };
    for (nodes, shared) in [(130, 1), (700, 5)] {
        tried.open(&page("chang-roberts", &format!("ring:{nodes}"), "synchronous"), "step=30");
        assert_eq!(tried.value("suffrage.diagram.shared"), json!(shared), "{nodes}");
        let written = written(&mut tried);
        let heads = written.iter().filter(|text| text.starts_with('p')).count();
        assert!(written.contains(&"p0".to_owned()) && heads >= 10, "{nodes}: {written:?}");
        let told = format!("{shared} processes in each column");
        assert_eq!(written.contains(&told), shared > 1, "{nodes}");
        // The lifelines up to the present are drawn: a pixel of a column is not the background.
        let ink = "(() => { const d = suffrage.diagram, { canvas, context, ratio } = d.surface; \
                   const row = Math.round((d.y(28) - 5) * ratio); \
                   const { data } = context.getImageData(0, row, canvas.width, 1); \
                   let lines = 0; for (let x = 1; x < canvas.width; x += 1) if (data[4 * x + 3] > 60 && data[4 * x - 1] <= 60) lines += 1; \
                   return lines; })()";
        let lines = tried.value(ink).as_u64().unwrap();
        assert!(lines >= 60, "{nodes}: {lines} lines");
    }
    tried.no_errors("many processes");
}

#[test]
fn arrows_over_the_edge_of_a_ring_leave_and_enter_at_the_sides() {
    let Some(mut tried) = Tried::still() else { return };
    let longest = "(() => { const d = suffrage.diagram, { run } = suffrage; return Math.max(...run.messages.flatMap((one) => \
                   d.pieces(one, 0, 10, 1)).map(([[x1], [x2]]) => Math.abs(x2 - x1) / d.pitch)); })()";
    let pieces = "suffrage.run.messages.filter((one) => Math.abs(one.from - one.to) === suffrage.run.nodes - 1).map((one) => \
                  suffrage.diagram.pieces(one, 0, 10, 1).length)";
    for (network, algorithm) in [("ring:9", "chang-roberts"), ("ring:6", "franklin")] {
        tried.open(&page(algorithm, network, "synchronous"), "step=4");
        assert!(tried.value(longest).as_f64().unwrap() < 1.01, "no arrow crosses the diagram");
        let pieces = tried.value(pieces);
        let pieces = pieces.as_array().unwrap();
        assert!(!pieces.is_empty() && pieces.iter().all(|one| *one == json!(2)), "{network}");
    }
    // A network that is no ring has no edge to go over.
    tried.open(&page("humblet", "complete:6", "synchronous"), "step=4");
    assert_eq!(tried.value("suffrage.run.isRing"), json!(false));
    tried.no_errors("edges");
}

#[test]
fn each_invariant_has_one_line_and_each_word_a_sentence() {
    let Some(mut tried) = Tried::still() else { return };
    for (network, algorithm) in [("ring:9", "chang-roberts"), ("grid:4x5", "echo-extinction")] {
        tried.open(&page(algorithm, network, "synchronous"), "step=4");
        let high = "[...document.querySelectorAll('#held li')].filter((one) => one.offsetHeight > 30).length";
        assert_eq!(tried.value(high), json!(0), "{algorithm}");
        tried.click("#held summary");
        let says = tried.text("#held p");
        assert!(says.ends_with('.'), "{says}");
    }
    let shown = "[...document.querySelectorAll('#words dt')].filter((one) => one.offsetParent).map((one) => \
                 [one.textContent, one.nextElementSibling.textContent])";
    for (page, word) in [(page("lelann", "ring:4", "random"), "invariant"), (tenure(), "lease")] {
        tried.open(&page, "step=1");
        tried.press("?");
        let words = tried.value(shown);
        let words = words.as_array().unwrap();
        assert!(words.len() >= 5, "{words:?}");
        assert!(words.iter().any(|one| one[0].as_str().unwrap().contains(word)), "{word}");
        // Each fact that is shown of a run has a sentence, except for the plain ones.
        let facts = tried
            .value("[...document.querySelectorAll('#facts dt')].map((one) => one.textContent)");
        for fact in facts.as_array().unwrap().iter().map(|fact| fact.as_str().unwrap()) {
            let plain = ["algorithm", "network", "size", "protocol", "length"].contains(&fact);
            let word = fact.trim_end_matches('s');
            let told = words.iter().any(|one| one[0].as_str().unwrap().contains(word));
            assert!(plain || told, "{fact}");
        }
        for one in words {
            let says = one[1].as_str().unwrap();
            assert!(says.ends_with('.') && says.len() > 20, "{one}");
        }
        let pairs =
            "[...document.querySelectorAll('#words dd')].filter((one) => one.offsetParent).length";
        assert_eq!(tried.value(pairs), json!(words.len()), "a word with its sentence");
    }
    tried.no_errors("words");
}

#[test]
fn nothing_on_paper_is_empty() {
    let Some(mut tried) = Tried::still() else { return };
    tried.browser.prefer(Preferences { still: true, print: true, dark: true }).unwrap();
    for (page, what) in
        [(page("chang-roberts", "ring:6", "synchronous"), "ring"), (tenure(), "tenure")]
    {
        tried.open(&page, "step=4");
        tried.value("dispatchEvent(new Event('beforeprint'))");
        tried.settle();
        let empty = "[...document.querySelectorAll('section, p, ul, dl, table')].filter((one) => one.offsetParent && \
            !one.textContent.replace(one.querySelector('h2')?.textContent ?? '', '').trim() && !one.querySelector('canvas')).map((one) => \
            one.outerHTML.slice(0, 80))";
        assert_eq!(tried.value(empty), json!([]), "{what}");
        let blank = "[...document.querySelectorAll('canvas')].filter((one) => one.offsetParent && \
             !one.getContext('2d').getImageData(0, 0, one.width, one.height).data.some((part) => part > 0)).length";
        assert_eq!(tried.value(blank), json!(0), "{what}");
        assert_eq!(tried.value("document.documentElement.dataset.theme"), json!("light"));
        let closed = "document.querySelectorAll('#held details:not([open])').length";
        assert_eq!(tried.value(closed), json!(0), "{what}: what an invariant says is on paper");
        assert!(tried.text("#clock").starts_with("step 4 of "), "which step it is");
        tried.value("dispatchEvent(new Event('afterprint'))");
    }
    tried.no_errors("paper");
}

#[test]
fn numbers_have_separators() {
    let Some(mut tried) = Tried::still() else { return };
    tried.open(&page("chang-roberts", "ring:600", "synchronous"), "step=2000");
    let mut read = String::new();
    for place in ["#outcome", "#against", "#clock", "#facts", "#caption"] {
        read += &tried.text(place);
        read.push('\n');
    }
    let cells =
        "[...document.querySelectorAll('#table td')].map((cell) => cell.textContent).join(' ')";
    read += tried.value(cells).as_str().unwrap();
    tried.value("suffrage.choose({ process: 3 })");
    tried.settle();
    read += &tried.text("#details .chosen-line");
    let digits = read.split(|letter: char| !letter.is_ascii_digit());
    assert_eq!(
        digits.filter(|run| run.len() > 3).collect::<Vec<_>>(),
        Vec::<&str>::new(),
        "{read}"
    );
    assert!(read.contains(" leads, after ") && read.contains(','), "{read}");
    tried.no_errors("numbers");
}

#[test]
fn a_drag_moves_through_time() {
    let Some(mut tried) = Tried::still() else { return };
    let drag = |tried: &mut Tried, canvas: &str, from: [f64; 2], to: [f64; 2]| {
        let [left, top, ..] = edges(tried, canvas);
        for (kind, [x, y]) in [("mousePressed", from), ("mouseMoved", to), ("mouseReleased", to)] {
            let event = json!({ "type": kind, "x": left + x, "y": top + y, "button": "left", "buttons": 1, "clickCount": 1 });
            tried.browser.call("Input.dispatchMouseEvent", event).unwrap();
        }
        tried.settle();
    };
    let now = |tried: &mut Tried| tried.value("suffrage.now").as_f64().unwrap();
    // In a run that fits, the present goes with the pointer; in others, as far as the pointer goes.
    for network in ["ring:4", "ring:40"] {
        tried.open(&page("chang-roberts", network, "synchronous"), "step=5");
        let unit = tried.value("suffrage.diagram.unit").as_f64().unwrap();
        let at = tried.value("suffrage.diagram.y(suffrage.now)").as_f64().unwrap();
        drag(&mut tried, "#diagram", [200.0, at], [200.0, at + 2.0 * unit]);
        assert!((now(&mut tried) - 6.0).abs() < 0.1, "{network}: {}", now(&mut tried));
        assert_eq!(tried.value("suffrage.chosen.process"), json!(-1), "a drag is no click");
        let [left, top, ..] = edges(&mut tried, "#network");
        let node = tried.value("suffrage.network.at[2]");
        let (x, y) = (node[0].as_f64().unwrap(), node[1].as_f64().unwrap());
        tried.browser.click_at(left + x, top + y).unwrap();
        tried.settle();
        assert_eq!(tried.value("suffrage.chosen.process"), json!(2), "a click after a drag is one");
        tried.value("document.querySelector('#counts').scrollIntoView()");
        drag(&mut tried, "#counts", [100.0, 60.0], [50.0, 60.0]);
        assert!(now(&mut tried) < 5.0, "{network}: {}", now(&mut tried));
    }
    tried.open(&tenure(), "step=5");
    let before = now(&mut tried);
    drag(&mut tried, "#diagram", [200.0, 100.0], [200.0, 200.0]);
    assert!(now(&mut tried) > before);
    tried.no_errors("drags");
}

/// The parts of a page that are the same for every run stay small.
#[test]
fn the_page_itself_is_small() {
    let run = page("chang-roberts", "ring:3", "synchronous");
    let own = run.html().len() - run.content().len();
    assert!(own < 140_000, "{own} bytes");
}
