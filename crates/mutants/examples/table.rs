//! Prints the table of all mutants and what killed them, as `docs/mutants.md` has it.

use std::process::ExitCode;
use suffrage_mutants::{Fate, examine_all, report};

fn main() -> ExitCode {
    let mut escaped = 0;
    let fates = examine_all(|suite, fault, fate| {
        let right = matches!(fate, Fate::Killed { property, .. } if property == fault.breaks);
        if !right {
            escaped += 1;
            eprintln!("{}, {}: {} expected, {fate:?}", suite.algorithm, fault.name, fault.breaks);
        }
    });
    print!("{}", report(&fates));
    ExitCode::from(u8::from(escaped > 0))
}
