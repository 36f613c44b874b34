// Ended elections, for the judge in whose module this is included, and for each what it says.

pub(crate) fn cases() -> Vec<crate::judge::Said> {
    use suffrage_algorithms::{Bound, Guarantee, Rule};

    const CLAIMS: Claims = Claims {
        rule: Rule::SmallestInitiator,
        problem: Problem::Explicit,
        election: Bound::exactly("n k", |s| s.nodes * s.initiators),
        announcement: Bound::at_most("n", |s| s.nodes),
        time: None,
        ending: Ending::Silent,
    };
    let implicit = Claims { problem: Problem::Implicit, ..CLAIMS };
    let late_allowed = Claims { ending: Ending::LateMessages, ..CLAIMS };
    let messages_end = Claims { ending: Ending::Messages, ..CLAIMS };
    let expected = Claims { election: CLAIMS.election.with(Guarantee::Expected), ..CLAIMS };
    let at_most = Claims { election: CLAIMS.election.with(Guarantee::AtMost), ..CLAIMS };

    // Three processes with the identities 1, 2 and 3. All woke, and the first leads.
    let process = |id: u64, status, leader: Option<u64>| FinalState {
        id: Id::new(id),
        woke: true,
        stage: Stage::Halted,
        status,
        leader: leader.map(Id::new),
    };
    let leads = process(1, Status::Leader, Some(1));
    let follows = |id| process(id, Status::Follower, Some(1));
    let fine = [leads, follows(2), follows(3)];
    let all_undecided = [1, 2, 3].map(|id| process(id, Status::Undecided, None));
    let changed = |node: usize, change: fn(FinalState) -> FinalState| {
        let mut all = fine;
        all[node] = change(all[node]);
        all
    };
    let two = changed(1, |of| FinalState { status: Status::Leader, leader: Some(of.id), ..of });
    let mut second_crashed = two;
    second_crashed[1].stage = Stage::Crashed;
    let mut wrong = [1, 2, 3].map(|id| process(id, Status::Follower, Some(2)));
    wrong[1].status = Status::Leader;
    let mut right_asleep = wrong;
    right_asleep[0].woke = false;

    let nameless = fine.map(|of| FinalState { leader: None, ..of });
    let mut unheard = nameless;
    unheard[1].status = Status::Undecided;

    let mut said = Vec::new();
    let sent = |election, announcement| Some(Sent { election, announcement });
    let mut case = |case, claims: Option<&Claims>, of: &[FinalState; 3], change: fn(&mut Ended<'_>)| {
        let processes = |node: u64| of[node as usize];
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
        change(&mut ended);
        let verdict = format!("{:?}", judge(claims, &ended));
        said.push(crate::judge::Said { case, verdict });
    };
    let as_it_is: fn(&mut Ended<'_>) = |_| {};
    let claims = Some(&CLAIMS);
    case("an election", claims, &fine, as_it_is);
    case("two leaders", claims, &two, as_it_is);
    case("two leaders, unfinished", claims, &two, |of| of.unfinished = true);
    case("a leader that has crashed, and another", claims, &second_crashed, as_it_is);
    case("no leader", claims, &all_undecided, as_it_is);
    case("no leader yet", claims, &all_undecided, |of| of.unfinished = true);
    case("no leader, and few messages", claims, &all_undecided, |of| {
        of.sent = Some(Sent { election: 1, announcement: 0 });
    });
    case("one names another", claims, &changed(2, |of| FinalState { leader: Some(of.id), ..of }), as_it_is);
    case("one names no process", claims, &changed(2, |of| FinalState { leader: None, ..of }), as_it_is);
    case("one names no process yet", claims, &changed(2, |of| FinalState { leader: None, ..of }), |of| {
        of.unfinished = true;
    });
    case(
        "one names no process, where it need not",
        Some(&implicit),
        &changed(2, |of| FinalState { leader: None, ..of }),
        as_it_is,
    );
    case(
        "one is undecided, where it need not know the leader",
        Some(&implicit),
        &changed(2, |of| FinalState { leader: None, status: Status::Undecided, ..of }),
        as_it_is,
    );
    case(
        "one is undecided yet, where it need not know the leader",
        Some(&implicit),
        &changed(2, |of| FinalState { leader: None, status: Status::Undecided, ..of }),
        |of| of.unfinished = true,
    );
    case("a leader without a name", Some(&implicit), &nameless, as_it_is);
    case("a leader without a name, of whom one knows nothing", Some(&implicit), &unheard, as_it_is);
    case(
        "more messages than are expected",
        Some(&expected),
        &fine,
        |of| of.sent = Some(Sent { election: 100, announcement: 3 }),
    );
    case(
        "one that names no process has crashed",
        claims,
        &changed(2, |of| FinalState { leader: None, stage: Stage::Crashed, ..of }),
        as_it_is,
    );
    case("one waits", claims, &changed(2, |of| FinalState { stage: Stage::Running, ..of }), as_it_is);
    case("one waits, where it may", Some(&messages_end), &changed(2, |of| FinalState { stage: Stage::Running, ..of }), as_it_is);
    case("one waits still", claims, &changed(2, |of| FinalState { stage: Stage::Running, ..of }), |of| {
        of.unfinished = true;
    });
    case("one sleeps", claims, &changed(2, |of| FinalState { stage: Stage::Asleep, woke: false, ..of }), |of| {
        of.sent = Some(Sent { election: 6, announcement: 3 });
    });
    case("one sleeps still", claims, &changed(2, |of| FinalState { stage: Stage::Asleep, woke: false, ..of }), |of| {
        of.unfinished = true;
    });
    case("another wins", claims, &wrong, as_it_is);
    case("the smallest initiator wins", claims, &right_asleep, |of| {
        of.sent = Some(Sent { election: 6, announcement: 3 });
    });
    case("another wins on a faulty network", claims, &wrong, |of| of.faultless = false);
    case("one message too many", claims, &fine, |of| {
        of.sent = Some(Sent { election: 10, announcement: 3 });
    });
    case("one announcement too many", claims, &fine, |of| {
        of.sent = Some(Sent { election: 9, announcement: 4 });
    });
    case("one message too few", claims, &fine, |of| {
        of.sent = Some(Sent { election: 8, announcement: 3 });
    });
    case("few messages, of which there are at most more", Some(&at_most), &fine, |of| {
        of.sent = Some(Sent { election: 1, announcement: 0 });
    });
    case("few messages yet", claims, &fine, |of| {
        of.unfinished = true;
        of.sent = Some(Sent { election: 1, announcement: 0 });
    });
    case("messages that are not counted here", claims, &fine, |of| of.sent = None);
    case("a late message", claims, &fine, |of| of.late = 1);
    case("a late message, where it may be", Some(&late_allowed), &fine, |of| of.late = 1);
    case("a lost message", claims, &fine, |of| of.lost = 1);
    case("a lost message on a faulty network", claims, &fine, |of| {
        of.lost = 1;
        of.faultless = false;
    });
    case("a message that is not there yet", claims, &fine, |of| {
        of.lost = 1;
        of.unfinished = true;
    });
    case("an election of which nothing is claimed", None, &wrong, |of| of.late = 1);
    said
}
