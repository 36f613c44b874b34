//! The identities that `--ids` names: a layout, a list or a file.

use crate::error::Error;
use std::path::Path;
use suffrage_model::{Id, NetworkClass};
use suffrage_networks::ComputedIds;
use suffrage_networks::{IdList, IdNote, Ids, Input, Topology};

/// The identities that `--ids` names.
pub enum Identities {
    /// A layout of the ids 1 to N.
    Layout(Ids),
    /// A list.
    Listed(Box<IdList>),
}

impl Identities {
    /// Reads a layout by its name, or a list or a file for the nodes of a network, for an algorithm for
    /// networks of this class.
    ///
    /// # Errors
    /// If there is no such layout and no such file, or its identities do not fit the network.
    pub fn named(
        text: &str,
        class: NetworkClass,
        network: impl FnOnce() -> Result<Topology, Error>,
    ) -> Result<Self, Error> {
        let listed = match (text.parse(), text.strip_prefix("list:")) {
            (Ok(layout), _) => return Ok(Self::Layout(layout)),
            (_, Some(list)) => {
                let (lines, network) = (list.replace(',', "\n"), network()?);
                match class {
                    NetworkClass::HomonymRing => {
                        Ids::read_homonyms_from(lines.as_bytes(), "list", &network)
                    }
                    _ => Ids::read_from(lines.as_bytes(), "list", &network),
                }
            }
            (Err(unknown), None) => {
                let path = Path::new(text);
                if !Input::exists(path) {
                    return Err(Error::new(format!("--ids: {unknown}; and no such file exists")));
                }
                match class {
                    NetworkClass::HomonymRing => Ids::read_homonyms(path, &network()?),
                    _ => Ids::read_file(path, &network()?),
                }
            }
        };
        Ok(Self::Listed(listed.map_err(|error| Error::of("--ids", error))?.into()))
    }

    /// The identities of `nodes` nodes; the seed matters for random ones alone.
    #[must_use]
    pub fn assign(&self, nodes: u32, seed: u64) -> Vec<Id> {
        match self {
            Self::Layout(layout) => layout.assign(nodes, seed),
            Self::Listed(list) => list.ids().to_vec(),
        }
    }

    /// The identities without a table, where they need none.
    #[must_use]
    pub fn computed(&self, nodes: u64, seed: u64) -> Option<ComputedIds> {
        match self {
            Self::Layout(layout) => layout.computed(nodes, seed),
            Self::Listed(_) => None,
        }
    }

    /// The identity of a node as it was written, where that is not its number in decimal.
    #[must_use]
    pub fn written(&self, node: u32) -> Option<String> {
        let Self::Listed(list) = self else { return None };
        let (id, written) = (list.ids().get(node as usize)?, list.written(node));
        (written != id.to_string()).then(|| written.to_owned())
    }

    /// The list, if they are from one.
    #[must_use]
    pub fn into_list(self) -> Option<IdList> {
        match self {
            Self::Listed(list) => Some(*list),
            Self::Layout(_) => None,
        }
    }

    /// What a person should know about them.
    pub(crate) fn notes(&self) -> &[IdNote] {
        match self {
            Self::Listed(list) => list.notes(),
            Self::Layout(_) => &[],
        }
    }
}
