//! Conditions in the languages of other tools: Ivy's and TLA+, translated from SMT-LIB.
//!
//! An Ivy text has each condition as a property, which `ivy_check complete=fo FILE` judges. A module of TLA+ has it as a
//! theorem, with the facts and definitions that its proof may use, for TLAPS.

use crate::smt::Script;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A language for conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionLanguage {
    /// SMT-LIB 2.6, for z3, cvc5 and others.
    Smt,
    /// The language of Ivy 1.7.
    Ivy,
    /// TLA+.
    Tla,
}

impl ConditionLanguage {
    /// Returns how the name of a file ends.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Smt => "smt2",
            Self::Ivy => "ivy",
            Self::Tla => "tla",
        }
    }

    /// Writes conditions in this language. In TLA+ they are a module called `name`, as the file has to be.
    ///
    /// # Panics
    /// If the script is not one that this crate has written.
    #[must_use]
    pub fn write(self, script: &Script, name: &str) -> String {
        match self {
            Self::Smt => script.text.clone(),
            Self::Ivy | Self::Tla => Translation::new(self, script).of(script, name),
        }
    }
}

/// An expression of SMT-LIB.
enum Expression<'s> {
    Word(&'s str),
    List(Vec<Self>),
}

use Expression::{List, Word};

impl<'s> Expression<'s> {
    fn word(&self) -> &'s str {
        match self {
            Word(word) => word,
            List(_) => panic!("a list stands where SMT-LIB has a name"),
        }
    }

    fn list(&self) -> &[Self] {
        match self {
            List(parts) => parts,
            Word(word) => panic!("`{word}` stands where SMT-LIB has a list"),
        }
    }
}

/// Reads all expressions up to the end, or to a parenthesis that closes.
fn read<'s>(words: &mut impl Iterator<Item = &'s str>) -> Vec<Expression<'s>> {
    let mut all = Vec::new();
    while let Some(word) = words.next().filter(|word| *word != ")") {
        all.push(if word == "(" { List(read(words)) } else { Word(word) });
    }
    all
}

/// The words and parentheses of a text, without its comments.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let code = |line| str::split(line, ';').next().unwrap_or_default();
    text.lines().flat_map(move |line| {
        code(line)
            .split_inclusive(|end: char| end.is_whitespace() || "()".contains(end))
            .flat_map(|part| match part.char_indices().next_back() {
                Some((end, last)) if "()".contains(last) => [&part[..end], &part[end..]],
                _ => [part.trim_end(), ""],
            })
            .filter(|word| !word.is_empty())
    })
}

/// Words of the languages that are no names there.
const RESERVED: &[&str] = &[
    "action",
    "after",
    "alias",
    "and",
    "around",
    "assert",
    "assume",
    "axiom",
    "before",
    "call",
    "class",
    "conjecture",
    "definition",
    "else",
    "ensure",
    "exists",
    "export",
    "extract",
    "false",
    "field",
    "finite",
    "forall",
    "from",
    "function",
    "ghost",
    "if",
    "implement",
    "import",
    "in",
    "individual",
    "init",
    "instance",
    "interpret",
    "invariant",
    "isolate",
    "it",
    "lemma",
    "let",
    "local",
    "method",
    "mixin",
    "module",
    "monitor",
    "named",
    "null",
    "object",
    "of",
    "old",
    "or",
    "param",
    "parameter",
    "process",
    "progress",
    "property",
    "proof",
    "relation",
    "rely",
    "require",
    "returns",
    "schema",
    "set",
    "some",
    "specification",
    "state",
    "struct",
    "temporal",
    "the",
    "theorem",
    "this",
    "true",
    "trusted",
    "type",
    "unfold",
    "using",
    "var",
    "variant",
    "while",
    "with",
    "yields",
];

/// Conditions on their way into another language.
struct Translation<'s> {
    language: ConditionLanguage,
    commands: Vec<Expression<'s>>,
    /// The printed names of all symbols, which no variable may have in TLA+.
    symbols: BTreeSet<String>,
    text: String,
    /// In TLA+, the names of what is assumed, and of what is defined.
    assumed: Vec<String>,
    defined: Vec<String>,
}

