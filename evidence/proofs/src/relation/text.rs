//! The language of systems.
//!
//! A text has items. An item begins at the left margin, and its other lines are indented; `#` begins a comment.
//!
//! ```text
//! sort peer h g                      values, and the letters of variables that stand for them
//! order term t                       values that are totally ordered; 0 is the least one
//! state                              symbols: relations, and functions with the sort of their values
//!     leader(peer)
//!     term(peer): term
//! message                            what is under way, and may be lost at any time
//! ghost                              what no guard asks for
//! fixed                              what never changes
//! define rests(h) = !leader(h)       an abbreviation
//! axiom NAME: words.                 with a formula beneath: of what never changes
//! initially NAME: words.             of the state at first
//! action win(h, t): words.           what may happen: `if` a formula holds, symbols become something else
//!     if rests(h) & term(h) < t
//!     leader(h) := true
//!     term(h) := t
//! invariant NAME: words.
//! goal NAME: words.                  what follows from the invariants
//! goal NAME at win(h, t): words.     what holds whenever that happens
//! ```
//!
//! Formulas are those of docs/reference/invariants.md, with `all x. F` beside `exists x. F`. What a symbol becomes is
//! said of the state before; where one is changed twice, the first change counts. A variable in such a line
//! that is no parameter stands for any value. Digits may follow the letter of a variable: `t2`.

use super::{
    Becomes, GuardedAction, NamedClaim, Number, Relation, Role, Scope, SystemFormula, SystemSymbol,
    SystemTerm, Update, ValueSort,
};
use suffrage_algorithms::assertion::AssertionError;

type Result<T> = std::result::Result<T, AssertionError>;

/// A word, a sign or an end, and where it is.
#[derive(Clone, Debug)]
struct TextToken {
    text: String,
    line: usize,
    column: usize,
}

impl TextToken {
    fn error<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(AssertionError { line: self.line, column: self.column, what: what.into() })
    }

    fn is_word(&self) -> bool {
        self.text.starts_with(|first: char| first.is_alphanumeric())
    }
}

/// A part of the text that begins at the left margin.
struct TextItem {
    /// The first word.
    keyword: TextToken,
    /// What follows in the first line, up to a colon that ends a name.
    head: Vec<TextToken>,
    /// The words behind the colon, up to the first full stop.
    says: String,
    body: Vec<TextToken>,
    /// The text of the body.
    text: String,
}

struct Definition {
    name: String,
    parameters: usize,
    variables: Scope,
    formula: SystemFormula,
}

/// Reads a system.
///
/// # Errors
/// If the text is not in the language: where, and what is expected there.
pub fn read(text: &str) -> Result<Relation> {
    let mut reader =
        Reader { relation: Relation::default(), letters: Vec::new(), defined: Vec::new() };
    for item in items(text) {
        reader.item(&item)?;
    }
    Ok(reader.relation)
}

fn items(text: &str) -> Vec<TextItem> {
    let mut items: Vec<TextItem> = Vec::new();
    for (number, whole) in (1..).zip(text.lines()) {
        let line = whole.split('#').next().unwrap_or_default().trim_end();
        if line.is_empty() {
            continue;
        }
        let tokens = tokens(line, number);
        match items.last_mut() {
            Some(item) if line.starts_with(' ') => {
                if !item.says.is_empty() && !item.says.ends_with('.') {
                    item.says += " ";
                    item.says += line.trim();
                    continue;
                }
                item.body.extend(tokens);
                item.text += line.trim();
                item.text += "\n";
            }
            _ => {
                let mut head = tokens.into_iter();
                let Some(keyword) = head.next() else { continue };
                let named = ["axiom", "initially", "action", "invariant", "goal"];
                let (head, says) = match line.split_once(": ") {
                    Some((before, says)) if named.contains(&&*keyword.text) => {
                        let until = before.len() + 1;
                        (head.filter(|token| token.column < until).collect(), says.to_owned())
                    }
                    _ => (head.collect(), String::new()),
                };
                items.push(TextItem { keyword, head, says, body: Vec::new(), text: String::new() });
            }
        }
    }
    items
}

fn tokens(line: &str, number: usize) -> Vec<TextToken> {
    let mut tokens = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return tokens };
        let word = |of: char| of.is_alphanumeric() || of == '-' || of == '_';
        let length = if first.is_alphanumeric() {
            let word = rest.find(|of: char| !word(of)).unwrap_or(rest.len());
            // The sign of an implication is no part of the word before it.
            rest[..word].trim_end_matches('-').len()
        } else {
            let signs = ["->", "!=", "<=", ">=", ":="];
            signs.iter().find(|sign| rest.starts_with(**sign)).map_or(first.len_utf8(), |_| 2)
        };
        let column = line.len() - rest.len() + 1;
        tokens.push(TextToken { text: rest[..length].to_owned(), line: number, column });
        rest = &rest[length..];
    }
}

