"""The recipes of examples/ensembles give the report of one run of all seeds, byte for byte."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, binary

RECIPES = ROOT / "examples" / "ensembles"
# Elections of the second one break a property: their reports are added up like others.
COMMANDS = [
    ["compare", "--topology", "ring", "--nodes", "8,16"],
    ["elect", "villadangos@published", "--nodes", "6", "--schedule", "random"],
]


def run(*words, **environment):
    return subprocess.run(
        [str(word) for word in words],
        env={**os.environ, "SUFFRAGE": str(binary()), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(params=COMMANDS, ids=["kept", "broken"])
def command(request):
    return request.param


@pytest.fixture
def whole(command: list[str]):
    """The exit code and the report of one run of all seeds."""
    said = run(binary(), *command, "--seeds", "1..25", "--format", "json")
    assert said.returncode == COMMANDS.index(command)
    return said.returncode, said.stdout


def test_an_array_job_of_slurm(tmp_path: Path, command: list[str], whole: tuple[int, str]):
    # What sbatch does: a shell for each task, which knows its number.
    for task in range(4):
        said = run(RECIPES / "slurm", 25, 4, tmp_path, *command, SLURM_ARRAY_TASK_ID=str(task))
        assert said.returncode == 0, said.stderr
    parts = sorted(tmp_path.iterdir())
    assert len(parts) == 4
    merged = run(binary(), "merge", "--format", "json", *parts)
    assert (merged.returncode, merged.stdout) == whole
    parts[1].unlink()
    missing = run(binary(), "merge", *tmp_path.iterdir())
    assert missing.returncode == 2 and "are missing" in missing.stderr


def test_more_tasks_than_seeds_leave_some_with_nothing(tmp_path: Path):
    said = run(RECIPES / "slurm", 2, 4, tmp_path, *COMMANDS[0], SLURM_ARRAY_TASK_ID="3")
    assert said.returncode == 0 and not list(tmp_path.iterdir())


def has_gnu_parallel() -> bool:
    """Whether `parallel` is GNU's: moreutils has another program of this name."""
    if shutil.which("parallel") is None:
        return False
    said = subprocess.run(["parallel", "--version"], capture_output=True, text=True)
    return said.stdout.startswith("GNU parallel")


@pytest.mark.skipif(not has_gnu_parallel(), reason="GNU parallel is not installed")
def test_gnu_parallel(tmp_path: Path, command: list[str], whole: tuple[int, str]):
    said = run(RECIPES / "gnu-parallel", 25, 4, tmp_path, *command)
    assert (said.returncode, said.stdout) == whole, said.stderr


def test_dask(command: list[str], whole: tuple[int, str]):
    pytest.importorskip("distributed", reason="Dask is not installed")
    said = run(sys.executable, RECIPES / "on_dask.py", 25, 4, *command)
    assert (said.returncode, said.stdout) == whole, said.stderr


def test_wrong_words_are_told_what_is_right(tmp_path: Path):
    for words in (["slurm", 3], ["gnu-parallel", 3]):
        said = run(RECIPES / words[0], *words[1:])
        assert said.returncode == 2 and "SEEDS TASKS FOLDER COMMAND.." in said.stderr
