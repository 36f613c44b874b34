//! Configurations as others may look at them.

use super::{configuration::ClusterConfiguration, tables::Tables};
use std::{collections::BTreeMap, fmt};
use tenure_model::{Cell, Peer, Recoverable};

/// A configuration of an exploration.
pub struct Snapshot<'a, P: Recoverable> {
    pub(super) tables: &'a Tables<'a, P>,
    pub(super) here: &'a ClusterConfiguration,
}

/// A participant in a configuration.
#[derive(Debug)]
pub struct SnapshotOf<'a, P> {
    /// Its number.
    pub me: Peer,
    /// The process, if it is up.
    pub up: Option<&'a P>,
    /// What it has stored.
    pub cells: &'a BTreeMap<Cell, u64>,
    /// The number of times that it has come up.
    pub boots: u64,
}

/// An alarm with its process.
pub type AlarmOf<P> = (Peer, <P as Recoverable>::Alarm);

/// Judges a step: the configuration before, the participant that reacted, and the configuration afterwards, in which
/// no message has been lost yet.
pub(super) type Judge<P> = std::sync::Arc<
    dyn Fn(&Snapshot<'_, P>, Peer, &Snapshot<'_, P>) -> Result<(), String> + Send + Sync,
>;

impl<P: Recoverable> fmt::Debug for Snapshot<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.participants()).finish()
    }
}

impl<'a, P: Recoverable> Snapshot<'a, P> {
    /// Returns the participants, ascending.
    pub fn participants(&self) -> impl Iterator<Item = SnapshotOf<'a, P>> + use<'a, P> {
        let tables = self.tables;
        self.here.locals.iter().map(|&local| {
            let local = &tables.locals.get(local).local;
            SnapshotOf {
                me: local.me,
                up: local.up.as_ref(),
                cells: &local.cells,
                boots: local.boots,
            }
        })
    }

    /// Returns the messages under way, each with its sender and its receiver.
    pub fn messages(&self) -> impl Iterator<Item = (Peer, Peer, &'a P::Msg)> + use<'a, P> {
        let tables = self.tables;
        self.here.net.iter().map(|&parcel| {
            let parcel = tables.parcels.get(parcel);
            (parcel.from, parcel.to, &parcel.msg)
        })
    }

    /// Returns the pending alarms, each with those that must ring before it.
    pub fn alarms(&self) -> impl Iterator<Item = (AlarmOf<P>, Vec<AlarmOf<P>>)> + use<'a, P> {
        let (tables, pending) = (self.tables, &self.here.pending);
        let name = |&alarm: &u32| {
            let name = tables.names.get(tables.alarms.get(alarm).name);
            (name.of, name.alarm)
        };
        pending.alarms.iter().zip(&pending.before).map(move |(alarm, before)| {
            let earlier = pending.alarms.iter().enumerate();
            let earlier = earlier.filter(|(at, _)| before >> at & 1 == 1);
            (name(alarm), earlier.map(|(_, alarm)| name(alarm)).collect())
        })
    }
}
