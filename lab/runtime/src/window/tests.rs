use super::*;

/// As when the task of a link panics: its messages have not arrived.
#[tokio::test]
async fn a_message_that_is_dropped_does_not_count_as_taken() {
    let (under_way, room) = (Arc::<UnderWay>::default(), LinkRoom::of(1));
    drop(room.enter(&under_way).await);
    assert!(!under_way.is_empty());
    // It makes room all the same.
    room.enter(&under_way).await.taken();
    assert!(!under_way.is_empty(), "the first is still under way");
}

#[tokio::test]
async fn all_are_taken_when_the_last_is() {
    let (under_way, room) = (Arc::<UnderWay>::default(), LinkRoom::of(2));
    let (first, second) = (room.enter(&under_way).await, room.enter(&under_way).await);
    first.taken();
    assert!(!under_way.is_empty());
    second.taken();
    under_way.none().await;
}
