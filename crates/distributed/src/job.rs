//! The work of one thread: a block of processes, a stretch of ticks at a time.

use crate::{
    Checkpoint, Checkpoints, ElectError, OnProgress, Storage,
    link::Leaving,
    office::{Arrivals, Body, Letter, PostOffice},
    part::Part,
};
use std::{
    collections::BTreeMap,
    mem, thread,
    time::{Duration, Instant},
};
use suffrage_simulator::blocks::{Clock, Election, Layout, Overrun, Share, Stretch};
use timely::{WorkerConfig, communication::Allocator, worker::Worker};

/// The end of an election, as the first worker knows it.
pub(crate) type End = (Clock, Vec<Share>);

/// Ends the program when a worker panics: the others would wait for it for ever.
pub(crate) struct EndWithPanic;

impl Drop for EndWithPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            std::process::exit(101);
        }
    }
}

/// How far an election was held.
enum Held {
    /// To its end, which the first worker knows.
    ToTheEnd(Option<Box<End>>),
    /// Past the limit of events, before the blocks knew of it.
    TooFar,
}

/// The work of one thread.
pub(crate) struct Job<'a, 'e> {
    worker: Worker,
    pub(crate) number: u32,
    election: &'a Election<'e>,
    layout: Layout,
    storage: &'a Storage,
    leaving: Leaving,
}

impl<'a, 'e> Job<'a, 'e> {
    pub(crate) fn new(
        allocator: Allocator,
        election: &'a Election<'e>,
        layout: Layout,
        storage: &'a Storage,
        leaving: Leaving,
    ) -> Self {
        // A worker that waits sleeps: others may need its core.
        let config = WorkerConfig::default().idle_spin(Duration::ZERO);
        let worker = Worker::new(config, allocator, Some(Instant::now()));
        let number = worker.index() as u32;
        Self { worker, number, election, layout, storage, leaving }
    }

    /// Runs the part of this worker, which `part` makes, until the election is over. Returns the end of the
    /// election, if this is the first worker.
    pub(crate) fn run(
        mut self,
        part: impl Fn(u32) -> Box<dyn Part>,
        mut on_progress: Option<&mut OnProgress<'_>>,
    ) -> Result<Option<End>, ElectError> {
        let mut post = PostOffice::new(&mut self.worker);
        let mut run = |ahead| {
            let part = part(self.number);
            self.run_to_the_end(part, &mut post, &mut on_progress, ahead)
        };
        let end = match run(true) {
            // All workers find this out in the same stretch. It is rare: an election that is cut off.
            Ok(Held::TooFar) => run(false),
            held => held,
        };
        let end = end.map(|held| match held {
            Held::ToTheEnd(end) => end.map(|end| *end),
            Held::TooFar => unreachable!("no tick is run before its turn"),
        });
        // When all have come here, no connection is needed any more. All fail, or none does.
        self.leaving.announce();
        post.close(&mut self.worker, &self.leaving);
        if self.leaving.is_cut_short() {
            // Its connections cannot be closed in order.
            mem::forget(self.worker);
        }
        end
    }

