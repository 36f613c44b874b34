//! A drawing as a log with vector clocks, for `ShiViz`.
//!
//! Each event has two lines, which the default regular expression of `ShiViz` reads:
//! `(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`.

use super::view::DrawingView;
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) fn shiviz(view: &DrawingView<'_>) -> String {
    let drawing = view.drawing;
    // How many messages of each event will arrive.
    let mut under_way: BTreeMap<usize, usize> = BTreeMap::new();
    for origin in (0..drawing.events.len()).filter_map(|event| drawing.origin(event)) {
        *under_way.entry(origin).or_default() += 1;
    }
    // What each process knows of those that are drawn: others carry it, too.
    let mut clocks: Vec<Vec<u32>> = vec![vec![0; view.lanes.len()]; drawing.heads.len()];
    // What messages under way know, by the event in which they were sent.
    let mut known: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    let mut text = String::new();
    for (number, event) in drawing.events.iter().enumerate() {
        let Some(node) = event.node else { continue };
        if let Some(origin) = drawing.origin(number) {
            let sender = known.get(&origin).into_iter().flatten();
            for (mine, theirs) in clocks[node as usize].iter_mut().zip(sender) {
                *mine = (*mine).max(*theirs);
            }
            if let Some(left) = under_way.get_mut(&origin) {
                *left -= 1;
                if *left == 0 {
                    known.remove(&origin);
                }
            }
        }
        if let (true, Some(lane)) = (view.shown[number], view.lane(node)) {
            clocks[node as usize][lane] += 1;
            line(&mut text, view, node, &clocks[node as usize]);
            let said = view.phrases(event).join(" · ").replace(['\n', '\r'], " ");
            let _ = writeln!(text, "{said}");
        }
        if under_way.contains_key(&number) {
            known.insert(number, clocks[node as usize].clone());
        }
    }
    text
}

fn line(text: &mut String, view: &DrawingView<'_>, node: u32, clock: &[u32]) {
    let entries = view.lanes.iter().zip(clock).filter(|(_, count)| **count > 0);
    let entries: Vec<_> = entries.map(|(lane, count)| format!("\"p{lane}\":{count}")).collect();
    let _ = writeln!(text, "p{node} {{{}}}", entries.join(","));
}
