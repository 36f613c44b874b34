//! The site in a real browser, opened from its folder.
//!
//! `cargo xtask site` makes it: `cargo test -p suffrage-browser --test site_in_browser -- --ignored` comes after that. Skipped where
//! there is no Chromium (`CHROMIUM` may name one).

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use suffrage_browser::{Browser, Preferences};

/// The widths of a desktop and of a phone.
const DESKTOP: (u32, u32) = (1280, 900);
const PHONE: (u32, u32) = (390, 844);

/// A page of each kind.
const KINDS: [&str; 8] = [
    "index.html",
    "book/humblet.html",
    "gallery/index.html",
    "gallery/humblet.html",
    "course/index.html",
    "course/starters/assignment-1.py.html",
    "commands/suffrage-elect.html",
    "reference/mutants.html",
];

fn site() -> PathBuf {
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/site");
    assert!(site.join("index.html").exists(), "`cargo xtask site` comes first");
    site
}

/// The pages of the site.
fn pages() -> Vec<PathBuf> {
    let (mut pages, mut folders) = (Vec::new(), vec![site()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "html") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

/// A browser of this size; prints that there is none, and returns `None`.
fn browser((width, height): (u32, u32), preferences: Preferences) -> Option<Browser> {
    let Some(program) = Browser::find() else {
        eprintln!("skipped: no Chromium is installed, and CHROMIUM names none");
        return None;
    };
    let mut browser = Browser::start(&program, width, height).unwrap();
    browser.prefer(preferences).unwrap();
    Some(browser)
}

/// Opens every page and evaluates an expression there. Returns the pages where it is not true, with its value.
fn wrong(browser: &mut Browser, pages: &[PathBuf], expression: &str) -> Vec<(PathBuf, Value)> {
    let values = pages.iter().map(|page| {
        browser.open(page, "").unwrap();
        (page.clone(), browser.evaluate(expression).unwrap())
    });
    values.filter(|(_, value)| *value != true).collect()
}

fn of_runs(pages: &[PathBuf], wanted: bool) -> Vec<PathBuf> {
    let is_run = |page: &&PathBuf| {
        page.parent().is_some_and(|folder| folder.ends_with("runs"))
            || page.ends_with("playground.html")
    };
    pages.iter().filter(|page| is_run(page) == wanted).cloned().collect()
}

/// Everything scrolls downwards alone. (`innerWidth` of a phone grows with what is too wide.)
const FITS: &str = "(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const wide = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > clientWidth + 1);
    return scrollWidth <= clientWidth || [scrollWidth, wide.slice(0, 3).map((one) => one.outerHTML.slice(0, 120))];
  })()";

/// Each text is told from what is behind it: the contrast that WCAG asks for.
const LEGIBLE: &str = "(() => {
    const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = (colour) => parts(colour).slice(0, 3).map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
    const behind = (one) => {
      for (let at = one; at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor;
        if (parts(colour)[3] !== 0) return colour;
      }
      return 'rgb(255, 255, 255)';
    };
    const texts = [...document.body.querySelectorAll('*')].filter((one) => !one.closest('svg')
      && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''));
    const faint = texts.filter((one) => {
      const [a, b] = [light(getComputedStyle(one).color), light(behind(one))];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
    });
    return texts.length > 5 && faint.length === 0 || faint.slice(0, 3).map((one) => one.outerHTML.slice(0, 120));
  })()";

#[test]
#[ignore = "`cargo xtask site` comes first"]
fn pages_have_no_error_and_ask_for_files_of_the_site_alone() {
    let Some(mut browser) = browser(DESKTOP, Preferences::default()) else { return };
    let pages = pages();
    assert!(pages.len() > 150, "{} pages", pages.len());
    assert_eq!(wrong(&mut browser, &pages, "document.title !== ''"), []);
    // What is far below loads when it comes into sight.
    let gallery = site().join("gallery/chang-roberts.html");
    browser.open(&gallery, "run").unwrap();
    let frame = "new Promise((done) => { const frame = document.querySelector('iframe'); \
         frame.addEventListener('load', () => done(true)); frame.loading = 'eager'; \
         frame.src += '#step=3'; })";
    assert_eq!(browser.evaluate(frame).unwrap(), true);
    assert_eq!(browser.errors().unwrap(), Vec::<String>::new());
    let within = format!("file://{}/", site().canonicalize().unwrap().display());
    let requests = browser.requests().unwrap();
    let outside = |url: &&String| {
        !["about:", "data:", "blob:", &within].iter().any(|start| url.starts_with(*start))
    };
    assert_eq!(requests.iter().filter(outside).collect::<Vec<_>>(), Vec::<&String>::new());
    assert!(requests.len() > 2 * pages.len(), "{} requests", requests.len());
}

#[test]
#[ignore = "`cargo xtask site` comes first"]
fn pages_fit_on_a_phone_and_are_legible_in_the_dark() {
    let preferences = Preferences { dark: true, still: true, ..Preferences::default() };
    let Some(mut browser) = browser(PHONE, preferences) else { return };
    let pages = pages();
    assert_eq!(wrong(&mut browser, &of_runs(&pages, true), FITS), []);
    let both = format!("[{FITS}, {LEGIBLE}].every((one) => one === true) || [{FITS}, {LEGIBLE}]");
    assert_eq!(wrong(&mut browser, &of_runs(&pages, false), &both), []);
}

