//! The words, texts and brackets of GML.

use crate::files::raw::Fault;
use std::fmt;

pub(super) enum Token {
    /// A key or a number.
    Word(String),
    /// A text in quotes, with its entities resolved.
    Text(String),
    Open,
    Close,
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) | Self::Text(word) => {
                let shown: String = word.chars().take(30).collect();
                write!(f, "`{}`", shown.escape_debug())
            }
            Self::Open => f.write_str("`[`"),
            Self::Close => f.write_str("`]`"),
            Self::End => f.write_str("end of file"),
        }
    }
}

pub(super) struct Lexer<'a> {
    rest: &'a str,
    /// The line in which the last token begins.
    pub(super) line: u64,
    /// The line in which the next token may begin.
    next: u64,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1, next: 1 }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.next += taken.bytes().filter(|&byte| byte == b'\n').count() as u64;
        self.rest = rest;
        taken
    }

    pub(super) fn next(&mut self) -> Result<Token, Fault> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.take(blank);
            if !self.rest.starts_with('#') {
                break;
            }
            self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
        }
        self.line = self.next;
        let Some(first) = self.rest.chars().next() else { return Ok(Token::End) };
        Ok(match first {
            '[' => {
                self.take(1);
                Token::Open
            }
            ']' => {
                self.take(1);
                Token::Close
            }
            '"' => {
                let Some(length) = self.rest[1..].find('"') else {
                    return Err(Fault::line(self.line, "this quote is not closed"));
                };
                let text = &self.take(length + 2)[1..=length];
                let resolved = quick_xml::escape::unescape(text);
                Token::Text(resolved.map_or_else(|_| text.to_owned(), Into::into))
            }
            c if c.is_alphanumeric() || "_+-.".contains(c) => {
                let ends = |c: char| c.is_whitespace() || "[]\"".contains(c);
                Token::Word(self.take(self.rest.find(ends).unwrap_or(self.rest.len())).to_owned())
            }
            c => {
                let what = format!("`{}` has no meaning here", c.escape_debug());
                return Err(Fault::line(self.line, what));
            }
        })
    }
}
