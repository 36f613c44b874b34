//! `suffrage cert`: makes an authority, and the certificates of a cluster.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use suffrage_net::certificates::{Authority, Subject, serial};
use suffrage_numbers::parse_count;

/// Make a certificate authority and certificates for a cluster
///
/// A certificate is for one holder in one cluster, serves both sides of a connection, and does not
/// expire. Each holder needs ca.pem and its own two files, such as node-1.pem and node-1-key.pem,
/// member-NAME.pem, stander-NAME.pem or operator-NAME.pem. Who has a key can impersonate its holder,
/// and who has ca-key.pem can make certificates.
///
/// With --add the authority in the folder issues further certificates, for this cluster or another
/// one. With --revoke it writes revoked.pem, the list of all certificates that it has revoked:
/// nodes and members that have that file in their configuration refuse them, without a restart.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("holders").required(true).multiple(true))]
pub(crate) struct Args {
    /// For the nodes of elections with the ids 1 to N
    #[arg(long, value_name = "N", value_parser = nodes, group = "holders")]
    #[arg(conflicts_with = "ids")]
    nodes: Option<u64>,

    /// For the nodes of elections with these ids
    #[arg(long, value_name = "ID,ID,..", value_delimiter = ',', value_parser = count)]
    #[arg(group = "holders")]
    ids: Vec<u64>,

    /// For these members of a cluster that keeps leaders (`suffrage lead` and `serve`)
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', group = "holders")]
    members: Vec<String>,

    /// For hosts without a vote whose names begin with these; they may share a certificate
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', group = "holders")]
    standers: Vec<String>,

    /// For people who ask members from other hosts, and may make leaders leave (`suffrage office`)
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', group = "holders")]
    operators: Vec<String>,

    /// The name of the cluster, as in the configurations
    #[arg(long, value_name = "NAME", required_unless_present = "revoke")]
    #[arg(conflicts_with = "revoke")]
    cluster: Option<String>,

    /// Use the authority in the folder instead of a new one
    #[arg(long, conflicts_with = "revoke")]
    add: bool,

    /// Revoke their certificates that are in the folder, instead of making some
    #[arg(long)]
    revoke: bool,

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
  suffrage cert --cluster lab --members host-1,host-2,host-3 --operators alice --out certificates
  suffrage cert --cluster lab --standers web --add --out certificates
  suffrage cert --revoke --members host-2 --out certificates";

/// The maximal number for `--nodes`.
const MOST_NODES: u64 = 100_000;

fn count(text: &str) -> Result<u64, String> {
    parse_count(text).map_err(|error| error.to_string())
}

fn nodes(text: &str) -> Result<u64, String> {
    match count(text)? {
        0 => Err("write a whole number from 1 on".to_owned()),
        number if number > MOST_NODES => Err(format!("the largest number here is {MOST_NODES}")),
        number => Ok(number),
    }
}

/// An error message: what is wrong, where, and what to do about it.
#[derive(Debug)]
pub(crate) struct Error(String);

impl Error {
    fn of(place: impl Display, error: impl Display) -> Self {
        Self(format!("{place}: {error}"))
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Makes the certificates, or revokes them.
pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let told = if args.revoke { args.withdraw()? } else { args.issue()? };
    suffrage_stdio::print(&told)
        .map(drop)
        .map_err(|error| Error::of("cannot write to standard output", error))
}

impl Args {
    fn issue(&self) -> Result<String, Error> {
        let holders = self.holders()?;
        let cluster = self.cluster.as_deref().unwrap_or_default();
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
        for &subject in &holders {
            let own = authority.issue(cluster, subject).map_err(broken)?;
            files.add(self.place(&format!("{subject}-key")), own.key, true);
            files.add(self.place(&subject.to_string()), own.certificate, false);
        }
        files.check(self.force)?;
        self.folder()?;
        files.write()?;
        let s = if holders.len() == 1 { "" } else { "s" };
        let authority = if self.add { "" } else { "an authority and " };
        let (out, count) = (self.out.display(), holders.len());
        Ok(format!("{out}: {authority}{count} certificate{s} for cluster {cluster}\n"))
    }

