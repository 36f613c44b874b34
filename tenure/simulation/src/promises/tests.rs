use super::*;

const A: Peer = Peer(0);
const B: Peer = Peer(1);

#[test]
fn one_after_the_other_at_growing_terms_is_fine() {
    let mut monitor = OfficeMonitor::default();
    assert_eq!(monitor.begins(A, Term(1)), None);
    monitor.ends(A);
    assert_eq!(monitor.begins(B, Term(2)), None);
    monitor.ends(B);
    assert_eq!(monitor.begins(B, Term(3)), None);
    assert_eq!(monitor.holders(), [(B, Term(3))]);
}

#[test]
fn two_at_a_time_break_the_first_promise() {
    let mut monitor = OfficeMonitor::default();
    assert_eq!(monitor.begins(A, Term(1)), None);
    let breach = monitor.begins(B, Term(2)).unwrap();
    assert_eq!(breach.promise(), Promise::One);
    assert_eq!(breach.to_string(), "1 holds the office at term 2 while 0 holds it at term 1");
}

#[test]
fn work_that_goes_on_breaks_the_first_promise() {
    let mut monitor = OfficeMonitor::default();
    monitor.begins(A, Term(1));
    monitor.work_begins(A, Term(1));
    monitor.ends(A);
    assert_eq!(monitor.begins(B, Term(2)).map(|breach| breach.promise()), Some(Promise::One));
    monitor.work_ends(A);
    assert_eq!(monitor.work_begins(B, Term(2)), None);
}

#[test]
fn a_term_that_is_used_again_breaks_the_second_promise() {
    let mut monitor = OfficeMonitor::default();
    monitor.begins(A, Term(4));
    monitor.ends(A);
    for term in [3, 4] {
        let breach = monitor.begins(A, Term(term)).unwrap();
        assert_eq!(breach.promise(), Promise::EverNewer);
        monitor.ends(A);
    }
}

#[test]
fn a_tenure_that_lapsed_goes_on_unless_another_came_between() {
    let mut monitor = OfficeMonitor::default();
    monitor.begins(A, Term(1));
    monitor.lapses(A);
    assert_eq!(monitor.begins(A, Term(1)), None);
    monitor.lapses(A);
    assert_eq!(monitor.begins(B, Term(2)), None);
    monitor.ends(B);
    let breach = monitor.begins(A, Term(1)).unwrap();
    assert_eq!(breach.promise(), Promise::EverNewer);
}
