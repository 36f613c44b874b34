//! A drawing as text: a column for each process, time downwards, a row for each event.

use super::WIDTH;
use super::canvas::{self, Life, Stroke};
use super::drawing::DrawnEvent;
use super::view::DrawingView;
use super::words::wrapped;
use std::fmt::Write;

/// The least number of characters a line for the text beside the columns, and in narrow diagrams.
const LEAST: usize = 44;
const LEAST_IN_NARROW: usize = 24;

/// The whole diagram, in lines of at most `width` characters where it has few enough processes.
/// Below it is what its signs mean.
pub(super) fn text(view: &DrawingView<'_>, width: usize) -> String {
    let mut text = String::new();
    let drawing = view.drawing;
    let names: Vec<_> = view.lanes.iter().map(|node| format!("p{node}")).collect();
    let heads: Vec<_> =
        view.lanes.iter().map(|&node| drawing.heads[node as usize].clone()).collect();
    // Heads that are wider than a column have a line each.
    let wide = heads.iter().any(|head| head.len() >= canvas::COLUMN);
    let margin = drawing.style.margin;
    let mut line = |label: &str, columns: &str, said: &str| {
        let line = format!("{label:>margin$}  {columns}  {said}");
        let _ = writeln!(text, "{}", line.trim_end());
    };
    line("", &canvas::words(&names), "");
    if wide {
        for (name, head) in names.iter().zip(&heads) {
            line("", &format!("{name}: {head}"), "");
        }
    } else {
        line("", &canvas::words(&heads), "");
    }
    let least = if width < WIDTH { LEAST_IN_NARROW } else { LEAST };
    let room = width.saturating_sub(margin + 2 + view.lanes.len() * canvas::COLUMN + 2).max(least);
    let mut marks = Vec::new();
    let chosen = |lives: &[Life]| -> Vec<Life> {
        view.lanes.iter().map(|&node| lives[node as usize]).collect()
    };
    let between = |lives: &[Life]| canvas::lines(lives).into_iter().collect::<String>();
    let (mut begun, mut leads) = (false, false);
    let last = view.walk(|_, event, before, after| {
        let (before, after) = (chosen(before), chosen(after));
        if !std::mem::replace(&mut begun, true) {
            line("", &between(&before), "");
        }
        leads |= after.contains(&Life::Leader);
        let (columns, drawn) = canvas::row(&before, &strokes(view, event));
        marks.extend(drawn);
        let mut said = wrapped(&view.phrases(event), room).into_iter();
        let label = drawing.style.clock.label(event.at);
        line(&label, &columns, &said.next().unwrap_or_default());
        for more in said {
            line("", &between(&after), &more);
        }
    });
    if !begun {
        line("", &between(&chosen(&last)), "");
    }
    if view.is_to_the_end {
        let words: Vec<_> = chosen(&last).iter().map(|life| life.word().to_owned()).collect();
        line("", &canvas::words(&words), "");
    }
    let mut signs = canvas::legend(&marks);
    signs.push(drawing.style.quiet.explained());
    if leads {
        signs.push(Life::Leader.explained());
    }
    signs.push(drawing.style.ends.to_owned());
    let _ = writeln!(text);
    for line in wrapped(&signs, width.saturating_sub(margin + 2)) {
        let _ = writeln!(text, "{}{line}", " ".repeat(margin + 2));
    }
    text
}

/// The strokes in the row of an event. A message whose other end is not drawn is a sign alone.
fn strokes(view: &DrawingView<'_>, event: &DrawnEvent) -> Vec<Stroke> {
    let lane = |node| view.lane(node).map(|lane| lane as u32);
    let arrow = event.arrow.and_then(|(message, head)| {
        let message = &view.drawing.messages[message];
        match (lane(message.from), lane(message.to)) {
            (Some(from), Some(to)) => Some(Stroke::Arrow { from, to, head }),
            (None, Some(to)) if !head.is_on_the_way() => Some(Stroke::Dot(to, head)),
            _ => None,
        }
    });
    let dots = event.dots.iter().filter_map(|&(node, mark)| Some(Stroke::Dot(lane(node)?, mark)));
    arrow.into_iter().chain(dots).collect()
}
