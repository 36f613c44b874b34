use crate::{Monitor, RunOptions, Specification};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Stops when it has been asked so often.
struct Impatient {
    asked: AtomicU64,
    most: u64,
    stop: AtomicBool,
}

impl Monitor for Impatient {
    fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    fn is_stopped(&self) -> bool {
        self.stop.fetch_or(self.asked.fetch_add(1, Relaxed) >= self.most, Relaxed);
        self.stop.load(Relaxed)
    }
}

/// A stop is seen while the network of any trial is made, and keeps the trials before it.
#[test]
fn a_stop_is_seen_while_the_network_of_a_later_trial_is_made() {
    let text = "[elect]\nalgorithm = \"echo-extinction\"\ntopology = \"barabasi-albert:200:2\"\n\
                trials = 3\ninitiators = 1\n";
    let asked = Specification::read("file", text).unwrap();
    let ran = |most| {
        let (asked_so_far, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let monitor = Impatient { asked: asked_so_far, most, stop };
        let threads = std::num::NonZero::new(1);
        let ran = asked.run_with(&mut RunOptions { threads, ..RunOptions::new(&monitor) });
        (ran.unwrap(), monitor.asked.into_inner())
    };
    let (_, all) = ran(u64::MAX);
    // For every node of three networks, when it is made and when its ports are numbered.
    assert!(all > 3 * 2 * 197, "{all}");
    for tenth in 1..10 {
        let most = all * tenth / 10;
        let (ran, asked) = ran(most);
        assert!(asked <= most + 10, "it went on for {} more nodes", asked - most);
        let said = ran.early.map(|early| early.to_string()).unwrap_or_default();
        let words = match tenth * 3 / 10 {
            0 => "before the first trial".to_owned(),
            1 => "the first 1 trial".to_owned(),
            finished => format!("the first {finished} trials"),
        };
        assert!(said.contains(&words), "{tenth}: {said}");
    }
}
