//! The decoder accepts any bytes without a panic, and reads back what was encoded.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use bytes::BytesMut;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use suffrage_algorithms::{Algorithm, AlgorithmVisitor};
use suffrage_model::{
    Diameter, Facts, Id, Knowledge, Multiplicity, Net, Place, Port, Process, Size, Wire,
};
use suffrage_runtime::wire::{
    LONGEST_GREETING, LinkAnswer, LinkFrame, LinkHello, LinkWelcome, Refusal, VERSION, WireError,
    read_greeting, take_frame,
};

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_are_cut_and_read_without_harm(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        cut in 0_usize..300,
        limit in 0_usize..400,
    ) {
        let mut whole = BytesMut::from(&bytes[..]);
        let mut parts = BytesMut::from(&bytes[..cut.min(bytes.len())]);
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let one = drain(&mut whole, limit, &mut first);
        let _ = drain(&mut parts, limit, &mut second);
        parts.extend_from_slice(&bytes[cut.min(bytes.len())..]);
        // The pieces of the stream do not matter, unless it was invalid before the cut.
        if one.is_ok() {
            prop_assert!(drain(&mut parts, limit, &mut second).is_ok());
            prop_assert_eq!(&first, &second);
        }
        for frame in first {
            prop_assert!(frame.len() <= limit);
            let _ = LinkFrame::from_bytes(&frame);
            let _ = read_greeting::<LinkHello>(&frame);
            let _ = read_greeting::<LinkAnswer>(&frame);
        }
    }

    #[test]
    fn frames_are_read_as_they_were_written(
        number in any::<u64>(),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        for frame in [LinkFrame::Payload { number, bytes: &bytes }, LinkFrame::Taken(number), LinkFrame::Bye { certain: true }] {
            let written = postcard::to_stdvec(&frame).unwrap();
            prop_assert_eq!(LinkFrame::from_bytes(&written), Ok(frame));
            let mut longer = written.clone();
            longer.push(0);
            prop_assert_eq!(LinkFrame::from_bytes(&longer), Err(WireError::Garbage(longer.len())));
            prop_assert!(LinkFrame::from_bytes(&written[..written.len() - 1]).is_err());
        }
    }

    #[test]
    fn greetings_are_read_as_they_were_written_and_are_short(
        name in "[a-zé]{1,32}",
        from in any::<(u32, u32)>(),
        incarnation in any::<u64>(),
        expects in any::<Option<u64>>(),
        received in any::<u64>(),
        window in any::<u32>(),
    ) {
        let digest = postcard::from_bytes(&[7; 16]).unwrap();
        let hello = LinkHello {
            cluster: name.clone(),
            algorithm: "villadangos@published".to_owned(),
            digest,
            from,
            to: (u32::MAX, u32::MAX),
            incarnation,
            expects,
            last: u32::MAX,
            received,
            window,
        };
        let frame = greeting(&hello);
        prop_assert!(frame.len() <= LONGEST_GREETING);
        prop_assert_eq!(read_greeting::<LinkHello>(&frame), Ok(hello));
        let welcome = LinkWelcome { incarnation, connection: 3, received, window };
        for answer in [
            LinkAnswer::Welcome(welcome),
            LinkAnswer::Crossed,
            LinkAnswer::Refused(Refusal::Cluster(name)),
            LinkAnswer::Refused(Refusal::Network(digest)),
        ] {
            let frame = greeting(&answer);
            prop_assert!(frame.len() <= LONGEST_GREETING);
            prop_assert_eq!(read_greeting::<LinkAnswer>(&frame), Ok(answer));
        }
    }

    /// No process panics on any sequence of messages of its algorithm.
    #[test]
    fn no_message_is_too_much_for_a_process(
        // Small bytes are tags of messages, and valid identities and places.
        bytes in prop::collection::vec(prop_oneof![9 => 0_u8..4, 1 => any::<u8>()], 0..400),
        wakes in any::<bool>(),
    ) {
        for algorithm in Algorithm::all() {
            algorithm.visit(Pelt { bytes: &bytes, wakes });
        }
    }
}

fn drain(buffer: &mut BytesMut, limit: usize, frames: &mut Vec<Vec<u8>>) -> Result<(), WireError> {
    while let Some(frame) = take_frame(buffer, limit)? {
        frames.push(frame.to_vec());
    }
    Ok(())
}

fn greeting(value: &impl serde::Serialize) -> Vec<u8> {
    let mut frame = b"SFRG".to_vec();
    frame.extend(VERSION.to_le_bytes());
    frame.extend(postcard::to_stdvec(value).unwrap());
    frame
}

/// Sends messages to one process of three.
struct Pelt<'a> {
    bytes: &'a [u8],
    wakes: bool,
}

impl AlgorithmVisitor for Pelt<'_> {
    type Output = ();

    fn visit<P: Process<Msg: Wire>>(self) {
        let facts = Facts {
            id: Id::new(2),
            size: Size(3),
            place: Place(1),
            diameter: Diameter(1),
            multiplicity: Multiplicity::ONE,
        };
        let mut process = P::new(P::Knows::of(&facts), 2);
        let mut net = Pelted;
        if self.wakes {
            process.wake(&mut net);
        }
        let mut rest = self.bytes;
        while let Some((&port, tail)) = rest.split_first() {
            match postcard::take_from_bytes::<P::Msg>(tail) {
                Ok((message, tail)) => {
                    process.receive(Port(u32::from(port) % 2), message, &mut net);
                    rest = tail;
                }
                Err(_) => rest = tail,
            }
        }
    }
}

struct Pelted;

impl<M: Copy> Net<M> for Pelted {
    fn degree(&self) -> u32 {
        2
    }
    fn send(&mut self, to: Port, _: M) {
        assert!(to.0 < 2, "there is no port {}", to.0);
    }
    fn choose(&mut self, _: u32) -> u32 {
        0
    }
    fn set_alarm(&mut self, _: u32) {}
    fn reject(&mut self, _: &'static str) {}
}
