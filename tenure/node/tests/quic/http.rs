//! Offices and health checks over HTTP.

use crate::hosts::{CLUSTER, Hosts, LONG, OFFICE, TIMING, until};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use suffrage_net::free;
use suffrage_net::tls::{Tls, member_name};
use tenure_node::certificates::CertificateSubject;
use tenure_node::config::TlsFiles;
use tenure_node::{LeaderValue, Member, ParticipantStatus};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

pub(crate) const TOKEN: &str = "a token of sufficient length";

/// Starts a member that serves HTTP, and knows the office.
pub(crate) async fn start(hosts: &Hosts, name: &str, timing: &str) -> (Member, SocketAddr) {
    let free = free::addresses(1).unwrap()[0];
    let offices = format!("[[offices]]\nname = \"{OFFICE}\"\n");
    let served = format!("[http]\nlisten = \"{free}\"\ntoken = \"token\"\n");
    let text = format!("{}{offices}{served}", hosts.text(name, timing));
    let config = hosts.config_of(name, &text);
    std::fs::write(config.tls.key.with_file_name("token"), TOKEN).unwrap();
    (Member::start(config).await.unwrap(), free)
}

/// Sends a request, and returns the status code and the body of the answer.
pub(crate) async fn ask(to: SocketAddr, method: &str, path: &str, header: &str) -> (u16, String) {
    ask_with(to, method, path, header, "").await
}

