//! Every algorithm of the catalogue over every medium.

use crate::common::{check, correct, elect, membership, network};
use suffrage_runtime::{Cluster, LinkMedium};

/// Connections take longest to make: of the slower media, small networks have the same paths.
async fn every_algorithm(medium: LinkMedium, sizes: std::ops::RangeInclusive<u32>) {
    for algorithm in correct() {
        for nodes in sizes.clone() {
            let membership = membership(algorithm, network(algorithm, nodes));
            let cluster = Cluster::from(membership.clone()).medium(medium);
            check(algorithm, &membership, &elect(&cluster, algorithm).await);
        }
    }
}

#[tokio::test]
async fn every_algorithm_elects_over_tcp() {
    every_algorithm(LinkMedium::Tcp, 1..=8).await;
}

#[tokio::test]
async fn every_algorithm_elects_over_tls() {
    every_algorithm(LinkMedium::Tls, 1..=4).await;
}

#[tokio::test]
async fn every_algorithm_elects_over_channels() {
    every_algorithm(LinkMedium::Channels, 1..=16).await;
}
