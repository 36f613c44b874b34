//! Atomic output: files that appear when they are complete, and documents on standard output that
//! are always closed.

use crate::error::Error;
use crate::interrupt::{self, Unfinished};
use crate::terminal::{coloured, harmless};
use clap::Command;
use same_file::Handle;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
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
    print_piece(&harmless(text, coloured()), None)
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
    /// A new file, which will replace any old one at this place.
    Beside(NamedTempFile<File>, PathBuf),
    /// A file that cannot be replaced: a pipe, a device, or where standard output or standard error go.
    Straight(File),
}

impl Output {
    /// Begins the file that a flag names.
    pub(crate) fn begin(flag: &'static str, path: &Path) -> Result<Self, Error> {
        refuse_place(flag, path)?;
        let target = open(path).map_err(|error| Error::of(place(flag, path), error))?;
        let unfinished = Unfinished::new(match &target {
            Target::Beside(file, _) => file.path().to_owned(),
            Target::Straight(_) => PathBuf::new(),
        });
        let to = BufWriter::new(target);
        Ok(Self { to, path: path.to_owned(), flag, _unfinished: unfinished })
    }

    /// An error in writing, with the name of the file.
    fn placed(&self, error: &io::Error) -> io::Error {
        io::Error::other(format!("{}: {error}", place(self.flag, &self.path)))
    }

    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<(), Error> {
        let Self { to, path, flag, _unfinished } = self;
        let failed = |error| Error::of(place(flag, &path), error);
        match to.into_inner().map_err(|error| failed(error.into_error()))? {
            Target::Beside(file, place) => match file.persist(place) {
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

/// The formats of drawings with the endings of their files. Pixels are made of them by other programs.
const ENDINGS: [(&str, &[&str]); 9] = [
    ("svg", &["svg"]),
    ("pdf", &["pdf"]),
    ("tikz", &["tex", "tikz", "pgf"]),
    ("html", &["html", "htm"]),
    ("mermaid", &["mmd", "mermaid"]),
    ("dot", &["dot", "gv"]),
    ("perfetto", &["json"]),
    ("csv", &["csv"]),
    ("", &["png", "jpg", "jpeg", "gif", "webp", "tif", "tiff", "bmp", "ps", "eps"]),
];

/// The grammar of the command line, by which words that name files are told from others.
static GRAMMAR: OnceLock<fn() -> Command> = OnceLock::new();

/// Sets the grammar of the command line, if none is set.
pub(crate) fn of_grammar(grammar: fn() -> Command) {
    GRAMMAR.get_or_init(|| grammar);
}

/// Leaves out the words that name an algorithm or a protocol: a file of such a name is not read.
fn without_names(grammar: Command, mut words: Vec<OsString>) -> Vec<OsString> {
    const NAMES: [&str; 4] = ["algorithm", "algorithms", "name", "protocol"];
    let mut grammar = grammar.no_binary_name(true).ignore_errors(true);
    let Ok(matches) = grammar.try_get_matches_from_mut(&words) else { return words };
    let (mut at, mut command) = (&matches, &grammar);
    loop {
        let flags = command.get_arguments().map(|flag| flag.get_id().as_str());
        for flag in flags.filter(|flag| NAMES.contains(flag)) {
            let given: Vec<_> = at.try_get_raw(flag).ok().flatten().into_iter().flatten().collect();
            // As `--algorithms a,b`, or else one word for each.
            let joined = given.join(OsStr::new(","));
            let names = match words.contains(&joined) {
                true => vec![joined],
                false => given.into_iter().map(OsStr::to_owned).collect(),
            };
            for word in names {
                if let Some(found) = words.iter().position(|one| *one == word) {
                    words.remove(found);
                }
            }
        }
        let next =
            at.subcommand().and_then(|(name, inner)| Some((inner, command.find_subcommand(name)?)));
        let Some(next) = next else { return words };
        (at, command) = next;
    }
}

/// Refuses a file that the command line names elsewhere, too.
fn refuse_second_name(flag: &'static str, path: &Path) -> Result<(), Error> {
    let typed: Vec<OsString> = std::env::args_os().skip(1).collect();
    let words = match GRAMMAR.get() {
        Some(grammar) => without_names(grammar(), typed),
        None => typed,
    };
    if !is_named_twice(path, words) {
        return Ok(());
    }
    Err(Error::of(
        place(flag, path),
        "the command line names this file a second time, to read it or to write something else there",
    ))
}

/// Refuses a path at which no file is to be written.
fn refuse_place(flag: &'static str, path: &Path) -> Result<(), Error> {
    if path == Path::new("-") {
        return Err(Error::new(format!(
            "{flag} -: this goes to a file, because the report goes to standard output; to \
             read it as it is, name /dev/stderr"
        )));
    }
    if path.is_dir() {
        return Err(Error::of(place(flag, path), "it is a directory"));
    }
    // A new file takes the place of the old one, which its folder alone would allow.
    if path.is_file() && path.metadata().is_ok_and(|of| of.permissions().readonly()) {
        return Err(Error::of(place(flag, path), "the file that is there is read-only"));
    }
    if path.is_file() && Handle::stdin().is_ok_and(|input| is_at(&input, path)) {
        return Err(Error::of(place(flag, path), "standard input is read from this file"));
    }
    refuse_second_name(flag, path)
}

fn is_at(stream: &Handle, path: &Path) -> bool {
    Handle::from_path(path).is_ok_and(|file| file == *stream)
}

/// Refuses a file that cannot be written, before the work whose result it is to hold.
pub(crate) fn refuse_unwritable(flag: &'static str, path: &Path) -> Result<(), Error> {
    refuse_place(flag, path)?;
    // A pipe would end when it is closed again.
    if !path.exists() || path.is_file() {
        open(path).map_err(|error| Error::of(place(flag, path), error))?;
    }
    Ok(())
}

/// Refuses a file that cannot be written, or whose ending promises another format.
pub(crate) fn refuse_ending(flag: &'static str, path: &Path, format: &str) -> Result<(), Error> {
    refuse_unwritable(flag, path)?;
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let promised = ENDINGS.iter().find(|(_, endings)| endings.contains(&&*ending));
    match promised {
        Some((promised, _)) if *promised != format => Err(Error::new(format!(
            "{flag} {}: this writes {format}, and the name promises something else: give it another ending, or \
             another --format; programs such as rsvg-convert make pixels and PDF of SVG",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// Whether two of these words name the file at a path: words as `FILE`, `--flag=FILE` and `replay:FILE`. Only files
/// that a write would replace count.
fn is_named_twice(path: &Path, words: impl IntoIterator<Item = OsString>) -> bool {
    times_named(path, words) > 1
}

/// How often words name the file at a path.
pub(crate) fn times_named(path: &Path, words: impl IntoIterator<Item = OsString>) -> usize {
    let Some(place) = place_of(path) else { return 0 };
    let is_it = |word: &str| place_of(Path::new(word)).as_ref() == Some(&place);
    let named = |word: OsString| {
        let word = word.to_string_lossy().into_owned();
        let ends = word.match_indices(['=', ':']).map(|(at, _)| &word[at + 1..]);
        usize::from(is_it(&word) || ends.into_iter().any(is_it))
            .max(word.split(',').filter(|part| is_it(part)).count())
    };
    words.into_iter().map(named).sum()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// The place of a file that exists or could be created: two names are of one file if their places are equal.
/// `None` for pipes and devices.
fn place_of(path: &Path) -> Option<PathBuf> {
    if path.exists() {
        return path.canonicalize().ok().filter(|place| place.is_file());
    }
    Some(folder_of(path).canonicalize().ok()?.join(path.file_name()?))
}

fn place(flag: &str, path: &Path) -> String {
    format!("{flag}: cannot write {}", path.display())
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes);
        written.map_err(|error| self.placed(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.to.flush();
        flushed.map_err(|error| self.placed(&error))
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Beside(file, _) => file.as_file_mut().write(bytes),
            Self::Straight(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Beside(file, _) => file.as_file_mut().flush(),
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
    // A new file would take the place of the one to which a shell sends a stream, and lose what goes there.
    let streams = [Handle::stdout(), Handle::stderr()];
    if let Some(stream) = streams.into_iter().flatten().find(|stream| is_at(stream, path)) {
        return stream.as_file().try_clone().map(Target::Straight);
    }
    // Nor does it take the place of a link.
    let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = folder_of(&place);
    // Not created by `tempfile`, whose files are readable only by their owner.
    let create = |path: &Path| File::options().write(true).create_new(true).open(path);
    tempfile::Builder::new()
        .prefix(".suffrage-")
        .make_in(folder, create)
        .map(|file| Target::Beside(file, place.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Arg;

    #[test]
    fn a_file_that_is_named_twice_is_found_in_every_form_of_a_word() {
        let twice = |words: &str| {
            is_named_twice(Path::new("src/out.svg"), words.split(' ').map(OsString::from))
        };
        assert!(!twice("plot ring.csv --out src/out.svg"));
        assert!(twice("plot src/out.svg --out src/out.svg"));
        assert!(twice("plot ./src/../src/out.svg --out=src/out.svg"));
        assert!(twice("elect --schedule replay:src/out.svg --trace src/out.svg"));
        assert!(twice("compare --topology a,src/out.svg --each src/out.svg"));
        assert!(!twice("elect --trace src/out.jsonl --each src/out.svg"));
        let null = ["--trace", "/dev/null", "--each", "/dev/null"].map(OsString::from);
        assert!(!is_named_twice(Path::new("/dev/null"), null));
    }

    #[test]
    fn names_of_algorithms_are_no_files() {
        let elect =
            Command::new("elect").arg(Arg::new("algorithm")).arg(Arg::new("trace").long("trace"));
        let compare = Command::new("compare")
            .arg(Arg::new("algorithms").long("algorithms").value_delimiter(','))
            .arg(Arg::new("each").long("each"));
        let grammar = Command::new("suffrage").subcommands([elect, compare]);
        let left = |words: &str| {
            without_names(grammar.clone(), words.split(' ').map(OsString::from).collect())
        };
        assert_eq!(left("elect lelann --trace lelann"), ["elect", "--trace", "lelann"]);
        assert_eq!(
            left("compare --algorithms lelann,peterson --each lelann"),
            ["compare", "--algorithms", "--each", "lelann"]
        );
        assert_eq!(left("merge lelann lelann"), ["merge", "lelann", "lelann"]);
    }

    #[test]
    fn the_ending_of_a_file_is_that_of_its_format() {
        let fits = |name: &str, format| refuse_ending("--out", Path::new(name), format).is_ok();
        assert!(fits("q.svg", "svg") && fits("q.SVG", "svg") && fits("q.tex", "tikz"));
        assert!(fits("q", "svg") && fits("q.txt", "text") && fits("q.log", "shiviz"));
        assert!(!fits("q.png", "svg") && !fits("q.pdf", "tikz") && !fits("q.svg", "text"));
    }
}
