//! Every algorithm of the catalogue over every medium.

use crate::common::{check, cluster, correct, elect, network};
use suffrage_runtime::{Local, Medium};

async fn every_algorithm(medium: Medium) {
    for algorithm in correct() {
        for nodes in 1..=16 {
            let cluster = cluster(algorithm, network(algorithm, nodes));
            let summary = elect(&Local { medium, ..Local::default() }, algorithm, &cluster).await;
            check(algorithm, &cluster, &summary);
        }
    }
}

#[tokio::test]
async fn every_algorithm_elects_over_tcp() {
    every_algorithm(Medium::Tcp).await;
}

#[tokio::test]
async fn every_algorithm_elects_over_tls() {
    every_algorithm(Medium::Tls).await;
}

#[tokio::test]
async fn every_algorithm_elects_over_channels() {
    every_algorithm(Medium::Channels).await;
}
