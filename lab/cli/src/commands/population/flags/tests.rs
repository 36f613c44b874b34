use super::*;
use clap::Parser;

#[derive(Debug, Parser)]
struct Population {
    #[command(flatten)]
    args: PopulationArgs,
}

#[test]
fn agents_have_a_number_identities_or_nodes() {
    let parse = |line: &str| Population::try_parse_from(line.split(' ')).map(|_| ());
    for enough in ["--agents 3", "--ids serials.txt", "--topology ring:10"] {
        assert!(parse(&format!("population epidemic {enough}")).is_ok(), "{enough}");
    }
    assert!(parse("population epidemic").is_err(), "none of the three");
}