/// What stands between a `push` and its `pop`.
#[derive(Default)]
struct Pushed<'s, 'e> {
    /// Constants, each with its sort.
    constants: Vec<(&'s str, &'s str)>,
    asserted: Vec<&'e Expression<'s>>,
}

/// Variables, each with the text that stands for it.
type VariableTexts<'s> = Vec<(&'s str, String)>;

impl<'s> Translation<'s> {
    fn new(language: ConditionLanguage, script: &'s Script) -> Self {
        let commands = read(&mut words(&script.text));
        let (symbols, text) = (BTreeSet::new(), String::new());
        let (assumed, defined) = (Vec::new(), Vec::new());
        let mut new = Self { language, commands, symbols, text, assumed, defined };
        // Not what is declared between `push` and `pop`.
        let is = |command: &&Expression<'_>, kind| command.list()[0].word() == kind;
        let outer = new.commands.iter().scan(true, |outer, command| {
            *outer = if is(&command, "push") { false } else { *outer || is(&command, "pop") };
            Some((*outer, command.list()))
        });
        let named = outer.filter_map(|(outer, command)| match command {
            [Word(kind), Word(name), _, ..] if outer && kind.starts_with("de") => {
                Some(new.symbol(name))
            }
            _ => None,
        });
        new.symbols = named.collect();
        new
    }

    const fn is_tla(&self) -> bool {
        matches!(self.language, ConditionLanguage::Tla)
    }

    /// Writes everything.
    fn of(mut self, script: &Script, name: &str) -> String {
        let comment = if self.is_tla() { "\\*" } else { "#" };
        self.text = match self.language {
            ConditionLanguage::Tla => format!("---- MODULE {name} ----\n"),
            _ => "#lang ivy1.7\n".to_owned(),
        };
        for line in script.about.lines() {
            let _ = writeln!(self.text, "{comment} {line}");
        }
        self.text.push('\n');
        let (mut checks, mut number) = (script.checks.iter(), 0);
        // What was declared and asserted since the last `push`; without one, nothing.
        let mut pushed: Option<Pushed<'_, '_>> = None;
        for command in &std::mem::take(&mut self.commands) {
            let parts = command.list();
            match (parts[0].word(), &mut pushed) {
                ("push", _) => pushed = Some(Pushed::default()),
                ("pop", _) => pushed = None,
                ("declare-const", Some(pushed)) => {
                    pushed.constants.push((parts[1].word(), parts[2].word()));
                }
                ("assert", Some(pushed)) => pushed.asserted.push(&parts[1]),
                ("check-sat", Some(pushed)) => {
                    number += 1;
                    let (shows, _) = checks.next().expect("each check shows something");
                    let _ = writeln!(self.text, "{comment} {shows}");
                    self.condition(number, pushed);
                }
                ("declare-sort", _) => self.sort(parts[1].word()),
                ("declare-fun", _) => {
                    let of: Vec<&str> = parts[2].list().iter().map(Expression::word).collect();
                    self.declare(parts[1].word(), &of, parts[3].word());
                }
                ("declare-const", None) => self.declare(parts[1].word(), &[], parts[2].word()),
                ("define-fun", _) => {
                    self.define(parts[1].word(), parts[2].list(), parts[3].word(), &parts[4]);
                }
                ("assert", None) => {
                    let what = self.term(&parts[1], true, &mut Vec::new());
                    self.assume(&what);
                }
                _ => {}
            }
        }
        if self.is_tla() {
            self.text += "====\n";
        }
        self.text
    }

    fn sort(&mut self, name: &str) {
        let name = self.sort_name(name);
        let declared = if self.is_tla() { "CONSTANT" } else { "type" };
        let _ = writeln!(self.text, "{declared} {name}");
    }

