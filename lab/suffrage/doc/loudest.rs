use suffrage::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Loudest {
    id: Id,
    awake: bool,
    missing: u32,
    largest: Id,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
struct Call(Id);

impl Message for Call {
    const KINDS: &'static [Kind] = &[Kind::election("call").ids(1)];
    fn kind(&self) -> usize {
        0
    }
}

impl Process for Loudest {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = Id;
    type Msg = Call;

    fn new(id: Id, degree: u32) -> Self {
        Self { id, awake: false, missing: degree, largest: id }
    }
    fn wake(&mut self, net: &mut impl Net<Call>) {
        self.awake = true;
        net.send_all(Call(self.id));
    }
    fn receive(&mut self, _: Port, Call(id): Call, net: &mut impl Net<Call>) {
        if !self.awake {
            self.wake(net);
        }
        self.missing = self.missing.saturating_sub(1);
        self.largest = self.largest.max(id);
    }
    fn status(&self) -> Status {
        match (self.halted(), self.largest == self.id) {
            (false, _) => Status::Undecided,
            (true, true) => Status::Leader,
            (true, false) => Status::Follower,
        }
    }
    fn leader(&self) -> Option<Id> {
        self.halted().then_some(self.largest)
    }
    fn halted(&self) -> bool {
        self.awake && self.missing == 0
    }
}

impl Claimed for Loudest {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestId,
        problem: Problem::Explicit,
        election: Bound::exactly("n(n-1)", |s| s.nodes * (s.nodes - 1)),
        announcement: Bound::exactly("0", |_| 0),
        time: None,
        ending: Ending::Silent,
    };
}

const LOUDEST: Custom<Loudest> = Custom::claimed("loudest");
