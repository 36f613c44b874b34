use super::*;

#[test]
fn a_socket_reaches_the_addresses_of_its_family_and_one_of_all_addresses_both() {
    let parse = |text: &str| -> Vec<SocketAddr> {
        text.split(' ').map(|address| address.parse().unwrap()).collect()
    };
    let found = parse("[2001:db8::1]:7400 10.0.0.1:7400 [2001:db8::2]:7400");
    let by = |own: &str| reachable(own.parse().unwrap(), &found);
    assert_eq!(by("0.0.0.0:7400"), parse("10.0.0.1:7400"));
    assert_eq!(by("[2001:db8::3]:7400"), parse("[2001:db8::1]:7400 [2001:db8::2]:7400"));
    assert_eq!(by("[::]:7400"), found);
    assert_eq!(reachable("0.0.0.0:0".parse().unwrap(), &parse("[::1]:7400")), []);
}

#[test]
fn a_socket_of_any_port_reaches_both_families() {
    let socket = any_socket().unwrap();
    for host in ["127.0.0.1:0", "[::1]:0"] {
        let Ok(other) = UdpSocket::bind(host) else {
            eprintln!("skipped: this host has no {host}");
            continue;
        };
        other.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let to = match other.local_addr().unwrap() {
            // As quinn does.
            SocketAddr::V4(to) => (to.ip().to_ipv6_mapped(), to.port()).into(),
            to @ SocketAddr::V6(_) => to,
        };
        if socket.local_addr().unwrap().is_ipv6() {
            socket.send_to(b"there?", to).unwrap();
            assert_eq!(other.recv(&mut [0; 9]).unwrap(), 6);
        }
    }
}
