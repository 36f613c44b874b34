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
}

impl Style {
    pub(crate) const ALL: [Self; 2] = [Self::Plain, Self::Rich];
}

/// The graph as a text; `None` where a format cannot have it.
pub(crate) fn write(graph: &Written, format: FileFormat, style: Style) -> Option<String> {
    let rich = style == Style::Rich;
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
        FileFormat::NodeLink => {
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
