//! Scheduling priorities: a guard must act by its deadline on a host whose processors are busy.

use rustix::process::{Pid, getpriority_process, setpriority_process};
use std::sync::OnceLock;
use thread_priority::unix::{
    NormalThreadSchedulePolicy, RealtimeThreadSchedulePolicy, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};
use thread_priority::{ThreadPriority, ThreadPriorityValue};

/// The `nice` value of members. They have priority over commands, but not so much that a busy member would
/// leave commands nothing.
const HIGH: i32 = -5;
/// The `nice` value of guards, which run for moments only.
const URGENT: i32 = -20;

/// The `nice` value that this process was started with.
static USUAL: OnceLock<i32> = OnceLock::new();

pub(crate) fn usual() -> i32 {
    *USUAL.get_or_init(|| getpriority_process(None).unwrap_or(0))
}

/// Raises the priority of this thread, and of those that it starts from now on, as far as this
/// process may: as root, with `CAP_SYS_NICE`, or within `RLIMIT_NICE`. Commands keep the usual
/// priority.
///
/// To be called first in `main`, before other threads are started.
pub fn raise_priority() {
    usual();
    // Without the permission it stays as it is.
    let _ = setpriority_process(None, HIGH);
}

/// Makes this thread run before all ordinary ones, if it may: the guard's, which sleeps until there is
/// something to do.
pub(crate) fn run_first() {
    usual();
    let _ = setpriority_process(None, URGENT);
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::RoundRobin);
    if let Ok(least) = ThreadPriorityValue::try_from(1_u8) {
        let least = ThreadPriority::Crossplatform(least);
        let _ = set_thread_priority_and_policy(thread_native_id(), least, policy);
    }
}

/// Raises the priority of a process that has been killed: it holds its resources until it has run for
/// the last time.
pub(crate) fn hasten(pid: Pid) {
    let _ = setpriority_process(Some(pid), URGENT);
}

pub(crate) fn lower(nice: i32) {
    let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Other);
    // The nice value of `Max` may be refused, after the policy has been set.
    let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Max, policy);
    let _ = setpriority_process(None, nice);
}
