//! The result of an exploration for people.

use crate::error::Error;
use crate::report::sheet::Sheet;
use crate::terminal::Emphasis;
use crate::trace;
use std::collections::BTreeMap;
use suffrage::checker::{FaultBudget, Wake};
use suffrage::experiment::number::{count, grouped};
use suffrage::experiment::report::{
    Checked, CheckedInstance, CheckedKind, CountRange, DepthRange, ExpectedRange,
    ExplorationVerdict, LongestTime, NearestToBound, PhaseRanges, ReportedChances, fault_words,
};

/// Formats the report for people, with a diagram of the run if a property is broken.
pub(crate) fn text(checked: &Checked) -> Result<String, Error> {
    let mut sheet = Sheet::titled(&format!("{}: {}", checked.algorithm, checked.family));
    for (note, name) in
        checked.notes.iter().zip(std::iter::once("note").chain(std::iter::repeat("")))
    {
        sheet.line(name, note);
    }
    let mut conditions = vec![match checked.wake {
        Wake::AtStart => "all wake before anything else happens".to_owned(),
        Wake::AnyTime => "each wakes at any moment".to_owned(),
        Wake::AnyTimeOrNever => "each wakes at any moment, or never".to_owned(),
    }];
    match checked.capacity {
        Some(1) => conditions.push("links hold one message".to_owned()),
        Some(most) => conditions.push(format!("links hold {most} messages")),
        None => {}
    }
    conditions.extend(fault_words(&checked.faults).map(|fault| format!("fault {fault}")));
    sheet.line("conditions", &conditions.join("; "));
    let counted =
        checked.faults != FaultBudget { no_fifo: checked.faults.no_fifo, ..FaultBudget::default() };
    let how = match checked.full || counted {
        true => "every configuration",
        false => "as many configurations as are enough for every schedule",
    };
    let of = match checked.instances == checked.of {
        true if checked.of == 1 => "the only instance".to_owned(),
        true => format!("all {}", count(checked.of, "instance")),
        false => format!("{} of {}", grouped(checked.instances), count(checked.of, "instance")),
    };
    sheet.line("explored", &format!("{of}, {how}"));
    if checked.explored < checked.instances {
        sheet.line(
            "  of these",
            &format!(
                "{} themselves; the others are parts of these, or isomorphic",
                grouped(checked.explored)
            ),
        );
    }
    sheet.line(
        "configurations",
        &format!(
            "{} (at most {} in an instance), {}, {}",
            grouped(checked.states),
            grouped(checked.largest),
            count(checked.transitions, "step"),
            count(checked.terminal, "end")
        ),
    );
    if !checked.invariants.is_empty() {
        let names = checked.invariants.join(", ");
        sheet.line("invariants", &format!("in every configuration explored: {names}"));
    }
    sheet.plain("");
    cost(checked, &mut sheet);
    if !checked.winners.is_empty() {
        let winners: Vec<String> = checked.winners.iter().map(|id| spelled(checked, *id)).collect();
        sheet.line("can win", &format!("id {}", winners.join(", ")));
    }
    end(checked, &mut sheet);
    let mut text = sheet.into_text();
    if let Some(run) = checked.counterexample.as_ref().and_then(|broken| broken.run.as_ref()) {
        text.push('\n');
        text.push_str(&trace::drawn(run)?);
    }
    Ok(text)
}

fn cost(checked: &Checked, sheet: &mut Sheet) {
    if let Some(messages) = checked.messages {
        sheet.line("messages", &range(messages));
    }
    if let Some(PhaseRanges { election, announcement }) = checked.by_phase {
        sheet.line("  election", &range(election));
        sheet.line("  announcement", &range(announcement));
    }
    if let Some(kinds) = &checked.by_kind {
        let of = |kind: &CheckedKind| format!("{} {}", kind.kind, range(kind.messages));
        sheet.line("  by kind", &kinds.iter().map(of).collect::<Vec<_>>().join(", "));
    }
    if let Some(chances) = &checked.chances {
        expected(chances, sheet);
    }
    if let Some(DepthRange { min, max }) = checked.causal_depth {
        let text = match min {
            Some(min) => range(CountRange { min, max }),
            None => format!("at most {}", grouped(max)),
        };
        sheet.line("causal depth", &text);
    }
    if let Some(LongestTime { greatest, decided, bound }) = &checked.time {
        let text = match greatest {
            Some(units) => format!("at most {}", count(*units, "unit")),
            None if !decided => "no unit more than the causal depth, which \
                 exceeds the bound; --full finds the time"
                .to_owned(),
            None => "no unit more than the causal depth".to_owned(),
        };
        sheet.line("time", &text);
        let stated = || bound.claim.stated().sentence();
        sheet.line("  bound", &if *decided { bound.nearest() } else { stated() });
    }
    if let Some(bound) = &checked.bound {
        let nearest = match bound {
            NearestToBound { most: Some(most), messages: Some(of), ratio: Some(ratio), .. } => {
                format!("; nearest: {most} of {} ({ratio})", grouped(of))
            }
            _ => String::new(),
        };
        let stated = bound.claim.stated();
        let claimed =
            if bound.claim.exact == Some(true) { stated.signed() } else { stated.sentence() };
        if !nearest.is_empty() || checked.chances.is_some() {
            sheet.line("bound", &(claimed + &nearest));
        }
    }
    if let Some(worst) = &checked.worst_case {
        sheet.line("dearest", &words(worst, &checked.written));
    }
}

