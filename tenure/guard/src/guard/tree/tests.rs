use super::*;
use rustix::process::kill_process;
use std::process::{Command, Stdio};

#[test]
fn a_process_is_read_whatever_its_name() {
    let tail = "S 17 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 1000 2";
    for name in ["sh", "a b", ") S 1 (", ""] {
        let stat = parse(&format!("42 ({name}) {tail}")).unwrap();
        assert_eq!(stat, Stat { ended: false, parent: 17, start: 4711 });
    }
    assert_eq!(parse("42 (sh"), None);
    assert_eq!(parse(""), None);
}

#[test]
fn this_process_is_read() {
    let own = stat(rustix::process::getpid().as_raw_nonzero().get()).unwrap();
    assert_eq!(own.parent, rustix::process::getppid().unwrap().as_raw_nonzero().get());
    assert!(own.start > 0);
}

#[test]
fn both_ways_find_the_same_descendants_which_can_be_stopped_at_once() {
    // A shell and its child, which ends with its input.
    let mut shell = Command::new("sh");
    let mut shell = shell.args(["-c", "cat; true"]).stdin(Stdio::piped()).spawn().unwrap();
    // Of the shell, and not of this process: other tests may start processes meanwhile.
    let of = i32::try_from(shell.id()).unwrap();
    let begin = Instant::now();
    let found = || {
        let mut all = BTreeMap::new();
        descendants(of, |pid, stat| {
            all.insert(pid, stat);
            ControlFlow::Continue(())
        });
        all
    };
    while found().is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(20), "the shell starts nothing");
        sleep(Duration::from_millis(1));
    }
    assert_eq!(found(), descendants_of_all(of));

    // A known process is stopped at once. Its parent, whose descendants these are, goes on.
    let state = |pid: i32| {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        text[text.rfind(')').unwrap() + 2..].chars().next().unwrap()
    };
    let child = *found().keys().next().unwrap();
    let mut known = KnownDescendants::default();
    assert_eq!(known.look(Pid::from_child(&shell), None, Duration::from_secs(20)), 1);
    known.stop();
    while state(child) != 'T' {
        assert!(begin.elapsed() < Duration::from_secs(20), "it goes on");
        sleep(Duration::from_millis(1));
    }
    assert_ne!(state(of), 'T');
    kill_process(Pid::from_raw(child).unwrap(), Signal::KILL).unwrap();
    drop(shell.stdin.take());
    shell.wait().unwrap();
}
