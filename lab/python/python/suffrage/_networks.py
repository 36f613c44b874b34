"""Networks from graphs and matrices."""

from __future__ import annotations

from typing import Any, TypeAlias

Graph: TypeAlias = "tuple[str, int, list[str], list[int], list[int], bool]"
"""A name, the number of nodes, their names or none, the two ends of each link, and whether links have a
direction."""

GRAPH = "graph"
"""What a graph without a name is called in reports and messages."""


def graph(network: object, number: int) -> Graph | None:
    """Return the nodes and links of a graph of networkx, a sparse matrix or an array.

    ``number`` tells graphs without a name apart. Return ``None`` if it is none of these.
    """
    name = GRAPH if number == 0 else f"{GRAPH}-{number + 1}"
    if hasattr(network, "adj") and hasattr(network, "is_directed"):
        return _of_networkx(network, name)
    if hasattr(network, "tocoo") or hasattr(network, "__array__"):
        return _of_matrix(network, name)
    return None


def _of_networkx(network: Any, name: str) -> Graph:
    nodes = list(network.nodes)
    numbers = {node: number for number, node in enumerate(nodes)}
    # Nodes that are their own numbers need no names.
    names = [] if nodes == list(range(len(nodes))) else [str(node) for node in nodes]
    ends = [(numbers[a], numbers[b]) for a, b in network.edges()]
    # What has a comma in it would be several networks.
    name = str(network.name or name).replace(",", " ")
    links = ([a for a, _ in ends], [b for _, b in ends])
    return name, len(nodes), names, *links, network.is_directed()


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
