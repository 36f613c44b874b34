//! The documents of the repository as pages: those of `docs`, and what they link to.

use super::SiteFolder;
use super::frame::{Frame, Link, of_algorithm, relative};
use super::markdown;
use super::runs::Suffrage;
use anyhow::{Context, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use suffrage::algorithms::Algorithm;

/// Folders of documents, and their folders in the site; the first that fits counts.
const FOLDERS: [(&str, &str); 3] =
    [(BOOK, "book/"), ("docs/learn/course/", "course/"), ("docs/", "")];

/// The lessons.
const BOOK: &str = "docs/learn/book/src/";

/// The order of the lessons.
const SUMMARY: &str = "docs/learn/book/src/SUMMARY.md";

/// What is not for students.
const LEFT_OUT: &str = "docs/learn/course/solutions";

/// The documents that become pages, by their paths in the repository.
pub(super) struct Documents {
    repository: PathBuf,
    texts: BTreeMap<String, String>,
    lessons: Vec<Lesson>,
}

/// A lesson of the book, in its order.
pub(super) struct Lesson {
    /// The path of its text.
    path: String,
    title: String,
}

impl Documents {
    /// Reads the documents of `docs`.
    pub(super) fn read(repository: PathBuf) -> anyhow::Result<Self> {
        let mut documents = Self { repository, texts: BTreeMap::new(), lessons: Vec::new() };
        let mut folders = vec!["docs".to_owned()];
        while let Some(folder) = folders.pop() {
            let entries = fs::read_dir(documents.repository.join(&folder));
            for entry in entries.with_context(|| folder.clone())? {
                let entry = entry?;
                let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
                if entry.file_type()?.is_dir() {
                    folders.push(path);
                } else if path.ends_with(".md") && !path.starts_with(LEFT_OUT) {
                    documents.take(&path)?;
                }
            }
        }
        let summary = documents.text(SUMMARY)?;
        let entries = summary.split('[').skip(1).filter_map(|entry| {
            let (title, rest) = entry.split_once("](")?;
            let (file, _) = rest.split_once(')')?;
            Some(Lesson { path: format!("{BOOK}{file}"), title: title.to_owned() })
        });
        documents.lessons = entries.collect();
        Ok(documents)
    }

    fn take(&mut self, path: &str) -> anyhow::Result<()> {
        let text = fs::read_to_string(self.repository.join(path));
        self.texts.insert(path.to_owned(), text.with_context(|| path.to_owned())?);
        Ok(())
    }

    /// The text of a document.
    pub(super) fn text(&self, path: &str) -> anyhow::Result<&str> {
        self.texts.get(path).map(String::as_str).with_context(|| format!("there is no {path}"))
    }

    pub(super) fn lessons(&self) -> &[Lesson] {
        &self.lessons
    }

    /// The address of the lesson on an algorithm, if there is one.
    pub(super) fn lesson(&self, algorithm: &str) -> Option<Link> {
        let path = format!("{BOOK}{algorithm}.md");
        self.lessons.iter().find(|lesson| lesson.path == path).map(Lesson::link)
    }

    /// Writes all pages, the files to which they link, and the runs of the lessons.
    pub(super) fn write(&self, site: &SiteFolder, suffrage: &Suffrage) -> anyhow::Result<()> {
        for lesson in &self.lessons {
            suffrage.of_lesson(site, self.text(&lesson.path)?)?;
        }
        let mut waiting: BTreeSet<String> = self.texts.keys().cloned().collect();
        let mut done = BTreeSet::new();
        while let Some(path) = waiting.pop_first() {
            if !done.insert(path.clone()) {
                continue;
            }
            let found = self.write_one(&path, site).with_context(|| path.clone())?;
            waiting.extend(found.into_iter().filter(|path| !done.contains(path)));
        }
        Ok(())
    }

    /// Writes a document or a file, and returns the paths to which it links.
    fn write_one(&self, path: &str, site: &SiteFolder) -> anyhow::Result<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        let address = address(path);
        let bytes = fs::read(self.repository.join(path))?;
        if !path.ends_with(".md") {
            if !is_picture(path) {
                let text = String::from_utf8_lossy(&bytes);
                let page = Frame::new(&address, path).page(&markdown::code(path, &text));
                site.write(&address, page)?;
            }
            site.write(&place(path), bytes)?;
            return Ok(found);
        }
        let text = String::from_utf8(bytes)?;
        let mut rendered = markdown::render(&text, |link, is_picture| {
            self.target(path, &address, link, is_picture, &mut found)
        })?;
        let title = if path == SUMMARY { "The book" } else { rendered.title.as_str() };
        let frame = Frame::new(&address, title);
        let frame = match self.lessons.iter().position(|lesson| lesson.path == path) {
            Some(number) => {
                let before = number.checked_sub(1).and_then(|number| self.lessons.get(number));
                let around = [before, self.lessons.get(number + 1)];
                rendered.html += &in_gallery(&address);
                let all = self.lessons.iter().map(Lesson::link).collect();
                frame.beside("Lessons", all).around(around.map(|lesson| lesson.map(Lesson::link)))
            }
            None if path == SUMMARY => frame,
            None => frame.beside("On this page", rendered.sections),
        };
        site.write(&address, frame.page(&rendered.html))?;
        Ok(found)
    }

    /// Where a link of the document at this path leads, which is a page at this address.
    fn target(
        &self,
        path: &str,
        address: &str,
        link: &str,
        is_picture: bool,
        found: &mut BTreeSet<String>,
    ) -> anyhow::Result<Option<String>> {
        if link.starts_with('#') || link.contains("://") {
            ensure!(!is_picture || !link.contains("://"), "{link} would be loaded from elsewhere");
            return Ok(Some(link.to_owned()));
        }
        // An item of the library, which the documentation of its crate has.
        if link.contains("::") {
            return Ok(None);
        }
        let (file, fragment) = link.split_once('#').map_or((link, None), |(a, b)| (a, Some(b)));
        let mut to = joined(path, file);
        // What a command of the lesson makes.
        if to.strip_prefix(BOOK).is_some_and(|rest| rest.starts_with("runs/")) {
            return Ok(Some(relative(address, &place(&to))));
        }
        if to.starts_with(LEFT_OUT) {
            return Ok(None);
        }
        if self.repository.join(&to).is_dir() {
            to = format!("{to}/README.md");
            if !self.repository.join(&to).exists() {
                return Ok(None);
            }
        }
        ensure!(self.repository.join(&to).is_file(), "it links to {link}, which is not there");
        let there =
            if is_picture || self::is_picture(&to) { place(&to) } else { self::address(&to) };
        found.insert(to);
        let fragment = fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default();
        Ok(Some(relative(address, &there) + &fragment))
    }
}

