//! The words and symbols of DOT.

use crate::files::Position;
use crate::files::raw::Fault;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    /// One of `{ } [ ] ; , = : +`.
    Symbol(char),
    /// `->` or `--`.
    Edge {
        directed: bool,
    },
    End,
}

/// A name, number or text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Plain,
    Quoted,
    Html,
}

impl Word {
    pub(super) fn is(&self, keyword: &str) -> bool {
        self.form == Form::Plain && self.text.eq_ignore_ascii_case(keyword)
    }

    /// Returns the word as the label of the node `id`: escapes are resolved, and HTML is replaced
    /// by the id.
    pub(super) fn as_label(&self, id: &str) -> String {
        if self.form == Form::Html {
            return id.to_owned();
        }
        let mut label = String::new();
        let mut characters = self.text.chars();
        while let Some(character) = characters.next() {
            match (character, characters.clone().next()) {
                // Line breaks, centred and to the left and right.
                ('\\', Some('n' | 'l' | 'r')) => label.push(' '),
                ('\\', Some('N')) => label.push_str(id),
                ('\\', Some(escaped)) => label.push(escaped),
                _ => {
                    label.push(character);
                    continue;
                }
            }
            characters.next();
        }
        label
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => {
                let mut shown: String = word.text.chars().take(30).collect();
                if shown.len() < word.text.len() {
                    shown.push_str("..");
                }
                write!(f, "`{}`", shown.escape_debug())
            }
            Self::Symbol(symbol) => write!(f, "`{symbol}`"),
            Self::Edge { directed: true } => f.write_str("`->`"),
            Self::Edge { directed: false } => f.write_str("`--`"),
            Self::End => f.write_str("end of file"),
        }
    }
}

/// The place where a token begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    line: u64,
    column: u64,
}

impl Place {
    pub(super) fn fault(self, what: String) -> Fault {
        let at = Position { line: self.line, column: Some(self.column) };
        Fault::Syntax { at, what }
    }
}

pub(super) struct Lexer<'a> {
    rest: std::str::Chars<'a>,
    place: Place,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.chars(), place: Place { line: 1, column: 1 } }
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn sees(&self, text: &str) -> bool {
        self.rest.as_str().starts_with(text)
    }

    fn bump(&mut self) -> Option<char> {
        let character = self.rest.next()?;
        if character == '\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Some(character)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(character) = self.peek().filter(|&c| wanted(c)) {
            taken.push(character);
            self.bump();
        }
        taken
    }

    pub(super) fn next(&mut self) -> Result<(Token, Place), Fault> {
        self.skip()?;
        let place = self.place;
        let token = match self.peek() {
            None => Token::End,
            Some('-') if self.sees("->") => self.edge(true),
            Some('-') if self.sees("--") => self.edge(false),
            Some('"') => Token::Word(self.quoted()?),
            Some('<') => Token::Word(self.html()?),
            Some(c) if c == '-' || c == '.' || c.is_ascii_digit() => Token::Word(self.number()?),
            Some(c) if is_name(c) => {
                Token::Word(Word { text: self.take_while(is_name), form: Form::Plain })
            }
            Some(c) if "{}[];,=:".contains(c) => {
                self.bump();
                Token::Symbol(c)
            }
            Some(c) => {
                let c = c.escape_debug();
                return Err(place.fault(format!(
                    "`{c}` has no meaning here; names with special \
                                                characters are written in double quotes"
                )));
            }
        };
        Ok((token, place))
    }

    fn edge(&mut self, directed: bool) -> Token {
        self.bump();
        self.bump();
        Token::Edge { directed }
    }

    /// Skips white space and comments: `// ..`, `/* .. */` and `# ..`.
    fn skip(&mut self) -> Result<(), Fault> {
        loop {
            let place = self.place;
            if self.sees("//") || self.sees("#") {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.bump();
                }
            } else if self.sees("/*") {
                self.bump();
                self.bump();
                while !self.sees("*/") {
                    if self.bump().is_none() {
                        return Err(place.fault("this comment is not closed".to_owned()));
                    }
                }
                self.bump();
                self.bump();
            } else if self.peek().is_some_and(|c| c.is_whitespace() || c == '\u{FEFF}') {
                self.bump();
            } else {
                return Ok(());
            }
        }
    }

    /// Parses `[-] (. digits | digits [. digits])`.
    fn number(&mut self) -> Result<Word, Fault> {
        let place = self.place;
        let mut text = String::new();
        if self.sees("-") {
            text.extend(self.bump());
        }
        let digits = self.take_while(|c| c == '.' || is_name(c));
        text.push_str(&digits);
        let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
        let proper = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if proper(whole) && proper(fraction) && whole.len() + fraction.len() > 0 {
            return Ok(Word { text, form: Form::Plain });
        }
        let text = text.escape_debug();
        Err(place.fault(format!("`{text}` is neither a number nor a name; write \"{text}\"")))
    }

    /// Parses `".." [+ ".."]`: the only escape is `\"`; a backslash at the end of a line continues
    /// it.
    fn quoted(&mut self) -> Result<Word, Fault> {
        let mut text = String::new();
        loop {
            let place = self.place;
            self.bump();
            loop {
                if self.sees("\\\"") || self.sees("\\\\") {
                    let backslash = self.bump();
                    // `\\` keeps both backslashes: the label resolves it, and it hides no quote.
                    text.extend(backslash.filter(|_| self.sees("\\")));
                    text.extend(self.bump());
                } else if self.sees("\\\n") || self.sees("\\\r\n") {
                    while self.bump() != Some('\n') {}
                } else {
                    match self.bump() {
                        None => return Err(place.fault("this quote is not closed".to_owned())),
                        Some('"') => break,
                        Some(character) => text.push(character),
                    }
                }
            }
            self.skip()?;
            if !self.sees("+") {
                return Ok(Word { text, form: Form::Quoted });
            }
            self.bump();
            self.skip()?;
            if !self.sees("\"") {
                return Err(self.place.fault("a quoted text should follow `+`".to_owned()));
            }
        }
    }

    /// Parses `<..>`, with the same number of opening and closing brackets inside.
    fn html(&mut self) -> Result<Word, Fault> {
        let place = self.place;
        let mut text = String::new();
        let mut open = 0_u32;
        loop {
            let Some(character) = self.bump() else {
                return Err(place.fault("this `<` is not closed".to_owned()));
            };
            text.push(character);
            match character {
                '<' => open += 1,
                '>' => open -= 1,
                _ => {}
            }
            if open == 0 {
                return Ok(Word { text, form: Form::Html });
            }
        }
    }
}

fn is_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric() || (!c.is_ascii() && !c.is_whitespace() && !c.is_control())
}
