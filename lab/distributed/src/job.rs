//! The work of one thread: a block of processes, a stretch of ticks at a time.

use crate::{
    Checkpoint, CheckpointError, Checkpoints, ElectError, OnProgress, Storage,
    office::{Body, PostOffice, WorkerLetter},
    part::DividedBlock,
};
use std::collections::{BTreeMap, BTreeSet};
use suffrage_simulator::blocks::{
    BlockLayout, Election, ElectionNetwork, Overrun, RoundClock, Share, Stretch,
};

/// The end of an election, as the first worker knows it.
pub(crate) struct ElectionEnd {
    pub(crate) clock: RoundClock,
    pub(crate) shares: Vec<Share>,
    /// The names of the nodes that a report may name, if their network has been read in parts.
    pub(crate) names: BTreeMap<u64, String>,
}

/// How far an election was held.
enum JobEnd {
    /// To its end, which the first worker knows.
    ToTheEnd(Option<Box<ElectionEnd>>),
    /// Past the limit of events, before the blocks knew of it.
    TooFar(Overrun),
}

/// The work of one thread.
pub(crate) struct Job<'a, 'e> {
    post: &'a mut PostOffice,
    number: u32,
    election: &'a Election<'e>,
    layout: BlockLayout,
    storage: &'a Storage,
}

impl<'a, 'e> Job<'a, 'e> {
    pub(crate) fn new(
        post: &'a mut PostOffice,
        election: &'a Election<'e>,
        layout: BlockLayout,
        storage: &'a Storage,
    ) -> Self {
        let (number, _) = post.number();
        Self { post, number, election, layout, storage }
    }

    /// Runs the part of this worker, which `part` makes, until the election is over. Returns the end of the
    /// election, if this is the first worker. All workers fail, or none does.
    pub(crate) fn run(
        mut self,
        part: impl Fn(u32) -> Box<dyn DividedBlock>,
        mut on_progress: Option<&mut OnProgress<'_>>,
    ) -> Result<Option<ElectionEnd>, ElectError> {
        let mut known = None;
        loop {
            match self.run_to_the_end(part(self.number), &mut on_progress, known)? {
                JobEnd::ToTheEnd(end) => return Ok(end.map(|end| *end)),
                // All workers find this out in the same stretch. It is rare: an election that is cut off.
                JobEnd::TooFar(overrun) => known = Some(overrun),
            }
        }
    }

    fn run_to_the_end(
        &mut self,
        mut part: Box<dyn DividedBlock>,
        on_progress: &mut Option<&mut OnProgress<'_>>,
        known: Option<Overrun>,
    ) -> Result<JobEnd, ElectError> {
        let Self { election, layout, number, storage, .. } = *self;
        let mut clock = match &storage.resume {
            None => RoundClock::new(election, layout),
            Some(checkpoint) => self.resume(checkpoint, &mut *part)?,
        };
        if let Some(overrun) = known {
            clock = clock.knowing(overrun);
        }
        let mut saved = clock.tick().unwrap_or_default();
        let mut interrupted = false;
        while clock.tick().is_some() {
            let mut stretch = part.run(election, &clock, &mut |to, tick, bytes| {
                self.post.send(to, Body::Messages(tick, bytes));
            });
            stretch.interrupted = interrupted;
            // Who has nothing to tell is silent.
            if stretch != Stretch::default() {
                self.post.broadcast(&Body::Stretch(number, stretch));
            }
            let mut stretches = vec![Stretch::default(); layout.blocks() as usize];
            for letter in self.post.exchange() {
                match letter.body {
                    Body::Messages(tick, bytes) => part.accept(tick, &bytes),
                    Body::Stretch(from, stretch) => stretches[from as usize] = stretch,
                    _ => unreachable!("the election is not over"),
                }
            }
            if let Err(overrun) = clock.advance_stretch(stretches) {
                return Ok(JobEnd::TooFar(overrun));
            }
            if let (Some(save), Some(tick)) = (&storage.save, clock.tick())
                && tick >= saved.saturating_add(save.every)
            {
                self.save(save, &*part, &clock)?;
                saved = tick;
            }
            if let Some(save) = &storage.save {
                clock.stop_before(saved.saturating_add(save.every));
            }
            if let Some(on_progress) = on_progress {
                interrupted |= on_progress(clock.delivered()).is_break();
            }
        }
        let share = part.share();
        drop(part);
        if let ElectionNetwork::Partial(_) = election.network {
            self.post.broadcast(&Body::Ask(share.outstanding()));
        }
        self.post.send(0, Body::Share(share));
        let (mut shares, mut asked) = (Vec::new(), BTreeSet::new());
        for letter in self.post.exchange() {
            match letter.body {
                Body::Share(share) => shares.push(share),
                Body::Ask(nodes) => asked.extend(nodes),
                _ => unreachable!("the election is over"),
            }
        }
        let names = self.names(&asked);
        if clock.alarmed() {
            return Err(ElectError::Alarms);
        }
        Ok(JobEnd::ToTheEnd((number == 0).then(|| Box::new(ElectionEnd { clock, shares, names }))))
    }

