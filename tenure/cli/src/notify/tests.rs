use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tenure_node::clock::{BootClock, DeadlineClock};
use tenure_node::records::MemoryStore;
use tenure_node::transport::LocalNetwork;
use tenure_node::{LeaseTiming, LocalCluster};
use tokio::time::timeout;

#[test]
fn a_service_manager_hears_by_file_and_by_abstract_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let name = format!("tenure-test-{}", std::process::id());
    let listeners = [
        (UnixDatagram::bind(&path).unwrap(), path.into_os_string()),
        (
            UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap(),
            format!("@{name}").into(),
        ),
    ];
    for (listener, path) in listeners {
        let notify = Notify { socket: open(&path), watchdog: None };
        notify.ready();
        notify.status("leads\nterm 7");
        for expected in ["READY=1", "STATUS=leads term 7"] {
            let mut text = [0; 100];
            let length = listener.recv(&mut text).unwrap();
            assert_eq!(std::str::from_utf8(&text[..length]).unwrap(), expected);
        }
    }
    assert!(open(OsStr::new("relative")).is_none());
}

/// A clock whose readers stand still while it is stopped.
#[derive(Clone, Debug, Default)]
struct Stopped(Arc<AtomicBool>);

impl DeadlineClock for Stopped {
    fn now(&self) -> u64 {
        while self.0.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        BootClock.now()
    }
}

#[tokio::test]
async fn a_participant_whose_loop_stands_still_is_not_alive() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    let clock = Stopped::default();
    let cluster = LocalCluster::new(LocalNetwork::new(1), &["a"], LeaseTiming::LAN);
    let member = cluster.member("a", MemoryStore::founding(), Arc::new(clock.clone())).unwrap();
    let watchdog = Some(Watchdog::every(Duration::from_millis(10)));
    let mut notify = Notify { socket: open(path.as_os_str()), watchdog };
    notify.depend_on(&member);
    let long = Duration::from_secs(60);
    for _ in 0..3 {
        timeout(long, notify.beat()).await.unwrap();
        let mut text = [0; 100];
        let length = manager.recv(&mut text).unwrap();
        assert_eq!(&text[..length], b"WATCHDOG=1");
    }
    clock.0.store(true, Ordering::SeqCst);
    let mut missed = 0;
    for _ in 0..3 {
        missed += u32::from(timeout(Duration::from_millis(200), notify.beat()).await.is_err());
    }
    clock.0.store(false, Ordering::SeqCst);
    assert!(missed >= 2, "one answer may have been under way");
    timeout(long, notify.beat()).await.unwrap();
}

#[tokio::test]
async fn a_beat_is_due_however_often_waiting_for_it_is_given_up() {
    let watchdog = Some(Watchdog::every(Duration::from_millis(100)));
    let mut notify = Notify { socket: None, watchdog };
    let begin = Instant::now();
    while timeout(Duration::from_millis(10), notify.beat()).await.is_err() {
        assert!(begin.elapsed() < Duration::from_secs(60), "it never comes");
    }
}
