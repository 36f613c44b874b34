//! The memory that is free.

/// Returns the bytes that can be used without swapping, if the system tells (Linux does).
#[must_use]
pub(crate) fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    parse(&text)
}

fn parse(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_table_is_understood() {
        let table = "MemTotal:       24602124 kB\nMemFree:  1 kB\nMemAvailable:   22991552 kB\n";
        assert_eq!(parse(table), Some(22_991_552 * 1024));
        assert_eq!(parse("MemTotal: 1 kB\n"), None);
        assert_eq!(parse("MemAvailable: lots\n"), None);
    }
}