struct Reader {
    relation: Relation,
    /// The letters of variables, and the sort for which they stand.
    letters: Vec<(String, Number)>,
    defined: Vec<Definition>,
}

impl Reader {
    fn item(&mut self, item: &TextItem) -> Result<()> {
        let role = match &*item.keyword.text {
            "sort" | "order" => return self.sort(item),
            "define" => return self.define(item),
            "action" => return self.action(item),
            "axiom" | "initially" | "invariant" | "goal" => return self.claim(item),
            "fixed" => Role::Fixed,
            "state" => Role::State,
            "message" => Role::Message,
            "ghost" => Role::Ghost,
            other => return item.keyword.error(format!("`{other}` begins no item")),
        };
        self.symbols(item, role)
    }

    fn sort(&mut self, item: &TextItem) -> Result<()> {
        let Some((name, letters)) = item.head.split_first() else {
            return item.keyword.error("a sort has a name");
        };
        let number = self.relation.sorts.len();
        let is_ordered = item.keyword.text == "order";
        self.relation.sorts.push(ValueSort { name: name.text.clone(), is_ordered });
        self.letters.extend(letters.iter().map(|letter| (letter.text.clone(), number)));
        Ok(())
    }

    fn symbols(&mut self, item: &TextItem, role: Role) -> Result<()> {
        let mut parser = ItemParser::new(self, item, &item.body);
        while !parser.is_done() {
            let name = parser.word("the name of a symbol")?;
            let mut of = Vec::new();
            if parser.take("(") {
                loop {
                    of.push(parser.sort()?);
                    if !parser.take(",") {
                        break;
                    }
                }
                parser.expect(")")?;
            }
            let value = parser.take(":").then(|| parser.sort()).transpose()?;
            if parser.reader.relation.symbol(&name.text).is_some() {
                return name.error(format!("`{}` is there twice", name.text));
            }
            parser.new.push(SystemSymbol { name: name.text, of, value, role });
        }
        let new = parser.new;
        self.relation.symbols.extend(new);
        Ok(())
    }

    fn define(&mut self, item: &TextItem) -> Result<()> {
        let all = [&*item.head, &*item.body].concat();
        let mut parser = ItemParser::new(self, item, &all);
        let name = parser.word("a name")?.text;
        let parameters = parser.parameters()?;
        parser.expect("=")?;
        let formula = parser.formula()?;
        parser.end()?;
        let variables = parser.scope;
        self.defined.push(Definition { name, parameters, variables, formula });
        Ok(())
    }

    fn action(&mut self, item: &TextItem) -> Result<()> {
        let all = [&*item.head, &*item.body].concat();
        let mut parser = ItemParser::new(self, item, &all);
        let name = parser.word("a name")?.text;
        let parameters = parser.parameters()?;
        let mut guard = Vec::new();
        let mut updates = Vec::new();
        while !parser.is_done() {
            if parser.take("if") {
                let asked = parser.peek();
                let formula = parser.formula()?;
                let relation = &parser.reader.relation;
                if formula.mentions(&|symbol| relation.is(symbol, Role::Ghost)) {
                    return asked.error("a guard asks for what is of the past alone");
                }
                guard.push(formula);
            } else {
                updates.push(parser.update()?);
            }
        }
        let (guard, variables) = (SystemFormula::All(guard), parser.scope);
        let says = item.says.clone();
        self.relation.actions.push(GuardedAction {
            name,
            says,
            parameters,
            variables,
            guard,
            updates,
        });
        Ok(())
    }

    fn claim(&mut self, item: &TextItem) -> Result<()> {
        let all = [&*item.head, &*item.body].concat();
        let mut parser = ItemParser::new(self, item, &all);
        let name = parser.word("a name")?.text;
        let mut at = None;
        if parser.take("at") {
            let action = parser.word("an action")?;
            let actions = &parser.reader.relation.actions;
            at = actions.iter().position(|other| other.name == action.text);
            let Some(number) = at else {
                return action.error(format!("there is no action `{}`", action.text));
            };
            let parameters = actions[number].parameters;
            if parser.parameters()? != parameters {
                return action.error(format!("it has {parameters} parameters"));
            }
        }
        parser.open = true;
        let formula = parser.formula()?;
        parser.end()?;
        let variables = parser.scope;
        let (says, text) = (item.says.clone(), item.text.clone());
        let claim = NamedClaim { name, says, text, formula, variables, at };
        match &*item.keyword.text {
            "axiom" => self.relation.axioms.push(claim),
            "initially" => self.relation.start.push(claim),
            "invariant" => self.relation.invariants.push(claim),
            _ => self.relation.goals.push(claim),
        }
        Ok(())
    }
}

