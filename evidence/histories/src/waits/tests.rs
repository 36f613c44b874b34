use super::*;

#[test]
fn what_stands_in_the_way_of_a_message_is_the_delay_proxy_and_two_members() {
    let before = Waited {
        at: 1000,
        proxy: [(7, 100)].into(),
        members: [(1, 10), (2, 20), (3, 30), (4, 5000)].into(),
        steal: 10_000,
        disks: 3,
    };
    let now = Waited {
        at: 51_000,
        proxy: [(7, 101)].into(),
        // The third has started again, the fourth has ended a thread.
        members: [(1, 20), (2, 420), (5, 30), (4, 4000)].into(),
        steal: 20_000,
        disks: 8,
    };
    assert_eq!(line(&before, &now), "waits 1000 51000 10431 5\n");
    let late = Waited { proxy: [(7, 100_000)].into(), disks: 60_000, ..now };
    assert_eq!(line(&before, &late), "waits 1000 51000 50000 50000\n");
}

#[test]
fn the_counters_of_the_kernel_are_read() {
    assert_eq!(steal("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 9 9 10\n"), 80_000);
    let pressure = "some avg10=0.15 avg60=0.31 total=5477235\nfull avg10=0.14 total=3893697\n";
    assert_eq!(stalled(pressure), 5_477_235);
    let disks = " 7 0 loop0 1 2 3 4 5 6 7 8 9 1 11\n 254 0 vda 1 2 3 4 5 6 7 8 9 250 11\n";
    assert_eq!(busy(disks), 250_000);
    assert_eq!((steal(""), stalled(""), busy("")), (0, 0, 0));
}

#[test]
fn a_process_of_a_folder_is_found_while_it_lives() {
    let folder = std::env::temp_dir().join(format!("tenure-waits-{}", std::process::id()));
    assert!(fs::create_dir(&folder).is_ok());
    assert_eq!(process(&folder), None);
    assert!(fs::write(folder.join("pid"), format!("{}\n", std::process::id())).is_ok());
    assert_eq!(process(&folder).map(|(pid, _)| pid), Some(std::process::id()));
    assert!(fs::remove_dir_all(&folder).is_ok());
}
