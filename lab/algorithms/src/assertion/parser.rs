//! Reads assertions.

use super::{
    Argument, Assertion, AssertionError, AssertionPart, Comparison, CountedTerm, MessageEnds,
    NamedTerm, RingDirection, Sort, Variable,
};
use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec, vec::Vec};

/// The symbols, longest first.
const SYMBOLS: [&str; 15] =
    ["->", "!=", "<=", ">=", "<", ">", "=", "!", "&", "|", "(", ")", ",", ".", "+"];

/// The words that are no names.
const WORDS: [&str; 11] =
    ["exists", "count", "in", "at", "from", "to", "back", "by", "ahead", "behind", "most"];

#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    /// The byte at which it begins.
    at: usize,
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    next: usize,
    /// The variables, each with its sort once it is known.
    variables: Vec<(String, Option<Sort>)>,
    /// Those of each `exists` around, the innermost last.
    scope: Vec<usize>,
    /// Those that stand free.
    free: Vec<usize>,
}

pub(super) fn read(text: &str) -> Result<Assertion, AssertionError> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        text,
        tokens,
        next: 0,
        variables: Vec::new(),
        scope: Vec::new(),
        free: Vec::new(),
    };
    let formula = parser.implication()?;
    if parser.next < parser.tokens.len() {
        return Err(parser.error("`->`, `&`, `|` or the end is expected"));
    }
    Ok(parser.finish(formula))
}

fn tokens(text: &str) -> Result<Vec<Token<'_>>, AssertionError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let length = match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            Some(symbol) => symbol.len(),
            None => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
        };
        if length == 0 {
            return Err(error(text, at, format!("`{first}` has no meaning in a formula")));
        }
        tokens.push(Token { text: &rest[..length], at });
        at += length;
    }
    Ok(tokens)
}

fn error(text: &str, at: usize, what: impl Into<String>) -> AssertionError {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before[before.rfind('\n').map_or(0, |end| end + 1)..].chars().count() + 1;
    AssertionError { line, column, what: what.into() }
}

impl<'a> Parser<'a> {
    fn error(&self, what: impl Into<String>) -> AssertionError {
        let at = self.tokens.get(self.next).map_or(self.text.len(), |token| token.at);
        error(self.text, at, what)
    }

