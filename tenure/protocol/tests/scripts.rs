//! Tenure by scripts, step by step. Above all the trap of the lower layer: h is suspended, its lease at
//! g runs out, the office goes to another and is free again, and h renews. What g granted before must
//! not count.

use std::collections::BTreeMap;
use tenure_model::{Message, *};
use tenure_protocol::tenure::{Alarm, Msg, Tenure, With};

const OFFICE: Office = Office(7);
const H: Peer = Peer(0);
const G: Peer = Peer(1);
const X: Peer = Peer(2);

#[derive(Default)]
struct Site {
    cells: BTreeMap<Cell, u64>,
    alarms: Vec<Alarm>,
    /// For how long each alarm was set last.
    ticks: BTreeMap<Alarm, u32>,
    sent: Vec<(Peer, Msg)>,
    /// By kind, all that was ever sent.
    count: [usize; Msg::KINDS.len()],
    writes: usize,
}

impl Effects<Tenure> for Site {
    fn send(&mut self, to: Peer, msg: Msg) {
        self.count[msg.kind()] += 1;
        self.sent.push((to, msg));
    }
    fn set_alarm(&mut self, alarm: Alarm, ticks: u32) {
        self.cancel_alarm(alarm);
        self.alarms.push(alarm);
        self.ticks.insert(alarm, ticks);
    }
    fn cancel_alarm(&mut self, alarm: Alarm) {
        self.alarms.retain(|&set| set != alarm);
    }
    fn read(&self, cell: Cell) -> Option<u64> {
        self.cells.get(&cell).copied()
    }
    fn write(&mut self, cell: Cell, number: u64) {
        self.cells.insert(cell, number);
        self.writes += 1;
    }
    fn choose(&mut self, _: u32) -> u32 {
        0
    }
    fn changed(&mut self, _: Office) {}
    fn reject(&mut self, why: &'static str) {
        panic!("{why}");
    }
}

fn setting(me: Peer, lease: u32, stop: u32) -> Setting {
    let clocks = Ratio { fastest: 1001, slowest: 1000 };
    Setting { me, members: 3, heartbeat: 50, lease, stop, clocks }
}

/// Three members; messages go where the script lets them.
struct Script {
    sites: [Site; 3],
    members: Vec<Tenure>,
}

impl Script {
    fn new() -> Self {
        Self::with_stop(0)
    }

    fn with_stop(stop: u32) -> Self {
        let mut sites: [Site; 3] = Default::default();
        let members = (0..).map(Peer).zip(&mut sites).map(|(me, site)| {
            Tenure::start(setting(me, 250, stop), Start { boot: 0, memory: Memory::New }, site)
        });
        let members = members.collect();
        Self { sites, members }
    }

    fn ring(&mut self, at: Peer, alarm: Alarm) {
        let site = &mut self.sites[at.0 as usize];
        assert!(site.alarms.contains(&alarm), "{alarm:?} is not set at {at:?}");
        site.cancel_alarm(alarm);
        self.members[at.0 as usize].ring(alarm, site);
    }

    /// Has a member crash and start again with another lease. Returns for how long it is in quarantine.
    fn restart(&mut self, at: Peer, boot: u64, lease: u32) -> u32 {
        let site = &mut self.sites[at.0 as usize];
        site.sent.clear();
        site.alarms.clear();
        let start = Start { boot, memory: Memory::Kept };
        self.members[at.0 as usize] = Tenure::start(setting(at, lease, 0), start, site);
        assert!(self.members[at.0 as usize].quarantined());
        site.ticks[&Alarm::Quarantine]
    }

    fn stand(&mut self, at: Peer) {
        let command = Command::Stand { office: OFFICE, priority: 0 };
        self.members[at.0 as usize].command(command, &mut self.sites[at.0 as usize]);
    }

    /// Delivers what has been sent between these two, until nothing is left; the rest stays.
    fn exchange(&mut self, a: Peer, b: Peer) {
        while let Some((from, i)) = [(a, b), (b, a)].iter().find_map(|&(from, to)| {
            let sent = &self.sites[from.0 as usize].sent;
            Some((from, sent.iter().position(|&(receiver, _)| receiver == to)?))
        }) {
            let (to, msg) = self.sites[from.0 as usize].sent.remove(i);
            self.members[to.0 as usize].receive(from, msg, &mut self.sites[to.0 as usize]);
        }
    }

