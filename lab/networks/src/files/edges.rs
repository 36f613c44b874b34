//! Edge lists: one link per line. Those of SNAP, of KONECT, below counts, and of Cytoscape.

use super::columns::{self, Columns, Row};
use super::header::Header;
use super::raw::{self, EdgeRow, Flaw, Raw, number};
use crate::format::{FileSyntax, Separator};
use std::borrow::Cow;
use std::io::BufRead;
use suffrage_numbers::counted;

/// Why a table is read in this form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trust {
    /// Its lines fit: nothing may be left out.
    Guessed,
    /// The extension, or a signature, says it.
    Named,
    /// The user says it.
    Told,
}

/// How rows are links.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeForm {
    ends: (usize, usize),
    /// The column of a weight, and whether further ones have names.
    weight: Option<usize>,
    named: bool,
    /// The number of columns of a header.
    most: usize,
    /// What stands between columns.
    separator: Separator,
    pub(super) trust: Trust,
}

impl EdgeForm {
    /// The form of a table, given its first row where that is a header.
    pub(super) fn new(syntax: &FileSyntax, header: Option<&[Cow<'_, str>]>, trust: Trust) -> Self {
        let said = header.and_then(Header::of);
        let told = syntax.ends.map(|(from, to)| (usize::from(from) - 1, usize::from(to) - 1));
        let ends = told.or(said.map(|said| said.ends)).unwrap_or((0, 1));
        let behind = ends.0.max(ends.1) + 1;
        let weight = said.map_or(Some(behind), |said| said.weight);
        let most = header.map_or(usize::MAX, |header| header.len().max(behind));
        let separator = syntax.separator.unwrap_or(Separator::Blanks);
        Self { ends, weight, named: said.is_some() || told.is_some(), most, separator, trust }
    }

    /// Reads a row.
    pub(super) fn row<'a>(&self, row: Row<'a>) -> Result<EdgeRow<'a>, Flaw> {
        let Row { line, mut columns } = row.trimmed();
        let fault = |what: String| Err(Flaw::line(line, what));
        // Behind the ends, more columns can be left out; before them, they would move the ends.
        if columns.len() > self.most && (self.trust < Trust::Told || self.ends != (0, 1)) {
            let what = format!(
                "{} below a header that names {}",
                counted(columns.len() as u64, "column"),
                self.most
            );
            return fault(what);
        }
        let strict = self.trust < Trust::Told && !self.named;
        let third = self.weight.and_then(|place| columns.get(place));
        let (weight, is_weight) = third.map_or((false, true), |third| weight(third));
        let behind = self.ends.0.max(self.ends.1) + 1;
        let used = behind + usize::from(is_weight && self.weight.is_some());
        if strict && (columns.len() > 3 || !is_weight) {
            return fault(format!(
                "an edge list has two columns and perhaps a weight, and here are {} (`{}`): \
                 --topology-format edge-list takes the first two, edge-list,ends=1+3 others, adjacency-list all",
                columns.len(),
                columns[2..].join(" ").chars().take(30).collect::<String>().escape_debug()
            ));
        }
        let further = columns.len() > used
            || (self.named && columns.len() > 2 + usize::from(third.is_some()));
        let is_sign = |word: &&Cow<'_, str>| word.bytes().all(|byte| byte.is_ascii_punctuation());
        let sign = [self.ends.0, self.ends.1].map(|place| columns.get(place));
        if let Some(sign) =
            sign.into_iter().flatten().find(|word| !word.is_empty() && is_sign(word))
            && self.trust < Trust::Told
        {
            return fault(format!(
                "`{}` stands where a label should: --topology-format edge-list takes it as one, \
                 edge-list,ends=1+3 takes other columns",
                sign.escape_debug()
            ));
        }
        if self.trust < Trust::Told {
            let mut labels = sign.into_iter().flatten();
            labels.try_for_each(|word| columns::refuse_part(word, self.separator, line))?;
        }
        let mut end = |place: usize| columns.get_mut(place).map(std::mem::take).unwrap_or_default();
        let (from, to) = (end(self.ends.0), end(self.ends.1));
        if from.is_empty() {
            return fault("the first label of this line is empty".to_owned());
        }
        if to.is_empty() {
            if self.trust == Trust::Guessed {
                return fault(format!(
                    "`{}` stands alone, and a link has two ends: --topology-format edge-list takes it as a node",
                    from.escape_debug()
                ));
            }
            return Ok(EdgeRow { from, to: None, weighs: false, further: false });
        }
        if from == to && self.trust < Trust::Told {
            return fault(format!(
                "a link from `{0}` to `{0}`: --topology-format edge-list leaves such links out",
                from.escape_debug()
            ));
        }
        Ok(EdgeRow { from, to: Some(to), weighs: weight, further })
    }
}

