//! The site that `cargo xtask site` writes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use assert_cmd::Command;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use suffrage::algorithms::{Algorithm, FORMS};
use tempfile::TempDir;

/// A program that does nothing: the smallest module of WebAssembly.
const PROGRAM: &[u8] = b"\0asm\x01\0\0\0";

/// The most bytes of the site; the program of the playground has 3 MB more.
const MOST: usize = 7_500_000;

/// The most bytes of the first page with all that it loads.
const MOST_FIRST: usize = 300_000;

/// Elements that have no end.
const VOID: [&str; 6] = ["br", "hr", "img", "input", "link", "meta"];

/// The files of the site, by their addresses.
static SITE: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("site");
    made(&out).success();
    let mut files = BTreeMap::new();
    take(&out, "", &mut files);
    files
});

fn made(out: &Path) -> assert_cmd::assert::Assert {
    made_with(PROGRAM, out)
}

fn made_with(bytes: &[u8], out: &Path) -> assert_cmd::assert::Assert {
    let folder = TempDir::new().unwrap();
    let program = folder.path().join("program.wasm");
    fs::write(&program, bytes).unwrap();
    let mut xtask = Command::cargo_bin("xtask").unwrap();
    xtask.args(["site", "--out"]).arg(out).arg("--program").arg(program).assert()
}

fn take(folder: &Path, address: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let address = format!("{address}{}", entry.file_name().into_string().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => take(&entry.path(), &format!("{address}/"), files),
            false => drop(files.insert(address, fs::read(entry.path()).unwrap())),
        }
    }
}

/// A tag of a page: its name and its attributes.
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
}

impl Element {
    fn is(&self, name: &str, value: &str) -> bool {
        self.attributes.get(name).is_some_and(|it| it == value)
    }
}

/// A page that has been read.
#[derive(Default)]
struct Page {
    elements: Vec<Element>,
    anchors: BTreeSet<String>,
    title: String,
}

impl Page {
    fn at(address: &str) -> Self {
        let text = String::from_utf8(SITE[address].clone()).unwrap();
        Self::read(address, &text)
    }

    /// Reads a page. It fails if elements are not nested, or two have the same name.
    fn read(address: &str, text: &str) -> Self {
        let (mut page, mut open) = (Self::default(), Vec::<String>::new());
        let mut rest = text.strip_prefix("<!DOCTYPE html>").unwrap_or_else(|| panic!("{address}"));
        while let Some((before, after)) = rest.split_once('<') {
            if open.last().is_some_and(|name| name == "title") && page.title.is_empty() {
                before.trim().clone_into(&mut page.title);
            }
            if let Some(comment) = after.strip_prefix("!--") {
                rest = comment.split_once("-->").unwrap().1;
                continue;
            }
            let (tag, after) = ended(after);
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name), "{address}: </{name}>");
                continue;
            }
            let element = element(tag);
            let name = element.name.clone();
            if let Some(id) = element.attributes.get("id") {
                assert!(page.anchors.insert(id.clone()), "{address}: {id} twice");
            }
            page.elements.push(element);
            if matches!(name.as_str(), "script" | "style") {
                rest = rest.split_once(&format!("</{name}>")).unwrap().1;
            } else if !VOID.contains(&name.as_str()) && !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{address}: {open:?} have no end");
        page
    }

    fn of(&self, name: &str) -> impl Iterator<Item = &Element> {
        self.elements.iter().filter(move |element| element.name == name)
    }

    /// What the page loads: the addresses of pictures, pages within it, styles and scripts.
    fn loads(&self) -> Vec<&String> {
        let of = |element: &Element| element.name == "link" && !element.is("href", "data:,");
        let links = self.elements.iter().filter(|element| of(element));
        let links = links.filter_map(|element| element.attributes.get("href"));
        let sources = self.elements.iter().filter_map(|element| element.attributes.get("src"));
        links.chain(sources).collect()
    }
}

/// A tag up to its end, which is not within quotes, and what follows.
fn ended(text: &str) -> (&str, &str) {
    let mut quoted = false;
    let end = text.find(|c| {
        quoted ^= c == '"';
        c == '>' && !quoted
    });
    let end = end.unwrap();
    (&text[..end], &text[end + 1..])
}

