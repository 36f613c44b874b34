"""The functions are the commands of the command line."""

import inspect
import re
from pathlib import Path

import pytest

import suffrage

RUNS = {
    "an election": lambda: suffrage.elect("humblet", nodes=100, seed=7, ports="random"),
    "the algorithm that is chosen": lambda: suffrage.elect(topology="grid:4x5"),
    "an election with faults": lambda: suffrage.elect(
        "humblet", nodes=300, schedule="uniform:10", fault=["no-fifo", "loss:1%"]
    ),
    "initiators and identities": lambda: suffrage.elect(
        "chang-roberts", nodes=5, initiators=[0, 3], ids=[30, 10, 50, 20, 40]
    ),
    "trials": lambda: suffrage.elect("franklin", nodes=20, trials=30, schedule="random"),
    "one seed after the other": lambda: suffrage.elect("franklin", nodes=20, seeds=range(5, 9)),
    "all schedules": lambda: suffrage.check("chang-roberts", nodes=4),
    "an error of a source": lambda: suffrage.check("villadangos@published", nodes=3),
    "random schedules": lambda: suffrage.check("humblet", nodes="5..8", sample=50),
    "random schedules by their seeds": lambda: suffrage.check(
        "humblet", nodes="5..8", seeds=range(5, 30)
    ),
    "a population": lambda: suffrage.population("self-terminating", 1e3, trials=20),
    "agents on a network": lambda: suffrage.population("epidemic", topology="grid:5x5"),
    "leadership": lambda: suffrage.tenure_simulate(
        faults=["crash", "split"], duration="20s", trials=2, members=3
    ),
    "leadership by seeds": lambda: suffrage.tenure_simulate(
        faults="crash", duration="20s", seeds=range(5, 8)
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_result_is_that_of_its_command(name, report):
    result = RUNS[name]()
    assert result == report(result["command"])


def test_rows_are_those_of_their_command(report):
    rows = suffrage.compare(
        ["chang-roberts", "franklin"], "ring", nodes=[10, 20], schedule=["synchronous", "random"]
    )
    assert len(rows) == 8
    assert rows == report(rows[0]["command"])


def test_a_broken_property_is_a_result():
    assert suffrage.check("lelann", nodes=3).held
    broken = suffrage.check("villadangos@published", nodes=3)
    assert not broken.held


@pytest.mark.parametrize(
    "line, refused",
    [
        ("suffrage elect humblet --nodes 0", lambda: suffrage.elect("humblet", nodes=0)),
        ("suffrage elect humblett", lambda: suffrage.elect("humblett")),
        (
            "suffrage elect humblet --topology ring:10",
            lambda: suffrage.elect("humblet", "ring:10"),
        ),
        (
            "suffrage elect humblet --schedule soon",
            lambda: suffrage.elect("humblet", schedule="soon"),
        ),
        (
            "suffrage check humblet --nodes 5 --fault loss:5%",
            lambda: suffrage.check("humblet", nodes=5, fault="loss:5%"),
        ),
        ("suffrage elect humblet --seed=-1", lambda: suffrage.elect("humblet", seed=-1)),
        (
            "suffrage tenure simulate --faults lightning",
            lambda: suffrage.tenure_simulate(faults="lightning"),
        ),
        (
            "suffrage population epidemic --agents 10 --margin 3",
            lambda: suffrage.population("epidemic", 10, margin=3),
        ),
    ],
)
def test_what_cannot_be_used_is_refused_for_the_same_reason(line, refused, command):
    with pytest.raises(ValueError) as caught:
        refused()
    said = command(line)
    assert said.returncode == 2
    # In front of the reason are the argument and its value.
    assert "--" not in str(caught.value)
    assert str(caught.value).rsplit(": ", 1)[-1] in said.stderr.replace("--", "")


def test_errors_name_arguments():
    for refused, why in [
        (lambda: suffrage.elect("humblet", "ring:3", nodes=3), "^topology and nodes: leave one"),
        (lambda: suffrage.compare("lelann", class_="ring", nodes=5), "^class_ is for all .*out algo"),
        (lambda: suffrage.elect("lelann", nodes=4, topology_format="gml"), "^topology_format is for"),
        (lambda: suffrage.draw("run.jsonl", format="svgg"), "'svgg' for 'format"),
    ]:
        with pytest.raises(ValueError, match=why) as caught:
            refused()
        assert "--" not in str(caught.value)


def test_what_is_no_network_is_refused():
    with pytest.raises(TypeError, match="a dict is no network"):
        suffrage.elect("humblet", {0: [1]})
    with pytest.raises(ValueError, match="unknown field `colour`"):
        suffrage.elect("humblet", colour="red")
    with pytest.raises(TypeError, match="network: a object is neither a text nor a number"):
        suffrage.elect("humblet", network=object())


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    rows = suffrage.compare("lelann", "ring", nodes=numpy.array([5, 7]), trials=numpy.int64(3))
    assert rows == suffrage.compare("lelann", "ring", nodes=[5, 7], trials=3)
    assert suffrage.elect("lelann", nodes=numpy.float64(5)) == suffrage.elect("lelann", nodes=5)


def test_each_keeps_the_trials(report):
    result = suffrage.elect("chang-roberts", nodes=10, trials=5, each=True)
    assert [trial["trial"] for trial in result.each] == [0, 1, 2, 3, 4]
    assert result == report(result["command"])
    rows = suffrage.compare(["lelann", "peterson"], "ring", nodes=10, trials=3, each=True)
    assert len(rows) == 2 and len(rows.each) == 6


def test_reports_and_trials_are_data_frames():
    pandas = pytest.importorskip("pandas")
    rows = suffrage.compare(["lelann", "peterson"], "ring", nodes=[10, 20], trials=3, each=True)
    frame = rows.frame()
    assert list(frame["algorithm"]) == [row["algorithm"] for row in rows]
    assert len(rows.frame_of_trials()) == 12
    one = suffrage.elect("lelann", nodes=10).frame()
    assert len(one) == 1 and one["messages.total"][0] > 0
    many = suffrage.elect("lelann", nodes=10, trials=4, each=True).frame()
    assert isinstance(many, pandas.DataFrame) and len(many) == 4
    with pytest.raises(ValueError, match="each=True"):
        suffrage.compare("lelann", "ring", nodes=10, trials=3).frame_of_trials()


def test_the_catalogue_is_a_list(report):
    rows = suffrage.algorithms(network="ring", anonymous=True)
    assert rows == report("suffrage algorithms --network ring --anonymous --format json")
    assert len(rows.frame()) == len(rows) > 1
    one = suffrage.algorithms("humblet", source=True)
    assert one == report("suffrage algorithms humblet --source --format json")
    with pytest.raises(ValueError, match="humblett"):
        suffrage.algorithms("humblett")


def test_a_notebook_shows_results_as_tables():
    election = suffrage.elect("lelann", nodes=10)
    shown = election._repr_html_()
    assert shown.count("<tr>") == shown.count("</tr>") > 10 and "messages.total" in shown
    rows = suffrage.compare(["lelann", "peterson"], "ring", nodes=[10, 20], trials=3)
    assert rows._repr_html_().count("<tr>") == 5


@pytest.mark.filterwarnings("ignore::suffrage.SuffrageWarning")
def test_remarks_are_warnings():
    with pytest.warns(suffrage.SuffrageWarning, match="left out: l(elann|yndon-word)"):
        suffrage.compare(topology="ring", nodes=32_000, trials=1)


@pytest.mark.parametrize(
    "function, line",
    [
        (suffrage.elect, "elect"),
        (suffrage.compare, "compare"),
        (suffrage.check, "check"),
        (suffrage.population, "population"),
        (suffrage.tenure_simulate, "tenure simulate"),
        (suffrage.algorithms, "algorithms"),
        (suffrage.draw, "draw"),
        (suffrage.plot, "plot"),
    ],
)
def test_arguments_are_flags(function, line, command):
    """So that an argument whose flag is gone or has another name is noticed."""
    flags = set(re.findall(r"^ +(?:-\w, )?--([\w-]+)", command(f"suffrage {line} --help").stdout, re.M))
    arguments = {name.rstrip("_").replace("_", "-") for name in inspect.signature(function).parameters}
    positional = {"algorithm", "protocol", "name", "run", "results"} - flags
    assert arguments - flags - positional <= {"progress", "more"}
    # What shows something on a terminal, or stands for arguments, is for the command alone; pictures save
    # themselves, and what is known of an algorithm has its entry of BibTeX.
    alone = {"help", "format", "draw", "example", "print-spec", "out", "bibtex", "export"}
    assert flags - arguments <= alone, "not among the arguments"


def test_files_are_written(tmp_path: Path):
    trace = tmp_path / "run.jsonl"
    first = suffrage.elect("franklin", nodes=8, schedule="random", trace=trace)
    again = suffrage.elect("franklin", nodes=8, schedule=f"replay:{trace}")
    assert first["messages"] == again["messages"]