/// Returns whether a column is a weight other than 1, and whether it is a weight.
fn weight(column: &str) -> (bool, bool) {
    match column.strip_prefix('{').and_then(|attributes| attributes.strip_suffix('}')) {
        Some(attributes) => {
            let weight = attributes.split_once("weight").map(|(_, after)| after);
            let value = weight.and_then(|after| after.split_once(':')).map(|(_, value)| value);
            (raw::weighs(value.and_then(|value| value.split(',').next()).unwrap_or_default()), true)
        }
        // Some languages write a comma in decimals.
        None => (raw::weighs(column), column.replacen(',', ".", 1).parse::<f64>().is_ok()),
    }
}

/// Reads an edge list, below a header if the syntax says so.
pub(super) fn read(
    reader: impl BufRead,
    columns: &Columns,
    syntax: &FileSyntax,
    trust: Trust,
) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    let mut form = EdgeForm::new(syntax, None, trust);
    let mut header = syntax.header == Some(true);
    let comments = columns::rows(reader, columns, |row| {
        if std::mem::take(&mut header) {
            form = EdgeForm::new(syntax, Some(&row.columns), trust);
            raw.header = Some(row.line);
            return Ok(());
        }
        raw.edge(&form.row(row)?)
    })?;
    raw.comments = comments;
    Ok(raw)
}

/// Reads an edge list of KONECT. In a bipartite network, the ids of both sides are separate.
pub(super) fn read_konect(text: &str, columns: &Columns, syntax: &FileSyntax) -> Result<Raw, Flaw> {
    let kind = text.strip_prefix('%').and_then(|line| line.split_whitespace().next());
    let form = EdgeForm::new(syntax, None, Trust::Told);
    let mut raw = Raw::default();
    columns::rows(text.as_bytes(), columns, |row| {
        let mut row = form.row(row)?;
        if let (Some("bip"), Some(to)) = (kind, &row.to) {
            (row.from, row.to) =
                (format!("left {}", row.from).into(), Some(format!("right {to}").into()));
        }
        raw.directed += u64::from(kind == Some("asym"));
        raw.edge(&row)
    })?;
    Ok(raw)
}

/// Reads SIF: `NODE`, or `NODE RELATION NODE ..`, with tabs between where the file has one.
pub(super) fn read_sif(text: &str) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    for (line, at) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let words: Vec<&str> = match text.contains('\t') {
            true => line.split('\t').map(str::trim).collect(),
            false => line.split_whitespace().collect(),
        };
        if words.len() == 2 || words.contains(&"") {
            return Err(Flaw::line(at, "`NODE RELATION NODE ..` should stand here"));
        }
        let node = raw.ids.number(words[0])?;
        for other in words.iter().skip(2) {
            let other = raw.ids.number(other)?;
            raw.link(node, other)?;
        }
    }
    Ok(raw)
}

/// The two numbers of a first row, which may be counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    nodes: u64,
    links: u64,
}

impl Counts {
    pub(super) fn of(row: &Row<'_>) -> Option<Self> {
        let [nodes, links] = &row.columns[..] else { return None };
        Some(Self { nodes: nodes.parse().ok()?, links: links.parse().ok()? })
    }

    /// Refuses an edge list whose first row counts the other ones and their nodes, in either order. Neither of its
    /// numbers need be a node.
    pub(super) fn refuse(self, nodes: u64, links: u64) -> Result<(), Flaw> {
        let Self { nodes: first, links: second } = self;
        let counts = |of_nodes: u64, of_links: u64| {
            of_links + 1 == links && of_nodes <= nodes && of_nodes + 2 >= nodes
        };
        let (numbers, how) = match (counts(first, second), counts(second, first)) {
            (true, _) => ("nodes and links", "say --topology-format counted-edge-list"),
            // Few lists begin with a link from a larger to a smaller number, and many with `1 2`.
            (_, true) if first > second => ("links and nodes", "leave it out"),
            _ => return Ok(()),
        };
        let what = format!(
            "`{first} {second}` before all other rows is a link, or the numbers of {numbers} that follow: say \
             --topology-format edge-list,no-header, or {how}"
        );
        Err(Flaw::Unsupported { what })
    }
}

