//! Nodes with equal labels.

use crate::common::{check, elect};
use std::sync::Arc;
use suffrage_algorithms::Algorithm;
use suffrage_model::{Id, NetworkClass};
use suffrage_networks::{
    Ids,
    wiring::{Unsuited, Wiring},
};
use suffrage_runtime::{Cluster, ClusterError, ElectionError, LinkMedium, Membership};

#[tokio::test]
async fn they_elect_over_every_medium() {
    let algorithm = Algorithm::named("lyndon-word").unwrap();
    assert_eq!(algorithm.network, NetworkClass::HomonymRing);
    for medium in [LinkMedium::Tcp, LinkMedium::Tls, LinkMedium::Channels] {
        for most in [1, 2, 4] {
            let ids = Ids::Homonyms(most).assign(8, most.into());
            let name = format!("homonyms-{medium:?}-{most}");
            let membership = Arc::new(Membership::new(name, Wiring::ring(8), ids).unwrap());
            let summary = elect(&Cluster::from(membership.clone()).medium(medium), algorithm).await;
            check(algorithm, &membership, &summary);
        }
    }
}

#[tokio::test]
async fn nodes_that_cannot_be_told_apart_are_refused() {
    let refused = async |name, ids: &[u64]| {
        let ids = ids.iter().copied().map(Id::new).collect::<Vec<_>>();
        let cluster = Cluster::new(Wiring::ring(ids.len() as u32), ids).unwrap();
        cluster.assemble(Algorithm::named(name).unwrap()).await.map(drop).unwrap_err()
    };
    let why = refused("lelann", &[1, 2, 2]).await;
    let same = ElectionError::Unsuited(Unsuited::SameId(Id::new(2)));
    assert!(matches!(why, ClusterError::Election(found) if found == same));
    let why = refused("lyndon-word", &[1, 2, 1, 2]).await;
    let symmetric = ElectionError::Unsuited(Unsuited::Symmetric(2));
    assert!(matches!(why, ClusterError::Election(found) if found == symmetric));
}
