//! What a loop counts.

/// Counters for the status.
#[derive(Clone, Debug, Default)]
pub(super) struct Counters {
    pub(super) received: u64,
    pub(super) sent: u64,
    pub(super) rejected: u64,
    pub(super) restarts: u64,
    pub(super) elections: u64,
    pub(super) losses: u64,
    pub(super) vacancies: u64,
    pub(super) heralded: u64,
    pub(super) longest_pause: u64,
    pub(super) syncs: u64,
    pub(super) last_sync: u64,
    pub(super) longest_sync: u64,
}
