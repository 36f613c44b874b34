//! `tenure status`: shows the state of a member.

use crate::control::{ClientMessage, CommandReport, MemberMessage, StatusReport, client};
use crate::error::CommandError;
use crate::join::AskedMember;
use crate::office::{OutputFormat, pretty, with_word};
use crate::print;
use std::fmt::{Display, Write};
use std::time::{Duration, UNIX_EPOCH};
use suffrage_stdio::TextColumns;
use tenure_node::status::{OfficeStatus, PeerStatus, StorageStatus};

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
    let answer = client::ask(&place, &ClientMessage::Status {});
    let MemberMessage::Status(status) = with_word("waits for an answer", answer).await? else {
        return Err(CommandError::failed("the member answers nonsense"));
    };
    print(&match args.format {
        OutputFormat::Json => pretty(&status),
        OutputFormat::Text => text(&status),
    })?;
    Ok(0)
}

/// Longer times have no end, such as the leadership of a member without others.
const ENDLESS: Duration = Duration::from_secs(1_000_000_000_000);

fn shown(time: Option<Duration>) -> String {
    match time {
        None => "-".to_owned(),
        Some(time) if time >= ENDLESS => "without end".to_owned(),
        Some(time) => format!("{:.1} ms", time.as_secs_f64() * 1e3),
    }
}

fn number(value: Option<impl Into<u64>>) -> String {
    value.map_or_else(|| "-".to_owned(), |number| number.into().to_string())
}

fn date(seconds: u64) -> impl Display {
    humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds))
}

fn record(storage: &StorageStatus) -> String {
    match storage {
        StorageStatus::Failed { why } => format!("FAILED: {why}"),
        StorageStatus::Recreated => {
            "written anew: it was deleted or replaced while this member ran".to_owned()
        }
        StorageStatus::Outdated => {
            "written anew: it was older than the one before, as others remembered".to_owned()
        }
        other => format!("{other:?}").to_lowercase(),
    }
}

fn text(status: &StatusReport) -> String {
    let state = &status.state;
    let kind = if state.member { "member" } else { "client" };
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:16}{value}");
    };
    line(kind, format!("{} of {}", state.name, state.cluster));
    line("version", status.version.clone());
    let grants = match () {
        () if !state.up => "no: its record cannot be written",
        () if state.learning => {
            "no: it has no record, and learns from the others; a new cluster begins when all are up"
        }
        () if state.quarantined => "not yet: it has just come up",
        () => "yes",
    };
    line("votes", grants.to_owned());
    line("record", record(&state.storage));
    for warning in &state.warnings {
        line("WARNING", warning.clone());
    }
    if let Some(end) = state.certificate_end {
        line("certificate", format!("ends at {}", date(end)));
    }
    let [last, slowest, pause, heard] =
        [state.last_sync, state.longest_sync, state.longest_pause, state.majority_heard]
            .map(|time| shown(Some(time)));
    line("disk", format!("last sync {last}, slowest {slowest}, {} in all", state.syncs));
    line("longest pause", pause);
    line("majority heard", format!("{heard} ago"));
    line(
        "timing",
        format!(
            "heartbeat {} ms, lease {} ms, stop {} ms",
            status.heartbeat_ms, status.lease_ms, status.stop_ms
        ),
    );
    let drift = state
        .clock_drift_ppm
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
        ("elections", state.elections),
        ("losses", state.losses),
        ("restarts", state.restarts),
        ("sent", state.sent),
        ("received", state.received),
        ("rejected", state.rejected),
        ("undecodable", state.undecodable),
        ("dropped", state.dropped),
    ];
    line("counts", counts.map(|(name, count)| format!("{name} {count}")).join(", "));
    let (members, clients) = (peers("member", &state.members), peers("client", &state.clients));
    for table in [leaderships(&state.offices), members, clients] {
        if table.len() > 1 {
            text.push('\n');
            text += &TextColumns::of(&table).text(&table);
        }
    }
    text
}

fn leaderships(offices: &[OfficeStatus]) -> Vec<Vec<String>> {
    let mut rows = vec![["leads", "term", "certain for", "command"].map(str::to_owned).to_vec()];
    for office in offices {
        let name = office.name.clone();
        if office.valid_for.is_some() {
            let command = office.work.as_ref().map(CommandReport::of);
            let command = command.map_or_else(|| "-".to_owned(), |command| command.to_string());
            rows.push(vec![name, number(office.term), shown(office.valid_for), command]);
        } else if office.here {
            // By now the term may be another leader's.
            rows.push(vec![name, "-".to_owned(), "lost; its work has not ended".to_owned()]);
        }
    }
    rows
}

fn peers(kind: &str, peers: &[PeerStatus]) -> Vec<Vec<String>> {
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
    let row = |peer: &PeerStatus| {
        let heard = |last: Duration| format!("{:.0} ms ago", last.as_secs_f64() * 1e3);
        vec![
            peer.name.clone(),
            if peer.connected { "yes" } else { "NO" }.to_owned(),
            number(peer.version),
            shown(peer.round_trip),
            peer.last_heard.map_or_else(|| "never".to_owned(), heard),
            shown(peer.lease_held),
            shown(peer.lease_owed),
            peer.trouble.clone().unwrap_or_else(|| "-".to_owned()),
        ]
    };
    let head = head.map(str::to_owned).to_vec();
    [head].into_iter().chain(peers.iter().map(row)).collect()
}

#[cfg(test)]
mod tests;
