//! The source of an algorithm as an entry of BibTeX.
//!
//! Citations have one form, which the test below holds all of the catalogue to: AUTHORS, "TITLE", *VENUE* VOLUME(NUMBER),
//! YEAR, pp. PAGES, doi:DOI, or AUTHORS, *TITLE*, PUBLISHER, YEAR. What follows a semicolon or a colon is about it.

use suffrage::algorithms::Algorithm;

/// A citation in its parts; those that it has not are empty.
#[derive(Default)]
struct Citation<'a> {
    authors: Vec<&'a str>,
    title: &'a str,
    venue: &'a str,
    publisher: &'a str,
    series: &'a str,
    volume: &'a str,
    number: &'a str,
    year: &'a str,
    pages: &'a str,
    doi: &'a str,
}

/// The text between two characters, and what follows the second.
fn between(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close)
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
}

impl<'a> Citation<'a> {
    /// Divides a citation, which stands on one line.
    fn of(text: &'a str) -> Option<Self> {
        let first = text.find(['"', '*'])?;
        let authors: Vec<_> = text[..first].trim_end_matches([' ', ',']).split(", ").collect();
        let is_book = text[first..].starts_with('*');
        let (title, rest) = match is_book {
            true => between(text, '*', '*')?,
            false => between(text, '"', '"')?,
        };
        let (venue, rest) = if is_book { ("", rest) } else { between(rest, '*', '*')? };
        // Further sources follow a semicolon; a DOI may have one.
        let (rest, doi) = match rest.split_once("doi:") {
            Some((rest, doi)) => (rest, doi.split([';', ',', ' ']).next()?.trim_end_matches('.')),
            None => (rest, ""),
        };
        let mut found = Self { authors, title, venue, doi, ..Self::default() };
        for part in rest.split(';').next()?.split([',', ':']).map(str::trim) {
            let part = part.trim_end_matches('.');
            if let Some(pages) = part.strip_prefix("pp. ") {
                found.pages = pages;
            } else if is_year(part) {
                found.year = if found.year.is_empty() { part } else { found.year };
            } else if found.year.is_empty() && is_book {
                found.publisher = if part.contains("ed") { found.publisher } else { part };
            } else if found.year.is_empty() {
                let volume = part.split_once('(').unwrap_or((part, ""));
                let number = volume.1.trim_end_matches(')');
                if let Some((series, volume)) = part.split_once(' ')
                    && volume.parse::<u32>().is_ok()
                {
                    (found.series, found.volume) = (series.trim_matches('`'), volume);
                } else if volume.0.chars().any(|c| c.is_ascii_digit()) {
                    (found.volume, found.number) = (volume.0, number);
                }
            }
        }
        Some(found).filter(|found| !found.year.is_empty() && !found.title.is_empty())
    }

    fn entry(&self, key: &str) -> String {
        let is_article = !self.volume.is_empty() && self.series.is_empty();
        let kind = match (self.venue.is_empty(), is_article) {
            (true, _) => "book",
            (false, true) => "article",
            // Proceedings are volumes of a series, if of anything.
            (false, false) => "inproceedings",
        };
        let venue = if kind == "article" { "journal" } else { "booktitle" };
        let (pages, authors) = (self.pages.replace('-', "--"), self.authors.join(" and "));
        let fields = [
            ("author", &*authors),
            ("title", self.title),
            (venue, self.venue),
            ("publisher", self.publisher),
            ("series", self.series),
            ("volume", self.volume),
            ("number", self.number),
            ("year", self.year),
            ("pages", &pages),
            ("doi", self.doi),
        ];
        let mut entry = format!("@{kind}{{{key},\n");
        for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
            // Titles keep their capitals.
            let value = if name == "title" { format!("{{{value}}}") } else { value.to_owned() };
            entry += &format!("  {name:<9} = {{{}}},\n", value.replace('&', "\\&"));
        }
        entry + "}\n"
    }
}

/// The source of an algorithm as an entry whose key is its name. Of folklore there is a note.
pub(super) fn entry(algorithm: &Algorithm) -> String {
    let text = algorithm.citation().split_whitespace().collect::<Vec<_>>().join(" ");
    match Citation::of(&text).filter(|_| !text.starts_with("Folklore")) {
        Some(citation) => citation.entry(algorithm.name),
        None => format!(
            "@misc{{{},\n  title     = {{{{{}}}}},\n  note      = {{{}}},\n}}\n",
            algorithm.name,
            algorithm.title().trim_end_matches('.'),
            algorithm.paper
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use suffrage::algorithms::FORMS;

    #[test]
    fn every_citation_has_authors_a_title_a_venue_and_a_year() {
        for algorithm in Algorithm::correct().chain(FORMS) {
            let entry = entry(algorithm);
            let has = |field: &str| entry.contains(&format!("\n  {field:<9} = {{"));
            let of_a_venue = ["journal", "booktitle", "publisher"].into_iter().any(has);
            let whole = has("author") && has("title") && has("year") && of_a_venue;
            assert!(whole || algorithm.paper.starts_with("folklore"), "{entry}");
            assert!(!entry.contains('*') && !entry.contains('\"'), "{entry}");
        }
    }
    #[test]
    fn the_year_is_that_of_the_paper() {
        for algorithm in Algorithm::correct().filter(|row| !row.paper.starts_with("folklore")) {
            let mut years = algorithm.paper.split([' ', ',', ';']).filter(|word| is_year(word));
            let entry = entry(algorithm);
            assert!(years.any(|year| entry.contains(&format!("{{{year}}}"))), "{entry}");
        }
    }

    #[test]
    fn an_article_a_paper_of_a_conference_and_a_book_are_told_apart() {
        let of = |text: &str| Citation::of(text).unwrap().entry("it");
        let article = of(
            "A. B, C. van D, \"T & U\", *J. of V* SE-8(4), 1982, pp. 1-20, doi:10.1/x(y).z; E, 1999.",
        );
        let lines = [
            "@article{it,",
            "  author    = {A. B and C. van D},",
            "  title     = {{T \\& U}},",
            "  journal   = {J. of V},",
            "  volume    = {SE-8},",
            "  number    = {4},",
            "  year      = {1982},",
            "  pages     = {1--20},",
            "  doi       = {10.1/x(y).z},",
            "}",
        ];
        assert_eq!(article.lines().collect::<Vec<_>>(), lines);
        let paper = of("A. B, \"T\", *23rd C*, `LIPIcs` 319, 1984: the algorithm.");
        assert!(paper.starts_with("@inproceedings{it,"), "{paper}");
        assert!(
            paper.contains("series    = {LIPIcs}") && paper.contains("volume    = {319}"),
            "{paper}"
        );
        let book = of("G. T, *I*, 2nd ed., Wiley, 2007, section 3.");
        assert!(book.starts_with("@book{it,") && book.contains("publisher = {Wiley}"), "{book}");
    }
}
