//! `tenure cert`: makes an authority, and the certificates of a cluster.

use crate::{CommandError, print};
use suffrage_shell::Certificates;
use tenure_node::certificates::CertificateSubject;

/// Make a certificate authority and certificates for a cluster
///
/// A certificate is for one holder in one cluster, serves both sides of a connection, and does not
/// expire. Each holder needs ca.pem, its certificate (member-NAME.pem, client-NAME.pem or
/// operator-NAME.pem) and the key of that certificate. The owner of a key can impersonate its
/// holder, and the owner of ca-key.pem can make certificates.
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
    clients: Vec<String>,

    /// For people who ask members from other hosts, and may make leaders leave (`tenure office`)
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', group = "holders")]
    operators: Vec<String>,

    #[command(flatten)]
    certificates: Certificates,
}

const EXAMPLES: &str = "\
Examples:
  tenure cert --cluster lab --members host-1,host-2,host-3 --operators alice --out certificates
  tenure cert --cluster lab --clients web --add --out certificates
  tenure cert --revoke --members host-2 --out certificates";

pub(crate) fn run(args: &Args) -> Result<u8, CommandError> {
    let members = args.members.iter().map(|name| CertificateSubject::Member(name));
    let clients = args.clients.iter().map(|name| CertificateSubject::Client(name));
    let operators = args.operators.iter().map(|name| CertificateSubject::Operator(name));
    let holders: Vec<CertificateSubject<'_>> = members.chain(clients).chain(operators).collect();
    let done = args.certificates.carry_out(&holders);
    print(&done.map_err(|error| CommandError::usage(error.to_string()))?)?;
    Ok(0)
}
