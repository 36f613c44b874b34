"""Calls of commands: from keyword arguments to words, and from text to results."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from . import _native
from ._networks import Graph, graph
from ._results import Interrupted, Result, Rows, SuffrageWarning
from ._rules import Rule, text, with_states

Said: TypeAlias = "tuple[str, list[str], int, bool]"
"""What a command has said: its text, its remarks, its exit code, and whether an interrupt ended it."""

WITH_RUN = frozenset({"check", "elect", "tenure"})
"""The commands that make a run, which a page can show."""

REPEATED = frozenset({"fault", "property", "scheduler"})
"""The flags that are repeated for each of their values."""


def result(
    command: list[str], flags: Mapping[str, Any], progress: bool | None, *, each: bool = False
) -> Result:
    """Call a command whose report is an object."""
    words, networks = words_of(flags)
    words = [*command, *words]
    report, held, trials = _called(words, networks, progress, each, Result)
    assert isinstance(report, dict)
    made = Result(report, held, trials)
    if command[0] in WITH_RUN:
        made._run = words, networks
    return made


def rows(
    command: list[str], flags: Mapping[str, Any], progress: bool | None, *, each: bool = False
) -> Rows:
    """Call a command whose report is a list of objects."""
    words, networks = words_of(flags)
    report, held, trials = _called([*command, *words], networks, progress, each, Rows)
    assert isinstance(report, list)
    return Rows(report, held, trials)


def of_rules(
    init: Mapping[Any, int], rule: Rule, flags: Mapping[str, Any], progress: bool | None
) -> Result:
    """Run a population protocol that is given by its rule."""
    rules, states = text(init, rule)
    name = getattr(rule, "__name__", "rule").strip("<>") + ".rules"
    with tempfile.TemporaryDirectory(prefix="suffrage-") as folder:
        file = os.path.join(folder, name)
        with open(file, "w", encoding="utf-8") as out:
            out.write(rules)

        def shortened(report: Result) -> Result:
            # The folder is gone soon: the file is what the function `rules` returns.
            report["rules"] = name
            report["command"] = report["command"].replace(file, name)
            with_states(report, states)
            return report

        try:
            return shortened(result(["population"], {**flags, "rules": file}, progress))
        except Interrupted as interrupted:
            if isinstance(interrupted.result, Result):
                shortened(interrupted.result)
            raise
        except ValueError as error:
            raise ValueError(str(error).replace(file, name)) from None


def _called(
    words: list[str],
    networks: list[Graph],
    progress: bool | None,
    each: bool,
    kind: type[Result] | type[Rows],
) -> tuple[Any, bool, list[dict[str, Any]] | None]:
    words = [*words, "--format", "json"]
    with tempfile.TemporaryDirectory(prefix="suffrage-") as folder:
        file = os.path.join(folder, "each.jsonl")
        to_file = ["--each", file] if each else []
        said, notes, code, interrupted = _native.call(
            [*words, *to_file], networks, shown(progress)
        )
        trials = None
        if each and os.path.exists(file):
            with open(file, encoding="utf-8") as lines:
                trials = [json.loads(line) for line in lines]
        # The report says how it was made, and that file is no part of it.
        if each:
            said = said.replace(json.dumps(" " + " ".join(to_file))[1:-1], "")
    return reported((said, notes, code, interrupted), kind, lambda report: report, trials)


def reported(
    said: Said,
    kind: type[Result] | type[Rows],
    changed: Callable[[Any], Any],
    trials: list[dict[str, Any]] | None = None,
) -> tuple[Any, bool, list[dict[str, Any]] | None]:
    """Return the report of what a command has said, whether every property held, and the trials."""
    text, notes, code, interrupted = said
    report = changed(json.loads(text)) if text else None
    if interrupted:
        raise Interrupted(None if report is None else kind(report, code != 1, trials))
    for note in notes:
        warnings.warn(note, SuffrageWarning, stacklevel=6)
    return report, code != 1, trials


def words_of(flags: Mapping[str, Any]) -> tuple[list[str], list[Graph]]:
    """Return the words of a command line for keyword arguments, and the graphs among these."""
    words: list[str] = []
    networks: list[Graph] = []
    for name, value in flags.items():
        # ``class_``, since ``class`` is a word of Python's own.
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
            continue
        if name == "topology":
            values = [_network(one, networks) for one in _listed(value)]
        elif name == "initiators" and _is_list(value):
            values = ["nodes:" + ",".join(str(node) for node in value)]
        elif name == "ids" and _is_list(value) and not _are_texts(value):
            values = ["list:" + ",".join(str(number) for number in value)]
        elif name == "seeds" and isinstance(value, range):
            if value.step != 1 or not value:
                raise ValueError(f"seeds: {value!r} is not one seed after the other")
            values = [f"{value[0]}..{value[-1]}"]
        else:
            values = [_word(one) for one in _listed(value)]
        for one in values if name in REPEATED else [",".join(values)]:
            # A value that looks like a flag is none.
            words.extend([f"{flag}={one}"] if one.startswith("-") else [flag, one])
    return words, networks


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike))


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _listed(value: Any) -> list[Any]:
    """Return the values of a flag that may have several. A graph is one value."""
    return list(value) if isinstance(value, (list, tuple, range)) else [value]


def _network(value: object, networks: list[Graph]) -> str:
    found = graph(value, len(networks))
    if found is None:
        if isinstance(value, (str, os.PathLike)):
            return _word(value)
        raise TypeError(
            f"topology: a {type(value).__name__} is no network; give a specification such as "
            "'grid:4x5', a file, a graph of networkx, a sparse matrix or an array"
        )
    name = found[0]
    # Another graph has this name.
    if name in (other for other, *_ in networks):
        name = f"{name}-{len(networks) + 1}"
    networks.append((name, *found[1:]))
    return name


def _word(value: object) -> str:
    # As 1e12 agents.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def shown(progress: bool | None) -> Callable[[str], object] | None:
    """Return what shows a line of progress, if one is to be shown.

    By default that is where somebody looks: at a terminal, and in a notebook.
    """
    if progress is None:
        progress = "ipykernel" in sys.modules or sys.stderr.isatty()
    return _show if progress else None


_width = 0


def _show(line: str) -> None:
    global _width
    # What was there before is longer, perhaps.
    sys.stderr.write("\r" + line.ljust(_width) + ("" if line else "\r"))
    sys.stderr.flush()
    _width = len(line)
