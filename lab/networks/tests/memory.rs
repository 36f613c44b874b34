//! Estimates of memory, held against what is allocated.

use peak_alloc::PeakAlloc;
use suffrage_networks::{NetworkMemory, Ports, Spec};

// Counts for the whole process: this file has one test.
#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

#[test]
fn estimates_are_close_to_what_is_allocated() {
    for text in [
        "path:100000",
        "star:100000",
        "tree:3:100000",
        "tree:random:100000",
        "grid:300x400",
        "torus:300x400",
        "hypercube:16",
        "regular:20000:4",
        "regular:400:300",
        "erdos-renyi:20000:0.001",
        "barabasi-albert:50000:3",
    ] {
        let spec: Spec = text.parse().unwrap();
        let estimate = spec.memory();
        let before = ALLOCATED.current_usage();
        ALLOCATED.reset_peak_usage();
        let topology = spec.build(1).unwrap();
        let kept = (ALLOCATED.current_usage() - before) as u64;
        let wiring = topology.wire(Ports::Random, 1);
        let both = (ALLOCATED.current_usage() - before) as u64;
        let peak = (ALLOCATED.peak_usage() - before) as u64;

        let exact = topology.memory();
        assert_eq!(wiring.memory(), wiring_bytes(exact), "{text}");
        // An allocation is at least what was asked for; a few of them are small ones.
        let close = |found: u64, said: u64| found.abs_diff(said) < 1000 + said / 100;
        assert!(close(kept, exact.topology), "{text}: {kept} kept, estimated {exact:?}");
        assert!(close(both, exact.topology + exact.wiring), "{text}: {both}, {exact:?}");
        assert!(peak <= exact.peak + 1000, "{text}: at most {peak}, estimated {exact:?}");
        assert!(peak >= exact.peak / 2, "{text}: at most {peak}, estimated {exact:?}");
        // Before it is made, the links of some are known as an expected number only.
        assert!(estimate.peak.abs_diff(exact.peak) <= exact.peak / 50, "{text}: {estimate:?}");
    }

    let before = ALLOCATED.current_usage();
    ALLOCATED.reset_peak_usage();
    for text in ["complete:100000000", "ring:100000000"] {
        let spec: Spec = text.parse().unwrap();
        assert_eq!(spec.memory(), NetworkMemory::default());
        let wiring = spec.build(1).unwrap().wire(Ports::Random, 1);
        assert_eq!(wiring.memory(), 0);
    }
    assert!(ALLOCATED.peak_usage() - before < 1000);
}

/// The array of first places has one more than there are nodes.
fn wiring_bytes(estimate: NetworkMemory) -> u64 {
    estimate.wiring + 4
}
