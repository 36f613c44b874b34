//! Tenure's offices: what is proved of the relation in `tenure/protocol`, and that the code is one of its systems.

mod proof;
mod refinement;
