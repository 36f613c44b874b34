//! A drawing as a sequence diagram of Mermaid.

use super::canvas::Mark;
use super::drawing::DrawnEvent;
use super::view::DrawingView;
use std::fmt::Write;

pub(super) fn mermaid(view: &DrawingView<'_>) -> String {
    let drawing = view.drawing;
    let mut text = String::from("sequenceDiagram\n");
    if !drawing.title.is_empty() {
        let _ = writeln!(text, "    title {}", plain(&drawing.title));
    }
    for &node in &view.lanes {
        let head = plain(&drawing.heads[node as usize]);
        let _ = writeln!(text, "    participant p{node} as p{node}, {head}");
    }
    for (_, event) in view.events() {
        let notes = match arrow(view, event) {
            Some(line) => {
                let _ = writeln!(text, "    {line}");
                // The arrow shows the message that arrives, and later arrows show the messages sent.
                event.consequences()
            }
            None => event.happenings(),
        };
        let Some(&node) = event.node.iter().find(|&&node| view.has(node)) else {
            // An event at no process has its note over all of them.
            if let (None, [first, .., last]) = (event.arrow, view.lanes.as_slice()) {
                let said = plain(&notes.join(", "));
                let _ = writeln!(text, "    Note over p{first},p{last}: {said}");
            }
            continue;
        };
        if !notes.is_empty() {
            let side = if event.arrow.is_some() { "right of" } else { "over" };
            let _ = writeln!(text, "    Note {side} p{node}: {}", plain(&notes.join(", ")));
        }
    }
    text
}

/// A message as it arrives or is struck by a fault; `None` if there is none, or an end of it is not
/// drawn.
fn arrow(view: &DrawingView<'_>, event: &DrawnEvent) -> Option<String> {
    let (number, mark) = event.arrow?;
    let message = &view.drawing.messages[number];
    if !(view.has(message.from) && view.has(message.to)) {
        return None;
    }
    let arrow = match mark {
        Mark::Lose => "-x",
        Mark::Discard => "--x",
        Mark::Duplicate => "--)",
        _ => "-)",
    };
    let fate = match mark {
        Mark::Lose => " (lost)",
        Mark::Duplicate => " (doubled)",
        Mark::Discard => " (late)",
        _ => "",
    };
    let said = plain(&message.text);
    Some(format!("p{}{arrow}p{}: {said}{fate}", message.from, message.to))
}

/// Text in which no character has a meaning to Mermaid.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '#' => plain.push_str("#35;"),
            ';' => plain.push_str("#59;"),
            '<' => plain.push_str("#lt;"),
            '>' => plain.push_str("#gt;"),
            '{' | '}' | '"' | '%' | '`' => {
                let _ = write!(plain, "#{};", u32::from(c));
            }
            c if c.is_control() => plain.push(' '),
            c => plain.push(c),
        }
    }
    plain
}
