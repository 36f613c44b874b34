use super::*;

#[test]
fn names_of_offices_become_names_of_files_and_stay_different() {
    assert_eq!(safe("db-primary"), "db-primary");
    assert_ne!(safe("a/b"), safe("a_b"));
    assert_ne!(safe("../a"), safe("..a"));
    assert!(safe(&"x".repeat(500)).len() < 60);
    assert_ne!(safe(&"x".repeat(500)), safe(&"x".repeat(501)));
    for office in ["a/b", "..", ".", "", "ü\0"] {
        assert!(
            safe(office)
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        );
    }
}

#[test]
fn the_mount_is_found() {
    let line = "31 23 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate";
    assert_eq!(mount_of(line), Some("/sys/fs/cgroup"));
    assert_eq!(mount_of("31 23 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu"), None);
}
