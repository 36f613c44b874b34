//! What may be chosen to happen next.

use crate::diagram::Diagram;
use serde::Serialize;
use suffrage_model::{Action, End};
use suffrage_networks::wiring::Wiring;

/// What may be chosen to happen next.
#[derive(Serialize)]
pub(super) struct OfferedAction {
    words: String,
    /// What it is: `wake`, `alarm`, `deliver`, `lose`, `duplicate` or `crash`.
    what: &'static str,
    /// The process to which it happens.
    node: u32,
    /// The message that arrives or is struck.
    message: Option<usize>,
}

impl OfferedAction {
    pub(super) fn of(action: Action, diagram: &Diagram, wiring: &Wiring) -> Self {
        let on_link = |to: End, place| {
            let from = wiring.across(to.node, to.port);
            let message = diagram.on_link(from, place);
            let name = message.map_or("a message", |message| diagram.name_of(message));
            (message, format!("{name} from p{}", from.node))
        };
        let process = |what, node, words| Self { words, what, node, message: None };
        match action {
            Action::Wake(node) => process("wake", node, format!("p{node} wakes")),
            Action::Alarm(node) => process("alarm", node, format!("the alarm of p{node} rings")),
            Action::Crash(node) => process("crash", node, format!("p{node} crashes")),
            Action::Deliver { to, overtakes } => {
                let (message, name) = on_link(to, overtakes as usize);
                let node = to.node;
                let mut words = format!("p{node} gets {name}");
                if overtakes > 0 {
                    words += &format!(", which overtakes {overtakes}");
                }
                Self { words, what: "deliver", node, message }
            }
            Action::Lose { to } => {
                let (message, name) = on_link(to, 0);
                let (node, words) = (to.node, format!("{name} to p{} is lost", to.node));
                Self { words, what: "lose", node, message }
            }
            Action::Duplicate { to } => {
                let (message, name) = on_link(to, 0);
                let (node, words) = (to.node, format!("{name} to p{} is doubled", to.node));
                Self { words, what: "duplicate", node, message }
            }
        }
    }
}
