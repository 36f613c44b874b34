//! A page that is tried.

use serde_json::Value;
use std::fs;
use suffrage::page::RunPage;
use suffrage_browser::{Browser, Preferences};
use tempfile::TempDir;

/// A browser with a folder for pages.
pub(crate) struct Tried {
    pub(crate) browser: Browser,
    folder: TempDir,
}

impl Tried {
    /// Starts a browser. If there is none, returns `None` and says so.
    pub(crate) fn new(preferences: Preferences) -> Option<Self> {
        let Some(program) = Browser::find() else {
            eprintln!("skipped: no Chromium is installed, and CHROMIUM names none");
            return None;
        };
        let mut browser = Browser::start(&program, 1280, 900).unwrap();
        browser.prefer(preferences).unwrap();
        Some(Self { browser, folder: tempfile::tempdir().unwrap() })
    }

    /// A page that does not play by itself.
    pub(crate) fn still() -> Option<Self> {
        Self::new(Preferences { still: true, ..Preferences::default() })
    }

    pub(crate) fn open(&mut self, page: &RunPage, fragment: &str) {
        let file = self.folder.path().join("page.html");
        fs::write(&file, page.html()).unwrap();
        self.browser.open(&file, fragment).unwrap();
        self.settle();
    }

    /// Waits until all that was asked for has been drawn.
    pub(crate) fn settle(&mut self) {
        let drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))";
        self.value(drawn);
    }

    pub(crate) fn value(&mut self, expression: &str) -> Value {
        self.browser.evaluate(expression).unwrap()
    }

    pub(crate) fn text(&mut self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector({selector:?}).textContent"));
        text.as_str().unwrap().to_owned()
    }

    pub(crate) fn click(&mut self, selector: &str) {
        self.browser.click(selector).unwrap();
        self.settle();
    }

    pub(crate) fn press(&mut self, key: &str) {
        self.browser.press(key, key.len() == 1 && key.chars().all(char::is_uppercase)).unwrap();
        self.settle();
    }

    pub(crate) fn step(&mut self) -> u64 {
        self.value("Number(document.querySelector('#scrub').value)").as_u64().unwrap()
    }

    pub(crate) fn no_errors(&mut self, what: &str) {
        assert_eq!(self.browser.errors().unwrap(), Vec::<String>::new(), "{what}");
    }
}
