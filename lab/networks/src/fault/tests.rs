use super::*;

#[test]
fn a_fault_reads_what_it_writes() {
    for text in [
        "no-fifo",
        "loss:0.25",
        "loss:1.0",
        "loss:0.0",
        "loss:1",
        "duplicate:0.1",
        "duplicate:255",
        "crash:3@10",
        "crash:2",
    ] {
        assert_eq!(text.parse::<Fault>().unwrap().to_string(), text);
        let json = serde_json::to_string(&text.parse::<Fault>().unwrap()).unwrap();
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<Fault>(&json).unwrap().to_string(), text);
    }
    let tiny = Fault::Loss(Amount::Probability(1e-9));
    assert_eq!(tiny.to_string().parse(), Ok(tiny));
}

#[test]
fn a_point_or_a_percent_sign_makes_a_probability_and_a_whole_number_a_count() {
    let loss = |text: &str| match text.parse() {
        Ok(Fault::Loss(amount)) => amount,
        other => panic!("{text}: {other:?}"),
    };
    for text in ["loss:0.2", "loss:20%", "loss:.2", "loss:20.0%", "loss:2e-1"] {
        assert_eq!(loss(text), Amount::Probability(0.2), "{text}");
    }
    assert_eq!(loss("loss:100%"), Amount::Probability(1.0));
    assert_eq!(loss("loss:0%"), Amount::Probability(0.0));
    assert_eq!(loss("loss:20"), Amount::Count(20));
}

#[test]
fn an_error_says_how_to_write_it() {
    let say = |text: &str| text.parse::<Fault>().unwrap_err().to_string();
    assert!(say("loss:1.5").contains("from 0 to 1"));
    assert!(say("duplicate:150%").contains("from 0% to 100%"));
    assert!(say("loss").contains("loss:0.05 or loss:5%, or a count, as in loss:1"));
    assert!(say("duplicate:x").contains("duplicate:5%"));
    assert!(say("loss:-1").contains("write a probability"));
    assert!(say("loss:nan%").contains("write a probability"));
    assert!(say("loss:0").contains("at most 0 times is no fault"));
    assert!(say("loss:0").ends_with("as in 0.05 or 5%"));
    assert!(say("crash:0").ends_with("at most 0 times is no fault; leave it out"));
    assert!(say("crash:3@").contains("crash:3@10"));
    assert!(say("crash").contains("crash:3@10, or how many"));
    assert!(say("fire").contains("unknown fault `fire`"));
    assert!(say("no-fifo:1").contains("unknown"));
}

#[test]
fn two_faults_that_say_different_things_about_the_same_contradict_each_other() {
    let check = |faults: &[&str]| {
        let faults: Vec<Fault> = faults.iter().map(|text| text.parse().unwrap()).collect();
        Fault::check_all(&faults).map_err(|error| error.to_string())
    };
    assert!(check(&["loss:0.1", "duplicate:0.1", "crash:1@3", "crash:2@3"]).is_ok());
    assert!(check(&["loss:1", "loss:1"]).is_ok());
    let error = check(&["loss:0.1", "loss:1"]).unwrap_err();
    assert_eq!(error, "the faults loss:0.1 and loss:1 contradict each other: give one of them");
    assert!(check(&["crash:1@3", "crash:1@4"]).is_err());
    for wrong in [Amount::Probability(1.5), Amount::Probability(f64::NAN), Amount::Count(0)] {
        assert!(Fault::check_all(&[Fault::Loss(wrong)]).is_err(), "{wrong}");
    }
}
