//! Labels, in which a formula stands between `$` as reports write it: `bound $2 n floor(log2 k)$`.

use crate::plot::Plot;

/// A piece of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LabelPiece {
    pub(super) text: String,
    pub(super) level: LabelLevel,
    /// Whether it is a variable.
    pub(super) italic: bool,
}

/// Where a piece stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabelLevel {
    Line,
    Below,
    Above,
}

/// The size of indices and exponents, where the line has size 1.
pub(super) const SCRIPT: f64 = 0.72;

impl LabelLevel {
    /// How far the piece stands above the line, and how large it is, for a font of this size.
    pub(super) fn placed(self, size: f64) -> (f64, f64) {
        match self {
            Self::Line => (0.0, size),
            Self::Below => (-0.2 * size, SCRIPT * size),
            Self::Above => (0.4 * size, SCRIPT * size),
        }
    }
}

/// Divides a label into what is text and what is a formula, alternately.
fn parts(label: &str) -> impl Iterator<Item = (bool, &str)> {
    label.split('$').enumerate().map(|(number, part)| (number % 2 == 1, part))
}

/// The pieces of a label, for drawings.
pub(super) fn pieces(label: &str) -> Vec<LabelPiece> {
    let mut pieces = Vec::new();
    for (is_formula, part) in parts(label) {
        match is_formula {
            false => put(&mut pieces, part, LabelLevel::Line, false),
            true => formula(&mut pieces, part, LabelLevel::Line),
        }
    }
    pieces
}

fn put(pieces: &mut Vec<LabelPiece>, text: &str, level: LabelLevel, italic: bool) {
    match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some(last) if (last.level, last.italic) == (level, italic) => last.text += text,
        _ => pieces.push(LabelPiece { text: text.to_owned(), level, italic }),
    }
}

/// Adds the pieces of a formula. Indices of indices stay on their level.
fn formula(pieces: &mut Vec<LabelPiece>, text: &str, level: LabelLevel) {
    let script = |wanted| if level == LabelLevel::Line { wanted } else { level };
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let (token, after) = token(rest);
        rest = after;
        match (token, next) {
            ("floor" | "ceil", _) => {
                let [open, close] = if token == "floor" { ["⌊", "⌋"] } else { ["⌈", "⌉"] };
                let (inside, after) = operand(rest);
                rest = after;
                put(pieces, open, level, false);
                formula(pieces, inside, level);
                put(pieces, close, level, false);
            }
            ("sum", _) => put(pieces, "∑", level, false),
            ("log2" | "log3", _) => {
                put(pieces, "log", level, false);
                put(pieces, &token[3..], script(LabelLevel::Below), false);
            }
            ("-", _) => put(pieces, "−", level, false),
            ("^" | "_", _) => {
                let raised = if token == "^" { LabelLevel::Above } else { LabelLevel::Below };
                let (inside, after) = operand(rest);
                rest = after;
                formula(pieces, inside, script(raised));
            }
            (word, first) => {
                let italic = word.chars().count() == 1 && first.is_alphabetic();
                put(pieces, word, level, italic);
            }
        }
    }
}

/// The first token of a formula, and the rest: a word with its digits, a number, or one character.
fn token(text: &str) -> (&str, &str) {
    let is_word = text.starts_with(|c: char| c.is_alphanumeric());
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '.').unwrap_or(text.len());
    let one = text.chars().next().map_or(0, char::len_utf8);
    text.split_at(if is_word { end.max(one) } else { one })
}

/// What a function or an index is of, without its parentheses, and the rest: a group, a function with its group, or a
/// token.
fn operand(text: &str) -> (&str, &str) {
    let (first, after) = token(text);
    let named = first.len() > 1 && after.starts_with('(');
    let start = if named { first.len() } else { 0 };
    if !text[start..].starts_with('(') {
        return (first, after);
    }
    let mut open = 0_usize;
    for (at, c) in text[start..].char_indices() {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            let end = start + at;
            let inside = if named { &text[..=end] } else { &text[1..end] };
            return (inside, &text[end + 1..]);
        }
    }
    (text, "")
}

/// A label as source for LaTeX.
pub(super) fn latex(label: &str) -> String {
    let mut out = String::new();
    for (is_formula, part) in parts(label) {
        match is_formula {
            false => out += &escaped(part),
            true => {
                out.push('$');
                latex_formula(&mut out, part);
                out.push('$');
            }
        }
    }
    out
}

