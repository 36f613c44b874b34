//! A group of tasks that end together, and whose panics are reported.

use std::any::Any;
use std::future::poll_fn;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The pause after which a task that has panicked is begun again.
pub const AFTER_PANIC: Duration = Duration::from_secs(1);

/// The report of a task that has panicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panicked {
    /// The name of the task.
    pub task: &'static str,
    /// The message of the panic.
    pub message: String,
}

/// Tasks of one owner. All are cancelled when the owner drops this, and a panic in one of them is
/// reported before anything that the task holds is dropped.
pub struct Tasks {
    tracker: TaskTracker,
    cancelled: CancellationToken,
    report: Arc<dyn Fn(Panicked) + Send + Sync>,
}

impl Tasks {
    /// Creates an empty group; panics go to `report`.
    pub fn new(report: Arc<dyn Fn(Panicked) + Send + Sync>) -> Self {
        Self { tracker: TaskTracker::new(), cancelled: CancellationToken::new(), report }
    }

    /// Spawns a task, named for reports of its panic.
    pub fn spawn(&self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let (cancelled, report) = (self.cancelled.clone(), self.report.clone());
        self.tracker.spawn(async move {
            run(name, cancelled.run_until_cancelled(task), &report).await;
        });
    }

    /// Spawns a task that is needed without end: when it has panicked, which is reported, `make` makes it again
    /// after a pause, normally [`AFTER_PANIC`].
    pub fn spawn_again<F: Future<Output = ()> + Send + 'static>(
        &self,
        name: &'static str,
        pause: Duration,
        make: impl Fn() -> F + Send + 'static,
    ) {
        let (cancelled, report) = (self.cancelled.clone(), self.report.clone());
        self.tracker.spawn(async move {
            while run(name, cancelled.run_until_cancelled(make()), &report).await {
                cancelled.run_until_cancelled(sleep(pause)).await;
            }
        });
    }

    /// Waits until all tasks have ended by themselves. No task may be spawned any more.
    pub async fn ended(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }

    /// Cancels all tasks.
    pub fn cancel(&self) {
        self.cancelled.cancel();
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// Runs a task to its end, or to its panic, which is reported. Returns whether it has panicked.
async fn run<T>(
    name: &'static str,
    task: impl Future<Output = T>,
    report: &Arc<dyn Fn(Panicked) + Send + Sync>,
) -> bool {
    let mut task = pin!(task);
    let poll = |context: &mut Context<'_>| match catch_unwind(AssertUnwindSafe(|| {
        task.as_mut().poll(context)
    })) {
        Ok(poll) => poll.map(|_| false),
        Err(payload) => {
            let message = message_of(payload.as_ref());
            report(Panicked { task: name, message });
            Poll::Ready(true)
        }
    };
    poll_fn(poll).await
}

/// Runs work that may block, such as reading files, on a thread of its own. (`spawn_blocking` panics, or waits
/// without end, where the system starts no thread.)
///
/// # Errors
/// If no thread can be started, or the work has panicked.
pub async fn on_thread<T: Send + 'static>(
    name: &'static str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let (answer, answered) = oneshot::channel();
    thread::Builder::new().name(name.to_owned()).spawn(move || drop(answer.send(work())))?;
    answered.await.map_err(|_| io::Error::other(format!("{name} has panicked")))
}

/// Checks that this many threads can be started: the workers of a runtime, and those that read files and look up
/// names. Without its threads a runtime would panic, or wait for them without a word.
///
/// # Errors
/// If they cannot; the error says what allows more.
pub fn have_threads(count: usize) -> io::Result<()> {
    let start = |_| thread::Builder::new().name("start".into()).spawn(thread::park);
    let started = (0..count).map(start).collect::<Vec<_>>();
    let mut failed = None;
    for thread in started {
        match thread {
            Ok(thread) => {
                thread.thread().unpark();
                let _ = thread.join();
            }
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(()), |error| {
        Err(io::Error::other(format!(
            "no thread can be started: {error}; allow more processes to this user (`ulimit -u`, TasksMax=)"
        )))
    })
}

/// Looks up the addresses of a host and a port.
///
/// # Errors
/// If there are none, or they cannot be looked up.
pub async fn addresses(of: &str) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = of.parse() {
        return Ok(vec![address]);
    }
    let name = of.to_owned();
    let look = move || Ok::<Vec<_>, io::Error>(name.to_socket_addrs()?.collect());
    let found = on_thread("names", look).await??;
    match found.is_empty() {
        true => Err(io::Error::other(format!("`{of}` has no address"))),
        false => Ok(found),
    }
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}

#[cfg(test)]
mod tests;