    fn run_to_the_end(
        &mut self,
        mut part: Box<dyn Part>,
        post: &mut PostOffice,
        on_progress: &mut Option<&mut OnProgress<'_>>,
        ahead: bool,
    ) -> Result<Held, ElectError> {
        let Self { election, layout, number, storage, .. } = *self;
        let mut clock = match &storage.resume {
            None => Clock::new(election, layout),
            Some(checkpoint) => self.resume(checkpoint, &mut *part, post)?,
        };
        if !ahead {
            clock = clock.tick_by_tick();
        }
        let mut saved = clock.tick().unwrap_or_default();
        let mut interrupted = false;
        while clock.tick().is_some() {
            let mut stretch = part.run(election, &clock, &mut |to, tick, bytes| {
                post.send(to, Body::Messages(tick, bytes));
            });
            stretch.interrupted = interrupted;
            // Who has nothing to tell is silent.
            if stretch != Stretch::default() {
                for to in 0..layout.blocks() {
                    post.send(to, Body::Stretch(number, stretch.clone()));
                }
            }
            let mut stretches = vec![Stretch::default(); layout.blocks() as usize];
            for letter in post.exchange(&mut self.worker) {
                match letter.body {
                    Body::Messages(tick, bytes) => part.accept(tick, &bytes),
                    Body::Stretch(from, stretch) => stretches[from as usize] = stretch,
                    _ => unreachable!("the election is not over"),
                }
            }
            if let Err(Overrun) = clock.advance_stretch(stretches) {
                return Ok(Held::TooFar);
            }
            if let (Some(save), Some(tick)) = (&storage.save, clock.tick())
                && tick >= saved.saturating_add(save.every)
            {
                self.save(save, &*part, &clock, post)?;
                saved = tick;
            }
            if let Some(save) = &storage.save {
                clock.stop_before(saved.saturating_add(save.every));
            }
            if let Some(on_progress) = on_progress {
                interrupted |= on_progress(clock.delivered()).is_break();
            }
        }
        post.send(0, Body::Share(part.share()));
        drop(part);
        let letters = post.exchange(&mut self.worker);
        let share = |letter: Letter| match letter.body {
            Body::Share(share) => Some(share),
            _ => None,
        };
        let shares = letters.into_iter().filter_map(share).collect();
        if clock.alarmed() {
            return Err(ElectError::Alarms);
        }
        Ok(Held::ToTheEnd((number == 0).then(|| Box::new((clock, shares)))))
    }
}

impl Job<'_, '_> {
    /// Takes up a checkpoint. Returns the clock that goes on from there.
    fn resume(
        &mut self,
        checkpoint: &Checkpoint,
        part: &mut dyn Part,
        post: &mut PostOffice,
    ) -> Result<Clock, ElectError> {
        let layout = self.layout;
        let own = layout.range(self.number);
        let taken_up = checkpoint.moment().and_then(|moment| {
            checkpoint.read(&own, |bytes| part.take_up(layout, bytes))?;
            Ok(part.go_on(&moment))
        });
        for to in 0..layout.blocks() {
            post.send(to, Body::TakenUp(self.number, taken_up.clone()));
        }
        let mut arrivals = vec![Arrivals::new(); layout.blocks() as usize];
        let mut failed = None;
        for letter in post.exchange(&mut self.worker) {
            match letter.body {
                Body::TakenUp(from, Ok(taken_up)) => arrivals[from as usize] = taken_up,
                Body::TakenUp(_, Err(error)) => failed = Some(error),
                _ => unreachable!("the election has not begun"),
            }
        }
        failed.map_or(Ok(()), Err)?;
        Ok(Clock::going_on(self.election, layout, checkpoint.moment()?, &arrivals))
    }

    /// Stores the state between two ticks: the old checkpoint counts until the new one is whole.
    fn save(
        &mut self,
        save: &Checkpoints,
        part: &dyn Part,
        clock: &Clock,
        post: &mut PostOffice,
    ) -> Result<(), ElectError> {
        let moment = clock.moment();
        let written = save.write_part(moment.tick(), self.number, |keep| part.save(keep));
        for to in 0..self.layout.blocks() {
            post.send(to, Body::Written(self.number, written.clone()));
        }
        let (mut parts, mut failed) = (BTreeMap::new(), None);
        for letter in post.exchange(&mut self.worker) {
            match letter.body {
                Body::Written(from, Ok(part)) => _ = parts.insert(from, part),
                Body::Written(_, Err(error)) => failed = Some(error),
                _ => unreachable!("the tick is over"),
            }
        }
        failed.map_or(Ok(()), Err)?;
        if self.number == 0 {
            let listed = save.write_list(parts.into_values().collect(), &moment);
            for to in 0..self.layout.blocks() {
                post.send(to, Body::Listed(listed.clone()));
            }
        }
        let failed = post.exchange(&mut self.worker).into_iter().find_map(|letter| {
            if let Body::Listed(listed) = letter.body { listed.err() } else { None }
        });
        failed.map_or(Ok(()), Err)?;
        save.remove_others(moment.tick());
        Ok(())
    }
}
