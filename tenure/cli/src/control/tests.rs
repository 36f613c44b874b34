use super::*;
use tokio::net::UnixStream;

#[tokio::test]
async fn a_line_that_comes_in_pieces_is_not_lost_when_waiting_is_given_up() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let mut lines = JsonLines::of_server(ours);
    let text = serde_json::to_string(&ClientMessage::Show { office: "a".to_owned() }).unwrap();
    let (first, second) = text.split_at(5);
    theirs.write_all(first.as_bytes()).await.unwrap();
    let hasty = tokio::time::timeout(Duration::from_millis(20), lines.hear::<ClientMessage>());
    assert!(hasty.await.is_err());
    theirs.write_all(second.as_bytes()).await.unwrap();
    theirs.write_all(b"\n{\"list\":{}}\n").await.unwrap();
    assert_eq!(lines.hear().await.unwrap(), Some(ClientMessage::Show { office: "a".to_owned() }));
    assert_eq!(lines.hear().await.unwrap(), Some(ClientMessage::List {}));
    drop(theirs);
    assert_eq!(lines.hear::<ClientMessage>().await.unwrap(), None);
}

#[tokio::test]
async fn an_answer_may_be_longer_than_any_request() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let change = LeaderChange { at: "x".repeat(100), leader: None, term: Some(7) };
    let history = MemberMessage::History(vec![change; 1000]);
    let told = history.clone();
    let member = tokio::spawn(async move { JsonLines::of_server(theirs).say(&told).await });
    assert_eq!(JsonLines::of_client(ours).hear().await.unwrap(), Some(history));
    member.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_line_without_end_is_refused() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let mut lines = JsonLines::of_server(ours);
    let flood = tokio::spawn(async move { while theirs.write_all(&[b'x'; 4096]).await.is_ok() {} });
    assert!(lines.hear::<ClientMessage>().await.is_err());
    drop(lines);
    flood.await.unwrap();
}
