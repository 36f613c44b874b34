#!/usr/bin/env python3
"""Lays Suffrage beside distributed-framework, a collection of election programs in Go.

    benches/distributed_framework.py --clone PATH --go PATH --suffrage PATH

Holds the same elections with both, for the algorithms that both have: processes on a network of the
same shape, with the same identities in the same order, all of which start at once. For each it prints
the messages that each counted, as means over the seeds, of ours those of the election and those of the
announcement apart, and the milliseconds that each took, as medians. Theirs count what is received, and
not what is under way to a process that has ended. Random choices, port numberings and schedules are
not the same. It is not part of the tests: it needs a clone of https://github.com/krzysztof-turowski/distributed-framework,
a Go tool chain, and the command `suffrage` (`cargo build --release -p suffrage-cli`).

The clone is not changed: a program that calls its packages is built in a temporary folder.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

MODULE = "github.com/krzysztof-turowski/distributed-framework"


class Row(NamedTuple):
    """An algorithm of both."""

    ours: str
    package: str
    """Their package, below `leader/`."""
    call: str
    """How it is called: `n` is the number of processes."""
    topology: str


def on(build: str) -> str:
    return f"on(lib.{build}(n))"


ROWS = [
    Row("chang-roberts", "directed_ring/sync_chang_roberts", "it.Run(n)", "ring"),
    Row("dolev-klawe-rodeh", "directed_ring/sync_dolev_klawe_rodeh", "it.RunA(n)", "ring"),
    Row("dolev-klawe-rodeh", "directed_ring/sync_peterson", "it.Run(n)", "ring"),
    Row("itai-rodeh", "directed_ring/sync_itai_rodeh", "it.Run(n)", "ring"),
    Row("itai-rodeh", "directed_ring/async_itah_rodeh", "it.Run(n)", "ring"),
    Row("itai-rodeh", "directed_ring/async_itai_rodeh_2", "it.Run(n)", "ring"),
    Row("higham-przytycka", "directed_ring/async_higham_przytycka", "it.Run(n)", "ring"),
    Row("franklin", "undirected_ring/sync_franklin", "it.Run(n)", "ring"),
    Row("franklin", "undirected_ring/sync_franklin_2", "it.Run(n)", "ring"),
    Row("franklin", "undirected_ring/async_franklin", on("BuildRing"), "ring"),
    Row("hirschberg-sinclair", "undirected_ring/sync_hirschberg_sinclair", "it.Run(n)", "ring"),
    Row("hirschberg-sinclair", "undirected_ring/async_hirschberg_sinclair", "it.Run(n)", "ring"),
    Row(
        "stages-with-feedback",
        "undirected_ring/async_stages_with_feedback",
        on("BuildRing"),
        "ring",
    ),
    Row(
        "probabilistic-franklin",
        "undirected_ring/async_probabilistic_franklin",
        "it.Run(n, n)",
        "ring",
    ),
    Row("humblet", "clique/async_humblet", on("BuildCompleteGraph"), "complete"),
    Row("afek-gafni", "clique/async_afek_gafni_b", on("BuildCompleteGraph"), "complete"),
    Row(
        "korach-moran-zaks",
        "clique/async_korach_moran_zaks",
        on("BuildCompleteGraph"),
        "complete",
    ),
    Row(
        "loui-matsushita-west",
        "clique/async_loui_matsushita_west",
        on("BuildHamiltonianOrientedCompleteGraph"),
        "complete",
    ),
]

# Holds one election. Their networks draw the identities first, one for each process in order.
MAIN = """package main

import (
	"fmt"
	"io"
	"log"
	"math/rand"
	"os"
	"strconv"
	"time"

	it "{module}/leader/{package}"
	{lib}
)