#[test]
#[ignore = "`cargo xtask site` comes first"]
fn a_page_of_each_kind_is_legible_in_the_light() {
    let Some(mut browser) = browser(DESKTOP, Preferences::default()) else { return };
    let pages = KINDS.map(|page| site().join(page));
    assert_eq!(wrong(&mut browser, &pages, LEGIBLE), []);
}

#[test]
#[ignore = "`cargo xtask site` comes first"]
fn colours_are_those_of_the_system_and_the_same_on_pages_and_runs() {
    let pages =
        ["index.html", "gallery/humblet.html", "gallery/runs/humblet.html", "playground.html"];
    let mut seen = Vec::new();
    for dark in [false, true] {
        let preferences = Preferences { dark, still: true, ..Preferences::default() };
        let Some(mut browser) = browser(DESKTOP, preferences) else { return };
        let colours = pages.map(|page| {
            browser.open(&site().join(page), "").unwrap();
            let colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color].join()";
            browser.evaluate(colours).unwrap()
        });
        assert!(colours.iter().all(|one| *one == colours[0]), "dark: {dark}, {colours:?}");
        seen.push(colours[0].clone());
    }
    assert_ne!(seen[0], seen[1]);
}

#[test]
#[ignore = "`cargo xtask site` comes first"]
fn the_keyboard_reaches_the_content_the_parts_and_what_scrolls() {
    let Some(mut browser) = browser(DESKTOP, Preferences::default()) else { return };
    let focused = "document.activeElement.textContent.trim().slice(0, 30)";
    browser.open(&site().join("gallery/humblet.html"), "").unwrap();
    browser.press("Tab", false).unwrap();
    assert_eq!(browser.evaluate(focused).unwrap(), "To the content");
    let seen = "document.activeElement.getBoundingClientRect().left >= 0";
    assert_eq!(browser.evaluate(seen).unwrap(), true, "the link is shown when it has the focus");
    for part in ["Suffrage", "Book", "Gallery", "Playground", "Course", "Commands", "Documents"] {
        browser.press("Tab", false).unwrap();
        assert_eq!(browser.evaluate(focused).unwrap(), part);
    }
    browser.press("Enter", false).unwrap();
    let there = "new Promise((done) => { const look = () => (location.pathname.endsWith('/documents.html') \
         ? done(true) : setTimeout(look, 20)); look(); })";
    assert_eq!(browser.evaluate(there).unwrap(), true);
    // Tables and code that are wider than the page scroll by keys.
    browser.open(&site().join("reference/mutants.html"), "").unwrap();
    let stuck = "[...document.querySelectorAll('main *')].filter((one) => one.scrollWidth > one.clientWidth + 1 \
         && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX) && one.tabIndex < 0).length";
    assert_eq!(browser.evaluate(stuck).unwrap(), 0);
}

#[test]
#[ignore = "`cargo xtask site` comes first"]
fn every_run_plays() {
    let Some(mut browser) = browser(DESKTOP, Preferences::default()) else { return };
    let runs = of_runs(&pages(), true);
    assert!(runs.len() > 50, "{} runs", runs.len());
    let plays = "new Promise((done) => { const before = suffrage.now; suffrage.play(); \
         const look = () => (suffrage.now > before ? done(suffrage.run.events.length > 0 \
         || document.getElementById('program').textContent !== '') : requestAnimationFrame(look)); \
         suffrage.run.times.length === 0 ? done(true) : look(); })";
    assert_eq!(wrong(&mut browser, &runs, plays), []);
    assert_eq!(browser.errors().unwrap(), Vec::<String>::new());
}

#[test]
#[ignore = "`cargo xtask site` comes first"]
fn the_playground_begins_with_the_algorithm_of_the_address() {
    let Some(mut browser) = browser(DESKTOP, Preferences::default()) else { return };
    let page = site().join("playground.html");
    let title = "new Promise((done) => { const look = () => { const title = document.getElementById('title').textContent; \
         title.includes('villadangos@published') ? done(title) : setTimeout(look, 50); }; look(); })";
    browser.open(&page, "algorithm=villadangos@published").unwrap();
    let title = browser.evaluate(title).unwrap();
    assert!(title.as_str().unwrap().contains(" on complete:6"), "{title}");
    let score = "new Promise((done) => { const look = () => { const button = document.getElementById('show-worst'); \
         button.hidden ? setTimeout(look, 50) : done(document.getElementById('score').textContent); }; look(); })";
    let score = browser.evaluate(score).unwrap();
    assert!(score.as_str().unwrap().contains("no leader"), "a counterexample is offered: {score}");
    assert_eq!(browser.errors().unwrap(), Vec::<String>::new());
}

#[test]
#[ignore = "`cargo xtask site` comes first"]
fn with_its_program_the_site_has_less_than_ten_megabytes() {
    let (mut bytes, mut folders) = (0, vec![site()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let about = entry.metadata().unwrap();
            if about.is_dir() { folders.push(entry.path()) } else { bytes += about.len() }
        }
    }
    assert!(bytes < 10_000_000, "{bytes} bytes");
}
