//! Every execution of a few agents and meetings: by messages they meet as if at once.

use super::*;
use crate::protocols::Margin;
use std::collections::{BTreeMap, HashSet, VecDeque};

/// The state of Algorithm 3 with a rule that lets an agent declare after few meetings, so that
/// explorations come to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Hasty(Agent);

/// Followers met > conversions, from the first interaction on.
struct AtOnce(SelfTerminating);

impl Default for AtOnce {
    fn default() -> Self {
        Self(SelfTerminating {
            margin: Margin::whole(1),
            min_interactions: 0,
            ..Default::default()
        })
    }
}

impl PopulationProtocol for AtOnce {
    type State = Hasty;
    type Output = Belief;

    fn interact(&self, i: &mut Hasty, j: &mut Hasty) {
        self.0.interact(&mut i.0, &mut j.0);
    }

    fn output(&self, state: &Hasty) -> Belief {
        self.0.output(&state.0)
    }
}

impl Numbered for Hasty {
    type Protocol = AtOnce;

    fn numbered(aid: u32) -> Self {
        Self(Agent::new(aid))
    }
}

/// An agent that waits for a result without limit.
type Patient<S> = MeetingAgent<S, 0>;

/// A configuration, and beside it the states of agents that meet at once.
#[derive(Clone, PartialEq, Eq, Hash)]
struct World<S: Numbered> {
    agents: Vec<Patient<S>>,
    /// What is under way to an agent at a port.
    links: BTreeMap<(u32, Port), VecDeque<Msg<S>>>,
    at_once: Vec<S>,
    /// The number of invitations that have been sent.
    invitations: u32,
}

/// The net of one reaction: pauses are short, and `partner` is the answer to the other question.
struct Reaction<S> {
    degree: u32,
    partner: u32,
    sent: Vec<(Port, Msg<S>)>,
    rejected: Option<&'static str>,
}

impl<S: Numbered> Net<Msg<S>> for Reaction<S> {
    fn degree(&self) -> u32 {
        self.degree
    }

    fn send(&mut self, to: Port, msg: Msg<S>) {
        assert!(to.0 < self.degree);
        self.sent.push((to, msg));
    }

    fn choose(&mut self, max: u32) -> u32 {
        assert_ne!(self.degree, PAUSE);
        if max == PAUSE - 1 { 0 } else { self.partner }
    }

    fn set_alarm(&mut self, ticks: u32) {
        assert!(ticks > 0);
    }

    fn reject(&mut self, why: &'static str) {
        self.rejected = Some(why);
    }
}

impl<S: Numbered> World<S> {
    /// Agents with these identities. The first has woken; the others sleep until they are invited.
    fn new(ids: &[u32]) -> Self {
        let size = Size(ids.len() as u32);
        let agent = |(place, &id): (u32, &u32)| {
            Patient::new((Id::new(id.into()), (Place(place), size)), size.0 - 1)
        };
        let agents = (0..).zip(ids).map(agent).collect();
        let at_once = ids.iter().map(|&id| S::numbered(id)).collect();
        let mut world = Self { agents, links: BTreeMap::new(), at_once, invitations: 0 };
        world.react(0, 0, Patient::wake);
        world
    }

    fn size(&self) -> u32 {
        self.agents.len() as u32
    }

    /// The agent behind a port, and the port there that leads back.
    fn across(&self, agent: u32, Port(port): Port) -> (u32, Port) {
        let other = (agent + port + 1) % self.size();
        (other, self.agents[other as usize].port(agent))
    }

    fn react(
        &mut self,
        agent: u32,
        partner: u32,
        reaction: impl FnOnce(&mut Patient<S>, &mut Reaction<S>),
    ) {
        let degree = self.size() - 1;
        let mut net = Reaction { degree, partner, sent: Vec::new(), rejected: None };
        reaction(&mut self.agents[agent as usize], &mut net);
        assert_eq!(net.rejected, None);
        // Grows without bound if agents refuse each other, and decides nothing.
        self.agents[agent as usize].refused = 0;
        for (port, msg) in net.sent {
            self.invitations += u32::from(msg == Msg::Invite);
            self.links.entry(self.across(agent, port)).or_default().push_back(msg);
        }
    }