    /// Delivers all that has been sent.
    fn exchange_all(&mut self) {
        while self.sites.iter().any(|site| !site.sent.is_empty()) {
            for (a, b) in [(H, G), (G, X), (X, H)] {
                self.exchange(a, b);
            }
        }
    }

    /// Rings every heartbeat that is set, and delivers the messages sent then.
    fn ring_all(&mut self) {
        for member in [H, G, X] {
            if self.sites[member.0 as usize].alarms.contains(&Alarm::Beat) {
                self.ring(member, Alarm::Beat);
            }
            self.exchange_all();
        }
    }

    /// The one that leads.
    fn leader(&self) -> Option<(Peer, Term)> {
        let leads = |peer| self.term(peer).map(|term| (peer, term));
        let mut leaders = [H, G, X].into_iter().filter_map(leads);
        let leader = leaders.next();
        assert_eq!(leaders.next(), None);
        leader
    }

    /// Takes the first message that one has sent to the other.
    fn take(&mut self, from: Peer, to: Peer) -> Msg {
        let sent = &mut self.sites[from.0 as usize].sent;
        let first = sent.iter().position(|&(receiver, _)| receiver == to);
        sent.remove(first.expect("it has sent something")).1
    }

    fn deliver(&mut self, from: Peer, msg: Msg, to: Peer) {
        self.members[to.0 as usize].receive(from, msg, &mut self.sites[to.0 as usize]);
    }

    fn pass(&mut self, from: Peer, to: Peer) {
        let msg = self.take(from, to);
        self.deliver(from, msg, to);
    }

    fn term(&self, of: Peer) -> Option<Term> {
        self.members[of.0 as usize].tenure(OFFICE).map(|tenure| tenure.term)
    }
}

#[test]
fn grants_of_an_older_epoch_do_not_count() {
    let mut script = Script::new();
    script.stand(H);
    script.exchange(H, G);
    let first = script.term(H).expect("h has its own vote and that of g");

    // h is suspended. Its alarm is due, before the alarm of g, and so its tenure is over. The alarm
    // is handled late; this changes nothing, since it is handled first. Its release is lost.
    let until = script.members[0].tenure(OFFICE).and_then(|tenure| tenure.until);
    assert_eq!(until, Some(Alarm::Renewal(1)));
    script.ring(H, Alarm::Renewal(1));
    assert_eq!(script.term(H), None);
    script.sites[0].sent.clear();

    // The lease runs out at g, which grants the office to x.
    script.ring(G, Alarm::Owed(H));
    script.stand(X);
    script.exchange(X, G);
    let second = script.term(X).expect("x has its own vote and that of g");
    assert!(second > first);

    // h renews. It has a lease at g again, and its own vote, but not what g granted before.
    script.ring(H, Alarm::Beat);
    script.exchange(H, G);
    assert_eq!(script.term(H), None);
    assert_eq!(script.term(X), Some(second));
    assert_eq!(script.members[1].leader(OFFICE), Some((X, second)));

    // x falls silent: its lease at g runs out, and h, which waits there, leads at once.
    script.sites[2].sent.clear();
    script.ring(G, Alarm::Owed(X));
    script.exchange(H, G);
    assert!(script.term(H).expect("h waited at g") > second);
}

