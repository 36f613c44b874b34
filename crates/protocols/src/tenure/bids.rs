//! The candidate: its claim to an office, from the first request until every granter is free of it.

use super::{
    Alarm, Msg, Out, Tenure,
    message::{Case, Rank, With},
};
use alloc::vec::Vec;
use suffrage_process::recovery::{self, Effects, Office, Peer, Term};

/// A claim of this process to an office.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Bid {
    /// The priority with which it stands for the office, if it does.
    pub(super) priority: Option<u32>,
    /// The term of the last campaign.
    pub(super) term: Term,
    /// Whether the last leader has named it.
    named: bool,
    pub(super) phase: Phase,
    /// By member.
    pub(super) at: Vec<Asked>,
    /// The leader that has the votes of members, by its term, as far as those that this process
    /// counts on have said.
    pub(super) following: Option<Term>,
    /// The greatest term of a leader that it was told of.
    led: Term,
}

/// How far a claim has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    /// No member holds anything for this process.
    Idle,
    /// It asks for votes.
    Candidate,
    /// It has had a majority, and has one.
    Leader,
    /// It leads while the application ends its work, but no longer than until this renewal's alarm.
    Stopping { until: Option<u64>, next: Option<Peer> },
    /// It no longer leads, and the application's work may not have ended.
    Lost,
    /// It wants the members to hold nothing for it, and this peer to be next.
    Releasing { next: Option<Peer> },
}

/// What is known of a claim at one member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    pub(super) answer: Answer,
    /// How often this process has yielded there, in this term. What was granted to an earlier
    /// attempt is not counted.
    pub(super) attempt: u32,
    /// What it has last said of its vote.
    pub(super) with: With,
}

/// What a member has answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Answer {
    /// Nothing: it is asked again at each heartbeat.
    #[default]
    Open,
    /// That the claim waits.
    Waits,
    /// That it is granted.
    Granted,
    /// That it holds nothing.
    Released,
}

impl Bid {
    /// With which rank it asks this member. If another leads, as members have said, it wants no
    /// votes but theirs, once they are free: the others are for the leader.
    fn rank(&self, asked: Asked) -> Rank {
        match (self.phase, self.named) {
            (Phase::Candidate, true) => Rank::Named,
            (Phase::Candidate, false)
                if self.following.is_some() && asked.with.term().is_none() =>
            {
                Rank::Follower
            }
            (Phase::Candidate, false) => Rank::Candidate(self.priority.unwrap_or(0)),
            _ => Rank::Leader,
        }
    }

    /// Whether it has a use for what members grant to it.
    fn holds(&self) -> bool {
        !matches!(self.phase, Phase::Idle | Phase::Releasing { .. })
    }
}

/// The least term of `me` that is greater than `term`: no other participant has it. `None` if the
/// terms are used up.
fn after(term: Term, me: Peer) -> Option<Term> {
    let (counter, peer) = (term.0 >> 32, term.0 & u64::from(u32::MAX));
    let counter = if u64::from(me.0) > peer { counter } else { counter + 1 };
    (counter <= u64::from(u32::MAX)).then_some(Term(counter << 32 | u64::from(me.0)))
}

/// Whose term it is.
pub(super) fn candidate_of(term: Term) -> Peer {
    Peer((term.0 & u64::from(u32::MAX)) as u32)
}

impl Tenure {
    /// Stands for an office, or changes the priority with which it does.
    pub(super) fn stand(
        &mut self,
        office: Office,
        priority: u32,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let at = alloc::vec![Asked::default(); self.setting.members as usize];
        let idle = Bid {
            priority: None,
            term: self.spent,
            named: false,
            phase: Phase::Idle,
            at,
            following: None,
            led: Term(0),
        };
        self.bids.entry(office).or_insert(idle).priority = Some(priority);
        if !self.beating {
            self.beat(out);
        }
        self.ask_all(office, out); // A candidate has another rank now.
        self.pursue(office, out);
    }

    /// Asks the members that have not granted anew, as far as they can be counted on: its rank is
    /// another now. That it waits there with the old one answers an earlier attempt.
    pub(super) fn ask_all(&mut self, office: Office, out: &mut Out<impl Effects<Self>>) {
        for g in self.setting.everyone() {
            let Some(bid) = self.bids.get_mut(&office) else { return };
            let asked = &mut bid.at[g.0 as usize];
            if asked.answer != Answer::Granted {
                (asked.answer, asked.attempt) = (Answer::Open, asked.attempt + 1);
            }
            self.ask(office, g, out);
        }
    }

