//! The gallery: a page for each algorithm, with its idea, a run, its cost, what breaks it, and what is proved.

use super::SiteFolder;
use super::documents::{Documents, address};
use super::frame::{Frame, Link, escaped, inline, of_algorithm, relative};
use super::markdown;
use super::runs::{Suffrage, embedded};
use anyhow::Context;
use std::fmt::Write;
use suffrage::algorithms::{Algorithm, FORMS, Form, FormKind, Group};
use suffrage::model::Timing;

/// The number of processes of the runs that are shown.
const NODES: &str = "8";

/// What is measured of a group of algorithms.
const MEASURED: &str = "--nodes 4,8,16,32,64,128 --schedule rounds --trials 20 --format csv";

/// The documents with what has been found out about each algorithm.
const COSTS: &str = "docs/reference/catalogue.md";
const EXPLORED: &str = "docs/reference/verified.md";
const MUTANTS: &str = "docs/reference/mutants.md";
const PROVED: &str = "docs/reference/proved.md";

/// The columns that are shown of the seeded faults.
const FAULT: [&str; 5] = ["Fault", "Killed by", "Nodes", "Steps", "Because"];

/// The number of algorithms.
pub(super) fn count() -> usize {
    Algorithm::correct().count()
}

/// Writes the gallery.
pub(super) fn write(
    site: &SiteFolder,
    suffrage: &Suffrage,
    documents: &Documents,
) -> anyhow::Result<()> {
    let mut list = String::from(INTRODUCTION);
    let in_order =
        || Group::ALL.iter().flat_map(|group| rows_of(group).map(move |row| (group, row)));
    let links: Vec<Link> = in_order().map(|(_, row)| link(row)).collect();
    for group in &Group::ALL {
        let _ = write!(
            list,
            "<h2 id=\"{0}\">{1}</h2>\n<ul class=\"cards\">\n",
            group.name, group.heading
        );
        let words = format!("compare --class {} {MEASURED}", group.name);
        let measured = suffrage.run(words.split(' '))?;
        for row in rows_of(group) {
            list += &card(row);
            let entry = GalleryPage { row, site, suffrage, documents };
            let place = links.iter().position(|link| link.to == entry.address());
            let place = place.context("it is in no group")?;
            let before = place.checked_sub(1).and_then(|place| links.get(place));
            let around = [before.cloned(), links.get(place + 1).cloned()];
            entry.write(group, &measured, around).context(row.name)?;
        }
        list += "</ul>\n";
    }
    let groups = Group::ALL
        .iter()
        .map(|group| Link { to: format!("#{}", group.name), words: group.heading.to_owned() });
    let frame = Frame::new("gallery/index.html", "Gallery of algorithms");
    site.write("gallery/index.html", frame.beside("Networks", groups.collect()).page(&list))
}

const INTRODUCTION: &str = "<h1>Gallery</h1>\n<p>Every algorithm of the catalogue: its idea, a run that plays, its \
     cost against its bound, what breaks it, and what is proved of it.</p>\n";

fn rows_of(group: &Group) -> impl Iterator<Item = &'static Algorithm> {
    Algorithm::correct().filter(|row| group.has(row))
}

fn link(row: &Algorithm) -> Link {
    Link { to: of_algorithm(row), words: row.name.to_owned() }
}

/// The algorithm in the list.
fn card(row: &Algorithm) -> String {
    format!(
        "<li><a href=\"{0}.html\">{0}</a> {1} <span class=\"soft\">{2}</span></li>\n",
        row.name,
        inline(row.title()),
        escaped(&row.claims.stated().signed())
    )
}

/// A page of the gallery.
struct GalleryPage<'a> {
    row: &'static Algorithm,
    site: &'a SiteFolder,
    suffrage: &'a Suffrage,
    documents: &'a Documents,
}

