//! Chang-Roberts on a ring.

use super::{Buckets, Delays, draw};

/// The top bit of a token, which distinguishes the announcement from the election.
const ANNOUNCEMENT: u32 = 1 << 31;

/// Elects among processes with these identities, all of them initiators, and announces the
/// leader. Returns the number of messages.
///
/// # Panics
/// If no process was elected.
#[must_use]
pub fn chang_roberts(ids: &[u32], delays: Delays) -> u64 {
    let nodes = ids.len() as u32;
    let mut leader = vec![0_u32; ids.len()];
    let mut last = vec![0_u32; if delays == Delays::Unit { 0 } else { ids.len() }];
    let (mut buckets, mut messages, mut counter) = (Buckets::new(), 0, 0);
    let mut send = |buckets: &mut Buckets<(u32, u32)>, from: u32, token: u32| {
        messages += 1;
        let tick = match delays {
            Delays::Unit => buckets.now + 1,
            Delays::UpToTen => {
                let last = &mut last[from as usize];
                *last = (buckets.now + 1 + draw(&mut counter, 10)).max(*last);
                *last
            }
        };
        buckets.push(tick, (if from + 1 == nodes { 0 } else { from + 1 }, token));
    };
    for node in 0..nodes {
        send(&mut buckets, node, ids[node as usize]);
    }
    while let Some(events) = buckets.next_tick() {
        for &(node, token) in &events {
            let id = ids[node as usize];
            if token >= ANNOUNCEMENT {
                if token - ANNOUNCEMENT != id {
                    leader[node as usize] = token;
                    send(&mut buckets, node, token);
                }
            } else if token < id {
                send(&mut buckets, node, token);
            } else if token == id {
                leader[node as usize] = token;
                send(&mut buckets, node, token | ANNOUNCEMENT);
            }
        }
        buckets.recycle(events);
    }
    assert!(leader.iter().all(|&leader| leader != 0));
    messages
}
