//! The lines of the page.

use super::keys::HELP;
use super::model::{Kind, Page, Row, short};
use crate::demo::look::Condition;
use crate::demo::town::TIMING;
use std::time::Duration;

/// What the page is to teach.
const GUARANTEE: &str = "A leader's command ends before the lease that it holds, and members elect \
                         another only after the lease that they owe is over: never two at once.";

/// The weight of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Strong,
    Faint,
    Good,
    Warning,
    Bad,
}

/// A line: texts, each with its tone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) spans: Vec<(String, Tone)>,
    /// The number of texts that are highlighted, the first ones.
    pub(super) highlighted: usize,
}

impl Line {
    fn of(text: impl Into<String>, tone: Tone) -> Self {
        Self::default().and(text, tone)
    }

    fn and(mut self, text: impl Into<String>, tone: Tone) -> Self {
        self.spans.push((text.into(), tone));
        self
    }

    pub(super) fn width(&self) -> usize {
        self.spans.iter().map(|(text, _)| text.chars().count()).sum()
    }

    fn fitted(mut self, width: usize) -> Self {
        let mut room = width;
        for (text, _) in &mut self.spans {
            *text = text.chars().take(room).collect();
            room -= text.chars().count();
        }
        self.spans.retain(|(text, _)| !text.is_empty());
        self
    }
}

pub(super) fn lines(page: &Page, now: Duration, columns: usize, rows: usize) -> Vec<Line> {
    if page.explains {
        return explained(page, now, columns, rows);
    }
    let mut keys = keys(columns);
    let guarantee = wrapped(GUARANTEE, columns);
    let mut top = vec![title(page, now, columns)];
    let mut table =
        vec![Line::of(format!("     {:<26}{:>10}  lease", "member", "since"), Tone::Faint)];
    let numbered = page.rows.iter().enumerate();
    table.extend(numbered.map(|(number, row)| member(page, number, row, columns)));
    let figures = figures(page, columns);
    // A small terminal has no room for everything. It loses first the space between the parts, then the text
    // of the guarantee, then the log.
    let all = top.len() + table.len() + figures.len() + keys.len();
    let spacious = rows >= all + guarantee.len() + LEAST + 4;
    let gap = || if spacious { vec![Line::default()] } else { vec![] };
    top.extend(gap());
    top.append(&mut table);
    top.extend(gap());
    if rows >= all {
        top.extend(figures);
    }
    top.extend(gap());
    let mut bottom = gap();
    if rows >= all + guarantee.len() + LEAST {
        bottom.extend(guarantee);
    }
    bottom.append(&mut keys);
    let room = rows.saturating_sub(top.len() + bottom.len());
    let mut lines = top;
    let kept = page.log.len().min(room);
    lines.extend(page.log.iter().skip(page.log.len() - kept).map(|entry| {
        let tone = match entry.kind {
            Kind::Step => Tone::Plain,
            Kind::Leads => Tone::Good,
            Kind::Ends => Tone::Warning,
            Kind::Refused => Tone::Bad,
        };
        let time = format!("{:>10.3} s  ", entry.at.as_secs_f64());
        Line::of(time, Tone::Faint).and(entry.text.as_str(), tone)
    }));
    lines.resize(rows.saturating_sub(bottom.len()).max(lines.len()), Line::default());
    lines.append(&mut bottom);
    lines.truncate(rows);
    lines.into_iter().map(|line| line.fitted(columns)).collect()
}

/// The least number of lines for the log.
const LEAST: usize = 3;

fn explained(page: &Page, now: Duration, columns: usize, rows: usize) -> Vec<Line> {
    let mut lines = vec![title(page, now, columns), Line::default()];
    lines.extend(HELP.iter().map(|(key, _, means)| {
        Line::of(format!(" {key:<8}"), Tone::Strong).and(*means, Tone::Plain)
    }));
    lines.push(Line::default());
    let states = "A member votes. Its program, `tenure lead`, stands for the office, and runs a \
                  command while it leads. A member that has elected a leader owes it a lease.";
    lines.extend(wrapped(states, columns));
    lines.push(Line::default());
    lines.push(Line::of(" any key: back to the members", Tone::Strong));
    lines.resize(rows, Line::default());
    lines.into_iter().map(|line| line.fitted(columns)).collect()
}

