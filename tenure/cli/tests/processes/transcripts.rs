//! The transcripts print what the command prints: documents, in `tests/transcripts`, of command lines and their
//! output. `TRYCMD=overwrite cargo test -p tenure-cli transcripts` writes them anew.

use crate::Test;

pub(crate) const TESTS: &[Test] = &[("commands_print_what_the_transcripts_have", printed)];

fn printed() {
    trycmd::TestCases::new().case("tests/transcripts/*.md").env("NO_COLOR", "1");
}
