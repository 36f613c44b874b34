//! Atomic output: files that appear when they are complete, and documents on standard output that
//! are always closed.

use crate::error::Error;
use crate::interrupt::{self, Unfinished};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Returns whether standard output still has a reader after a write. A closed pipe is no error:
/// `suffrage algorithms | head -1`.
pub(crate) fn written(result: io::Result<()>) -> Result<bool, Error> {
    suffrage_stdio::written(result)
        .map_err(|error| Error::of("cannot write to standard output", error))
}

/// Prints to standard output, and returns whether there is still a reader.
///
/// # Errors
/// If the text cannot be written.
pub fn print(text: &str) -> Result<bool, Error> {
    print_piece(text, None)
}

/// Prints a piece of a document, and sets what closes the document from then on.
fn print_piece(text: &str, closing: Option<&'static str>) -> Result<bool, Error> {
    let mut whole = interrupt::writing();
    let mut out = io::stdout().lock();
    let result = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Some(closing) = closing {
        *whole = closing;
    }
    written(result)
}

/// A file that is being written, under a temporary name beside its place.
pub(crate) struct Output {
    to: BufWriter<Target>,
    path: PathBuf,
    /// The flag that names it.
    flag: &'static str,
    _unfinished: Unfinished,
}

enum Target {
    /// A new file, which will replace any old one.
    Beside(NamedTempFile<File>),
    /// A file that cannot be replaced: a pipe, a device.
    Straight(File),
}

impl Output {
    /// Begins the file that a flag names.
    pub(crate) fn begin(flag: &'static str, path: &Path) -> Result<Self, Error> {
        if path == Path::new("-") {
            return Err(Error::new(format!(
                "{flag} -: this goes to a file, because the report goes to standard output; to \
                 read it as it is, name /dev/stderr"
            )));
        }
        if path.is_dir() {
            return Err(Error::of(place(flag, path), "it is a directory"));
        }
        let target = open(path).map_err(|error| Error::of(place(flag, path), error))?;
        let unfinished = Unfinished::new(match &target {
            Target::Beside(file) => file.path().to_owned(),
            Target::Straight(_) => PathBuf::new(),
        });
        let to = BufWriter::new(target);
        Ok(Self { to, path: path.to_owned(), flag, _unfinished: unfinished })
    }

    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<(), Error> {
        let Self { to, path, flag, _unfinished } = self;
        let failed = |error| Error::of(place(flag, &path), error);
        match to.into_inner().map_err(|error| failed(error.into_error()))? {
            Target::Beside(file) => match file.persist(&path) {
                Ok(_) => Ok(()),
                Err(error) => Err(failed(error.error)),
            },
            Target::Straight(_) => Ok(()),
        }
    }
}

/// Writes a text to the file that a flag names.
pub(crate) fn write_text(flag: &'static str, path: &Path, text: &str) -> Result<(), Error> {
    let mut file = Output::begin(flag, path)?;
    file.write_all(text.as_bytes()).map_err(unwritten)?;
    file.finish()
}

/// An error in writing an [`Output`], which names the file.
pub(crate) fn unwritten(error: io::Error) -> Error {
    Error::new(error.to_string())
}

fn place(flag: &str, path: &Path) -> String {
    format!("{flag}: cannot write {}", path.display())
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let place = || place(self.flag, &self.path);
        self.to.write(bytes).map_err(|error| io::Error::other(format!("{}: {error}", place())))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Beside(file) => file.write(bytes),
            Self::Straight(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Beside(file) => file.flush(),
            Self::Straight(file) => file.flush(),
        }
    }
}

/// A document on standard output that is written in pieces, each as soon as it is known. An error
/// or a signal between two pieces closes it.
pub(crate) struct Document {
    end: &'static str,
    /// Whether there is still a reader.
    pub(crate) read: bool,
}

impl Document {
    /// Writes the beginning of a document that `end` will close.
    pub(crate) fn begin(text: &str, end: &'static str) -> Result<Self, Error> {
        Ok(Self { end, read: print_piece(text, Some(end))? })
    }

    /// Writes a piece.
    pub(crate) fn piece(&mut self, text: &str) -> Result<(), Error> {
        self.read = self.read && print(text)?;
        Ok(())
    }

    /// Closes the document.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        self.close()
    }

    fn close(&mut self) -> Result<(), Error> {
        let end = std::mem::take(&mut self.end);
        self.read = print_piece(if self.read { end } else { "" }, Some(""))?;
        Ok(())
    }
}

impl Drop for Document {
    fn drop(&mut self) {
        // Ignored, since another error is reported already.
        let _ = self.close();
    }
}

fn open(path: &Path) -> io::Result<Target> {
    if path.exists() && !path.is_file() {
        return File::options().write(true).open(path).map(Target::Straight);
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // Not created by `tempfile`, whose files are readable only by their owner.
    let create = |path: &Path| File::options().write(true).create_new(true).open(path);
    tempfile::Builder::new().prefix(".suffrage-").make_in(folder, create).map(Target::Beside)
}