    /// Returns the holders that the flags name.
    fn holders(&self) -> Result<Vec<Subject<'_>>, Error> {
        let numbers = (1..=self.nodes.unwrap_or(0)).chain(self.ids.iter().copied());
        let nodes = numbers.map(|id| Subject::Node(id));
        let members = self.members.iter().map(|name| Subject::Member(name));
        let standers = self.standers.iter().map(|name| Subject::Stander(name));
        let operators = self.operators.iter().map(|name| Subject::Operator(name));
        let all: Vec<_> = nodes.chain(members).chain(standers).chain(operators).collect();
        let mut known = BTreeSet::new();
        match all.iter().find(|&&subject| !known.insert(subject)) {
            Some(Subject::Node(id)) => {
                Err(Error::of("--ids", format!("the id {id} is there twice")))
            }
            Some(twice) => Err(Error::of("cert", format!("{twice} is there twice"))),
            None => Ok(all),
        }
    }

    /// Makes the folder, if there is none.
    fn folder(&self) -> Result<(), Error> {
        if self.out.exists() && !self.out.is_dir() {
            return Err(Error(format!("--out: {} is no folder", self.out.display())));
        }
        fs::create_dir_all(&self.out).map_err(|error| failed(&self.out, &error))
    }

    fn withdraw(&self) -> Result<String, Error> {
        let holders = self.holders()?;
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
        for subject in holders {
            let path = self.place(&subject.to_string());
            let certificate = read(&path)?;
            let number = serial(&certificate)
                .map_err(|error| Error::of(format!("--revoke: {}", path.display()), error))?;
            all.push(certificate);
            moves.push((path, folder.join(format!("{number}.pem"))));
            let key = self.place(&format!("{subject}-key"));
            if key.exists() {
                moves.push((key, folder.join(format!("{number}-key.pem"))));
            }
        }
        let list = authority.revoke(all.iter().map(String::as_str)).map_err(broken)?;
        fs::create_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
        let mut files = Files::default();
        files.add(self.place("revoked"), list, false);
        files.write()?;
        for (from, to) in moves {
            fs::rename(&from, &to).map_err(|error| failed(&to, &error))?;
        }
        let (list, count) = (self.place("revoked"), all.len());
        let s = if count == 1 { "" } else { "s" };
        Ok(format!("{}: {count} revoked certificate{s}\n", list.display()))
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

fn broken(error: impl Display) -> Error {
    Error::of("cert", error)
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| unread(path, &error))
}

fn unread(path: &Path, error: &io::Error) -> Error {
    Error(format!("--out: cannot read {}: {error}", path.display()))
}

fn failed(path: &Path, error: &io::Error) -> Error {
    let hint = match error.kind() {
        io::ErrorKind::AlreadyExists => "; --force replaces it, --add uses the authority there",
        _ => "",
    };
    Error(format!("--out: cannot write {}: {error}{hint}", path.display()))
}

/// Files that are all written, or none.
#[derive(Default)]
struct Files(Vec<(PathBuf, String, bool)>);

impl Files {
    fn add(&mut self, path: PathBuf, text: String, secret: bool) {
        self.0.push((path, text, secret));
    }

    /// Checks that they are distinct, and that none exists, unless it may be replaced.
    fn check(&self, replace: bool) -> Result<(), Error> {
        let mut known = BTreeSet::new();
        for (path, _, _) in &self.0 {
            // As with the key of `a` and the certificate of `a-key`.
            if !known.insert(path) {
                let path = path.display();
                return Err(Error(format!("--out: two files would be {path}: choose other names")));
            }
            if !replace && path.exists() {
                return Err(failed(path, &io::ErrorKind::AlreadyExists.into()));
            }
        }
        Ok(())
    }

    fn write(self) -> Result<(), Error> {
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