async fn ask_with(
    to: SocketAddr,
    method: &str,
    path: &str,
    header: &str,
    body: &str,
) -> (u16, String) {
    let header = format!("{header}content-length: {}\r\n", body.len());
    let request =
        format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{header}\r\n{body}");
    let asked = spawn_blocking(move || {
        let mut stream = TcpStream::connect(to).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });
    let answer = timeout(LONG, asked).await.unwrap().unwrap();
    let code = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (code, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
}

#[tokio::test]
async fn http_tells_who_leads_and_has_leaders_leave_who_show_the_token() {
    let hosts = Hosts::three();
    let mut members = Vec::new();
    let mut http = Vec::new();
    for name in ["a", "b", "c"] {
        let (member, at) = start(&hosts, name, TIMING).await;
        members.push(member);
        http.push(at);
    }
    let get = async |to: usize, path: &str| ask(http[to], "GET", path, "").await;
    let leadership = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let knows = |status: &ParticipantStatus| status.offices[0].leader.as_deref() == Some("a");
    until(&members[2], knows).await;
    until(&members[0], |status| status.unready().is_none()).await;
    assert_eq!(get(0, "/healthz").await.0, 200);
    assert_eq!(get(0, "/readyz").await.0, 200);
    assert_eq!(get(0, "/leader/db-primary").await.0, 200);
    assert_eq!(get(1, "/leader/db-primary").await.0, 503);
    let (code, body) = get(2, "/v1/offices/db-primary").await;
    let term = format!("\"term\":{}", leadership.term());
    assert!(code == 200 && body.contains("\"leader\":\"a\"") && body.contains(&term), "{body}");
    assert!(get(1, "/v1/offices").await.1.contains("\"office\":\"db-primary\""));
    let json = async |to: usize, path: &str| -> Value {
        serde_json::from_str(&get(to, path).await.1).unwrap()
    };
    // Until when it is certain is told where it is led.
    for path in ["/v1/offices/db-primary", "/v1/offices"] {
        let of = |answer: Value| match path {
            "/v1/offices" => answer[0]["valid_for_seconds"].clone(),
            _ => answer["valid_for_seconds"].clone(),
        };
        let here = of(json(0, path).await).as_f64().unwrap();
        assert!(here > 0.0 && here <= 0.5, "{here}");
        assert!(of(json(1, path).await).is_null());
    }
    let status = json(0, "/v1/status").await;
    assert_eq!(status["cluster"], "lab");
    assert!(status["members"][0].get("lease_held").is_some(), "{status}");
    assert!(status["clock_drift_ppm"].is_u64(), "{status}");
    assert_eq!(get(0, "/v1/offices/%0a").await.0, 400);

    // Requests without a token, or with a wrong one, are refused.
    let resign = "/v1/offices/db-primary/resign";
    assert_eq!(ask(http[2], "POST", resign, "").await.0, 401);
    assert_eq!(ask(http[2], "POST", resign, "authorization: Bearer x\r\n").await.0, 401);
    leadership.check().unwrap();
    let leader = tokio::spawn(async move {
        leadership.stopping().await;
        leadership.resign().await;
    });
    let watched = http[1];
    let events = spawn_blocking(move || {
        let mut stream = TcpStream::connect(watched).unwrap();
        let request = "GET /v1/offices/db-primary/watch HTTP/1.1\r\nhost: x\r\n\r\n";
        stream.write_all(request.as_bytes()).unwrap();
        let lines = BufReader::new(stream).lines().map(Result::unwrap);
        let mut data = lines.filter(|line| line.starts_with("data:"));
        (data.next().unwrap(), data.next().unwrap())
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let shown = format!("authorization: Bearer {TOKEN}\r\n");
    assert_eq!(ask(http[2], "POST", resign, &shown).await, (200, "done\n".to_owned()));
    leader.await.unwrap();
    let (led, vacant) = timeout(LONG, events).await.unwrap().unwrap();
    assert!(
        led.contains("\"leader\":\"a\"") && vacant.contains("\"leader\":null"),
        "{led} {vacant}"
    );
    assert_eq!(ask(http[2], "POST", resign, &shown).await.0, 409);
}

#[tokio::test]
async fn an_office_is_transferred_for_a_client_with_the_token_to_a_member_that_is_known() {
    let hosts = Hosts::three();
    let mut members = Vec::new();
    let mut http = Vec::new();
    for name in ["a", "b", "c"] {
        let (member, at) = start(&hosts, name, TIMING).await;
        members.push(member);
        http.push(at);
    }
    let first = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let waits = members[1].clone();
    let second = tokio::spawn(async move { waits.office(OFFICE).stand().await.unwrap() });
    // It stands, and the third member knows whom to ask.
    until(&members[1], |status| status.offices[0].stands).await;
    until(&members[2], |status| status.offices[0].leader.as_deref() == Some("a")).await;
    let post = async |to: &str, header: &str| {
        let path = format!("/v1/offices/{OFFICE}/transfer{to}");
        ask(http[2], "POST", &path, header).await
    };
    let shown = format!("authorization: Bearer {TOKEN}\r\n");
    assert_eq!(post("?to=b", "").await, (401, "this needs the token\n".to_owned()));
    assert_eq!(post("?to=b", "authorization: Bearer x\r\n").await.0, 401);
    let (code, why) = post("?to=nobody", &shown).await;
    assert!(code == 404 && why.contains("nobody"), "{code} {why}");
    assert_eq!(post("", &shown).await.0, 400, "it does not say to whom");
    assert!(!first.is_stopping(), "none of them has reached the leader");
    first.check().unwrap();

    let term = first.term();
    let leader = tokio::spawn(async move {
        first.stopping().await;
        first.resign().await;
    });
    assert_eq!(post("?to=b", &shown).await, (200, "done\n".to_owned()));
    timeout(LONG, leader).await.unwrap().unwrap();
    let second = timeout(LONG, second).await.unwrap().unwrap();
    assert!(second.term() > term);
    until(&members[2], |status| status.offices[0].leader.as_deref() == Some("b")).await;
    let (_, body) = ask(http[2], "GET", &format!("/v1/offices/{OFFICE}"), "").await;
    assert!(body.contains("\"leader\":\"b\""), "{body}");
}

/// A lease that is long enough for a member to be seen that has come up and is connected already.
const SLOW: &str = "profile = \"custom\"\ntiming = { heartbeat = \"50ms\", lease = \"5s\" }";

#[tokio::test]
async fn a_member_is_ready_when_it_can_grant_and_reaches_a_majority() {
    let hosts = Hosts::three();
    let (first, at) = start(&hosts, "a", SLOW).await;
    let ready = async |at: SocketAddr| ask(at, "GET", "/readyz", "").await;
    // Waits until the answer is this one. Until then the member is not ready for another reason.
    let until_it_says = async |at: SocketAddr, code: u16, words: &str| {
        let said = async {
            loop {
                let answer = ready(at).await;
                if answer.0 == code && answer.1.contains(words) {
                    return;
                }
                assert_eq!(answer.0, 503, "{}", answer.1);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(LONG, said).await.unwrap_or_else(|_| panic!("it never says {code}, {words:?}"));
    };
    let (code, why) = ready(at).await;
    assert!(code == 503 && why.contains("it has no record"), "{code} {why}");
    assert_eq!(ask(at, "GET", "/healthz", "").await.0, 200, "it runs");
    let mut others = Vec::new();
    for name in ["b", "c"] {
        others.push(start(&hosts, name, SLOW).await);
    }
    for at in [at, others[0].1, others[1].1] {
        until_it_says(at, 200, "ready").await;
    }

    // After a restart it knows what it has promised, but may owe leases that it does not know of.
    first.kill();
    first.ended().await;
    let (_first, at) = start(&hosts, "a", SLOW).await;
    until_it_says(at, 503, "it has just come up").await;
    until_it_says(at, 200, "ready").await;

    for (other, _) in &others {
        other.kill();
        other.ended().await;
    }
    let alone = async {
        loop {
            let (code, why) = ready(at).await;
            if code == 503 {
                return why;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let why = timeout(LONG, alone).await.unwrap();
    assert!(why.contains("of 3 members: no majority"), "{why}");
}

/// Starts a member that serves HTTP with the certificate of a site.
async fn start_with(hosts: &Hosts, site: &TlsFiles) -> (Member, SocketAddr) {
    let free = free::addresses(1).unwrap()[0];
    let served = format!(
        "[http]\nlisten = \"{free}\"\ncertificate = \"{}\"\nkey = \"{}\"\n",
        site.certificate.display(),
        site.key.display()
    );
    let text = format!("{}{served}", hosts.text("a", TIMING));
    (Member::start(hosts.config_of("a", &text)).await.unwrap(), free)
}

/// Asks over TLS, of a server that must have a certificate for this name.
async fn ask_site(to: SocketAddr, site: &TlsFiles, name: &str) -> std::io::Result<String> {
    let client = Tls::from_files(site.clone()).unwrap();
    let stream = tokio::net::TcpStream::connect(to).await?;
    let mut stream = client.connect(stream, &member_name(CLUSTER, name)).await?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await?;
    let mut answer = String::new();
    // The server may end without an end of TLS.
    let _ = stream.read_to_string(&mut answer).await;
    Ok(answer)
}

#[tokio::test]
async fn with_a_certificate_http_is_encrypted_and_asks_clients_for_none() {
    let hosts = Hosts::three();
    // Any certificate will do; clients ask for the name in it.
    let credentials = hosts.authority.issue(CLUSTER, CertificateSubject::Member("site")).unwrap();
    let site = hosts.install("site", &hosts.authority.with(credentials));
    let (_member, at) = start_with(&hosts, &site).await;
    let answer = ask_site(at, &site, "site").await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(ask_site(at, &site, "a").await.is_err(), "another name");
    let mut plain = TcpStream::connect(at).unwrap();
    plain.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "no answer without TLS");
}

#[tokio::test]
async fn a_certificate_and_key_of_http_that_are_replaced_are_used_from_then_on() {
    let hosts = Hosts::three();
    let install = |name: &str| {
        let credentials = hosts.authority.issue(CLUSTER, CertificateSubject::Member(name)).unwrap();
        hosts.install("site", &hosts.authority.with(credentials))
    };
    let site = install("site");
    let (_member, at) = start_with(&hosts, &site).await;
    assert!(ask_site(at, &site, "site").await.is_ok());
    assert!(ask_site(at, &site, "next").await.is_err());
    install("next");
    let replaced = async {
        while ask_site(at, &site, "next").await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(LONG, replaced).await.expect("the new certificate is used");
    let answer = ask_site(at, &site, "next").await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(ask_site(at, &site, "site").await.is_err(), "the old one is not");
}

#[tokio::test]
async fn the_token_is_read_again_with_the_configuration() {
    let hosts = Hosts::three();
    let (member, at) = start(&hosts, "a", TIMING).await;
    let offices = format!("[[offices]]\nname = \"{OFFICE}\"\n");
    let served = format!("[http]\nlisten = \"{at}\"\ntoken = \"token\"\n");
    let config = hosts.config_of("a", &format!("{}{offices}{served}", hosts.text("a", TIMING)));
    let resign = async |token: &str| {
        let header = format!("authorization: Bearer {token}\r\n");
        ask(at, "POST", "/v1/offices/db-primary/resign", &header).await.0
    };
    let other = "another token of sufficient length";
    assert_eq!([resign(TOKEN).await, resign(other).await], [409, 401], "nobody leads");
    let path = config.tls.key.with_file_name("token");
    std::fs::write(&path, "short").unwrap();
    let why = member.reload(&config).unwrap_err().to_string();
    assert!(why.contains("http.token: a token has at least 16 bytes"), "{why}");
    assert_eq!(resign(TOKEN).await, 409);
    std::fs::write(&path, other).unwrap();
    member.reload(&config).unwrap();
    assert_eq!([resign(TOKEN).await, resign(other).await], [401, 409]);
}

#[tokio::test]
async fn an_office_that_was_asked_for_and_never_led_is_in_no_list_and_no_metric() {
    let hosts = Hosts::three();
    let (_member, at) = start(&hosts, "a", TIMING).await;
    let (code, body) = ask(at, "GET", "/v1/offices/typo", "").await;
    assert!(code == 200 && body.contains("\"leader\":null"), "{body}");
    for path in ["/v1/offices", "/v1/status", "/metrics"] {
        let (_, body) = ask(at, "GET", path, "").await;
        assert!(body.contains(OFFICE) && !body.contains("typo"), "{path}: {body}");
    }
}

#[tokio::test]
async fn the_value_of_a_leader_is_told_over_http_and_its_changes_are_waited_for() {
    let hosts = Hosts::three();
    let mut members = Vec::new();
    let mut http = Vec::new();
    for name in ["a", "b", "c"] {
        let (member, at) = start(&hosts, name, TIMING).await;
        members.push(member);
        http.push(at);
    }
    let path = |query: &str| format!("/v1/offices/{OFFICE}{query}");
    let get = async |query: &str| -> Value {
        let (code, body) = ask(http[1], "GET", &path(query), "").await;
        assert_eq!(code, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    };
    let value = |text: &str| LeaderValue::new(text).unwrap();
    let office = members[0].office(OFFICE).value(value("http://a"));
    let leads = async { timeout(LONG, office.stand()).await.unwrap().unwrap() };
    let (leadership, first) = tokio::join!(leads, get("?after=0.0&wait=20s"));
    let (term, first) = match first["change"].as_u64() {
        // It has asked before the program had set its value.
        Some(0) => {
            (leadership.term(), get(&format!("?after={}.0&wait=20s", leadership.term())).await)
        }
        _ => (leadership.term(), first),
    };
    assert_eq!((&first["value"], &first["change"]), (&"http://a".into(), &1.into()), "{first}");
    let long = "b".repeat(4096);
    let after_first = format!("?after={term}.1&wait=20s");
    let later = get(&after_first);
    let change = async { leadership.proclaim(value(&long)).unwrap() };
    let (later, ()) = tokio::join!(later, change);
    assert_eq!((&later["value"], &later["change"]), (&long.into(), &2.into()));
    // Nothing is later.
    let last = get(&format!("?after={term}.2&wait=10ms")).await;
    assert_eq!((last["term"].as_u64(), last["change"].as_u64()), (Some(term), Some(2)));
    for wrong in ["?after=1", "?after=a.1", "?wait=x"] {
        assert_eq!(ask(http[1], "GET", &path(wrong), "").await.0, 400, "{wrong}");
    }
}

const WEB: &str = "authorization: Bearer the token of a web server\r\n";
const BATCH: &str = "authorization: Bearer the token of a batch job\r\n";

/// Starts a member at which two programs may stand.
async fn start_for_programs(hosts: &Hosts) -> (Member, SocketAddr) {
    let free = free::addresses(1).unwrap()[0];
    let programs = "[[http.programs]]\nname = \"web\"\ntoken = \"web.token\"\noffices = [\"db\", \"jobs-*\"]\n\
                    [[http.programs]]\nname = \"batch\"\ntoken = \"batch.token\"\noffices = [\"batch\"]\n";
    let text = format!("{}[http]\nlisten = \"{free}\"\n{programs}", hosts.text("a", TIMING));
    let config = hosts.config_of("a", &text);
    let token = |name: &str| config.tls.key.with_file_name(name);
    std::fs::write(token("web.token"), "the token of a web server\n").unwrap();
    std::fs::write(token("batch.token"), "the token of a batch job").unwrap();
    (Member::start(config).await.unwrap(), free)
}

/// Answers each program with the rights that it has and the lines that it says, until it says that this is all.
fn answer_programs(member: &Member) {
    let mut conversations = member.conversations().unwrap();
    tokio::spawn(async move {
        while let Some(conversation) = conversations.next().await {
            let rights = format!("{:?}", conversation.rights());
            let mut lines = tokio::io::BufReader::new(conversation);
            let mut line = String::new();
            let answer =
                |name: &str, content: Value| format!("{}\n", serde_json::json!({ name: content }));
            lines
                .write_all(answer("hello", serde_json::json!({"rights": rights})).as_bytes())
                .await
                .unwrap();
            while lines.read_line(&mut line).await.unwrap() > 0 {
                let heard: Value = serde_json::from_str(&line).unwrap();
                let all = heard.get("release").is_some();
                lines.write_all(answer("heard", heard).as_bytes()).await.unwrap();
                line.clear();
                if all {
                    break;
                }
            }
        }
    });
}

/// A program that stands, and the lines of its answer.
struct Standing {
    stream: BufReader<TcpStream>,
}

impl Standing {
    fn begin(at: SocketAddr, body: &str) -> Self {
        let mut stream = TcpStream::connect(at).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let path = "/v1/offices/jobs-1/stand";
        let header = format!("host: x\r\n{WEB}content-length: {}\r\n", body.len());
        write!(stream, "POST {path} HTTP/1.1\r\n{header}\r\n{body}").unwrap();
        Self { stream: BufReader::new(stream) }
    }

    /// Returns the next event, and what it says; `None` at the end of the answer.
    fn event(&mut self) -> Option<(String, Value)> {
        let (mut name, mut line) = (String::new(), String::new());
        loop {
            line.clear();
            if self.stream.read_line(&mut line).unwrap() == 0 || line == "0\r\n" {
                return None;
            }
            if let Some(event) = line.strip_prefix("event: ") {
                name = event.trim().to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some((name, serde_json::from_str(data).unwrap()));
            }
        }
    }
}

#[tokio::test]
async fn a_program_stands_over_http_with_the_token_of_the_office() {
    let hosts = Hosts::three();
    let (member, at) = start_for_programs(&hosts).await;
    let stand = async |office: &str, header: &str, body: &str| {
        ask_with(at, "POST", &format!("/v1/offices/{office}/stand"), header, body).await
    };
    let (code, why) = stand("db", WEB, "").await;
    assert!(code == 503 && why.contains("the program of this member answers none"), "{code} {why}");
    answer_programs(&member);
    assert_eq!(stand("db", "", "").await.0, 401);
    assert_eq!(stand("db", "authorization: Bearer x\r\n", "").await.0, 401);
    for (office, header) in [("db", BATCH), ("batch", WEB), ("jobs", WEB), ("db2", WEB), ("*", WEB)]
    {
        let (code, why) = stand(office, header, "").await;
        assert_eq!(
            (code, why.as_str()),
            (403, "not allowed: this token is for other offices\n"),
            "{office}"
        );
    }
    for body in ["{", "[]", "{\"guarded\": true}", "{\"wait_ms\": -1}", "{\"office\": \"db\"}"] {
        let (code, why) = stand("db", WEB, body).await;
        assert!(code == 400 && why.starts_with("the body cannot be used: "), "{code} {why}");
    }
    assert_eq!(
        stand("db", WEB, &format!("{{\"value\": \"{}\"}}", "x".repeat(40_000))).await.0,
        413
    );

    let program = spawn_blocking(move || {
        let mut standing = Standing::begin(at, "{\"value\": \"here\", \"try\": true}");
        let (name, hello) = standing.event().unwrap();
        assert!(name == "hello" && hello["rights"] == "Stand(\"web\")", "{name} {hello}");
        let heard = [standing.event().unwrap(), standing.event().unwrap()].map(|(_, heard)| heard);
        assert_eq!(heard[0], serde_json::json!({"hello": {"versions": [1]}}));
        let stand = serde_json::json!({"office": "jobs-1", "value": "here", "try": true});
        assert_eq!(heard[1], serde_json::json!({ "stand": stand }));
        (standing, hello["candidacy"].as_str().unwrap().to_owned())
    });
    let (mut standing, key) = timeout(LONG, program).await.unwrap().unwrap();
    let say = async |key: &str, header: &str, body: &str| {
        ask_with(at, "POST", &format!("/v1/candidacies/{key}"), header, body).await.0
    };
    // Its key is for it alone.
    assert_eq!(say(&key, "", "{}").await, 401);
    assert_eq!(say(&key, BATCH, "{}").await, 403);
    assert_eq!(say("0123", WEB, "{}").await, 404);
    assert_eq!(say(&key, WEB, "no message").await, 400);
    assert_eq!(say(&key, WEB, "{\n\"alive\": {\"ping\": 18446744073709551615}\n}").await, 204);
    assert_eq!(say(&key, WEB, "{\"release\": {}}").await, 204);
    let end = spawn_blocking(move || {
        let alive = serde_json::json!({"alive": {"ping": u64::MAX}});
        assert_eq!(standing.event(), Some(("heard".to_owned(), alive)));
        assert_eq!(standing.event().unwrap().1, serde_json::json!({"release": {}}));
        assert_eq!(standing.event(), None, "the member has ended the conversation");
    });
    timeout(LONG, end).await.unwrap().unwrap();
    assert_eq!(say(&key, WEB, "{}").await, 404, "the candidacy has ended");
}

#[tokio::test]
async fn a_program_that_closes_its_connection_has_withdrawn() {
    let hosts = Hosts::three();
    let (member, at) = start_for_programs(&hosts).await;
    let mut conversations = member.conversations().unwrap();
    let program = spawn_blocking(move || Standing::begin(at, ""));
    let mut conversation = timeout(LONG, conversations.next()).await.unwrap().unwrap();
    let standing = timeout(LONG, program).await.unwrap().unwrap();
    drop(standing);
    let mut said = String::new();
    timeout(LONG, conversation.read_to_string(&mut said)).await.unwrap().unwrap();
    assert!(said.ends_with("{\"stand\":{\"office\":\"jobs-1\",\"try\":false}}\n"), "{said}");
}

/// The document for programs has each path with its methods, and no other.
#[test]
fn every_path_of_http_is_in_its_openapi_document() {
    let document = include_str!("../../../../docs/reference/http.openapi.json");
    let document: Value = serde_json::from_str(document).unwrap();
    let methods = |path: &Value| path.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let paths = document["paths"].as_object().unwrap().iter();
    let mut said: Vec<_> = paths.map(|(path, of)| (path.clone(), methods(of))).collect();
    let routes = include_str!("../../src/http.rs").lines().filter_map(|line| {
        let (path, handler) = line.trim().strip_prefix(".route(\"")?.split_once("\", ")?;
        Some((path.to_owned(), vec![handler.split_once('(')?.0.to_owned()]))
    });
    let mut served: Vec<_> = routes.collect();
    said.sort();
    served.sort();
    assert_eq!(said, served);
    let explained = include_str!("../../../../docs/reference/http.md");
    for (path, methods) in said {
        let line = format!("{} {path}", methods[0].to_uppercase());
        let line = line.replace("{name}", "NAME").replace("{key}", "KEY");
        assert!(explained.contains(&line), "docs/reference/http.md does not have `{line}`");
    }
}
