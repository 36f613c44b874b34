//! Parses a configuration.

use super::{ClusterConfig, HttpConfig, MOST_MEMBERS, MOST_OFFICES, MemberConfig, OfficeConfig};
use crate::office::OfficeName;
use crate::timing::{CLOCK_BOUND, LeaseTiming};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::net::SocketAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;
use suffrage_net::tls::{LONGEST_CLUSTER, ServerTlsFiles, TlsFiles, is_label};
use suffrage_net::toml_file::{ConfigError, KeyPlaces, parse};
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigText {
    cluster: Spanned<String>,
    member: Option<Spanned<String>>,
    data: Spanned<PathBuf>,
    listen: Option<Spanned<String>>,
    profile: Option<Spanned<String>>,
    clock_bound: Option<Spanned<u32>>,
    timing: Option<Spanned<TimingText>>,
    members: Spanned<Vec<Spanned<MemberText>>>,
    #[serde(default)]
    offices: Vec<Spanned<OfficeText>>,
    tls: Spanned<TlsFiles>,
    http: Option<Spanned<HttpText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TimingText {
    heartbeat: Spanned<String>,
    lease: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MemberText {
    name: Spanned<String>,
    address: Spanned<String>,
    #[serde(default)]
    priority: u32,
    #[serde(default)]
    witness: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfficeText {
    name: Spanned<String>,
    stop: Option<Spanned<String>>,
    #[serde(default)]
    priorities: BTreeMap<String, Spanned<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpText {
    listen: Spanned<String>,
    token: Option<Spanned<PathBuf>>,
    certificate: Option<Spanned<PathBuf>>,
    key: Option<PathBuf>,
}

pub(super) fn read(text: &str, folder: &Path) -> Result<ClusterConfig, ConfigError> {
    let read: ConfigText = parse(text)?;
    let mut lines = KeyPlaces::default();
    lines.record(text, "cluster", read.cluster.span());
    lines.record(text, "data", read.data.span());
    lines.record(text, "members", read.members.span());
    lines.record(text, "tls", read.tls.span());
    let http = |span: fn(&HttpText) -> Option<Range<usize>>| span(read.http.as_ref()?.get_ref());
    let optional = [
        ("member", read.member.as_ref().map(Spanned::span)),
        ("listen", read.listen.as_ref().map(Spanned::span)),
        ("profile", read.profile.as_ref().map(Spanned::span)),
        ("clock_bound", read.clock_bound.as_ref().map(Spanned::span)),
        ("http.token", http(|http| http.token.as_ref().map(Spanned::span))),
        ("http.listen", http(|http| Some(http.listen.span()))),
        ("http.certificate", http(|http| http.certificate.as_ref().map(Spanned::span))),
        ("heartbeat", read.timing.as_ref().map(|timing| timing.get_ref().heartbeat.span())),
        ("lease", read.timing.as_ref().map(|timing| timing.get_ref().lease.span())),
    ];
    for (key, span) in optional {
        if let Some(span) = span {
            lines.record(text, key, span);
        }
    }
    let cluster = read.cluster.get_ref();
    if cluster.is_empty() || cluster.len() > LONGEST_CLUSTER {
        let why = format!("write a name of 1 to {LONGEST_CLUSTER} bytes");
        return Err(lines.wrong("cluster", why));
    }
    let members = members(text, &read, &mut lines)?;
    let offices = offices(text, &read, &members, &mut lines)?;
    let (profile, timing) = timing(&read, &offices, &mut lines)?;
    let http = read.http.as_ref().map(|http| http_of(http.get_ref(), folder, &lines));
    let http = http.transpose()?;
    Ok(ClusterConfig {
        cluster: read.cluster.into_inner(),
        member: read.member.map(Spanned::into_inner),
        data: folder.join(read.data.into_inner()),
        listen: read.listen.map(Spanned::into_inner),
        timing,
        profile,
        members,
        offices,
        tls: read.tls.into_inner().within(folder),
        http,
        lines,
    })
}

fn members(
    text: &str,
    read: &ConfigText,
    lines: &mut KeyPlaces,
) -> Result<Vec<MemberConfig>, ConfigError> {
    let mut members = Vec::new();
    let mut known = BTreeSet::new();
    for entry in read.members.get_ref() {
        let entry = entry.get_ref();
        let name = entry.name.get_ref();
        let key = format!("members, `{}`", name.escape_debug());
        let named = format!("{key}, name");
        lines.record(text, &named, entry.name.span());
        if !is_label(name) {
            let why = "write lower case letters, digits and hyphens, at most 63, with no hyphen at \
                       either end: the name is a part of a DNS name";
            return Err(lines.wrong(&named, why));
        }
        if !known.insert(name.clone()) {
            return Err(lines.wrong(&named, "there are two members of this name"));
        }
        let at = format!("{key}, address");
        lines.record(text, &at, entry.address.span());
        check_address(entry.address.get_ref()).map_err(|why| lines.wrong(&at, why))?;
        if members.iter().any(|other: &MemberConfig| other.address == *entry.address.get_ref()) {
            return Err(lines.wrong(&at, "another member has this address"));
        }
        members.push(MemberConfig {
            name: name.clone(),
            address: entry.address.get_ref().clone(),
            priority: entry.priority,
            witness: entry.witness,
        });
    }
    if members.is_empty() || members.len() > MOST_MEMBERS {
        let why = format!("there are 1 to {MOST_MEMBERS} members, best an odd number: 3 or 5");
        return Err(lines.wrong("members", why));
    }
    members.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(members)
}

fn offices(
    text: &str,
    read: &ConfigText,
    members: &[MemberConfig],
    lines: &mut KeyPlaces,
) -> Result<Vec<OfficeConfig>, ConfigError> {
    if let Some(one_more) = read.offices.get(MOST_OFFICES) {
        lines.record(text, "offices", one_more.span());
        let why = format!("name at most {MOST_OFFICES}: others can be led, too");
        return Err(lines.wrong("offices", why));
    }
    let mut offices: Vec<OfficeConfig> = Vec::new();
    for entry in &read.offices {
        let entry = entry.get_ref();
        let key = office_key(entry.name.get_ref());
        lines.record(text, &key, entry.name.span());
        let name = OfficeName::new(entry.name.get_ref()).map_err(|why| lines.wrong(&key, why))?;
        if let Some(other) = offices.iter().find(|other| other.name.number() == name.number()) {
            let why = format!("it is the same office as `{}`", other.name.name());
            return Err(lines.wrong(&key, why));
        }
        let stop = match &entry.stop {
            Some(stop) => duration(text, &stop_key(entry.name.get_ref()), stop, lines)?,
            None => Duration::ZERO,
        };
        let mut priorities = BTreeMap::new();
        for (member, priority) in &entry.priorities {
            let key = format!("{key}, priorities");
            lines.record(text, &key, priority.span());
            match members.iter().find(|known| known.name == *member) {
                None => {
                    let why = format!("there is no member `{}`", member.escape_debug());
                    return Err(lines.wrong(&key, why));
                }
                Some(known) if known.witness => {
                    let why = format!("`{member}` is a witness, and never leads");
                    return Err(lines.wrong(&key, why));
                }
                Some(_) => priorities.insert(member.clone(), *priority.get_ref()),
            };
        }
        offices.push(OfficeConfig { name, stop, priorities });
    }
    offices.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(offices)
}

fn office_key(name: &str) -> String {
    format!("offices, `{}`", name.escape_debug())
}

fn stop_key(office: &str) -> String {
    format!("{}, stop", office_key(office))
}

fn timing(
    read: &ConfigText,
    offices: &[OfficeConfig],
    lines: &mut KeyPlaces,
) -> Result<(String, LeaseTiming), ConfigError> {
    let profile = read.profile.as_ref().map_or("lan", |profile| profile.get_ref().as_str());
    let base = match (profile, &read.timing) {
        ("lan", None) => LeaseTiming::LAN,
        ("wan", None) => LeaseTiming::WAN,
        ("custom", Some(timing)) => {
            let timing = timing.get_ref();
            let heartbeat = parse_duration(timing.heartbeat.get_ref());
            let lease = parse_duration(timing.lease.get_ref());
            LeaseTiming {
                heartbeat: heartbeat.map_err(|why| lines.wrong("heartbeat", why))?,
                lease: lease.map_err(|why| lines.wrong("lease", why))?,
                ..LeaseTiming::LAN
            }
        }
        ("custom", None) => {
            let why = "a custom profile needs [timing] with heartbeat and lease";
            return Err(lines.wrong("profile", why));
        }
        ("lan" | "wan", Some(_)) => {
            let why = format!("[timing] is there, and `{profile}` has its own: write \"custom\"");
            return Err(lines.wrong("profile", why));
        }
        _ => return Err(lines.wrong("profile", "write \"lan\", \"wan\" or \"custom\"")),
    };
    let clock_bound = read.clock_bound.as_ref().map_or(CLOCK_BOUND, |bound| *bound.get_ref());
    let slowest = offices.iter().max_by_key(|office| office.stop);
    let stop = slowest.map(|office| office.stop).unwrap_or_default();
    let timing = LeaseTiming { clock_bound, stop, ..base };
    timing.check().map_err(|error| match (error.key, slowest) {
        ("stop", Some(office)) => lines.wrong(&stop_key(office.name.name()), &error.why),
        (key, _) => lines.wrong(key, &error.why),
    })?;
    Ok((profile.to_owned(), timing))
}

fn duration(
    text: &str,
    key: &str,
    value: &Spanned<String>,
    lines: &mut KeyPlaces,
) -> Result<Duration, ConfigError> {
    lines.record(text, key, value.span());
    parse_duration(value.get_ref()).map_err(|why| lines.wrong(key, why))
}

fn parse_duration(text: &str) -> Result<Duration, impl Display + use<>> {
    humantime::parse_duration(text)
        .map_err(|error| format!("{error}; write a duration such as \"250ms\" or \"5s\""))
}

/// Checks that it is `host:port`.
pub(crate) fn check_address(address: &str) -> Result<(), String> {
    let port = address.rsplit_once(':').map(|(host, port)| (host, port.parse::<u16>()));
    match port {
        Some((host, Ok(port))) if !host.is_empty() && port > 0 => Ok(()),
        _ => Err(format!("write host:port, not `{}`", address.escape_debug())),
    }
}

fn http_of(http: &HttpText, folder: &Path, lines: &KeyPlaces) -> Result<HttpConfig, ConfigError> {
    let wrong = |why: String| lines.wrong("http.listen", why);
    let listen = http
        .listen
        .get_ref()
        .parse::<SocketAddr>()
        .map_err(|_| wrong("write an address and a port, such as 127.0.0.1:7480".to_owned()))?;
    let site = match (&http.certificate, &http.key) {
        (Some(certificate), Some(key)) => Some(ServerTlsFiles {
            certificate: folder.join(certificate.get_ref()),
            key: folder.join(key),
        }),
        (None, None) => None,
        _ => return Err(wrong("write both `certificate` and `key`, or neither".to_owned())),
    };
    if site.is_none() && !listen.ip().is_loopback() {
        return Err(wrong(format!(
            "{listen} can be reached from elsewhere, and tokens would cross the network unencrypted: \
             write `certificate` and `key` for TLS, or listen on the loopback interface"
        )));
    }
    let token = http.token.as_ref().map(|path| folder.join(path.get_ref()));
    Ok(HttpConfig { listen, site, token })
}