    fn declare(&mut self, name: &str, of: &[&str], value: &str) {
        let symbol = self.symbol(name);
        if !self.is_tla() {
            let places: Vec<String> = of
                .iter()
                .enumerate()
                .map(|(place, sort)| format!("X{place}:{}", self.sort_name(sort)))
                .collect();
            let places =
                if of.is_empty() { String::new() } else { format!("({})", places.join(", ")) };
            let (kind, value) = match (of.is_empty(), value) {
                (false, "Bool") => ("relation", String::new()),
                (true, _) => ("individual", format!(" : {}", self.sort_name(value))),
                (false, _) => ("function", format!(" : {}", self.sort_name(value))),
            };
            let _ = writeln!(self.text, "{kind} {symbol}{places}{value}");
            return;
        }
        let values = self.sort_name(value);
        let blanks = vec!["_"; of.len()].join(", ");
        let names: Vec<String> = (0..of.len()).map(|place| format!("of{place}")).collect();
        let applied = self.applied(&symbol, &names);
        let blanks = if of.is_empty() { blanks } else { format!("({blanks})") };
        let _ = writeln!(self.text, "CONSTANT {symbol}{blanks}");
        let bound: Vec<(String, &str)> = names.into_iter().zip(of.iter().copied()).collect();
        let typed = self.quantified(true, &bound, &format!("{applied} \\in {values}"));
        self.assume(&typed);
    }

    fn assume(&mut self, what: &str) {
        if self.is_tla() {
            let name = format!("Assumed{}", self.assumed.len() + 1);
            let _ = writeln!(self.text, "ASSUME {name} == {what}");
            self.assumed.push(name);
        } else {
            let _ = writeln!(self.text, "axiom {what}");
        }
    }

