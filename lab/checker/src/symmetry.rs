//! Symmetry reduction: only one of several isomorphic instances of a family is explored.
//!
//! Instances with the same canonical form may be isomorphic; that they are is proved for each, by
//! constructing a bisimulation. C. N. Ip, D. L. Dill, *Better Verification Through Symmetry*,
//! Formal Methods in System Design 9, 1996, apply the idea to states instead of instances.

pub(crate) mod bisimulation;
pub(crate) mod canonical_form;
pub(crate) mod work_queue;