    /// Tells all workers what has become of a checkpoint at this one. Returns what has at each, or the error
    /// of one of them.
    fn agree<T>(
        &mut self,
        own: &Body,
        of: impl Fn(Body) -> Option<(u32, Result<T, CheckpointError>)>,
    ) -> Result<Vec<T>, ElectError> {
        self.post.broadcast(own);
        let letters = self.post.exchange().into_iter();
        let mut all: Vec<_> = letters.filter_map(|letter| of(letter.body)).collect();
        all.sort_by_key(|&(from, _)| from);
        Ok(all.into_iter().map(|(_, one)| one).collect::<Result<_, _>>()?)
    }

    fn names(&mut self, asked: &BTreeSet<u64>) -> BTreeMap<u64, String> {
        let ElectionNetwork::Partial(partial) = self.election.network else {
            return BTreeMap::new();
        };
        let known = |&node: &u64| Some((node, partial.label(node)?.to_owned()));
        self.post.send(0, Body::Names(asked.iter().filter_map(known).collect()));
        let names = |letter: WorkerLetter| match letter.body {
            Body::Names(names) => names,
            _ => Vec::new(),
        };
        self.post.exchange().into_iter().flat_map(names).collect()
    }
}

impl Job<'_, '_> {
    /// Resumes from a checkpoint. Returns its clock.
    fn resume(
        &mut self,
        checkpoint: &Checkpoint,
        part: &mut dyn DividedBlock,
    ) -> Result<RoundClock, ElectError> {
        let layout = self.layout;
        let own = layout.range(self.number);
        let taken_up = checkpoint.moment().and_then(|moment| {
            checkpoint.read(&own, |bytes| part.take_up(layout, bytes))?;
            Ok(part.go_on(&moment))
        });
        let to_come = self.agree(&Body::TakenUp(self.number, taken_up), |body| match body {
            Body::TakenUp(from, to_come) => Some((from, to_come)),
            _ => unreachable!("the election has not begun"),
        })?;
        Ok(RoundClock::going_on(self.election, layout, checkpoint.moment()?, &to_come))
    }

    /// Stores the state between two ticks: the old checkpoint counts until the new one is whole.
    fn save(
        &mut self,
        save: &Checkpoints,
        part: &dyn DividedBlock,
        clock: &RoundClock,
    ) -> Result<(), ElectError> {
        let moment = clock.moment();
        let written = save.write_part(moment.tick(), self.number, |keep| part.save(keep));
        let parts = self.agree(&Body::Written(self.number, written), |body| match body {
            Body::Written(from, part) => Some((from, part)),
            _ => unreachable!("the tick is over"),
        })?;
        if self.number == 0 {
            self.post.broadcast(&Body::Listed(save.write_list(&parts, &moment)));
        }
        for letter in self.post.exchange() {
            if let Body::Listed(listed) = letter.body {
                listed?;
            }
        }
        save.remove_others(&parts);
        Ok(())
    }
}
