//! `suffrage cert`: creates an authority for tests, and certificates for nodes.

use crate::counts;
use crate::error::{Ending, Error};
use crate::output::print;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use suffrage::process::Id;
use suffrage::runtime::certificates::{Authority, serial};

/// Make a certificate authority and certificates for the nodes of a cluster
///
/// For tests and small clusters. A certificate is for one node of one cluster (it carries the name
/// node-ID.CLUSTER), serves both sides of a connection, and does not expire. Each node needs ca.pem
/// and its own two files. A process that has a node's key can impersonate the node, and one that
/// has ca-key.pem can make certificates.
///
/// With --add the authority in the folder issues further certificates, for this cluster or another
/// one. With --revoke it writes revoked.pem, the list of all certificates that it has revoked:
/// nodes that have that file in their configuration refuse them, without a restart.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// For the nodes with the ids 1 to N
    #[arg(long, value_name = "N", value_parser = counts::within(1..=100_000))]
    #[arg(required_unless_present_any = ["ids", "revoke"], conflicts_with_all = ["ids", "revoke"])]
    nodes: Option<u64>,

    /// For the nodes with these ids
    #[arg(long, value_name = "ID,ID,..", value_delimiter = ',', conflicts_with = "revoke")]
    #[arg(value_parser = counts::count)]
    ids: Vec<u64>,

    /// The name of the cluster, as in the nodes' configurations
    #[arg(long, value_name = "NAME", required_unless_present = "revoke")]
    #[arg(conflicts_with = "revoke")]
    cluster: Option<String>,

    /// Use the authority in the folder instead of a new one
    #[arg(long, conflicts_with = "revoke")]
    add: bool,

    /// Revoke the certificates of these nodes that are in the folder
    #[arg(long, value_name = "ID,ID,..", value_delimiter = ',', value_parser = counts::count)]
    revoke: Vec<u64>,

    /// The folder for the files; created if it does not exist
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    out: PathBuf,

    /// Replace existing files
    #[arg(long, conflicts_with = "revoke")]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  suffrage cert --cluster lab --nodes 3 --out certificates
  suffrage cert --cluster lab --ids 7,21 --add --out certificates
  suffrage cert --revoke 2 --out certificates";

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    if args.revoke.is_empty() { args.issue() } else { args.withdraw() }
}

impl Args {
    fn issue(&self) -> Result<Ending, Error> {
        let ids: Vec<u64> = match self.nodes {
            Some(nodes) => (1..=nodes).collect(),
            None => distinct("--ids", &self.ids)?,
        };
        let cluster = self.cluster.as_deref().unwrap_or_default();
        let longest = suffrage::runtime::LONGEST_NAME;
        if cluster.is_empty() || cluster.len() > longest {
            return Err(Error::new(format!("--cluster: a name has 1 to {longest} bytes")));
        }
        let mut files = Files::default();
        let authority = if self.add {
            self.authority()?
        } else {
            let authority = Authority::new().map_err(broken)?;
            let own = authority.own();
            files.add(self.place("ca-key"), own.key, true);
            files.add(self.place("ca"), own.certificate, false);
            authority
        };
        for &id in &ids {
            let own = authority.issue(cluster, Id::new(id)).map_err(broken)?;
            files.add(self.place(&format!("node-{id}-key")), own.key, true);
            files.add(self.place(&format!("node-{id}")), own.certificate, false);
        }
        fs::create_dir_all(&self.out).map_err(|error| failed(&self.out, &error))?;
        files.write(self.force)?;
        let s = if ids.len() == 1 { "" } else { "s" };
        let authority = if self.add { "" } else { "an authority and " };
        let (out, count) = (self.out.display(), ids.len());
        print(&format!("{out}: {authority}{count} certificate{s} for cluster {cluster}\n"))?;
        Ok(Ending::Fine)
    }

