"""Networks are graphs of networkx, sparse matrices of SciPy and arrays of NumPy."""

import pytest

import suffrage

networkx = pytest.importorskip("networkx")
numpy = pytest.importorskip("numpy")
sparse = pytest.importorskip("scipy.sparse")


def costs(result):
    return result["messages"], result["leader"]["node"], result["time"]


def test_a_graph_is_the_network_of_its_file(tmp_path):
    graph = networkx.random_regular_graph(3, 30, seed=1)
    file = tmp_path / "graph.edges"
    # Nodes are numbered as the file mentions them.
    graph = networkx.relabel_nodes(networkx.convert_node_labels_to_integers(graph), str)
    lines = [*graph.nodes, *(f"{a} {b}" for a, b in graph.edges)]
    file.write_text("\n".join(lines) + "\n")
    flags = {"ports": "random", "schedule": "uniform:10", "initiators": 4, "seed": 5}
    of_graph = suffrage.elect("echo-extinction", graph, **flags)
    of_file = suffrage.elect("echo-extinction", file, topology_format="edge-list", **flags)
    assert costs(of_graph) == costs(of_file)


def test_nodes_keep_their_names():
    cities = networkx.Graph([("Praha", "Brno"), ("Praha", "Plzeň"), ("Brno", "Ostrava")])
    result = suffrage.elect("tree-wave", cities, initiators=["Ostrava", "Plzeň"], ids=[4, 1, 3, 2])
    assert result["leader"]["label"] == "Brno"
    cities.name = "cities"
    assert suffrage.elect("tree-wave", cities)["network"]["source"] == "cities"


def test_numbers_tell_nodes_of_the_same_name_apart():
    graph = networkx.Graph([(1, "1"), ("1", 2)])
    assert suffrage.elect(topology=graph)["network"]["nodes"] == 3


def test_a_matrix_is_the_graph_that_it_stands_for():
    graph = networkx.grid_2d_graph(4, 5)
    array = networkx.to_numpy_array(graph)
    results = [
        suffrage.elect("echo-extinction", network, seed=3)
        for network in (
            networkx.convert_node_labels_to_integers(graph),
            networkx.to_scipy_sparse_array(graph),
            sparse.csr_matrix(array),
            array,
        )
    ]
    assert [costs(result) for result in results] == [costs(results[0])] * 4


def test_nodes_keep_their_types():
    graph = networkx.path_graph([30, 10, (2, "b")])
    result = suffrage.elect("tree-wave", graph, ids=[2, 1, 3], initiators=[30])
    assert graph.nodes[result["leader"]["label"]] == {}
    assert {type(result["leader"]["label"]), type(result["busiest"]["label"])} <= {int, tuple}
    # Nodes that are their own numbers, and two that are written alike.
    numbered = suffrage.elect("tree-wave", networkx.path_graph(4))["leader"]
    assert numbered["label"] == numbered["node"]
    alike = suffrage.elect("tree-wave", networkx.Graph([(1, "1"), ("1", 2)]), ids=[2, 1, 3])
    assert alike["leader"]["label"] == "1"
    parted = networkx.Graph([(7, 5), (1, 2), (2, 3)])
    kept = suffrage.elect("tree-wave", parted, largest_component=True)["leader"]["label"]
    assert kept in (1, 2, 3)


def test_a_data_frame_has_links_or_is_a_matrix():
    pandas = pytest.importorskip("pandas")
    links = [("Praha", "Brno"), ("Praha", "Kladno"), ("Brno", "Ostrava")]
    graph = networkx.Graph(links)
    expected = costs(suffrage.elect("tree-wave", graph, seed=3))
    named = pandas.DataFrame([(1, *link) for link in links], columns=["weight", "Source", "Target"])
    for frame in (named, pandas.DataFrame(links), pandas.DataFrame(links, columns=["here", "there"])):
        result = suffrage.elect("tree-wave", frame, seed=3)
        assert costs(result) == expected and result["leader"]["label"] in graph
    matrix = networkx.to_pandas_adjacency(graph)
    assert costs(suffrage.elect("tree-wave", matrix, seed=3)) == expected
    # Two rows and two columns, which would be a matrix with two loops.
    two = pandas.DataFrame({"source": [0, 1], "target": [1, 2]})
    network = suffrage.elect("tree-wave", two)["network"]
    assert (network["nodes"], network["links"], network.get("notes") or []) == (3, 2, [])


