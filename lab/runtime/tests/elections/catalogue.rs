//! Every algorithm of the catalogue over every medium.

use crate::common::{check, correct, elect, membership, network};
use suffrage_algorithms::{Algorithm, SYNCHRONIZED};
use suffrage_runtime::{Cluster, LinkMedium};

async fn every_algorithm(medium: LinkMedium, sizes: std::ops::RangeInclusive<u32>) {
    elect_all(correct(), medium, sizes).await;
}

/// Connections take longest to make: of the slower media, small networks have the same paths.
async fn elect_all(
    algorithms: impl Iterator<Item = &'static Algorithm>,
    medium: LinkMedium,
    sizes: std::ops::RangeInclusive<u32>,
) {
    for algorithm in algorithms {
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

/// Of up to four processes, all are candidates: none errs.
#[tokio::test]
async fn algorithms_in_rounds_elect_over_tcp_under_the_synchronizer() {
    elect_all(SYNCHRONIZED.iter(), LinkMedium::Tcp, 1..=4).await;
}
