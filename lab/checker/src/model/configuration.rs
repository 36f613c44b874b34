//! Configurations, and their encoding as bytes.

/// A message under way, by its number in the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkMessage {
    pub msg: u32,
    /// The position of the message in the configuration that was decoded last, or [`NEW`] if it was
    /// sent since. It is not encoded.
    pub tag: u32,
}

/// The tag of a message that was sent since a configuration was decoded.
pub(crate) const NEW: u32 = u32::MAX;

/// The state of a round, where processes run in rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Round {
    /// Whether nothing has happened in this tick but wake-ups, so that processes may still wake.
    pub begins: bool,
    /// The number of ticks until the alarm of each process rings that has set one.
    pub alarms: Vec<Option<u32>>,
}

/// A decoded configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct GlobalState {
    /// The number of each process's local state.
    pub locals: Vec<u32>,
    /// The messages on each link, in the order of sending; without FIFO, in the order of their
    /// numbers.
    pub queues: Vec<Vec<LinkMessage>>,
    /// The messages of each process that wait for room, with their links; in rounds, those that it
    /// has sent in this tick.
    pub outboxes: Vec<Vec<(u16, LinkMessage)>>,
    /// The remaining numbers of losses, duplications and crashes.
    pub budget: [u8; 3],
    /// The round; `None` where processes do not run in rounds.
    pub round: Option<Round>,
}

impl GlobalState {
    pub(crate) fn new(nodes: usize, links: usize) -> Self {
        Self {
            locals: vec![0; nodes],
            queues: vec![Vec::new(); links],
            outboxes: vec![Vec::new(); nodes],
            budget: [0; 3],
            round: None,
        }
    }

    pub(crate) fn tokens(&self) -> impl Iterator<Item = LinkMessage> {
        let waiting = self.outboxes.iter().flatten().map(|&(_, token)| token);
        self.queues.iter().flatten().copied().chain(waiting)
    }

    /// Encodes the configuration. The encoding is injective.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.budget);
        if let Some(Round { begins, alarms }) = &self.round {
            number(out, u32::from(*begins));
            for alarm in alarms {
                number(out, u32::from(alarm.is_some()));
                alarm.iter().for_each(|&ticks| number(out, ticks));
            }
        }
        for &local in &self.locals {
            number(out, local);
        }
        let full = self.queues.iter().enumerate().filter(|(_, queue)| !queue.is_empty());
        for (link, queue) in full {
            number(out, link as u32);
            number(out, queue.len() as u32);
            queue.iter().for_each(|token| number(out, token.msg));
        }
        let waiting = self.outboxes.iter().enumerate().filter(|(_, outbox)| !outbox.is_empty());
        for (node, outbox) in waiting {
            number(out, (self.queues.len() + node) as u32);
            number(out, outbox.len() as u32);
            for &(link, token) in outbox {
                number(out, link.into());
                number(out, token.msg);
            }
        }
    }

    /// Decodes a configuration of the same algorithm on the same network.
    pub(crate) fn read(&mut self, mut bytes: &[u8]) {
        self.queues.iter_mut().for_each(Vec::clear);
        self.outboxes.iter_mut().for_each(Vec::clear);
        let (budget, rest) = bytes.split_at(3);
        self.budget.copy_from_slice(budget);
        bytes = rest;
        if let Some(Round { begins, alarms }) = &mut self.round {
            *begins = next(&mut bytes) == 1;
            for alarm in alarms {
                *alarm = (next(&mut bytes) == 1).then(|| next(&mut bytes));
            }
        }
        for local in &mut self.locals {
            *local = next(&mut bytes);
        }
        let mut tag = 0;
        let mut token = |bytes: &mut &[u8]| {
            tag += 1;
            LinkMessage { msg: next(bytes), tag: tag - 1 }
        };
        while !bytes.is_empty() {
            let (place, length) = (next(&mut bytes) as usize, next(&mut bytes));
            match self.queues.get_mut(place) {
                Some(queue) => queue.extend((0..length).map(|_| token(&mut bytes))),
                None => {
                    let outbox = &mut self.outboxes[place - self.queues.len()];
                    for _ in 0..length {
                        let link = next(&mut bytes) as u16;
                        outbox.push((link, token(&mut bytes)));
                    }
                }
            }
        }
    }
}

/// Encodes a number, seven bits to a byte.
#[inline]
pub(crate) fn number(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Decodes a number, and advances.
#[inline]
pub(crate) fn next(bytes: &mut &[u8]) -> u32 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests;
