//! The command that was typed, as reports name it.

use suffrage::experiment::quoted;

/// The command as typed, without the parts that do not affect results: threads, and whether the election is
/// watched.
pub(crate) fn typed() -> String {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    words_of(essential(words.collect()))
}

/// Formats a command of `suffrage` by the words that follow.
#[must_use]
pub fn words_of(words: impl IntoIterator<Item = String>) -> String {
    let words = words.into_iter().map(|word| quoted(&word));
    std::iter::once("suffrage".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Omits the flags for threads and for the page of a run.
fn essential(mut words: Vec<String>) -> Vec<String> {
    if words.first().is_some_and(|word| word == "watch") {
        words.remove(0);
    }
    without(words, &["--threads", "--html"], &["--no-browser"])
}

/// Leaves out flags with a value, and flags without one.
#[must_use]
pub fn without(mut words: Vec<String>, with_value: &[&str], alone: &[&str]) -> Vec<String> {
    let mut is_value = false;
    words.retain(|word| {
        let name = word.split('=').next().unwrap_or_default();
        let has_value = with_value.contains(&name);
        let left_out = is_value || has_value || alone.contains(&&**word);
        is_value = !is_value && has_value && name == word;
        !left_out
    });
    words
}

#[cfg(test)]
mod tests {
    use super::essential;

    #[test]
    fn what_no_result_depends_on_is_left_out() {
        let words = |line: &str| essential(line.split(' ').map(str::to_owned).collect()).join(" ");
        assert_eq!(words("elect --threads 2 --seed 3"), "elect --seed 3");
        assert_eq!(words("elect --threads=2 lelann --threads 3"), "elect lelann");
        assert_eq!(words("watch --html a.html check lelann --no-browser"), "check lelann");
        assert_eq!(words("check humblet --force"), "check humblet --force");
    }
}
