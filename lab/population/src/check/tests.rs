//! Answers open questions of the paper for up to five agents.

use super::*;
use crate::protocols::{
    Agent, DeclarationRule, Fratricide, FratricideRole, NumberedCandidate, NumberedEpidemic,
    SelfTerminating,
};

const LIMIT: usize = 1 << 21;

fn self_terminating(rule: DeclarationRule, margin: u32, agents: u32) -> CheckFindings {
    let protocol = SelfTerminating { margin: margin.into(), rule, min_interactions: 0 };
    election(&protocol, agents, Agent::new, LIMIT).unwrap()
}

/// Runs a meeting order by the protocol itself.
fn replay(protocol: &SelfTerminating, agents: u32, order: &[Meeting]) -> Vec<Belief> {
    let mut states: Vec<_> = (0..agents).map(Agent::new).collect();
    for &(i, j) in order {
        let [a, b] = states.get_disjoint_mut([i as usize, j as usize]).unwrap();
        protocol.interact(a, b);
    }
    states.iter().map(|state| protocol.output(state)).collect()
}

#[test]
fn algorithm_2_ends_right_and_as_printed_without_a_leader() {
    for agents in 2..=5 {
        let find = |printed| {
            election(&NumberedEpidemic { printed }, agents, NumberedCandidate::new, LIMIT).unwrap()
        };
        let corrected = find(false);
        assert!(corrected.ends_right && corrected.stuck_wrong.is_none(), "{corrected:?}");
        let printed = find(true);
        assert!(!printed.ends_right, "{printed:?}");
        let start: Vec<_> = (0..agents).map(NumberedCandidate::new).collect();
        let space =
            ReachableSpace::explore(&NumberedEpidemic { printed: true }, &start, LIMIT).unwrap();
        let stable = space.stable();
        let led = |place: usize, beliefs: &[Belief]| {
            stable[place] && beliefs.iter().any(|belief| belief.is_leader)
        };
        assert_eq!(space.shortest(led), None, "no run ends with a leader");
        if agents == 2 {
            // The leader converts its only follower, and resigns when it meets it as initiator.
            assert_eq!(printed.stuck_wrong, Some(vec![(0, 1), (1, 0)]));
        }
    }
}

#[test]
fn two_agents_can_never_both_declare_among_two_but_among_three() {
    let pair = self_terminating(DeclarationRule::Text, 1, 2);
    assert_eq!((pair.two_declare, pair.too_early), (None, None));
    assert!(pair.ends_right);
    for (rule, agents) in
        [(DeclarationRule::Text, 3), (DeclarationRule::Text, 4), (DeclarationRule::AtLeast, 4)]
    {
        let protocol = SelfTerminating { margin: 1.into(), rule, min_interactions: 0 };
        let findings = self_terminating(rule, 1, agents);
        let order = findings.two_declare.as_ref().unwrap();
        let beliefs = replay(&protocol, agents, order);
        assert_eq!(beliefs.iter().filter(|belief| belief.declared).count(), 2, "{findings:?}");
        let early = replay(&protocol, agents, findings.too_early.as_ref().unwrap());
        assert!(early.iter().any(|b| b.declared) && early.iter().any(|b| b.leader < agents - 1));
        // Errors are repaired in the end, since the news does not stop the election.
        assert!(findings.ends_right && findings.stuck_wrong.is_none(), "{findings:?}");
    }
}

#[test]
fn as_printed_beliefs_freeze_wrong() {
    let findings = self_terminating(DeclarationRule::Printed, 1, 4);
    assert!(!findings.ends_right);
    let protocol =
        SelfTerminating { margin: 1.into(), rule: DeclarationRule::Printed, min_interactions: 0 };
    let order = findings.stuck_wrong.unwrap();
    let beliefs = replay(&protocol, 4, &order);
    assert!(!(beliefs.iter().all(|b| b.leader == 3) && beliefs[3].is_leader), "{beliefs:?}");
}

/// Pins counts that a change of a protocol or of the explorer would change.
#[test]
fn configurations_are_as_many_as_ever() {
    let count = |findings: CheckFindings| (findings.configurations, findings.stable);
    let epidemic = |agents| {
        count(
            election(&NumberedEpidemic::default(), agents, NumberedCandidate::new, LIMIT).unwrap(),
        )
    };
    assert_eq!([epidemic(2), epidemic(3), epidemic(4), epidemic(5)], EPIDEMIC);
    let terminating = |rule| [2, 3, 4, 5].map(|agents| count(self_terminating(rule, 1, agents)));
    assert_eq!(terminating(DeclarationRule::Text), TEXT);
    assert_eq!(terminating(DeclarationRule::Printed), PRINTED);
    let anonymous =
        ReachableSpace::explore(&Fratricide, &[FratricideRole::Leader; 5], LIMIT).unwrap();
    assert_eq!(anonymous.len(), 31, "every set of leaders but the empty one");
    let one = |_: usize, roles: &[FratricideRole]| {
        roles.iter().filter(|&&r| r == FratricideRole::Leader).count() == 1
    };
    assert!(anonymous.always_reaches(one));
    assert_eq!(anonymous.stable().iter().filter(|&&stable| stable).count(), 5);
}
/// Agent i believes in one of the n - i identities from its own up: n! configurations.
const EPIDEMIC: [(usize, usize); 4] = [(2, 1), (6, 1), (24, 1), (120, 1)];
const TEXT: [(usize, usize); 4] = [(5, 1), (58, 2), (1097, 4), (29_611, 8)];
const PRINTED: [(usize, usize); 4] = [(4, 3), (45, 9), (916, 27), (28_795, 141)];

#[test]
fn populations_beyond_reach_are_refused() {
    let six = election(&NumberedEpidemic::default(), 6, NumberedCandidate::new, LIMIT).unwrap_err();
    assert_eq!(six, TooLarge::Agents(6));
    let few = election(&NumberedEpidemic::default(), 5, NumberedCandidate::new, 10).unwrap_err();
    assert_eq!(few, TooLarge::Configurations(10));
    assert!(few.to_string().contains("more than 10 configurations"));
}
