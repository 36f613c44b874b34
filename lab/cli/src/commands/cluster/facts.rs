//! The facts of a real election, and its verdict.

use super::{Args, Held};
use crate::flags::WakeUps;
use crate::number::Decimal;
use crate::plan::{Plan, Setup};
use crate::report::{
    Bound, Broken, Busiest, Chosen, Facts, Initiators, Leader, Member, Network, Role, Time,
    anonymous, by_chance, kinds, messages,
};
use suffrage::algorithms::{Sent, Violation};
use suffrage::model::{Id, Status};
use suffrage::runtime::{NodeReport, verdict};
use suffrage::simulator::Experiment;

pub(super) fn of(setup: &Setup, plan: &Plan, held: &Held, args: &Args) -> Facts {
    let members = &held.members;
    let Experiment { wiring, ids, .. } = plan.experiment;
    let kinds = kinds(plan.algorithm);
    let sum = |name: &str| {
        let of = |member: &Member| {
            member.messages.by_kind.iter().find(|(kind, _)| *kind == name).map_or(0, |(_, n)| *n)
        };
        members.iter().map(of).sum::<u64>()
    };
    let sent: Vec<_> = kinds.iter().map(|kind| (kind, sum(kind.name))).collect();
    let bits = |number: u64| number.max(1).ilog2() + 1;
    let id_bits = bits(ids.iter().map(|id| id.get()).max().unwrap_or(0));
    let size = |kind: &suffrage::model::Kind| {
        u128::from(kind.bits(kinds.len(), id_bits, bits(ids.len() as u64)))
    };
    let messages = messages(sent.iter().copied());
    let woken = members.iter().filter(|member| member.initiator).count() as u64;
    let most = plan.bound(woken);
    let leads: Vec<_> = members.iter().filter(|member| member.role == Role::Leader).collect();
    let leader = match *leads.as_slice() {
        [one] => Some(Leader {
            node: one.node.into(),
            id: one.id,
            label: plan.site.topology.label(one.node).map(str::to_owned),
            written: setup.written(plan.site, one.node),
        }),
        _ => None,
    };
    let nameless = anonymous(&plan.algorithm.claims);
    let knows = |member: &Member, leader: &Leader| match nameless {
        true => member.leader.is_none() && member.role != Role::Undecided,
        false => member.leader == Some(leader.id),
    };
    let agreed =
        leader.as_ref().is_some_and(|leader| members.iter().all(|member| knows(member, leader)));
    let load = |member: &Member| member.messages.total + member.received;
    let busiest = members.iter().fold((0, 0), |(node, most), member| match load(member) {
        more if more > most => (member.node, more),
        _ => (node, most),
    });
    let total = messages.total;
    Facts {
        algorithm: plan.algorithm.name,
        choice: None,
        faulty: plan.algorithm.faulty(),
        network: Network::of(&plan.site.topology).with(setup.id_notes()),
        by_default: false,
        seed: plan.experiment.seed,
        schedule: args.transport.arrivals(args.processes),
        ports: args.ports,
        ids: args.ids.clone(),
        capacity: args.capacity,
        faults: Vec::new(),
        initiators: Initiators {
            chosen: Chosen::Asked(setup.conditions.initiators.clone().unwrap_or_default()),
            count: plan.initiators,
            wake: Chosen::Asked(WakeUps::Once),
            woken,
        },
        leader,
        agreed,
        anonymous: nameless,
        halted: members.len() == wiring.nodes() as usize,
        bits: sent.iter().map(|(kind, count)| u128::from(*count) * size(kind)).sum(),
        messages,
        time: Time::Seconds(held.seconds),
        causal_depth: members.iter().map(|member| member.causal_depth).max().unwrap_or(0),
        busiest: Busiest {
            node: busiest.0.into(),
            label: plan.site.topology.label(busiest.0).map(str::to_owned),
            messages: busiest.1,
        },
        peak_in_flight: held.peak_in_flight,
        late: members.iter().map(|member| member.late).sum(),
        lost: 0,
        bound: Bound {
            formula: plan.algorithm.claims.formula(),
            exact: plan.algorithm.claims.is_exact(),
            guarantee: by_chance(&plan.algorithm.claims),
            messages: most,
            ratio: Decimal::ratio(total.into(), most.into()),
        },
        time_bound: None,
        rounds: None,
        invariants: None,
        violations: violations(plan, held),
        replay: None,
        interrupted_after: None,
        unfinished: false,
        timing: None,
    }
}

fn violations(plan: &Plan, held: &Held) -> Vec<Broken> {
    let at = Time::Seconds(held.seconds);
    let report = |member: &Member| NodeReport {
        id: Id::new(member.id),
        woke: member.initiator,
        status: match member.role {
            Role::Undecided => Status::Undecided,
            Role::Leader => Status::Leader,
            Role::Follower => Status::Follower,
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
    let verdict = verdict(Some(&plan.algorithm.claims), plan.site.topology.links(), &reports);
    let broken = |Violation { property, detail }| Broken { property, at, detail };
    verdict.violations.into_iter().map(broken).collect()
}
