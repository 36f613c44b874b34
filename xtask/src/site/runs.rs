//! Runs to watch: those of the lessons, one of each algorithm, and the playground.

use super::SiteFolder;
use super::frame::{NAVIGATION, escaped, navigation, relative};
use crate::page;
use anyhow::{Context, ensure};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};
use suffrage::page::{RunPage, script, sharing, style};
use suffrage::play::Play;
use tempfile::TempDir;

/// What all pages of runs share.
const STYLE: &str = "run.css";
const SCRIPT: &str = "run.js";

/// The name under which this program is the command `suffrage`: so the two are of one version.
pub(crate) const SUFFRAGE: &str = "suffrage";

/// The command `suffrage`, which runs in a folder of its own.
pub(super) struct Suffrage {
    program: PathBuf,
    folder: TempDir,
}

impl Suffrage {
    pub(super) fn new() -> anyhow::Result<Self> {
        Ok(Self { program: env::current_exe()?, folder: tempfile::tempdir()? })
    }

    /// Runs it with these words, and returns what it prints.
    ///
    /// # Errors
    /// If the command fails. A broken property is a result.
    pub(super) fn run<'a>(
        &self,
        words: impl IntoIterator<Item = &'a str>,
    ) -> anyhow::Result<String> {
        let words: Vec<_> = words.into_iter().collect();
        let mut command = Command::new(&self.program);
        let output = command.arg0(SUFFRAGE).args(&words).current_dir(&self.folder).output();
        let line = words.join(" ");
        let output = output.with_context(|| format!("cannot run `suffrage {line}`"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        let status = output.status;
        ensure!(matches!(status.code(), Some(0 | 1)), "`suffrage {line}`: {status}\n{said}");
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Reads a file that it has written.
    pub(super) fn made(&self, file: &str) -> anyhow::Result<String> {
        let path = self.folder.path().join(file);
        fs::read_to_string(path).with_context(|| format!("no command has written {file}"))
    }

    /// Writes a file for it to read.
    pub(super) fn give(&self, file: &str, text: &str) -> anyhow::Result<()> {
        fs::write(self.folder.path().join(file), text).with_context(|| file.to_owned())
    }

    /// Makes the page of a run, and writes it to an address. The words name the election, as for `watch`.
    pub(super) fn page(&self, site: &SiteFolder, words: &str, address: &str) -> anyhow::Result<()> {
        let file = address.rsplit('/').next().unwrap_or(address);
        self.run(["watch"].into_iter().chain(words.split_whitespace()).chain(["--html", file]))?;
        self.publish(site, file, address)
    }

    /// Writes what a command has made to an address; a page of a run shares its style and its script.
    fn publish(&self, site: &SiteFolder, file: &str, address: &str) -> anyhow::Result<()> {
        let text = self.made(file)?;
        let text = match file.ends_with(".html") {
            true => shared(&text, address)?,
            false => text,
        };
        site.write(address, text)
    }

    /// Runs the commands of a lesson that make pages, and writes those that the lesson embeds. The files that it
    /// shows, in blocks whose first line is `# NAME`, are there.
    pub(super) fn of_lesson(&self, site: &SiteFolder, text: &str) -> anyhow::Result<()> {
        for block in text.split("```").skip(1).step_by(2) {
            let content = block.split_once('\n').map_or("", |(_language, content)| content);
            if let Some(name) = content.strip_prefix("# ").and_then(|rest| rest.lines().next()) {
                self.give(name, content)?;
            }
        }
        let commands = text.lines().filter_map(|line| line.strip_prefix("$ suffrage "));
        for words in commands.filter(|words| words.contains(" --html ")) {
            self.run(words.split_whitespace())?;
        }
        for run in text.split(['"', '(', ')']).filter_map(|part| part.strip_prefix("runs/")) {
            self.publish(site, run, &format!("book/runs/{run}"))?;
        }
        Ok(())
    }
}

/// A page of a run at this address, with the style and the script of all.
fn shared(html: &str, address: &str) -> anyhow::Result<String> {
    sharing(html, &relative(address, STYLE), &relative(address, SCRIPT))
        .with_context(|| format!("{address} would be no page of a run of this version"))
}

/// Writes what all pages of runs share.
pub(super) fn write_shared(site: &SiteFolder) -> anyhow::Result<()> {
    site.write(STYLE, style() + NAVIGATION)?;
    site.write(SCRIPT, script())
}

/// Writes the playground: the page on which its reader is the scheduler, with this program.
pub(super) fn write_playground(site: &SiteFolder, program: Vec<u8>) -> anyhow::Result<()> {
    const ADDRESS: &str = "playground.html";
    let begun = Play::new(page::offered()?)?;
    let html = RunPage::of_play(&begun, None)?.program(program).html();
    let html = shared(&html, ADDRESS)?;
    site.write(ADDRESS, html.replacen("<body>\n", &format!("<body>\n{}", navigation(ADDRESS)), 1))
}

/// The page of a run within another page, and a link to it, for where there is no room.
pub(super) fn embedded(source: &str, title: &str) -> String {
    let (source, title) = (escaped(source), escaped(title));
    format!(
        "<figure class=\"run\"><iframe loading=\"lazy\" src=\"{source}\" title=\"{title}\"></iframe>\n\
         <figcaption><a href=\"{source}\">{title}, on a page of its own</a></figcaption></figure>\n"
    )
}
