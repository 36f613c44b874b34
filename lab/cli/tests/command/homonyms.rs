//! Rings on which several processes have the same label.

use crate::common::{json, line, refused, says};

#[test]
fn processes_with_equal_labels_elect() {
    let elected = json("elect lyndon-word --nodes 5 --ids list:2,1,1,2,1 --invariants");
    // Against the direction of the ring 1, 1, 2, 1, 2 is the smallest that is read: from node 2.
    assert_eq!((&elected["leader"]["node"], &elected["leader"]["id"]), (&2.into(), &1.into()));
    let held = line("elect lyndon-word --nodes 40 --ids homonyms:3 --schedule random --invariants");
    assert_eq!((held.code, held.err.as_str()), (0, ""), "{}", held.out);
    says(&held.out, &["ids homonyms:3", "2 m n^2 + n(n-1)/2 + n"]);
    says(
        &line("cluster lyndon-word --nodes 7 --ids homonyms:3 --against-simulation").out,
        &["lyndon-word on ring:7"],
    );
    says(&line("algorithms lyndon-word").out, &["ring of homonyms", "its label", "Lyndon word"]);
}

#[test]
fn every_asymmetric_labelling_is_explored() {
    let every = line("check lyndon-word --nodes 3");
    assert_eq!((every.code, every.err.as_str()), (0, ""), "{}", every.out);
    says(&every.out, &["every asymmetric labelling", "every property holds on every schedule"]);
    assert_eq!(json("check lyndon-word --nodes 3 --all-ids")["instances"], 4);
    let one = line("check lyndon-word --topology ring:4 --ids list:A,A,B,A");
    assert_eq!(one.code, 0, "{}{}", one.out, one.err);
    let sampled = line("check lyndon-word --nodes 2..16 --sample 200");
    assert_eq!((sampled.code, sampled.err.as_str()), (0, ""), "{}", sampled.out);
}

#[test]
fn equal_ids_are_refused_elsewhere_and_symmetric_labels_everywhere() {
    let homonyms = "except to an algorithm for rings of homonyms";
    for words in ["elect lelann --nodes 3", "check humblet --nodes 3", "cluster lelann --nodes 3"] {
        let why = refused(&format!("{words} --ids list:1,2,2"));
        says(&why, &["--ids: list:3: id 2 is already in line 2", homonyms]);
        let why = refused(&format!("{words} --ids homonyms:2"));
        says(&why, &["two processes have the identity 1", homonyms]);
    }
    for words in ["elect", "check", "cluster"] {
        let why = refused(&format!("{words} lyndon-word --nodes 4 --ids list:1,2,1,2"));
        says(&why, &["the labels repeat after every 2 processes", "change the label of one"]);
    }
    let why = refused("cluster lyndon-word --nodes 3 --ids list:1,1,2 --processes");
    says(&why, &["--processes: processes of their own are told apart by their ids"]);
    says(&refused("elect lyndon-word --ids homonyms:0"), &["no ids are called `homonyms:0`"]);
    says(&refused("elect lyndon-word --topology star:4"), &["the algorithm wants a ring"]);
}
