use super::*;
use crate::clock::{Clock, TestClock};

fn shared() -> (Arc<TestClock>, Arc<Shared>) {
    let clock = Arc::new(TestClock::new(1_000_000));
    let office = OfficeName::new("office").unwrap();
    (clock.clone(), Arc::new(Shared::new(office, Term(7), Ends::new(clock))))
}

#[test]
fn validity_is_read_from_the_clock_at_each_call() {
    let (clock, shared) = shared();
    shared.begin(Some(clock.now() + 3_600_000_000_000));
    assert!(shared.valid_for() > Duration::from_secs(3_000));
    clock.advance(Duration::from_secs(3_601));
    assert_eq!(shared.valid_for(), Duration::ZERO);
}

#[test]
fn what_was_over_once_is_never_prolonged() {
    let (clock, shared) = shared();
    shared.begin(Some(clock.now() + 1_000_000_000));
    assert!(shared.lasts(Some(clock.now() + 2_000_000_000)));
    clock.advance(Duration::from_secs(3));
    assert_eq!(shared.valid_for(), Duration::ZERO);
    assert!(!shared.lasts(Some(clock.now() + 60_000_000_000)));
    assert_eq!(shared.valid_for(), Duration::ZERO);
}

/// A clock on which a leadership is extended between two readings of its end.
#[derive(Debug, Default)]
struct Extends(std::sync::Mutex<Option<(std::thread::ThreadId, Arc<Shared>)>>);

impl Clock for Extends {
    fn now(&self) -> u64 {
        let mut extended = self.0.lock().unwrap();
        // Not when the thread that watches the ends looks at it.
        let here = |(id, _): &mut (_, _)| *id == std::thread::current().id();
        if let Some((_, shared)) = extended.take_if(here) {
            assert!(shared.lasts(Some(3_000)));
        }
        2_000
    }
}

#[test]
fn one_that_is_extended_while_its_end_is_looked_at_is_not_over() {
    let clock = Arc::new(Extends::default());
    let office = OfficeName::new("office").unwrap();
    let shared = Arc::new(Shared::new(office, Term(7), Ends::new(clock.clone())));
    assert!(shared.lasts(Some(1_000)));
    *clock.0.lock().unwrap() = Some((std::thread::current().id(), shared.clone()));
    assert_eq!(shared.look(), Some(3_000));
    assert_eq!((shared.valid_for(), shared.stage()), (Duration::from_nanos(1_000), Stage::Leading));
}

#[tokio::test]
async fn extensions_are_told_and_no_other_changes() {
    let (clock, shared) = shared();
    let mut extensions = Extensions(shared.extended.subscribe());
    let until = clock.now() + 1_000_000_000;
    shared.begin(Some(until));
    assert!(shared.lasts(Some(until)));
    assert!(!extensions.0.has_changed().unwrap());
    assert!(shared.lasts(Some(until + 1)));
    extensions.next().await;
    assert!(!extensions.0.has_changed().unwrap());
}

#[test]
fn a_leadership_without_a_deadline_lasts_until_it_is_ended() {
    let (_, shared) = shared();
    shared.begin(None);
    assert_eq!(shared.valid_for(), Duration::MAX);
    shared.end();
    assert_eq!(shared.valid_for(), Duration::ZERO);
}