fn latex_formula(out: &mut String, text: &str) {
    let mut rest = text;
    while !rest.is_empty() {
        let (token, after) = token(rest);
        rest = after;
        match token {
            "floor" | "ceil" => {
                let (inside, after) = operand(rest);
                rest = after;
                *out += &format!("\\l{token} ");
                latex_formula(out, inside);
                *out += &format!(" \\r{token} ");
            }
            "log2" | "log3" => *out += &format!("\\log_{} ", &token[3..]),
            "log" | "ln" | "min" | "max" | "sum" => *out += &format!("\\{token} "),
            "^" | "_" => {
                let (inside, after) = operand(rest);
                rest = after;
                *out += token;
                out.push('{');
                latex_formula(out, inside);
                out.push('}');
            }
            "|" => out.push_str("\\vert "),
            "\u{2212}" => out.push('-'),
            word if word.len() > 1 && word.starts_with(|c: char| c.is_alphabetic()) => {
                *out += &format!("\\text{{{}}}", escaped(word));
            }
            // LaTeX sets operators and functions apart by itself.
            " " if out.ends_with(['+', '-', '/', ' ']) || rest.starts_with(['+', '-', '/']) => {
                out.push(' ');
            }
            " " => out.push_str("\\,"),
            other => *out += &escaped(other),
        }
    }
}

/// Text in which no character is a command.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '⌊' => escaped.push_str("$\\lfloor$"),
            '⌋' => escaped.push_str("$\\rfloor$"),
            '≤' => escaped.push_str("$\\le$"),
            '\u{2212}' => escaped.push_str("$-$"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The widths of the characters from the space to `~` in Helvetica, in thousandths of its size (Adobe's font metrics).
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// The width of a character in a font of size 1.
pub(super) fn character_width(c: char) -> f64 {
    let thousandths = match c {
        ' '..='~' => WIDTHS[c as usize - 32],
        '⌊' | '⌋' | '⌈' | '⌉' => 384,
        '∑' => 713,
        '−' | '≤' => 549,
        '\u{2009}' => 140,
        _ => 556,
    };
    f64::from(thousandths) / 1000.0
}

/// The width of a label in a font of this size.
pub(super) fn width(label: &str, size: f64) -> f64 {
    let of = |piece: &LabelPiece| {
        piece.level.placed(size).1 * piece.text.chars().map(character_width).sum::<f64>()
    };
    pieces(label).iter().map(of).sum()
}

/// The label without the marks of formulas, for readers that cannot see a drawing.
pub(super) fn plain(label: &str) -> String {
    label.replace('$', "")
}

impl Plot {
    /// The title, or what the figure shows.
    pub(super) fn name(&self) -> String {
        match self.title.as_str() {
            "" => plain(&format!("{} by {}", self.y.label, self.x.label)),
            title => plain(title),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Indices in `_{}`, exponents in `^{}`, variables in `/`.
    fn shown(formula: &str) -> String {
        let mut out = String::new();
        for piece in pieces(&format!("${formula}$")) {
            let text = if piece.italic { format!("/{}/", piece.text) } else { piece.text };
            out += &match piece.level {
                LabelLevel::Line => text,
                LabelLevel::Below => format!("_{{{text}}}"),
                LabelLevel::Above => format!("^{{{text}}}"),
            };
        }
        out
    }

    #[test]
    fn formulas_of_the_catalogue_are_typeset() {
        for (formula, typeset, latex_form) in [
            ("n^2", "/n/^{2}", "n^{2}"),
            ("k n - k(k-1)/2", "/k/ /n/ − /k/(/k/−1)/2", "k\\,n - k(k-1)/2"),
            (
                "2 n floor(log2 k) + n",
                "2 /n/ ⌊log_{2} /k/⌋ + /n/",
                "2\\,n\\,\\lfloor \\log_2  k \\rfloor  + n",
            ),
            ("n H_(n/2)", "/n/ /H/_{/n/}_{/2}", "n\\,H_{n/2}"),
            ("2 |E| k", "2 |/E/| /k/", "2\\,\\vert E\\vert  k"),
            ("2^ceil(log2 n)", "2^{⌈log2 }^{/n/}^{⌉}", "2^{\\lceil \\log_2  n \\rceil }"),
            ("n / F_(i+3)", "/n/ / /F/_{/i/}_{+3}", "n / F_{i+3}"),
            ("2.71 n ln n", "2.71 /n/ ln /n/", "2.71\\,n\\,\\ln  n"),
        ] {
            assert_eq!(shown(formula), typeset, "{formula}");
            assert_eq!(latex(&format!("${formula}$")), format!("${latex_form}$"), "{formula}");
        }
    }

    #[test]
    fn what_is_no_formula_stays_as_it_is() {
        let piece = |text: &str| LabelPiece {
            text: text.to_owned(),
            level: LabelLevel::Line,
            italic: false,
        };
        assert_eq!(pieces("chang-roberts, 50%_of"), [piece("chang-roberts, 50%_of")]);
        assert_eq!(latex("50%_of"), "50\\%\\_of");
        assert_eq!(plain("nodes $n$"), "nodes n");
    }

    #[test]
    fn open_parentheses_end_with_the_formula() {
        assert_eq!(shown("H_(n"), "/H/_{(}_{/n/}");
        assert_eq!(latex("$floor($"), "$\\lfloor ( \\rfloor $");
    }
}
