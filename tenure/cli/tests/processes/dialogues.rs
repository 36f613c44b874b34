//! The dialogues of `tenure/clients/dialogues`, with each client of the local protocol; and three real members with them.

mod gateway;

use crate::Test;
use crate::hosts::{Hosts, LIMIT, until};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};
use suffrage_net::free;
use tempfile::TempDir;

pub(crate) const TESTS: &[Test] = &[
    ("every_client_keeps_to_every_dialogue", dialogues),
    ("every_client_leads_by_three_members_one_at_a_time", members),
    ("every_client_leads_over_https_by_three_members_one_at_a_time", remote_members),
];

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../clients");

/// A client in some language. Commands are executed in `tenure/clients`; `OUT` in them is a folder for what is built.
struct Client {
    name: &'static str,
    needs: &'static str,
    /// Fails where that is missing.
    check: &'static [&'static str],
    build: &'static [&'static str],
    adapter: &'static [&'static str],
}

const CLIENTS: &[Client] = &[
    Client {
        name: "python",
        needs: "Python 3.9 or later",
        check: &["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))"],
        build: &[],
        adapter: &["python3", "-S", "python/tests/adapter.py"],
    },
    Client {
        name: "python-asyncio",
        needs: "Python 3.9 or later",
        check: &["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))"],
        build: &[],
        adapter: &["python3", "-S", "python/tests/adapter_aio.py"],
    },
    Client {
        name: "node",
        needs: "Node 18 or later",
        check: &["node", "-e", "process.exit(+(parseInt(process.versions.node) < 18))"],
        build: &[],
        adapter: &["node", "node/tests/adapter.js"],
    },
    Client {
        name: "go",
        needs: "Go 1.19 or later",
        check: &["sh", "-c", "cd go && go list"],
        build: &["sh", "-c", "cd go && go vet ./... && go build -o 'OUT/adapter' ./tests/adapter"],
        adapter: &["OUT/adapter"],
    },
    Client {
        name: "java",
        needs: "a JDK of Java 17 or later",
        check: &["javac", "--release", "17", "--version"],
        build: &[
            "sh",
            "-c",
            "javac --release 17 -Xlint:all -Werror -d 'OUT' $(find java -name '*.java')",
        ],
        adapter: &["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", "OUT", "Adapter"],
    },
];

impl Client {
    fn command(&self, words: &[&str]) -> Command {
        let out = format!("{}/clients/{}", env!("CARGO_TARGET_TMPDIR"), self.name);
        let mut words = words.iter().map(|word| word.replace("OUT", &out));
        let mut command = Command::new(words.next().unwrap());
        command.args(words).current_dir(FOLDER);
        command
    }
}

/// Returns the clients whose languages are there, and has built them.
fn clients() -> &'static [&'static Client] {
    static FOUND: OnceLock<Vec<&Client>> = OnceLock::new();
    let is_there = |client: &&Client| {
        let checked = client.command(client.check).output();
        let is_there = checked.is_ok_and(|output| output.status.success());
        if !is_there {
            println!("skipped: the client for {} needs {}", client.name, client.needs);
        }
        is_there
    };
    FOUND.get_or_init(|| {
        let found: Vec<_> = CLIENTS.iter().filter(is_there).collect();
        for client in found.iter().filter(|client| !client.build.is_empty()) {
            assert!(client.command(client.build).status().unwrap().success(), "{}", client.name);
        }
        found
    })
}

/// Where a program stands that is on no member.
#[derive(Clone)]
struct Remote {
    url: String,
    token: &'static str,
    /// A file with the authority of the member's certificate, for `https`.
    authority: Option<PathBuf>,
}

/// An adapter that runs, and what it has said and no one has expected yet.
struct Adapter {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    said: Vec<String>,
}

