use super::*;

#[test]
fn durations_are_read_as_they_are_printed() {
    for nanos in [7, 1_500, 3_100_000, 1_234_567_891, 61_000_000_000] {
        let printed = Duration::from_nanos(nanos);
        let read = duration(&format!("{printed:?}")).unwrap();
        assert!(read.abs_diff(printed) <= Duration::from_nanos(1), "{printed:?}: {read:?}");
    }
    assert_eq!(["3", "3 m", "-1s", ""].map(duration), [None; 4]);
}

#[test]
fn what_is_no_event_is_refused_with_its_line() {
    for line in ["start 5 a 1000000", "fault 1 2 3 stays", "waits 1 2 3", "end", "hold 5 a"] {
        let error = RunEvents::default().trace(&format!("end 1\n{line}\n")).unwrap_err();
        assert!(format!("{error:#}").starts_with("line 2: "), "{line}: {error:#}");
    }
}
