//! The candidate: its claim to an office, from the first request until no granter holds it any
//! more.

use super::{
    Alarm, Msg, Out, Tenure,
    message::{Case, Rank, With},
};
use alloc::vec::Vec;
use tenure_model::{self, Effects, Office, Peer, Term};

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
    /// The state of the claim at each member, by number.
    pub(super) at: Vec<Asked>,
    /// The term of the leader that has the votes of members, as far as the members that this
    /// process counts on have told.
    pub(super) following: Option<Term>,
    /// The greatest term of a leader that it was told of.
    led: Term,
}

/// The phase of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    /// No member holds anything for this process.
    Idle,
    /// It asks for votes.
    Candidate,
    /// It has had a majority, and still has one.
    Leader,
    /// It leads while the application ends its work, at most until the alarm of this renewal.
    Stopping { until: Option<u64>, next: Option<Peer> },
    /// It no longer leads, and the application's work may not have ended.
    Lost,
    /// It wants the members to hold nothing for it, and this peer to lead next.
    Releasing { next: Option<Peer> },
}

/// The state of a claim at one member, as far as this process knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    pub(super) answer: Answer,
    /// The number of times that this process has yielded there, in this term. A grant to an earlier
    /// attempt is not counted.
    pub(super) attempt: u32,
    /// The state of the member's vote, as it was last told.
    pub(super) with: With,
}

/// The last answer of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Answer {
    /// None: it is asked again at each heartbeat.
    #[default]
    Open,
    /// The claim waits.
    Waits,
    /// The claim is granted.
    Granted,
    /// The member holds nothing.
    Released,
}

impl Bid {
    /// Returns the rank with which it asks this member. If another process leads, as members have
    /// told, it wants no votes but theirs, once they are free: the others are for the leader.
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

    const fn ending(&self) -> Option<u64> {
        if let Phase::Stopping { until, .. } = self.phase { until } else { None }
    }

    fn holds(&self) -> bool {
        !matches!(self.phase, Phase::Idle | Phase::Releasing { .. })
    }
}

