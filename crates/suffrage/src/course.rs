use crate::error::Error;
use serde::Serialize;
use std::path::Path;
use suffrage::algorithms::Algorithm;
use suffrage::checker;
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Course {
    steps: Vec<String>,
}
impl Course {
    pub(crate) fn of(_: &Algorithm, course: &checker::Course, _: Option<&checker::Broken>) -> Self {
        Self { steps: course.moves.iter().map(|m| format!("{m:?}")).collect() }
    }
    pub(crate) fn write(&self, _: &'static str, _: &Path) -> Result<(), Error> {
        Ok(())
    }
    pub(crate) fn picture(&self) -> Result<String, Error> {
        Ok(self.steps.join("\n") + "\n")
    }
}
