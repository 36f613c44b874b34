use super::*;

fn network(weather: NetworkWeather) -> SimulatedNetwork {
    let delays = DelaySampler::Uniform { least: 0, span: 1000 };
    SimulatedNetwork { weather, ..SimulatedNetwork::new(3, delays, Key::new(1, "test")) }
}

fn arrivals(network: &mut SimulatedNetwork) -> Vec<MessagePassage> {
    (0..10_000).map(|now| network.send(0, 1, now)).collect()
}

#[test]
fn without_faults_nothing_is_lost_doubled_or_overtaken() {
    let arrivals = arrivals(&mut network(NetworkWeather::default()));
    let once: Vec<u64> = arrivals
        .iter()
        .map(|passage| match passage {
            MessagePassage::Once(at) => *at,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(once.is_sorted());
}

#[test]
fn a_fifth_of_the_messages_is_lost_and_a_tenth_of_the_others_doubled() {
    let weather =
        NetworkWeather { lost: percent(20), doubled: percent(10), ..NetworkWeather::default() };
    let arrivals = arrivals(&mut network(weather));
    let count = |is: fn(&MessagePassage) -> bool| arrivals.iter().filter(|p| is(p)).count();
    assert!((1800..2200).contains(&count(|p| matches!(p, MessagePassage::Lost))));
    assert!((680..920).contains(&count(|p| matches!(p, MessagePassage::Twice(..)))));
}

#[test]
fn late_messages_are_overtaken() {
    let weather =
        NetworkWeather { overtaken: percent(10), late: 100_000, ..NetworkWeather::default() };
    let arrivals = arrivals(&mut network(weather));
    assert!(!arrivals.is_sorted_by_key(|passage| match passage {
        MessagePassage::Once(at) => *at,
        other => panic!("{other:?}"),
    }));
}

#[test]
fn a_link_is_cut_one_way() {
    let mut network = network(NetworkWeather::default());
    network.cut(|from, to| (from, to) == (0, 1));
    assert_eq!(network.send(0, 1, 5), MessagePassage::Lost);
    assert_ne!(network.send(1, 0, 5), MessagePassage::Lost);
}
