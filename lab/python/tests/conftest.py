"""The command line, with which the package is compared."""

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# A shell starts what it runs in the background with interrupts ignored: by these tests and their kernels, too.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parents[3]


def binary() -> Path:
    """Return the command `suffrage`: that of the variable SUFFRAGE, or the one that cargo built."""
    if given := os.environ.get("SUFFRAGE"):
        return Path(given)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "suffrage"


@pytest.fixture
def command() -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Return a function that runs a command line."""

    def run(line: str) -> subprocess.CompletedProcess[str]:
        words = shlex.split(line)
        assert words[0] == "suffrage"
        return subprocess.run(
            [binary(), *words[1:]], capture_output=True, text=True, check=False
        )

    return run


@pytest.fixture
def report(command: Callable[[str], subprocess.CompletedProcess[str]]) -> Callable[[str], Any]:
    """Return a function that runs a command line and reads its JSON."""
    return lambda line: json.loads(command(line).stdout)
