//! Draws the figure.

use super::{DOTS, FigureOne, Fit, MARGIN};
use crate::reproduce::files::{self, DrawError, Drawn, FONT, Figure};
use plotters::{coord::Shift, element::DashedPathElement, prelude::*};
use std::path::{Path, PathBuf};

const BLUE: RGBColor = RGBColor(31, 90, 180);
const RED: RGBColor = RGBColor(200, 40, 40);
const GREEN: RGBColor = RGBColor(30, 130, 60);

impl FigureOne {
    /// Writes `figure-1.svg`, `figure-1.csv`, `figure-1.txt` and, with the feature `png`,
    /// `figure-1.png` into a folder, which is created if it is missing. Returns their paths.
    ///
    /// # Errors
    /// If a file cannot be written or drawn.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, DrawError> {
        files::write(self, folder)
    }
}

impl Figure for FigureOne {
    fn name(&self) -> &'static str {
        "figure-1"
    }

    fn csv(&self) -> String {
        Self::csv(self)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, scale: u32) -> Drawn<B> {
        let millions = |time: u64| time as f64 / 1e6;
        let dots = |time: fn(&super::Trial) -> Option<u64>| {
            self.dots()
                .filter_map(move |p| Some((f64::from(p.agents), millions(time(&p.trial)?))))
                .collect::<Vec<_>>()
        };
        let (blue, red, green) = (
            dots(|trial| trial.completed_at),
            dots(|trial| trial.leader_declared_at),
            dots(|trial| trial.told_at),
        );
        let top = green.iter().chain(&red).fold(0.0_f64, |top, dot| top.max(dot.1));
        let small = 20 * scale;
        let shown = match self.trials {
            ..=DOTS => format!("{} trials for each n", self.trials),
            _ => format!("{DOTS} of {} trials for each n", self.trials),
        };
        // Plotters sets the labels of a legend a little above the middle of their lines.
        let lift = 4 * scale as i32;
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(area)
            .margin(24 * scale)
            .caption(
                format!("Election among n numbered agents, margin m = {MARGIN}, {shown}"),
                (FONT, 26 * scale).into_font(),
            )
            .x_label_area_size(64 * scale)
            .y_label_area_size(84 * scale)
            .build_cartesian_2d(500.0..10_500.0, 0.0..1.05 * top)?;
        chart
            .configure_mesh()
            .x_desc("agents n")
            .y_desc("interactions (millions)")
            .x_labels(11)
            .x_label_formatter(&|n| crate::report::number(*n))
            .y_label_formatter(&|y| format!("{y:.2}"))
            .label_style((FONT, small))
            .axis_desc_style((FONT, small + 2 * scale))
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .draw()?;
        let curve = |fit: Fit| {
            // From end to end of the data, in pieces long enough to be straight lines.
            (0..=30).map(move |k| {
                let n = 1000.0 + 300.0 * f64::from(k);
                (n, fit.at(n) / 1e6)
            })
        };
        let dot = |at: (f64, f64), colour: RGBColor| {
            Circle::new(at, 2 * scale, colour.mix(0.35).filled())
        };
        chart
            .draw_series(blue.into_iter().map(|at| dot(at, BLUE)))?
            .label("all agents hold the highest identity")
            .legend(move |(x, y)| {
                Circle::new((x + 15 * scale as i32, y - lift), 4 * scale, BLUE.filled())
            });
        let line = |colour: RGBColor| colour.stroke_width(2 * scale);
        let sample = move |x: i32, y: i32| [(x, y - lift), (x + 30 * scale as i32, y - lift)];
        chart
            .draw_series(LineSeries::new(curve(self.completion), line(BLUE)))?
            .label(label(self.completion))
            .legend(move |(x, y)| PathElement::new(sample(x, y), line(BLUE)));
        chart
            .draw_series(red.into_iter().map(|at| dot(at, RED)))?
            .label("the eventual leader declares (rule: text)")
            .legend(move |(x, y)| {
                Circle::new((x + 15 * scale as i32, y - lift), 4 * scale, RED.filled())
            });
        let (dash, gap) = (10 * scale, 6 * scale);
        chart
            .draw_series(DashedLineSeries::new(curve(self.declaration), dash, gap, line(RED)))?
            .label(label(self.declaration))
            .legend(move |(x, y)| {
                let points = sample(x, y);
                DashedPathElement::new(points, dash, gap, line(RED))
            });
        chart
            .draw_series(green.into_iter().map(|at| dot(at, GREEN)))?
            .label("all agents have been told")
            .legend(move |(x, y)| {
                Circle::new((x + 15 * scale as i32, y - lift), 4 * scale, GREEN.filled())
            });
        let (dot, gap) = (2 * scale, 5 * scale);
        chart
            .draw_series(DashedLineSeries::new(curve(self.told), dot, gap, line(GREEN)))?
            .label(label(self.told))
            .legend(move |(x, y)| {
                let points = sample(x, y);
                DashedPathElement::new(points, dot, gap, line(GREEN))
            });
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .legend_area_size(44 * scale)
            .margin(14 * scale)
            .background_style(WHITE.mix(0.9))
            .border_style(BLACK.mix(0.3))
            .label_font((FONT, small))
            .draw()
    }
}

fn label(fit: Fit) -> String {
    let sign = if fit.linear < 0.0 { '−' } else { '+' };
    format!("fit: {:.2} n ln n {sign} {:.2} n", fit.log_linear, fit.linear.abs())
}