    fn peek(&self) -> &'a str {
        self.tokens.get(self.next).map_or("", |token| token.text)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.peek() == text;
        self.next += usize::from(found);
        found
    }

    fn need(&mut self, text: &str) -> Result<(), AssertionError> {
        match self.take(text) {
            true => Ok(()),
            false => Err(self.error(format!("`{text}` is expected"))),
        }
    }

    fn name(&mut self, what: &str) -> Result<&'a str, AssertionError> {
        let name = self.peek();
        let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if !starts || WORDS.contains(&name) {
            return Err(self.error(format!("{what} is expected")));
        }
        self.next += 1;
        Ok(name)
    }

    fn implication(&mut self) -> Result<AssertionPart, AssertionError> {
        let left = self.either()?;
        Ok(match self.take("->") {
            true => AssertionPart::If(Box::new(left), Box::new(self.implication()?)),
            false => left,
        })
    }

    fn either(&mut self) -> Result<AssertionPart, AssertionError> {
        let mut parts = vec![self.both()?];
        while self.take("|") {
            parts.push(self.both()?);
        }
        Ok(one_or(parts, AssertionPart::Any))
    }

    fn both(&mut self) -> Result<AssertionPart, AssertionError> {
        let mut parts = vec![self.single()?];
        while self.take("&") {
            parts.push(self.single()?);
        }
        Ok(one_or(parts, AssertionPart::All))
    }

    fn single(&mut self) -> Result<AssertionPart, AssertionError> {
        if self.take("!") {
            return Ok(AssertionPart::Not(Box::new(self.single()?)));
        }
        if self.take("exists") {
            return self.exists();
        }
        if self.take("count") {
            return self.counts();
        }
        if self.take("(") {
            let inside = self.implication()?;
            self.need(")")?;
            return Ok(inside);
        }
        if self.take("counted") {
            return match self.term()? {
                AssertionPart::State(process, term) => {
                    Ok(AssertionPart::State(process, NamedTerm { is_counted: true, ..term }))
                }
                _ => Err(self.error("`counted` stands before what is said of a state")),
            };
        }
        match self.tokens.get(self.next + 1).map(|token| token.text) {
            Some("(") => self.term(),
            _ => self.relation(),
        }
    }

    fn exists(&mut self) -> Result<AssertionPart, AssertionError> {
        let before = self.scope.len();
        let mut bound = Vec::new();
        while !self.take(".") {
            let name = self.name("a variable, or `.` after the variables,")?;
            bound.push(self.variables.len());
            self.scope.push(self.variables.len());
            self.variables.push((name.to_owned(), None));
        }
        if bound.is_empty() {
            return Err(self.error("a variable is expected after `exists`"));
        }
        let inside = self.implication()?;
        self.scope.truncate(before);
        Ok(AssertionPart::Exists(bound, Box::new(inside)))
    }

    /// Reads `count x. F + count y. G = count z. H` after its first word.
    fn counts(&mut self) -> Result<AssertionPart, AssertionError> {
        let mut is_left = true;
        let mut terms = vec![self.count(is_left)?];
        loop {
            if !self.take("+") {
                if !is_left {
                    return Ok(AssertionPart::AsMany(terms));
                }
                if !self.take("=") {
                    return Err(self.error("`+` or `=` is expected"));
                }
                is_left = false;
            }
            self.need("count")?;
            terms.push(self.count(is_left)?);
        }
    }

    /// `x. F` after `count`.
    fn count(&mut self, is_left: bool) -> Result<CountedTerm, AssertionError> {
        let name = self.name("a variable after `count`")?;
        let variable = self.variables.len();
        self.variables.push((name.to_owned(), None));
        self.need(".")?;
        self.scope.push(variable);
        let such = self.single()?;
        self.scope.pop();
        Ok(CountedTerm { variable, such, is_left })
    }

    /// `Name(arguments)`, and for messages where it is or who has sent it.
    fn term(&mut self) -> Result<AssertionPart, AssertionError> {
        let begin = self.next;
        let name = self.name("the name of a fact or a message")?.to_owned();
        self.need("(")?;
        let first = self.next;
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.need(",")?;
            }
            arguments.push(self.argument()?);
        }
        let term = |arguments| NamedTerm { name: name.clone(), arguments, is_counted: false };
        for (word, way) in [("at", RingDirection::Forward), ("back", RingDirection::Back)] {
            if self.take(word) {
                let place = self.variable(Sort::Place)?;
                let mut end =
                    |word| self.take(word).then(|| self.variable(Sort::Process)).transpose();
                let (from, to) = (end("from")?, end("to")?);
                let ends = MessageEnds { to, from };
                return Ok(AssertionPart::Message(way, term(arguments), place, ends));
            }
        }
        if self.take("by") {
            return Ok(AssertionPart::Sent(term(arguments), self.variable(Sort::Process)?));
        }
        match arguments.first() {
            Some(&Argument::Variable(process)) => {
                Ok(AssertionPart::State(process, term(arguments.split_off(1))))
            }
            _ => {
                self.next = if arguments.is_empty() { begin } else { first };
                Err(self.error(format!("the first argument of `{name}` is the process of which it is said; a message stands with `at`, `back` or `by`")))
            }
        }
    }

    fn argument(&mut self) -> Result<Argument, AssertionError> {
        if self.take("ahead") {
            return Ok(Argument::Port(RingDirection::Forward));
        }
        if self.take("behind") {
            return Ok(Argument::Port(RingDirection::Back));
        }
        if self.take("_") {
            return Ok(Argument::Any);
        }
        if self.take("most") {
            return Ok(Argument::Most);
        }
        self.variable(Sort::Process).map(Argument::Variable)
    }

    /// `a < b` and other comparisons, and `b in (a, x)`.
    fn relation(&mut self) -> Result<AssertionPart, AssertionError> {
        let one = self.place()?;
        if self.take("in") {
            self.need("(")?;
            let from = self.place()?;
            self.need(",")?;
            let to = self.place()?;
            self.need(")")?;
            return Ok(AssertionPart::Between(from, one, to));
        }
        let at = self.next;
        self.next += 1;
        let (turned, comparison, negated) = match self.tokens.get(at).map(|token| token.text) {
            Some("<") => (false, Comparison::Less, false),
            Some("<=") => (false, Comparison::AtMost, false),
            Some(">") => (true, Comparison::Less, false),
            Some(">=") => (true, Comparison::AtMost, false),
            Some("=") => (false, Comparison::Same, false),
            Some("!=") => (false, Comparison::Same, true),
            _ => {
                self.next = at;
                return Err(self.error("`<`, `<=`, `=`, `!=`, `>=`, `>` or `in` is expected"));
            }
        };
        let other = self.place()?;
        if comparison == Comparison::Same {
            match (self.variables[one].1, self.variables[other].1) {
                (Some(sort), _) => self.is(other, sort)?,
                (None, Some(sort)) => self.variables[one].1 = Some(sort),
                (None, None) => {}
            }
        } else {
            let known = self.variables[one].1.or(self.variables[other].1);
            self.is(one, known.unwrap_or(Sort::Process))?;
            self.is(other, known.unwrap_or(Sort::Process))?;
        }
        let (one, other) = if turned { (other, one) } else { (one, other) };
        let claim = AssertionPart::Order(one, comparison, other);
        Ok(if negated { AssertionPart::Not(Box::new(claim)) } else { claim })
    }

    /// A variable of either sort.
    fn place(&mut self) -> Result<usize, AssertionError> {
        let name = self.name("a formula")?;
        let mut known = self.scope.iter().rev().chain(&self.free);
        if let Some(&variable) = known.find(|&&variable| self.variables[variable].0 == name) {
            return Ok(variable);
        }
        let variable = self.variables.len();
        self.variables.push((name.to_owned(), None));
        self.free.push(variable);
        Ok(variable)
    }

    fn variable(&mut self, sort: Sort) -> Result<usize, AssertionError> {
        let variable = self.place()?;
        self.is(variable, sort)?;
        Ok(variable)
    }

    /// The variable before this place is of this sort.
    fn is(&mut self, variable: usize, sort: Sort) -> Result<(), AssertionError> {
        let (name, known) = &mut self.variables[variable];
        if *known.get_or_insert(sort) == sort {
            return Ok(());
        }
        let what = match sort {
            Sort::Process => {
                format!("`{name}` is the place of a message, and a process is expected")
            }
            Sort::Place => format!("`{name}` is a process, and the place of a message is expected"),
        };
        self.next -= 1;
        Err(self.error(what))
    }

    /// Numbers the variables that stand free first.
    fn finish(self, formula: AssertionPart) -> Assertion {
        let mut order = self.free.clone();
        order.extend((0..self.variables.len()).filter(|of| !self.free.contains(of)));
        let mut number = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            number[old] = new;
        }
        let variables = order.iter().map(|&old| {
            let (name, sort) = &self.variables[old];
            Variable { name: name.clone(), sort: sort.unwrap_or(Sort::Process) }
        });
        let variables = variables.collect();
        Assertion { formula: formula.renumbered(&number), variables, free: self.free.len() }
    }
}

