//! Metrics over HTTP, in Prometheus' text format.

use crate::hosts::{CLUSTER, Hosts, LONG, OFFICE, TIMING, until};
use crate::http::{ask, start};
use crate::operators;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;
use tenure_node::ParticipantStatus;
use tenure_node::certificates::{Authority, CertificateSubject};
use tokio::time::{sleep, timeout};

/// All names, in order, and their types.
const NAMES: &[(&str, &str)] = &[
    ("tenure_leader", "gauge"),
    ("tenure_lease_margin_seconds", "gauge"),
    ("tenure_command_running", "gauge"),
    ("tenure_office_vacant", "gauge"),
    ("tenure_peer_connected", "gauge"),
    ("tenure_round_trip_seconds", "gauge"),
    ("tenure_clients", "gauge"),
    ("tenure_ready", "gauge"),
    ("tenure_record_writable", "gauge"),
    ("tenure_certificate_expiry_timestamp_seconds", "gauge"),
    ("tenure_warnings", "gauge"),
    ("tenure_disk_sync_seconds", "gauge"),
    ("tenure_disk_sync_max_seconds", "gauge"),
    ("tenure_loop_pause_max_seconds", "gauge"),
    ("tenure_elections_total", "counter"),
    ("tenure_losses_total", "counter"),
    ("tenure_crash_releases_total", "counter"),
    ("tenure_vacancies_total", "counter"),
    ("tenure_restarts_total", "counter"),
    ("tenure_disk_syncs_total", "counter"),
    ("tenure_messages_sent_total", "counter"),
    ("tenure_messages_received_total", "counter"),
    ("tenure_messages_unreadable_total", "counter"),
    ("tenure_messages_rejected_total", "counter"),
    ("tenure_messages_dropped_total", "counter"),
    ("tenure_task_panics_total", "counter"),
    ("tenure_refused_connections_total", "counter"),
];

/// What a member answers: the names with their types, and the values by name and labels.
#[derive(Debug)]
struct Metrics {
    names: Vec<(String, String)>,
    values: BTreeMap<String, f64>,
}

impl Metrics {
    async fn of(to: SocketAddr) -> Self {
        let (code, text) = ask(to, "GET", "/metrics", "").await;
        assert_eq!(code, 200, "{text}");
        Self::read(&text)
    }

