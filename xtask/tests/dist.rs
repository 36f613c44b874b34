//! `cargo xtask dist`, with a program that is made up.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// What the packages take from the program.
const PROGRAM: &str = r#"#!/bin/sh
case $1 in
man)
    umask 077
    for page in tenure tenure-lead; do echo ".TH $page" >"$3/$page.1"; done
    ;;
completions) echo "completes in $2" ;;
config) echo 'cluster = "lab"' ;;
*) exit 2 ;;
esac
"#;

/// What the Debian package installs: permissions, owner, path.
const INSTALLED: &str = "\
drwxr-xr-x 0/0 etc/
drwxr-xr-x 0/0 etc/tenure/
drwxr-xr-x 0/0 usr/
drwxr-xr-x 0/0 usr/bin/
-rwxr-xr-x 0/0 usr/bin/tenure
drwxr-xr-x 0/0 usr/lib/
drwxr-xr-x 0/0 usr/lib/systemd/
drwxr-xr-x 0/0 usr/lib/systemd/system/
-rw-r--r-- 0/0 usr/lib/systemd/system/tenure.service
drwxr-xr-x 0/0 usr/share/
drwxr-xr-x 0/0 usr/share/bash-completion/
drwxr-xr-x 0/0 usr/share/bash-completion/completions/
-rw-r--r-- 0/0 usr/share/bash-completion/completions/tenure
drwxr-xr-x 0/0 usr/share/doc/
drwxr-xr-x 0/0 usr/share/doc/tenure/
-rw-r--r-- 0/0 usr/share/doc/tenure/LICENSE-APACHE
-rw-r--r-- 0/0 usr/share/doc/tenure/LICENSE-MIT
-rw-r--r-- 0/0 usr/share/doc/tenure/README.md
-rw-r--r-- 0/0 usr/share/doc/tenure/changelog.gz
-rw-r--r-- 0/0 usr/share/doc/tenure/copyright
-rw-r--r-- 0/0 usr/share/doc/tenure/copyright-std.html.gz
drwxr-xr-x 0/0 usr/share/doc/tenure/examples/
-rw-r--r-- 0/0 usr/share/doc/tenure/examples/members.toml
-rw-r--r-- 0/0 usr/share/doc/tenure/examples/my-service.service
-rw-r--r-- 0/0 usr/share/doc/tenure/tenure.cdx.json
drwxr-xr-x 0/0 usr/share/fish/
drwxr-xr-x 0/0 usr/share/fish/vendor_completions.d/
-rw-r--r-- 0/0 usr/share/fish/vendor_completions.d/tenure.fish
drwxr-xr-x 0/0 usr/share/man/
drwxr-xr-x 0/0 usr/share/man/man1/
-rw-r--r-- 0/0 usr/share/man/man1/tenure-lead.1.gz
-rw-r--r-- 0/0 usr/share/man/man1/tenure.1.gz
drwxr-xr-x 0/0 usr/share/zsh/
drwxr-xr-x 0/0 usr/share/zsh/vendor-completions/
-rw-r--r-- 0/0 usr/share/zsh/vendor-completions/_tenure
";

/// A folder with a program in `built`, and packages in `out`.
struct Packages(TempDir);