func main() {{
	log.SetOutput(io.Discard)
	n, _ := strconv.Atoi(os.Args[1])
	seed, _ := strconv.ParseInt(os.Args[2], 10, 64)
	rand.Seed(seed)
	for i := 0; i < n; i++ {{
		fmt.Println("id", rand.Int())
	}}
	rand.Seed(seed)
	{on}
	start := time.Now()
	messages, _ := {call}
	fmt.Println("messages", messages)
	fmt.Println("nanoseconds", time.Since(start).Nanoseconds())
}}
"""

ON = """on := func(nodes []lib.Node, runner lib.Runner) (int, int) { return it.Run(nodes, runner) }"""


def fail(message: str) -> None:
    sys.exit(f"distributed_framework.py: {message}")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clone", required=True, type=Path, help="a clone of distributed-framework")
    parser.add_argument("--go", default="go", help="the program `go` [default: the one in PATH]")
    parser.add_argument(
        "--suffrage", default="target/release/suffrage", help="the command of this project"
    )
    parser.add_argument("--nodes", default="100,300,1000", help="numbers of processes")
    parser.add_argument("--seeds", default=5, type=int, help="elections of each")
    parser.add_argument("--limit", default=60.0, type=float, help="seconds for one of theirs")
    parser.add_argument("--only", help="names of algorithms of ours, separated by commas")
    args = parser.parse_args()
    if not (args.clone / "lib" / "lib_runner.go").is_file():
        fail(
            f"--clone {args.clone}: no distributed-framework is there; "
            f"`git clone https://{MODULE}` makes one"
        )
    for flag, program, where in [
        ("--go", args.go, "install Go 1.21 or later (https://go.dev/dl)"),
        ("--suffrage", args.suffrage, "`cargo build --release -p suffrage-cli` builds it"),
    ]:
        if shutil.which(program) is None:
            fail(f"{flag} {program}: no such program; {where}")
    try:
        args.nodes = [int(nodes) for nodes in args.nodes.split(",")]
    except ValueError:
        fail(f"--nodes {args.nodes}: write numbers, separated by commas")
    known = {row.ours for row in ROWS}
    args.only = set(args.only.split(",")) if args.only else known
    if unknown := sorted(args.only - known):
        fail(f"--only {','.join(unknown)}: not among those of both: {', '.join(sorted(known))}")
    return args


def build(row: Row, args: argparse.Namespace, folder: Path) -> tuple[Path | None, str]:
    """Builds the program of a row. Returns it, or why it cannot be built."""
    home = folder / row.package
    home.mkdir(parents=True, exist_ok=True)
    uses_lib = row.call.startswith("on(")
    text = MAIN.format(
        module=MODULE,
        package=row.package,
        lib=f'"{MODULE}/lib"' if uses_lib else "",
        on=ON if uses_lib else "",
        call=row.call,
    )
    (home / "main.go").write_text(text)
    (home / "go.mod").write_text(
        f"module beside\n\ngo 1.19\n\nrequire {MODULE} v0.0.0\n\n"
        f"replace {MODULE} => {args.clone.resolve()}\n"
    )
    done = subprocess.run(
        [args.go, "build", "-mod=mod", "-o", "beside", "."],
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if not line.startswith("#")]
        return None, (lines or ["does not build"])[0]
    return home / "beside", ""


class Held(NamedTuple):
    """An election."""

    messages: int
    announcement: int
    """How many of the messages announce the leader, where that is known."""
    milliseconds: float


def theirs(program: Path, nodes: int, seed: int, limit: float) -> tuple[list[int], Held | str]:
    """Holds an election with theirs. Returns the identities, and how it was or what failed."""
    command = [str(program), str(nodes), str(seed)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return [], f"does not end within {limit:g} s"
    lines = [line.split() for line in done.stdout.splitlines()]
    ids = [int(line[1]) for line in lines if line[0] == "id"]
    said = {line[0]: int(line[1]) for line in lines if line[0] in ("messages", "nanoseconds")}
    if done.returncode != 0 or len(said) != 2:
        errors = [line for line in done.stderr.splitlines() if line]
        return ids, (errors or ["it fails"])[0][:60]
    return ids, Held(said["messages"], 0, said["nanoseconds"] / 1e6)


def ours(row: Row, ids: list[int], args: argparse.Namespace, seed: int, folder: Path) -> Held:
    """Holds the same election with ours."""
    file = folder / "ids"
    file.write_text("".join(f"{number}\n" for number in ids))
    command = [args.suffrage, "elect", row.ours, "--topology", f"{row.topology}:{len(ids)}"]
    command += ["--ids", str(file), "--seed", str(seed), "--timing", "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(f"{' '.join(command)}\n{done.stderr}")
    said = json.loads(done.stdout)
    messages = said["messages"]
    took = said["timing"]["wall_seconds"] * 1e3
    return Held(messages["total"], messages["announcement"], took)


def whole(number: float) -> str:
    return f"{number:,.0f}"


def took(held: list[Held]) -> str:
    """The median of the milliseconds, in words."""
    median = statistics.median(one.milliseconds for one in held)
    return f"{median:,.2g}" if median < 10 else whole(median)


def main() -> None:
    args = parsed()
    print("| algorithm | theirs | n | messages | ours, election | announcement | ms | ours |")
    print("|---|---|---:|---:|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for row in (row for row in ROWS if row.ours in args.only):
            program, why = build(row, args, folder)
            for nodes in args.nodes:
                line = f"| `{row.ours}` | `{row.package.split('/')[1]}` | {nodes:,} |"
                if program is None:
                    print(f"{line} {why} | | | | |", flush=True)
                    break
                both = [], []
                for seed in range(1, args.seeds + 1):
                    ids, held = theirs(program, nodes, seed, args.limit)
                    if isinstance(held, str):
                        print(f"{line} {held} | | | | |", flush=True)
                        break
                    both[0].append(held)
                    both[1].append(ours(row, ids, args, seed, folder))
                else:
                    their = statistics.mean(one.messages for one in both[0])
                    total = statistics.mean(one.messages for one in both[1])
                    announcement = statistics.mean(one.announcement for one in both[1])
                    cells = [
                        whole(their),
                        whole(total - announcement),
                        whole(announcement),
                        took(both[0]),
                        took(both[1]),
                    ]
                    print(f"{line} {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