impl Drop for Adapter {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Adapter {
    /// Starts it with a variable that says where its member is, and stands by another one if that is given.
    fn start(client: &Client, variable: &str, place: &Path, remote: Option<&Remote>) -> Self {
        let mut command = client.command(client.adapter);
        command.env_remove("TENURE_SOCKET").env(variable, place).env_remove("TENURE_URL");
        if let Some(Remote { url, token, authority }) = remote {
            command.env("TENURE_URL", url).env("TENURE_TOKEN", token);
            command.envs(authority.iter().map(|path| ("TENURE_AUTHORITY", path)));
        }
        command.env("PYTHONPATH", format!("{FOLDER}/python")).env("PYTHONDONTWRITEBYTECODE", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let input = process.stdin.take();
        Self { process, input, lines, said: Vec::new() }
    }

    fn order(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Waits until it says a line like this one, and returns that.
    fn says(&mut self, wanted: &str) -> Result<String, String> {
        let begin = Instant::now();
        loop {
            if let Some(found) = self.said.iter().position(|line| is_like(line, wanted)) {
                return Ok(self.said.remove(found));
            }
            let left = LIMIT.saturating_sub(begin.elapsed());
            let line = self.lines.recv_timeout(left);
            let said = &self.said;
            self.said.push(line.map_err(|_| format!("it does not say {wanted:?}, but {said:?}"))?);
        }
    }

    /// Asks for the value of a leader, and returns the answer.
    fn value(&mut self, office: &str) -> String {
        self.order(&format!("value {office}"));
        loop {
            if let Some(found) = self.said.iter().position(|line| line.starts_with("value ")) {
                return self.said.remove(found);
            }
            self.said.push(self.lines.recv_timeout(LIMIT).unwrap());
        }
    }

    fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// Ends it. Returns what it has said and no one has expected.
    fn end(mut self) -> Vec<String> {
        self.input = None;
        self.process.wait().unwrap();
        let rest: Vec<_> = self.lines.iter().collect();
        [std::mem::take(&mut self.said), rest].concat()
    }
}

/// Compares word by word; `1..9` is any number from 1 to 9.
fn is_like(line: &str, wanted: &str) -> bool {
    let (line, wanted) = (line.split_whitespace(), wanted.split_whitespace());
    let word = |(said, wanted): (&str, &str)| match wanted.split_once("..") {
        Some((least, most)) => said.parse::<u64>().is_ok_and(|number| {
            (least.parse().unwrap()..=most.parse::<u64>().unwrap()).contains(&number)
        }),
        None => said == wanted,
    };
    line.clone().count() == wanted.clone().count() && line.zip(wanted).all(word)
}

/// The member of a dialogue.
struct Member {
    path: PathBuf,
    listener: Option<UnixListener>,
    connection: Option<BufReader<UnixStream>>,
    numbers: BTreeMap<String, u64>,
}

impl Member {
    fn listen(&mut self) {
        let listener = UnixListener::bind(&self.path).unwrap();
        listener.set_nonblocking(true).unwrap();
        self.listener = Some(listener);
    }

    fn go_down(&mut self) {
        (self.listener, self.connection) = (None, None);
        let _ = fs::remove_file(&self.path);
    }

    /// Waits for the next connection, in place of the present one.
    fn accept(&mut self) -> Result<(), String> {
        let begin = Instant::now();
        while begin.elapsed() < LIMIT {
            if let Ok((stream, _)) = self.listener.as_ref().ok_or("no one listens")?.accept() {
                stream.set_nonblocking(false).unwrap();
                stream.set_read_timeout(Some(LIMIT)).unwrap();
                let mut connection = BufReader::new(stream);
                // One that says nothing has only tried whether a member listens.
                if !connection.fill_buf().map_err(|error| error.to_string())?.is_empty() {
                    self.connection = Some(connection);
                    return Ok(());
                }
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err("the client does not connect".to_owned())
    }

    fn hear(&mut self) -> Result<Value, String> {
        let mut line = String::new();
        let connection = self.connection.as_mut().ok_or("there is no connection")?;
        connection.read_line(&mut line).map_err(|error| error.to_string())?;
        serde_json::from_str(&line).map_err(|error| format!("the client sends {line:?}: {error}"))
    }

    /// Waits for so long, and fails if a message comes.
    fn hears_nothing(&mut self, time: Duration) -> Result<(), String> {
        let connection = self.connection.as_mut().ok_or("there is no connection")?;
        connection.get_ref().set_read_timeout(Some(time)).unwrap();
        let heard = connection.fill_buf().map(<[u8]>::to_vec);
        connection.get_ref().set_read_timeout(Some(LIMIT)).unwrap();
        match heard {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(()),
            heard => Err(format!("the client sends {:?}", heard.as_deref().map(str::from_utf8))),
        }
    }

    fn hears_the_end(&mut self) -> Result<(), String> {
        let connection = self.connection.as_mut().ok_or("there is no connection")?;
        let mut rest = String::new();
        let read = connection.read_to_string(&mut rest).map_err(|error| error.to_string());
        read.and_then(|_| if rest.is_empty() { Ok(()) } else { Err(format!("it sends {rest:?}")) })
    }

    /// Waits for a message with these fields. Passes over an `alive` in place of another one.
    fn expect(&mut self, wanted: &str) -> Result<(), String> {
        let wanted: Value = serde_json::from_str(wanted).map_err(|error| error.to_string())?;
        if wanted.get("hello").is_some() {
            self.accept()?;
        }
        loop {
            let heard = self.hear()?;
            if heard.get("alive").is_some() && wanted.get("alive").is_none() {
                continue;
            }
            return match self.has(&heard, &wanted) {
                true => Ok(()),
                false => Err(format!("the client sends {heard}")),
            };
        }
    }

    fn has(&mut self, heard: &Value, wanted: &Value) -> bool {
        if let Some(name) = wanted.as_str().and_then(|text| text.strip_prefix('$')) {
            let number = heard.as_u64();
            self.numbers.extend(number.map(|number| (name.to_owned(), number)));
            return number.is_some();
        }
        match wanted.as_object() {
            Some(fields) => fields
                .iter()
                .all(|(name, wanted)| heard.get(name).is_some_and(|heard| self.has(heard, wanted))),
            None => heard == wanted,
        }
    }

    fn say(&mut self, line: &str) -> Result<(), String> {
        let mut line = line.to_owned();
        for (name, number) in &self.numbers {
            line = line.replace(&format!("\"${name}\""), &number.to_string());
        }
        let connection = self.connection.as_mut().ok_or("there is no connection")?;
        writeln!(connection.get_mut(), "{line}").map_err(|error| error.to_string())
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| error.to_string())
}

/// Plays a dialogue with a client, which stands by the socket, or over HTTP.
fn play(client: &Client, text: &str, over_http: bool) -> Result<(), String> {
    let folder = TempDir::new().unwrap();
    // One that has ended has left its socket.
    drop(UnixListener::bind(folder.path().join("tenure.host-0.socket")).unwrap());
    let path = folder.path().join("tenure.host-1.socket");
    let remote = over_http.then(|| gateway::remote(&path));
    let mut adapter = Adapter::start(client, "TENURE_SOCKETS", folder.path(), remote.as_ref());
    let mut member = Member { path, listener: None, connection: None, numbers: BTreeMap::new() };
    member.listen();
    for (number, line) in (1..).zip(text.lines()) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let done = match word {
            "" | "#" => Ok(()),
            "!" => {
                adapter.order(rest);
                Ok(())
            }
            "?" => adapter.says(rest).map(drop),
            ">" => member.expect(rest),
            "<" => member.say(rest),
            "greet" => member.expect(r#"{"hello":{"versions":[1]}}"#).and_then(|()| {
                member.say(r#"{"hello":{"version":1,"member":"host-1","tenure":"0.1.0"}}"#)
            }),
            "closed" => member.hears_the_end(),
            "close" => {
                member.connection = None;
                Ok(())
            }
            "down" | "restart" => {
                member.go_down();
                if word == "restart" {
                    member.listen();
                }
                Ok(())
            }
            "pause" => {
                adapter.signal("STOP");
                Ok(())
            }
            "resume" => {
                adapter.signal("CONT");
                Ok(())
            }
            "wait" => duration(rest).map(thread::sleep),
            "silent" => duration(rest).and_then(|time| member.hears_nothing(time)),
            _ => Err("no line begins so".to_owned()),
        };
        done.map_err(|why| format!("line {number}, {line}: {why}"))?;
    }
    let rest = adapter.end();
    if rest.is_empty() { Ok(()) } else { Err(format!("it also says {rest:?}")) }
}

fn dialogues() {
    let files = fs::read_dir(format!("{FOLDER}/dialogues")).unwrap();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|it| it == "txt"));
    files.sort();
    assert!(files.len() >= 15);
    let ways = clients().iter().flat_map(|client| [(client, false), (client, true)]);
    for (client, over_http) in ways {
        // Each waits for most of its time.
        let wrong: Vec<_> = thread::scope(|scope| {
            let played = files.iter().map(|path| {
                let text = fs::read_to_string(path).unwrap();
                (path, scope.spawn(move || play(client, &text, over_http)))
            });
            let played: Vec<_> = played.collect();
            let wrong = played.into_iter().filter_map(|(path, played)| {
                let why = played.join().unwrap().err()?;
                let name = path.file_name().unwrap().display();
                let way = if over_http { " over HTTP" } else { "" };
                Some(format!("{}{way} {name}: {why}", client.name))
            });
            wrong.collect()
        });
        assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    }
}

fn members() {
    for client in clients() {
        let mut hosts = Hosts::new();
        hosts.serve();
        lead_one_at_a_time(client, &mut hosts, [None, None, None]);
    }
}

/// Writes a certificate for 127.0.0.1, and its key.
fn write_site(hosts: &Hosts, name: &str) {
    let site = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    fs::write(hosts.path(&format!("{name}.pem")), site.cert.pem()).unwrap();
    fs::write(hosts.path(&format!("{name}-key.pem")), site.signing_key.serialize_pem()).unwrap();
}

/// A lease within which a program on a busy machine hears that its member is gone.
const PATIENT: &str = "profile = \"custom\"\ntiming = { heartbeat = \"50ms\", lease = \"1s\" }";

fn remote_members() {
    for client in clients() {
        let mut hosts = Hosts::with(PATIENT);
        write_site(&hosts, "site");
        write_site(&hosts, "other");
        fs::write(hosts.path("token"), gateway::TOKEN).unwrap();
        let addresses = free::addresses(3).unwrap();
        let remotes = [1, 2, 3].map(|host| {
            let http = addresses[host - 1];
            let text = format!(
                "[http]\nlisten = \"{http}\"\ncertificate = \"site.pem\"\nkey = \"site-key.pem\"\n\
                 [[http.programs]]\nname = \"web\"\ntoken = \"token\"\noffices = [\"db\"]\n"
            );
            let config = hosts.path(&format!("{host}.toml"));
            let own = fs::read_to_string(&config).unwrap();
            fs::write(config, own + &text).unwrap();
            let authority = Some(hosts.path("site.pem"));
            Remote { url: format!("https://{http}"), token: gateway::TOKEN, authority }
        });
        hosts.serve();
        let refused = |remote: &Remote, office: &str, why: &str| {
            let socket = hosts.path("1.socket");
            let mut adapter = Adapter::start(client, "TENURE_SOCKET", &socket, Some(remote));
            adapter.order(&format!("stand {office}"));
            adapter.says(why).map_err(|said| format!("{}: {said}", client.name)).unwrap();
        };
        refused(
            &Remote { token: "another-token-than-its-own", ..remotes[0].clone() },
            "db",
            "refused forbidden",
        );
        refused(&remotes[0], "web", "refused forbidden");
        refused(&remotes[0], "a%2Fb?c", "refused forbidden");
        let other = Some(hosts.path("other.pem"));
        refused(&Remote { authority: other, ..remotes[0].clone() }, "db", "error");
        let url = remotes[0].url.replace("https", "http");
        refused(&Remote { url, ..remotes[0].clone() }, "db", "error");
        lead_one_at_a_time(client, &mut hosts, remotes.map(Some));
    }
}

/// Lets three programs lead by three members, of their own hosts or of others.
fn lead_one_at_a_time(client: &Client, hosts: &mut Hosts, remotes: [Option<Remote>; 3]) {
    let adapters = (1..).zip(&remotes).map(|(host, remote)| {
        let socket = hosts.path(&format!("{host}.socket"));
        Adapter::start(client, "TENURE_SOCKET", &socket, remote.as_ref())
    });
    let mut adapters: Vec<_> = adapters.collect();
    let mut term = 0_u64;
    let mut leads = |adapter: &mut Adapter| {
        let said = adapter.says(&format!("leads {}..{}", term + 1, u64::MAX)).unwrap();
        term = said["leads ".len()..].parse().unwrap();
        term
    };
    adapters[0].order("stand db value=here");
    let first = leads(&mut adapters[0]);
    adapters[2].order("watch db");
    adapters[2].says(&format!("office db host-1 {first}")).unwrap();
    // The others are told where it is, and where it is then.
    for (host, value) in [(1, "here"), (2, "there")] {
        until("the value is told", || adapters[host].value("db") == format!("value {value}"));
        adapters[0].order("proclaim there");
        adapters[0].says("proclaimed").unwrap();
    }
    // No other one leads meanwhile, and one that only tries says so.
    adapters[1].order("stand db try");
    adapters[1].says("not won").unwrap();
    adapters[1].order("stand db");

    // A leader that is asked to leave goes on until it has ended its work.
    adapters[2].order("transfer db host-2");
    adapters[0].says("stopping").unwrap();
    adapters[0].order("check");
    adapters[0].says("leads").unwrap();
    adapters[0].order("release host-2");
    adapters[0].says("released").unwrap();
    let second = leads(&mut adapters[1]);
    adapters[2].says("done").unwrap();
    adapters[2].says(&format!("office db host-2 {second}")).unwrap();

    // A paused program leads no more when another one leads.
    adapters[0].order("stand db");
    adapters[1].signal("STOP");
    leads(&mut adapters[0]);
    adapters[1].signal("CONT");
    adapters[1].order("check");
    adapters[1].says("not leading").unwrap();
    adapters[1].says("lost").unwrap();
    adapters[1].order("release");
    adapters[1].says("released").unwrap();

    // One that is killed, as is its member in the end.
    adapters[1].order("stand db");
    adapters[0].process.kill().unwrap();
    leads(&mut adapters[1]);
    hosts.kill(2);
    adapters[1].says("stopping").unwrap();
    adapters[1].says("lost").unwrap();
    adapters[1].order("check");
    adapters[1].says("not leading").unwrap();
}
