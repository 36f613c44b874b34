//! An algorithm and all its mutants as one process type: what the checker asks of an algorithm is
//! compiled for each type, and there are hundreds of mutants.

use std::{marker::PhantomData, sync::atomic::AtomicUsize};
use suffrage_model::{Net, Port};

/// Which of them processes are made of from now on: 0 is the algorithm as it is.
///
/// A process is made from what it knows of the network, and should know nothing of this.
pub(crate) static CHOSEN: AtomicUsize = AtomicUsize::new(0);

/// The net of one of them: what it sends is wrapped.
pub(crate) struct Through<'a, N, F, W> {
    pub net: &'a mut N,
    pub wrap: F,
    pub to: PhantomData<W>,
}

impl<M: Copy, W: Copy, N: Net<W>, F: Fn(M) -> W> Net<M> for Through<'_, N, F, W> {
    fn degree(&self) -> u32 {
        self.net.degree()
    }
    fn send(&mut self, to: Port, msg: M) {
        self.net.send(to, (self.wrap)(msg));
    }
    fn choose(&mut self, max: u32) -> u32 {
        self.net.choose(max)
    }
    fn set_alarm(&mut self, ticks: u32) {
        self.net.set_alarm(ticks);
    }
    fn reject(&mut self, why: &'static str) {
        self.net.reject(why);
    }
}

/// Makes the type: the first is the algorithm as it is.
macro_rules! subjects {
    ($suite:ident, $first:ident: $($variant:ident = $module:ident),*) => {
        mod $suite {
            use crate::subject::{CHOSEN, Through};
            use std::{marker::PhantomData, sync::atomic::Ordering::Relaxed};
            use suffrage_algorithms::{Claimed, Claims, Invariant};
            use suffrage_model::{
                Id, Kind, Message, Net, NetworkClass, Port, Process, Status, Timing,
            };

            #[derive(Clone, Debug, PartialEq, Eq, Hash)]
            pub(crate) enum Subject { $($variant(crate::$module::Subject)),* }

            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub(crate) enum Msg { $($variant(<crate::$module::Subject as Process>::Msg)),* }

            impl Message for Msg {
                const KINDS: &'static [Kind] =
                    <<crate::$first::Subject as Process>::Msg as Message>::KINDS;
                fn kind(&self) -> usize {
                    match self { $(Self::$variant(msg) => msg.kind()),* }
                }
            }

            impl Process for Subject {
                const NETWORK: NetworkClass = <crate::$first::Subject as Process>::NETWORK;
                const TIMING: Timing = <crate::$first::Subject as Process>::TIMING;
                type Knows = <crate::$first::Subject as Process>::Knows;
                type Msg = Msg;

                fn new(knows: Self::Knows, degree: u32) -> Self {
                    let makers: &[fn(Self::Knows, u32) -> Self] = &[$(|knows, degree| {
                        Self::$variant(Process::new(knows, degree))
                    }),*];
                    makers[CHOSEN.load(Relaxed)](knows, degree)
                }
                fn wake(&mut self, net: &mut impl Net<Msg>) {
                    match self { $(Self::$variant(process) => {
                        process.wake(&mut Through { net, wrap: Msg::$variant, to: PhantomData });
                    })* }
                }
                fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
                    match (self, msg) {
                        $((Self::$variant(process), Msg::$variant(msg)) => {
                            let net = &mut Through { net, wrap: Msg::$variant, to: PhantomData };
                            process.receive(from, msg, net);
                        })*
                        _ => net.reject("it is another mutant's"),
                    }
                }
                fn alarm(&mut self, net: &mut impl Net<Msg>) {
                    match self { $(Self::$variant(process) => {
                        process.alarm(&mut Through { net, wrap: Msg::$variant, to: PhantomData });
                    })* }
                }
                fn status(&self) -> Status {
                    match self { $(Self::$variant(process) => process.status()),* }
                }
                fn leader(&self) -> Option<Id> {
                    match self { $(Self::$variant(process) => process.leader()),* }
                }
                fn halted(&self) -> bool {
                    match self { $(Self::$variant(process) => process.halted()),* }
                }
            }

            /// The claims and invariants are those of the algorithm's text, as the edit left them.
            impl Claimed for Subject {
                const CLAIMS: Claims = <crate::$first::Subject as Claimed>::CLAIMS;

                fn invariants() -> Vec<Invariant<Self>> {
                    let all: &[fn() -> Vec<Invariant<Self>>] = &[$(|| {
                        let own = <crate::$module::Subject as Claimed>::invariants();
                        let lift = |of: Invariant<crate::$module::Subject>| of.lift(
                            |subject: &Self| match subject {
                                Self::$variant(process) => process,
                                _ => unreachable!("all processes are of one mutant"),
                            },
                            |msg| match msg {
                                Msg::$variant(msg) => Some(msg),
                                _ => None,
                            },
                        );
                        own.into_iter().map(lift).collect()
                    }),*];
                    all[CHOSEN.load(Relaxed)]()
                }
            }
        }
    };
}
