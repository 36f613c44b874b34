//! The hosts of an election, and the secret by which they know each other.

use std::fmt;

/// The hosts of an election with the addresses of their programs, and the number of this program
/// among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    pub(crate) addresses: Vec<String>,
    pub(crate) process: u32,
}

impl Hosts {
    /// Reads a list of hosts: a line `HOST:PORT` for each, in the order of their numbers. A `#` begins
    /// a comment. This program is number `process`.
    ///
    /// # Errors
    /// If a line is something else, if two hosts have the same address, or if there is no such number.
    pub fn read(text: &str, process: u32) -> Result<Self, HostsError> {
        let mut addresses: Vec<String> = Vec::new();
        for (line, whole) in (1..).zip(text.lines()) {
            let address = whole.split('#').next().unwrap_or_default().trim();
            if address.is_empty() {
                continue;
            }
            let port = address.rsplit_once(':').filter(|(host, _)| !host.is_empty());
            if !port.is_some_and(|(_, port)| port.parse::<u16>().is_ok_and(|port| port > 0)) {
                return Err(HostsError::Form { line, given: address.into() });
            }
            if addresses.iter().any(|other| other == address) {
                return Err(HostsError::Twice { line, given: address.into() });
            }
            addresses.push(address.into());
        }
        if process as usize >= addresses.len() {
            return Err(HostsError::Number { process, hosts: addresses.len() });
        }
        Ok(Self { addresses, process })
    }

    /// Returns the number of hosts.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.addresses.len()).unwrap_or(u32::MAX)
    }

    /// Returns the number of this program's host.
    #[must_use]
    pub const fn process(&self) -> u32 {
        self.process
    }

    pub(crate) fn name(&self, host: u32) -> String {
        format!("host {host} ({})", self.addresses[host as usize])
    }
}

/// An error: a text does not list hosts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostsError {
    /// A line is not an address.
    #[error(
        "line {line}: `{given}`: write the address of a host as HOST:PORT, as in 10.0.0.2:7000"
    )]
    Form {
        /// The number of the line.
        line: usize,
        /// What it has.
        given: String,
    },
    /// An address occurs twice.
    #[error("line {line}: `{given}` is listed twice; every host has an address of its own")]
    Twice {
        /// The number of the line.
        line: usize,
        /// What it has.
        given: String,
    },
    /// There is no host of this number.
    #[error("there is no host {process}: the list has {hosts}, numbered from 0")]
    Number {
        /// The number.
        process: u32,
        /// The number of hosts.
        hosts: usize,
    },
}

/// The common secret of all hosts of an election.
#[derive(Clone)]
pub struct Secret(pub(crate) Vec<u8>);

impl Secret {
    /// The least length of a secret, in bytes.
    pub const LEAST: usize = 16;

    /// Reads a secret. White space around it does not count.
    ///
    /// # Errors
    /// If it is shorter than [`LEAST`](Self::LEAST).
    pub fn read(bytes: &[u8]) -> Result<Self, SecretError> {
        let secret = bytes.trim_ascii();
        if secret.len() < Self::LEAST {
            return Err(SecretError(secret.len()));
        }
        Ok(Self(secret.to_vec()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// An error: a secret is too short.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a secret of {0} bytes can be guessed: take at least 16, for instance those of `head -c 32 \
     /dev/urandom | base64`, and give the same file to all hosts"
)]
pub struct SecretError(usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_addresses_and_comments() {
        let text = "# ours\n10.0.0.1:7000\n\n [::1]:80 # the other\nbrno:7001\n";
        let hosts = Hosts::read(text, 2).unwrap();
        assert_eq!(hosts.addresses, ["10.0.0.1:7000", "[::1]:80", "brno:7001"]);
        assert_eq!(hosts.name(1), "host 1 ([::1]:80)");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let say = |text: &str, process| Hosts::read(text, process).unwrap_err().to_string();
        for wrong in ["brno", "brno:", ":7000", "brno:0", "brno:70000", "brno:x"] {
            let error = say(&format!("a:1\n{wrong}\n"), 0);
            assert!(error.starts_with("line 2: ") && error.contains("HOST:PORT"), "{error}");
        }
        assert!(say("a:1\n#\na:1", 0).starts_with("line 3: `a:1` is listed twice"));
        assert!(say("a:1\nb:1", 2).contains("no host 2: the list has 2"));
    }

    #[test]
    fn a_secret_is_long_enough() {
        assert_eq!(Secret::read(b" 0123456789abcdef\n").unwrap().0, b"0123456789abcdef");
        assert!(Secret::read(b"0123456789abcde\n").unwrap_err().to_string().contains("15 bytes"));
    }
}
