use super::*;
use tokio::sync::mpsc::unbounded_channel;

#[tokio::test]
async fn a_panic_is_reported_and_the_other_tasks_go_on() {
    let (sender, mut panics) = unbounded_channel();
    let tasks = Tasks::new(Arc::new(move |panicked| sender.send(panicked).unwrap()));
    let (done, finished) = tokio::sync::oneshot::channel();
    tasks.spawn("one", async { panic!("no {}", "way") });
    tasks.spawn("other", async move {
        let _ = done.send(());
    });
    let panicked = panics.recv().await.unwrap();
    assert_eq!((panicked.task, panicked.message.as_str()), ("one", "no way"));
    finished.await.unwrap();
    tasks.ended().await;
}

#[tokio::test]
async fn tasks_end_with_their_owner() {
    let tasks = Tasks::new(Arc::new(|_| {}));
    let (held, dropped) = tokio::sync::oneshot::channel::<()>();
    tasks.spawn("endless", async move {
        std::future::pending::<()>().await;
        drop(held);
    });
    drop(tasks);
    assert!(dropped.await.is_err(), "what the task held is dropped");
}