fn element(tag: &str) -> Element {
    let tag = tag.trim_end_matches('/');
    let (name, mut rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    let mut attributes = BTreeMap::new();
    loop {
        rest = rest.trim_start();
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        if key.is_empty() {
            return Element { name: name.to_owned(), attributes };
        }
        let value;
        (value, rest) = match after.strip_prefix("=\"") {
            Some(after) => after.split_once('"').unwrap(),
            None => ("", after),
        };
        let value = value.replace("&lt;", "<").replace("&quot;", "\"").replace("&amp;", "&");
        attributes.insert(key.to_owned(), value);
    }
}

/// The address to which a page refers by this one, without its fragment.
fn resolved(from: &str, to: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in to.split('/') {
        match part {
            ".." => drop(parts.pop().unwrap_or_else(|| panic!("{from}: {to} leaves the site"))),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn pages() -> BTreeMap<&'static str, Page> {
    let addresses = SITE.keys().map(String::as_str).filter(|address| address.ends_with(".html"));
    addresses.map(|address| (address, Page::at(address))).collect()
}

#[test]
fn every_link_leads_to_a_page_of_the_site_and_to_a_place_in_it() {
    let pages = pages();
    let (mut followed, mut fragments) = (0, 0);
    for (from, page) in &pages {
        for to in page.of("a").filter_map(|link| link.attributes.get("href")) {
            if to.starts_with("https://") || to.starts_with("http://") {
                continue;
            }
            assert!(!to.contains(':'), "{from}: {to}");
            let (file, fragment) = to.split_once('#').unwrap_or((to, ""));
            let there = if file.is_empty() { (*from).to_owned() } else { resolved(from, file) };
            assert!(SITE.contains_key(&there), "{from} links to {to}, which is not there");
            followed += 1;
            if let Some(name) = fragment.strip_prefix("algorithm=") {
                assert_eq!(there, "playground.html", "{from}: {to}");
                assert!(Algorithm::named(name).is_some(), "{from}: {to}");
            } else if !fragment.is_empty() {
                let anchors = &pages[there.as_str()].anchors;
                assert!(anchors.contains(fragment), "{from}: {to} is no place of {there}");
                fragments += 1;
            }
        }
    }
    assert!(followed > 3000 && fragments > 500, "{followed} links, {fragments} fragments");
}

#[test]
fn nothing_is_loaded_that_is_not_in_the_site() {
    for (from, page) in &pages() {
        for to in page.loads() {
            assert!(!to.contains(':'), "{from} loads {to}");
            let there = resolved(from, to);
            assert!(SITE.contains_key(&there), "{from} loads {to}, which is not there");
        }
        let policy = page.of("meta").find(|meta| meta.is("http-equiv", "Content-Security-Policy"));
        let policy = &policy.unwrap_or_else(|| panic!("{from}")).attributes["content"];
        assert!(policy.starts_with("default-src 'none'"), "{from}: {policy}");
        let from_elsewhere = ["http", "*", "ws:", "connect-src"];
        assert!(!from_elsewhere.iter().any(|word| policy.contains(word)), "{from}: {policy}");
        for element in &page.elements {
            let handler = element.attributes.keys().find(|name| name.starts_with("on"));
            assert_eq!(handler, None, "{from}: {}", element.name);
        }
    }
    for (address, text) in SITE.iter().filter(|(address, _)| address.ends_with(".css")) {
        let text = String::from_utf8_lossy(text);
        assert!(!text.contains("url(") && !text.contains("@import"), "{address}");
    }
}

#[test]
fn every_algorithm_has_a_page_with_a_run_its_cost_what_breaks_it_and_what_is_proved() {
    let list = Page::at("gallery/index.html");
    for row in Algorithm::correct() {
        let address = format!("gallery/{}.html", row.name);
        let page = Page::at(&address);
        assert!(
            list.of("a").any(|link| link.is("href", &format!("{}.html", row.name))),
            "{address}"
        );
        for part in ["idea", "run", "costs", "breaks", "proved", "source"] {
            assert!(page.anchors.contains(part), "{address} has no {part}");
        }
        let run = format!("runs/{}.html", row.name);
        assert!(page.of("iframe").any(|frame| frame.is("src", &run)), "{address}");
        assert_eq!(page.of("svg").count(), 1, "{address}");
        let text = String::from_utf8_lossy(&SITE[&address]);
        // A bound is dashed.
        assert!(text.contains("stroke-dasharray"), "{address}: no bound is drawn");
        let explored = text.split("id=\"proved\"").nth(1).unwrap().matches("<tr>").count();
        assert!(explored > 1, "{address}: nothing is explored");
        if let Some(record) = row.proved() {
            assert!(text.contains(&format!("({} conditions,", record.conditions)), "{address}");
        }
        for form in FORMS.iter().filter(|form| form.base() == row.name) {
            assert!(text.contains(&format!("<h3>{}</h3>", form.name)), "{address}: {}", form.name);
            let run = format!("runs/{}.html", form.name.replace('@', "-"));
            assert!(page.of("iframe").any(|frame| frame.is("src", &run)), "{address}: {run}");
        }
    }
}

#[test]
fn every_page_has_a_title_and_one_heading_of_the_first_level() {
    for (address, page) in &pages() {
        assert!(!page.title.is_empty(), "{address}");
        assert_eq!(page.of("h1").count(), 1, "{address}");
        for picture in page.of("img") {
            let words = picture.attributes.get("alt").is_some_and(|words| !words.is_empty());
            assert!(words, "{address}: a picture without words");
        }
    }
}

#[test]
fn every_lesson_has_a_run_to_play_and_a_picture() {
    let lessons = SITE.keys().filter(|address| {
        address.strip_prefix("book/").is_some_and(|name| {
            name.ends_with(".html") && !name.contains('/') && name != "index.html"
        })
    });
    let mut found = 0;
    for address in lessons.filter(|address| *address != "book/introduction.html") {
        let page = Page::at(address);
        found += 1;
        assert!(page.of("img").count() > 0, "{address} has no picture");
        // Agents have a figure. They are no algorithm of the catalogue, and neither is Tenure.
        let agents = address == "book/numbered-agents.html";
        let of_algorithm = !agents && address != "book/tenure.html";
        assert_eq!(page.of("iframe").count() > 0, !agents, "{address}");
        let gallery = format!("../gallery/{}", &address["book/".len()..]);
        assert_eq!(page.of("a").any(|link| link.is("href", &gallery)), of_algorithm, "{address}");
    }
    assert!(found >= 10, "{found} lessons");
}

/// Where there is no room for a page within another one, there is a link to it.
#[test]
fn every_run_within_a_page_has_a_link_to_it() {
    for (address, page) in &pages() {
        for frame in page.of("iframe") {
            let source = &frame.attributes["src"];
            assert!(page.of("a").any(|link| link.is("href", source)), "{address}: {source}");
            assert!(frame.attributes.contains_key("title"), "{address}: {source}");
        }
    }
}

#[test]
fn every_command_and_subcommand_has_a_page() {
    for program in [suffrage_cli::grammar(), tenure_cli::grammar()] {
        for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
            let address = format!("commands/{}-{}.html", program.get_name(), command.get_name());
            let page = Page::at(&address);
            for flag in command.get_arguments().filter(|flag| !flag.is_hide_set()) {
                assert!(page.anchors.contains(flag.get_id().as_str()), "{address}: {flag}");
            }
        }
    }
}

#[test]
fn it_is_small() {
    let all: usize = SITE.values().map(Vec::len).sum();
    assert!(all < MOST, "{all} bytes");
    let mut loaded = BTreeSet::new();
    let mut waiting = vec!["index.html".to_owned()];
    while let Some(address) = waiting.pop() {
        if address.ends_with(".html") {
            let page = Page::at(&address);
            waiting.extend(page.loads().into_iter().map(|to| resolved(&address, to)));
        }
        loaded.insert(address);
    }
    assert!(loaded.len() >= 4, "{loaded:?}");
    let first: usize = loaded.iter().map(|address| SITE[address].len()).sum();
    assert!(first < MOST_FIRST, "{first} bytes for {loaded:?}");
}

#[test]
fn solutions_of_the_course_are_left_out() {
    for (address, text) in &*SITE {
        assert!(!address.contains("solutions"), "{address}");
        let text = String::from_utf8_lossy(text);
        assert!(!text.contains("href=\"solutions"), "{address}");
    }
    assert!(SITE.contains_key("course/starters/assignment-1.py"));
}

#[test]
fn it_is_the_same_each_time() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("site");
    made(&out).success();
    // An older site is replaced.
    fs::write(out.join("old.html"), "").unwrap();
    made(&out).success();
    let mut again = BTreeMap::new();
    take(&out, "", &mut again);
    assert_eq!(SITE.keys().collect::<Vec<_>>(), again.keys().collect::<Vec<_>>());
    for (address, text) in &*SITE {
        assert!(again[address] == *text, "{address} differs");
    }
}

#[test]
fn a_folder_that_is_no_site_is_not_replaced() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("letter.txt"), "keep me").unwrap();
    let said = made(folder.path()).code(2);
    let said = String::from_utf8_lossy(&said.get_output().stderr).into_owned();
    assert!(
        said.contains("is not empty, and has no site: name another folder with --out"),
        "{said}"
    );
    assert!(folder.path().join("letter.txt").exists());
}

#[test]
fn a_program_that_is_none_is_refused_before_anything_is_written() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("site");
    let said = made_with(b"#!/bin/sh\n", &out).code(2);
    let said = String::from_utf8_lossy(&said.get_output().stderr).into_owned();
    assert!(said.contains("program.wasm is no WebAssembly; without --program"), "{said}");
    assert!(!out.exists());
}
