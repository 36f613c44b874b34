pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "bully",
    title: "Bully: a process asks all above it whether they are there, and takes over if none is.",
    paper: "H. Garcia-Molina, IEEE Transactions on Computers C-31(1), 1982",
    citation: r#"
H. Garcia-Molina, "Elections in a distributed computing system", *IEEE Transactions on Computers*
C-31(1), 1982, pp. 48-59, doi:10.1109/TC.1982.1675885.
"#,
    assumes: "
A complete network in which processes are numbered: each knows its number and which port leads to
which other, and an identity. FIFO links. No process fails, although the algorithm is made for
failures: there are no timeouts here, as every process that is asked answers.
",
    idea: "
A process that starts an election asks all with larger numbers to take over. A process that is
asked answers, and starts an election itself if it has not done so. A process that is answered
waits for the coordinator. The one with the largest number has none to ask: it is the
coordinator, and says so to all.
",
    cost: "
At most `(n-1)^2 + n-1` messages. Each asks all above it at most once, which is `n (n-1) / 2`,
and all but the largest answer, which is `(n-1) (n-2) / 2`; both are attained if all but the
largest start. The coordinator tells `n-1`.

Time: at most `1 + 2`. Within a unit the first question reaches the largest, and all others who
will ask; the last question is answered two units later.
",
    deviations: "
Without failures a timeout never does anything, so there are none. The coordinator's announcement
stands for its answer. It overtakes questions and answers that are under way; these may arrive at
a process that has finished, and are discarded. The paper's phases, in which the coordinator
first has all others stop and then gives them the task, are one message here. `bully` is a row
without failures; the protocol that survives crashes is another one. From memory of the paper.
",
    invariants: &[
        ("largest", "only the process with the largest number is ever named."),
        (
            "reaches",
            "until that process leads, the question of every process that has started is under \
             way to it.",
        ),
    ],
};

use crate::prelude::*;

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Take over.
    Election,
    /// I do.
    Answer,
    /// This is the coordinator.
    Coordinator(Id),
}
use Msg::{Answer, Coordinator, Election};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("election"),
        Kind::election("answer"),
        Kind::announcement("coordinator").ids(1),
    ];
    fn kind(&self) -> usize {
        match self {
            Election => 0,
            Answer => 1,
            Coordinator(_) => 2,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Normal,
    /// Has asked all above it.
    Electing,
    /// Has been answered.
    Waiting,
    /// Finished, with this coordinator.
    Done(Id),
}
use State::{Done, Electing, Normal, Waiting};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bully {
    id: Id,
    number: u32,
    state: State,
}

impl Bully {
    /// Asks all above it; the largest takes over.
    fn elect(&mut self, net: &mut impl Net<Msg>) {
        // Port p leads to the number p + 1 above this one, and beyond the largest to the smallest.
        let above = net.degree().saturating_sub(self.number);
        if above == 0 {
            self.state = Done(self.id);
            net.send_all(Coordinator(self.id));
        } else {
            self.state = Electing;
            for port in (0..above).map(Port) {
                net.send(port, Election);
            }
        }
    }
}

impl Process for Bully {
    const NETWORK: NetworkClass = NetworkClass::OrientedComplete;
    type Knows = (Id, Place);
    type Msg = Msg;

    fn new((id, Place(number)): (Id, Place), _degree: u32) -> Self {
        Self { id, number, state: Normal }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.elect(net);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        let above = net.degree().saturating_sub(self.number);
        match msg {
            Election if from.0 >= above => {
                if above > 0 {
                    net.send(from, Answer);
                }
                if self.state == Normal {
                    self.elect(net);
                }
            }
            Answer if from.0 + 1 < above && self.state != Normal => self.state = Waiting,
            Coordinator(id) if from.0 + 1 == above => self.state = Done(id),
            _ => net.reject("questions come from below, answers and the coordinator from above"),
        }
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        match self.state {
            Done(coordinator) => Some(coordinator),
            Normal | Electing | Waiting => None,
        }
    }

    fn halted(&self) -> bool {
        matches!(self.state, Done(_))
    }
}

impl Claimed for Bully {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestPlace,
        problem: Problem::Explicit,
        election: Bound::at_most("(n-1)^2", |s| s.nodes.saturating_sub(1).saturating_pow(2)),
        announcement: Bound::exactly("n-1", |s| s.nodes.saturating_sub(1)),
        time: Some(Time {
            election: Bound::at_most("1", |_| 1),
            announcement: Bound::at_most("2", |_| 2),
        }),
        ending: Ending::LateMessages,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [largest, reaches])
    }
}

type Now<'a> = Configuration<'a, Bully>;

fn largest(now: &Now<'_>) -> Option<String> {
    let last = now.process(now.size() - 1).id;
    let named = now.nodes().filter_map(|(node, at)| Some((node, at.process.leader()?)));
    { named }
        .find(|&(_, id)| id != last)
        .map(|(node, id)| format!("{node} names {id}, and the largest is {last}"))
}

fn reaches(now: &Now<'_>) -> Option<String> {
    let last = now.size() - 1;
    if now.process(last).halted() {
        return None;
    }
    let asks = |process: &Bully| matches!(process.state, Electing | Waiting);
    now.nodes().filter(|(_, at)| asks(at.process)).find_map(|(node, _)| {
        let port = Port(last - node - 1);
        (!now.on_link(End { node, port }).any(|msg| msg == Election))
            .then(|| format!("{node} has started, and does not reach {last}"))
    })
}
