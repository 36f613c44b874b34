//! Edge lists that workers read in parts: the network, the notes and the errors of reading them as a whole.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Barrier, Mutex},
    thread,
};
use suffrage_model::{NetworkClass, Port};
use suffrage_networks::{
    FileError, FileFormat, FileOptions, FileSyntax, Ports,
    parts::{EdgeList, Exchange, PartRequest, PartialNetwork, block_width},
    random::Generator,
    read_file,
};

/// A folder for the files of a test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(test: &str) -> Self {
        let name = format!("suffrage-parts-{test}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Letters with their senders.
type Inbox = Mutex<Vec<(u32, Vec<u8>)>>;

/// The letters under way to each of some threads.
struct Desk {
    inboxes: Vec<Inbox>,
    barrier: Barrier,
}

struct Worker<'a> {
    desk: &'a Desk,
    number: u32,
}

impl Exchange for Worker<'_> {
    fn worker(&self) -> u32 {
        self.number
    }

    fn workers(&self) -> u32 {
        self.desk.inboxes.len() as u32
    }

    fn send(&mut self, to: u32, letter: Vec<u8>) {
        self.desk.inboxes[to as usize].lock().unwrap().push((self.number, letter));
    }

    fn exchange(&mut self) -> Vec<(u32, Vec<u8>)> {
        self.desk.barrier.wait();
        let mut letters =
            std::mem::take(&mut *self.desk.inboxes[self.number as usize].lock().unwrap());
        letters.sort_by_key(|&(from, _)| from);
        self.desk.barrier.wait();
        letters
    }
}

