use super::*;
use crate::{Claimed, complete::RandomReferees, ring::ItaiRodeh};

const fn cost(election: u64, units: Option<u64>, one_leads: bool) -> ElectionCost {
    ElectionCost { sent: Sent { election, announcement: 0 }, units, one_leads }
}

fn weights(claims: &Claims, nodes: u64, cost: &ElectionCost) -> [Option<u64>; 4] {
    let parameters = Parameters::new(nodes, nodes, nodes);
    ChanceClaim::ALL.map(|claim| claim.weight(claims, &parameters, &|| 1, cost))
}

#[test]
fn a_weight_is_the_part_of_the_bound_that_an_election_takes() {
    let claims = ItaiRodeh::<0, 0>::CLAIMS;
    let bound = claims.election.at(&Parameters::new(10, 10, 10));
    let time = claims.time.unwrap().at(&Parameters::new(10, 10, 10));
    let twice = cost(2 * bound, Some(time / 2), true);
    assert_eq!(weights(&claims, 10, &twice), [Some(2_000), None, Some(500), None]);
    assert_eq!(weights(&claims, 10, &cost(0, None, false)), [Some(0), None, None, None]);
}

#[test]
fn what_happens_once_in_n_elections_weighs_n_times_as_much() {
    let claims = RandomReferees::<0, 0, 0>::CLAIMS;
    let bound = claims.election.at(&Parameters::new(50, 50, 50));
    assert_eq!(weights(&claims, 50, &cost(bound, None, true)), [Some(0), None, None, Some(0)]);
    let worst = cost(bound + 1, None, false);
    assert_eq!(weights(&claims, 50, &worst), [Some(50_000), None, None, Some(50_000)]);
}

#[test]
fn a_claim_has_words_where_it_has_weights() {
    let parameters = Parameters::new(4, 4, 4);
    for row in crate::Algorithm::all() {
        for claim in ChanceClaim::ALL {
            let one = cost(1, Some(1), true);
            let weight = claim.weight(&row.claims, &parameters, &|| 1, &one);
            assert_eq!(weight.is_some(), claim.words(&row.claims).is_some(), "{}", row.name);
        }
    }
}
