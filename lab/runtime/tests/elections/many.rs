//! Many nodes with few sockets.

use crate::common::{check, elect, membership, network};
use suffrage_algorithms::Algorithm;
use suffrage_runtime::{Cluster, LinkMedium};

#[tokio::test(flavor = "multi_thread")]
async fn links_are_opened_on_demand() {
    let humblet = Algorithm::named("humblet").unwrap();
    // As many nodes as 1,024 open files allow. Every link takes two files.
    let membership = membership(humblet, network(humblet, 40));
    let summary = elect(&membership.clone().into(), humblet).await;
    check(humblet, &membership, &summary);
    assert!(summary.links() < 400, "{} of 780 links were opened", summary.links());
    assert!(summary.links() >= 39);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_nodes_elect_over_channels() {
    let humblet = Algorithm::named("humblet").unwrap();
    let membership = membership(humblet, network(humblet, 1000));
    let cluster = Cluster::from(membership.clone()).medium(LinkMedium::Channels);
    check(humblet, &membership, &elect(&cluster, humblet).await);
}

/// Capacity 1 is the setting in which Afek and Gafni describe their algorithm.
#[tokio::test]
async fn afek_gafni_elects_over_channels_of_capacity_1() {
    let algorithm = Algorithm::named("afek-gafni").unwrap();
    for nodes in 1..=16 {
        let membership = membership(algorithm, network(algorithm, nodes));
        let cluster = Cluster::from(membership.clone()).medium(LinkMedium::Channels).capacity(1);
        let summary = elect(&cluster, algorithm).await;
        check(algorithm, &membership, &summary);
        let links = membership.wiring().links();
        assert!(summary.peak_in_flight <= 2 * links, "one on a link each way");
    }
}

/// The same window over sockets: a process that sends into a full link waits.
#[tokio::test]
async fn afek_gafni_elects_over_sockets_with_room_for_one_message() {
    let algorithm = Algorithm::named("afek-gafni").unwrap();
    let membership = membership(algorithm, network(algorithm, 8));
    let cluster = Cluster::from(membership.clone()).capacity(1);
    check(algorithm, &membership, &elect(&cluster, algorithm).await);
}