    /// Asks one member for its vote, if it has not granted it.
    pub(super) fn ask(&self, office: Office, g: Peer, out: &mut Out<impl Effects<Self>>) {
        let Some(bid) = self.bids.get(&office) else { return };
        let asked = bid.at[g.0 as usize];
        if !matches!(bid.phase, Phase::Idle | Phase::Lost | Phase::Releasing { .. })
            && asked.answer != Answer::Granted
            && self.counts_on(g)
            && let Some(epoch) = self.epoch_at(g)
        {
            let case = Case { office, term: bid.term, epoch };
            let told = if asked.answer == Answer::Waits { asked.with } else { With::Unknown };
            out.send(g, Msg::Request(case, bid.rank(asked), asked.attempt, told));
        }
    }

    /// Says again, at a heartbeat, what has not been answered.
    pub(super) fn ask_again(&self, out: &mut Out<impl Effects<Self>>) {
        for (&office, bid) in &self.bids {
            for (g, asked) in self.setting.everyone().zip(&bid.at) {
                match (bid.phase, asked.answer) {
                    (Phase::Releasing { next }, Answer::Open) => {
                        self.send_release(office, bid.term, g, next, out);
                    }
                    (_, Answer::Open) => self.ask(office, g, out),
                    _ => {}
                }
            }
        }
    }

    /// Whether a majority has granted this claim, of those members that this counts.
    fn backed(&self, bid: &Bid, counts: impl Fn(Peer) -> bool) -> bool {
        let granted = |g: &Peer| bid.at[g.0 as usize].answer == Answer::Granted;
        let votes = self.setting.everyone().filter(granted).filter(|&g| counts(g)).count();
        votes >= self.setting.majority()
    }

    /// The renewal whose alarm ends a majority of counted votes, unless there are newer ones then;
    /// `None` if the vote of this process is enough.
    fn lasts_until(&self, bid: &Bid) -> Option<u64> {
        let me = self.setting.me;
        let granted = |g: &Peer| bid.at[g.0 as usize].answer == Answer::Granted;
        let own = self.setting.is_member() && granted(&me);
        let votes = self.setting.others().filter(granted);
        let mut renewals: Vec<u64> = votes.map(|g| self.held.at[g.0 as usize].number).collect();
        renewals.sort_unstable_by(|a, b| b.cmp(a));
        let others = self.setting.majority() - usize::from(own);
        others.checked_sub(1).map(|last| renewals.get(last).copied().unwrap_or(0))
    }

    /// The first renewal whose alarm ends a tenure for good.
    pub(super) fn ending(&self) -> Option<u64> {
        let until = |bid: &Bid| match bid.phase {
            Phase::Stopping { until, .. } => until,
            _ => None,
        };
        self.bids.values().filter_map(until).min()
    }

    pub(super) fn tenure_of(&self, bid: &Bid) -> Option<recovery::Tenure<Alarm>> {
        let lasts = self.lasts_until(bid);
        let (until, stopping) = match bid.phase {
            Phase::Leader => (lasts, false),
            Phase::Stopping { until, .. } => (lasts.min(until).or(lasts).or(until), true),
            _ => return None,
        };
        Some(recovery::Tenure { term: bid.term, until: until.map(Alarm::Renewal), stopping })
    }

    /// Takes a claim as far as it goes by what this process knows now.
    pub(super) fn pursue(&mut self, office: Office, out: &mut Out<impl Effects<Self>>) {
        self.follow(office, out);
        let Some(bid) = self.bids.get(&office) else { return };
        let backed = self.backed(bid, |g| self.counts_on(g));
        // A tenure does not begin with the vote of a silent member: it would end with that lease.
        let wins = self.backed(bid, |g| self.hears_of(g));
        let (connected, stands) = (self.connected(), bid.priority.is_some());
        match bid.phase {
            Phase::Candidate if !stands || !connected => self.let_go(office, None, out),
            Phase::Candidate if wins => self.win(office, out),
            Phase::Leader if !backed => self.lose(office, out),
            Phase::Stopping { until, .. }
                if !backed || until.is_some_and(|number| number <= self.held.rung) =>
            {
                self.lose(office, out);
            }
            Phase::Releasing { .. } => {
                let left = |&g: &Peer| bid.at[g.0 as usize].answer != Answer::Released;
                let left: Vec<Peer> = self.setting.everyone().filter(left).collect();
                if left.is_empty() {
                    self.set_phase(office, Phase::Idle, out);
                    self.pursue(office, out);
                } else if stands && connected && !left.iter().any(|&g| self.counts_on(g)) {
                    self.campaign(office, Term(0), out); // Replaces what those still hold.
                }
            }
            Phase::Idle if !stands => {
                self.spent = self.spent.max(bid.term);
                self.bids.remove(&office);
            }
            Phase::Idle if connected => self.campaign(office, Term(0), out),
            _ => {}
        }
    }

