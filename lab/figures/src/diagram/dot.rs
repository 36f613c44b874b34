//! A drawing as a graph for Graphviz: the causal order of its events.

use super::view::DrawingView;
use crate::svg::COLOURS;
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) fn dot(view: &DrawingView<'_>) -> String {
    let drawing = view.drawing;
    let chain = drawing.longest_chain();
    let mut text = String::from("digraph run {\n");
    let _ = writeln!(
        text,
        "  label={}; labelloc=t; rankdir=LR; newrank=true; nodesep=0.35;",
        quoted(&drawing.title)
    );
    text += "  fontname=\"Helvetica\"; node [shape=box, style=rounded, fontname=\"Helvetica\", \
             fontsize=10]; edge [fontname=\"Helvetica\", fontsize=9];\n";
    let mut lanes: BTreeMap<u32, Vec<usize>> =
        view.lanes.iter().map(|&p| (p, Vec::new())).collect();
    for (number, event) in view.events() {
        if let Some(lane) = event.node.and_then(|node| lanes.get_mut(&node)) {
            lane.push(number);
        }
    }
    for (node, events) in &lanes {
        let head = format!("p{node}, {}", drawing.heads[*node as usize]);
        let _ = writeln!(text, "  p{node} [label={}, shape=plaintext];", quoted(&head));
        for &event in events {
            let drawn = &drawing.events[event];
            let of_arrow = drawn.arrow.is_some();
            let mut said = if of_arrow { drawn.consequences() } else { drawn.happenings() };
            said.insert(0, drawing.style.clock.label(drawn.at));
            let _ = writeln!(text, "  e{event} [label={}];", quoted(&said.join("\n")));
        }
        let names = events.iter().map(|event| format!("e{event}"));
        let line: Vec<String> = std::iter::once(format!("p{node}")).chain(names).collect();
        if line.len() > 1 {
            let joined = line.join(" -> ");
            let _ = writeln!(text, "  {joined} [weight=8, arrowhead=none, color=\"#999999\"];");
        }
    }
    // In order from left to right, and in columns from top to bottom.
    if lanes.len() > 1 {
        let names: Vec<String> = lanes.keys().map(|node| format!("p{node}")).collect();
        let _ = writeln!(text, "  {{ rank=same; {} [style=invis]; }}", names.join(" -> "));
    }
    for (number, message) in view.messages() {
        let (Some(sent), Some(end)) = (message.sent, message.ends()) else { continue };
        if !(view.shown[sent] && view.shown[end]) || drawing.events[end].node.is_none() {
            continue;
        }
        let colour = COLOURS[message.kind % COLOURS.len()];
        let width = if chain.contains(&number) { ", penwidth=3" } else { "" };
        let _ = writeln!(
            text,
            "  e{sent} -> e{end} [label={}, color=\"{colour}\", fontcolor=\"{colour}\"{width}];",
            quoted(&message.text)
        );
    }
    text + "}\n"
}

/// A string of the language.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{text}\"")
}
