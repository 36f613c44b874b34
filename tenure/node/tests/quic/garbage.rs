//! Datagrams that no participant sends.

use crate::hosts::{Hosts, LONG, OFFICE, until};
use std::net::UdpSocket;
use std::time::{Duration, Instant};
use suffrage_numbers::random::Generator;
use tokio::time::timeout;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_and_floods_do_not_depose_the_leader() {
    let hosts = Hosts::three();
    let members = hosts.start_all().await;
    let leadership = timeout(LONG, members[0].office(OFFICE).stand()).await.unwrap().unwrap();
    let addresses = hosts.addresses.clone();
    let flood = std::thread::spawn(move || {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let mut coins = Generator::new(1, "garbage");
        let began = Instant::now();
        let mut sent = 0;
        while began.elapsed() < Duration::from_secs(2) {
            let mut bytes = vec![0; 1 + coins.below(1400) as usize];
            for byte in &mut bytes {
                *byte = coins.bits() as u8;
            }
            if sent % 2 == 0 {
                // Like the first packet of a connection.
                bytes.resize(1200, 0);
                bytes[..6].copy_from_slice(&[0xc3, 0, 0, 0, 1, 8]);
            }
            let to = &addresses[sent % addresses.len()];
            let _ = socket.send_to(&bytes, to);
            sent += 1;
            if sent % 16 == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        sent
    });
    let sent = tokio::task::spawn_blocking(move || flood.join().unwrap()).await.unwrap();
    assert!(sent > 1000);
    leadership.check().unwrap();
    for member in &members {
        until(member, |status| status.members.iter().all(|peer| peer.connected)).await;
    }
}
