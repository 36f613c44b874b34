//! The facts of a real election, and its verdict.

use super::{ClusterOutcome, ClusterRun};
use crate::report::{MemberReport, MemberRole, kinds, messages};
use suffrage::algorithms::{Sent, Violation};
use suffrage::experiment::conditions::WakeUps;
use suffrage::experiment::number::Decimal;
use suffrage::experiment::report::{
    BrokenProperty, BusiestNode, ElectedLeader, ElectionReport, InitiatorSummary, MeasuredTime,
    MessageBound, NetworkSummary, Setting, anonymous,
};
use suffrage::experiment::{Instance, Prepared};
use suffrage::model::{Id, Kind, Status};
use suffrage::runtime::{NodeReport, verdict};

pub(super) fn of(
    prepared: &Prepared,
    instance: &Instance,
    held: &ClusterOutcome,
    args: &ClusterRun<'_>,
) -> ElectionReport {
    let members = &held.members;
    let ids = &instance.site.ids;
    let kinds = kinds(instance.algorithm);
    let sum = |name: &str| {
        let of = |member: &MemberReport| {
            member.messages.by_kind.iter().find(|(kind, _)| *kind == name).map_or(0, |(_, n)| *n)
        };
        members.iter().map(of).sum::<u64>()
    };
    let sent: Vec<_> = kinds.iter().map(|kind| (kind, sum(kind.name))).collect();
    let messages = messages(sent.iter().copied());
    let woken = members.iter().filter(|member| member.initiator).count() as u64;
    let most = instance.bound(woken);
    let leader = leader(prepared, instance, members);
    let nameless = anonymous(&instance.algorithm.claims);
    let knows = |member: &MemberReport, leader: &ElectedLeader| match nameless {
        true => member.leader.is_none() && member.role != MemberRole::Undecided,
        false => member.leader == Some(leader.id),
    };
    let agreed =
        leader.as_ref().is_some_and(|leader| members.iter().all(|member| knows(member, leader)));
    let total = messages.total;
    ElectionReport {
        algorithm: instance.algorithm.name,
        choice: None,
        faulty: instance.algorithm.faulty(),
        network: NetworkSummary::of(&instance.site.topology).with(prepared.id_notes()),
        by_default: false,
        seed: instance.seed(),
        schedule: args.arrivals(),
        ports: args.asked.ports,
        ids: args.asked.ids.clone(),
        capacity: args.asked.capacity,
        faults: Vec::new(),
        initiators: InitiatorSummary {
            chosen: Setting::Asked(prepared.conditions.initiators.clone().unwrap_or_default()),
            count: instance.initiators,
            wake: Setting::Asked(WakeUps::Once),
            woken,
        },
        leader,
        agreed,
        anonymous: nameless,
        halted: members.len() == instance.site.wiring.nodes() as usize,
        bits: bits(ids, &sent),
        messages,
        time: MeasuredTime::Seconds(held.seconds),
        causal_depth: members.iter().map(|member| member.causal_depth).max().unwrap_or(0),
        busiest: busiest(instance, members),
        peak_in_flight: held.peak_in_flight,
        late: members.iter().map(|member| member.late).sum(),
        lost: 0,
        bound: MessageBound::of(
            &instance.algorithm.claims,
            most,
            Decimal::ratio(total.into(), most.into()),
        ),
        time_bound: None,
        rounds: None,
        invariants: None,
        violations: violations(instance, held),
        replay: None,
        interrupted_after: None,
        unfinished: false,
        timing: None,
    }
}

/// The bits of messages of these kinds.
fn bits(ids: &[Id], sent: &[(&Kind, u64)]) -> u128 {
    let bits = |number: u64| number.max(1).ilog2() + 1;
    let id_bits = bits(ids.iter().map(|id| id.get()).max().unwrap_or(0));
    let size = |kind: &Kind| u128::from(kind.bits(sent.len(), id_bits, bits(ids.len() as u64)));
    sent.iter().map(|(kind, count)| u128::from(*count) * size(kind)).sum()
}

/// The leader, if there is exactly one.
fn leader(
    prepared: &Prepared,
    instance: &Instance,
    members: &[MemberReport],
) -> Option<ElectedLeader> {
    let leads: Vec<_> = members.iter().filter(|member| member.role == MemberRole::Leader).collect();
    match *leads.as_slice() {
        [one] => Some(ElectedLeader {
            node: one.node.into(),
            id: one.id,
            label: instance.site.topology.label(one.node).map(str::to_owned),
            written: prepared.written(&instance.site, one.node),
        }),
        _ => None,
    }
}

fn busiest(instance: &Instance, members: &[MemberReport]) -> BusiestNode {
    let load = |member: &MemberReport| member.messages.total + member.received;
    let (node, messages) = members.iter().fold((0, 0), |(node, most), member| match load(member) {
        more if more > most => (member.node, more),
        _ => (node, most),
    });
    let label = instance.site.topology.label(node).map(str::to_owned);
    BusiestNode { node: node.into(), label, messages }
}

fn violations(instance: &Instance, held: &ClusterOutcome) -> Vec<BrokenProperty> {
    let at = MeasuredTime::Seconds(held.seconds);
    let report = |member: &MemberReport| NodeReport {
        id: Id::new(member.id),
        woke: member.initiator,
        status: match member.role {
            MemberRole::Undecided => Status::Undecided,
            MemberRole::Leader => Status::Leader,
            MemberRole::Follower => Status::Follower,
        },
        leader: member.leader.map(Id::new),
        sent: Sent {
            election: member.messages.election,
            announcement: member.messages.announcement,
        },
        received: member.received,
        late: member.late,
        violations: member.violations.clone(),
    };
    let reports: Vec<_> = held.members.iter().map(report).collect();
    let verdict =
        verdict(Some(&instance.algorithm.claims), instance.site.topology.links(), &reports);
    let broken = |Violation { property, detail }| BrokenProperty { property, at, detail };
    verdict.violations.into_iter().map(broken).collect()
}
