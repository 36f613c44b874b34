//! The extension module `suffrage._native`, on which the Python package is built.
//!
//! It has the commands of `suffrage-cli` as functions: the package makes the words of a command line
//! from keyword arguments, so that names, defaults and messages are the same in both.

mod own;
mod run;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    use super::*;

    #[pymodule_export]
    use crate::own::{PythonNet, own};
    #[pymodule_export]
    use crate::run::call;

    #[pymodule_init]
    fn version(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
