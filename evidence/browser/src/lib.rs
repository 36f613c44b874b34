//! A headless Chromium, driven by the Chrome `DevTools` Protocol over a pipe.
//!
//! It has only what tests of the [page of a run](https://docs.rs/suffrage) need: they open a file, use its controls,
//! read its text, and take pictures. The protocol is lines of JSON that end with a zero byte, on the file descriptors 3
//! and 4 of the browser; a shell gives it these.

// Nothing in here has tests: where those of all libraries are compiled (`--lib`), this one is not compiled twice.
#![cfg(not(test))]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::env;
use std::io::{self, BufRead, BufReader, Error, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The names under which the browser is looked for, unless the variable `CHROMIUM` has its path.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The longest time that an answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page. Every method fails if the browser refuses, or is silent for a minute.
pub struct Browser {
    process: Child,
    input: ChildStdin,
    output: Receiver<Value>,
    session: String,
    calls: u64,
    /// Events that came while an answer was waited for.
    events: VecDeque<Value>,
    /// Its profile.
    _folder: TempDir,
}

/// The preferences of the system, as pages see them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    /// Dark colours.
    pub dark: bool,
    /// Little motion.
    pub still: bool,
    /// The page as it is printed.
    pub print: bool,
}

impl Browser {
    /// Returns the path of a Chromium of this machine, if it has one.
    #[must_use]
    pub fn find() -> Option<PathBuf> {
        if let Some(path) = env::var_os("CHROMIUM") {
            return Some(path.into());
        }
        let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
        let named =
            |name: &str| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
        NAMES.into_iter().find_map(named)
    }

