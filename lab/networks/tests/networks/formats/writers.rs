//! Writers of every format, as the programs have them that are named beside.

use super::Written;
use std::fmt::Write;
use suffrage_networks::FileFormat;

/// What is optional in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// No more than must be there.
    Plain,
    /// All that may be there: weights, comments, attributes, labels.
    Rich,
    /// Of tables: tabs between columns, below names of the columns (pandas, Gephi), with an index.
    Headed,
    /// Of tables: columns in quotes, separated by commas or semicolons (spreadsheets).
    Quoted,
    /// Of edge lists: attributes in braces (networkx `write_edgelist`).
    Attributes,
}

impl Style {
    pub(crate) const ALL: [Self; 5] =
        [Self::Plain, Self::Rich, Self::Headed, Self::Quoted, Self::Attributes];
}

/// The graph as a text; `None` where a format cannot have it.
pub(crate) fn write(graph: &Written, format: FileFormat, style: Style) -> Option<String> {
    let rich = style == Style::Rich;
    let tables = [FileFormat::EdgeList, FileFormat::AdjacencyList, FileFormat::AdjacencyMatrix];
    if !matches!(style, Style::Plain | Style::Rich) {
        return if tables.contains(&format) { table(graph, format, style) } else { None };
    }
    let mut text = String::new();
    let (nodes, links) = (graph.labels.len(), graph.links.len());
    let label = |node: usize| graph.labels[node].as_str();
    let out = &mut text;
    match format {
        FileFormat::EdgeList => {
            // A graph without links is its node.
            if links == 0 {
                writeln!(out, "{}", label(0)).ok()?;
            }
            for &(a, b, weight) in &graph.links {
                match rich {
                    // networkx `write_weighted_edgelist`
                    true => writeln!(out, "{} {} {weight}", label(a), label(b)).ok()?,
                    false => writeln!(out, "{} {}", label(a), label(b)).ok()?,
                }
            }
        }
        FileFormat::AdjacencyList => {
            // networkx `write_adjlist`; igraph lists both ways.
            for node in 0..nodes {
                out.push_str(label(node));
                for &(a, b, _) in &graph.links {
                    if a == node {
                        write!(out, " {}", label(b)).ok()?;
                    } else if b == node && rich {
                        write!(out, " {}", label(a)).ok()?;
                    }
                }
                out.push('\n');
            }
        }
        FileFormat::MultilineAdjacencyList => {
            out.push_str("#make.py\n# GMT Sat Nov 21 21:00:00 2026\n# \n");
            for node in 0..nodes {
                let to: Vec<_> = graph.links.iter().filter(|link| link.0 == node).collect();
                writeln!(out, "{} {}", label(node), to.len()).ok()?;
                for &(_, b, weight) in to {
                    let attributes =
                        if rich { format!("{{'weight': {weight}}}") } else { "{}".into() };
                    writeln!(out, "{} {attributes}", label(b)).ok()?;
                }
            }
        }
        FileFormat::AdjacencyMatrix => {
            let linked =
                |a, b| graph.links.iter().any(|&(x, y, _)| (x, y) == (a, b) || (x, y) == (b, a));
            if rich && nodes < 2 {
                return None;
            }
            if rich {
                writeln!(out, "{}", graph.labels.join(" ")).ok()?;
            }
            for row in 0..nodes {
                let entries: Vec<_> =
                    (0..nodes).map(|column| u8::from(linked(row, column)).to_string()).collect();
                let head = if rich { format!("{} ", label(row)) } else { String::new() };
                writeln!(out, "{head}{}", entries.join(" ")).ok()?;
            }
        }
        FileFormat::GraphMl => {
            out.push_str("<graphml><key id='w' for='edge' attr.name='weight'/><graph>\n");
            for node in 0..nodes {
                writeln!(out, "<node id='{}'/>", label(node)).ok()?;
            }
            for &(a, b, weight) in &graph.links {
                let data =
                    if rich { format!("<data key='w'>{weight}</data>") } else { String::new() };
                writeln!(out, "<edge source='{}' target='{}'>{data}</edge>", label(a), label(b))
                    .ok()?;
            }
            out.push_str("</graph></graphml>\n");
        }
        FileFormat::Dot => {
            out.push_str("graph {\n");
            for node in 0..nodes {
                writeln!(out, "{};", label(node)).ok()?;
            }
            for &(a, b, weight) in &graph.links {
                let data = if rich { format!(" [weight={weight}]") } else { String::new() };
                writeln!(out, "{} -- {}{data}", label(a), label(b)).ok()?;
            }
            out.push_str("}\n");
        }
        FileFormat::Gml => {
            if rich {
                out.push_str("# A graph.\nCreator \"igraph\"\nVersion 1\n");
            }
            out.push_str("graph [\n  directed 0\n");
            for node in 0..nodes {
                let graphics = if rich { " graphics [ x 1.5e+3 y -2 ]" } else { "" };
                writeln!(out, "  node [ id {} label \"{}\"{graphics} ]", node + 7, label(node))
                    .ok()?;
            }
            for &(a, b, weight) in &graph.links {
                let data = if rich { format!(" weight {weight}") } else { String::new() };
                writeln!(out, "  edge [\n    source {} target {}{data}\n  ]", a + 7, b + 7).ok()?;
            }
            out.push_str("]\n");
        }
        FileFormat::Pajek => {
            if rich {
                out.push_str("% made by hand\n*Network net\n");
            }
            writeln!(out, "*Vertices {nodes}").ok()?;
            for node in 0..nodes {
                match rich {
                    true => {
                        writeln!(out, "{} \"{}\" 0.5 0.5 ellipse", node + 1, label(node)).ok()?;
                    }
                    false => writeln!(out, "{} {}", node + 1, label(node)).ok()?,
                }
            }
            out.push_str(if rich { "*EDGES :1 \"kin\"\n" } else { "*edges\n" });
            for &(a, b, weight) in &graph.links {
                let data = if rich { format!(" {weight}.0") } else { String::new() };
                writeln!(out, "{} {}{data}", a + 1, b + 1).ok()?;
            }
        }
        FileFormat::Metis => {
            if rich {
                out.push_str("% weights of nodes and links\n");
            }
            writeln!(out, "{nodes} {links}{}", if rich { " 011" } else { "" }).ok()?;
            for node in 0..nodes {
                let ends = graph.links.iter().filter_map(|&(a, b, weight)| match node {
                    _ if node == a => Some((b, weight)),
                    _ if node == b => Some((a, weight)),
                    _ => None,
                });
                let ends: Vec<_> = ends
                    .map(|(end, weight)| match rich {
                        true => format!("{} {weight}", end + 1),
                        false => (end + 1).to_string(),
                    })
                    .collect();
                writeln!(out, "{}{}", if rich { "1 " } else { "" }, ends.join(" ")).ok()?;
            }
        }
        FileFormat::Json => {
            let nodes: Vec<_> = (0..nodes)
                .map(|node| match rich {
                    true => format!("{{\"id\": {node}, \"label\": \"{}\"}}", label(node)),
                    false => format!("{{\"name\": \"{}\"}}", label(node)),
                })
                .collect();
            let links: Vec<_> = graph
                .links
                .iter()
                .map(|(a, b, weight)| match rich {
                    true => format!("{{\"weight\": {weight}, \"source\": {a}, \"target\": {b}}}"),
                    false => format!("{{\"source\": {a}, \"target\": {b}}}"),
                })
                .collect();
            let (nodes, links) = (nodes.join(",\n"), links.join(",\n"));
            // networkx writes the nodes first; from version 3.6 on, it says edges.
            match rich {
                true => write!(out, "{{\"directed\": false, \"graph\": {{}}, \"nodes\": [\n{nodes}],\n\"edges\": [{links}]}}\n").ok()?,
                false => write!(out, "{{\"links\": [{links}],\n\"nodes\": [{nodes}]}}").ok()?,
            }
        }
        FileFormat::Dimacs => {
            if rich {
                out.push_str("c A comment.\n");
            }
            let problem = if rich { "col" } else { "edge" };
            writeln!(out, "p {problem} {nodes} {links}").ok()?;
            for &(a, b, weight) in &graph.links {
                let data = if rich { format!(" {weight}") } else { String::new() };
                writeln!(out, "e {} {}{data}", a + 1, b + 1).ok()?;
            }
        }
        FileFormat::CountedEdgeList => {
            // algs4; Inet 3.0 has coordinates.
            if links == 0 {
                return None;
            }
            match rich {
                true => writeln!(out, "{nodes} {links}").ok()?,
                false => writeln!(out, "{nodes}\n{links}").ok()?,
            }
            for node in (0..nodes).filter(|_| rich) {
                writeln!(out, "{node}\t{}\t{}", 7 * node + 11, 100 - node).ok()?;
            }
            for &(a, b, weight) in &graph.links {
                let data = if rich { format!("\t{weight}") } else { String::new() };
                writeln!(out, "{a}\t{b}{data}").ok()?;
            }
        }
        FileFormat::Tgf => {
            for node in 0..nodes {
                writeln!(out, "{} {}", node + 1, label(node)).ok()?;
            }
            out.push_str("#\n");
            for &(a, b, weight) in &graph.links {
                let data = if rich { format!(" {weight} km") } else { String::new() };
                writeln!(out, "{} {}{data}", a + 1, b + 1).ok()?;
            }
        }
        FileFormat::Sif => {
            for node in 0..nodes {
                writeln!(out, "{}", label(node)).ok()?;
            }
            let between = if rich { "\t" } else { " " };
            for &(a, b, _) in &graph.links {
                writeln!(out, "{}{between}pp{between}{}", label(a), label(b)).ok()?;
            }
        }
        FileFormat::Lgl => {
            // igraph `write_lgl`; elsewhere one node is a comment.
            if links == 0 {
                return None;
            }
            for node in 0..nodes {
                writeln!(out, "# {}", label(node)).ok()?;
                for &(_, b, weight) in graph.links.iter().filter(|link| link.0 == node) {
                    let data = if rich { format!(" {weight}") } else { String::new() };
                    writeln!(out, "{}{data}", label(b)).ok()?;
                }
            }
        }
        FileFormat::Konect => {
            if links == 0 {
                return None;
            }
            let head = if rich { "asym positive" } else { "sym unweighted" };
            writeln!(out, "% {head}\n% {links} {nodes} {nodes}").ok()?;
            for &(a, b, weight) in &graph.links {
                let data = if rich { format!("\t{weight}\t1082008561") } else { String::new() };
                writeln!(out, "{}\t{}{data}", a + 1, b + 1).ok()?;
            }
        }
        FileFormat::Gexf => {
            out.push_str("<?xml version='1.0' encoding='utf-8'?>\n<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n<graph defaultedgetype=\"undirected\"><nodes>\n");
            for node in 0..nodes {
                writeln!(out, "<node id=\"{node}\" label=\"{}\"/>", label(node)).ok()?;
            }
            out.push_str("</nodes><edges>\n");
            for (id, &(a, b, weight)) in graph.links.iter().enumerate() {
                let data = if rich { format!(" weight=\"{weight}\"") } else { String::new() };
                writeln!(out, "<edge id=\"{id}\" source=\"{a}\" target=\"{b}\"{data}/>").ok()?;
            }
            out.push_str("</edges></graph></gexf>\n");
        }
        FileFormat::SndLib => {
            out.push_str("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<network xmlns=\"http://sndlib.zib.de/network\"><networkStructure><nodes>\n");
            for node in 0..nodes {
                // Other characters are references in this encoding.
                let id: String = label(node)
                    .chars()
                    .map(|c| if c.is_ascii() { c.to_string() } else { format!("&#{};", c as u32) })
                    .collect();
                writeln!(out, "<node id=\"{id}\"/>").ok()?;
            }
            out.push_str("</nodes><links>\n");
            for (id, &(a, b, _)) in graph.links.iter().enumerate() {
                let end = |node: usize| label(node).replace('ň', "&#328;");
                writeln!(
                    out,
                    "<link id=\"L{id}\"><source>{}</source><target> {} </target></link>",
                    end(a),
                    end(b)
                )
                .ok()?;
            }
            out.push_str("</links></networkStructure></network>\n");
        }
        FileFormat::Graph6 => {
            let mut bits: Vec<bool> = Vec::new();
            let number = |bits: &mut Vec<bool>, number: usize, width: u32| {
                bits.extend((0..width).rev().map(|bit| number >> bit & 1 == 1));
            };
            let mut pairs: Vec<(usize, usize)> =
                graph.links.iter().map(|&(a, b, _)| (b.max(a), b.min(a))).collect();
            pairs.sort_unstable();
            let width = usize::BITS - (nodes - 1).leading_zeros();
            if rich {
                // sparse6
                let mut at = 0;
                for &(b, a) in &pairs {
                    bits.push(b == at + 1);
                    if b > at + 1 {
                        number(&mut bits, b, width);
                        bits.push(false);
                    }
                    number(&mut bits, a, width);
                    at = b;
                }
                // Padding of ones would be a link for some numbers of nodes.
                if !bits.len().is_multiple_of(6) && nodes.is_power_of_two() && at + 2 == nodes {
                    bits.push(false);
                }
                bits.resize(bits.len().div_ceil(6) * 6, true);
            } else {
                for b in 0..nodes {
                    bits.extend((0..b).map(|a| pairs.contains(&(b, a))));
                }
                bits.resize(bits.len().div_ceil(6) * 6, false);
            }
            out.push_str(if rich { ">>sparse6<<:" } else { "" });
            out.push((63 + nodes as u8) as char);
            for six in bits.chunks(6) {
                out.push(
                    (63 + six.iter().fold(0_u8, |byte, &bit| byte << 1 | u8::from(bit))) as char,
                );
            }
            out.push('\n');
        }
        FileFormat::MatrixMarket => {
            let field = if rich { "real" } else { "pattern" };
            writeln!(out, "%%MatrixMarket matrix coordinate {field} symmetric\n% comment").ok()?;
            writeln!(out, "{nodes} {nodes} {links}").ok()?;
            for &(a, b, weight) in &graph.links {
                // An explicit zero is no entry.
                let data = if rich { format!(" {weight}.5") } else { String::new() };
                writeln!(out, "{} {}{data}", b + 1, a + 1).ok()?;
            }
        }
    }
    Some(text)
}

