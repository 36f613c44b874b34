use super::*;
use crate::medium::MarkedDepth;
use suffrage_model::{End, Port};
use suffrage_networks::random::Generator;

/// Messages that are numbered in the order of sending.
fn messages(count: u32, nodes: u32, ports: u32) -> Vec<InFlight<u32>> {
    let mut random = Generator::new(u64::from(count), "rounds");
    let mut below = |bound| random.below(u64::from(bound)) as u32;
    (0..count)
        .map(|msg| {
            let to = End { node: below(nodes), port: Port(below(ports)) };
            InFlight { to, depth: MarkedDepth::new(1, false), msg }
        })
        .collect()
}

#[test]
fn ranges_give_all_by_receiver_and_port_and_then_as_they_were_sent() {
    for (count, nodes, ports) in
        [(1, 1, 1), (3, 10, 2), (300, 5, 2), (5000, 3000, 3), (20_000, 700_000, 2), (9, 1 << 20, 1)]
    {
        let mut sent = messages(count, nodes, ports);
        let mut ranges = Ranges::new(nodes);
        let (mut pool, mut arrived) = (Pool::default(), Vec::<InFlight<u32>>::new());
        let (mut sorter, mut sorted) = (Sorter::default(), Vec::new());
        for &message in &sent {
            ranges.push(message, &mut pool);
        }
        loop {
            let count = sorter.next(&mut ranges, &mut pool, &mut sorted);
            if count == 0 {
                break;
            }
            arrived.extend(&sorted[..count]);
        }
        sent.sort_by_key(|message| (message.to.node, message.to.port, message.msg));
        assert_eq!(arrived, sent, "{count} to {nodes}");
    }
}