/// Returns the least term of `me` that is greater than `term`, which no other participant has;
/// `None` if the terms are used up.
fn after(term: Term, me: Peer) -> Option<Term> {
    let (counter, peer) = (term.0 >> 32, term.0 & u64::from(u32::MAX));
    let counter = if u64::from(me.0) > peer { counter } else { counter + 1 };
    (counter <= u64::from(u32::MAX)).then_some(Term(counter << 32 | u64::from(me.0)))
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

    /// Starts a new attempt at the members that have not granted, and asks those that it counts on,
    /// since its rank has changed. An answer that it waits there with the old rank is for an
    /// earlier attempt.
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

    /// Repeats, at a heartbeat, every request and release that has not been answered.
    pub(super) fn ask_again(&mut self, out: &mut Out<impl Effects<Self>>) {
        let open = |asked: &Asked| asked.answer == Answer::Open;
        let unsettled = |_, bid: &Bid| bid.ending().is_some() || bid.at.iter().any(open);
        for office in self.bids.unsettled(unsettled) {
            let bid = &self.bids[&office];
            for (g, _) in self.setting.everyone().zip(&bid.at).filter(|(_, asked)| open(asked)) {
                match bid.phase {
                    Phase::Releasing { next } => {
                        self.send_release(office, bid.term, g, next, out);
                    }
                    _ => self.ask(office, g, out),
                }
            }
        }
    }

    fn backed(&self, bid: &Bid, counts: impl Fn(Peer) -> bool) -> bool {
        let granted = |g: &Peer| bid.at[g.0 as usize].answer == Answer::Granted;
        let votes = self.setting.everyone().filter(granted).filter(|&g| counts(g)).count();
        votes >= self.setting.majority()
    }

    /// Returns the renewal whose alarm ends a majority of counted votes, unless there are newer
    /// ones by then; `None` if the vote of this process is enough. `newest` is [`Self::newest`].
    fn lasts_until(&self, bid: &Bid, newest: &[(u64, Peer)]) -> Option<u64> {
        let me = self.setting.me;
        let granted = |g: &Peer| bid.at[g.0 as usize].answer == Answer::Granted;
        let own = self.setting.is_member() && granted(&me);
        let mut renewals = newest.iter().filter(|(_, g)| granted(g)).map(|&(number, _)| number);
        let others = self.setting.majority() - usize::from(own);
        others.checked_sub(1).map(|last| renewals.nth(last).unwrap_or(0))
    }

    pub(super) fn ending(&self) -> Option<u64> {
        self.bids.noted().filter_map(Bid::ending).min()
    }

    pub(super) fn tenure_of(
        &self,
        bid: &Bid,
        newest: &[(u64, Peer)],
    ) -> Option<tenure_model::Tenure<Alarm>> {
        let lasts = self.lasts_until(bid, newest);
        let (until, stopping) = match bid.phase {
            Phase::Leader => (lasts, false),
            Phase::Stopping { until, .. } => (lasts.min(until).or(lasts).or(until), true),
            _ => return None,
        };
        Some(tenure_model::Tenure { term: bid.term, until: until.map(Alarm::Renewal), stopping })
    }

    /// Advances a claim as far as the knowledge of this process allows.
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

    /// Claims the office again, with a term greater than `promised` and all that it knows of.
    fn campaign(&mut self, office: Office, promised: Term, out: &mut Out<impl Effects<Self>>) {
        let promised = promised.max(out.promised(office));
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

    /// Ends the tenure. What the members hold protects the office until the work has ended.
    fn lose(&mut self, office: Office, out: &mut Out<impl Effects<Self>>) {
        self.set_phase(office, Phase::Lost, out);
        match self.setting.stop {
            0 => self.let_go(office, None, out),
            stop => out.effects.set_alarm(Alarm::Stop(office), stop),
        }
    }

    /// Handles the end of the application's work in a term, by its command or because its time is
    /// over.
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

    /// Leaves the office as soon as the work has ended, for `next` if that one stands for it.
    pub(super) fn leave(
        &mut self,
        office: Office,
        next: Option<Peer>,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let Some(bid) = self.bids.get(&office) else { return };
        if bid.phase == Phase::Leader {
            let until = self.lasts_until(bid, &self.newest());
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

    /// Resets the claims at `g`, which holds nothing for this process in a new epoch.
    pub(super) fn asked_nothing(&mut self, g: Peer) {
        for bid in self.bids.values_mut() {
            let answer = if bid.holds() { Answer::Open } else { Answer::Released };
            bid.at[g.0 as usize] = Asked { answer, ..Asked::default() };
        }
    }

    /// Handles a grant of `g` to an attempt of the claim.
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
        // The last leader names it to the other members as well: to ask them with this rank would be
        // another attempt, for which their grants do not count.
        bid.named |= named;
        if !known && !bid.named && bid.following.is_some() {
            self.give_back(case.office, g, out);
        }
        self.pursue(case.office, out);
    }

    /// Records that the claim waits at `g`, unless `g` has granted it meanwhile.
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
        if core::mem::replace(&mut asked.with, with) != with && waited {
            // Answers overtake each other: another attempt tells which of the two holds.
            (asked.answer, asked.attempt) = (Answer::Open, attempt + 1);
        }
        let led = with.term().unwrap_or_default();
        let another = led > bid.led;
        bid.led = bid.led.max(led);
        bid.named &= !another;
        let asked_all = self.follow(case.office, out);
        if !asked_all && (waited || led != Term(0)) {
            self.ask(case.office, g, out); // It says it until it hears that this process knows.
        }
        if another {
            for g in self.setting.everyone() {
                self.give_back(case.office, g, out);
            }
        }
    }

    /// Handles a refusal: `g` has promised a term that is not smaller, so a candidate takes a
    /// greater one.
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

    /// Handles a greater claim that waits at `g`: a candidate yields, a leader does not.
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

    /// Records that `g` no longer holds anything of this term.
    pub(super) fn released(&mut self, g: Peer, case: Case, out: &mut Out<impl Effects<Self>>) {
        if let Some(bid) = self.bids.get_mut(&case.office).filter(|bid| bid.term == case.term)
            && matches!(bid.phase, Phase::Releasing { .. })
        {
            bid.at[g.0 as usize].answer = Answer::Released;
            self.pursue(case.office, out);
        }
    }
}
