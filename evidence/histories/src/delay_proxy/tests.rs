use super::*;

const MS: Duration = Duration::from_millis(1);

#[test]
fn delays_are_drawn_from_the_seed_within_the_jitter() {
    let delays: DatagramDelays = "20ms 10ms".parse().unwrap();
    let drawn = |seed| (0..1000).map(move |n| delays.of(Key::new(seed, "test").at(n)));
    assert!(drawn(1).eq(drawn(1)) && !drawn(1).eq(drawn(2)));
    assert!(drawn(1).all(|delay| delay >= 10 * MS && delay <= 30 * MS));
    assert!(drawn(1).min().unwrap() < 11 * MS && drawn(1).max().unwrap() > 29 * MS);
}

#[test]
fn what_is_no_delay_and_jitter_is_refused() {
    for (line, why) in [
        ("20ms", "write a delay and a jitter"),
        ("soon 1ms", "number"),
        ("10ms 20ms", "the jitter (20ms) is more than the delay (10ms)"),
    ] {
        let error = line.parse::<DatagramDelays>().unwrap_err().to_string();
        assert!(error.contains(why), "{line}: {error}");
    }
    assert!(stand_in("10.0.0.101").is_err() && stand_in("a=b").is_err());
}

/// Two hosts, and the addresses that stand for them. All of 127.0.0.0/8 is of this machine.
#[test]
fn both_sides_see_one_path_on_which_datagrams_overtake_each_other_and_none_is_early() {
    let ip = |text: &str| text.parse::<IpAddr>().unwrap();
    let hosts = [(ip("127.0.1.1"), ip("127.0.0.1")), (ip("127.0.1.2"), ip("127.0.0.2"))];
    let delays = DatagramDelays::new(30 * MS, 25 * MS).unwrap();
    let (one, other) = (UdpSocket::bind("127.0.0.1:0"), UdpSocket::bind("127.0.0.2:0"));
    let (one, other) = (one.unwrap(), other.unwrap());
    let place = |own: usize, socket: &UdpSocket| {
        SocketAddr::new(hosts[own].0, socket.local_addr().unwrap().port())
    };
    let mut proxy = DelayProxy::new(&hosts, delays, 7);
    proxy.listen(place(1, &other), None).unwrap();
    thread::spawn(move || proxy.run());

    let mut room = [0; 8];
    let mut order = Vec::new();
    let began = Instant::now();
    for number in 0..50 {
        one.send_to(&[number], place(1, &other)).unwrap();
    }
    for _ in 0..50 {
        let (_, from) = other.recv_from(&mut room).unwrap();
        assert_eq!(from, place(0, &one));
        order.push(room[0]);
    }
    assert!(began.elapsed() >= 5 * MS);
    assert!(!order.is_sorted());
    order.sort_unstable();
    assert_eq!(order, (0..50).collect::<Vec<u8>>());

    other.send_to(b"answer", place(0, &one)).unwrap();
    let (length, from) = one.recv_from(&mut room).unwrap();
    assert_eq!((&room[..length], from), (&b"answer"[..], place(1, &other)));
}
