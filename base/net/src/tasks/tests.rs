use super::*;
use tokio::sync::mpsc::unbounded_channel;

#[tokio::test]
async fn a_panic_is_reported_and_the_other_tasks_go_on() {
    let (sender, mut panics) = unbounded_channel();
    let tasks = Tasks::new(Arc::new(move |panicked| sender.send(panicked).unwrap()));
    let (done, finished) = oneshot::channel();
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
    let (held, dropped) = oneshot::channel::<()>();
    tasks.spawn("endless", async move {
        std::future::pending::<()>().await;
        drop(held);
    });
    drop(tasks);
    assert!(dropped.await.is_err(), "what the task held is dropped");
}

#[tokio::test]
async fn a_task_that_panics_is_reported_and_begun_again_until_the_group_ends() {
    let (reported, mut reports) = unbounded_channel();
    let tasks = Tasks::new(Arc::new(move |panicked: Panicked| _ = reported.send(panicked.task)));
    tasks.spawn_again("needed", Duration::from_millis(1), || async { panic!("no thread") });
    for _ in 0..3 {
        assert_eq!(reports.recv().await, Some("needed"));
    }
    tasks.cancel();
    tasks.ended().await;
    drop(tasks);
    while reports.recv().await.is_some() {}
}

#[tokio::test]
async fn work_on_a_thread_answers_and_its_panic_is_an_error() {
    assert_eq!(on_thread("reader", || 7).await.unwrap(), 7);
    let why = on_thread("reader", || panic!("a bug")).await.map(|(): ()| ()).unwrap_err();
    assert_eq!(why.to_string(), "reader has panicked");
}
