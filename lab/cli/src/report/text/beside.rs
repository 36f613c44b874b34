//! Compares a real election with a simulated one.

use std::fmt::Write;
use suffrage::experiment::number::grouped;
use suffrage::experiment::report::ElectionReport;

/// Formats the counts of both, one per line.
pub(crate) fn text(real: &ElectionReport, simulated: &ElectionReport) -> String {
    let mut text =
        format!("\n  {:<26}  {:>14}  {:>14}\n", "beside the simulator", "real", "simulated");
    let mut line = |name: &str, real: u64, simulated: u64| {
        let note = if real == simulated { "  equal" } else { "" };
        let _ =
            writeln!(text, "  {name:<26}  {:>14}  {:>14}{note}", grouped(real), grouped(simulated));
    };
    line("messages", real.messages.total, simulated.messages.total);
    let kinds = real.messages.by_kind.iter().zip(&simulated.messages.by_kind);
    for ((kind, sent), (_, twin)) in kinds {
        line(&format!("  {kind}"), *sent, *twin);
    }
    line("causal depth", real.causal_depth.into(), simulated.causal_depth.into());
    line("late", real.late, simulated.late);
    line("bound", real.bound.messages, simulated.bound.messages);
    text
}