struct ItemParser<'r> {
    reader: &'r Reader,
    tokens: Vec<TextToken>,
    at: usize,
    end: TextToken,
    scope: Scope,
    /// The variables that are visible, by name; later ones hide earlier ones.
    visible: Vec<(String, Number)>,
    /// Whether a variable that nothing binds stands for all values.
    open: bool,
    new: Vec<SystemSymbol>,
}

/// A term whose sort may not be known yet.
enum Unsorted {
    Zero(TextToken),
    Term(SystemTerm, TextToken),
}

impl<'r> ItemParser<'r> {
    fn new(reader: &'r Reader, item: &TextItem, tokens: &[TextToken]) -> Self {
        let last = tokens.last().unwrap_or(&item.keyword);
        let end = TextToken { text: String::new(), column: last.column + last.text.len(), ..*last };
        let (scope, visible, new) = (Scope::new(), Vec::new(), Vec::new());
        Self { reader, tokens: tokens.to_vec(), at: 0, end, scope, visible, open: false, new }
    }

    fn peek(&self) -> TextToken {
        self.tokens.get(self.at).unwrap_or(&self.end).clone()
    }

    fn is_done(&self) -> bool {
        self.at == self.tokens.len()
    }

    fn end(&self) -> Result<()> {
        if self.is_done() { Ok(()) } else { self.peek().error("the end is expected") }
    }

    fn take(&mut self, text: &str) -> bool {
        let is = self.tokens.get(self.at).is_some_and(|token| token.text == text);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        if self.take(text) { Ok(()) } else { self.peek().error(format!("`{text}` is expected")) }
    }

    fn word(&mut self, what: &str) -> Result<TextToken> {
        let token = self.peek();
        if !token.is_word() {
            return token.error(format!("{what} is expected"));
        }
        self.at += 1;
        Ok(token)
    }

    fn sort(&mut self) -> Result<Number> {
        let name = self.word("a sort")?;
        let number = self.reader.relation.sorts.iter().position(|sort| sort.name == name.text);
        number.map_or_else(|| name.error(format!("there is no sort `{}`", name.text)), Ok)
    }