/// Reads an edge list below its counts: `NODES LINKS`, on one line or two, or `NODES` alone. A row for each node
/// may stand before the links.
pub(super) fn read_counted(
    rows: &[Row<'_>],
    syntax: &FileSyntax,
    trust: Trust,
) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    let mut heads = Vec::new();
    let mut rest = rows;
    while let Some((row, after)) = rest.split_first()
        && heads.len() < 2
        && (row.columns.len() == 1 || heads.is_empty())
    {
        for word in &row.columns {
            heads.push(number(word, "nodes or links", row.line)?);
        }
        rest = after;
    }
    let line = rows.first().map_or(1, |row| row.line);
    let (&[nodes] | &[nodes, _]) = &heads[..] else {
        return Err(Flaw::line(line, "`NODES LINKS` should stand here"));
    };
    let links = heads.get(1).copied().unwrap_or(rest.len() as u64);
    let is_place = |row: &Row<'_>| {
        row.columns.len() > 1 && row.columns.iter().all(|word| word.parse::<f64>().is_ok())
    };
    if rest.len() as u64 == nodes.saturating_add(links) && links > 0 {
        let (declared, after) = rest.split_at(nodes as usize);
        if !declared.iter().all(is_place) {
            return Err(Flaw::line(line, "`NODE X Y` should stand here for each node"));
        }
        for row in declared {
            raw.ids.number(&row.columns[0])?;
        }
        rest = after;
    }
    let form = EdgeForm::new(syntax, None, trust);
    rest.iter().try_for_each(|row| raw.edge(&form.row(row.clone())?))?;
    let is_number = |name: &str| name.parse::<u64>().is_ok_and(|number| number <= nodes);
    if let Some(name) = raw.ids.names.iter().find(|name| !is_number(name)) {
        let what = format!("`{}` is no number of {nodes} nodes", name.escape_debug());
        return Err(Flaw::line(line, what));
    }
    let found = (u64::from(raw.ids.names.len()), rest.len() as u64);
    if found != (nodes, links) {
        let what = format!(
            "{} and {} are announced, and {} and {} below",
            counted(nodes, "node"),
            counted(links, "link"),
            found.0,
            found.1
        );
        return Err(Flaw::line(line, what));
    }
    Ok(raw)
}

/// Reads the format of LGL: `# NODE`, and below it `NEIGHBOUR` or `NEIGHBOUR WEIGHT` for each of its links.
pub(super) fn read_lgl(text: &str, trust: Trust) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    let (mut node, mut nodes) = (None, 0);
    for (line, at) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (neighbour, weight) = match words[..] {
            ["#", name] => {
                node = Some(raw.ids.number(name)?);
                nodes += 1;
                continue;
            }
            [neighbour] => (neighbour, ""),
            [neighbour, weight] if weight.parse::<f64>().is_ok() => (neighbour, weight),
            _ => {
                let what = "`# NODE`, `NEIGHBOUR` or `NEIGHBOUR WEIGHT` should stand here";
                return Err(Flaw::line(at, what));
            }
        };
        let Some(node) = node else {
            return Err(Flaw::line(at, "`# NODE` should stand above its first neighbour"));
        };
        let neighbour = raw.ids.number(neighbour)?;
        raw.link(node, neighbour)?;
        raw.weigh(weight);
    }
    if trust == Trust::Guessed && nodes < 2 {
        return Err(Flaw::line(1, "a list of LGL has more than one line `# NODE`"));
    }
    Ok(raw)
}

/// Reads Trivial Graph Format: `ID LABEL` for each node, a line `#`, and `ID ID LABEL` for each link.
pub(super) fn read_tgf(text: &str) -> Result<Raw, Flaw> {
    let mut raw = Raw::default();
    let mut lines = text.lines().map(str::trim).zip(1..).filter(|(line, _)| !line.is_empty());
    let mut end = false;
    for (line, at) in lines.by_ref() {
        if line == "#" {
            end = true;
            break;
        }
        let (id, label) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let known = raw.ids.names.len();
        let node = raw.ids.number(id)?;
        if node < known {
            return Err(Flaw::line(at, format!("a second node has the id {}", id.escape_debug())));
        }
        raw.labels.push((node, label.trim().to_owned()));
    }
    if !end && !text.trim().is_empty() {
        return Err(Flaw::line(1, "there is no line `#` between the nodes and the links"));
    }
    for (line, at) in lines {
        let mut words = line.split_whitespace().map(|id| raw.ids.get(id));
        let (Some(Some(from)), Some(Some(to))) = (words.next(), words.next()) else {
            return Err(Flaw::line(at, "a link begins with the ids of two nodes above `#`"));
        };
        raw.link(from, to)?;
    }
    Ok(raw)
}

#[cfg(test)]
mod tests;
