//! The free memory, if the system tells.

use rustix::process::{Resource, getrlimit};
use std::fs::read_to_string;

/// Returns the bytes of memory that this program can still take: the least of what is free on the
/// machine, in its control group, and in its address space (`ulimit -v`).
pub(crate) fn available() -> Option<u64> {
    [free(), in_group(), in_address_space()].into_iter().flatten().min()
}

/// Returns the bytes that can be used without swapping.
fn free() -> Option<u64> {
    kib("/proc/meminfo", "MemAvailable:")
}

/// Returns the bytes that the control group may still take.
fn in_group() -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let folder = format!("/sys/fs/cgroup{}", path.trim_end_matches('/'));
    let number = |file: &str| -> Option<u64> {
        read_to_string(format!("{folder}/{file}")).ok()?.trim().parse().ok()
    };
    // Pages of files are given back when memory is short.
    let stat = read_to_string(format!("{folder}/memory.stat")).unwrap_or_default();
    let files = stat.lines().find_map(|line| line.strip_prefix("inactive_file "));
    let files: u64 = files.and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
    let used = number("memory.current")?.saturating_sub(files);
    Some(number("memory.max")?.saturating_sub(used))
}

/// Returns the bytes of address space that the program may still take.
fn in_address_space() -> Option<u64> {
    let most = getrlimit(Resource::As).current?;
    Some(most.saturating_sub(kib("/proc/self/status", "VmSize:")?))
}

/// Returns the largest resident set of this program so far, in bytes.
pub(crate) fn peak() -> Option<u64> {
    kib("/proc/self/status", "VmHWM:")
}

/// Reads a number of KiB in a file of the system, and returns it in bytes.
fn kib(path: &str, name: &str) -> Option<u64> {
    let all = read_to_string(path).ok()?;
    let line = all.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// Formats a number of bytes: `12.3 GiB`, `512 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{} KiB", bytes.div_ceil(1024)),
        mib @ 1..1024 => format!("{mib} MiB"),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_people() {
        let all = [100, 5 << 20, (3 << 30) + (1 << 29)].map(size);
        assert_eq!(all, ["1 KiB", "5 MiB", "3.5 GiB"]);
    }
}
