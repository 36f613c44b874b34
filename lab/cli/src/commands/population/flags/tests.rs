use super::*;
use clap::Parser;

#[derive(Debug, Parser)]
struct Population {
    #[command(flatten)]
    args: PopulationArgs,
}

fn parse(line: &str) -> Result<PopulationArgs, clap::Error> {
    Population::try_parse_from(line.split(' ')).map(|population| population.args)
}

fn described(args: &PopulationArgs) -> PopulationExperiment {
    args.experiment(args.agents.unwrap_or(0), None, MeetingModel::Uniform)
}

#[test]
fn flags_describe_an_experiment() {
    let args = parse(
        "population self-terminating --agents 1e12 --trials 3 --rule difference \
            --margin 7.5 --engine closed-form --seed 9",
    )
    .unwrap();
    let experiment = described(&args);
    let protocol = SelfTerminating {
        margin: "7.5".parse().unwrap(),
        rule: DeclarationRule::Difference,
        min_interactions: 0,
    };
    assert_eq!(experiment.protocol, NamedProtocol::SelfTerminating(protocol));
    assert_eq!((experiment.agents, experiment.trials, experiment.seed), (1_000_000_000_000, 3, 9));
    assert_eq!(experiment.engine, Some(EngineKind::ClosedForm));
    let default = parse("population self-terminating --agents 10").unwrap();
    let default = described(&default);
    assert_eq!(default.protocol, NamedProtocol::SelfTerminating(SelfTerminating::default()));
    let printed = parse("population epidemic --rule printed --agents 10").unwrap();
    assert_eq!(described(&printed).protocol, NamedProtocol::Epidemic { printed: true });
}

#[test]
fn agents_have_a_number_identities_or_nodes() {
    for enough in ["--agents 3", "--ids serials.txt", "--topology ring:10"] {
        assert!(parse(&format!("population epidemic {enough}")).is_ok(), "{enough}");
    }
    assert!(parse("population epidemic").is_err(), "none of the three");
}

#[test]
fn names_are_those_of_the_results() {
    for engine in EngineName::value_variants() {
        if let Some(kind) = engine.engine() {
            assert_eq!(engine.to_possible_value().unwrap().get_name(), kind.name());
        }
    }
    for rule in RuleName::value_variants() {
        assert_eq!(rule.to_possible_value().unwrap().get_name(), rule.rule().name());
    }
    for protocol in ProtocolName::value_variants() {
        let name = protocol.to_possible_value().unwrap();
        let args = parse(&format!("population {} --agents 2", name.get_name())).unwrap();
        assert_eq!(described(&args).protocol.name(), name.get_name());
    }
}
