//! What tasks of programs await.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// Something that a task of a program awaits.
pub(crate) type Awaited<T> = Pin<Box<dyn Future<Output = T>>>;

pub(crate) fn poll<T>(awaited: &mut (impl Future<Output = T> + Unpin)) -> Option<T> {
    poll_by(awaited, Waker::noop())
}

pub(crate) fn poll_by<T>(
    awaited: &mut (impl Future<Output = T> + Unpin),
    waker: &Waker,
) -> Option<T> {
    match pin!(awaited).poll(&mut Context::from_waker(waker)) {
        Poll::Ready(done) => Some(done),
        Poll::Pending => None,
    }
}
