//! Assignment 8: leases. C. Gray and D. Cheriton, 12th ACM Symposium on Operating Systems Principles, 1989.

use std::collections::BTreeSet;
use suffrage::prelude::*;

const LEASE: u32 = 8;
/// A clock may run a quarter faster than another one: 11 ticks of any clock are longer than 8 of another.
const OWED: u32 = 11;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Msg {
    Ask(u64),
    Vote(u64),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Alarm {
    Campaign,
    Lease,
    Owed,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Election {
    id: u32,
    size: u32,
    /// The greatest term for which it has voted. The disk has it, too.
    voted: u64,
    /// Whether it owes a vote, until the alarm rings.
    owes: bool,
    /// The term for which it asks, until the alarm of the lease rings, and those who have voted for it.
    asks: Option<u64>,
    votes: BTreeSet<u32>,
}

impl Election {
    fn campaign(&mut self, net: &mut MemberNet<Self>) {
        // Its own terms are those that leave its number as the rest.
        let (id, size) = (u64::from(self.id), u64::from(self.size));
        let term = self.voted - self.voted % size + size + id;
        self.asks = Some(term);
        self.votes = BTreeSet::from([self.id]);
        net.set_alarm(Alarm::Lease, LEASE);
        self.vote(term, net);
        net.send_all(Msg::Ask(term));
    }

    fn vote(&mut self, term: u64, net: &mut MemberNet<Self>) {
        self.voted = term;
        self.owes = true;
        net.write(term);
        net.set_alarm(Alarm::Owed, OWED);
    }
}

impl ElectionMember for Election {
    type Msg = Msg;
    type Alarm = Alarm;

    fn new(id: u32, size: u32) -> Self {
        Self { id, size, voted: 0, owes: false, asks: None, votes: BTreeSet::new() }
    }

    fn start(&mut self, record: Option<u64>, net: &mut MemberNet<Self>) {
        if let Some(term) = record {
            // It may have voted just before it crashed.
            self.voted = term;
            self.owes = true;
            net.set_alarm(Alarm::Owed, OWED);
        }
        net.set_alarm(Alarm::Campaign, 1 + self.id);
    }

    fn ring(&mut self, alarm: Alarm, net: &mut MemberNet<Self>) {
        match alarm {
            Alarm::Owed => self.owes = false,
            Alarm::Lease => {
                self.asks = None;
                net.set_alarm(Alarm::Campaign, 1 + OWED * self.id);
            }
            Alarm::Campaign if self.owes => net.set_alarm(Alarm::Campaign, 1 + self.id),
            Alarm::Campaign => self.campaign(net),
        }
    }

    fn receive(&mut self, sender: u32, message: Msg, net: &mut MemberNet<Self>) {
        match message {
            Msg::Vote(term) if self.asks == Some(term) => {
                self.votes.insert(sender);
            }
            Msg::Ask(term) if term > self.voted && !self.owes => {
                self.vote(term, net);
                net.send(sender, Msg::Vote(term));
            }
            Msg::Vote(_) | Msg::Ask(_) => {}
        }
    }

    fn leads(&self) -> Option<(u64, Alarm)> {
        let majority = self.votes.len() > self.size as usize / 2;
        self.asks.filter(|_| majority).map(|term| (term, Alarm::Lease))
    }
}
