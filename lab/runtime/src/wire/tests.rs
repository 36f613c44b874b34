use super::*;

const FRAMES: [LinkFrame<'_>; 5] = [
    LinkFrame::Payload { number: 7, bytes: &[1, 2, 3] },
    LinkFrame::Taken(u64::MAX),
    LinkFrame::Beat,
    LinkFrame::Payload { number: 300, bytes: &[] },
    LinkFrame::Bye { certain: true },
];

#[test]
fn frames_come_out_as_they_went_in_however_the_stream_is_cut() {
    let mut stream = BytesMut::new();
    FRAMES.iter().for_each(|frame| put_frame(&mut stream, &[], frame));
    let (mut buffer, mut read) = (BytesMut::new(), Vec::new());
    for byte in stream {
        buffer.put_u8(byte);
        while let Some(bytes) = take_frame(&mut buffer, 64).unwrap() {
            read.push(bytes);
        }
    }
    let read: Vec<_> = read.iter().map(|bytes| LinkFrame::from_bytes(bytes).unwrap()).collect();
    assert_eq!(read, FRAMES);
    assert!(buffer.is_empty());
}

#[test]
fn a_frame_that_is_too_long_is_refused_before_it_comes() {
    let mut buffer = BytesMut::from(&[0xFF, 0xFF, 0xFF, 0x7F][..]);
    let error = take_frame(&mut buffer, 64).unwrap_err();
    assert_eq!(error, WireError::TooLong { length: 0x7FFF_FFFF, limit: 64 });
}

#[test]
fn a_version_is_known_before_anything_else_is_read() {
    let mut out = BytesMut::new();
    greeting(&mut out, &LinkAnswer::Crossed);
    let frame = take_frame(&mut out, 64).unwrap().unwrap();
    assert_eq!(read_greeting::<LinkAnswer>(&frame), Ok(LinkAnswer::Crossed));
    let mut later = frame.to_vec();
    later[4] = 99;
    later[6] = 99;
    assert_eq!(read_greeting::<LinkAnswer>(&later), Err(WireError::Version(99)));
    assert_eq!(read_greeting::<LinkAnswer>(b"GET / HTTP/1.1"), Err(WireError::Foreign));
    assert_eq!(read_greeting::<LinkAnswer>(b""), Err(WireError::Foreign));
}