impl GalleryPage<'_> {
    fn address(&self) -> String {
        link(self.row).to
    }

    fn write(
        &self,
        group: &Group,
        measured: &str,
        around: [Option<Link>; 2],
    ) -> anyhow::Result<()> {
        let mut page = self.idea()?;
        page += &self.run()?;
        page += &self.cost(group, measured)?;
        page += &self.faults()?;
        page += &self.proofs()?;
        page += &section(
            "deviations",
            "Deviations from the source",
            &self.text(self.row.header.deviations)?,
        );
        let _ = write!(page, "<h2 id=\"source\">Source</h2>\n{}", self.text(self.row.citation())?);
        let _ = writeln!(
            page,
            "<p>The algorithm as it runs: <code>suffrage algorithms {} --source</code>.</p>",
            self.row.name
        );
        let sections = page.split("<h2 id=\"").skip(1).filter_map(|rest| {
            let (id, rest) = rest.split_once("\">")?;
            let words = rest.split("</h2>").next()?.to_owned();
            Some(Link { to: format!("#{id}"), words })
        });
        let sections = sections.collect();
        let address = self.address();
        let frame =
            Frame::new(&address, self.row.name).beside("On this page", sections).around(around);
        self.site.write(&address, frame.page(&page))
    }

    /// The parts of the header are Markdown without links.
    fn text(&self, markdown: &str) -> anyhow::Result<String> {
        Ok(markdown::render(markdown, |_, _| Ok(None))?.html)
    }

    /// A link to a document of the repository.
    fn document(&self, path: &str, fragment: &str, words: &str) -> String {
        let to = relative(&self.address(), &address(path));
        format!("<a href=\"{to}{fragment}\">{words}</a>")
    }

    fn idea(&self) -> anyhow::Result<String> {
        let row = self.row;
        let mut page =
            format!("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n", row.name, inline(row.title()));
        if let Some(lesson) = self.documents.lesson(row.name) {
            let to = relative(&self.address(), &lesson.to);
            let words = escaped(&lesson.words);
            let _ = writeln!(page, "<p>The lesson on it: <a href=\"{to}\">{words}</a>.</p>");
        }
        page += "<h2 id=\"idea\">The idea</h2>\n";
        page += &self.text(row.header.idea)?;
        page += &self.text(row.header.assumes)?;
        let _ = writeln!(page, "<p>Who wins: {}.</p>", row.claims.rule.words());
        Ok(page)
    }

    fn run(&self) -> anyhow::Result<String> {
        let row = self.row;
        let schedule = if row.timing.in_rounds() { "rounds" } else { "uniform:8" };
        let words =
            format!("elect {} --nodes {NODES} --schedule {schedule} --invariants", row.name);
        self.suffrage.page(self.site, &words, &format!("gallery/runs/{}.html", row.name))?;
        let title = format!("A run of {} among {NODES} processes", row.name);
        let run = embedded(&format!("runs/{}.html", row.name), &title);
        Ok(format!("<h2 id=\"run\">A run</h2>\n{run}{}", self.playground(row)))
    }

    /// A link to the playground, where the algorithm runs under any schedule.
    fn playground(&self, row: &Algorithm) -> String {
        if row.timing != Timing::Asynchronous {
            return String::new();
        }
        let to = relative(&self.address(), "playground.html");
        format!(
            "<p><a href=\"{to}#algorithm={0}\">Be the scheduler of <code>{0}</code></a> in the playground.</p>\n",
            row.name
        )
    }

    fn cost(&self, group: &Group, measured: &str) -> anyhow::Result<String> {
        let row = self.row;
        let begins = format!("{},", row.name);
        let of_row = |(number, line): &(usize, &str)| *number == 0 || line.starts_with(&begins);
        let lines =
            measured.lines().enumerate().filter(of_row).map(|(_, line)| format!("{line}\n"));
        self.suffrage.give("measured.csv", &lines.collect::<String>())?;
        let title = format!("Messages of {}", row.name);
        let plot = ["plot", "measured.csv", "--format", "svg", "--title", &title];
        let curve = self.suffrage.run(plot)?;
        let mut page = section("costs", "What it costs", &self.text(row.header.cost)?);
        let _ = writeln!(
            page,
            "<figure class=\"plot\" tabindex=\"0\">{curve}<figcaption>The mean of 20 elections of each size, with \
             random identities, in rounds; the bound is dashed. \
             <code>suffrage compare --class {} {MEASURED}</code></figcaption></figure>",
            group.name
        );
        page += &self.table(COSTS, |_| true)?;
        let all = self.document(COSTS, "", "all algorithms, and what the columns mean");
        let _ = writeln!(page, "<p class=\"soft\">From the table of {all}.</p>");
        Ok(page)
    }

    /// What breaks it: its printed forms, and faults that were seeded.
    fn faults(&self) -> anyhow::Result<String> {
        let mut page = String::from("<h2 id=\"breaks\">What breaks it</h2>\n");
        for row in FORMS.iter().filter(|row| row.base() == self.row.name) {
            if let Some(form) = &row.form {
                page += &self.form(row, form)?;
            }
        }
        let table = self.table(MUTANTS, |column| FAULT.contains(&column))?;
        let all =
            self.document(MUTANTS, &format!("#{}", self.row.name), "The document of seeded faults");
        let _ = write!(
            page,
            "<h3>Seeded faults</h3>\n<p>Each is one edit of the algorithm. <em>Killed by</em> is the property that \
             breaks first, <em>nodes</em> the size of the smallest election in which it does. {all} has the edits.</p>\n\
             {table}"
        );
        Ok(page)
    }

    fn form(&self, row: &Algorithm, form: &Form) -> anyhow::Result<String> {
        let name = row.name;
        let kind = match form.kind {
            FormKind::Faulty => "As a source prints it, it is faulty: it",
            FormKind::Variant => "A variant, as a source prints it: it",
        };
        let mut page = format!("<h3>{name}</h3>\n<p>{kind} {}.</p>\n", inline(form.difference));
        page += &self.text(form.printed)?;
        page += &self.text(form.explained)?;
        if let Some(words) = form.shown_by.strip_prefix("suffrage ") {
            let file = format!("runs/{}.html", name.replace('@', "-"));
            self.suffrage.page(self.site, words, &format!("gallery/{file}"))?;
            page += &embedded(&file, &format!("What suffrage {words} finds"));
        }
        Ok(page + &self.playground(row))
    }

    fn proofs(&self) -> anyhow::Result<String> {
        let row = self.row;
        let mut page = String::from("<h2 id=\"proved\">What is proved</h2>\n");
        if let Some(record) = row.proved() {
            let document = self.document(PROVED, &format!("#{}", row.name), "The proof");
            let _ = write!(
                page,
                "<p>For every number of processes, from the file that runs ({} conditions, {}):</p>\n<ul>\n",
                record.conditions, record.date
            );
            for &property in record.properties {
                let says = suffrage::algorithms::ProofRecord::says(property);
                let _ = writeln!(page, "<li><em>{property}</em>: {says}</li>");
            }
            let open = row.explored_only(record).join(", ");
            let _ = writeln!(
                page,
                "</ul>\n<p>and the invariants below that have a formula. Explored for few processes only: {open}. \
                 {document}, or <code>suffrage prove {}</code>.</p>",
                row.name
            );
        } else {
            page += "<p>Nothing for every number of processes; every schedule of small elections is explored.</p>\n";
        }
        if row.statements().next().is_some() {
            page += "<h3>Invariants</h3>\n<dl class=\"invariants\">\n";
            for stated in row.statements() {
                let _ = write!(page, "<dt>{}</dt><dd>{}", stated.name, inline(stated.says));
                if let Some(formula) = stated.formula {
                    let _ = write!(page, "<br><code>{}</code>", escaped(formula));
                }
                page += "</dd>\n";
            }
            page += "</dl>\n";
        }
        let table = self.table(EXPLORED, |column| column != "algorithm")?;
        let document = self.document(EXPLORED, "", "how it is done");
        let _ = write!(
            page,
            "<h3>Explored completely, or sampled</h3>\n<p>Networks of which the checker has explored every schedule, \
             and how many it found; {document}.</p>\n{table}"
        );
        Ok(page)
    }

    /// The rows of the tables of a document that are about the algorithm, with these columns.
    fn table(&self, path: &str, shows: impl Fn(&str) -> bool) -> anyhow::Result<String> {
        self.text(&about(self.documents.text(path)?, self.row.name, shows))
    }
}

