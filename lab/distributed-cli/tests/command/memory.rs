//! What workers take is named beforehand, and refused where it does not fit.

#[cfg(target_os = "linux")]
use super::said;
use super::{line, one_core, refused};
#[cfg(target_os = "linux")]
use std::process::Command;

/// No network of this size is stored, and no host of ours has the memory for its processes.
#[test]
fn what_each_worker_takes_is_named_before_anything_is_allocated() {
    let words = "echo-extinction --topology torus:100000x100000 --schedule rounds --force";
    let error = refused(&format!("{words} --ids scattered --workers 8"));
    assert!(error.contains("each of 8 workers takes at least"), "{error}");
    assert!(error.contains("choose more hosts or a smaller network"), "{error}");
    let error = refused(&format!("{words} --workers 8"));
    assert!(error.contains("choose scattered, ascending or descending"), "{error}");
    let error = refused(&format!("{words} --ids scattered --workers 2"));
    assert!(error.contains("too many for 2 workers"), "{error}");
    let (code, _, error) = one_core("echo-extinction --topology torus:100000x100000");
    assert!(code == 2 && error.contains("10000000000 nodes"), "{error}");
}

/// A process that may take this many MiB of address space.
#[cfg(target_os = "linux")]
fn within(mebibytes: u64, words: &str) -> (i32, String, String) {
    let script = format!("ulimit -v {}; exec \"$@\"", mebibytes * 1024);
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_suffrage-distributed")]);
    said(command.args(words.split_whitespace()).output().unwrap())
}

/// They are made of what is known of an election before there is anything of it.
#[test]
#[cfg(target_os = "linux")]
fn tables_are_named_before_they_are_allocated() {
    let torus = "echo-extinction --topology torus:60000x60000 --schedule rounds --workers 2";
    for (flags, tables) in [
        ("", "26.8 GiB at this host for tables"),
        ("--ids bit-reversed", "26.8 GiB at this host for tables"),
        ("--ids scattered --initiators 5", "13.4 GiB at this host for tables"),
        ("--ids scattered --wake spread:9", "107.3 GiB at this host for tables"),
        ("--ids scattered --initiators nodes:0", "no tables of the whole network"),
    ] {
        let (code, out, err) = within(1500, &format!("{torus} {flags} --force"));
        assert_eq!((code, out.as_str()), (2, ""), "{flags}: {err}");
        assert!(err.contains(tables) && err.contains("are free here"), "{flags}: {err}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_process_takes_has_its_links_where_there_is_something_of_each() {
    let torus = "--topology torus:100000x100000 --ids scattered --initiators nodes:0 --workers 8";
    for (election, each) in [
        ("echo-extinction --schedule rounds", "46.6 GiB"),
        // The last arrival on each of four links.
        ("echo-extinction --schedule rounds:uniform:5", "83.8 GiB"),
        ("echo-extinction --schedule rounds:per-link:5", "46.6 GiB"),
        // What it knows of each of four neighbours.
        ("gallager-humblet-spira --schedule rounds", "186.3 GiB"),
    ] {
        let (code, _, err) = within(1500, &format!("{election} {torus} --force"));
        let said = format!("each of 8 workers takes at least {each}");
        assert!(code == 2 && err.contains(&said), "{election}: {err}");
    }
}

#[test]
fn what_fits_is_named_as_well() {
    let words = "echo-extinction --topology torus:2600x2600 --ids scattered \
                 --initiators nodes:0 --schedule rounds --event-limit 1000 --force --workers 2";
    let (code, out, err) = line(words);
    assert_eq!(code, 1, "it was not held to its end: {err}");
    assert!(out.contains("after 1,000 events"), "{out}");
    let words = "each of 2 workers takes at least 128 MiB, and no tables of the whole network\n";
    assert_eq!(err, words);
}
