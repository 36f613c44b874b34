//! The messages of workers while they read a file.

use serde::{Serialize, de::DeserializeOwned};

/// The exchange of letters between all workers, in steps that all of them take.
pub trait Exchange {
    /// Returns the number of this worker.
    fn worker(&self) -> u32;

    /// Returns the number of all workers.
    fn workers(&self) -> u32;

    /// Sends a letter to a worker, which may be this one.
    fn send(&mut self, to: u32, letter: Vec<u8>);

    /// Ends the step, when all workers have. Returns the letters of it to this worker, each with its
    /// sender, in the order of the senders, and those of one sender in the order in which it has sent
    /// them.
    fn exchange(&mut self) -> Vec<(u32, Vec<u8>)>;
}

/// The length from which on a letter is sent, in bytes.
const LENGTH: usize = 1 << 16;

/// The letters that a worker writes.
pub(super) struct Post<'a> {
    exchange: &'a mut dyn Exchange,
    /// Those that are not full yet, by receiver.
    open: Vec<Vec<u8>>,
}

impl<'a> Post<'a> {
    pub(super) fn new(exchange: &'a mut dyn Exchange) -> Self {
        let open = vec![Vec::new(); exchange.workers() as usize];
        Self { exchange, open }
    }

    pub(super) fn me(&self) -> u32 {
        self.exchange.worker()
    }

    pub(super) fn all(&self) -> u32 {
        self.exchange.workers()
    }

    /// Adds a record of these numbers and bytes. A letter has whole records.
    pub(super) fn write(&mut self, to: u32, words: &[u32], bytes: &[u8]) {
        let letter = &mut self.open[to as usize];
        words.iter().for_each(|word| letter.extend(word.to_le_bytes()));
        letter.extend(bytes);
        if letter.len() >= LENGTH {
            self.exchange.send(to, std::mem::take(letter));
        }
    }

    /// Ends the step, and returns the letters to this worker.
    pub(super) fn exchange(&mut self) -> Vec<(u32, Vec<u8>)> {
        for (to, letter) in (0..).zip(&mut self.open) {
            if !letter.is_empty() {
                self.exchange.send(to, std::mem::take(letter));
            }
        }
        self.exchange.exchange()
    }
}

/// Tells all workers this, and returns what each of them tells, in their order.
pub(super) fn told<T: Serialize + DeserializeOwned>(post: &mut Post<'_>, own: &T) -> Vec<T> {
    let letter = serde_json::to_vec(own).expect("plain data has a written form");
    for to in 0..post.all() {
        post.write(to, &[], &letter);
    }
    let read = |letters: Letters| serde_json::from_slice(&letters.concat());
    let all = by_sender(post).into_iter();
    all.map(|letters| read(letters).expect("workers write what they can read")).collect()
}

/// The letters of one worker in a step.
pub(super) type Letters = Vec<Vec<u8>>;

/// Ends the step, and returns the letters to this worker, by sender.
pub(super) fn by_sender(post: &mut Post<'_>) -> Vec<Letters> {
    let mut all = vec![Letters::new(); post.all() as usize];
    post.exchange().into_iter().for_each(|(from, letter)| all[from as usize].push(letter));
    all
}

pub(super) fn all_numbers<'a>(
    letters: impl IntoIterator<Item = &'a Vec<u8>>,
) -> impl Iterator<Item = u32> {
    letters.into_iter().flat_map(|letter| numbers(letter))
}

pub(super) fn numbers(letter: &[u8]) -> impl Iterator<Item = u32> + Clone {
    letter.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes))
}

pub(super) fn pairs(letter: &[u8]) -> impl Iterator<Item = (u32, u32)> + Clone {
    let number = |bytes: &[u8; 8], at: usize| {
        u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
    };
    letter.as_chunks().0.iter().map(move |bytes| (number(bytes, 0), number(bytes, 4)))
}

pub(super) fn texts(letter: &[u8]) -> impl Iterator<Item = &str> {
    let mut rest = letter;
    std::iter::from_fn(move || {
        let (length, after) = rest.split_first_chunk()?;
        let (text, after) = after.split_at(u32::from_le_bytes(*length) as usize);
        rest = after;
        Some(std::str::from_utf8(text).expect("labels are text"))
    })
}
