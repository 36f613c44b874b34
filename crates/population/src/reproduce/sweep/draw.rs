//! Draws a sweep: a panel for each rule, a colour for each number of agents; lines are of the
//! oracle, dots of trials.

use super::{Parameter, Success, Sweep};
use crate::{
    protocols::Rule,
    reproduce::files::{self, DrawError, Drawn, FONT, Figure},
};
use plotters::{coord::Shift, prelude::*};
use std::path::{Path, PathBuf};

const COLOURS: [RGBColor; 7] = [
    RGBColor(31, 90, 180),
    RGBColor(200, 40, 40),
    RGBColor(30, 130, 60),
    RGBColor(190, 110, 0),
    RGBColor(120, 60, 160),
    RGBColor(0, 130, 140),
    RGBColor(90, 90, 90),
];

impl Sweep {
    /// Writes `margin.svg` or `minimum.svg`, the data as `.csv`, the numbers as `.txt` and, with the
    /// feature `png`, a `.png` into a folder, which is created if it is missing. Returns their paths.
    ///
    /// # Errors
    /// If a file cannot be written or drawn.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, DrawError> {
        files::write(self, folder)
    }

    /// Returns the rules that have a panel: those for which the parameter has several values.
    fn panels(&self) -> Vec<&[Success]> {
        let rules = self.successes.chunk_by(|a, b| a.rule == b.rule);
        rules
            .filter(|of| self.parameter == Parameter::Minimum || of[0].rule != Rule::Equal)
            .collect()
    }

    /// Returns the place of a value on the axis, which is logarithmic for margins.
    fn x(&self, success: &Success) -> f64 {
        match self.parameter {
            Parameter::Margin => {
                libm::log2(success.margin.map_or(1.0, crate::protocols::Margin::value))
            }
            Parameter::Minimum => f64::from(success.min_interactions),
        }
    }

    fn panel<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        of_rule: &[Success],
        scale: u32,
    ) -> Drawn<B> {
        let (range, what) = match self.parameter {
            Parameter::Margin => (-1.2..4.2, "margin m"),
            Parameter::Minimum => (-2.0..102.0, "minimum of interactions"),
        };
        let small = 14 * scale;
        let mut chart = ChartBuilder::on(area)
            .margin(12 * scale)
            .caption(of_rule[0].rule.name(), (FONT, 18 * scale).into_font())
            .x_label_area_size(40 * scale)
            .y_label_area_size(56 * scale)
            .build_cartesian_2d(range, 0.0..1.02)?;
        chart
            .configure_mesh()
            .x_desc(what)
            .y_desc("declaration right")
            .x_labels(6)
            .x_label_formatter(&|&x| match self.parameter {
                Parameter::Margin => format!("{}", libm::exp2(x)),
                Parameter::Minimum => format!("{x}"),
            })
            .y_label_formatter(&|y| format!("{:.0} %", 100.0 * y))
            .label_style((FONT, small))
            .axis_desc_style((FONT, small))
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .draw()?;
        for (of_size, colour) in of_rule.chunk_by(|a, b| a.agents == b.agents).zip(COLOURS) {
            let exact = of_size.iter().filter_map(|s| Some((self.x(s), s.exact?)));
            chart.draw_series(LineSeries::new(exact, colour.stroke_width(2 * scale)))?;
            let dots = of_size.iter().map(|s| {
                Circle::new((self.x(s), s.measured.rate), 3 * scale, colour.mix(0.6).filled())
            });
            let sample = 8 * scale as i32;
            chart
                .draw_series(dots)?
                .label(format!("n = {}", of_size[0].agents))
                .legend(move |(x, y)| Circle::new((x + sample, y), 4 * scale, colour.filled()));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .legend_area_size(22 * scale)
            .margin(8 * scale)
            .background_style(WHITE.mix(0.9))
            .border_style(BLACK.mix(0.3))
            .label_font((FONT, small))
            .draw()
    }
}

impl Figure for Sweep {
    fn name(&self) -> &'static str {
        self.parameter.name()
    }

    fn csv(&self) -> String {
        Self::csv(self)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, scale: u32) -> Drawn<B> {
        area.fill(&WHITE)?;
        let panels = self.panels();
        let columns = if panels.len() > 4 { 3 } else { 2 };
        let areas = area.split_evenly((2, columns));
        for (area, of_rule) in areas.iter().zip(panels) {
            self.panel(area, of_rule, scale)?;
        }
        Ok(())
    }
}