    /// Pursues every claim.
    pub(super) fn pursue_all(&mut self, out: &mut Out<impl Effects<Self>>) {
        for office in self.bids.keys().copied().collect::<Vec<_>>() {
            self.pursue(office, out);
        }
    }

    fn set_phase(&mut self, office: Office, phase: Phase, out: &mut Out<impl Effects<Self>>) {
        if let Some(bid) = self.bids.get_mut(&office) {
            bid.phase = phase;
            out.effects.changed(office);
        }
    }

    /// Claims the office anew, with a term greater than `promised` and all that it knows of.
    fn campaign(&mut self, office: Office, promised: Term, out: &mut Out<impl Effects<Self>>) {
        let promised = promised.max(self.promised(office, out));
        let Some(bid) = self.bids.get_mut(&office) else { return };
        let Some(term) = after(promised.max(bid.term), self.setting.me) else {
            return out.effects.reject("the terms of the office are used up");
        };
        bid.term = term;
        for asked in &mut bid.at {
            *asked = Asked { with: asked.with, ..Asked::default() };
        }
        self.set_phase(office, Phase::Candidate, out);
        for g in self.setting.everyone() {
            self.ask(office, g, out);
        }
    }

    fn win(&mut self, office: Office, out: &mut Out<impl Effects<Self>>) {
        self.set_phase(office, Phase::Leader, out);
        for g in self.setting.everyone() {
            let Some(bid) = self.bids.get_mut(&office) else { return };
            let (asked, term) = (&mut bid.at[g.0 as usize], bid.term);
            match asked.answer {
                Answer::Granted => {
                    if let Some(epoch) = self.epoch_at(g) {
                        out.send(g, Msg::Lead(Case { office, term, epoch }));
                    }
                }
                Answer::Waits => {
                    asked.answer = Answer::Open;
                    self.ask(office, g, out); // With a leader's rank.
                }
                // Its answer is under way, or it is asked at the next heartbeat.
                Answer::Open | Answer::Released => {}
            }
        }
    }

    /// The tenure is over. What the members hold protects the office until the work has ended.
    fn lose(&mut self, office: Office, out: &mut Out<impl Effects<Self>>) {
        self.set_phase(office, Phase::Lost, out);
        match self.setting.stop {
            0 => self.let_go(office, None, out),
            stop => out.effects.set_alarm(Alarm::Stop(office), stop),
        }
    }

    /// The application's work in a term has ended, by its word or because its time is over.
    pub(super) fn stopped(
        &mut self,
        office: Office,
        term: Term,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let Some(bid) = self.bids.get(&office).filter(|bid| bid.term == term) else { return };
        match bid.phase {
            Phase::Stopping { next, .. } => self.let_go(office, next, out),
            Phase::Lost => {
                out.effects.cancel_alarm(Alarm::Stop(office));
                self.let_go(office, None, out);
            }
            Phase::Leader => out.effects.reject("the tenure goes on: resign or transfer it first"),
            _ => {}
        }
    }

    /// Leaves the office as soon as the work has ended, for `next` if that stands for it.
    pub(super) fn leave(
        &mut self,
        office: Office,
        next: Option<Peer>,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let Some(bid) = self.bids.get(&office) else { return };
        if bid.phase == Phase::Leader {
            let until = self.lasts_until(bid);
            self.set_phase(office, Phase::Stopping { until, next }, out);
        }
        self.pursue(office, out);
    }

    /// Asks every member to hold nothing for this process any more.
    fn let_go(&mut self, office: Office, next: Option<Peer>, out: &mut Out<impl Effects<Self>>) {
        self.set_phase(office, Phase::Releasing { next }, out);
        let Some(bid) = self.bids.get_mut(&office) else { return };
        bid.named = false;
        let term = bid.term;
        for g in self.setting.everyone() {
            let known = self.epoch_at(g).is_some();
            let Some(bid) = self.bids.get_mut(&office) else { return };
            let answer = if known { Answer::Open } else { Answer::Released };
            bid.at[g.0 as usize] = Asked { answer, ..Asked::default() };
            self.send_release(office, term, g, next, out);
        }
        self.pursue(office, out);
    }