    /// Starts the browser with an empty page of this size, in pixels.
    ///
    /// # Errors
    /// If it does not start or answer.
    pub fn start(program: &Path, width: u32, height: u32) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut process = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1 0</dev/null 1>&2"#, "sh"])
            .arg(program)
            // Tests may run as root in a container, where the sandbox of the browser cannot be.
            .args(["--headless", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu"])
            .args(["--no-first-run", "--disable-dev-shm-usage", "--hide-scrollbars"])
            .args(["--force-color-profile=srgb", "--disable-background-networking"])
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(Error::other("no pipes to the browser"));
        };
        let (sender, receiver) = channel();
        thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let Ok(message) = serde_json::from_slice(&message) else { continue };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut browser = Self {
            process,
            input,
            output: receiver,
            session: String::new(),
            calls: 0,
            events: VecDeque::new(),
            _folder: folder,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }))?;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", attach)?;
        session["sessionId"].as_str().unwrap_or_default().clone_into(&mut browser.session);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            browser.call(domain, json!({}))?;
        }
        browser.resize(width, height)?;
        Ok(browser)
    }

    /// Calls a method of the protocol, and returns its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> io::Result<Value> {
        self.calls += 1;
        let mut call = json!({ "id": self.calls, "method": method, "params": parameters });
        if !self.session.is_empty() {
            call["sessionId"] = json!(self.session);
        }
        self.input.write_all(call.to_string().as_bytes())?;
        self.input.write_all(&[0])?;
        self.input.flush()?;
        let since = Instant::now();
        loop {
            let mut message = self.receive(method, since)?;
            if message["id"] != self.calls {
                self.events.push_back(message);
            } else if message["error"].is_null() {
                return Ok(message["result"].take());
            } else {
                return Err(Error::other(format!("{method}: {}", message["error"])));
            }
        }
    }

    fn receive(&self, what: &str, since: Instant) -> io::Result<Value> {
        let left = PATIENCE.saturating_sub(since.elapsed());
        let late = |error| Error::other(format!("{what}: the browser does not answer: {error}"));
        self.output.recv_timeout(left).map_err(late)
    }

    /// Opens a file, from this fragment on, and waits until it is loaded.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(&mut self, file: &Path, fragment: &str) -> io::Result<()> {
        // A page that differs in its fragment alone would not be loaded again.
        self.call("Page.navigate", json!({ "url": "about:blank" }))?;
        self.wait_for("Page.loadEventFired")?;
        let url = format!("file://{}#{fragment}", file.canonicalize()?.display());
        let done = self.call("Page.navigate", json!({ "url": url }))?;
        if let Some(error) = done["errorText"].as_str() {
            return Err(Error::other(format!("{url}: {error}")));
        }
        self.wait_for("Page.loadEventFired")
    }

    fn wait_for(&mut self, event: &str) -> io::Result<()> {
        let since = Instant::now();
        loop {
            if let Some(place) = self.events.iter().position(|one| one["method"] == event) {
                self.events.remove(place);
                return Ok(());
            }
            let message = self.receive(event, since)?;
            self.events.push_back(message);
        }
    }

    /// Evaluates an expression on the page, and returns its value; a promise is awaited.
    ///
    /// # Errors
    /// If it throws.
    pub fn evaluate(&mut self, expression: &str) -> io::Result<Value> {
        let parameters =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut result = self.call("Runtime.evaluate", parameters)?;
        match &result["exceptionDetails"] {
            Value::Null => Ok(result["result"]["value"].take()),
            thrown => Err(Error::other(format!("{expression}: {thrown}"))),
        }
    }

    /// Clicks at a place of the page.
    pub fn click_at(&mut self, x: f64, y: f64) -> io::Result<()> {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event)?;
        }
        Ok(())
    }

    /// Clicks the middle of the element that a selector finds.
    ///
    /// # Errors
    /// If there is none, or another element lies over it.
    pub fn click(&mut self, selector: &str) -> io::Result<()> {
        let find = format!(
            "(() => {{ const it = document.querySelector({selector:?}); \
             it.scrollIntoView({{ block: 'center' }}); const box = it.getBoundingClientRect(); \
             const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]; \
             return it.contains(document.elementFromPoint(x, y)) ? [x, y] : null; }})()"
        );
        let place = self.evaluate(&find)?;
        match (place[0].as_f64(), place[1].as_f64()) {
            (Some(x), Some(y)) => self.click_at(x, y),
            _ => Err(Error::other(format!("{selector} is covered"))),
        }
    }

    /// Presses a key, by its name in the `KeyboardEvent` of the standard.
    pub fn press(&mut self, key: &str, shift: bool) -> io::Result<()> {
        let modifiers = if shift { 8 } else { 0 };
        let text = match key {
            "Enter" => "\r",
            key if key.chars().count() == 1 => key,
            _ => "",
        };
        // What the browser itself does on a key depends on its number.
        let number = match key {
            "Tab" => 9,
            "Enter" => 13,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "modifiers": modifiers });
            if number > 0 {
                event["windowsVirtualKeyCode"] = json!(number);
            }
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", event)?;
        }
        Ok(())
    }

    /// Gives the page another size, in pixels.
    pub fn resize(&mut self, width: u32, height: u32) -> io::Result<()> {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600
        });
        self.call("Emulation.setDeviceMetricsOverride", size).map(drop)
    }

    /// Sets the preferences of the system, as pages see them.
    pub fn prefer(&mut self, Preferences { dark, still, print }: Preferences) -> io::Result<()> {
        let media = json!({
            "media": if print { "print" } else { "" },
            "features": [
                { "name": "prefers-color-scheme", "value": if dark { "dark" } else { "light" } },
                { "name": "prefers-reduced-motion", "value": if still { "reduce" } else { "" } },
            ],
        });
        self.call("Emulation.setEmulatedMedia", media).map(drop)
    }

    /// Takes a picture of what is to be seen, or of the whole page, as PNG.
    pub fn picture(&mut self, whole: bool) -> io::Result<Vec<u8>> {
        let how = json!({ "format": "png", "captureBeyondViewport": whole });
        let picture = self.call("Page.captureScreenshot", how)?;
        let data = picture["data"].as_str().unwrap_or_default();
        STANDARD.decode(data).map_err(Error::other)
    }

    /// Returns what pages have asked for so far, as URLs.
    pub fn requests(&mut self) -> io::Result<Vec<String>> {
        self.evaluate("0")?;
        let sent =
            self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        let urls = sent.map(|event| event["params"]["request"]["url"].as_str().unwrap_or_default());
        Ok(urls.map(str::to_owned).collect())
    }

    /// Returns the errors that the page has met so far: what it has thrown, or written to the console.
    pub fn errors(&mut self) -> io::Result<Vec<String>> {
        // What it has sent before this answer has been received.
        self.evaluate("0")?;
        let wrong = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => {
                matches!(event["params"]["type"].as_str(), Some("error" | "warning" | "assert"))
            }
            Some("Log.entryAdded") => {
                matches!(event["params"]["entry"]["level"].as_str(), Some("error" | "warning"))
            }
            _ => false,
        };
        Ok(self.events.iter().filter(wrong).map(|event| event["params"].to_string()).collect())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends by itself when it is asked to; it is killed in case that it does not.
        self.session.clear();
        let _ = self.call("Browser.close", json!({}));
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(5) {
            if let Ok(Some(_)) = self.process.try_wait() {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
