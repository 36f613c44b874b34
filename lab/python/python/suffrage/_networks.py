"""Networks from graphs, data frames and matrices."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

Graph: TypeAlias = "tuple[str, int, list[str], list[int], list[int], bool]"
"""A name, the number of nodes, their names or none, the two ends of each link, and whether links have a
direction."""

GRAPH = "graph"
"""What a graph without a name is called in reports and messages."""


ENDS = [
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("src", "dest"),
    ("source", "destination"),
    ("src", "target"),
    ("sourceid", "targetid"),
    ("fromnodeid", "tonodeid"),
    ("fromnode", "tonode"),
    ("node1", "node2"),
    ("nodea", "nodeb"),
    ("vertex1", "vertex2"),
    ("id1", "id2"),
    ("start", "end"),
    ("tail", "head"),
    ("u", "v"),
    ("i", "j"),
    ("v1", "v2"),
]
"""The names of columns with the ends of links, in lower case, without other characters than letters and
digits: those of files."""


class Networks:
    """The graphs among the arguments of a function, and what their nodes are in Python."""

    graphs: list[Graph]

    def __init__(self) -> None:
        self.graphs = []
        self._nodes: list[list[Any] | None] = []

    def add(self, network: object) -> str | None:
        """Add a graph, and return the name by which specifications call it; ``None`` if it is none."""
        found = graph(network, len(self.graphs))
        if found is None:
            return None
        made, nodes = found
        name = made[0]
        # Another graph has this name.
        if name in (other for other, *_ in self.graphs):
            name = f"{name}-{len(self.graphs) + 1}"
        self.graphs.append((name, *made[1:]))
        self._nodes.append(nodes)
        return name

    def label(self, report: Any, whole: bool) -> None:
        """Name nodes in a report as the graph has them: numbers stay numbers.

        ``whole`` says that no node of the graph is left out.
        """
        if isinstance(report, list):
            for one in report:
                self.label(one, whole)
        elif isinstance(report, dict):
            if "label" in report and "node" in report:
                report["label"] = self._label(report["node"], report["label"], whole)
            for one in report.values():
                self.label(one, whole)

    def _label(self, number: int, label: Any, whole: bool) -> Any:
        # Of several graphs the report does not say which one it is.
        if len(self._nodes) != 1 or (nodes := self._nodes[0]) is None:
            return label
        if whole:
            return nodes[number]
        named = [node for node in nodes if str(node) == label]
        return named[0] if len(named) == 1 else label


def graph(network: object, number: int) -> tuple[Graph, list[Any] | None] | None:
    """Return a graph of networkx, a data frame, a sparse matrix or an array as nodes and links.

    Return with it the nodes as Python has them, unless they are only numbered. ``number`` tells graphs
    without a name apart. Return ``None`` if it is none of these.
    """
    name = GRAPH if number == 0 else f"{GRAPH}-{number + 1}"
    if hasattr(network, "adj") and hasattr(network, "is_directed"):
        return _of_networkx(network, name)
    # The columns of a lazy frame take time.
    if hasattr(network, "__array__") and hasattr(network, "columns"):
        return _of_frame(network, name)
    if hasattr(network, "tocoo") or hasattr(network, "__array__"):
        return _of_matrix(network, name), None
    return None


def _of_networkx(network: Any, name: str) -> tuple[Graph, list[Any]]:
    # What has a comma in it would be several networks.
    name = str(network.name or name).replace(",", " ")
    return _of_links(name, list(network.nodes), list(network.edges()), network.is_directed())


def _of_links(
    name: str, nodes: list[Any], links: list[tuple[Any, Any]], directed: bool
) -> tuple[Graph, list[Any]]:
    numbers = {node: number for number, node in enumerate(nodes)}
    # Nodes that are their own numbers need no names.
    names = [] if nodes == list(range(len(nodes))) else [str(node) for node in nodes]
    ends = [numbers[a] for a, _ in links], [numbers[b] for _, b in links]
    return (name, len(nodes), names, *ends, directed), nodes


def _of_frame(frame: Any, name: str) -> tuple[Graph, list[Any] | None]:
    """Read a data frame of pandas or polars, if there is only one way to read it."""
    columns, rows = list(frame.columns), len(frame)
    plain = [re.sub("[^a-z0-9]", "", str(column).lower()) for column in columns]
    ends = [(plain.index(a), plain.index(b)) for a, b in ENDS if plain.count(a) == plain.count(b) == 1]
    index = list(frame.index) if hasattr(frame, "index") else None
    is_matrix = index == columns
    # Two columns without names of ends are those of links, too.
    if not ends and len(columns) == 2:
        ends = [(0, 1)]
    if is_matrix and not ends:
        values = frame.to_numpy()
        entries = [(columns[a], columns[b]) for a, b in zip(*_nonzero(values))]
        present = set(entries)
        directed = any((b, a) not in present for a, b in present)
        order = {column: number for number, column in enumerate(columns)}
        links = entries if directed else [(a, b) for a, b in entries if order[a] <= order[b]]
        return _of_links(name, columns, links, directed)
    if len(ends) != 1 or is_matrix:
        raise ValueError(
            f"topology: a data frame of {rows} rows with the columns {', '.join(map(str, columns))} is "
            "not read: name the two columns with the ends of links 'source' and 'target', and give an "
            "adjacency matrix as an array, or with the nodes as its index and its columns"
        )
    first, second = (_column(frame, number) for number in ends[0])
    links = list(zip(first, second))
    for row, link in enumerate(links):
        # Only what is missing is not itself.
        if any(end is None or end != end for end in link):
            raise ValueError(f"topology: row {row} of the data frame lacks an end of its link")
    nodes = list(dict.fromkeys(end for link in links for end in link))
    return _of_links(name, nodes, links, False)


def _column(frame: Any, number: int) -> list[Any]:
    values: list[Any]
    if hasattr(frame, "iloc"):
        values = frame.iloc[:, number].tolist()
    else:
        values = frame.to_series(number).to_list()
    return values


def _of_matrix(matrix: Any, name: str) -> Graph:
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        shape = " x ".join(str(length) for length in matrix.shape)
        raise ValueError(f"an adjacency matrix has a row and a column for each node, not {shape}")
    if hasattr(matrix, "tocoo"):
        entries = matrix.tocoo()
        present = entries.data != 0
        rows, columns = entries.row[present].tolist(), entries.col[present].tolist()
    else:
        rows, columns = (list(ends) for ends in _nonzero(matrix))
    entries = set(zip(rows, columns))
    directed = any((b, a) not in entries for a, b in entries)
    links = sorted(entries if directed else ((a, b) for a, b in entries if a <= b))
    return name, matrix.shape[0], [], [a for a, _ in links], [b for _, b in links], directed


def _nonzero(array: Any) -> tuple[list[int], list[int]]:
    rows, columns = array.__array__().nonzero()
    return rows.tolist(), columns.tolist()