    fn define(
        &mut self,
        name: &'s str,
        parameters: &[Expression<'s>],
        value: &str,
        is: &Expression<'s>,
    ) {
        let mut texts = VariableTexts::new();
        let bound = self.bind(declared(parameters), &mut texts);
        let is = self.term(is, value == "Bool", &mut texts);
        let names: Vec<String> = bound.iter().map(|(name, _)| name.clone()).collect();
        let symbol = self.symbol(name);
        let applied = self.applied(&symbol, &names);
        if self.is_tla() {
            let _ = writeln!(self.text, "{applied} == {is}");
            self.defined.push(symbol);
        } else {
            let of: Vec<&str> = bound.iter().map(|(_, sort)| *sort).collect();
            self.declare(name, &of, value);
            let _ = writeln!(self.text, "definition {applied} = {is}");
        }
    }

    /// Writes that what is asserted cannot be, whatever the constants are.
    fn condition(&mut self, number: usize, pushed: &Pushed<'s, '_>) {
        let mut texts = VariableTexts::new();
        let bound = self.bind(pushed.constants.iter().copied(), &mut texts);
        let parts: Vec<String> =
            pushed.asserted.iter().map(|part| self.term(part, true, &mut texts)).collect();
        let parts = self.joined(" & ", " /\\ ", &parts);
        let claim = self.quantified(true, &bound, &format!("~{parts}"));
        if self.is_tla() {
            let (facts, defined) = (self.assumed.join(", "), self.defined.join(", "));
            let defined = if defined.is_empty() { defined } else { format!(" DEF {defined}") };
            let _ =
                writeln!(self.text, "THEOREM Condition{number} == {claim}\n  BY {facts}{defined}");
        } else {
            let _ = writeln!(self.text, "property [condition{number}] {claim}");
        }
    }

    /// Translates a term; `is_truth` says whether it is true or false.
    fn term(&self, term: &Expression<'s>, is_truth: bool, texts: &mut VariableTexts<'s>) -> String {
        let parts = match term {
            Word("true") => return if self.is_tla() { "TRUE" } else { "true" }.to_owned(),
            Word("false") => return if self.is_tla() { "FALSE" } else { "false" }.to_owned(),
            Word(word) => {
                let variable = texts.iter().rev().find(|(name, _)| name == word);
                return variable.map_or_else(|| self.symbol(word), |(_, text)| text.clone());
            }
            List(parts) => parts,
        };
        let (operator, of) = (parts[0].word(), &parts[1..]);
        let mut all = |is_truth: bool| -> Vec<String> {
            of.iter().map(|part| self.term(part, is_truth, texts)).collect()
        };
        match operator {
            "and" => self.joined(" & ", " /\\ ", &all(true)),
            "or" => self.joined(" | ", " \\/ ", &all(true)),
            "=>" => self.joined(" -> ", " => ", &all(true)),
            "not" => format!("~{}", all(true)[0]),
            "xor" => format!("~{}", self.joined(" <-> ", " <=> ", &all(true))),
            "=" => self.joined(" = ", " = ", &all(false)),
            "ite" => {
                let condition = self.term(&of[0], true, texts);
                let then = self.term(&of[1], is_truth, texts);
                let other = self.term(&of[2], is_truth, texts);
                match (self.is_tla(), is_truth) {
                    (true, _) => format!("(IF {condition} THEN {then} ELSE {other})"),
                    (false, true) => {
                        format!("(({condition} -> {then}) & (~{condition} -> {other}))")
                    }
                    (false, false) => format!("({then} if {condition} else {other})"),
                }
            }
            "let" => {
                let known = texts.len();
                let is: VariableTexts<'s> = of[0]
                    .list()
                    .iter()
                    .map(|one| (one.list()[0].word(), self.term(&one.list()[1], false, texts)))
                    .collect();
                texts.extend(is);
                let body = self.term(&of[1], is_truth, texts);
                texts.truncate(known);
                body
            }
            "forall" | "exists" => {
                let known = texts.len();
                let bound = self.bind(declared(of[0].list()), texts);
                let body = self.term(&of[1], true, texts);
                texts.truncate(known);
                self.quantified(operator == "forall", &bound, &body)
            }
            name => self.applied(&self.symbol(name), &all(false)),
        }
    }

    /// Gives names to variables, each of a sort.
    fn bind(
        &self,
        variables: impl Iterator<Item = (&'s str, &'s str)>,
        texts: &mut VariableTexts<'s>,
    ) -> Vec<(String, &'s str)> {
        let mut bound = Vec::new();
        for (name, sort) in variables {
            let variable = self.variable(name, texts);
            bound.push((variable.clone(), sort));
            texts.push((name, variable));
        }
        bound
    }

    /// Returns a name for a variable that nothing has in its scope.
    fn variable(&self, name: &str, texts: &VariableTexts<'_>) -> String {
        let mut text = plain(name);
        if !self.is_tla() {
            text[..1].make_ascii_uppercase();
        }
        while self.symbols.contains(&text) || texts.iter().any(|(_, known)| *known == text) {
            text.push('_');
        }
        text
    }

    /// Returns the name of a symbol.
    fn symbol(&self, name: &str) -> String {
        let mut text = plain(name);
        if !self.is_tla() && text.starts_with(char::is_uppercase) {
            // A variable of Ivy begins so.
            text.insert_str(0, "the_");
        }
        if RESERVED.contains(&&*text) {
            text.push('_');
        }
        text
    }

    fn sort_name(&self, name: &str) -> String {
        match (name, self.is_tla()) {
            ("Bool", true) => "BOOLEAN".to_owned(),
            ("Bool", false) => "bool".to_owned(),
            (name, true) => format!("Sort_{}", plain(name)),
            (name, false) => format!("sort_{}", plain(name)),
        }
    }

    fn applied(&self, symbol: &str, to: &[String]) -> String {
        match to {
            [] => symbol.to_owned(),
            to => format!("{symbol}({})", to.join(", ")),
        }
    }

    fn joined(&self, ivy: &str, tla: &str, parts: &[String]) -> String {
        format!("({})", parts.join(if self.is_tla() { tla } else { ivy }))
    }

    fn quantified(&self, is_every: bool, bound: &[(String, &str)], body: &str) -> String {
        if bound.is_empty() {
            return body.to_owned();
        }
        let (quantifier, of, end) = match (self.is_tla(), is_every) {
            (true, true) => ("\\A", " \\in ", " :"),
            (true, false) => ("\\E", " \\in ", " :"),
            (false, true) => ("forall", ":", "."),
            (false, false) => ("exists", ":", "."),
        };
        let bound: Vec<String> = bound
            .iter()
            .map(|(name, sort)| format!("{name}{of}{}", self.sort_name(sort)))
            .collect();
        format!("({quantifier} {}{end} {body})", bound.join(", "))
    }
}

/// The variables that a list declares, each with its sort.
fn declared<'s>(list: &[Expression<'s>]) -> impl Iterator<Item = (&'s str, &'s str)> {
    list.iter().map(|one| (one.list()[0].word(), one.list()[1].word()))
}

/// A name without what no language has in names.
fn plain(name: &str) -> String {
    name.replace(|of: char| !of.is_ascii_alphanumeric(), "_")
}

#[cfg(test)]
mod tests;
