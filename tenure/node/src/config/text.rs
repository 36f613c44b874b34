//! Parses a configuration.

use super::{
    ClusterConfig, HttpConfig, MOST_MEMBERS, MOST_OFFICES, MemberConfig, OfficeConfig,
    ProgramConfig,
};
use crate::office::OfficeName;
use crate::timing::{CLOCK_BOUND, LeaseTiming};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use suffrage_net::tls::{LONGEST_CLUSTER, ServerTlsFiles, TlsFiles, is_label};
use suffrage_net::toml_file::{ConfigError, KeyPlaces, parse};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigText {
    cluster: String,
    member: Option<String>,
    data: PathBuf,
    listen: Option<String>,
    join: Option<Vec<String>>,
    #[serde(default)]
    first_term: u64,
    profile: Option<String>,
    clock_bound: Option<u32>,
    timing: Option<TimingText>,
    members: Vec<MemberConfig>,
    #[serde(default)]
    offices: Vec<OfficeText>,
    tls: TlsFiles,
    http: Option<HttpText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TimingText {
    heartbeat: String,
    lease: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfficeText {
    name: String,
    stop: Option<String>,
    #[serde(default)]
    priorities: BTreeMap<String, u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpText {
    listen: String,
    token: Option<PathBuf>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    #[serde(default)]
    programs: Vec<ProgramConfig>,
}

/// Half of all terms are greater.
const GREATEST_FIRST_TERM: u64 = i64::MAX as u64;

pub(super) fn read(text: &str, folder: &Path) -> Result<ClusterConfig, ConfigError> {
    let read: ConfigText = parse(text)?;
    let lines = KeyPlaces::of(text);
    if !(1..=LONGEST_CLUSTER).contains(&read.cluster.len()) {
        let why = format!("write a name of 1 to {LONGEST_CLUSTER} bytes");
        return Err(lines.wrong("cluster", why));
    }
    let members = members(read.members, &lines)?;
    if read.first_term > GREATEST_FIRST_TERM {
        let why = format!("write at most {GREATEST_FIRST_TERM}, so that terms are left");
        return Err(lines.wrong("first_term", why));
    }
    if read.data.as_os_str().is_empty() {
        return Err(lines.wrong("data", "name the folder of the record"));
    }
    check_listen(read.listen.as_deref(), &members, &lines)?;
    check_join(read.join.as_deref(), &members, &lines)?;
    let all = read.join.is_none().then_some(&members[..]);
    let offices = offices(read.offices, all, &lines)?;
    let profile = read.profile.unwrap_or_else(|| "lan".to_owned());
    let clock_bound = read.clock_bound.unwrap_or(CLOCK_BOUND);
    let timing = timing(&profile, read.timing, clock_bound, &offices, &lines)?;
    let http = read.http.map(|http| http_of(http, folder, &lines)).transpose()?;
    Ok(ClusterConfig {
        cluster: read.cluster,
        member: read.member,
        data: folder.join(read.data),
        listen: read.listen,
        join: read.join,
        first_term: read.first_term,
        timing,
        profile,
        members,
        offices,
        tls: read.tls.within(folder),
        http,
        lines,
    })
}

fn members(
    mut members: Vec<MemberConfig>,
    lines: &KeyPlaces,
) -> Result<Vec<MemberConfig>, ConfigError> {
    let mut known = BTreeSet::new();
    for MemberConfig { name, .. } in &members {
        let key = format!("members, `{}`, name", name.escape_debug());
        if !is_label(name) {
            let why = "write lower case letters, digits and hyphens, at most 63, with no hyphen at \
                       either end: the name is a part of a DNS name";
            return Err(lines.wrong(&key, why));
        }
        if !known.insert(name) {
            return Err(lines.wrong(&key, "there are two members of this name"));
        }
    }
    let mut known = BTreeSet::new();
    for MemberConfig { name, address, .. } in &members {
        let key = format!("members, `{name}`, address");
        check_address(address).map_err(|why| lines.wrong(&key, why))?;
        if !known.insert(address) {
            return Err(lines.wrong(&key, "another member has this address"));
        }
    }
    check_reach(&members, lines)?;
    if members.is_empty() || members.len() > MOST_MEMBERS {
        let why = format!("there are 1 to {MOST_MEMBERS} members, best an odd number: 3 or 5");
        return Err(lines.wrong("members", why));
    }
    members.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(members)
}

fn offices(
    read: Vec<OfficeText>,
    // All of them, if they are known.
    members: Option<&[MemberConfig]>,
    lines: &KeyPlaces,
) -> Result<Vec<OfficeConfig>, ConfigError> {
    if read.len() > MOST_OFFICES {
        let why = format!("name at most {MOST_OFFICES}: others can be led, too");
        return Err(lines.wrong("offices", why));
    }
    let mut offices: Vec<OfficeConfig> = Vec::new();
    for OfficeText { name, stop, priorities } in read {
        let key = office_key(&name);
        let name = OfficeName::new(&name).map_err(|why| lines.wrong(&key, why))?;
        if let Some(other) = offices.iter().find(|other| other.name.number() == name.number()) {
            let why = format!("it is the same office as `{}`", other.name.name());
            return Err(lines.wrong(&key, why));
        }
        let stop = stop.map(|stop| duration(&format!("{key}, stop"), &stop, lines)).transpose()?;
        for (members, member) in
            members.into_iter().flat_map(|all| priorities.keys().map(move |it| (all, it)))
        {
            let key = format!("{key}, priorities");
            match members.iter().find(|known| known.name == *member) {
                None => {
                    let why = format!("there is no member `{}`", member.escape_debug());
                    return Err(lines.wrong(&key, why));
                }
                Some(known) if known.witness => {
                    let why = format!("`{member}` is a witness, and never leads");
                    return Err(lines.wrong(&key, why));
                }
                Some(_) => {}
            }
        }
        offices.push(OfficeConfig { name, stop: stop.unwrap_or_default(), priorities });
    }
    offices.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(offices)
}

fn office_key(name: &str) -> String {
    format!("offices, `{}`", name.escape_debug())
}

fn timing(
    profile: &str,
    times: Option<TimingText>,
    clock_bound: u32,
    offices: &[OfficeConfig],
    lines: &KeyPlaces,
) -> Result<LeaseTiming, ConfigError> {
    let base = match (profile, times) {
        ("lan", None) => LeaseTiming::LAN,
        ("wan", None) => LeaseTiming::WAN,
        ("custom", Some(TimingText { heartbeat, lease })) => LeaseTiming {
            heartbeat: duration("timing.heartbeat", &heartbeat, lines)?,
            lease: duration("timing.lease", &lease, lines)?,
            ..LeaseTiming::LAN
        },
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
    let slowest = offices.iter().max_by_key(|office| office.stop);
    let stop = slowest.map(|office| office.stop).unwrap_or_default();
    let timing = LeaseTiming { clock_bound, stop, ..base };
    timing.check().map_err(|error| match (error.key, slowest) {
        ("stop", Some(office)) => {
            lines.wrong(&format!("{}, stop", office_key(office.name.name())), error.why)
        }
        (key @ ("heartbeat" | "lease"), _) => lines.wrong(&format!("timing.{key}"), error.why),
        (key, _) => lines.wrong(key, error.why),
    })?;
    Ok(timing)
}

fn duration(key: &str, text: &str, lines: &KeyPlaces) -> Result<Duration, ConfigError> {
    humantime::parse_duration(text).map_err(|error| {
        lines.wrong(key, format!("{error}; write a duration such as \"250ms\" or \"5s\""))
    })
}

/// Checks that it is `host:port`.
pub(crate) fn check_address(address: &str) -> Result<(), String> {
    let port = address.rsplit_once(':').map(|(host, port)| (host, port.parse::<u16>()));
    let shown = address.escape_debug();
    match port {
        Some((host, Ok(port))) if !host.is_empty() && port > 0 => {
            let literal = host.starts_with('[') || host.ends_with(']') || host.contains(':');
            let known = address.parse::<SocketAddr>();
            // A socket of IPv6 that has it reaches no member of IPv4.
            if let Ok(SocketAddr::V6(known)) = known
                && let Some(ip) = known.ip().to_ipv4_mapped()
            {
                return Err(format!("`{shown}` is an address of IPv4: write {ip}:{port}"));
            }
            if known.is_ok() || !literal && !host.contains('%') {
                return Ok(());
            }
            // As `fe80::1%eth0`: which interface that is, only its host knows.
            Err(match host.contains('%') {
                true => format!(
                    "`{shown}` has a zone that is no number: write a name or an address that is the same on all \
                     hosts, or the number of the interface"
                ),
                false => format!("`{shown}` has no address: write [ADDRESS]:PORT for IPv6"),
            })
        }
        _ => Err(format!("write host:port, not `{shown}`")),
    }
}

/// Returns whether no other host can reach the host at this address, and why.
fn confined(address: &str) -> Option<&'static str> {
    let ip = address.parse::<SocketAddr>().map(|address| address.ip().to_canonical());
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    match ip {
        Ok(ip) if ip.is_unspecified() => Some("stands for all addresses of its host"),
        Ok(ip) if ip.is_loopback() => Some("is on the loopback interface"),
        Err(_) if host.eq_ignore_ascii_case("localhost") => Some("is on the loopback interface"),
        _ => None,
    }
}

/// Checks that members on several hosts can reach each other: an address that leads each host to itself is no
/// address of another one.
fn check_reach(members: &[MemberConfig], lines: &KeyPlaces) -> Result<(), ConfigError> {
    let elsewhere = members.iter().any(|member| confined(&member.address).is_none());
    for MemberConfig { name, address, .. } in members {
        let all = "stands for all addresses of its host";
        match confined(address) {
            Some(why) if elsewhere || why == all && members.len() > 1 => {
                let why = format!(
                    "{address} {why}, where the other members do not reach it: write an address that they reach, \
                     and where to listen in `listen`"
                );
                return Err(lines.wrong(&format!("members, `{name}`, address"), why));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that a member that listens there reaches the others.
fn check_listen(
    listen: Option<&str>,
    members: &[MemberConfig],
    lines: &KeyPlaces,
) -> Result<(), ConfigError> {
    let Some(listen) = listen else { return Ok(()) };
    check_address(listen).map_err(|why| lines.wrong("listen", why))?;
    let loopback = confined(listen) == Some("is on the loopback interface");
    match members.iter().find(|member| confined(&member.address).is_none()) {
        Some(other) if loopback => {
            let why = format!(
                "{listen} is on the loopback interface, from where {} at {} cannot be reached",
                other.name, other.address
            );
            Err(lines.wrong("listen", why))
        }
        _ => Ok(()),
    }
}

/// Checks the addresses of a cluster that a host joins.
fn check_join(
    join: Option<&[String]>,
    members: &[MemberConfig],
    lines: &KeyPlaces,
) -> Result<(), ConfigError> {
    let Some(join) = join else { return Ok(()) };
    if members.len() != 1 {
        let why = "with `join`, name this host alone: the cluster says who the others are";
        return Err(lines.wrong("members", why));
    }
    for address in join {
        check_address(address).map_err(|why| lines.wrong("join", why))?;
        if *address == members[0].address {
            return Err(lines.wrong("join", "write the addresses of other members"));
        }
    }
    Ok(())
}

fn http_of(http: HttpText, folder: &Path, lines: &KeyPlaces) -> Result<HttpConfig, ConfigError> {
    let wrong = |why: String| lines.wrong("http.listen", why);
    let listen = http
        .listen
        .parse::<SocketAddr>()
        .map_err(|_| wrong("write an address and a port, such as 127.0.0.1:7480".to_owned()))?;
    let site = match (http.certificate, http.key) {
        (Some(certificate), Some(key)) => {
            Some(ServerTlsFiles { certificate: folder.join(certificate), key: folder.join(key) })
        }
        (None, None) => None,
        _ => return Err(wrong("write both `certificate` and `key`, or neither".to_owned())),
    };
    if site.is_none() && !listen.ip().is_loopback() {
        return Err(wrong(format!(
            "{listen} can be reached from elsewhere, and tokens would cross the network unencrypted: \
             write `certificate` and `key` for TLS, or listen on the loopback interface"
        )));
    }
    let programs = programs(http.programs, folder, lines)?;
    Ok(HttpConfig { listen, site, token: http.token.map(|path| folder.join(path)), programs })
}

fn programs(
    mut programs: Vec<ProgramConfig>,
    folder: &Path,
    lines: &KeyPlaces,
) -> Result<Vec<ProgramConfig>, ConfigError> {
    let mut known = BTreeSet::new();
    for ProgramConfig { name, token, offices } in &mut programs {
        let key = |key: &str| format!("http.programs, `{}`, {key}", name.escape_debug());
        if name.is_empty() || name.contains(char::is_control) {
            return Err(lines.wrong(&key("name"), "write a name without control characters"));
        }
        if !known.insert(name.clone()) {
            return Err(lines.wrong(&key("name"), "there are two programs of this name"));
        }
        if offices.is_empty() {
            let why = "name the offices for which it may stand";
            return Err(lines.wrong(&key("offices"), why));
        }
        for office in offices {
            OfficeName::new(office).map_err(|why| lines.wrong(&key("offices"), why))?;
        }
        *token = folder.join(&*token);
    }
    Ok(programs)
}