    fn send_release(
        &self,
        office: Office,
        term: Term,
        g: Peer,
        next: Option<Peer>,
        out: &mut Out<impl Effects<Self>>,
    ) {
        if let Some(epoch) = self.epoch_at(g) {
            out.send(g, Msg::Release(Case { office, term, epoch }, next));
        }
    }

    /// A new epoch at `g`: it holds nothing that this process has asked for.
    pub(super) fn asked_nothing(&mut self, g: Peer) {
        for bid in self.bids.values_mut() {
            let answer = if bid.holds() { Answer::Open } else { Answer::Released };
            bid.at[g.0 as usize] = Asked { answer, ..Asked::default() };
        }
    }

    /// `g` has granted an attempt of the claim.
    pub(super) fn granted(
        &mut self,
        g: Peer,
        case: Case,
        (attempt, named): (u32, bool),
        out: &mut Out<impl Effects<Self>>,
    ) {
        let bid = self.bids.get_mut(&case.office);
        let Some(bid) = bid.filter(|bid| bid.term == case.term && bid.holds()) else {
            return out.send(g, Msg::Release(case, None));
        };
        let asked = &mut bid.at[g.0 as usize];
        if asked.attempt != attempt {
            return; // It has been yielded, and asked for again.
        }
        let known = asked.answer == Answer::Granted || asked.with.term().is_some();
        (asked.answer, asked.with) = (Answer::Granted, With::Nobody);
        if bid.phase != Phase::Candidate {
            return out.send(g, Msg::Lead(case));
        }
        if named && !bid.named {
            bid.named = true;
            self.ask_all(case.office, out); // With a greater rank.
        } else if !known && !bid.named && bid.following.is_some() {
            self.give_back(case.office, g, out);
        }
        self.pursue(case.office, out);
    }

    /// The claim waits at `g`, unless that has granted it meanwhile.
    pub(super) fn waits(
        &mut self,
        g: Peer,
        case: Case,
        (attempt, with): (u32, With),
        out: &mut Out<impl Effects<Self>>,
    ) {
        let bid = self.bids.get_mut(&case.office).filter(|bid| bid.term == case.term);
        // A leader asks on: at a member that knows it to lead it does not wait for long.
        let Some(bid) = bid.filter(|bid| bid.phase == Phase::Candidate) else { return };
        let asked = &mut bid.at[g.0 as usize];
        if asked.attempt != attempt || asked.answer == Answer::Granted {
            return;
        }
        let waited = core::mem::replace(&mut asked.answer, Answer::Waits) == Answer::Waits;
        asked.with = with;
        let led = with.term().unwrap_or_default();
        let another = led > bid.led;
        bid.led = bid.led.max(led);
        bid.named &= !another;
        self.follow(case.office, out);
        if waited || led != Term(0) {
            self.ask(case.office, g, out); // It says it until it hears that this process knows.
        }
        if another {
            for g in self.setting.everyone() {
                self.give_back(case.office, g, out);
            }
        }
    }

    /// `g` has promised a term that is not smaller: a candidate takes a greater one.
    pub(super) fn refused(
        &mut self,
        g: Peer,
        case: Case,
        promised: Term,
        out: &mut Out<impl Effects<Self>>,
    ) {
        match self.bids.get(&case.office).filter(|bid| bid.holds() && bid.term >= case.term) {
            Some(bid) if bid.term == case.term && bid.phase == Phase::Candidate => {
                self.campaign(case.office, promised, out);
            }
            Some(_) => {} // Another request is under way.
            None => out.send(g, Msg::Release(case, None)),
        }
    }

    /// A greater claim waits at `g`. A candidate yields, a leader does not.
    pub(super) fn contested(
        &mut self,
        g: Peer,
        case: Case,
        attempt: u32,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let bid = self.bids.get_mut(&case.office);
        let Some(bid) = bid.filter(|bid| bid.term == case.term && bid.holds()) else {
            return out.send(g, Msg::Release(case, None));
        };
        if bid.phase != Phase::Candidate {
            return out.send(g, Msg::Lead(case));
        }
        let asked = &mut bid.at[g.0 as usize];
        if asked.attempt == attempt {
            *asked = Asked { attempt: attempt + 1, ..Asked::default() };
        }
        self.ask(case.office, g, out);
    }

    /// `g` holds nothing of this term any more.
    pub(super) fn released(&mut self, g: Peer, case: Case, out: &mut Out<impl Effects<Self>>) {
        if let Some(bid) = self.bids.get_mut(&case.office).filter(|bid| bid.term == case.term)
            && matches!(bid.phase, Phase::Releasing { .. })
        {
            bid.at[g.0 as usize].answer = Answer::Released;
            self.pursue(case.office, out);
        }
    }
}
