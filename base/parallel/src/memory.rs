//! The memory that is available to a program, where the system reports it; and sizes in words.

use std::fs::read_to_string;

/// Returns the bytes of memory that are still available to this program: the least of the free
/// memory of the machine, of its control group, and of its address space (`ulimit -v`), as Linux
/// reports them.
#[must_use]
pub fn available() -> Option<u64> {
    available_to(0)
}

/// Returns what is available to a program that is about to start this many threads: each reserves a part
/// of the address space.
#[must_use]
pub fn available_to(threads: usize) -> Option<u64> {
    [free(), in_group(), in_address_space(threads)].into_iter().flatten().min()
}

/// Returns the largest resident set of this program so far, in bytes.
#[must_use]
pub fn peak() -> Option<u64> {
    kibibytes(&read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// Formats a number of bytes: `12.3 GiB`, `512 MiB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{} KiB", bytes.div_ceil(1024)),
        mib @ 1..1024 => format!("{mib} MiB"),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}

fn free() -> Option<u64> {
    kibibytes(&read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

fn in_group() -> Option<u64> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let folder = format!("/sys/fs/cgroup{}", path.trim_end_matches('/'));
    let number = |file: &str| -> Option<u64> {
        read_to_string(format!("{folder}/{file}")).ok()?.trim().parse().ok()
    };
    // Pages of files are released when memory is short.
    let stat = read_to_string(format!("{folder}/memory.stat")).unwrap_or_default();
    let files = stat.lines().find_map(|line| line.strip_prefix("inactive_file "));
    let files: u64 = files.and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
    let used = number("memory.current")?.saturating_sub(files);
    Some(number("memory.max")?.saturating_sub(used))
}

fn in_address_space(threads: usize) -> Option<u64> {
    let most = address_space(&read_to_string("/proc/self/limits").ok()?)?;
    let taken = kibibytes(&read_to_string("/proc/self/status").ok()?, "VmSize:")?;
    let reserved = threads as u64 * (STACK + ARENA) + if threads > 0 { ARENA } else { 0 };
    Some(most.saturating_sub(taken + reserved))
}

/// The stack of a thread, in bytes.
const STACK: u64 = 2 << 20;

/// What the C library reserves for the memory of a thread, in bytes; and once more while it makes it begin at a
/// multiple of this size. A thread that does not get it has a page for each piece of memory, however small.
const ARENA: u64 = 64 << 20;

fn address_space(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn kibibytes(table: &str, name: &str) -> Option<u64> {
    let line = table.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_people() {
        let all = [100, 5 << 20, (3 << 30) + (1 << 29)].map(size);
        assert_eq!(all, ["1 KiB", "5 MiB", "3.5 GiB"]);
    }

    #[test]
    fn the_kernels_tables_are_understood() {
        let table = "MemTotal:       24602124 kB\nMemFree:  1 kB\nMemAvailable:   22991552 kB\n";
        assert_eq!(kibibytes(table, "MemAvailable:"), Some(22_991_552 * 1024));
        assert_eq!(kibibytes("MemTotal: 1 kB\n", "MemAvailable:"), None);
        assert_eq!(kibibytes("MemAvailable: lots\n", "MemAvailable:"), None);
        let limits = |soft| {
            format!(
                "Limit  Soft Limit  Hard Limit  Units\nMax address space  {soft}  unlimited  bytes\n"
            )
        };
        assert_eq!(address_space(&limits("6144000000")), Some(6_144_000_000));
        assert_eq!(address_space(&limits("unlimited")), None);
    }
}
