//! Every algorithm of the catalogue over every medium.

use crate::common::{check, correct, elect, membership, network};
use suffrage_runtime::{Cluster, LinkMedium};

async fn every_algorithm(medium: LinkMedium) {
    for algorithm in correct() {
        for nodes in 1..=16 {
            let membership = membership(algorithm, network(algorithm, nodes));
            let cluster = Cluster::from(membership.clone()).medium(medium);
            check(algorithm, &membership, &elect(&cluster, algorithm).await);
        }
    }
}

#[tokio::test]
async fn every_algorithm_elects_over_tcp() {
    every_algorithm(LinkMedium::Tcp).await;
}

#[tokio::test]
async fn every_algorithm_elects_over_tls() {
    every_algorithm(LinkMedium::Tls).await;
}

#[tokio::test]
async fn every_algorithm_elects_over_channels() {
    every_algorithm(LinkMedium::Channels).await;
}
