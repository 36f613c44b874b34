//! The program in a page on which its reader is the scheduler.
//!
//! `cargo xtask page` compiles it to WebAssembly and puts it into the page. It is a filter: it reads a
//! question from standard input, as JSON, and writes the answer to standard output. Each question has a
//! program of its own, which begins anew, so that nothing has to be kept, freed or repaired. It answers as
//! well without a browser:
//!
//! ```console
//! $ echo '{"begin": {"algorithm": "chang-roberts", "network": "ring:3"}}' | cargo run -p suffrage-playground
//! ```

mod answer;
mod question;

use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let mut question = String::new();
    io::stdin().read_to_string(&mut question)?;
    let answer = answer::answer(&question);
    io::stdout().lock().write_all(answer.as_bytes())
}
