//! Networks, generated and from files, and the identities of their nodes.

mod bytes;
mod cases;
mod dot;
mod edge_lists;
mod ends;
mod fitting;
mod formats;
mod generated;
mod graphml;
mod ids;
mod labels;
mod oracle;
mod parts;
mod specs;
mod zoo;
