//! The package for Debian and its kin: an `ar` archive of the format's version, the control files, and the files.
//! It is written here, and not by `dpkg-deb`, so that its bytes depend on nothing that is installed.

use super::VERSION;
use super::files::FileTree;
use anyhow::bail;
use std::fmt::Write;

/// Scripts that `dpkg` runs.
const SCRIPTS: [(&str, &str); 3] = [
    ("postinst", include_str!("debian/postinst")),
    ("prerm", include_str!("debian/prerm")),
    ("postrm", include_str!("debian/postrm")),
];

/// Debian's name of a kind of processor.
pub(super) fn architecture(rust: &str) -> anyhow::Result<&'static str> {
    Ok(match rust {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        _ => bail!("packages are made on x86-64 and arm64 alone, and this is {rust}"),
    })
}

/// Returns the package of these files, which are below `/usr`.
pub(super) fn package(files: &FileTree, architecture: &str, time: u64) -> anyhow::Result<Vec<u8>> {
    let mut installed = files.below("usr");
    // For the configuration and the certificates.
    installed.add_folder("etc/tenure");
    let mut control = FileTree::default();
    let fields = include_str!("debian/control")
        .replace("{version}", VERSION)
        .replace("{architecture}", architecture)
        .replace("{size}", &installed.kibibytes().to_string());
    control.add("control", fields);
    for (name, script) in SCRIPTS {
        control.add_program(name, script);
    }
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", control.tar_gz(time)?),
        ("data.tar.gz", installed.tar_gz(time)?),
    ];
    Ok(archive(&members, time))
}

/// An archive in the form of `ar`: before each member, which begins at an even place, a line of fixed columns.
fn archive(members: &[(&str, Vec<u8>)], time: u64) -> Vec<u8> {
    let mut bytes = b"!<arch>\n".to_vec();
    for (name, contents) in members {
        let mut line = String::new();
        let (owner, mode, size) = (0, "100644", contents.len());
        let _ = writeln!(line, "{name:<16}{time:<12}{owner:<6}{owner:<6}{mode:<8}{size:<10}`");
        bytes.extend(line.as_bytes());
        bytes.extend(contents);
        bytes.resize(bytes.len().next_multiple_of(2), b'\n');
    }
    bytes
}

#[cfg(test)]
mod tests;
