use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Starts a server that gives this answer to one request; none if it is empty.
async fn server(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 1024]).await.unwrap();
        if answer.is_empty() {
            std::future::pending::<()>().await;
        }
        stream.write_all(answer.as_bytes()).await.unwrap();
    });
    address
}

#[tokio::test]
async fn a_server_is_healthy_if_it_says_so_in_time() {
    let ask = |host| ask(host, "/health".to_owned(), Duration::from_millis(500));
    let fine = server("HTTP/1.1 204 No Content\r\n\r\n").await;
    assert_eq!(ask(fine).await, None);
    let busy = server("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n").await;
    assert!(ask(busy).await.unwrap().ends_with("answers with status 503"));
    let stuck = server("").await;
    assert!(ask(stuck).await.unwrap().contains("does not answer within"));
    let nonsense = server("nonsense\r\n\r\n").await;
    assert!(ask(nonsense).await.is_some());
    assert!(ask("127.0.0.1:1".to_owned()).await.is_some());
}

#[test]
fn health_is_a_command_or_an_address() {
    let http = |host: &str, path: &str| {
        Ok(HealthProbe::Http { host: host.to_owned(), path: path.to_owned() })
    };
    assert_eq!(
        HealthProbe::parse("pg_isready -q"),
        Ok(HealthProbe::Command("pg_isready -q".to_owned()))
    );
    assert_eq!(
        HealthProbe::parse("http://127.0.0.1:8080/health?x"),
        http("127.0.0.1:8080", "/health?x")
    );
    assert_eq!(HealthProbe::parse("http://localhost"), http("localhost:80", "/"));
    assert_eq!(HealthProbe::parse("http://[::1]:80/"), http("[::1]:80", "/"));
    assert!(HealthProbe::parse("https://localhost/").unwrap_err().contains("curl"));
    assert!(HealthProbe::parse("http://").is_err());
}

#[test]
fn a_scheme_has_no_case() {
    let lower = HealthProbe::parse("http://localhost:8080/Health");
    assert_eq!(HealthProbe::parse("HTTP://localhost:8080/Health"), lower);
    assert!(HealthProbe::parse("Https://localhost").is_err());
}
