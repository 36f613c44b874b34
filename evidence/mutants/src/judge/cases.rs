// Ended elections, for the judge in whose module this is included, and for each what it says.

use suffrage_algorithms::{Bound, Guarantee};

/// An ended election of three processes with the identities 1, 2 and 3.
struct Case {
    name: &'static str,
    claims: Option<Claims>,
    processes: [FinalState; 3],
    /// Changes what an engine reports beside them.
    change: fn(&mut Ended<'_>),
}

pub(crate) fn cases() -> Vec<crate::judge::Said> {
    let parts = [leaders(), names(), stages(), messages()];
    parts.into_iter().flatten().map(|case| case.judged()).collect()
}

impl Case {
    fn new(name: &'static str, processes: [FinalState; 3]) -> Self {
        Self { name, claims: Some(CLAIMS), processes, change: |_| {} }
    }

    fn of(self, claims: Claims) -> Self {
        Self { claims: Some(claims), ..self }
    }

    fn with(self, change: fn(&mut Ended<'_>)) -> Self {
        Self { change, ..self }
    }

    fn unfinished(self) -> Self {
        self.with(|of| of.unfinished = true)
    }

    fn judged(self) -> crate::judge::Said {
        let processes = |node: u64| self.processes[node as usize];
        let mut ended = Ended {
            nodes: 3,
            links: 3,
            process: &processes,
            blocked: 0,
            sent: sent(9, 3),
            units: None,
            diameter: &|| 1,
            late: 0,
            lost: 0,
            faultless: true,
            unfinished: false,
        };
        (self.change)(&mut ended);
        let verdict = format!("{:?}", judge(self.claims.as_ref(), &ended));
        crate::judge::Said { case: self.name, verdict }
    }
}

const CLAIMS: Claims = Claims {
    rule: Rule::SmallestInitiator,
    problem: Problem::Explicit,
    election: Bound::exactly("n k", |s| s.nodes * s.initiators),
    announcement: Bound::at_most("n", |s| s.nodes),
    time: None,
    ending: Ending::Silent,
};

fn sent(election: u64, announcement: u64) -> Option<Sent> {
    Some(Sent { election, announcement })
}

fn process(id: u64, status: Status, leader: Option<u64>) -> FinalState {
    let leader = leader.map(Id::new);
    FinalState { id: Id::new(id), woke: true, stage: Stage::Halted, status, leader }
}

/// All woke, and the first leads.
fn fine() -> [FinalState; 3] {
    let follows = |id| process(id, Status::Follower, Some(1));
    [process(1, Status::Leader, Some(1)), follows(2), follows(3)]
}

/// The second leads.
fn wrong() -> [FinalState; 3] {
    let mut wrong = [1, 2, 3].map(|id| process(id, Status::Follower, Some(2)));
    wrong[1].status = Status::Leader;
    wrong
}

/// The first leads, and something about another one is changed.
fn changed(node: usize, change: fn(&mut FinalState)) -> [FinalState; 3] {
    let mut all = fine();
    change(&mut all[node]);
    all
}

fn leaders() -> Vec<Case> {
    let undecided = [1, 2, 3].map(|id| process(id, Status::Undecided, None));
    let two = changed(1, |of| (of.status, of.leader) = (Status::Leader, Some(of.id)));
    let mut second_crashed = two;
    second_crashed[1].stage = Stage::Crashed;
    vec![
        Case::new("an election", fine()),
        Case::new("two leaders", two),
        Case::new("two leaders, unfinished", two).unfinished(),
        Case::new("a leader that has crashed, and another", second_crashed),
        Case::new("no leader", undecided),
        Case::new("no leader yet", undecided).unfinished(),
        Case::new("no leader, and few messages", undecided).with(|of| of.sent = sent(1, 0)),
    ]
}

fn names() -> Vec<Case> {
    let implicit = Claims { problem: Problem::Implicit, ..CLAIMS };
    let expected = Claims { election: CLAIMS.election.with(Guarantee::Expected), ..CLAIMS };
    let silent = changed(2, |of| of.leader = None);
    let undecided = changed(2, |of| (of.leader, of.status) = (None, Status::Undecided));
    let nameless = fine().map(|of| FinalState { leader: None, ..of });
    let mut unheard = nameless;
    unheard[1].status = Status::Undecided;
    vec![
        Case::new("one names another", changed(2, |of| of.leader = Some(of.id))),
        Case::new("one names no process", silent),
        Case::new("one names no process yet", silent).unfinished(),
        Case::new("one names no process, where it need not", silent).of(implicit),
        Case::new("one is undecided, where it need not know the leader", undecided).of(implicit),
        Case::new("one is undecided yet, where it need not know the leader", undecided)
            .of(implicit)
            .unfinished(),
        Case::new("a leader without a name", nameless).of(implicit),
        Case::new("a leader without a name, of whom one knows nothing", unheard).of(implicit),
        Case::new("more messages than are expected", fine())
            .of(expected)
            .with(|of| of.sent = sent(100, 3)),
        Case::new(
            "one that names no process has crashed",
            changed(2, |of| (of.leader, of.stage) = (None, Stage::Crashed)),
        ),
    ]
}

fn stages() -> Vec<Case> {
    let messages_end = Claims { ending: Ending::Messages, ..CLAIMS };
    let waits = changed(2, |of| of.stage = Stage::Running);
    let sleeps = changed(2, |of| (of.stage, of.woke) = (Stage::Asleep, false));
    let mut right_asleep = wrong();
    right_asleep[0].woke = false;
    vec![
        Case::new("one waits", waits),
        Case::new("one waits, where it may", waits).of(messages_end),
        Case::new("one waits still", waits).unfinished(),
        Case::new("one sleeps", sleeps).with(|of| of.sent = sent(6, 3)),
        Case::new("one sleeps still", sleeps).unfinished(),
        Case::new("another wins", wrong()),
        Case::new("the smallest initiator wins", right_asleep).with(|of| of.sent = sent(6, 3)),
        Case::new("another wins on a faulty network", wrong()).with(|of| of.faultless = false),
    ]
}

fn messages() -> Vec<Case> {
    let late_allowed = Claims { ending: Ending::LateMessages, ..CLAIMS };
    let at_most = Claims { election: CLAIMS.election.with(Guarantee::AtMost), ..CLAIMS };
    let case = |name, change: fn(&mut Ended<'_>)| Case::new(name, fine()).with(change);
    vec![
        case("one message too many", |of| of.sent = sent(10, 3)),
        case("one announcement too many", |of| of.sent = sent(9, 4)),
        case("one message too few", |of| of.sent = sent(8, 3)),
        case("few messages, of which there are at most more", |of| of.sent = sent(1, 0)).of(at_most),
        case("few messages yet", |of| (of.unfinished, of.sent) = (true, sent(1, 0))),
        case("messages that are not counted here", |of| of.sent = None),
        case("a late message", |of| of.late = 1),
        case("a late message, where it may be", |of| of.late = 1).of(late_allowed),
        case("a lost message", |of| of.lost = 1),
        case("a lost message on a faulty network", |of| (of.lost, of.faultless) = (1, false)),
        case("a message that is not there yet", |of| (of.lost, of.unfinished) = (1, true)),
        Case {
            name: "an election of which nothing is claimed",
            claims: None,
            processes: wrong(),
            change: |of| of.late = 1,
        },
    ]
}
