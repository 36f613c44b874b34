//! What all drawings in SVG share.

/// Colours that are told apart by people with any sight (M. Okabe, K. Ito, "Color Universal Design",
/// 2008), darkened where they are too light for lines.
pub(crate) const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#b05a94", "#a67c00", "#2a8fc0", "#555555"];

/// Dashes that tell the colours apart in print without them.
pub(crate) const DASHES: [&str; 7] = ["", "7 3", "2 2", "8 3 2 3", "12 3", "4 4", "1 3"];

/// Writes text in which no character is markup.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML has no other control characters.
            c if c.is_control() && !matches!(c, '\n' | '\t') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
