//! Partial partitions, in the scenarios of Omni-Paxos (Ng, Haridi and Carbone, 2023): a member that can
//! exchange messages with a majority leads, and no one that cannot hear a leader deposes it.

use super::{OFFICE, TIMING, history::History, start};
use std::sync::Arc;
use std::time::Duration;
use tenure_node::records::MemoryStore;
use tenure_node::transport::LocalNetwork;
use tenure_node::{LeaseTiming, LocalCluster, Member};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

const LONG: Duration = Duration::from_secs(20);
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Members that stand again and again. The last one leads first.
struct TestCluster {
    network: LocalNetwork,
    members: Vec<Member>,
    history: Arc<History>,
    /// The places of those that win, one after the other.
    winners: UnboundedReceiver<usize>,
}

impl TestCluster {
    async fn of(count: usize, timing: LeaseTiming) -> Self {
        let network = LocalNetwork::new(1);
        let names = &NAMES[..count];
        let cluster = LocalCluster::new(network.clone(), names, timing);
        let founded = names.iter().map(|name| start(&cluster, name, MemoryStore::founding()));
        let members: Vec<Member> = founded.collect();
        let (told, winners) = unbounded_channel();
        let history = Arc::new(History::default());
        let mut cluster = Self { network, members, history, winners };
        for place in (0..count).rev() {
            tokio::spawn(stand(
                cluster.members[place].clone(),
                place,
                told.clone(),
                cluster.history.clone(),
            ));
            if place == count - 1 {
                assert_eq!(cluster.next().await, place);
            }
        }
        // The others ask for the office, and are told of the leader.
        tokio::time::sleep(5 * timing.heartbeat).await;
        cluster
    }

    /// Waits until a member wins.
    async fn next(&mut self) -> usize {
        timeout(LONG, self.winners.recv()).await.expect("the office is filled").unwrap()
    }

    /// Cuts the link between two members, in both directions.
    fn cut(&self, one: usize, other: usize) {
        let (one, other) = (self.members[one].peer(), self.members[other].peer());
        self.network.cut(one, other);
        self.network.cut(other, one);
    }

    /// Cuts all links but those of the first member.
    fn star(&self) {
        for one in 1..self.members.len() {
            (1..one).for_each(|other| self.cut(one, other));
        }
    }

    /// Checks that only the first member leads from now on, which alone can hear a majority.
    async fn only_the_first_leads(&mut self) {
        let mut winner = self.next().await;
        for _ in 0..10 {
            assert_eq!(winner, 0, "{} leads, and cannot hear a majority", NAMES[winner]);
            match timeout(TIMING.lease, self.winners.recv()).await {
                // On a busy machine it may have lost the office, and won it again.
                Ok(next) => winner = next.unwrap(),
                Err(_) => continue,
            }
        }
        assert_eq!(self.history.violations(), Vec::<String>::new());
    }
}

async fn stand(member: Member, place: usize, told: UnboundedSender<usize>, history: Arc<History>) {
    while let Ok(leadership) = member.office(OFFICE).stand().await {
        let leadership = Arc::new(leadership);
        history.begins(&leadership);
        let _ = told.send(place);
        leadership.stopping().await;
        history.ends(&leadership);
    }
}

#[tokio::test]
async fn quorum_loss_the_only_member_that_hears_a_majority_takes_over_from_a_leader_that_is_alive()
{
    let mut cluster = TestCluster::of(5, TIMING).await;
    cluster.star();
    cluster.only_the_first_leads().await;
}

#[tokio::test]
async fn constrained_election_the_only_candidate_leads_though_it_cannot_hear_the_leader() {
    let mut cluster = TestCluster::of(5, TIMING).await;
    cluster.star();
    cluster.cut(0, 4);
    cluster.only_the_first_leads().await;
}

#[tokio::test]
async fn chained_a_member_that_cannot_hear_the_leader_does_not_depose_it() {
    // Long enough that no stall of a busy machine ends it.
    let lease = Duration::from_secs(3);
    let mut cluster = TestCluster::of(3, LeaseTiming { lease, ..TIMING }).await;
    // The first one hears both.
    cluster.cut(1, 2);
    assert!(timeout(2 * lease, cluster.winners.recv()).await.is_err(), "the leader was deposed");
    assert_eq!(
        cluster.members[0].office(OFFICE).standing().await.unwrap().leader().unwrap().name,
        "c"
    );
    // Who cannot hear it leads after it.
    cluster.members[2].kill();
    assert_ne!(cluster.next().await, 2);
    assert_eq!(cluster.history.violations(), Vec::<String>::new());
}
