//! `tenure status`: shows the state of a member.

use crate::control::{ControlReply, Request, StatusReport, client};
use crate::error::CommandError;
use crate::join::AskedMember;
use crate::office::{OutputFormat, columns, pretty, with_word};
use crate::print;
use serde_json::Value;
use std::fmt::Write;

/// Show the state of a member: its record, the others, leases, round trips, clocks, pauses
///
/// Asks the member of this host, or with --config or --members the member of any host, like `tenure office`.
///
/// "lease held": how long the member can count on the lease that the other one has granted to it. "lease owed": how
/// long it keeps the lease that it has granted to the other one, even if it never hears from it again.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    asked: AskedMember,

    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

pub(crate) async fn run(args: &Args) -> Result<u8, CommandError> {
    let place = args.asked.place()?;
    let answer = client::ask(&place, &Request::Status);
    let ControlReply::Status(status) = with_word("waits for an answer", answer).await? else {
        return Err(CommandError::failed("the member answers nonsense"));
    };
    print(&match args.format {
        OutputFormat::Json => pretty(&status),
        OutputFormat::Text => text(&status),
    })?;
    Ok(0)
}

fn time(value: &Value) -> Option<f64> {
    Some(value.get("secs")?.as_f64()? * 1e3 + value.get("nanos")?.as_f64()? / 1e6)
}

fn shown(value: &Value) -> String {
    match time(value) {
        None => "-".to_owned(),
        Some(ms) if ms >= ENDLESS => "without end".to_owned(),
        Some(ms) => format!("{ms:.1} ms"),
    }
}

/// Times of more milliseconds have no end, such as the leadership of a member without others.
const ENDLESS: f64 = 1e15;

fn number(value: &Value) -> String {
    value.as_u64().map_or_else(|| "-".to_owned(), |number| number.to_string())
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or("-")
}

fn is(value: &Value) -> bool {
    value.as_bool().unwrap_or(false)
}

fn text(status: &StatusReport) -> String {
    let state = &status.state;
    let kind = if is(&state["member"]) { "member" } else { "client" };
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:16}{value}");
    };
    line(kind, format!("{} of {}", word(&state["name"]), word(&state["cluster"])));
    line("version", status.version.clone());
    let grants = match () {
        () if !is(&state["up"]) => "no: its record cannot be written",
        () if is(&state["learning"]) => {
            "no: it has no record, and learns from the others; a new cluster begins when all are up"
        }
        () if is(&state["quarantined"]) => "not yet: it has just come up",
        () => "yes",
    };
    line("votes", grants.to_owned());
    let storage = match word(&state["storage"]["state"]) {
        "failed" => format!("FAILED: {}", word(&state["storage"]["why"])),
        other => other.to_owned(),
    };
    line("record", storage);
    line(
        "disk",
        format!(
            "last sync {}, slowest {}, {} in all",
            shown(&state["last_sync"]),
            shown(&state["longest_sync"]),
            state["syncs"]
        ),
    );
    line("longest pause", shown(&state["longest_pause"]));
    line("majority heard", format!("{} ago", shown(&state["majority_heard"])));
    line(
        "timing",
        format!(
            "heartbeat {} ms, lease {} ms, stop {} ms",
            status.heartbeat_ms, status.lease_ms, status.stop_ms
        ),
    );
    let drift = state["clock_drift_ppm"].as_u64();
    let drift = drift
        .map(|ppm| format!("; this one ran {ppm} ppm off the rate of its hardware at the start"));
    line(
        "clocks",
        format!("may differ by {} ppm{}", status.clock_bound_ppm, drift.unwrap_or_default()),
    );
    line(
        "vacancy",
        format!(
            "at most {:.1} ms after a silent crash, if messages take no longer than now",
            status.longest_vacancy_ms
        ),
    );
    let counts = [
        "elections",
        "losses",
        "restarts",
        "sent",
        "received",
        "rejected",
        "undecodable",
        "dropped",
    ];
    let counts: Vec<_> = counts.iter().map(|&name| format!("{name} {}", state[name])).collect();
    line("counts", counts.join(", "));
    for table in [leaderships(state), peers("member", state), peers("client", state)] {
        if table.len() > 1 {
            text.push('\n');
            text += &columns(&table);
        }
    }
    text
}

fn leaderships(state: &Value) -> Vec<Vec<String>> {
    let mut rows = vec![["leads", "term", "certain for"].map(str::to_owned).to_vec()];
    for office in state["offices"].as_array().into_iter().flatten() {
        let name = word(&office["name"]).to_owned();
        if time(&office["valid_for"]).is_some() {
            rows.push(vec![name, number(&office["term"]), shown(&office["valid_for"])]);
        } else if is(&office["here"]) {
            // By now the term may be another leader's.
            rows.push(vec![name, "-".to_owned(), "lost; its work has not ended".to_owned()]);
        }
    }
    rows
}

fn peers(kind: &str, state: &Value) -> Vec<Vec<String>> {
    let head = [
        kind,
        "connected",
        "version",
        "round trip",
        "heard",
        "lease held",
        "lease owed",
        "trouble",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for peer in state[format!("{kind}s")].as_array().into_iter().flatten() {
        rows.push(vec![
            word(&peer["name"]).to_owned(),
            if is(&peer["connected"]) { "yes" } else { "NO" }.to_owned(),
            number(&peer["version"]),
            shown(&peer["round_trip"]),
            time(&peer["last_heard"])
                .map_or_else(|| "never".to_owned(), |ms| format!("{ms:.0} ms ago")),
            shown(&peer["lease_held"]),
            shown(&peer["lease_owed"]),
            word(&peer["trouble"]).to_owned(),
        ]);
    }
    rows
}

#[cfg(test)]
mod tests;