def test_a_data_frame_of_polars_has_links():
    polars = pytest.importorskip("polars")
    links = [("Praha", "Brno"), ("Praha", "Kladno"), ("Brno", "Ostrava")]
    expected = costs(suffrage.elect("tree-wave", networkx.Graph(links), seed=3))
    frame = polars.DataFrame([(1, *link) for link in links], schema=["n", "From", "To"], orient="row")
    result = suffrage.elect("tree-wave", frame, seed=3)
    assert costs(result) == expected and result["leader"]["label"] in {"Praha", "Brno"}
    # Two rows of numbers, which would be a matrix.
    two = suffrage.elect("tree-wave", polars.DataFrame({"x": [5, 1], "y": [1, 7]}))
    assert two["network"]["links"] == 2 and type(two["leader"]["label"]) is int
    with pytest.raises(TypeError, match="its collect"):
        suffrage.elect("tree-wave", frame.lazy())
    with pytest.raises(ValueError, match="row 0 of the data frame lacks an end"):
        suffrage.elect("tree-wave", polars.DataFrame({"source": [None, 1], "target": [1, 2]}))


def test_a_data_frame_that_can_be_read_in_two_ways_is_refused():
    pandas = pytest.importorskip("pandas")
    for frame in (
        pandas.DataFrame([(0, 1), (1, 2)]),
        pandas.DataFrame([(1, 0, 1)], columns=["a", "b", "c"]),
        pandas.DataFrame([(1, 2, 3, 4)], columns=["source", "target", "from", "to"]),
        pandas.DataFrame([(1, 2, 3)], columns=["source", "target", "source"]),
    ):
        with pytest.raises(ValueError, match="name the two columns with the ends of links"):
            suffrage.elect(topology=frame)
    with pytest.raises(ValueError, match="row 1 of the data frame lacks an end"):
        suffrage.elect(topology=pandas.DataFrame({"from": ["a", None], "to": ["b", "a"]}))


def test_a_direction_is_noted_and_ignored():
    ring = networkx.cycle_graph(6, create_using=networkx.DiGraph)
    result = suffrage.elect("franklin", ring)
    assert "6 directed edges taken as two-way" in result["network"]["notes"]
    upper = numpy.triu(networkx.to_numpy_array(networkx.cycle_graph(6)))
    assert suffrage.elect("franklin", upper)["network"]["links"] == 6


def test_graphs_are_compared_checked_and_populated():
    path, star = networkx.path_graph(6), networkx.star_graph(5)
    rows = suffrage.compare("tree-wave", [path, star, "path:6"], trials=3)
    assert [row["network"] for row in rows] == ["graph", "graph-2", "path:6"]
    assert suffrage.check("tree-wave", networkx.path_graph(3), all_ids=True).held
    assert suffrage.population("epidemic", topology=star)["agents"] == 6


def test_a_graph_that_is_not_connected_is_refused():
    parted = networkx.Graph([(0, 1), (1, 2), (3, 4)])
    with pytest.raises(ValueError, match="graph is not connected, it has 2 components"):
        suffrage.elect("tree-wave", parted)
    assert suffrage.elect("tree-wave", parted, largest_component=True)["network"]["nodes"] == 3
    with pytest.raises(ValueError, match="graph holds no nodes"):
        suffrage.elect(topology=networkx.Graph())
    with pytest.raises(ValueError, match="2 x 3"):
        suffrage.elect(topology=numpy.ones((2, 3)))