#[test]
fn an_election_and_a_resignation_cost_what_the_header_says() {
    let mut script = Script::new();
    let before: Vec<usize> = script.sites.iter().map(|site| site.writes).collect();
    script.stand(H);
    // Renewals before requests: h campaigns when it counts on a majority.
    script.exchange(H, G);
    script.exchange(H, X);
    script.ring(H, Alarm::Beat);
    script.exchange(H, G);
    script.exchange(H, X);
    let count = |script: &Script, name: &str| -> usize {
        let kind = Msg::KINDS.iter().position(|kind| kind.name == name);
        let kind = kind.expect("it is a kind of message");
        script.sites.iter().map(|site| site.count[kind]).sum()
    };
    for (name, messages) in [("renew", 4), ("ack", 4), ("request", 2), ("grant", 2), ("lead", 2)] {
        assert_eq!(count(&script, name), messages, "{name}");
    }
    for (site, before) in script.sites.iter().zip(before) {
        assert!(site.writes > before, "each has promised the term");
    }

    // At rest there are renewals and nothing else.
    let all = |script: &Script| script.sites.iter().flat_map(|site| site.count).sum::<usize>();
    let rest = all(&script);
    script.ring(H, Alarm::Beat);
    script.exchange(H, G);
    script.exchange(H, X);
    assert_eq!(all(&script), rest + 4);

    let term = script.term(H).expect("h leads");
    script.members[0].command(Command::Resign { office: OFFICE }, &mut script.sites[0]);
    script.members[0].command(Command::Stopped { office: OFFICE, term }, &mut script.sites[0]);
    script.exchange(H, G);
    script.exchange(H, X);
    assert_eq!(all(&script), rest + 4 + 4);
    assert_eq!((count(&script, "release"), count(&script, "released")), (2, 2));
}

#[test]
fn a_leader_that_is_told_to_leave_holds_the_office_until_the_work_has_ended() {
    let mut script = Script::new();
    script.stand(H);
    script.exchange(H, G);
    script.exchange(H, X);
    script.stand(X);
    script.exchange(X, G);
    script.exchange(X, H);
    let first = script.term(H).expect("h leads");

    let transfer = Command::Transfer { office: OFFICE, to: X };
    script.members[0].command(transfer, &mut script.sites[0]);
    assert!(script.members[0].tenure(OFFICE).is_some_and(|tenure| tenure.stopping));
    assert_eq!(script.sites[0].sent, [], "nothing is released before the work has ended");

    let stopped = Command::Stopped { office: OFFICE, term: first };
    script.members[0].command(stopped, &mut script.sites[0]);
    assert_eq!(script.term(H), None);
    script.exchange(H, G);
    script.exchange(X, G);
    assert!(script.term(X).expect("x waited at g") > first);
    script.exchange(X, H);
    assert_eq!(script.members[0].leader(OFFICE), script.members[2].leader(OFFICE));
}

#[test]
fn an_obituary_frees_what_the_dead_held() {
    let mut script = Script::new();
    script.stand(H);
    script.exchange(H, G);
    script.sites[0].sent.clear();
    script.stand(X);
    script.exchange(X, G);
    assert_eq!(script.term(X), None);

    script.members[1].receive(H, Msg::obituary(0), &mut script.sites[1]);
    script.exchange(X, G);
    assert!(script.term(X).is_some());
}

#[test]
fn a_vote_is_free_when_its_holder_has_not_heard_of_the_lease_for_its_length() {
    let mut script = Script::new();
    script.stand(H);
    for (from, to) in [(H, G), (G, H), (H, G)] {
        script.pass(from, to); // It renews, and claims.
    }
    // From here on whatever g sends to h is lost, and so are the first releases of h.
    let grant = script.take(G, H);
    assert!(matches!(grant, Msg::Grant(..)), "{grant:?}");
    script.stand(X);
    script.exchange(X, G);
    assert_eq!(script.term(X), None, "g has voted for h");
    script.ring(H, Alarm::Renewal(1));
    script.sites[0].sent.clear();

    script.ring(H, Alarm::Beat);
    let renewal = script.take(H, G);
    assert!(matches!(renewal, Msg::Renew { over: 1.., .. }), "{renewal:?}");
    script.deliver(H, renewal, G);
    script.exchange(X, G);
    assert!(script.term(X).is_some());

    // What g said of that epoch means nothing to h, should it arrive.
    script.deliver(G, grant, H);
    assert_eq!(script.term(H), None);
    assert!(script.sites[0].sent.iter().all(|(to, _)| *to == X), "h answers nothing");
}

