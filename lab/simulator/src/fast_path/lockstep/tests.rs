use super::*;
use crate::chunks::CHUNK;
use suffrage_model::Port;
use suffrage_networks::{random::Generator, wiring::OrientedRing};

/// Sends and takes messages at random, and compares with a queue per tick.
#[test]
fn messages_come_tick_by_tick_in_the_order_of_sending_however_many_are_sent() {
    type Ring = OrientedRing;
    let ring = OrientedRing { nodes: 8 };
    let from = End { node: 0, port: Port::NEXT };
    let way = Wires::across(ring, from).unwrap();
    let mut random = Generator::new(1, "lockstep");
    for first in [0, 1, 3, 40, CHUNK, 2 * CHUNK + 1, 5 * CHUNK] {
        let mut waiting = LockstepQueue::default();
        let (mut pace, mut read) = (Lockstep::new(&mut waiting), None);
        let (mut next, mut number) = (Vec::new(), 0_u32);
        let mut push = |pace: &mut Lockstep<'_, _>, next: &mut Vec<u32>| {
            pace.push(ring, from, 0, &mut (), way, number);
            next.push(number);
            number += 1;
        };
        (0..first).for_each(|_| push(&mut pace, &mut next));
        for now in 1..400 {
            let tick = mem::take(&mut next);
            let mut count = MessagePace::<Ring, u32>::advance(&mut pace, &mut read);
            assert_eq!(count == 0, tick.is_empty());
            if count == 0 {
                break;
            }
            assert_eq!(MessagePace::<Ring, u32>::now(&pace), now);
            let mut taken = 0;
            while count > 0 {
                let messages = chunks::first(&read, count);
                for (place, event) in messages.iter().enumerate() {
                    assert_eq!(event.msg, tick[taken]);
                    taken += 1;
                    let mean_is_one = [0, 0, 1, 1, 2, 2, 0, 2][random.below(8) as usize];
                    (0..mean_is_one).for_each(|_| push(&mut pace, &mut next));
                    let under_way = (tick.len() - taken + next.len()) as u64;
                    let unread = messages.len() - place - 1;
                    assert_eq!(MessagePace::<Ring, u32>::in_flight(&pace, unread), under_way);
                }
                count = MessagePace::<Ring, u32>::more(&mut pace, &mut read);
            }
            assert_eq!(taken, tick.len());
        }
    }
}
