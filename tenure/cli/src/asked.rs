//! The flags that say which member an operator asks.

use crate::control::client::{self, Place};
use crate::error::Error;
use crate::join::{self, MembersArgs};
use std::path::PathBuf;
use tenure_node::Address;

/// Which member is asked: one of this host, or of any other.
#[derive(clap::Args)]
#[command(next_help_heading = "Which member is asked")]
pub(crate) struct Asked {
    /// The member of this host with this socket [default: what the variable `TENURE_SOCKET` names,
    /// or the only one on this host]
    #[arg(long, global = true, value_name = "PATH", conflicts_with = "config")]
    socket: Option<PathBuf>,

    /// The first member of this configuration that answers, on any host; with the certificate that
    /// the file names
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,

    /// With --config: this member
    #[arg(long, global = true, value_name = "NAME", requires = "config")]
    member: Option<String>,

    #[command(flatten)]
    members: MembersArgs,
}

impl Asked {
    pub(crate) fn place(&self) -> Result<Place, Error> {
        if let Some(path) = &self.config {
            let config = join::read(path)?;
            let asked = self.member.as_ref();
            let members = config.members.iter();
            let members = members.filter(|member| asked.is_none_or(|name| member.name == *name));
            let addresses: Vec<_> = members
                .map(|member| Address {
                    at: member.address.clone(),
                    member: Some(member.name.clone()),
                })
                .collect();
            if addresses.is_empty() {
                let names: Vec<_> = config.members.iter().map(|one| one.name.as_str()).collect();
                let name = asked.map_or("", String::as_str).escape_debug();
                let names = names.join(", ");
                return Err(Error::usage(format!(
                    "--member {name}: there is no such member; there are {names}"
                )));
            }
            return Ok(Place::Members { cluster: config.cluster, tls: config.tls, addresses });
        }
        if let Some((holder, tls)) = self.members.holder()? {
            let cluster = holder.cluster;
            let address = |at: &String| Address { at: at.clone(), member: None };
            let addresses = self.members.members.iter().map(address).collect();
            return Ok(Place::Members { cluster, tls, addresses });
        }
        client::find(self.socket.as_deref()).map(Place::Socket)
    }
}