impl Packages {
    fn new() -> Self {
        let packages = Self(TempDir::new().unwrap());
        fs::create_dir(packages.path("built")).unwrap();
        packages.program(PROGRAM);
        packages
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn program(&self, text: &str) {
        let path = self.path("built/tenure");
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    fn command(&self) -> Command {
        let mut dist = Command::new(env!("CARGO_BIN_EXE_xtask"));
        dist.args(["dist", "tenure", "--out"]).arg(self.path("out"));
        // Where it runs says nothing.
        dist.current_dir(self.0.path()).env("SOURCE_DATE_EPOCH", "1000000000");
        dist
    }

    /// Packages the program that is built.
    fn packaging(&self) -> Command {
        let mut dist = self.command();
        dist.arg("--built").arg(self.path("built"));
        dist
    }

    fn make(&self) {
        let output = self.packaging().output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}\n{err}", output.status);
    }

    /// The package whose name ends so.
    fn package(&self, ending: &str) -> Vec<u8> {
        let names = fs::read_dir(self.path("out")).unwrap().map(|entry| entry.unwrap().path());
        let mut named = names.filter(|path| path.to_str().unwrap().ends_with(ending));
        fs::read(named.next().unwrap()).unwrap()
    }
}

#[test]
fn a_wheel_that_is_built_is_packaged_and_another_one_beside_it_refused() {
    let packages = Packages::new();
    let mut dist = Command::new(env!("CARGO_BIN_EXE_xtask"));
    dist.args(["dist", "python", "--out"]).arg(packages.path("out"));
    dist.arg("--built").arg(packages.path("built")).env("SOURCE_DATE_EPOCH", "1000000000");
    let mut complaint = || {
        let output = dist.output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(complaint().contains("built: there are 0 wheels of suffrage, not one"));
    fs::write(packages.path("built/suffrage-0.1.0-cp310-abi3-any.whl"), "a wheel").unwrap();
    assert_eq!(complaint(), "");
    assert_eq!(packages.package(".whl"), b"a wheel");
    let sums = String::from_utf8(packages.package("SHA256SUMS")).unwrap();
    assert!(sums.ends_with("  suffrage-0.1.0-cp310-abi3-any.whl\n"), "{sums}");
    fs::write(packages.path("built/suffrage-0.2.0-cp310-abi3-any.whl"), "another").unwrap();
    assert!(complaint().contains("there are 2 wheels"));
}

/// A member of an archive in the form of `ar`.
fn member<'a>(mut archive: &'a [u8], name: &str) -> &'a [u8] {
    archive = archive.strip_prefix(b"!<arch>\n").unwrap();
    loop {
        let (line, rest) = archive.split_at(60);
        let line = str::from_utf8(line).unwrap();
        assert!(line.ends_with("`\n"), "{line}");
        let size: usize = line[48..58].trim().parse().unwrap();
        if line[..16].trim() == name {
            return &rest[..size];
        }
        archive = &rest[size.next_multiple_of(2)..];
    }
}

/// Runs `tar` on a packed archive.
fn tar(flags: &[&str], archive: &[u8]) -> String {
    let mut tar = Command::new("tar");
    tar.args(["--numeric-owner", "--gunzip", "--file=-"]).args(flags).env("TZ", "UTC");
    let mut tar = tar.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    tar.stdin.take().unwrap().write_all(archive).unwrap();
    let output = tar.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// Lists the permissions, owners and paths of an archive. Every entry has the time that the command was given.
fn listed(archive: &[u8]) -> String {
    let list = tar(&["--list", "--verbose"], archive);
    let lines = list.lines().map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        assert_eq!(words[3..5], ["2001-09-09", "01:46"], "{line}");
        format!("{} {} {}\n", words[0], words[1], words[5])
    });
    lines.collect()
}

#[test]
fn a_debian_package_has_the_program_with_all_that_belongs_to_it() {
    let packages = Packages::new();
    packages.make();
    let deb = packages.package(".deb");
    assert_eq!(member(&deb, "debian-binary"), b"2.0\n");
    let files = member(&deb, "data.tar.gz");
    assert_eq!(listed(files), INSTALLED);
    let text = |path: &str| tar(&["--extract", "--to-stdout", path], files);
    assert_eq!(text("usr/bin/tenure"), PROGRAM);
    assert_eq!(text("usr/share/zsh/vendor-completions/_tenure"), "completes in zsh\n");
    assert_eq!(text("usr/share/doc/tenure/examples/members.toml"), "cluster = \"lab\"\n");
    let control = member(&deb, "control.tar.gz");
    let scripts = "-rw-r--r-- 0/0 control\n-rwxr-xr-x 0/0 postinst\n-rwxr-xr-x 0/0 postrm\n\
                   -rwxr-xr-x 0/0 prerm\n";
    assert_eq!(listed(control), scripts);
    let fields = tar(&["--extract", "--to-stdout", "control"], control);
    assert!(fields.starts_with("Package: tenure\nVersion: 0.1.0\nArchitecture: "), "{fields}");
    assert!(!fields.contains('{'), "{fields}");
}

#[test]
fn an_archive_is_all_that_an_image_is_made_of() {
    let packages = Packages::new();
    packages.make();
    let archive = packages.package("-linux.tar.gz");
    let paths = tar(&["--list"], &archive);
    let root = paths.lines().next().unwrap();
    assert!(root.starts_with("tenure-0.1.0-"), "{root}");
    let image = tar(&["--extract", "--to-stdout", &format!("{root}Containerfile")], &archive);
    for copied in image.lines().filter_map(|line| line.strip_prefix("COPY ")) {
        let copied = format!("{root}{}", copied.split(' ').next().unwrap());
        assert!(paths.lines().any(|path| path == copied), "{copied} is not in\n{paths}");
    }
}

