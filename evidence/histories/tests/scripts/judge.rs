//! Holds leaderships to the promises of the simulator.

use std::sync::{Arc, Mutex};
use tenure_model::{Peer, Term};
use tenure_node::Leadership;
use tenure_simulation::promises::{Breach, OfficeMonitor};

#[derive(Default)]
pub(crate) struct Judge(Mutex<State>);

#[derive(Default)]
struct State {
    monitor: OfficeMonitor,
    live: Vec<(Peer, Arc<Leadership>)>,
    begun: u64,
    breaches: Vec<Breach>,
}

fn valid(leadership: &Leadership) -> bool {
    !leadership.valid_for().is_zero()
}

impl Judge {
    /// Records that a leadership begins.
    ///
    /// A leadership that is over stays over. So if an earlier leadership is valid both before and after this
    /// one was seen as valid, both were valid at the same time. Any other has ended before, as far as can be
    /// told.
    pub(crate) fn begins(&self, peer: Peer, leadership: &Arc<Leadership>) {
        let mut state = self.0.lock().unwrap();
        let State { monitor, live, begun, breaches } = &mut *state;
        *begun += 1;
        live.retain(|(other, earlier)| {
            let at_once = valid(earlier) && valid(leadership) && valid(earlier);
            if !at_once {
                monitor.ends(*other);
            }
            at_once
        });
        breaches.extend(monitor.begins(peer, Term(leadership.term())));
        live.push((peer, leadership.clone()));
    }

    /// Records that the holder knows that it is over.
    pub(crate) fn ends(&self, peer: Peer, term: u64) {
        let mut state = self.0.lock().unwrap();
        let known = state.live.len();
        state.live.retain(|(_, live)| live.term() != term);
        if state.live.len() < known {
            state.monitor.ends(peer);
        }
    }

    pub(crate) fn leader(&self) -> Option<u32> {
        let state = self.0.lock().unwrap();
        state.live.iter().find(|(_, leadership)| valid(leadership)).map(|(peer, _)| peer.0)
    }

    pub(crate) fn begun(&self) -> u64 {
        self.0.lock().unwrap().begun
    }

    pub(crate) fn breaches(&self) -> Vec<Breach> {
        self.0.lock().unwrap().breaches.clone()
    }
}
