//! Chang-Roberts on a ring.

use super::{Buckets, Delays, Run, SEED};
use suffrage_networks::random::Key;

/// The top bit of a token, which distinguishes the announcement from the election.
const ANNOUNCEMENT: u32 = 1 << 31;

/// What delays depend on: the last arrival on the link to the next process, and the number of messages that
/// this one has sent and received.
#[derive(Clone, Copy, Default)]
struct Past {
    last: u32,
    load: u32,
}

/// Elects among processes with these identities, all of them initiators, and announces the leader.
///
/// # Panics
/// If no process was elected.
#[must_use]
pub fn chang_roberts(ids: &[u32], delays: Delays) -> Run {
    let nodes = ids.len() as u32;
    let drawn = delays == Delays::UpToTen;
    let mut leader = vec![0_u32; ids.len()];
    let mut past = vec![Past::default(); if drawn { ids.len() } else { 0 }];
    let (mut buckets, mut messages, key) = (Buckets::new(), 0, Key::new(SEED, "delays"));
    let mut send = |buckets: &mut Buckets<(u32, u32)>, past: &mut [Past], from: u32, token: u32| {
        messages += 1;
        let tick = if drawn {
            let Past { last, load } = &mut past[from as usize];
            let delay = key.at(u64::from(from) << 32 | u64::from(*load)).below(10) as u32;
            *load += 1;
            *last = (buckets.now + 1 + delay).max(*last);
            *last
        } else {
            buckets.now + 1
        };
        buckets.push(tick, (if from + 1 == nodes { 0 } else { from + 1 }, token));
    };
    for node in 0..nodes {
        send(&mut buckets, &mut past, node, ids[node as usize]);
    }
    while let Some(events) = buckets.next_tick() {
        for &(node, token) in &events {
            let id = ids[node as usize];
            if drawn {
                past[node as usize].load += 1;
            }
            if token >= ANNOUNCEMENT {
                if token - ANNOUNCEMENT != id {
                    leader[node as usize] = token;
                    send(&mut buckets, &mut past, node, token);
                }
            } else if token < id {
                send(&mut buckets, &mut past, node, token);
            } else if token == id {
                leader[node as usize] = token;
                send(&mut buckets, &mut past, node, token | ANNOUNCEMENT);
            }
        }
        buckets.recycle(events);
    }
    assert!(leader.iter().all(|&leader| leader != 0));
    Run { messages, time: buckets.now.into() }
}