fn one_or(
    mut parts: Vec<AssertionPart>,
    several: impl FnOnce(Vec<AssertionPart>) -> AssertionPart,
) -> AssertionPart {
    match parts.len() {
        1 => parts.swap_remove(0),
        _ => several(parts),
    }
}

impl AssertionPart {
    fn renumbered(self, to: &[usize]) -> Self {
        let term = |term: NamedTerm| {
            let arguments = term.arguments.into_iter().map(|argument| match argument {
                Argument::Variable(variable) => Argument::Variable(to[variable]),
                other => other,
            });
            NamedTerm { arguments: arguments.collect(), ..term }
        };
        let all = |parts: Vec<Self>| parts.into_iter().map(|part| part.renumbered(to)).collect();
        match self {
            Self::Not(of) => Self::Not(Box::new(of.renumbered(to))),
            Self::All(parts) => Self::All(all(parts)),
            Self::Any(parts) => Self::Any(all(parts)),
            Self::If(one, other) => {
                Self::If(Box::new(one.renumbered(to)), Box::new(other.renumbered(to)))
            }
            Self::Exists(bound, of) => Self::Exists(
                bound.into_iter().map(|variable| to[variable]).collect(),
                Box::new(of.renumbered(to)),
            ),
            Self::Order(one, comparison, other) => Self::Order(to[one], comparison, to[other]),
            Self::Between(from, at, end) => Self::Between(to[from], to[at], to[end]),
            Self::State(process, of) => Self::State(to[process], term(of)),
            Self::Message(way, of, at, ends) => {
                let ends = MessageEnds {
                    to: ends.to.map(|end| to[end]),
                    from: ends.from.map(|end| to[end]),
                };
                Self::Message(way, term(of), to[at], ends)
            }
            Self::Sent(of, process) => Self::Sent(term(of), to[process]),
            Self::AsMany(terms) => {
                let terms = terms.into_iter().map(|of| CountedTerm {
                    variable: to[of.variable],
                    such: of.such.renumbered(to),
                    is_left: of.is_left,
                });
                Self::AsMany(terms.collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_formula_binds_as_first_order_logic_does() {
        let read = |text| read(text).expect("a formula").formula;
        assert_eq!(
            read("A(a) & B(a) -> C(a) | D(a) & E(a)"),
            read("(A(a) & B(a)) -> (C(a) | (D(a) & E(a)))")
        );
        assert_eq!(read("A(a) -> B(a) -> C(a)"), read("A(a) -> (B(a) -> C(a))"));
        assert_eq!(
            read("A(a) -> exists b. B(b) & a < b"),
            read("A(a) -> (exists b. (B(b) & b > a))")
        );
        assert_eq!(read("!A(a) & B(a)"), read("(!A(a)) & B(a)"));
    }

    #[test]
    fn variables_are_processes_or_places() {
        let assertion = read("Token(a) at x & b in (a, x) -> Lost(b)").expect("a formula");
        let sorts: Vec<_> =
            assertion.variables.iter().map(|of| (of.name.as_str(), of.sort)).collect();
        assert_eq!(sorts, [("a", Sort::Process), ("x", Sort::Place), ("b", Sort::Process)]);
        assert_eq!(assertion.free, 3);
        let assertion = read("A(a) -> (exists x. T(a) at x) | (exists c. c < a)").expect("one");
        assert_eq!((assertion.free, assertion.variables.len()), (1, 3));
    }

    #[test]
    fn an_equation_counts_what_one_part_says_of_its_own_variable() {
        let assertion =
            read("A(b) -> count x. T(_) at x + count b. B(b) = count a. (A(a) | C(a, b))");
        let assertion = assertion.expect("a formula");
        let (premise, terms) = assertion.equation().expect("an equation");
        assert_eq!(*premise, read("A(b)").expect("a formula").formula);
        let terms: Vec<_> =
            terms.iter().map(|of| (&*assertion.variables[of.variable].name, of.is_left)).collect();
        assert_eq!(terms, [("x", true), ("b", true), ("a", false)]);
        assert_eq!((assertion.free, assertion.variables.len()), (1, 4));
        assert!(assertion.is_existential());
        assert!(read("A(b) & count a. A(a) = count a. B(a)").expect("one").equation().is_none());
    }

    #[test]
    fn what_was_sent_and_what_is_only_counted_no_configuration_tells() {
        let is_of_history = |text| read(text).expect("a formula").is_of_history();
        assert!(is_of_history("A(a) -> !counted missing(a, b)") && is_of_history("T(a) by b"));
        assert!(!is_of_history("missing(a, b) & T(a) at x"));
    }

    #[test]
    fn an_error_says_where_and_what() {
        let error = |text| read(text).expect_err("an error").to_string();
        assert_eq!(error("A(a) &"), "line 1, column 7: a formula is expected");
        assert_eq!(
            error("A(a) ->\n  B(a) C(a)"),
            "line 2, column 8: `->`, `&`, `|` or the end is expected"
        );
        assert_eq!(error("A(a) # B(a)"), "line 1, column 6: `#` has no meaning in a formula");
        assert_eq!(
            error("T(a) at x & A(x)"),
            "line 1, column 15: `x` is the place of a message, and a process is expected"
        );
        assert_eq!(
            error("T(a) at a"),
            "line 1, column 9: `a` is a process, and the place of a message is expected"
        );
        assert_eq!(
            error("exists . A(a)"),
            "line 1, column 10: a variable is expected after `exists`"
        );
        assert_eq!(
            error("a + b"),
            "line 1, column 3: `<`, `<=`, `=`, `!=`, `>=`, `>` or `in` is expected"
        );
        assert_eq!(error("a * b"), "line 1, column 3: `*` has no meaning in a formula");
        assert_eq!(error("count a. A(a) & B(a)"), "line 1, column 15: `+` or `=` is expected");
        assert_eq!(error("count a. A(a) = B(a)"), "line 1, column 17: `count` is expected");
        assert_eq!(
            error("count in. A(a)"),
            "line 1, column 7: a variable after `count` is expected"
        );
        assert_eq!(
            error("counted Token(a) at x"),
            "line 1, column 22: `counted` stands before what is said of a state"
        );
        assert_eq!(error("b in a"), "line 1, column 6: `(` is expected");
        assert!(error("Token()").starts_with("line 1, column 1: the first argument of `Token`"));
    }
}
