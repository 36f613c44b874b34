use super::*;
use std::io::Read;

#[test]
fn packets_arrive_one_by_one_and_the_end_is_seen() {
    let (one, other) = pair().unwrap();
    let orders = [
        GuardOrder::Begin { term: 7, until: Boottime::from_nanos(5), again: false },
        GuardOrder::End { grace: Duration::from_millis(1500) },
    ];
    for order in &orders {
        send(&one, order, None).unwrap();
    }
    drop(one);
    for order in orders {
        assert_eq!(receive::<GuardOrder>(&other, true).unwrap().unwrap().0, order);
    }
    assert!(receive::<GuardOrder>(&other, true).unwrap().is_none());
}

#[test]
fn nothing_waits_where_it_must_not() {
    let (one, other) = pair().unwrap();
    let error = receive::<GuardOrder>(&other, false).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
    let full = (0..100_000)
        .find_map(|_| send(&one, &GuardOrder::Keep { word: None }, None).err())
        .unwrap();
    assert_eq!(full.kind(), io::ErrorKind::WouldBlock);
}

#[test]
fn a_descriptor_travels_along() {
    let (one, other) = pair().unwrap();
    let (read, write) = io::pipe().unwrap();
    send(&one, &GuardOrder::Keep { word: None }, Some(write.as_fd())).unwrap();
    drop(write);
    let (_, kept) = receive::<GuardOrder>(&other, true).unwrap().unwrap();
    std::thread::scope(|scope| {
        let ended = scope.spawn(|| (&read).read(&mut [0]).unwrap());
        // The pipe is closed with its last descriptor.
        drop(kept);
        assert_eq!(ended.join().unwrap(), 0);
    });
}
