use super::*;
use std::{
    io::{Read, Write},
    net::TcpListener,
    time::Instant,
};
use timely::communication::networking::MessageHeader;

fn pair() -> (HostLink, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let there = TcpStream::connect(listener.local_addr().expect("bound")).expect("it listens");
    let (here, _) = listener.accept().expect("one has called");
    let unexpected: OnLoss = |lost| panic!("{lost}");
    let told = Arc::new(AtomicBool::new(false));
    (HostLink::new(here, "host 1".into(), Leaving::default(), told, unexpected), there)
}

fn farewell() -> Vec<u8> {
    let header = MessageHeader {
        channel: 0,
        source: 0,
        target_lower: 0,
        target_upper: 0,
        length: 0,
        seqno: 0,
    };
    let mut bytes = Vec::new();
    header.write_to(&mut bytes).expect("memory");
    bytes
}

#[test]
fn a_connection_that_ends_with_a_farewell_has_an_end() {
    let (mut link, mut there) = pair();
    link.leaving.announce();
    // In two parts, after something else.
    let said = [b"something".to_vec(), farewell()].concat();
    there.write_all(&said[..20]).expect("written");
    there.write_all(&said[20..]).expect("written");
    drop(there);
    let mut read = Vec::new();
    link.read_to_end(&mut read).expect("an end");
    assert_eq!(read, said);
    assert!(!link.leaving.is_cut_short());
}

#[test]
fn one_that_ends_without_when_all_may_go_makes_no_trouble() {
    let (mut link, mut there) = pair();
    link.leaving.announce();
    there.write_all(&[1; 200]).expect("written");
    drop(there);
    let leaving = link.leaving.clone();
    // Not joined: it stays as long as the program.
    thread::spawn(move || link.read_to_end(&mut Vec::new()));
    let since = Instant::now();
    while !leaving.is_cut_short() {
        assert!(since.elapsed() < Duration::from_secs(20), "the loss is noticed");
        thread::sleep(Duration::from_millis(5));
    }
}
