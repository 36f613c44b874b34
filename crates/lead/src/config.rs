//! `suffrage config`: explains a configuration, and issues the certificates that it needs.

use crate::error::Error;
use crate::{join, print};
use clap::Subcommand;
use std::fmt::{Display, Write as _};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use suffrage_service::certificates::{Authority, Certified};

/// Explain or check a configuration, and make its certificates
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Read a configuration and explain it: who votes, how many may fail, how long an office can be
    /// vacant. A bad one is refused with line and key, exit code 2
    Check {
        /// The configuration
        file: PathBuf,
    },
    /// Print a configuration with every key, explained
    Example,
    /// Make an authority, and a certificate for each member of a configuration
    ///
    /// Each member gets ca.pem and its own two files, member-NAME.pem and member-NAME-key.pem. The
    /// holder of ca-key.pem can make members. Existing files are kept: certificates are made only
    /// for members that have none in the folder, by the existing authority. Certificates do not
    /// expire.
    Certificates {
        /// The configuration
        file: PathBuf,

        /// Also a certificate for standers of this name: hosts without a vote
        #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
        standers: Vec<String>,

        /// The folder for the files; created if it does not exist
        #[arg(long, value_name = "FOLDER", default_value = ".")]
        out: PathBuf,
    },
}

pub(crate) fn run(args: &Args) -> Result<u8, Error> {
    print(&match &args.command {
        Command::Check { file } => join::read(file)?.explain(),
        Command::Example => suffrage_service::config::EXAMPLE.to_owned(),
        Command::Certificates { file, standers, out } => certificates(file, standers, out)?,
    })?;
    Ok(0)
}

fn certificates(file: &Path, standers: &[String], out: &Path) -> Result<String, Error> {
    let config = join::read(file)?;
    let failed = |path: &Path, error: &dyn Display| {
        Error::usage(format!("--out: {}: {error}", path.display()))
    };
    fs::create_dir_all(out).map_err(|error| failed(out, &error))?;
    let path = |name: &str| out.join(format!("{name}.pem"));
    let mut told = String::new();
    let mut keep = |name: &str, own: &Certified| -> Result<(), Error> {
        let (certificate, key) = (path(name), path(&format!("{name}-key")));
        // The key first: a certificate without one would count as made.
        write(&key, &own.key, 0o600).map_err(|error| failed(&key, &error))?;
        write(&certificate, &own.certificate, 0o644)
            .map_err(|error| failed(&certificate, &error))?;
        let _ = writeln!(told, "{}", certificate.display());
        Ok(())
    };
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| failed(path, &error));
    let (ca, ca_key) = (path("ca"), path("ca-key"));
    let wrong = |error: &dyn Display| Error::usage(format!("certificates: {error}"));
    let authority = if ca.exists() {
        Authority::from_pem(&read(&ca)?, &read(&ca_key)?).map_err(|error| failed(&ca, &error))?
    } else {
        let authority = Authority::new().map_err(|error| wrong(&error))?;
        keep("ca", &authority.own())?;
        authority
    };
    let members = config.members.iter().map(|member| (member.name.as_str(), true));
    for (name, votes) in members.chain(standers.iter().map(|name| (name.as_str(), false))) {
        let file = format!("{}-{name}", if votes { "member" } else { "stander" });
        if path(&file).exists() {
            continue;
        }
        let issued = match votes {
            true => authority.issue_member(&config.cluster, name),
            false => authority.issue_stander(&config.cluster, name),
        };
        keep(&file, &issued.map_err(|error| wrong(&error))?)?;
    }
    if told.is_empty() {
        told = format!("{}: all certificates are there\n", out.display());
    }
    Ok(told)
}

/// Writes a file that must not exist yet, as a whole or not at all.
fn write(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let create =
        |path: &Path| OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
    let mut file = tempfile::Builder::new().prefix(".suffrage-").make_in(folder, create)?;
    file.write_all(text.as_bytes())?;
    file.persist_noclobber(path).map(drop).map_err(|error| error.error)
}
