"""on_dask.py SEEDS TASKS COMMAND..: holds the elections of seeds 1 to SEEDS in TASKS tasks of Dask, and prints the
report of all. DASK_SCHEDULER_ADDRESS names a running cluster; without it there is one on this machine. The command
`suffrage`, or that of the variable SUFFRAGE, is needed on every machine.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from distributed import Client

SUFFRAGE = os.environ.get("SUFFRAGE", "suffrage")


def part(command: list[str], first: int, last: int) -> str:
    """Return the report of these seeds."""
    words = [SUFFRAGE, *command, "--seeds", f"{first}..{last}", "--threads", "1", "--format", "json"]
    run = subprocess.run(words, capture_output=True, text=True, check=False)
    # A report of elections that broke a property is a report, too.
    if run.returncode > 1:
        raise RuntimeError(run.stderr)
    return run.stdout


def main() -> int:
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    seeds, tasks, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    each = -(-seeds // tasks)
    ranges = [(first, min(first + each - 1, seeds)) for first in range(1, seeds + 1, each)]
    with Client() as client, tempfile.TemporaryDirectory() as folder:
        parts = client.gather([client.submit(part, command, *range) for range in ranges])
        files = [Path(folder, f"{first}..{last}.json") for first, last in ranges]
        for file, report in zip(files, parts):
            file.write_text(report)
        return subprocess.run([SUFFRAGE, "merge", "--format", "json", *files], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