/// A table with separators, names of columns or quotes.
fn table(graph: &Written, format: FileFormat, style: Style) -> Option<String> {
    let (between, quote) = match style {
        Style::Headed => ("\t", ""),
        Style::Quoted => ([",", ";"][graph.links.len() % 2], "\""),
        _ => (" ", ""),
    };
    let label = |node: usize| format!("{quote}{}{quote}", graph.labels[node]);
    let mut rows: Vec<Vec<String>> = Vec::new();
    let nodes = graph.labels.len();
    match format {
        FileFormat::EdgeList => {
            if graph.links.is_empty() {
                return None;
            }
            let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
            if style == Style::Headed {
                rows.push(words(&["", "kind", "source_id", "Target-Id", "weight", "colour"]));
            }
            for (at, &(a, b, weight)) in graph.links.iter().enumerate() {
                rows.push(match style {
                    Style::Headed => vec![
                        at.to_string(),
                        "road".into(),
                        label(a),
                        label(b),
                        weight.to_string(),
                        "dark red".into(),
                    ],
                    Style::Quoted => vec![label(a), label(b)],
                    _ => vec![
                        label(a),
                        label(b),
                        format!("{{'weight': {weight}, 'colour': 'dark red'}}"),
                    ],
                });
            }
        }
        FileFormat::AdjacencyList if style != Style::Attributes => {
            for node in 0..nodes {
                let after =
                    graph.links.iter().filter(|link| link.0 == node).map(|link| label(link.1));
                rows.push(std::iter::once(label(node)).chain(after).collect());
            }
        }
        FileFormat::AdjacencyMatrix if style != Style::Attributes && nodes > 1 => {
            // pandas writes an empty name above the index.
            rows.push(std::iter::once(String::new()).chain((0..nodes).map(label)).collect());
            for row in 0..nodes {
                let entry = |column: usize| {
                    let is = |&&(a, b, _): &&(usize, usize, u32)| {
                        (a, b) == (row, column) || (b, a) == (row, column)
                    };
                    let linked = graph.links.iter().any(|link| is(&link));
                    match style {
                        Style::Quoted => if linked { "True" } else { "False" }.to_owned(),
                        _ => if linked { "1.0" } else { "" }.to_owned(),
                    }
                };
                rows.push(std::iter::once(label(row)).chain((0..nodes).map(entry)).collect());
            }
        }
        _ => return None,
    }
    let lines: Vec<String> = rows.iter().map(|row| row.join(between)).collect();
    Some(lines.join("\n") + "\n")
}
