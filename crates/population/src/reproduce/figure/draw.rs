//! The figure as SVG and, with the feature `png`, as PNG.

use super::{DOTS, FigureOne, Fit, MARGIN};
use plotters::{coord::Shift, element::DashedPathElement, prelude::*};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};
use thiserror::Error;

const SIZE: (u32, u32) = (1200, 800);
/// The PNG is drawn larger, for print.
#[cfg(feature = "png")]
const PNG_SCALE: u32 = 3;
const BLUE: RGBColor = RGBColor(31, 90, 180);
const RED: RGBColor = RGBColor(200, 40, 40);
const FONT: &str = "sans-serif";

/// Why a figure was not written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The figure could not be drawn.
    #[error("cannot draw {}: {reason}", path.display())]
    Draw {
        /// The file.
        path: PathBuf,
        /// What the drawing library said.
        reason: String,
    },
}

impl FigureOne {
    /// Writes `figure-1.svg`, `figure-1.csv`, `figure-1.txt` and, with the feature `png`,
    /// `figure-1.png` into a folder, which is created if it is missing. Returns their paths.
    ///
    /// # Errors
    /// If a file cannot be written or drawn.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, DrawError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| DrawError::Write { path, source }
        };
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let mut paths = Vec::new();
        let mut place = |kind: &str| {
            paths.push(folder.join(format!("figure-1.{kind}")));
            paths[paths.len() - 1].clone()
        };
        let svg = place("svg");
        fs::write(&svg, self.svg().map_err(drawing(&svg))?).map_err(failed(&svg))?;
        #[cfg(feature = "png")]
        {
            let png = place("png");
            self.png(&png).map_err(drawing(&png))?;
        }
        let csv = place("csv");
        fs::write(&csv, self.csv()).map_err(failed(&csv))?;
        let txt = place("txt");
        fs::write(&txt, self.to_string()).map_err(failed(&txt))?;
        Ok(paths)
    }

    /// The figure as an SVG document.
    fn svg(&self) -> Result<String, String> {
        let mut text = String::new();
        self.draw(&SVGBackend::with_string(&mut text, SIZE).into_drawing_area(), 1)?;
        Ok(text)
    }

    #[cfg(feature = "png")]
    fn png(&self, path: &Path) -> Result<(), String> {
        let size = (SIZE.0 * PNG_SCALE, SIZE.1 * PNG_SCALE);
        self.draw(&BitMapBackend::new(path, size).into_drawing_area(), PNG_SCALE)
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: u32,
    ) -> Result<(), String> {
        // A font of our own: a bitmap has the same letters on every machine.
        #[cfg(feature = "png")]
        plotters::style::register_font(
            FONT,
            plotters::style::FontStyle::Normal,
            dejavu::sans::regular(),
        )
        .map_err(|_| "the font is broken".to_owned())?;
        self.chart(area, scale).map_err(|error| text(&error))?;
        area.present().map_err(|error| text(&error))
    }

    fn chart<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: u32,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        let millions = |time: u64| time as f64 / 1e6;
        let dots = |time: fn(&super::Trial) -> Option<u64>| {
            self.dots()
                .filter_map(move |p| Some((f64::from(p.agents), millions(time(&p.trial)?))))
                .collect::<Vec<_>>()
        };
        let (blue, red) =
            (dots(|trial| trial.completed_at), dots(|trial| trial.leader_declared_at));
        let top = blue.iter().chain(&red).fold(0.0_f64, |top, dot| top.max(dot.1));
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

fn drawing(path: &Path) -> impl FnOnce(String) -> DrawError {
    let path = path.to_owned();
    move |reason| DrawError::Draw { path, reason }
}

fn text(error: &impl fmt::Display) -> String {
    error.to_string()
}
