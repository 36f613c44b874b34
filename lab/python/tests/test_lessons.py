"""The notebook of each lesson runs, and its exercise is done by its solution, and not before."""

import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

LEARN = pathlib.Path(__file__).parents[3] / "docs" / "learn"

# The exercises that are assignments of the course.
ASSIGNMENTS = {
    "chang-roberts": 1,
    "itai-rodeh": 2,
    "franklin": 3,
    "all-to-all": 4,
    "tree-wave": 5,
    "echo-extinction": 6,
    "flood-max": 7,
}


def made():
    """Return the program that makes notebooks."""
    about = importlib.util.spec_from_file_location("make", LEARN / "notebooks" / "make.py")
    module = importlib.util.module_from_spec(about)
    about.loader.exec_module(module)
    return module


LESSONS = made().lessons()


def test_each_lesson_has_a_notebook():
    summary = (LEARN / "book" / "src" / "SUMMARY.md").read_text(encoding="utf-8")
    assert LESSONS == sorted(re.findall(r"- \[.*\]\((.*)\.md\)", summary))


def test_notebooks_are_written_without_outputs(tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    subprocess.run([sys.executable, LEARN / "notebooks" / "make.py", tmp_path], check=True)
    assert sorted(file.stem for file in tmp_path.iterdir()) == LESSONS
    for file in tmp_path.iterdir():
        notebook = nbformat.read(file, as_version=4)
        nbformat.validate(notebook)
        assert not any(cell.get("outputs") for cell in notebook.cells)
        linked = re.findall(r"]\((.*?)\)", "".join(cell.source for cell in notebook.cells))
        assert linked and all((tmp_path / link).resolve().exists() for link in linked)


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_notebook_runs_and_its_exercise_can_be_done(lesson):
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    pytest.importorskip("ipykernel", reason="there is no kernel of Jupyter")
    text = (LEARN / "notebooks" / f"{lesson}.py").read_text(encoding="utf-8")
    number = ASSIGNMENTS.get(lesson)
    name = f"assignment-{number}" if number else f"notebook-{lesson}"
    solution = (LEARN / "course" / "solutions" / f"{name}.py").read_text(encoding="utf-8")
    titles = [title for title, _ in made().cells(text)]
    assert titles[-3:] == ["exercise", "[markdown]", "check"]
    check = list(made().cells(text))[-1][1]
    text += f"\n# %%\nassert not done\n\n# %%\n{solution}\n# %%\n{check}\n\n# %%\nassert done\n"
    notebook = nbformat.from_dict(made().notebook(text))
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    # What a student sees: a page that plays the run.
    if "suffrage.watch(" in text:
        shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
        assert any("text/html" in output.get("data", {}) for output in shown)
