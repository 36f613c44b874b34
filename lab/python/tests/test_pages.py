"""A page is that of the command line, and a notebook shows it."""

import pickle

import pytest

import suffrage


@pytest.mark.parametrize(
    ("run", "line"),
    [
        (
            lambda: suffrage.elect("chang-roberts", nodes=6, seed=2),
            "elect chang-roberts --nodes 6 --seed 2",
        ),
        (
            lambda: suffrage.check("villadangos@published", nodes=3),
            "check villadangos@published --nodes 3",
        ),
        (
            lambda: suffrage.tenure_simulate(faults=["crash"], duration="5s"),
            "tenure simulate --faults crash --duration 5s",
        ),
    ],
)
def test_a_page_is_that_of_the_command(run, line, command, tmp_path):
    file = tmp_path / "run.html"
    done = command(f"suffrage watch {line} --html {file}")
    assert file.exists(), done.stderr
    assert suffrage.watch(run()).html == file.read_text(encoding="utf-8")


def test_a_page_of_a_file_of_a_run(tmp_path):
    file, page = tmp_path / "run.jsonl", tmp_path / "run.html"
    suffrage.elect("humblet", nodes=5, trace=file)
    suffrage.watch(file).save(page)
    assert page.read_text(encoding="utf-8") == suffrage.watch(file).html


def test_a_page_names_the_nodes_of_a_graph():
    networkx = pytest.importorskip("networkx")
    cities = networkx.Graph([("Praha", "Brno"), ("Praha", "Kladno"), ("Brno", "Ostrava")])
    page = suffrage.watch(suffrage.elect("tree-wave", cities))
    assert "tree-wave" in page.html


def test_a_result_that_was_kept_has_a_page():
    election = suffrage.elect("lelann", nodes=4)
    again = pickle.loads(pickle.dumps(election))
    assert again == election
    assert suffrage.watch(again).html == suffrage.watch(election).html


def test_a_notebook_shows_a_page_in_a_frame():
    page = suffrage.watch(suffrage.elect("lelann", nodes=4))
    shown = page._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    # Nothing of the page ends the attribute.
    assert shown.count('"') == 6


def test_a_drawing_is_that_of_the_command(command, tmp_path):
    file = tmp_path / "run.jsonl"
    election = suffrage.elect("humblet", nodes=5, trace=file)
    flags = {"format": "svg", "processes": [0, 1, 2], "window": range(0, 5)}
    line = f"suffrage draw {file} --format svg --processes 0,1,2 --window 0..4"
    expected = command(line).stdout
    assert expected.startswith("<svg")
    for run in (file, election):
        assert suffrage.draw(run, **flags).text == expected
    picture = suffrage.draw(election)
    picture.save(tmp_path / "run.txt")
    assert str(picture) == (tmp_path / "run.txt").read_text(encoding="utf-8")
    assert picture._repr_html_().startswith("<pre")
    with pytest.raises(ValueError, match="no message is of the kind `tocken`"):
        suffrage.draw(election, kinds="tocken")


def test_a_plot_is_that_of_the_command(command, tmp_path):
    rows = suffrage.compare(["lelann", "peterson"], "ring", nodes=[10, 20], trials=3)
    file = tmp_path / "ring.json"
    file.write_text(command(f"{rows[0]['command']}").stdout, encoding="utf-8")
    flags = {"figure": "time", "title": "rings", "per_node": True}
    expected = command(f"suffrage plot {file} --figure time --title rings --per-node").stdout
    assert expected.startswith("<svg")
    for results in (rows, file, [rows]):
        assert suffrage.plot(results, **flags)._repr_html_() == expected
    assert "tikzpicture" in str(suffrage.plot(rows, format="tikz"))
    assert str(suffrage.plot(rows, format="pdf")).startswith("%PDF")
    trials = suffrage.elect("lelann", nodes=10, trials=5)
    assert suffrage.plot(trials, kind="histogram").format == "svg"
    with pytest.raises(ValueError, match="'weather' for 'figure"):
        suffrage.plot(rows, figure="weather")


def test_what_has_no_run_has_no_page():
    with pytest.raises(ValueError, match="only elect, check and tenure_simulate have runs"):
        suffrage.watch(suffrage.population("epidemic", 100))
    with pytest.raises(ValueError, match="missing.jsonl"):
        suffrage.watch("missing.jsonl")
    with pytest.raises(ValueError, match="trials"):
        suffrage.watch(suffrage.elect("lelann", nodes=4, trials=3))
