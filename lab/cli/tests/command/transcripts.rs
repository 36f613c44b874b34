//! The transcripts print what the command prints: documents, in `tests/transcripts`, of command lines and their
//! output. `TRYCMD=overwrite cargo test -p suffrage-cli --test command transcripts` writes them anew.

#[test]
fn commands_print_what_the_transcripts_have() {
    trycmd::TestCases::new()
        .case("tests/transcripts/*.md")
        .case("tests/transcripts/refusals/*.md")
        .env("NO_COLOR", "1")
        .timeout(std::time::Duration::from_secs(300));
}