#[test]
fn a_packaging_anywhere_gives_the_same_bytes() {
    let [one, other] = [Packages::new(), Packages::new()];
    one.make();
    one.make(); // It replaces the packages that are there.
    fs::create_dir(other.path("temporary")).unwrap();
    let mut command = other.packaging();
    command.env("TMPDIR", other.path("temporary")).env("TZ", "Asia/Tokyo").env("LANG", "C");
    assert!(command.output().unwrap().status.success());
    let sums = |packages: &Packages| {
        let mut check = Command::new("sha256sum");
        check.args(["--check", "--strict", "SHA256SUMS"]).current_dir(packages.path("out"));
        let output = check.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(packages.package("SHA256SUMS")).unwrap()
    };
    assert_eq!(sums(&one), sums(&other));
    assert_eq!(sums(&one).lines().count(), 3);
}

#[test]
fn the_list_of_libraries_has_what_is_linked_with_its_license() {
    let packages = Packages::new();
    packages.make();
    let list: Value = serde_json::from_slice(&packages.package(".cdx.json")).unwrap();
    assert_eq!(list["metadata"]["timestamp"], "2001-09-09T01:46:40Z");
    assert_eq!(list["metadata"]["component"]["name"], "tenure-cli");
    let components = list["components"].as_array().unwrap();
    let named = |name: &str| components.iter().find(|one| one["name"] == name);
    for linked in ["ring", "quinn", "tenure-protocol", "std"] {
        assert!(named(linked).is_some(), "{linked} is missing");
    }
    // Of tests, of the compilation, of other programs of this repository.
    for absent in ["trycmd", "syn", "serde_derive", "suffrage-simulator", "tenure-cli"] {
        assert!(named(absent).is_none(), "{absent} is listed");
    }
    assert_eq!(named("ring").unwrap()["hashes"][0]["content"].as_str().unwrap().len(), 64);
    let refs: Vec<_> = components.iter().map(|one| &one["bom-ref"]).collect();
    for component in components {
        let license = component["licenses"][0]["expression"].as_str().unwrap();
        assert!(!license.contains(['/']) && license != "NOASSERTION", "{component}");
    }
    let depends = list["dependencies"].as_array().unwrap();
    assert_eq!(depends.len(), refs.len() + 1, "the program, and all others");
    for on in depends.iter().flat_map(|one| one["dependsOn"].as_array().unwrap()) {
        assert!(refs.contains(&on), "{on} is no component");
    }
    let quinn = depends.iter().find(|one| one["ref"].as_str().unwrap().contains("/quinn@"));
    assert!(quinn.unwrap()["dependsOn"].to_string().contains("/quinn-proto@"));
    // The notices that the licenses ask for.
    let deb = packages.package(".deb");
    let path = "usr/share/doc/tenure/copyright";
    let notices = tar(&["--extract", "--to-stdout", path], member(&deb, "data.tar.gz"));
    for notice in ["\nring 0.", "Copyright (c) 2018 The quinn Developers", "\nstd 1."] {
        assert!(notices.contains(notice), "{notice} is missing");
    }
}

#[track_caller]
fn refuses(command: &mut Command, message: &str) {
    let output = command.output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.starts_with("error: ") && err.contains(message), "{err}");
}

#[test]
fn what_is_missing_or_wrong_is_said() {
    let packages = Packages::new();
    refuses(packages.packaging().env("SOURCE_DATE_EPOCH", "soon"), "SOURCE_DATE_EPOCH=soon: write");
    let tools = packages.path("tools");
    fs::create_dir(&tools).unwrap();
    let paths = std::env::var("PATH").unwrap();
    let rustc = std::env::split_paths(&paths).map(|folder| folder.join("rustc"));
    let rustc = rustc.into_iter().find(|path| path.exists()).unwrap();
    std::os::unix::fs::symlink(rustc, tools.join("rustc")).unwrap();
    let missing = "the C compiler musl-gcc (`apt-get install musl-tools`)";
    let mut bare = packages.command();
    bare.env("PATH", &tools).env_remove("CC").env_remove("TARGET_CC");
    refuses(&mut bare, missing);
    packages.program("#!/bin/sh\necho 'no pages' >&2; exit 3\n");
    refuses(&mut packages.packaging(), "exit status: 3\nno pages");
    fs::remove_file(packages.path("built/tenure")).unwrap();
    refuses(&mut packages.packaging(), "built/tenure: No such file");
    packages.program(PROGRAM);
    fs::create_dir(packages.path("out")).unwrap();
    fs::write(packages.path("out/letter"), "dear").unwrap();
    refuses(&mut packages.packaging(), "is not empty, and has no packages: name another folder");
    assert!(Path::new(&packages.path("out/letter")).exists());
}
