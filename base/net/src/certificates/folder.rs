//! The folder of an authority: its own files, those of the holders of its certificates, and the
//! certificates that it has revoked.

use super::{Authority, CertificateError, CertificateSubject, serial};
use crate::small_file;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A folder with `ca.pem` and `ca-key.pem`, two files for each holder, such as `node-1.pem` and
/// `node-1-key.pem`, and, once any was revoked, the list `revoked.pem` and the certificates on it in
/// `revoked/`. Either all files of a call are written, or none.
///
/// Messages call the folder `--out`, as the commands do.
pub struct CertificateFolder<'a>(&'a Path);

impl<'a> CertificateFolder<'a> {
    /// The folder at this path, which need not exist.
    #[must_use]
    pub const fn new(path: &'a Path) -> Self {
        Self(path)
    }

    /// Makes an authority and certificates for these holders in a cluster. With `add` the authority
    /// in the folder issues them; with `force` files that exist are replaced. Returns what was made,
    /// in a line.
    ///
    /// # Errors
    /// If a holder is named twice, files exist or cannot be written, or there is no authority to add to.
    pub fn issue(
        &self,
        cluster: &str,
        holders: &[CertificateSubject<'_>],
        add: bool,
        force: bool,
    ) -> Result<String, CertificateError> {
        distinct(holders)?;
        let mut files = Files::default();
        let authority = if add {
            self.authority()?
        } else {
            let authority = Authority::new().map_err(broken)?;
            let own = authority.own();
            files.add(self.place("ca-key"), own.key, true);
            files.add(self.place("ca"), own.certificate, false);
            authority
        };
        for &subject in holders {
            let own = authority.issue(cluster, subject).map_err(broken)?;
            files.add(self.place(&format!("{subject}-key")), own.key, true);
            files.add(self.place(&subject.to_string()), own.certificate, false);
        }
        files.check(force)?;
        self.make()?;
        files.write()?;
        let s = if holders.len() == 1 { "" } else { "s" };
        let authority = if add { "" } else { "an authority and " };
        let (out, count) = (self.0.display(), holders.len());
        Ok(format!("{out}: {authority}{count} certificate{s} for cluster {cluster}\n"))
    }

    /// Revokes the certificates of these holders: moves their files into `revoked/`, and lists all that
    /// were ever revoked in `revoked.pem`. Returns what was done, in a line.
    ///
    /// # Errors
    /// If a holder is named twice or has no certificate in the folder, or files cannot be read or written.
    pub fn revoke(&self, holders: &[CertificateSubject<'_>]) -> Result<String, CertificateError> {
        distinct(holders)?;
        let authority = self.authority()?;
        let folder = self.0.join("revoked");
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
                .map_err(|error| at(format!("--revoke: {}", path.display()), error))?;
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

    /// Makes the folder, if there is none.
    fn make(&self) -> Result<(), CertificateError> {
        if self.0.exists() && !self.0.is_dir() {
            return Err(at("--out", format!("{} is no folder", self.0.display())));
        }
        fs::create_dir_all(self.0).map_err(|error| failed(self.0, &error))
    }

    fn authority(&self) -> Result<Authority, CertificateError> {
        let (certificate, key) = (self.place("ca"), self.place("ca-key"));
        Authority::from_pem(&read(&certificate)?, &read(&key)?)
            .map_err(|error| at(certificate.display(), error))
    }

    fn place(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.pem"))
    }
}

/// Checks that no holder is named twice.
fn distinct(holders: &[CertificateSubject<'_>]) -> Result<(), CertificateError> {
    let mut known = BTreeSet::new();
    match holders.iter().find(|&&subject| !known.insert(subject)) {
        Some(CertificateSubject::Node(id)) => Err(at("--ids", format!("the id {id} occurs twice"))),
        Some(twice) => Err(at("cert", format!("{twice} occurs twice"))),
        None => Ok(()),
    }
}

/// An error at a place, which the user named.
fn at(place: impl Display, error: impl Display) -> CertificateError {
    CertificateError::Folder(format!("{place}: {error}"))
}

fn broken(error: impl Display) -> CertificateError {
    at("cert", error)
}

fn read(path: &Path) -> Result<String, CertificateError> {
    small_file::text(path).map_err(|error| unread(path, &error))
}

fn unread(path: &Path, error: &io::Error) -> CertificateError {
    at(format!("--out: cannot read {}", path.display()), error)
}

fn failed(path: &Path, error: &io::Error) -> CertificateError {
    let hint = match error.kind() {
        io::ErrorKind::AlreadyExists => "; --force replaces it, --add uses the authority there",
        _ => "",
    };
    at(format!("--out: cannot write {}", path.display()), format!("{error}{hint}"))
}

/// Files that are all written, or none.
#[derive(Default)]
struct Files(Vec<(PathBuf, String, bool)>);

impl Files {
    fn add(&mut self, path: PathBuf, text: String, secret: bool) {
        self.0.push((path, text, secret));
    }

    /// Checks that they are distinct, and that none exists, unless it may be replaced.
    fn check(&self, replace: bool) -> Result<(), CertificateError> {
        let mut known = BTreeSet::new();
        for (path, _, _) in &self.0 {
            // As with the key of `a` and the certificate of `a-key`.
            if !known.insert(path) {
                let path = path.display();
                return Err(at("--out", format!("two files would be {path}: choose other names")));
            }
            if !replace && path.exists() {
                return Err(failed(path, &io::ErrorKind::AlreadyExists.into()));
            }
        }
        Ok(())
    }

    fn write(self) -> Result<(), CertificateError> {
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

/// Writes a text to a temporary file in the same folder; a secret one is readable only by its owner.
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

#[cfg(test)]
mod tests;
