//! Writes figures to files: SVG and, with the feature `png`, PNG, with their data and their
//! numbers.

use plotters::{coord::Shift, prelude::*};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// The size of a figure.
pub(super) const SIZE: (u32, u32) = (1200, 800);

/// The scale of a PNG, which is larger for print.
#[cfg(feature = "png")]
const PNG_SCALE: u32 = 3;

pub(super) const FONT: &str = "sans-serif";

/// An error: a figure was not written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The figure could not be drawn.
    #[error("cannot draw {}: {reason}", path.display())]
    Draw {
        /// The file.
        path: PathBuf,
        /// The drawing library's message.
        reason: String,
    },
}

/// The result of drawing on a backend.
pub(super) type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// A figure with its data. `Display` writes a table of its numbers.
pub(super) trait Figure: fmt::Display {
    /// Returns the name of its files, without their endings.
    fn name(&self) -> &'static str;

    /// Returns the data as CSV.
    fn csv(&self) -> String;

    /// Draws on an area `scale` times as large as [`SIZE`].
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, scale: u32) -> Drawn<B>;
}

/// Writes a figure as `.svg`, with the feature `png` also as `.png`, its data as `.csv` and its
/// numbers as `.txt` into a folder, which is created if it is missing. Returns the paths.
pub(super) fn write(figure: &impl Figure, folder: &Path) -> Result<Vec<PathBuf>, DrawError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| DrawError::Write { path, source }
    };
    let place = |kind: &str| folder.join(format!("{}.{kind}", figure.name()));
    fs::create_dir_all(folder).map_err(failed(folder))?;
    let (svg, csv, txt) = (place("svg"), place("csv"), place("txt"));
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
    present(figure, &area, 1).map_err(drawing(&svg))?;
    drop(area);
    fs::write(&svg, text).map_err(failed(&svg))?;
    #[cfg(feature = "png")]
    let png = {
        let png = place("png");
        let size = (SIZE.0 * PNG_SCALE, SIZE.1 * PNG_SCALE);
        let area = BitMapBackend::new(&png, size).into_drawing_area();
        present(figure, &area, PNG_SCALE).map_err(drawing(&png))?;
        drop(area);
        png
    };
    fs::write(&csv, figure.csv()).map_err(failed(&csv))?;
    fs::write(&txt, figure.to_string()).map_err(failed(&txt))?;
    Ok(vec![
        svg,
        #[cfg(feature = "png")]
        png,
        csv,
        txt,
    ])
}

fn present<B: DrawingBackend>(
    figure: &impl Figure,
    area: &DrawingArea<B, Shift>,
    scale: u32,
) -> Result<(), String> {
    // A font of our own, so that a bitmap has the same letters on every machine.
    #[cfg(feature = "png")]
    plotters::style::register_font(
        FONT,
        plotters::style::FontStyle::Normal,
        dejavu::sans::regular(),
    )
    .map_err(|_| "the font is broken".to_owned())?;
    figure.draw(area, scale).map_err(|error| error.to_string())?;
    area.present().map_err(|error| error.to_string())
}

fn drawing(path: &Path) -> impl FnOnce(String) -> DrawError {
    let path = path.to_owned();
    move |reason| DrawError::Draw { path, reason }
}
