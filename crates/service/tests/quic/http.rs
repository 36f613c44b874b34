//! Offices, health checks and metrics over HTTP.

use crate::hosts::{CLUSTER, Hosts, LONG, OFFICE, TIMING, until};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use suffrage_net::free;
use suffrage_net::tls::{Tls, member_name};
use suffrage_service::Member;
use suffrage_service::certificates::Subject;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

const TOKEN: &str = "a token of sufficient length";

/// Sends a request, and returns the status code and the body of the answer.
async fn ask(to: SocketAddr, method: &str, path: &str, header: &str) -> (u16, String) {
    let request =
        format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{header}\r\n");
    let asked = spawn_blocking(move || {
        let mut stream = TcpStream::connect(to).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });
    let answer = asked.await.unwrap();
    let code = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (code, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
}

#[tokio::test]
async fn http_tells_who_leads_and_has_leaders_leave_who_show_the_token() {
    let hosts = Hosts::three();
    let mut members = Vec::new();
    let mut http = Vec::new();
    for name in ["a", "b", "c"] {
        let free = free::addresses(1).unwrap()[0];
        let offices = format!("[[offices]]\nname = \"{OFFICE}\"\n");
        let served = format!("[http]\nlisten = \"{free}\"\ntoken = \"token\"\n");
        let text = format!("{}{offices}{served}", hosts.text(name, TIMING));
        let config = hosts.config_of(name, &text);
        std::fs::write(config.tls.key.with_file_name("token"), TOKEN).unwrap();
        members.push(Member::start(config).await.unwrap());
        http.push(free);
    }
    let get = async |to: usize, path: &str| ask(http[to], "GET", path, "").await;
    let leadership = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let knows =
        |status: &suffrage_service::Status| status.offices[0].leader.as_deref() == Some("a");
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
    let (_, text) = get(0, "/metrics").await;
    let line = format!("suffrage_leader{{office=\"db-primary\",term=\"{}\"}} 1", leadership.term());
    assert!(text.contains(&line), "{text}");
    assert!(text.contains("suffrage_peer_connected{peer=\"b\"} 1"), "{text}");
    assert!(get(0, "/v1/status").await.1.contains("\"cluster\":\"lab\""));
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
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
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
async fn with_a_certificate_http_is_encrypted_and_asks_clients_for_none() {
    let hosts = Hosts::three();
    // Any certificate will do; clients ask for the name in it.
    let credentials = hosts.authority.issue(CLUSTER, Subject::Member("site")).unwrap();
    let site = hosts.install("site", &hosts.authority.with(credentials));
    let free = free::addresses(1).unwrap()[0];
    let served = format!(
        "[http]\nlisten = \"{free}\"\ncertificate = \"{}\"\nkey = \"{}\"\n",
        site.certificate.display(),
        site.key.display()
    );
    let text = format!("{}{served}", hosts.text("a", TIMING));
    let _member = Member::start(hosts.config_of("a", &text)).await.unwrap();
    let ask = async |name: &str| {
        let client = Tls::from_files(site.clone()).unwrap();
        let stream = tokio::net::TcpStream::connect(free).await?;
        let mut stream = client.connect(stream, name).await?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await?;
        let mut answer = String::new();
        // The server may end without an end of TLS.
        let _ = stream.read_to_string(&mut answer).await;
        Ok::<_, std::io::Error>(answer)
    };
    let answer = ask(&member_name(CLUSTER, "site")).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(ask(&member_name(CLUSTER, "a")).await.is_err(), "another name");
    let mut plain = TcpStream::connect(free).unwrap();
    plain.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "no answer without TLS");
}