impl Lesson {
    fn link(&self) -> Link {
        Link { to: address(&self.path), words: self.title.clone() }
    }
}

/// A link from the lesson at this address to the page of its algorithm, if it is on one.
fn in_gallery(lesson: &str) -> String {
    let row = Algorithm::correct().find(|row| lesson == format!("book/{}.html", row.name));
    row.map_or_else(String::new, |row| {
        let to = relative(lesson, &of_algorithm(row));
        format!(
            "<p><a href=\"{to}\">{} in the gallery</a>: its cost, seeded faults, what is proved of it.</p>\n",
            row.name
        )
    })
}

fn is_picture(path: &str) -> bool {
    [".svg", ".png"].iter().any(|end| path.ends_with(end))
}

/// The path to which a link of a document leads.
fn joined(path: &str, link: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Where a file of the repository lies in the site.
fn place(path: &str) -> String {
    for (folder, of_site) in FOLDERS {
        if let Some(rest) = path.strip_prefix(folder) {
            return format!("{of_site}{rest}");
        }
    }
    // Web servers may leave out names that begin with a dot.
    format!("repository/{}", path.trim_start_matches('.'))
}

/// The address of the page of a file of the repository.
pub(super) fn address(path: &str) -> String {
    if path == "docs/README.md" {
        return "documents.html".to_owned();
    }
    let place = place(path);
    let Some(name) = place.strip_suffix(".md") else { return format!("{place}.html") };
    match name.rsplit_once('/') {
        Some((folder, "README" | "SUMMARY")) => format!("{folder}/index.html"),
        _ => format!("{name}.html"),
    }
}
