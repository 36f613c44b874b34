//! The flags of `population` and `reproduce`, for `clap`.