#[test]
fn a_lease_is_not_over_while_the_work_may_go_on_that_its_vote_protects() {
    let mut script = Script::with_stop(400);
    script.stand(H);
    script.exchange(H, G);
    assert!(script.term(H).is_some());
    script.ring(H, Alarm::Renewal(1));
    assert_eq!(script.term(H), None, "it has lost the office");
    let over = |script: &mut Script| {
        script.ring(H, Alarm::Beat);
        let Msg::Renew { over, .. } = script.take(H, G) else { panic!("it renews first") };
        script.sites[0].sent.clear();
        over > 0
    };
    assert!(!over(&mut script) && !over(&mut script));
    script.ring(H, Alarm::Stop(OFFICE));
    script.sites[0].sent.clear();
    assert!(over(&mut script));
}

#[test]
fn an_answer_that_contradicts_the_one_before_is_asked_for_again() {
    let mut script = Script::new();
    script.stand(H);
    script.exchange(H, G);
    let term = script.term(H).expect("g has voted for h");
    script.stand(X);
    for (from, to) in [(X, G), (G, X), (X, G), (G, X), (X, G)] {
        script.pass(from, to); // It renews, claims, is refused, and claims with a greater term.
    }
    let late = script.take(G, X);
    assert!(matches!(late, Msg::Busy(_, 0, With::Leader(of)) if of == term), "{late:?}");

    // G claims its own vote, and has it when h has left. Its claim to x's vote is lost.
    let preferred = Command::Stand { office: OFFICE, priority: 1 };
    script.members[1].command(preferred, &mut script.sites[1]);
    script.ring(G, Alarm::Beat);
    script.pass(G, X);
    script.pass(X, G);
    script.members[0].command(Command::Resign { office: OFFICE }, &mut script.sites[0]);
    script.members[0].command(Command::Stopped { office: OFFICE, term }, &mut script.sites[0]);
    script.pass(H, G);
    script.sites[1].sent.clear();
    script.ring(X, Alarm::Beat);
    for (from, to) in [(X, G), (G, X), (X, G), (G, X)] {
        script.pass(from, to);
    }

    // X has been told that no process leads. The late answer contradicts that, and x cannot know
    // which of the two was sent last: it asks again.
    script.deliver(G, late, X);
    let asked = script.take(X, G);
    assert!(matches!(asked, Msg::Request(_, _, 1, With::Unknown)), "{asked:?}");
    script.deliver(X, asked, G);
    script.ring(G, Alarm::Beat);
    script.exchange(X, G);
    assert!(script.term(G).is_some(), "x has voted for g");
}

#[test]
fn an_office_passes_on_without_a_heartbeat() {
    let mut script = Script::new();
    for member in [H, G, X] {
        script.stand(member);
    }
    script.exchange_all();
    script.ring_all(); // Those that wait are told who leads.
    let transfers = [H, G, X, H, X, G].map(|to| Command::Transfer { office: OFFICE, to });
    let resignations = [Command::Resign { office: OFFICE }; 2];
    for command in transfers.into_iter().chain(resignations) {
        let (leader, term) = script.leader().expect("one leads");
        for command in [command, Command::Stopped { office: OFFICE, term }] {
            let site = &mut script.sites[leader.0 as usize];
            script.members[leader.0 as usize].command(command, site);
        }
        script.exchange_all();
        let (next, later) = script.leader().expect("one leads without a heartbeat");
        assert!(later > term && next != leader);
        if let Command::Transfer { to, .. } = command {
            assert_eq!(next, to);
        }
        script.ring_all();
    }
}

#[test]
fn a_member_owes_by_the_setting_in_which_it_has_granted() {
    let mut script = Script::new();
    let long = setting(G, 2000, 0).clocks.outlasting(2000);
    let short = setting(G, 250, 0).clocks.outlasting(250);
    // The present setting is the longer one.
    assert_eq!(script.restart(G, 1, 2000), long);
    // It is the shorter one, also if the member crashes again before its quarantine is over.
    assert_eq!(script.restart(G, 2, 250), long);
    assert_eq!(script.restart(G, 3, 250), long);
    script.ring(G, Alarm::Quarantine);
    assert_eq!(script.restart(G, 4, 250), short);
    // A record from which it cannot be read.
    script.sites[1].cells.remove(&Cell { table: 0, key: 3 });
    assert_eq!(script.restart(G, 5, 250), u32::MAX);
}
