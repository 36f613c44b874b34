//! Shared code of all drawings in SVG.

use std::fmt::Write;

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

/// Formats a place with one digit after the point, which is a tenth of a pixel.
pub(crate) fn px(place: f64) -> String {
    let text = format!("{place:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

/// A document on a white page, with this title for readers that cannot see it. The `head` comes before the
/// page.
pub(crate) fn document(
    title: &str,
    [width, height]: [f64; 2],
    font_size: u32,
    head: &str,
    content: &str,
) -> String {
    let (title, width, height) = (escaped(title), px(width), px(height));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" font-family=\"Helvetica, Arial, \
         sans-serif\" font-size=\"{font_size}\">\n<title>{title}</title>\n{head}<rect width=\"100%\" \
         height=\"100%\" fill=\"#fff\"/>\n{content}</svg>\n"
    )
}

/// Writes a line of text, with these further attributes.
pub(crate) fn text(out: &mut String, at: [f64; 2], attributes: &str, text: &str) {
    markup(out, at, attributes, &escaped(text));
}

/// Writes a line of text that may have markup in it.
pub(crate) fn markup(out: &mut String, [x, y]: [f64; 2], attributes: &str, text: &str) {
    let space = if attributes.is_empty() { "" } else { " " };
    let (x, y) = (px(x), px(y));
    let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\"{space}{attributes}>{text}</text>");
}

/// A rectangle by its corner, its width and its height.
pub(crate) fn rect(corners: [f64; 4]) -> String {
    let [x, y, width, height] = corners.map(px);
    format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>")
}

/// The attribute of what is drawn at a place.
pub(crate) fn translated([x, y]: [f64; 2]) -> String {
    format!("transform=\"translate({} {})\"", px(x), px(y))
}

/// The path of a straight line.
pub(crate) fn straight([x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) -> String {
    format!("M{} {}L{} {}", px(x1), px(y1), px(x2), px(y2))
}
