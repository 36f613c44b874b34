//! What the processes of the measurement do. A process takes orders from the lines of its standard input, and
//! ends when the input ends. Lines of its output that begin with `!` answer no order.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};
use tenure_node::config::TlsFiles;
use tenure_node::{Client, ClientConfig, ClusterConfig, Member};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

const OFFICE: &str = "job";

/// Runs this process as what its arguments say; `None` if it is the measurement itself.
pub(crate) fn enter() -> Option<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match arguments[..] {
        ["__member", folder, name] => runtime().block_on(member(Path::new(folder), name)),
        ["__clients", folder, addresses, count] => {
            runtime().block_on(clients(Path::new(folder), addresses, count.parse().unwrap()));
        }
        _ => return None,
    }
    Some(ExitCode::SUCCESS)
}

fn lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    lines
}

fn now() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()
}

async fn member(folder: &Path, name: &str) {
    let config = ClusterConfig::read(&folder.join(format!("{name}.toml"))).unwrap();
    let member = Member::start(config).await.unwrap();
    let mut lines = lines();
    while lines.recv().await.is_some() {
        let status = member.status().await.unwrap();
        let peers = || status.members.iter().chain(&status.clients);
        println!(
            "{} {} {} {}",
            u8::from(status.unready().is_none()),
            status.sent,
            peers().map(|peer| peer.datagrams_sent).sum::<u64>(),
            peers().map(|peer| peer.datagrams_received).sum::<u64>(),
        );
    }
    member.kill();
}

async fn clients(folder: &Path, addresses: &str, count: u32) {
    let config = ClientConfig {
        cluster: "lab".to_owned(),
        credential: "web".to_owned(),
        suffix: String::new(),
        members: addresses.split(',').map(str::to_owned).collect(),
        tls: TlsFiles {
            authority: folder.join("ca.pem"),
            certificate: folder.join("web.pem"),
            key: folder.join("web-key.pem"),
            revoked: None,
        },
    };
    let mut starting = JoinSet::new();
    for _ in 0..count {
        starting.spawn(Client::start(config.clone()));
    }
    let all: Vec<Client> = starting.join_all().await.into_iter().map(Result::unwrap).collect();
    println!("up");
    let knowledge = Arc::new(Mutex::new(Knowledge::default()));
    let (transfer, transfers) = watch::channel(String::new());
    for (number, client) in all.iter().enumerate() {
        tokio::spawn(lead(client.clone(), transfers.clone()));
        knowledge.lock().unwrap().terms.insert(number, None);
        tokio::spawn(follow(client.clone(), number, knowledge.clone()));
    }
    let mut lines = lines();
    while let Some(line) = lines.recv().await {
        match line.split_once(' ') {
            Some((_, to)) => {
                transfer.send_replace(to.to_owned());
                println!("0");
            }
            None => println!("{}", all[0].peer().0),
        }
    }
    all.iter().for_each(|client| client.kill());
}

/// Stands again and again. Leads until the office is to be transferred.
async fn lead(client: Client, mut transfers: watch::Receiver<String>) {
    while let Ok(leadership) = client.office(OFFICE).stand().await {
        println!("! leads {} {}", leadership.term(), now());
        transfers.mark_unchanged();
        tokio::select! {
            () = leadership.stopping() => leadership.resign().await,
            _ = transfers.changed() => {
                let to = transfers.borrow_and_update().clone();
                let _ = leadership.transfer(&to).await;
            }
        }
    }
}

/// What the clients of this process know: the term of the leader.
#[derive(Default)]
struct Knowledge {
    terms: BTreeMap<usize, Option<u64>>,
    said: Option<u64>,
}

/// Says when all clients of this process know the same leader.
async fn follow(client: Client, number: usize, knowledge: Arc<Mutex<Knowledge>>) {
    let mut watch = client.watch(OFFICE).await.unwrap();
    while let Some(standing) = watch.next().await {
        let mut knowledge = knowledge.lock().unwrap();
        let known = standing.leader().and(standing.term());
        knowledge.terms.insert(number, known);
        let agreed = known.filter(|_| knowledge.terms.values().all(|term| *term == known));
        if let Some(term) = agreed.filter(|_| knowledge.said != agreed) {
            knowledge.said = agreed;
            println!("! know {term} {}", now());
        }
    }
}