fn spelled(checked: &Checked, id: u64) -> String {
    checked.written.get(&id).cloned().unwrap_or_else(|| id.to_string())
}

fn end(checked: &Checked, sheet: &mut Sheet) {
    sheet.plain("");
    let Some(counterexample) = &checked.counterexample else {
        let text = match checked.verdict {
            ExplorationVerdict::Holds
                if checked.time.as_ref().is_some_and(|time| !time.decided) =>
            {
                "every other property holds on every schedule; the bound on time is not decided"
            }
            ExplorationVerdict::Holds if checked.endless > 0 => {
                "every property holds on every schedule; elections end with probability 1, as \
                 long as every message is delivered"
            }
            ExplorationVerdict::Holds if checked.faults == FaultBudget::default() => {
                "every property holds on every schedule"
            }
            ExplorationVerdict::Holds => {
                "safe on every schedule: never two leaders, no decision taken back"
            }
            ExplorationVerdict::Interrupted => "no property is broken on what was explored",
            ExplorationVerdict::Broken | ExplorationVerdict::OutOfMemory => {
                "no property is broken on what was explored; the memory is used up"
            }
        };
        return sheet.line("verdict", text);
    };
    sheet.emphasized(
        "BROKEN",
        &format!("{}: {}", counterexample.property, counterexample.detail),
        Emphasis::Broken,
    );
    let what = match counterexample.shortest {
        true => "no execution with fewer steps breaks a property",
        false => "other executions may have fewer steps",
    };
    let steps = count(counterexample.steps as u64, "step");
    sheet.line("execution", &format!("{steps}; {what}"));
    sheet.line("on", &words(&counterexample.instance, &checked.written));
    if checked.failing > 1 || checked.instances == checked.of && checked.of > 1 {
        let (failing, of) = (grouped(checked.failing), count(checked.instances, "instance"));
        sheet.line("failing", &format!("{failing} of {of}"));
    }
}

/// Adds what is expected over the random choices.
fn expected(of: &ReportedChances, sheet: &mut Sheet) {
    // Six digits after the point are exact.
    let text = |ExpectedRange { min, max }: ExpectedRange| {
        let [min, max] = [min, max].map(|of| format!("{of:.6}"));
        if min == max { min } else { format!("{min} to {max}") }
    };
    sheet.line("expected", &format!("{} messages, by the schedule", text(of.messages)));
    sheet.line("  election", &text(of.election));
    sheet.line("  announcement", &text(of.announcement));
    sheet.line("one leads", &format!("with probability {}", text(of.elected)));
}

/// Describes the instance, with identities as they are written.
pub(super) fn words(instance: &CheckedInstance, written: &BTreeMap<u64, String>) -> String {
    let ids =
        instance.ids.iter().map(|id| written.get(id).cloned().unwrap_or_else(|| id.to_string()));
    let list = |numbers: &mut dyn Iterator<Item = u64>| {
        numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
    };
    let nodes = instance.ids.len();
    // The links of these two need no list.
    let complete = instance.links.len() == nodes * (nodes - 1) / 2;
    let next = |node: u32| (node + 1) % nodes as u32;
    let mut ring: Vec<(u32, u32)> =
        (0..nodes as u32).map(|node| (node.min(next(node)), node.max(next(node)))).collect();
    ring.sort_unstable();
    ring.dedup();
    let mut text = format!(
        "instance {}: ids {}, initiators {}",
        grouped(instance.number + 1),
        ids.collect::<Vec<_>>().join(" "),
        list(&mut instance.initiators.iter().map(|&node| node.into())),
    );
    if !complete && instance.links != ring {
        let links = instance.links.iter().map(|(a, b)| format!("{a}-{b}"));
        text.push_str(&format!(", links {}", links.collect::<Vec<_>>().join(" ")));
    }
    text
}

fn range(CountRange { min, max }: CountRange) -> String {
    match min == max {
        true => grouped(min),
        false => format!("{} to {}", grouped(min), grouped(max)),
    }
}
