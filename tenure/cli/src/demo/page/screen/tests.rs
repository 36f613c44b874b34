use super::*;

fn coded(text: &str, tone: Tone, colours: bool) -> String {
    let line = ScreenLine { spans: vec![(text.to_owned(), tone)], highlighted: 0 };
    Screen { shown: Vec::new(), size: (4, 1), colours }.coded(&line)
}

#[test]
fn the_rest_of_a_row_is_cleared_if_there_is_one() {
    assert_eq!(coded("abc", Tone::Strong, true), "\x1b[0;1mabc\x1b[0m\x1b[K");
    assert_eq!(coded("abcd", Tone::Plain, true), "\x1b[0mabcd\x1b[0m");
}

#[test]
fn without_colours_texts_are_plain() {
    assert_eq!(coded("abcd", Tone::Good, true), "\x1b[0;32mabcd\x1b[0m");
    assert_eq!(coded("abcd", Tone::Good, false), "\x1b[0mabcd\x1b[0m");
}
