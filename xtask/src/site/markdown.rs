//! Documents in Markdown as HTML, with the anchors of GitHub.

use super::frame::{Link, escaped};
use super::runs;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::collections::BTreeMap;

/// A document as HTML.
pub(super) struct Text {
    pub(super) title: String,
    pub(super) html: String,
    /// Its sections of the second level.
    pub(super) sections: Vec<Link>,
}

/// Renders a document. `target` says where each link and image of it leads, by its address and whether it is an image;
/// the words of a link that leads nowhere are no link.
pub(super) fn render(
    text: &str,
    mut target: impl FnMut(&str, bool) -> anyhow::Result<Option<String>>,
) -> anyhow::Result<Text> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut anchors = Anchors::default();
    let mut rendered = Text { title: String::new(), html: String::new(), sections: Vec::new() };
    let mut events: Vec<Event<'_>> = Parser::new_ext(text, options).collect();
    let mut heading = None;
    // Whether each link that is open leads anywhere.
    let mut open = Vec::new();
    for place in 0..events.len() {
        match &events[place] {
            Event::Start(Tag::Heading { level, .. }) => heading = Some((place, *level)),
            Event::End(TagEnd::Heading(_)) => {
                let Some((start, level)) = heading.take() else { continue };
                let words = plain(&events[start..place]);
                let anchor = anchors.of(&words);
                if level == HeadingLevel::H1 && rendered.title.is_empty() {
                    rendered.title.clone_from(&words);
                } else if level == HeadingLevel::H2 {
                    rendered.sections.push(Link { to: format!("#{anchor}"), words });
                }
                if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
                    *id = Some(anchor.into());
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let to = target(dest_url, false)?;
                open.push(to.is_some());
                aim(&mut events[place], to);
            }
            Event::End(TagEnd::Link) if open.pop() == Some(false) => {
                events[place] = Event::Text(CowStr::Borrowed(""));
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                let to = target(dest_url, true)?;
                aim(&mut events[place], to);
            }
            Event::Html(raw) if raw.trim_start().starts_with("<iframe") => {
                let of = |name: &str| {
                    let (_, rest) = raw.split_once(&format!("{name}=\""))?;
                    rest.split_once('"').map(|(value, _)| value.to_owned())
                };
                let (source, title) = (of(" src"), of(" title"));
                let (source, title) = (source.unwrap_or_default(), title.unwrap_or_default());
                events[place] = Event::Html(runs::embedded(&source, &title).into());
            }
            _ => {}
        }
    }
    html::push_html(&mut rendered.html, events.into_iter());
    rendered.html = rendered.html.replace("<table>", "<div class=\"wide\" tabindex=\"0\"><table>");
    rendered.html = rendered.html.replace("</table>", "</table></div>");
    Ok(rendered)
}

/// Has a link or an image lead there, or be no link.
fn aim(event: &mut Event<'_>, to: Option<String>) {
    match (&mut *event, to) {
        (Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }), Some(to)) => {
            *dest_url = to.into();
        }
        _ => *event = Event::Text(CowStr::Borrowed("")),
    }
}

/// The words of a heading.
fn plain(events: &[Event<'_>]) -> String {
    let words = events.iter().filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
        Event::SoftBreak => Some(" "),
        _ => None,
    });
    words.collect()
}

/// The anchors of a document: those that GitHub gives to its headings.
#[derive(Default)]
struct Anchors {
    taken: BTreeMap<String, usize>,
}

impl Anchors {
    fn of(&mut self, words: &str) -> String {
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let anchor: String =
            kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect();
        let times = self.taken.entry(anchor.clone()).or_default();
        *times += 1;
        match *times - 1 {
            0 => anchor,
            again => format!("{anchor}-{again}"),
        }
    }
}

/// A file of code as HTML, with a link to the file itself.
pub(super) fn code(name: &str, text: &str) -> String {
    let (name, text) = (escaped(name), escaped(text));
    let file = name.rsplit('/').next().unwrap_or(&name);
    format!(
        "<h1>{name}</h1>\n<p><a href=\"{file}\" download>The file</a></p>\n<pre tabindex=\"0\"><code>{text}</code></pre>\n"
    )
}
