use super::*;

fn work(host: &str, term: u64) -> RunningCommand {
    RunningCommand { host: host.to_owned(), term }
}

#[test]
fn two_at_once_and_terms_that_do_not_grow_are_violations() {
    let monitor = CommandMonitor::new();
    let first = monitor.begin(work("a", 3));
    monitor.end(first);
    let second = monitor.begin(work("b", 4));
    assert_eq!(monitor.verdict(), (2, vec![]));
    let third = monitor.begin(work("a", 5));
    monitor.end(second);
    monitor.end(third);
    monitor.begin(work("c", 5));
    let (tenures, violations) = monitor.verdict();
    assert_eq!(tenures, 4);
    assert_eq!(violations.len(), 2, "{violations:?}");
    assert!(violations[0].contains("of a at term 5 started while that of b at term 4 lived"));
    assert_eq!(violations[1], "term 5 came after term 5");
}
