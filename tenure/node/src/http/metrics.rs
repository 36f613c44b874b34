//! Metrics in Prometheus' text format.

use crate::status::ParticipantStatus;
use std::fmt::{Display, Write as _};

/// Metrics as text, each with its help and its type.
struct MetricsText(String);

impl MetricsText {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let _ = write!(self.0, "{name}");
        for (number, (label, value)) in labels.iter().enumerate() {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let opening = if number == 0 { '{' } else { ',' };
            let _ = write!(self.0, "{opening}{label}=\"{value}\"");
        }
        let closing = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.0, "{closing} {value}");
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "gauge", help);
        self.sample(name, &[], value);
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.family(name, "counter", help);
        self.sample(name, &[], value);
    }
}

pub(super) fn text(status: &ParticipantStatus) -> String {
    let mut text = MetricsText(String::new());
    offices(&mut text, status);
    peers(&mut text, status);
    let up = u8::from(status.unready().is_none());
    text.gauge("tenure_ready", "Whether this participant can take part in an election.", up);
    let writable = u8::from(status.storage.is_writable());
    text.gauge("tenure_record_writable", "Whether the record can be written.", writable);
    if let Some(end) = status.certificate_end {
        let help = "When the certificate of this participant ends, in seconds since 1970.";
        text.gauge("tenure_certificate_expiry_timestamp_seconds", help, end);
    }
    let help = "What an operator should know: /v1/status has the texts.";
    text.gauge("tenure_warnings", help, status.warnings.len());
    let seconds = status.last_sync.as_secs_f64();
    text.gauge("tenure_disk_sync_seconds", "How long the last sync of the record took.", seconds);
    let seconds = status.longest_sync.as_secs_f64();
    text.gauge("tenure_disk_sync_max_seconds", "How long the slowest sync took.", seconds);
    let seconds = status.longest_pause.as_secs_f64();
    text.gauge("tenure_loop_pause_max_seconds", "By how much the loop was late at most.", seconds);
    for (name, help, value) in [
        ("tenure_elections_total", "Leaderships that began here.", status.elections),
        ("tenure_losses_total", "Leaderships that were lost here.", status.losses),
        (
            "tenure_crash_releases_total",
            "Offices released for a participant that was killed.",
            status.crash_releases,
        ),
        ("tenure_vacancies_total", "Offices seen to become vacant here.", status.vacancies),
        ("tenure_restarts_total", "Crashes of the process in this program.", status.restarts),
        ("tenure_disk_syncs_total", "Syncs of the record.", status.syncs),
        ("tenure_messages_sent_total", "Messages sent.", status.sent),
        ("tenure_messages_received_total", "Messages received.", status.received),
        ("tenure_messages_unreadable_total", "Messages that cannot be read.", status.undecodable),
        ("tenure_messages_rejected_total", "Messages no correct peer sends.", status.rejected),
        ("tenure_messages_dropped_total", "Messages of peers that sent too many.", status.dropped),
        ("tenure_task_panics_total", "Panics of tasks, begun again since.", status.panics),
        ("tenure_refused_connections_total", "Connections that were refused.", status.refused),
    ] {
        text.counter(name, help, value);
    }
    text.0
}

fn offices(text: &mut MetricsText, status: &ParticipantStatus) {
    text.family("tenure_leader", "gauge", "Whether the office is led here, with its term.");
    for office in &status.offices {
        let here = office.valid_for.is_some_and(|left| !left.is_zero());
        let term = office.term.map(|term| term.to_string()).unwrap_or_default();
        let labels = [("office", office.name.as_str()), ("term", term.as_str())];
        text.sample("tenure_leader", &labels, u8::from(here));
    }
    let help = "For how long the leadership here is certain.";
    text.family("tenure_lease_margin_seconds", "gauge", help);
    for office in &status.offices {
        if let Some(left) = office.valid_for {
            let labels = [("office", office.name.as_str())];
            text.sample("tenure_lease_margin_seconds", &labels, left.as_secs_f64());
        }
    }
    let help =
        "Whether the work of the leadership here is under way: the command of `tenure lead`.";
    text.family("tenure_command_running", "gauge", help);
    for office in &status.offices {
        // Of the leadership here, and not of a client's.
        if let Some(work) = office.work.as_ref().filter(|_| office.here) {
            let labels = [("office", office.name.as_str())];
            text.sample("tenure_command_running", &labels, u8::from(work.running));
        }
    }
    text.family("tenure_office_vacant", "gauge", "Whether no leader of the office is known.");
    for office in &status.offices {
        let labels = [("office", office.name.as_str())];
        text.sample("tenure_office_vacant", &labels, u8::from(office.leader.is_none()));
    }
}

fn peers(text: &mut MetricsText, status: &ParticipantStatus) {
    text.family("tenure_peer_connected", "gauge", "Whether there is a connection to a member.");
    for peer in &status.members {
        let labels = [("peer", peer.name.as_str())];
        text.sample("tenure_peer_connected", &labels, u8::from(peer.connected));
    }
    text.family("tenure_round_trip_seconds", "gauge", "The time of a round trip to a member.");
    for peer in &status.members {
        if let Some(time) = peer.round_trip {
            let labels = [("peer", peer.name.as_str())];
            text.sample("tenure_round_trip_seconds", &labels, time.as_secs_f64());
        }
    }
    text.gauge("tenure_clients", "Clients that are connected.", status.clients.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped() {
        let mut text = MetricsText(String::new());
        text.sample("m", &[("office", "a\"b\\c\nd"), ("term", "1")], 7);
        assert_eq!(text.0, "m{office=\"a\\\"b\\\\c\\nd\",term=\"1\"} 7\n");
    }
}
