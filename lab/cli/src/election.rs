//! Shared code of commands that run one election in another way than `suffrage elect`.

pub use crate::error::{CommandEnding, USAGE, complain};
pub use crate::flags::{ConditionFlags, FileFlags};
pub use crate::interrupt::listen;
pub use crate::output::print;
pub use crate::progress::Terminal;
pub use crate::report::text::election::text;
pub use crate::report::{ReportFormat, json_of};
pub use crate::terminal::fitted;
pub use crate::typed::{without, words_of};
