use super::*;

fn protocol(rule: DeclarationRule) -> SelfTerminating {
    SelfTerminating { margin: 2.into(), rule, min_interactions: 0 }
}

/// After one conversion, the number of followers that agent 9 has met when it declares.
fn declares_at(protocol: SelfTerminating) -> Option<u32> {
    let (mut leader, mut follower) = (Agent::new(9), Agent::new(1));
    protocol.interact(&mut follower, &mut leader);
    assert_eq!(leader.tally, MeetingTally { conversions: 1, met_followers: 0 });
    (1..100).find(|_| {
        protocol.interact(&mut leader, &mut follower);
        leader.declared
    })
}

#[test]
fn every_rule_declares_when_its_definition_says() {
    assert_eq!(declares_at(protocol(DeclarationRule::Text)), Some(3));
    assert_eq!(declares_at(protocol(DeclarationRule::AtLeast)), Some(2));
    assert_eq!(declares_at(protocol(DeclarationRule::Difference)), Some(4));
    assert_eq!(declares_at(protocol(DeclarationRule::Equal)), Some(1));
    let half =
        SelfTerminating { margin: "0.5".parse().unwrap(), ..protocol(DeclarationRule::Text) };
    assert_eq!(declares_at(half), Some(1));
    let half =
        SelfTerminating { margin: "1.5".parse().unwrap(), ..protocol(DeclarationRule::AtLeast) };
    assert_eq!(declares_at(half), Some(2));
    assert_eq!(declares_at(protocol(DeclarationRule::Printed)), None);
    let patient = SelfTerminating { min_interactions: 25, ..protocol(DeclarationRule::Text) };
    assert_eq!(declares_at(patient), Some(24));
}

#[test]
fn as_printed_a_conversion_proves_completeness() {
    let printed = protocol(DeclarationRule::Printed);
    let (mut leader, mut follower, mut free) = (Agent::new(9), Agent::new(1), Agent::new(2));
    printed.interact(&mut leader, &mut follower);
    printed.interact(&mut leader, &mut follower);
    printed.interact(&mut leader, &mut follower);
    assert!(!leader.declared, "only a conversion can set it off");
    printed.interact(&mut leader, &mut free);
    assert!(leader.declared && leader.is_leader);
}

#[test]
fn the_news_freezes_beliefs_as_printed_only() {
    for (rule, believes) in [(DeclarationRule::Printed, 3), (DeclarationRule::Text, 5)] {
        let mut told = Agent { election_complete: true, ..Agent::new(3) };
        let mut other = Agent::new(5);
        protocol(rule).interact(&mut told, &mut other);
        assert!(told.election_complete && other.election_complete);
        assert_eq!(told.leader, believes, "{rule:?}");
    }
}

#[test]
fn who_hears_of_a_higher_identity_calls_itself_leader_no_more() {
    let text = protocol(DeclarationRule::Text);
    let mut early = Agent::new(3);
    early.declare();
    let mut higher = Agent::new(5);
    text.interact(&mut early, &mut higher);
    assert!(!early.is_leader && early.declared && !higher.is_leader);
}
