//! The extension module `suffrage._native`, on which the Python package is built.
//!
//! The package makes specifications from keyword arguments, whose names are those of flags, and gets reports.

mod own;
mod run;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    use super::*;

    #[pymodule_export]
    use crate::own::{PythonNet, own, own_shown};
    #[pymodule_export]
    use crate::run::{page, run, simulate_tenures, text, watch};

    #[pymodule_init]
    fn version(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
