//! `tenure cert`: makes an authority, and the certificates of a cluster.

use crate::{Error, print};
use std::path::PathBuf;
use tenure_node::certificates::{Folder, Subject};

/// Make a certificate authority and certificates for a cluster
///
/// A certificate is for one holder in one cluster, serves both sides of a connection, and does not
/// expire. Each holder needs ca.pem and its own two files: member-NAME.pem, stander-NAME.pem or
/// operator-NAME.pem, and the key beside it. Who has a key can impersonate its holder, and who has
/// ca-key.pem can make certificates.
///
/// With --add the authority in the folder issues further certificates, for this cluster or another
/// one. With --revoke it writes revoked.pem, the list of all certificates that it has revoked:
/// members that have that file in their configuration refuse them, without a restart.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("holders").required(true).multiple(true))]
pub struct Args {
    /// For these members (`tenure lead` and `serve`)
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', group = "holders")]
    members: Vec<String>,

    /// For hosts without a vote whose names begin with these; they may share a certificate
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', group = "holders")]
    standers: Vec<String>,

    /// For people who ask members from other hosts, and may make leaders leave (`tenure office`)
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
  tenure cert --cluster lab --members host-1,host-2,host-3 --operators alice --out certificates
  tenure cert --cluster lab --standers web --add --out certificates
  tenure cert --revoke --members host-2 --out certificates";

/// Makes the certificates, or revokes them.
pub(crate) fn run(args: &Args) -> Result<u8, Error> {
    let members = args.members.iter().map(|name| Subject::Member(name));
    let standers = args.standers.iter().map(|name| Subject::Stander(name));
    let operators = args.operators.iter().map(|name| Subject::Operator(name));
    let holders: Vec<Subject<'_>> = members.chain(standers).chain(operators).collect();
    let folder = Folder::new(&args.out);
    let done = match args.revoke {
        true => folder.revoke(&holders),
        false => {
            let cluster = args.cluster.as_deref().unwrap_or_default();
            folder.issue(cluster, &holders, args.add, args.force)
        }
    };
    print(&done.map_err(|error| Error::usage(error.to_string()))?)?;
    Ok(0)
}