    /// The configurations that follow.
    fn next(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for agent in (0..self.size()).filter(|&agent| self.runs(agent)) {
            for partner in 0..self.size() - 1 {
                let mut world = self.clone();
                world.react(agent, partner, Patient::alarm);
                all.push(world);
            }
        }
        for &(agent, port) in self.links.keys() {
            let mut world = self.clone();
            let Some(queue) = world.links.get_mut(&(agent, port)) else { continue };
            let msg = queue.pop_front().unwrap();
            if queue.is_empty() {
                world.links.remove(&(agent, port));
            }
            if !self.agents[agent as usize].ended {
                let initiated = self.agents[agent as usize].initiated;
                world.react(agent, 0, |agent, net| agent.receive(port, msg, net));
                if world.agents[agent as usize].initiated > initiated {
                    let (other, _) = world.across(agent, port);
                    world.meet(agent, other);
                }
            }
            all.push(world);
        }
        all
    }

    fn runs(&self, agent: u32) -> bool {
        let agent = &self.agents[agent as usize];
        agent.awake && !agent.ended
    }

    /// Lets two agents meet at once.
    fn meet(&mut self, i: u32, j: u32) {
        let (mut one, mut other) = (self.at_once[i as usize], self.at_once[j as usize]);
        S::Protocol::default().interact(&mut one, &mut other);
        (self.at_once[i as usize], self.at_once[j as usize]) = (one, other);
    }

    /// The messages under way to an agent from a port.
    fn to(&self, agent: u32, port: Port) -> impl Iterator<Item = &Msg<S>> {
        self.links.get(&(agent, port)).into_iter().flatten()
    }

    fn meetings(&self) -> u32 {
        self.agents.iter().map(|agent| agent.initiated).sum()
    }

    fn check(&self) {
        let halted = self.agents.iter().any(|agent| agent.ended);
        let mut results = 0;
        for j in 0..self.size() {
            let agent = &self.agents[j as usize];
            let mut state = agent.state;
            for port in (0..self.size() - 1).map(Port) {
                let (i, back) = self.across(j, port);
                assert!(self.to(j, port).count() <= CAPACITY as usize, "room on the link");
                let answers = self.to(j, port).filter_map(|msg| match msg {
                    Msg::Result(state) => Some(Some(*state)),
                    Msg::Cancel => Some(None),
                    _ => None,
                });
                let answers: Vec<_> = answers.collect();
                let accepts = self.to(i, back).filter(|msg| matches!(msg, Msg::Accept(_))).count();
                let expected = usize::from(agent.accepted == Some(port));
                if halted {
                    assert!(answers.len() + accepts <= 1, "at most one exchange");
                } else {
                    // Hence an agent that waits has a message under way that ends its wait.
                    assert_eq!(answers.len() + accepts, expected, "one exchange, in one stage");
                }
                if let Some(Some(next)) = answers.first() {
                    state = *next;
                    results += 1;
                }
            }
            if !halted {
                assert_eq!(state, self.at_once[j as usize], "as if they met at once");
            }
        }
        if !halted {
            let answered: u32 = self.agents.iter().map(|agent| agent.answered).sum();
            assert_eq!(self.meetings(), answered + results, "every meeting has two agents");
        }
        let decided = |agent: &Patient<S>| agent.status() != Status::Undecided;
        assert!(!halted || self.agents.iter().all(decided), "none halts before all have decided");
    }
}

/// Explores every execution with a number of invitations. Returns the number of configurations, and
/// whether in one of them all have halted, and in all of those the highest leads alone.
fn explore<S: Numbered>(ids: &[u32], invitations: u32) -> (usize, bool) {
    let start = World::<S>::new(ids);
    let highest = ids.iter().max().copied();
    let mut seen = HashSet::from([start.clone()]);
    let mut open = vec![start];
    let mut ended = false;
    while let Some(world) = open.pop() {
        world.check();
        if world.agents.iter().all(|agent| agent.ended) {
            ended = true;
            let leaders = world.agents.iter().filter(|agent| agent.status() == Status::Leader);
            assert_eq!(leaders.map(|agent| Some(agent.aid)).collect::<Vec<_>>(), [highest]);
        }
        assert!(seen.len() < 1_000_000, "too many configurations");
        let next = world.next().into_iter().filter(|next| next.invitations <= invitations);
        open.extend(next.filter(|next| seen.insert(next.clone())));
    }
    (seen.len(), ended)
}

