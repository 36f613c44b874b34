//! A real election as facts, and held against what it was to be.

use super::{Args, Held};
use crate::plan::{Plan, Setup, exact};
use crate::report::{
    Bound, Broken, Busiest, Decimal, Facts, Initiators, Leader, Member, Network, Role, Time,
    formula, kinds, messages,
};
use suffrage::algorithms::{Ending, Setting};
use suffrage::process::Id;
use suffrage::simulator::Property;

pub(super) fn of(setup: &Setup, plan: &Plan, held: &Held, args: &Args) -> Facts {
    let members = &held.members;
    let (wiring, ids) = plan.placed();
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
    let size = |kind: &suffrage::process::Kind| {
        u128::from(kind.bits(kinds.len(), id_bits, bits(ids.len() as u64)))
    };
    let messages = messages(sent.iter().copied());
    let woken = members.iter().filter(|member| member.initiator).count() as u64;
    let most = plan.bound(woken);
    let leads: Vec<_> = members.iter().filter(|member| member.role == Role::Leader).collect();
    let leader = match *leads.as_slice() {
        [one] => Some(Leader {
            node: one.node,
            id: one.id,
            label: plan.topology.label(one.node).map(str::to_owned),
        }),
        _ => None,
    };
    let agreed = leader
        .as_ref()
        .is_some_and(|leader| members.iter().all(|member| member.leader == Some(leader.id)));
    let load = |member: &Member| member.messages.total + member.received;
    let busiest = members.iter().fold((0, 0), |(node, most), member| match load(member) {
        more if more > most => (member.node, more),
        _ => (node, most),
    });
    let processes = if args.processes { ", a process a node" } else { "" };
    let total = messages.total;
    let mut facts = Facts {
        algorithm: plan.algorithm.name,
        choice: None,
        faulty: plan.algorithm.faulty,
        network: Network::of(&plan.topology),
        by_default: false,
        seed: plan.seed,
        schedule: format!("real ({}{processes})", args.transport.name()),
        ports: args.ports.name(),
        ids: args.ids.clone(),
        capacity: args.capacity,
        faults: Vec::new(),
        initiators: Initiators {
            chosen: setup.conditions.initiators.clone().unwrap_or_default().to_string(),
            count: plan.initiators,
            wake: "once".to_owned(),
            woken,
        },
        leader,
        agreed,
        halted: members.len() == wiring.nodes() as usize,
        bits: sent.iter().map(|(kind, count)| u128::from(*count) * size(kind)).sum(),
        messages,
        time: Time::Seconds(held.seconds),
        causal_depth: members.iter().map(|member| member.causal_depth).max().unwrap_or(0),
        busiest: Busiest {
            node: busiest.0,
            label: plan.topology.label(busiest.0).map(str::to_owned),
            messages: busiest.1,
        },
        peak_in_flight: held.peak_in_flight,
        late: members.iter().map(|member| member.late).sum(),
        lost: 0,
        bound: Bound {
            formula: formula(plan.algorithm),
            exact: exact(plan.algorithm),
            messages: most,
            ratio: Decimal::ratio(total.into(), most.into()),
        },
        violations: Vec::new(),
        replay: None,
        interrupted_after: None,
        unfinished: false,
        timing: None,
    };
    facts.violations = violations(plan, held, &facts);
    facts
}

/// The properties of every election, and what the catalogue claims of this one.
fn violations(plan: &Plan, held: &Held, facts: &Facts) -> Vec<Broken> {
    let at = Time::Seconds(held.seconds);
    let mut all = Vec::new();
    let mut add = |property: Property, detail: String| {
        all.push(Broken { property: property.name(), at, detail });
    };
    let members = &held.members;
    let leaders = members.iter().filter(|member| member.role == Role::Leader).count();
    if leaders != 1 {
        add(Property::ExactlyOneLeader, format!("there are {leaders} leaders"));
    }
    if let Some(leader) = &facts.leader {
        if let Some(other) = members.iter().find(|one| one.leader.is_some_and(|id| id != leader.id))
        {
            let detail = format!("node {} names another leader than {}", other.node, leader.id);
            add(Property::Agreement, detail);
        }
        let processes = members.iter().map(|member| (Id::new(member.id), member.initiator));
        let must = plan.algorithm.rule.winner(processes);
        if let Some(must) = must.filter(|must| must.get() != leader.id) {
            let rule = plan.algorithm.rule.words();
            let detail = format!("{} has won, but the {rule} is {must}", leader.id);
            add(Property::WinnerByRule, detail);
        }
    }
    for member in members {
        for violation in &member.violations {
            add(Property::PossibleMessages, format!("node {}: {violation}", member.node));
        }
    }
    if facts.late > 0 && plan.algorithm.ending == Ending::Silent {
        let detail = format!("{} messages reached processes that had halted", facts.late);
        add(Property::SilentEnding, detail);
    }
    let received: u64 = members.iter().map(|member| member.received + member.late).sum();
    if received != facts.messages.total {
        let detail = format!("{} were sent, {received} arrived", facts.messages.total);
        add(Property::PossibleMessages, detail);
    }
    let setting = Setting {
        nodes: plan.topology.nodes().into(),
        links: plan.topology.links(),
        initiators: facts.initiators.woken,
    };
    for (bound, sent, what) in [
        (&plan.algorithm.election, facts.messages.election, "election"),
        (&plan.algorithm.announcement, facts.messages.announcement, "announcement"),
    ] {
        let most = (bound.messages)(&setting);
        if sent > most || (bound.exact && sent != most) {
            let must = if bound.exact { "exactly" } else { "at most" };
            let formula = bound.formula;
            add(
                Property::MessageBound,
                format!("{sent} {what} messages, where there are {must} {formula} = {most}"),
            );
        }
    }
    all
}
