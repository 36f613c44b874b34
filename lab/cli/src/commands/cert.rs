//! `suffrage cert`: makes an authority, and the certificates of the nodes of an election.

use crate::error::{CommandEnding, Error};
use crate::output::print;
use suffrage_net::certificates::CertificateSubject;
use suffrage_numbers::parse_count;
use suffrage_shell::Certificates;

/// Make a certificate authority and certificates for the nodes of an election
///
/// A certificate is for one node in one cluster, serves both sides of a connection, and does not
/// expire. Each node needs ca.pem and its own two files, such as node-1.pem and node-1-key.pem. The
/// holder of a key can impersonate its node, and the holder of ca-key.pem can make certificates.
///
/// With --add the authority in the folder issues further certificates, for this cluster or another
/// one. With --revoke it writes revoked.pem, the list of all certificates that it has revoked:
/// nodes that have that file in their configuration refuse them, without a restart.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("holders").required(true))]
pub(crate) struct Args {
    /// For the nodes with the ids 1 to N
    #[arg(long, value_name = "N", value_parser = nodes, group = "holders")]
    nodes: Option<u64>,

    /// For the nodes with these ids
    #[arg(long, value_name = "ID,ID,..", value_delimiter = ',', value_parser = count)]
    #[arg(group = "holders")]
    ids: Vec<u64>,

    #[command(flatten)]
    certificates: Certificates,
}

const EXAMPLES: &str = "\
Examples:
  suffrage cert --cluster lab --nodes 3 --out certificates
  suffrage cert --cluster lab --ids 7 --add --out certificates
  suffrage cert --revoke --ids 7 --out certificates";

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

/// Makes the certificates, or revokes them.
pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let numbers = (1..=args.nodes.unwrap_or(0)).chain(args.ids.iter().copied());
    let holders: Vec<CertificateSubject<'_>> = numbers.map(CertificateSubject::Node).collect();
    let done = args.certificates.carry_out(&holders);
    print(&done.map_err(|error| Error::new(error.to_string()))?)?;
    Ok(CommandEnding::Fine)
}