fn title(page: &Page, now: Duration, columns: usize) -> Line {
    let lease = TIMING.lease.as_millis();
    let left =
        Line::of(" tenure demo", Tone::Strong).and(format!("  lease {lease} ms"), Tone::Faint);
    let (text, tone) = match (page.leader, page.vacant(now)) {
        (Some((host, term)), _) => {
            (format!("member {} leads at term {term}", host + 1), Tone::Good)
        }
        (None, Some(vacant)) => {
            let lack = page.lack().map(|lack| format!(": {lack}"));
            (format!("no leader for {}{}", short(vacant), lack.unwrap_or_default()), Tone::Bad)
        }
        (None, None) => ("the members are starting".to_owned(), Tone::Warning),
    };
    let gap = columns.saturating_sub(left.width() + text.chars().count() + 1).max(2);
    left.and(" ".repeat(gap), Tone::Plain).and(text, tone)
}

fn member(page: &Page, number: usize, row: &Row, columns: usize) -> Line {
    let selected = page.selected == number;
    let leads = page.leader.is_some_and(|(host, _)| host == number);
    let sound = row.look.hears && row.look.heard;
    let tone = match row.look.condition {
        _ if leads && sound => Tone::Good,
        Condition::Runs if sound => Tone::Plain,
        Condition::Runs | Condition::Suspended => Tone::Warning,
        Condition::Killed | Condition::Crashed | Condition::Stopped => Tone::Bad,
    };
    let mut line = Line::default()
        .and(if selected { " > " } else { "   " }, Tone::Strong)
        .and(format!("{} ", number + 1), Tone::Strong)
        .and(format!("{:<26}", row.state), tone)
        .and(format!("{:>8.1} s ", row.since.as_secs_f64()), Tone::Faint);
    if selected {
        // The bar is not highlighted: reversed colours would show the contrary.
        line.highlighted = line.spans.len();
    }
    line = line.and(" ", Tone::Plain);
    let owed = page.latest.map(|host| (host, row.look.owed[host]));
    let lease = match (row.look.held, owed) {
        (Some(held), _) if leads => Some((held, Tone::Good, "held".to_owned())),
        (_, Some((host, owed))) if !owed.is_zero() => {
            Some((owed, Tone::Plain, format!("owed to {}", host + 1)))
        }
        _ => None,
    };
    if let Some((left, tone, what)) = lease {
        let cells = columns.saturating_sub(line.width() + 19).clamp(5, 50);
        // In whole cells, rounded up: the last cell goes when the lease ends.
        let part = left.as_secs_f64() / TIMING.owed().as_secs_f64();
        let full = ((part * cells as f64).ceil() as usize).min(cells);
        line = line
            .and("█".repeat(full), tone)
            .and("░".repeat(cells - full), Tone::Faint)
            .and(format!("{:>5} ms {what}", left.as_millis()), Tone::Plain);
    }
    line
}

/// How long the office was vacant, and whether everything was right.
fn figures(page: &Page, columns: usize) -> Vec<Line> {
    let mut lines = wrapped(&page.figures(), columns);
    match page.violations.last() {
        None => {
            let text = " never two commands at once; each term greater than all before it";
            lines.push(Line::of(text, Tone::Plain));
        }
        Some(last) => {
            let text = format!(" {} VIOLATIONS, the last: {last}", page.violations.len());
            lines.push(Line::of(text, Tone::Bad));
        }
    }
    lines
}

fn keys(columns: usize) -> Vec<Line> {
    let mut lines = vec![Line::default()];
    for (key, does) in HELP.iter().map(|(key, does, _)| (*key, *does)) {
        let pair = Line::of(format!(" {key} "), Tone::Strong).and(format!("{does} "), Tone::Faint);
        let last = lines.len() - 1;
        if lines[last].width() > 0 && lines[last].width() + pair.width() > columns + 1 {
            lines.push(pair);
        } else {
            lines[last].spans.extend(pair.spans);
        }
    }
    lines
}

fn wrapped(text: &str, columns: usize) -> Vec<Line> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let width = lines[last].chars().count() + 1 + word.chars().count();
        if !lines[last].is_empty() && width > columns {
            lines.push(String::new());
        }
        let last = lines.len() - 1;
        lines[last] += " ";
        lines[last] += word;
    }
    lines.into_iter().map(|line| Line::of(line, Tone::Plain)).collect()
}