/// Reads a file by this many workers; all of them must say the same.
pub(crate) fn in_parts(
    path: &Path,
    options: FileOptions,
    asked: &PartRequest,
    workers: usize,
) -> Result<PartialNetwork, FileError> {
    let list = EdgeList::open(path, options)?.expect("an edge list");
    let inboxes = (0..workers).map(|_| Mutex::default()).collect();
    let desk = Desk { inboxes, barrier: Barrier::new(workers) };
    let parts: Vec<_> = thread::scope(|scope| {
        let read = |number| {
            let (desk, list) = (&desk, &list);
            scope.spawn(move || list.part(asked, &mut Worker { desk, number }))
        };
        let threads: Vec<_> = (0..workers as u32).map(read).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let say = |part: &Result<_, FileError>| part.as_ref().err().map(ToString::to_string);
    assert!(parts.iter().all(|part| say(part) == say(&parts[0])), "{:?}", parts[0]);
    let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(PartialNetwork::of(parts).expect("there is a worker"))
}

#[track_caller]
fn assert_same(path: &Path, options: FileOptions, workers: usize, ports: Ports) {
    let asked = PartRequest { ports, seed: 5, diameter: true, labels: String::new() };
    let text = || String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let found = in_parts(path, options, &asked, workers);
    let whole = match read_file(path, options) {
        Ok(whole) => whole,
        Err(error) => {
            let found = found.expect_err(&error.to_string()).to_string();
            assert_eq!(found, error.to_string(), "{workers}:\n{}", text());
            return;
        }
    };
    let found = found.unwrap_or_else(|error| panic!("{error} {workers}:\n{}", text()));
    let wiring = whole.wire(ports, 5);
    let (nodes, links) = (u64::from(whole.nodes()), whole.links());
    assert_eq!((found.nodes(), found.links()), (nodes, links), "{workers}:\n{}", text());
    assert_eq!(found.notes(), whole.notes(), "{workers}:\n{}", text());
    assert_eq!((found.kind(), found.source()), (whole.kind(), whole.source()));
    assert_eq!(found.diameter(), u64::from(wiring.diameter()), "{workers}:\n{}", text());
    assert_eq!(found.fits(NetworkClass::Tree), wiring.fits(NetworkClass::Tree));
    assert_eq!(Some(found.first_label()), whole.label(0));
    for node in 0..whole.nodes() {
        let far = u64::from(node);
        assert_eq!(found.label(far), whole.label(node), "{workers}:\n{}", text());
        assert_eq!(found.degree(far), wiring.degree(node));
        for port in (0..=wiring.degree(node)).map(Port) {
            let end = wiring.try_across(node, port).map(|end| (end.node.into(), end.port));
            assert_eq!(found.across(far, port), end, "{node} {port:?} {workers}:\n{}", text());
        }
        assert_eq!(found.link(far, Port(0)), wiring.link(node, Port(0)));
    }
    for begin in (0..nodes).step_by(block_width(nodes, workers as u32) as usize) {
        let end = nodes.min(begin + block_width(nodes, workers as u32));
        let last = end as u32 - 1;
        let ends = wiring.link(begin as u32, Port(0))..wiring.link(last, Port(wiring.degree(last)));
        assert_eq!(found.links_of(&(begin..end)), ends);
    }
}

fn assert_same_in_all(path: &Path, options: FileOptions) {
    for workers in 1..=4 {
        for ports in [Ports::Rotation, Ports::Random] {
            assert_same(path, options, workers, ports);
        }
    }
}

pub(crate) const PLAIN: FileOptions = FileOptions { largest_component: false, format: None };
pub(crate) const TOLD: FileOptions =
    FileOptions { largest_component: false, format: Some(FileSyntax::of(FileFormat::EdgeList)) };

#[test]
fn parts_are_those_of_the_whole() {
    let folder = Folder::new("whole");
    let mut opened = 0;
    for (name, text) in [
        ("cities", "Praha Brno\nBrno Plzeň\nPlzeň Praha 90\nBrno Olomouc 80\n"),
        ("windows", "a b\r\nb c\r\n\r\n# the end\r\nc a\r\n"),
        ("end", "1 2\n2 3\n3 4\n4 1"),
        ("loops", "1 1\n1 2\n2 1\n1 2 5\n2 2\n3 1\n"),
        ("comments", "# one\n# two\n# three\n% four\nx y\n\n\ny z\n"),
        ("marked", "\u{feff}a b\nb c\n"),
        ("alone.txt", "7\n"),
        ("twice.txt", "a\na\na\n"),
        (
            "weights.csv",
            "Source,Target,Weight\n\"New York\",Boston,3\nBoston,\"a \"\"b\"\", c\",1\n",
        ),
        ("tabs.tsv", "New York\tBoston\t7\tx\ty\nBoston\tNew York\nBoston\tWien\n"),
        ("counts", "3 3\n0 1\n1 2\n2 0\n"),
        ("from one", "4 6\n1 2\n2 3\n3 1\n1 2\n1 4\n4 2\n"),
        ("later", "4 6\n1 2\n2 3\n3 1\n1 2\n1 3\n2 4\n"),
        ("doubt", "3 2\n2 1\n1 3\n"),
        ("words", "u v\nv w\nw u\n"),
        ("header", "from,to\n1,2\n2,3\n"),
        ("apart", "a b\nc d\nd e\nf f\ne c\ng\n"),
        ("scattered", "1 2\n3 4\n5 6\n7 8\n9 10\n11 12\n13 14\n"),
        ("wide", "1 2\n2 3\n3 4 5 6\n4 5\n"),
        ("empty label.csv", "a,b\nb,c\n,d\nd,e\n"),
        ("quote.csv", "a,b\nb,\"c\nc,a\n"),
        ("nothing.txt", "# nothing\n\n"),
        ("none.txt", ""),
    ] {
        let path = folder.file(name, text);
        for options in [TOLD, PLAIN] {
            if !matches!(EdgeList::open(&path, options), Ok(None)) {
                opened += 1;
                assert_same_in_all(&path, options);
            }
        }
    }
    assert!(opened > 30, "{opened} were opened");
    let broken = [b"a b\nb c\nc d\n".as_slice(), b"d \xFFe\n", b"e f\n"].concat();
    assert_same_in_all(&folder.file("latin.txt", broken), PLAIN);
    assert_same_in_all(&folder.file("nul.txt", b"a b\nb c\nc \0d\nd e\n"), TOLD);
}

/// Headers and labels that look like others are decided as one worker decides them.
#[test]
fn random_lists_are_read_as_a_whole_is() {
    let folder = Folder::new("random");
    let words = ["1", "2", "3", "4", "5", "01", "+2", "0", "a", "u", "v", "source", "target", "-7"];
    let mut random = Generator::new(1, "lists");
    let mut read = 0;
    for _ in 0..600 {
        let pool = 2 + random.below(words.len() as u64 - 2);
        let mut text = String::new();
        for _ in 0..=random.below(9) {
            let mut word = || words[random.below(pool) as usize];
            let (one, other) = (word(), word());
            let line = match random.below(12) {
                0 => format!("# {one}"),
                1 => one.to_owned(),
                2 => format!("{one} {other} 2"),
                3 => String::new(),
                _ => format!("{one} {other}"),
            };
            text += &line;
            text += ["\n", "\r\n"][random.below(2) as usize];
        }
        if random.below(2) == 0 {
            text = text.trim_end().to_owned();
        }
        let path = folder.file("list.txt", &text);
        for options in [PLAIN, TOLD] {
            if !matches!(EdgeList::open(&path, options), Ok(Some(_))) {
                continue;
            }
            read += u32::from(read_file(&path, options).is_ok());
            for workers in [1, 2, 3, 5] {
                assert_same(&path, options, workers, Ports::Rotation);
            }
        }
    }
    assert!(read > 100, "{read} were networks");
}

#[test]
fn a_large_one_is_read_as_a_whole_is() {
    let folder = Folder::new("large");
    let mut random = Generator::new(2, "lists");
    let mut text = String::from("# 3000 nodes\n");
    for node in 1..3000_u64 {
        for _ in 0..3 {
            let earlier = random.below(node);
            text += &format!("node{node} {}{earlier} {}\n", "node", random.below(3));
        }
    }
    let path = folder.file("large.txt", text);
    for (workers, ports) in [(1, Ports::Random), (3, Ports::Rotation), (4, Ports::Random)] {
        assert_same(&path, TOLD, workers, ports);
    }
}

#[test]
fn nodes_are_found_by_their_names() {
    let folder = Folder::new("names");
    let path = folder.file("cities.csv", "Oslo,Wien\nWien,\"Washington, D.C.\"\nWien,D.C.\n");
    let labels = "Wien,Washington, D.C.,Roma".to_owned();
    for workers in 1..4 {
        let asked = PartRequest { labels: labels.clone(), ..PartRequest::default() };
        let network = in_parts(&path, TOLD, &asked, workers).unwrap();
        let of = |name| network.node_named(name);
        assert_eq!((of("Wien"), of("Washington, D.C.")), (Some(1), Some(2)));
        assert_eq!((of("Roma"), of("Oslo")), (None, None), "it is not there, or not asked for");
    }
}

#[test]
fn what_cannot_be_read_in_parts_is_left_to_one_worker() {
    let folder = Folder::new("other");
    let opens = |path: &Path, options| EdgeList::open(path, options).unwrap().is_some();
    let graph = folder.file("graph.dot", "graph { a -- b }");
    assert!(!opens(&graph, PLAIN));
    let utf16: Vec<u8> = "a b\nb c\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(!opens(&folder.file("utf16.txt", utf16), PLAIN));
    let list = folder.file("list.txt", "a b\nb c\n");
    assert!(opens(&list, PLAIN));
    assert!(!opens(&list, FileOptions { largest_component: true, ..PLAIN }));
    // Many workers may have nothing to read.
    assert_same(&list, PLAIN, 9, Ports::Rotation);
    let control = folder.file("control.csv", "a,b\nb,c\u{1}d\n");
    let error = in_parts(&control, TOLD, &PartRequest::default(), 2).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "control.csv:2: the label `c\\u{1}d` has a control character, which \
         only a single worker can replace: remove it, or run the election with one worker"
        ),
        "{error}"
    );
}