/// The rows of a document's tables that are about an algorithm, with these columns: those that begin with its name, or
/// are in a section of this name. Tables with the same columns become one.
fn about(document: &str, name: &str, shows: impl Fn(&str) -> bool) -> String {
    let begins = format!("| `{name}` |");
    let mut in_section = false;
    let mut tables: Vec<(&str, Vec<&str>)> = Vec::new();
    for block in document.split("\n\n").map(str::trim) {
        if let Some(section) = block.strip_prefix("## ") {
            in_section = section == name;
        }
        let mut lines = block.lines();
        let (Some(head), Some(rule)) = (lines.next(), lines.next()) else { continue };
        if !rule.starts_with("|---") {
            continue;
        }
        let rows = lines.filter(|line| in_section || line.starts_with(&begins));
        match tables.iter_mut().find(|(known, _)| *known == head) {
            Some((_, all)) => all.extend(rows),
            None => tables.push((head, rows.collect())),
        }
    }
    let mut text = String::new();
    for (head, rows) in tables.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        let shown: Vec<bool> = cells(head).map(&shows).collect();
        let rule = "|---".repeat(shown.iter().filter(|shown| **shown).count());
        let of_row = |row| {
            let cells = cells(row).zip(&shown).filter(|(_, shown)| **shown);
            cells.map(|(cell, _)| format!("| {cell} ")).collect::<String>() + "|\n"
        };
        let rows: String = rows.into_iter().map(of_row).collect();
        text += &format!("{}{rule}|\n{rows}\n", of_row(head));
    }
    text
}

/// The cells of a row. A bar within a cell has a backslash before it.
fn cells(row: &str) -> impl Iterator<Item = &str> {
    row.trim_matches(['|', ' ']).split(" | ")
}

/// A section, or nothing if it is empty.
fn section(id: &str, heading: &str, html: &str) -> String {
    if html.trim().is_empty() {
        return String::new();
    }
    format!("<h2 id=\"{id}\">{heading}</h2>\n{html}")
}
