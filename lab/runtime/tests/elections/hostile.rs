//! Neighbours that violate the protocol.

use crate::peer::{Heard, Name, Payload, Peer, alone};
use crate::proxy::hasty;
use std::time::{Duration, Instant};
use suffrage_model::{Id, Port, Status};
use suffrage_runtime::{NodeOutcome, NodeSetup, NodeStage, Timeouts};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};

/// Peers here send no heartbeats, and a busy machine may hold them up between two messages.
fn quick(setup: NodeSetup) -> NodeSetup {
    let second = Duration::from_secs(1);
    NodeSetup { timeouts: Timeouts { silence: 2 * second, stall: second, ..hasty() }, ..setup }
}

fn name(id: u64) -> Payload {
    Payload::Message { depth: 1, msg: Name(Id::new(id)) }
}

/// Waits with a time limit.
async fn within<T>(story: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(60), story).await.expect("no end in sight")
}

/// The node with number 2 has node 0 as its parent. Its other neighbour releases it, before
/// anything has happened and after it has reported that it has halted.
#[tokio::test]
async fn a_neighbour_that_is_not_the_parent_cannot_release_a_node() {
    let (mut node, listeners) = alone(3, 2, quick).await;
    let liar = async {
        let mut liar = Peer::welcome(&listeners[1]).await;
        liar.say(Payload::Released { certain: true }).await;
        liar.say(name(2)).await;
        liar.hear_until(Heard::Taken(2)).await;
        liar
    };
    let outcome: NodeOutcome = within(async {
        let story = async {
            let (mut liar, mut parent) = tokio::join!(liar, Peer::welcome(&listeners[0]));
            // A parent, too, must wait for the report.
            parent.say(Payload::Released { certain: true }).await;
            parent.hear_until(Heard::Taken(1)).await;
            parent.say(name(1)).await;
            parent.hear_until(Heard::Payload(Payload::Halted)).await;
            // If it were believed, the node would doubt that all have halted.
            liar.say(Payload::Released { certain: false }).await;
            liar.hear_until(Heard::Taken(3)).await;
            parent.say(Payload::Released { certain: true }).await;
            parent.hear_until(Heard::Bye { certain: true }).await;
            liar
        };
        tokio::join!(node.elect(), story).0.unwrap()
    })
    .await;
    assert_eq!((outcome.role, outcome.leader), (Status::Leader, Some(Id::new(3))));
    assert!(outcome.all_halted);
}

/// The root has two children, and one of them says twice that it has halted.
#[tokio::test]
async fn a_child_that_reports_twice_is_one_child() {
    let (mut root, listeners) = alone(3, 0, quick).await;
    let mut view = root.watch();
    let outcome = within(async {
        let story = async {
            let (mut one, mut other) =
                tokio::join!(Peer::welcome(&listeners[0]), Peer::welcome(&listeners[1]));
            one.say(name(2)).await;
            one.say(Payload::Halted).await;
            one.say(Payload::Halted).await;
            // They take its messages, which it waits for before it counts all as halted.
            one.hear_until(Heard::Payload(name(1))).await;
            other.hear_until(Heard::Payload(name(1))).await;
            one.hear_until(Heard::Taken(3)).await;
            other.say(name(3)).await;
            other.hear_until(Heard::Taken(1)).await;
            // It has halted, and one child has reported twice; but the other one has not reported.
            view.wait_for(|view| view.stage >= NodeStage::Halted).await.unwrap();
            sleep(Duration::from_millis(200)).await;
            assert_eq!(
                view.borrow().stage,
                NodeStage::Halted,
                "two reports of one are those of two"
            );
            other.say(Payload::Halted).await;
            let released = Heard::Payload(Payload::Released { certain: true });
            tokio::join!(one.hear_until(released), other.hear_until(released));
            (one, other)
        };
        tokio::join!(root.elect(), story).0.unwrap()
    })
    .await;
    assert!(outcome.all_halted);
}