    /// Reads the text, which must be well-formed: the help and the type of each name before its samples,
    /// these one after the other, and no sample twice.
    fn read(text: &str) -> Self {
        assert!(text.ends_with('\n'), "the last line ends");
        let (mut names, mut values) = (Vec::<(String, String)>::new(), BTreeMap::new());
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, words) = help.split_once(' ').expect(line);
                assert!(!words.trim().is_empty() && is_name(name), "{line}");
                assert!(names.iter().all(|(known, _)| known != name), "{name} comes twice");
                let kind = lines.next().and_then(|line| line.strip_prefix("# TYPE "));
                let (typed, kind) = kind.and_then(|kind| kind.split_once(' ')).expect(line);
                assert_eq!(typed, name, "the type follows the help");
                names.push((name.to_owned(), kind.to_owned()));
                continue;
            }
            let (series, value) = line.rsplit_once(' ').expect(line);
            let (name, labels) = match series.split_once('{') {
                Some((name, labels)) => (name, labels.strip_suffix('}').expect(line)),
                None => (series, ""),
            };
            let (last, kind) = names.last().expect("a sample follows its type");
            assert_eq!(last, name, "a sample follows its name: {line}");
            for label in labels.split_terminator(',') {
                let (name, value) = label.split_once("=\"").expect(line);
                let value = value.strip_suffix('"').expect(line);
                assert!(is_name(name) && !value.contains(['"', '\\']), "{line}");
            }
            let value: f64 = value.parse().expect(line);
            assert!(value.is_finite() && value >= 0.0, "{line}");
            assert!(
                kind != "counter" || name.ends_with("_total") && value.fract() == 0.0,
                "{line}"
            );
            assert_eq!(values.insert(series.to_owned(), value), None, "twice: {line}");
        }
        Self { names, values }
    }

    fn get(&self, series: &str) -> Option<f64> {
        self.values.get(series).copied()
    }

    fn at(&self, series: &str) -> f64 {
        self.get(series).unwrap_or_else(|| panic!("{series} is missing: {self:?}"))
    }

    fn series(&self, name: &str) -> Vec<&str> {
        let of = |series: &&str| series.split('{').next() == Some(name);
        self.values.keys().map(String::as_str).filter(of).collect()
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

#[tokio::test]
async fn metrics_are_well_formed_and_say_what_is_so_at_a_leader_and_at_a_follower() {
    let hosts = Hosts::three();
    let mut members = Vec::new();
    let mut http = Vec::new();
    for name in ["a", "b", "c"] {
        let (member, at) = start(&hosts, name, TIMING).await;
        members.push(member);
        http.push(at);
    }
    let leadership = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let settled = |status: &ParticipantStatus| {
        let met = |peer: &tenure_node::status::PeerStatus| peer.round_trip.is_some();
        let knows = status.offices[0].leader.as_deref() == Some("a");
        let written = status.syncs >= 2; // The boot, and a promise.
        knows && status.members.iter().all(met) && status.unready().is_none() && written
    };
    until(&members[1], settled).await;
    let late = |status: &ParticipantStatus| settled(status) && !status.longest_pause.is_zero();
    let before = until(&members[0], late).await;
    let (leader, follower) = (Metrics::of(http[0]).await, Metrics::of(http[1]).await);
    for (metrics, others) in [(&leader, ["b", "c"]), (&follower, ["a", "c"])] {
        let names = metrics.names.iter().map(|(name, kind)| (name.as_str(), kind.as_str()));
        assert_eq!(names.collect::<Vec<_>>(), NAMES);
        let of = |name: &str| others.map(|peer| format!("{name}{{peer=\"{peer}\"}}"));
        assert_eq!(metrics.series("tenure_peer_connected"), of("tenure_peer_connected"));
        assert_eq!(metrics.series("tenure_round_trip_seconds"), of("tenure_round_trip_seconds"));
        for peer in others {
            assert_eq!(metrics.at(&format!("tenure_peer_connected{{peer=\"{peer}\"}}")), 1.0);
            let time = metrics.at(&format!("tenure_round_trip_seconds{{peer=\"{peer}\"}}"));
            assert!(time > 0.0 && time < LONG.as_secs_f64(), "{time}");
        }
        assert_eq!(metrics.at("tenure_office_vacant{office=\"db-primary\"}"), 0.0);
        for (name, value) in [
            ("tenure_ready", 1.0),
            ("tenure_record_writable", 1.0),
            ("tenure_clients", 0.0),
            ("tenure_losses_total", 0.0),
            ("tenure_restarts_total", 0.0),
            ("tenure_crash_releases_total", 0.0),
            ("tenure_messages_unreadable_total", 0.0),
            ("tenure_messages_rejected_total", 0.0),
        ] {
            assert_eq!(metrics.at(name), value, "{name}");
        }
        for name in ["sent", "received"] {
            assert!(metrics.at(&format!("tenure_messages_{name}_total")) > 0.0);
        }
        assert!(metrics.at("tenure_disk_syncs_total") >= 2.0);
        let sync = metrics.at("tenure_disk_sync_seconds");
        assert!(sync > 0.0 && sync <= metrics.at("tenure_disk_sync_max_seconds"), "{sync}");
    }
    let leads = format!("tenure_leader{{office=\"{OFFICE}\",term=\"{}\"}}", leadership.term());
    assert_eq!((leader.at(&leads), follower.at(&leads)), (1.0, 0.0));
    assert_eq!(leader.series("tenure_leader"), [leads.as_str()]);
    let margin = format!("tenure_lease_margin_seconds{{office=\"{OFFICE}\"}}");
    assert!(leader.at(&margin) > 0.0 && leader.at(&margin) <= 0.5, "{}", leader.at(&margin));
    assert_eq!(follower.get(&margin), None);
    let pause = leader.at("tenure_loop_pause_max_seconds");
    assert!(pause >= before.longest_pause.as_secs_f64(), "{pause}");
    let elections = "tenure_elections_total";
    assert_eq!((leader.at(elections), follower.at(elections)), (1.0, 0.0));

    // A vacancy is counted where it is seen, also by those that did not lead.
    let seen = follower.at("tenure_vacancies_total");
    leadership.resign().await;
    for member in &members[..2] {
        until(member, |status| status.offices[0].leader.is_none()).await;
    }
    let (first, second) = (Metrics::of(http[0]).await, Metrics::of(http[1]).await);
    for metrics in [&first, &second] {
        assert_eq!(metrics.at("tenure_office_vacant{office=\"db-primary\"}"), 1.0);
        assert_eq!((metrics.at(&leads), metrics.get(&margin)), (0.0, None));
        assert_eq!(metrics.at("tenure_losses_total"), 0.0, "it was not lost");
    }
    assert!(second.at("tenure_vacancies_total") > seen);
    assert!(first.at("tenure_vacancies_total") >= 1.0);
}

#[tokio::test]
async fn metrics_count_the_connections_that_were_refused_and_the_clients_that_were_not() {
    let hosts = Hosts::three();
    let (member, at) = start(&hosts, "a", TIMING).await;
    let metrics = Metrics::of(at).await;
    assert_eq!(metrics.at("tenure_ready"), 0.0, "it is alone");
    assert_eq!(metrics.at("tenure_refused_connections_total"), 0.0);
    assert_eq!(metrics.at("tenure_peer_connected{peer=\"b\"}"), 0.0);
    assert_eq!(metrics.series("tenure_round_trip_seconds"), [""; 0], "none was met");

    let foreign = Authority::new().unwrap();
    let files = operators::files(&hosts, &foreign, CLUSTER, CertificateSubject::Operator("alice"));
    let door = [operators::at(&hosts.addresses[0], None)];
    operators::ask(files, &door).await.unwrap_err();
    let refused = async {
        while Metrics::of(at).await.at("tenure_refused_connections_total") < 1.0 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(LONG, refused).await.expect("it is counted");

    let config = crate::clients::config(&hosts, &hosts.addresses[..1], "web");
    let _client = timeout(LONG, tenure_node::Client::start(config)).await.unwrap().unwrap();
    until(&member, |status| !status.clients.is_empty()).await;
    assert_eq!(Metrics::of(at).await.at("tenure_clients"), 1.0);
}
