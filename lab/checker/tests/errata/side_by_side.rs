//! Two forms of an algorithm run as one process, on the same messages: do they send the same?

use crate::search::count;
use std::marker::PhantomData;
use suffrage_algorithms::{Property, printed, ring};
use suffrage_checker::{Family, FaultBudget, Specification};
use suffrage_model::{Id, Net, NetworkClass, Port, Process, Status};

/// Process `P`, and beside it `Q`, which is given everything that `P` is given and must send what `P`
/// sends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Both<P, Q>(P, Q);

/// A net that keeps the messages sent.
struct Kept<'a, M, N> {
    sent: Vec<(Port, M)>,
    net: &'a mut N,
    /// Whether rejections are passed on.
    rejects: bool,
    of: PhantomData<M>,
}

impl<M: Copy, N: Net<M>> Net<M> for Kept<'_, M, N> {
    fn degree(&self) -> u32 {
        self.net.degree()
    }
    fn send(&mut self, to: Port, msg: M) {
        self.sent.push((to, msg));
    }
    fn choose(&mut self, _: u32) -> u32 {
        unimplemented!("no form draws lots")
    }
    fn set_alarm(&mut self, _: u32) {
        unimplemented!("no form has alarms")
    }
    fn reject(&mut self, why: &'static str) {
        if self.rejects {
            self.net.reject(why);
        }
    }
}

impl<P: Process, Q: Process<Knows = P::Knows, Msg = P::Msg>> Both<P, Q> {
    /// One reaction of each.
    fn react<N: Net<P::Msg>>(
        &mut self,
        net: &mut N,
        of_p: impl FnOnce(&mut P, &mut Kept<'_, P::Msg, N>),
        of_q: impl FnOnce(&mut Q, &mut Kept<'_, P::Msg, N>),
    ) {
        let mut kept = Kept { sent: Vec::new(), net, rejects: true, of: PhantomData };
        of_p(&mut self.0, &mut kept);
        let sent = std::mem::take(&mut kept.sent);
        kept.rejects = false;
        of_q(&mut self.1, &mut kept);
        if kept.sent != sent {
            net.reject("the forms send different messages");
        } else if self.0.status() != self.1.status() {
            net.reject("the forms decide differently");
        } else {
            sent.into_iter().for_each(|(to, msg)| net.send(to, msg));
        }
    }
}

impl<P: Process, Q: Process<Knows = P::Knows, Msg = P::Msg>> Process for Both<P, Q>
where
    P::Knows: Clone,
{
    const NETWORK: NetworkClass = P::NETWORK;
    type Knows = P::Knows;
    type Msg = P::Msg;

    fn new(knows: P::Knows, degree: u32) -> Self {
        Self(P::new(knows.clone(), degree), Q::new(knows, degree))
    }
    fn wake(&mut self, net: &mut impl Net<P::Msg>) {
        self.react(net, |p, net| p.wake(net), |q, net| q.wake(net));
    }
    fn receive(&mut self, from: Port, msg: P::Msg, net: &mut impl Net<P::Msg>) {
        self.react(net, |p, net| p.receive(from, msg, net), |q, net| q.receive(from, msg, net));
    }
    fn status(&self) -> Status {
        self.0.status()
    }
    fn leader(&self) -> Option<Id> {
        self.0.leader()
    }
    fn halted(&self) -> bool {
        false
    }
}

/// How many of the elections of this many processes have a schedule on which the forms differ.
pub(crate) fn differing<P, Q>(nodes: u32, faults: FaultBudget) -> u64
where
    P: Process,
    Q: Process<Knows = P::Knows, Msg = P::Msg>,
    P::Knows: Clone,
{
    let family = Family::everything(P::NETWORK, nodes).expect("few nodes are few networks");
    let family = Family { faults, ..family };
    let specification = Specification::<Both<P, Q>>::these(&[Property::PossibleMessages]);
    count(&specification, &family).failing
}

/// A lost initiator of Chang and Roberts's algorithm swallows larger tokens as printed, and forwards
/// them in the catalogue's form. With FIFO links none comes to it: where a smaller token has passed, the
/// larger ones have been swallowed, or went before.
#[test]
fn chang_roberts_as_printed_sends_the_same_on_every_schedule_with_fifo_links() {
    for nodes in 1..=6 {
        let differ = differing::<ring::ChangRoberts, printed::ChangRoberts>;
        assert_eq!(differ(nodes, FaultBudget::default()), 0, "{nodes}");
    }
}

/// Without FIFO the smaller token overtakes, and the difference shows: the test above can fail.
#[test]
fn chang_roberts_as_printed_differs_where_messages_overtake() {
    let no_fifo = FaultBudget { no_fifo: true, ..FaultBudget::default() };
    assert!(differing::<ring::ChangRoberts, printed::ChangRoberts>(3, no_fifo) > 0);
}

#[test]
fn lelann_as_printed_sends_the_same_on_every_schedule() {
    for nodes in 1..=5 {
        let differ = differing::<ring::LeLann, printed::LeLann>;
        assert_eq!(differ(nodes, FaultBudget::default()), 0, "{nodes}");
    }
}