/// A sibling, which is not below this node in the tree, says that it has halted. The node reports to
/// its parent all the same, and stays until its parent releases it.
#[tokio::test]
async fn halted_is_believed_of_children_alone() {
    let (mut node, listeners) = alone(3, 2, quick).await;
    let outcome = within(async {
        let story = async {
            let (mut parent, mut sibling) =
                tokio::join!(Peer::welcome(&listeners[0]), Peer::welcome(&listeners[1]));
            sibling.say(Payload::Halted).await;
            sibling.say(name(2)).await;
            sibling.hear_until(Heard::Taken(2)).await;
            parent.say(name(1)).await;
            parent.hear_until(Heard::Payload(Payload::Halted)).await;
            parent.say(Payload::Released { certain: true }).await;
            parent.hear_until(Heard::Bye { certain: true }).await;
            sibling
        };
        tokio::join!(node.elect(), story).0.unwrap()
    })
    .await;
    assert!(outcome.all_halted);
}

#[tokio::test]
async fn a_chain_of_messages_as_long_as_can_be_does_not_overflow() {
    let late = |setup| NodeSetup { initiator: false, ..quick(setup) };
    let (mut node, listeners) = alone(2, 1, late).await;
    let mut view = node.watch();
    let outcome = within(async {
        let story = async {
            // It waits for a message, and probes its neighbour when none arrives.
            let mut peer = Peer::welcome(&listeners[0]).await;
            view.wait_for(|view| view.connected == 1).await.unwrap();
            peer.say(Payload::Message { depth: u32::MAX, msg: Name(Id::new(1)) }).await;
            let answer = Payload::Message { depth: u32::MAX, msg: Name(Id::new(2)) };
            peer.hear_until(Heard::Payload(answer)).await;
            peer.hear_until(Heard::Payload(Payload::Halted)).await;
            peer.say(Payload::Released { certain: true }).await;
            peer.hear_until(Heard::Bye { certain: true }).await;
        };
        tokio::join!(node.elect(), story).0.unwrap()
    })
    .await;
    assert_eq!(outcome.causal_depth, u32::MAX);
}

/// A peer answers greetings, and closes. The pauses between attempts grow as if it did not answer,
/// and the reason is shown.
#[tokio::test]
async fn a_peer_that_greets_and_closes_is_left_alone_for_longer_each_time() {
    let (mut node, listeners) = alone(2, 1, |setup| setup).await;
    let mut view = node.watch();
    let story = async {
        let start = Instant::now();
        for _ in 0..9 {
            drop(Peer::welcome(&listeners[0]).await);
        }
        // Eight pauses that double, each drawn from the upper half.
        let timeouts = Timeouts::default();
        let least: Duration = (0..8).map(|times| timeouts.first_pause * (1 << times) / 2).sum();
        assert!(least <= Duration::from_millis(1275) && start.elapsed() >= least.mul_f64(0.9));
        let shown = view.wait_for(|view| {
            view.missing.get(&Port(0)).is_some_and(|one| one.why.contains("lets this node in"))
        });
        shown.await.unwrap();
    };
    tokio::select! {
        () = story => {}
        _ = node.elect() => panic!("an election without the other"),
        () = sleep(Duration::from_secs(60)) => panic!("no end in sight"),
    }
}

/// A peer sends a frame byte by byte, which takes seconds and is no sign of life.
#[tokio::test]
async fn a_peer_that_trickles_bytes_is_silent() {
    let (mut node, listeners) = alone(2, 1, quick).await;
    let story = async {
        let mut peer = Peer::welcome(&listeners[0]).await;
        let (mut reader, mut writer) = peer.stream.split();
        writer.write_all(&60_u32.to_le_bytes()).await.unwrap();
        let trickle = async {
            for _ in 0..59 {
                sleep(Duration::from_millis(50)).await;
                if writer.write_all(&[0]).await.is_err() {
                    return;
                }
            }
            panic!("a whole frame was trickled, and the connection is still there");
        };
        let mut waste = [0; 64];
        let end = async { while reader.read(&mut waste).await.is_ok_and(|read| read > 0) {} };
        tokio::select! {
            () = trickle => {}
            () = end => {}
        }
    };
    tokio::select! {
        () = story => {}
        _ = node.elect() => panic!("an election without the other"),
        () = sleep(Duration::from_secs(60)) => panic!("no end in sight"),
    }
}
