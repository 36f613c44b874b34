//! Certificates: made, used, revoked.

use crate::common::{Said, refusal, says, suffrage};
use crate::node::{addresses, end, node, shared};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn certificates_are_made_and_used() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let cert = |words: &str| suffrage(["cert", "--out", out].into_iter().chain(words.split(' ')));
    says(&cert("--cluster test --nodes 2").out, &["an authority and 2 certificates"]);
    let again = cert("--cluster test --nodes 2");
    says(&refusal(again, "cert"), &["ca-key.pem", "--force replaces it", "--add"]);
    assert_eq!(cert("--cluster test --ids 1,2 --force").code, 0);
    says(&cert("--cluster test --ids 7 --add").out, &["1 certificate for cluster test"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let key = std::fs::metadata(folder.path().join("node-2-key.pem")).unwrap();
        assert_eq!(key.permissions().mode() & 0o777, 0o600, "for its owner's eyes");
    }
    let addresses = addresses(2);
    let mut nodes = Vec::new();
    for (id, address) in (1..).zip(&addresses) {
        shared(folder.path(), "lelann", "ring", &addresses);
        let file = folder.path().join("node.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        let tls = format!(
            "[tls]\nauthority = \"ca.pem\"\ncertificate = \"node-{id}.pem\"\nkey = \
             \"node-{id}-key.pem\"\n"
        );
        std::fs::write(folder.path().join(format!("{id}.toml")), text + &tls).unwrap();
        let (config, id) = (format!("{id}.toml"), id.to_string());
        let mut node = Command::new(assert_cmd::cargo::cargo_bin!("suffrage"));
        node.args(["node", "--config", &config, "--id", &id, "--listen", address])
            .args(["--timeout", "30"])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        nodes.push(node.spawn().unwrap());
    }
    for node in nodes {
        let Said { code, out, err } = end(node);
        assert_eq!(code, 0, "{err}");
        says(&out, &["leader", "all have halted", "sent"]);
    }
}

/// A duplicate name, an impossible folder and inconsistent files of an authority leave no file
/// behind.
#[test]
fn certificates_are_made_all_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new");
    let cert = |words: &str| {
        let out = out.to_str().unwrap().to_owned();
        let words = words.split_whitespace().map(str::to_owned);
        refusal(
            suffrage(["cert".to_owned(), "--out".to_owned(), out].into_iter().chain(words)),
            "cert",
        )
    };
    says(&cert("--cluster c --ids 7,7"), &["--ids: the id 7 occurs twice"]);
    assert!(!out.exists());
    says(&cert("--ids 7"), &["--cluster"]);
    says(&cert("--cluster c"), &["--nodes", "--ids"]);
    says(&cert("--cluster c --ids 7 --add"), &["cannot read", "ca.pem"]);
    says(&cert("--revoke --ids 7"), &["cannot read", "ca.pem"]);
    std::fs::write(&out, "a file").unwrap();
    says(&cert("--cluster c --ids 7 --force"), &["--out: ", "new is no folder"]);
    std::fs::remove_file(&out).unwrap();
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("node-3.pem"), "mine").unwrap();
    says(&cert("--cluster c --nodes 3"), &["node-3.pem", "--force"]);
    let names: Vec<_> =
        std::fs::read_dir(&out).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(names, ["node-3.pem"]);
}

/// Runs `suffrage cert` with a folder, and returns what it says.
fn certified(out: &Path, words: &str) -> String {
    let out = out.to_str().unwrap();
    let said = suffrage(["cert", "--out", out].into_iter().chain(words.split(' ')));
    assert_eq!(said.code, 0, "{}", said.err);
    said.out
}

#[test]
fn a_certificate_is_revoked_and_another_one_issued() {
    let folder = tempfile::tempdir().unwrap();
    let cert = |words| certified(folder.path(), words);
    cert("--cluster test --nodes 2");
    says(&cert("--revoke --ids 2"), &["revoked.pem: 1 revoked certificate\n"]);
    assert!(!folder.path().join("node-2.pem").exists());
    cert("--cluster test --ids 2 --add");
    says(&cert("--revoke --ids 2"), &["revoked.pem: 2 revoked certificates"]);
    cert("--cluster test --ids 2 --add");
    // With the list in their configurations, the nodes with the new certificates elect.
    let addresses = addresses(2);
    shared(folder.path(), "lelann", "ring", &addresses);
    let shared = std::fs::read_to_string(folder.path().join("node.toml")).unwrap();
    let mut nodes = Vec::new();
    for (id, address) in ["1", "2"].iter().zip(&addresses) {
        let tls = format!(
            "[tls]\nauthority = \"ca.pem\"\ncertificate = \"node-{id}.pem\"\nkey = \
             \"node-{id}-key.pem\"\nrevoked = \"revoked.pem\"\n"
        );
        let config = format!("{id}.toml");
        std::fs::write(folder.path().join(&config), format!("{shared}{tls}")).unwrap();
        let words = ["--config", &config, "--id", id, "--listen", address, "--timeout", "60"];
        nodes.push(node(folder.path(), &words, Stdio::piped()));
    }
    for node in nodes {
        let Said { code, err, .. } = end(node);
        assert_eq!(code, 0, "{err}");
    }
}