    fn withdraw(&self) -> Result<Ending, Error> {
        let ids = distinct("--revoke", &self.revoke)?;
        let authority = self.authority()?;
        let folder = self.out.join("revoked");
        let mut all = Vec::new();
        if folder.is_dir() {
            let entries = fs::read_dir(&folder).map_err(|error| unread(&folder, &error))?;
            for entry in entries {
                let path = entry.map_err(|error| unread(&folder, &error))?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if name.ends_with(".pem") && !name.ends_with("-key.pem") {
                    all.push(read(&path)?);
                }
            }
        }
        // All files are read first, then the list is written, and only then files are moved.
        let mut moves = Vec::new();
        for id in ids {
            let path = self.place(&format!("node-{id}"));
            let certificate = read(&path)?;
            let number = serial(&certificate)
                .map_err(|error| Error::of(format!("--revoke: {}", path.display()), error))?;
            all.push(certificate);
            moves.push((path, folder.join(format!("{number}.pem"))));
            let key = self.place(&format!("node-{id}-key"));
            if key.exists() {
                moves.push((key, folder.join(format!("{number}-key.pem"))));
            }
        }
        let list = authority.revoke(all.iter().map(String::as_str)).map_err(broken)?;
        fs::create_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
        let mut files = Files::default();
        files.add(self.place("revoked"), list, false);
        files.write(true)?;
        for (from, to) in moves {
            fs::rename(&from, &to).map_err(|error| failed(&to, &error))?;
        }
        let (list, count) = (self.place("revoked"), all.len());
        let s = if count == 1 { "" } else { "s" };
        print(&format!("{}: {count} revoked certificate{s}\n", list.display()))?;
        Ok(Ending::Fine)
    }

    /// Returns the authority in the folder.
    fn authority(&self) -> Result<Authority, Error> {
        let (certificate, key) = (self.place("ca"), self.place("ca-key"));
        Authority::from_pem(&read(&certificate)?, &read(&key)?)
            .map_err(|error| Error::of(certificate.display(), error))
    }

    fn place(&self, name: &str) -> PathBuf {
        self.out.join(format!("{name}.pem"))
    }
}

/// Checks that identities are distinct.
fn distinct(flag: &str, ids: &[u64]) -> Result<Vec<u64>, Error> {
    let mut known = BTreeSet::new();
    match ids.iter().find(|&&id| !known.insert(id)) {
        Some(id) => Err(Error::new(format!("{flag}: the id {id} is there twice"))),
        None => Ok(ids.to_vec()),
    }
}

fn broken(error: impl std::fmt::Display) -> Error {
    Error::of("cert", error)
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| unread(path, &error))
}

fn unread(path: &Path, error: &io::Error) -> Error {
    Error::new(format!("--out: cannot read {}: {error}", path.display()))
}

fn failed(path: &Path, error: &io::Error) -> Error {
    let hint = match error.kind() {
        io::ErrorKind::AlreadyExists => "; --force replaces it, --add uses the authority there",
        _ => "",
    };
    Error::new(format!("--out: cannot write {}: {error}{hint}", path.display()))
}

/// Files that are all written, or none.
#[derive(Default)]
struct Files(Vec<(PathBuf, String, bool)>);

impl Files {
    fn add(&mut self, path: PathBuf, text: String, secret: bool) {
        self.0.push((path, text, secret));
    }

    fn write(self, replace: bool) -> Result<(), Error> {
        for (path, _, _) in &self.0 {
            if !replace && path.exists() {
                return Err(failed(path, &io::ErrorKind::AlreadyExists.into()));
            }
        }
        // Under temporary names first, so that an error leaves no file behind.
        let mut written = Vec::new();
        for (path, text, secret) in &self.0 {
            let file = beside(path, text, *secret).map_err(|error| failed(path, &error))?;
            written.push(file);
        }
        for ((path, _, _), file) in self.0.iter().zip(written) {
            file.persist(path).map_err(|error| failed(path, &error.error))?;
        }
        Ok(())
    }
}

/// Writes a text to a temporary file beside its place; a secret one is readable only by its owner.
fn beside(path: &Path, text: &str, secret: bool) -> io::Result<tempfile::TempPath> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let create = |path: &Path| {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if secret {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        #[cfg(not(unix))]
        let _ = secret;
        options.open(path)
    };
    let mut file = tempfile::Builder::new().prefix(".suffrage-").make_in(folder, create)?;
    file.write_all(text.as_bytes())?;
    Ok(file.into_temp_path())
}
