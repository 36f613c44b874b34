use super::*;

fn read(text: &str) -> Result<Specification, String> {
    Specification::read("file", text).map_err(|error| error.to_string())
}

fn everything() -> ElectionSpecification {
    ElectionSpecification {
        algorithm: Several(vec!["humblet".into(), "lelann".into()]),
        class: None,
        nodes: Several(vec![5, 6]),
        topology: Several(vec!["complete".into(), "ring".into()]),
        topology_format: Some(suffrage_networks::FileFormat::Gml.into()),
        largest_component: true,
        ids: Several(vec!["random".into(), "list:3,1,2".into()]),
        order: NodeOrder::IdsAscending,
        ports: Several(vec![PortOrder::Rotation, PortOrder::Random]),
        initiators: Several(vec![
            Initiators::All,
            Initiators::Some(3),
            Initiators::Listed("a,b".into()),
        ]),
        wake: Some(WakeUps::Spread(5)),
        schedule: Several(vec![
            "uniform:10".parse().unwrap(),
            "worst:depth".parse().unwrap(),
            "replay:x".parse().unwrap(),
        ]),
        capacity: Several(vec![Capacity(None), Capacity(Some(2))]),
        fault: vec!["no-fifo".parse().unwrap(), "loss:0.5".parse().unwrap()],
        event_limit: Some(1000),
        invariants: true,
        seed: u64::MAX,
        seeds: Some(NumberRange { first: 3, last: u64::MAX }),
        trials: Some(4),
        precision: Some(Precision(0.01)),
        rounds: true,
    }
}

#[test]
fn what_is_written_is_read() {
    let plain = ElectionSpecification::default();
    for elections in [plain, everything()] {
        for asked in [Specification::Elect(elections.clone()), Specification::Compare(elections)] {
            assert_eq!(read(&asked.to_toml()), Ok(asked.clone()), "{}", asked.to_toml());
            let json = serde_json::to_string_pretty(&asked).unwrap();
            assert_eq!(read(&json), Ok(asked.clone()), "{json}");
            let report = format!("{{\"command\": \"x\", \"specification\": {json}, \"n\": 1}}");
            assert_eq!(read(&report), Ok(asked.clone()), "{report}");
            assert_eq!(read(&format!("[{report}, {report}]")), Ok(asked));
        }
    }
}

#[test]
fn an_empty_file_is_said_to_be_empty() {
    for text in ["", " \n\n"] {
        assert!(read(text).unwrap_err().starts_with("file: it is empty"), "{:?}", read(text));
    }
}

#[test]
fn one_value_and_numbers_need_no_quotes() {
    let text =
        "[elect]\nnodes = 8\ninitiators = 3\ncapacity = 2\nprecision = 0.05\nseeds = \"2..9\"\n";
    let Ok(Specification::Elect(asked)) = read(text) else { panic!("{:?}", read(text)) };
    assert_eq!(asked.initiators, Several::one(Initiators::Some(3)));
    assert_eq!(asked.capacity, Several::one(Capacity(Some(2))));
    assert_eq!((asked.many(1).most, asked.precision), (8, Some(Precision(0.05))));
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_key() {
    for (text, says) in [
        ("[elect]\n\nnode = 3", "file: line 3: elect.node: unknown field `node`"),
        ("[elect]\nschedule = 'soon'", "file: line 2: elect.schedule: "),
        (
            "[compare]\nids = ['random']\nschedule = [\n'random',\n'soon']",
            "line 5: compare.schedule",
        ),
        ("[elect]\nseed = -1", "file: line 2: elect.seed: "),
        ("[elect]\nseed = ", "file: line 2: "),
        ("[elects]\nseed = 1", "unknown name `elects`"),
        ("", "file: "),
        ("{\n\"elect\": {\n\"seed\": \"x\"}}", "file: line 3: elect.seed: "),
        ("{\n\"elect\": {\n\"sed\": 1}}", "file: line 3: elect.sed: unknown field `sed`"),
        ("{\"command\": \"suffrage tenure\"}", "without the key `specification`"),
        (
            "{\n\"specification\":\n{\"elect\": {\n\"fault\": [\"loss\"]}}}",
            "line 4: elect.fault[0]: ",
        ),
        ("{", "file: not JSON: "),
        ("[\"x\", 1]", "neither a specification nor a report"),
        (
            "[elect]\nnodes = -3",
            "line 2: elect.nodes: write a whole number from 0 to 4294967295, and not -3",
        ),
        ("[sweep.elect]\nnodes = [3, 'x']", "nodes[1]: write a whole number from 0 to 4294967295,"),
        ("{\"elect\": 3}", "file: line 1: elect: write a table, and not 3"),
        ("[elect]\nseed = 1\n[check]\nseed = 1", "file: line 1: write one table, "),
        ("{\"elect\": {}, \"check\": {}}", "file: line 1: write one table, "),
        ("{\"elect\": {\"seed\": 1,\n\"seed\": 2}}", "the key `seed` is there twice at line 2"),
        (
            "{\"sweep\": {\"elect\": {}, \"elect\": {\"nodes\": [3]}}}",
            "the key `elect` is there twice",
        ),
        ("{\"elect\": {}} {\"elect\": {\"seed\": 2}}", "file: not JSON: trailing characters"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(says), "{text}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn the_command_names_what_is_not_the_default() {
    let asked = ElectionSpecification {
        algorithm: Several::one("humblet".into()),
        topology: Several::one("my net.txt".into()),
        schedule: Several::one("uniform:10".parse().unwrap()),
        initiators: Several::one(Initiators::Some(3)),
        ..ElectionSpecification::default()
    };
    assert_eq!(
        Specification::Elect(asked).command_line(),
        "suffrage elect humblet --topology 'my net.txt' --initiators 3 --schedule uniform:10 --seed 1"
    );
}

#[test]
fn a_shell_reads_what_was_meant() {
    assert_eq!(quoted("crash:3@10"), "crash:3@10");
    assert_eq!(quoted("my net.txt"), "'my net.txt'");
    assert_eq!(quoted("it's"), r"'it'\''s'");
    assert_eq!(quoted(""), "''");
}