    fn parameters(&mut self) -> Result<usize> {
        self.expect("(")?;
        loop {
            let name = self.word("a variable")?;
            self.bind(&name)?;
            if !self.take(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(self.scope.len())
    }

    /// The sort for which a variable of this name stands.
    fn stands_for(&self, name: &str) -> Option<Number> {
        let letter = name.trim_end_matches(|last: char| last.is_ascii_digit());
        self.reader.letters.iter().find(|(of, _)| of == letter).map(|&(_, sort)| sort)
    }

    fn bind(&mut self, name: &TextToken) -> Result<Number> {
        let Some(sort) = self.stands_for(&name.text) else {
            return name.error(format!("`{}` is no variable", name.text));
        };
        self.scope.push((name.text.clone(), sort));
        self.visible.push((name.text.clone(), self.scope.len() - 1));
        Ok(self.scope.len() - 1)
    }

    fn formula(&mut self) -> Result<SystemFormula> {
        let one = self.disjunction()?;
        if self.take("->") {
            let other = self.formula()?;
            return Ok(SystemFormula::Any(vec![one.not(), other]));
        }
        Ok(one)
    }

    fn disjunction(&mut self) -> Result<SystemFormula> {
        let mut parts = vec![self.conjunction()?];
        while self.take("|") {
            parts.push(self.conjunction()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { SystemFormula::Any(parts) })
    }

    fn conjunction(&mut self) -> Result<SystemFormula> {
        let mut parts = vec![self.negation()?];
        while self.take("&") {
            parts.push(self.negation()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { SystemFormula::All(parts) })
    }

    fn negation(&mut self) -> Result<SystemFormula> {
        if self.take("!") {
            return Ok(self.negation()?.not());
        }
        if self.take("(") {
            let formula = self.formula()?;
            self.expect(")")?;
            return Ok(formula);
        }
        let token = self.peek();
        match &*token.text {
            "exists" | "all" => {
                self.at += 1;
                let before = self.visible.len();
                let mut bound = Vec::new();
                while !self.take(".") {
                    let name = self.word("a variable, or `.`,")?;
                    bound.push(self.bind(&name)?);
                }
                let formula = Box::new(self.formula()?);
                self.visible.truncate(before);
                Ok(match &*token.text {
                    "all" => SystemFormula::Every(bound, formula),
                    _ => SystemFormula::Some(bound, formula),
                })
            }
            "true" | "false" => {
                self.at += 1;
                Ok(if token.text == "true" { SystemFormula::TRUE } else { SystemFormula::FALSE })
            }
            _ => self.atom(),
        }
    }

    fn atom(&mut self) -> Result<SystemFormula> {
        let name = self.peek();
        let symbol = self.reader.relation.symbol(&name.text);
        let symbol = symbol.filter(|&it| self.reader.relation.symbols[it].value.is_none());
        if let Some(symbol) = symbol {
            self.at += 1;
            return Ok(SystemFormula::Is(symbol, self.arguments(symbol, &name)?));
        }
        if let Some(at) = self.reader.defined.iter().position(|of| of.name == name.text) {
            self.at += 1;
            return self.expanded(at, &name);
        }
        let one = self.unsorted()?;
        let sign = self.peek();
        if !["=", "!=", "<", "<=", ">", ">="].contains(&&*sign.text) {
            return sign.error("a comparison is expected");
        }
        self.at += 1;
        let other = self.unsorted()?;
        let (one, other, sort) = self.alike(one, other)?;
        if !sign.text.contains('=') || sign.text.len() == 2 && sign.text != "!=" {
            let sort = &self.reader.relation.sorts[sort];
            if !sort.is_ordered {
                return sign.error(format!("there is no order of the sort {}", sort.name));
            }
        }
        Ok(match &*sign.text {
            "=" => SystemFormula::Same(one, other),
            "!=" => SystemFormula::Same(one, other).not(),
            "<" => SystemFormula::Less(one, other),
            ">" => SystemFormula::Less(other, one),
            "<=" => SystemFormula::Less(other, one).not(),
            _ => SystemFormula::Less(one, other).not(),
        })
    }

    fn alike(&self, one: Unsorted, other: Unsorted) -> Result<(SystemTerm, SystemTerm, Number)> {
        let sort = |term: &SystemTerm| self.reader.relation.sort_of(term, &self.scope);
        match (one, other) {
            (Unsorted::Zero(at), Unsorted::Zero(_)) => at.error("0 of which sort?"),
            (Unsorted::Zero(_), Unsorted::Term(term, _)) => {
                let of = sort(&term);
                Ok((SystemTerm::Least(of), term, of))
            }
            (Unsorted::Term(term, _), Unsorted::Zero(_)) => {
                let of = sort(&term);
                Ok((term, SystemTerm::Least(of), of))
            }
            (Unsorted::Term(one, _), Unsorted::Term(other, at)) => {
                let (of, and) = (sort(&one), sort(&other));
                match of == and {
                    true => Ok((one, other, of)),
                    false => at.error(self.wrong_sort(and, of)),
                }
            }
        }
    }

    fn wrong_sort(&self, is: Number, expected: Number) -> String {
        let name = |sort: Number| &self.reader.relation.sorts[sort].name;
        format!(
            "it is of the sort {}, and one of the sort {} is expected",
            name(is),
            name(expected)
        )
    }

    fn unsorted(&mut self) -> Result<Unsorted> {
        let name = self.word("a formula")?;
        if name.text == "0" {
            return Ok(Unsorted::Zero(name));
        }
        let symbol = self.reader.relation.symbol(&name.text);
        let function = symbol.filter(|&it| self.reader.relation.symbols[it].value.is_some());
        if let Some(symbol) = function {
            let arguments = self.arguments(symbol, &name)?;
            return Ok(Unsorted::Term(SystemTerm::Apply(symbol, arguments), name));
        }
        let known = self.visible.iter().rev().find(|(known, _)| *known == name.text);
        if let Some(&(_, variable)) = known {
            return Ok(Unsorted::Term(SystemTerm::Variable(variable), name));
        }
        let sort = match self.stands_for(&name.text) {
            Some(sort) if self.open => sort,
            Some(_) => return name.error(format!("nothing says what `{}` is", name.text)),
            None => {
                return name.error(format!("there is no symbol and no variable `{}`", name.text));
            }
        };
        // It is visible also behind what is bound here.
        self.scope.push((name.text.clone(), sort));
        let variable = self.scope.len() - 1;
        self.visible.insert(0, (name.text.clone(), variable));
        Ok(Unsorted::Term(SystemTerm::Variable(variable), name))
    }

    fn term(&mut self, expected: Number) -> Result<SystemTerm> {
        match self.unsorted()? {
            Unsorted::Zero(at) => match self.reader.relation.sorts[expected].is_ordered {
                true => Ok(SystemTerm::Least(expected)),
                false => at.error("there is no least value of this sort"),
            },
            Unsorted::Term(term, at) => match self.reader.relation.sort_of(&term, &self.scope) {
                of if of == expected => Ok(term),
                of => at.error(self.wrong_sort(of, expected)),
            },
        }
    }

    fn arguments(&mut self, symbol: Number, name: &TextToken) -> Result<Vec<SystemTerm>> {
        let of = self.reader.relation.symbols[symbol].of.clone();
        self.arguments_of(&of, name)
    }

    fn arguments_of(&mut self, of: &[Number], name: &TextToken) -> Result<Vec<SystemTerm>> {
        let mut arguments = Vec::new();
        if of.is_empty() {
            return Ok(arguments);
        }
        self.expect("(")?;
        for (number, &sort) in of.iter().enumerate() {
            if number > 0 && !self.take(",") {
                return name.error(format!("`{}` has {} arguments", name.text, of.len()));
            }
            arguments.push(self.term(sort)?);
        }
        self.expect(")")?;
        Ok(arguments)
    }

    /// Puts the formula of a definition in its place; variables that it binds are others each time.
    fn expanded(&mut self, at: usize, name: &TextToken) -> Result<SystemFormula> {
        let reader = self.reader;
        let Definition { parameters, variables, formula, .. } = &reader.defined[at];
        let sorts: Vec<Number> = variables[..*parameters].iter().map(|of| of.1).collect();
        let mut terms = self.arguments_of(&sorts, name)?;
        for variable in &variables[*parameters..] {
            self.scope.push(variable.clone());
            terms.push(SystemTerm::Variable(self.scope.len() - 1));
        }
        Ok(renamed(formula, &terms))
    }

    fn update(&mut self) -> Result<Update> {
        let name = self.word("`if`, or the name of a symbol,")?;
        let Some(symbol) = self.reader.relation.symbol(&name.text) else {
            return name.error(format!("there is no symbol `{}`", name.text));
        };
        let SystemSymbol { role, value, .. } = self.reader.relation.symbols[symbol].clone();
        if role == Role::Fixed {
            return name.error(format!("`{}` never changes", name.text));
        }
        let before = self.visible.len();
        self.open = true;
        let at = self.arguments(symbol, &name)?;
        self.open = false;
        self.expect(":=")?;
        let begins = self.peek();
        let becomes = match value {
            None => Becomes::Relation(self.formula()?),
            Some(sort) => Becomes::Function(self.term(sort)?),
        };
        let known = self.visible.len();
        // Variables of the line are gone behind it.
        self.visible.drain(..known - before);
        let relation = &self.reader.relation;
        let asks = match &becomes {
            Becomes::Relation(of) => of.mentions(&|of| relation.is(of, Role::Ghost)),
            Becomes::Function(of) => of.mentions(&|of| relation.is(of, Role::Ghost)),
        };
        if asks && role != Role::Ghost {
            return begins.error("it depends on what is of the past alone");
        }
        Ok(Update { symbol, at, becomes })
    }
}

/// Puts terms in place of all variables, of those that are bound, too.
fn renamed(formula: &SystemFormula, terms: &[SystemTerm]) -> SystemFormula {
    let variable = |number: &Number| match &terms[*number] {
        SystemTerm::Variable(to) => *to,
        _ => unreachable!("what is bound is no parameter"),
    };
    let all = |parts: &[SystemFormula]| parts.iter().map(|part| renamed(part, terms)).collect();
    let bound = |of: &[Number]| of.iter().map(variable).collect();
    match formula {
        SystemFormula::Not(of) => renamed(of, terms).not(),
        SystemFormula::All(parts) => SystemFormula::All(all(parts)),
        SystemFormula::Any(parts) => SystemFormula::Any(all(parts)),
        SystemFormula::Every(of, part) => {
            SystemFormula::Every(bound(of), Box::new(renamed(part, terms)))
        }
        SystemFormula::Some(of, part) => {
            SystemFormula::Some(bound(of), Box::new(renamed(part, terms)))
        }
        atom => atom.with(&|number| Some(terms[number].clone())),
    }
}
