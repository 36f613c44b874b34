//! What all pages of the site have in common: their head, their navigation, their style.

use suffrage::algorithms::Algorithm;
use suffrage::page;

/// The parts of the site: the address of each, and its name.
const PARTS: [(&str, &str); 6] = [
    ("book/index.html", "Book"),
    ("gallery/index.html", "Gallery"),
    ("playground.html", "Playground"),
    ("course/index.html", "Course"),
    ("commands/index.html", "Commands"),
    ("documents.html", "Documents"),
];

/// Nothing but files of the site may be loaded; a page that is opened from a folder has no origin of its own.
const POLICY: &str = "default-src 'none'; style-src 'self' file: 'unsafe-inline'; img-src 'self' file: data:; \
     frame-src 'self' file:";

/// The address of the style sheet.
pub(super) const STYLE: &str = "suffrage.css";

/// A page of the site, without its content.
pub(super) struct Frame<'a> {
    address: &'a str,
    title: &'a str,
    /// The heading beside the content, and the links under it.
    beside: Option<(&'a str, Vec<Link>)>,
    /// The pages before and after this one.
    around: [Option<Link>; 2],
}

/// A link to an address of the site, or a fragment of the page.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) to: String,
    pub(super) words: String,
}

impl<'a> Frame<'a> {
    pub(super) const fn new(address: &'a str, title: &'a str) -> Self {
        Self { address, title, beside: None, around: [None, None] }
    }

    /// Lists links beside the content, if there are some.
    pub(super) fn beside(self, heading: &'a str, links: Vec<Link>) -> Self {
        let beside = (!links.is_empty()).then_some((heading, links));
        Self { beside, ..self }
    }

    /// Places the page between others.
    pub(super) fn around(self, around: [Option<Link>; 2]) -> Self {
        Self { around, ..self }
    }

    /// Writes the page with this content, which is HTML.
    pub(super) fn page(&self, content: &str) -> String {
        let (title, style) = (escaped(self.title), self.to(STYLE));
        let navigation = navigation(self.address);
        let [before, after] = &self.around;
        let turn = |link: &Option<Link>, class: &str| {
            link.as_ref().map_or_else(String::new, |link| {
                format!("<a class=\"{class}\" rel=\"{class}\" {}", self.anchor(link))
            })
        };
        let turns = match [turn(before, "prev"), turn(after, "next")].concat() {
            turns if turns.is_empty() => turns,
            turns => format!("<nav class=\"turns\" aria-label=\"Pages\">{turns}</nav>\n"),
        };
        let beside = self.beside.as_ref().map_or_else(String::new, |(heading, links)| {
            let items = links.iter().map(|link| {
                let here = if link.to == self.address { "aria-current=\"page\" " } else { "" };
                format!("<li><a {here}{}</li>\n", self.anchor(link))
            });
            format!(
                "<nav class=\"beside\" aria-label=\"{heading}\"><h2>{heading}</h2>\n<ul>\n{}</ul></nav>\n",
                items.collect::<String>()
            )
        });
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <title>{title} · Suffrage</title>\n<link rel=\"icon\" href=\"data:,\">\n\
             <link rel=\"stylesheet\" href=\"{style}\">\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#content\">To the content</a>\n{navigation}\
             <div class=\"columns\">\n{beside}<main id=\"content\">\n{content}{turns}</main>\n</div>\n\
             </body>\n</html>\n"
        )
    }

    /// The rest of the tag of a link, and its words.
    fn anchor(&self, link: &Link) -> String {
        format!("href=\"{}\">{}</a>", escaped(&self.to(&link.to)), escaped(&link.words))
    }

    /// The address of a file of the site, as this page writes it.
    fn to(&self, address: &str) -> String {
        relative(self.address, address)
    }
}

/// The navigation of a page at this address.
pub(super) fn navigation(address: &str) -> String {
    let home = relative(address, "index.html");
    let mut links = format!("<a class=\"home\" href=\"{home}\">Suffrage</a>\n");
    for (to, words) in PARTS {
        let folder = to.strip_suffix("index.html").filter(|folder| address.starts_with(folder));
        let here = if address == to || folder.is_some() { " aria-current=\"true\"" } else { "" };
        links += &format!("<a{here} href=\"{}\">{words}</a>\n", relative(address, to));
    }
    format!("<nav class=\"parts\" aria-label=\"Site\">\n{links}</nav>\n")
}

/// The style of the navigation, which the playground has, too.
pub(super) const NAVIGATION: &str = include_str!("navigation.css");

/// The style sheet of the site. Its colours are those of the pages of runs, dark where the system is.
pub(super) fn style() -> String {
    const DARK: &str = ":root[data-theme=\"dark\"]";
    let colours = page::colours();
    let (light, dark) = colours.split_once(DARK).unwrap_or((colours, "{}\n"));
    let dark = format!("@media (prefers-color-scheme: dark) {{\n:root{dark}}}\n");
    [light, &dark, NAVIGATION, include_str!("site.css")].concat()
}

/// Returns how a page at one address refers to another address, or to a fragment of its own.
pub(super) fn relative(from: &str, to: &str) -> String {
    if to.starts_with('#') {
        return to.to_owned();
    }
    let folders = |address: &str| -> Vec<String> {
        let mut parts: Vec<_> = address.split('/').map(str::to_owned).collect();
        parts.pop();
        parts
    };
    let (here, there) = (folders(from), folders(to));
    let common = here.iter().zip(&there).take_while(|(one, other)| one == other).count();
    let up = "../".repeat(here.len() - common);
    let down: Vec<&str> = to.split('/').skip(common).collect();
    up + &down.join("/")
}

/// The address of the page of an algorithm in the gallery.
pub(super) fn of_algorithm(row: &Algorithm) -> String {
    format!("gallery/{}.html", row.name)
}

/// Writes text in which no character is markup.
pub(super) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;")
}

/// Writes text whose parts between backticks are code, and whose blank lines separate paragraphs.
pub(super) fn prose(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| format!("<p>{}</p>\n", inline(paragraph)));
    paragraphs.collect()
}

/// Writes text whose parts between backticks are code.
pub(super) fn inline(text: &str) -> String {
    let mut html = String::new();
    for (number, part) in escaped(text).split('`').enumerate() {
        match number % 2 {
            0 => html += part,
            _ => html += &format!("<code>{part}</code>"),
        }
    }
    html
}