#[test]
fn two_agents_meet_as_if_at_once_and_end() {
    for ids in [[1, 2], [2, 1]] {
        let (configurations, ended) = explore::<Hasty>(&ids, 16);
        assert!(configurations > 1000, "{configurations}");
        assert!(ended);
    }
}

#[test]
fn three_agents_meet_as_if_at_once() {
    let (configurations, _) = explore::<NumberedCandidate>(&[2, 3, 1], 6);
    assert!(configurations > 10_000, "{configurations}");
}

#[test]
fn an_agent_gives_up_a_result_that_does_not_come() {
    type Impatient = MeetingAgent<Agent, 3>;
    let knows = (Id::new(5), (Place(0), Size(3)));
    let mut agent = Impatient::new(knows, 2);
    let mut net = Reaction { degree: 2, partner: 1, sent: Vec::new(), rejected: None };
    agent.wake(&mut net);
    agent.receive(Port(0), Msg::Invite, &mut net);
    agent.receive(Port(1), Msg::Invite, &mut net);
    assert!(matches!(net.sent[..], [(Port(0), Msg::Accept(_)), (Port(1), Msg::Busy)]));
    let before = *agent.state();
    agent.alarm(&mut net);
    assert_eq!(agent.accepted(), None);
    // The result is void now.
    agent.receive(Port(0), Msg::Result(Agent::new(9)), &mut net);
    assert_eq!((agent.state(), agent.snapshot().answered), (&before, 0));
    agent.alarm(&mut net);
    assert_eq!(net.sent.last(), Some(&(Port(1), Msg::Invite)));
    assert_eq!(net.rejected, None);
}

#[test]
fn messages_that_cannot_come_are_rejected() {
    let agent = || Patient::<Agent>::new((Id::new(5), (Place(1), Size(4))), 3);
    let state = Agent::new(9);
    // The agent at position 1 has 0 above it, at port 2, and 3 below it, at port 1.
    for (port, msg) in [
        (0, Msg::Accept(state)),
        (0, Msg::Busy),
        (0, Msg::Told),
        (0, Msg::End),
        (2, Msg::End),
        (2, Msg::Told),
    ] {
        let mut net = Reaction { degree: 3, partner: 0, sent: Vec::new(), rejected: None };
        agent().receive(Port(port), msg, &mut net);
        assert!(net.rejected.is_some(), "{msg:?} at {port}");
    }
    let mut net = Reaction { degree: 3, partner: 0, sent: Vec::new(), rejected: None };
    agent().receive(Port(1), Msg::Told, &mut net);
    assert_eq!(net.rejected, None);
}

#[test]
fn agents_of_algorithm_1_decide_alone() {
    let (mut leaders, size) = (Vec::new(), Size(4));
    for id in 1..=4 {
        let mut agent = KnowsAll::new((Id::new(id), size), 3);
        assert_eq!(agent.status(), Status::Undecided);
        let mut net = Reaction::<Agent> { degree: 3, partner: 0, sent: Vec::new(), rejected: None };
        agent.wake(&mut Silent(&mut net));
        assert!(agent.halted() && agent.leader() == Some(Id::new(4)));
        leaders.extend((agent.status() == Status::Leader).then_some(id));
    }
    assert_eq!(leaders, [4]);
}

/// A net for messages that are not sent.
struct Silent<'a>(&'a mut Reaction<Agent>);

impl Net<Msg<()>> for Silent<'_> {
    fn degree(&self) -> u32 {
        self.0.degree
    }
    fn send(&mut self, _: Port, msg: Msg<()>) {
        panic!("{msg:?}");
    }
    fn choose(&mut self, _: u32) -> u32 {
        0
    }
    fn set_alarm(&mut self, _: u32) {}
    fn reject(&mut self, why: &'static str) {
        panic!("{why}");
    }
}
