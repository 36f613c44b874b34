use super::*;
use crate::chunks;
use std::{cmp::Reverse, collections::BinaryHeap};
use suffrage_networks::random::Generator;

/// Returns all events of a calendar, in the order in which it returns them, while `more` events
/// are added in between.
fn drain(calendar: &mut Calendar<u64>, mut more: impl FnMut(u64) -> Vec<u64>) -> Vec<u64> {
    let (mut order, mut read) = (Vec::new(), None);
    let mut serial = 1_000_000;
    while let Some(tick) = calendar.next_tick() {
        calendar.advance(tick);
        loop {
            let count = calendar.take(&mut read);
            if count == 0 {
                break;
            }
            for &event in chunks::first(&read, count) {
                order.push(event);
                for delay in more(tick) {
                    calendar.push(tick + delay, serial);
                    serial += 1;
                }
            }
        }
    }
    order
}

#[test]
fn events_come_by_tick_and_then_in_the_order_of_pushing() {
    let mut calendar = Calendar::new(5);
    for (event, tick) in [(0, 3), (1, 1), (2, 3), (3, 5), (4, 1)] {
        calendar.push(tick, event);
    }
    assert_eq!(drain(&mut calendar, |_| vec![]), [1, 4, 0, 2, 3]);
}

#[test]
fn a_calendar_and_a_heap_agree() {
    for longest in [1, 10, 63, 64, 200, LONGEST] {
        let mut random = Generator::new(longest, "calendar");
        let mut calendar = Calendar::new(longest);
        let mut heap = BinaryHeap::new();
        for event in 0..5000 {
            let tick = 1 + random.below(longest);
            calendar.push(tick, event);
            heap.push(Reverse((tick, event)));
        }
        let (mut budget, mut serial) = (20_000_u64, 1_000_000);
        let order = drain(&mut calendar, |tick| {
            let delays = random.below(3).min(budget);
            budget -= delays;
            (0..delays)
                .map(|_| {
                    let delay = 1 + random.below(longest);
                    heap.push(Reverse((tick + delay, serial)));
                    serial += 1;
                    delay
                })
                .collect()
        });
        let expected: Vec<u64> =
            std::iter::from_fn(|| heap.pop()).map(|Reverse((_, event))| event).collect();
        assert_eq!(order, expected, "at most {longest} ticks ahead");
    }
}
