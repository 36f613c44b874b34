//! Which part of what takes long is built or examined, as the variable `PART` says.

/// A part of a list that is in the order of the catalogue.
pub enum ExaminedPart {
    /// As in `2/3`: every third one, from the second on.
    Every {
        /// The place of the first one, from 0.
        first: usize,
        /// The distance from one to the next.
        of: usize,
    },
    /// Those of one algorithm.
    Algorithm(String),
}

impl ExaminedPart {
    /// Reads a part. `is_algorithm` says which names there are.
    ///
    /// # Errors
    /// If the text is no part, and names no algorithm.
    pub fn read(text: &str, is_algorithm: impl Fn(&str) -> bool) -> Result<Self, String> {
        let every = text.split_once('/').and_then(|(number, of)| {
            let (number, of) = (number.parse::<usize>().ok()?, of.parse().ok()?);
            (1..=of).contains(&number).then(|| Self::Every { first: number - 1, of })
        });
        let named = || is_algorithm(text).then(|| Self::Algorithm(text.to_owned()));
        every
            .or_else(named)
            .ok_or_else(|| format!("PART={text}: write a part as in 2/3, or an algorithm"))
    }

    /// Returns whether the one at this place, of this algorithm, belongs to the part.
    pub fn has(&self, place: usize, algorithm: &str) -> bool {
        match self {
            Self::Every { first, of } => place % of == *first,
            Self::Algorithm(name) => algorithm == name,
        }
    }
}
