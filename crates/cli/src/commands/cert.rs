//! `suffrage cert`: an authority for tests, and certificates for nodes.

use crate::error::{Ending, Error, print};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use suffrage::process::Id;
use suffrage::runtime::certificates::{Authority, Certified};
use suffrage::runtime::node_name;

/// Make a certificate authority and certificates for the nodes of a cluster
///
/// For tests and small clusters: a new authority each time, whose key is written beside the
/// certificates. Certificates are for the names node-ID, serve both sides of a connection, and do
/// not expire. Each node needs ca.pem and its own two files; whoever has a key is the node, and
/// whoever has ca-key.pem can make others.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  suffrage cert --nodes 3 --out certificates\n  \
                        suffrage cert --ids 7,21,1001")]
pub(crate) struct Args {
    /// For the nodes with the ids 1 to N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    #[arg(required_unless_present = "ids", conflicts_with = "ids")]
    nodes: Option<u64>,

    /// For the nodes with these ids
    #[arg(long, value_name = "ID,ID,..", value_delimiter = ',')]
    ids: Vec<u64>,

    /// The name of the cluster, for people who read certificates
    #[arg(long, value_name = "NAME", default_value = "test")]
    cluster: String,

    /// The folder for the files; made if it is not there
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    out: PathBuf,

    /// Replace files that are there
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let ids: Vec<u64> = match args.nodes {
        Some(nodes) => (1..=nodes).collect(),
        None => args.ids.clone(),
    };
    let failed = |path: &Path, error: io::Error| {
        let hint = match error.kind() {
            io::ErrorKind::AlreadyExists => "; --force replaces it",
            _ => "",
        };
        Error::new(format!("--out: cannot write {}: {error}{hint}", path.display()))
    };
    fs::create_dir_all(&args.out).map_err(|error| failed(&args.out, error))?;
    let place = |name: &str| args.out.join(format!("{name}.pem"));
    let write = |name: &str, certified: &Certified| {
        let (certificate, key) = (place(name), place(&format!("{name}-key")));
        write(&key, &certified.key, true, args.force).map_err(|error| failed(&key, error))?;
        write(&certificate, &certified.certificate, false, args.force)
            .map_err(|error| failed(&certificate, error))
    };
    let broken = |error| Error::of("cert", error);
    let authority = Authority::new(&args.cluster).map_err(broken)?;
    write("ca", &authority.own())?;
    for &id in &ids {
        let id = Id::new(id);
        write(&node_name(id), &authority.issue(id).map_err(broken)?)?;
    }
    let s = if ids.len() == 1 { "" } else { "s" };
    print(&format!("{}: an authority and {} certificate{s}\n", args.out.display(), ids.len()))?;
    Ok(Ending::Fine)
}

/// Writes a file; a key is for its owner's eyes.
fn write(path: &Path, text: &str, secret: bool, replace: bool) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    if replace {
        let _ = fs::remove_file(path);
    }
    #[cfg(unix)]
    if secret {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = secret;
    options.open(path)?.write_all(text.as_bytes())
}
