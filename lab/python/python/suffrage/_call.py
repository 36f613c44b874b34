"""Experiments: from keyword arguments to specifications, and from reports to results."""

from __future__ import annotations

import json
import numbers
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from . import _native
from ._networks import Networks
from ._results import Again, Interrupted, Result, Rows, SuffrageWarning
from ._rules import Rule, text, with_states

Said: TypeAlias = "tuple[str | None, list[str], bool, bool]"
"""What a run has given: its report, its remarks, whether every property held, and whether an interrupt
ended it."""

WITH_RUN = frozenset({"check", "elect"})
"""The experiments that make a run, which a page can show."""

LISTS = frozenset({"fault", "property", "scheduler"})
"""The fields that are lists, also of one value."""

BESIDE = frozenset(
    {
        "distribution",
        "draw",
        "draw_network",
        "history",
        "interval",
        "save",
        "threads",
        "timing",
        "trace",
    }
)
"""Files and settings, which are no part of a specification."""


def result(
    kind: str, fields: Mapping[str, Any], progress: bool | None, *, each: bool = False
) -> Result:
    """Run an experiment whose report is an object."""
    specification, beside, networks = specified(kind, fields)
    report, held, trials = _run(specification, beside, networks, progress, each, Result)
    assert isinstance(report, dict)
    made = Result(report, held, trials)
    if kind in WITH_RUN:
        made._run = Again(json.dumps(specification), networks.graphs)
    return made


def rows(fields: Mapping[str, Any], progress: bool | None, *, each: bool = False) -> Rows:
    """Run a comparison, whose report is a list of objects."""
    specification, beside, networks = specified("compare", fields)
    report, held, trials = _run(specification, beside, networks, progress, each, Rows)
    assert isinstance(report, list)
    return Rows(report, held, trials)


def tenures(fields: Mapping[str, Any], progress: bool | None) -> Result:
    """Simulate tenures."""
    flags, _ = values(fields)
    for name in ("faults", "hours"):
        if name in flags:
            flags[name] = ",".join(map(str, _listed(flags[name])))
    said = _native.simulate_tenures(json.dumps(flags), shown(progress))
    report, held, _ = reported(said, Result, lambda report: report)
    assert isinstance(report, dict)
    made = Result(report, held)
    again = {name: value for name, value in flags.items() if name not in ("save", "trace")}
    made._run = Again(json.dumps({"tenure-simulate": again}), [])
    return made


def of_rules(
    init: Mapping[Any, int], rule: Rule, fields: Mapping[str, Any], progress: bool | None
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
            return shortened(result("population", {**fields, "rules": file}, progress))
        except Interrupted as interrupted:
            if isinstance(interrupted.result, Result):
                shortened(interrupted.result)
            raise
        except ValueError as error:
            raise ValueError(str(error).replace(file, name)) from None


def _run(
    specification: dict[str, Any],
    beside: dict[str, Any],
    networks: Networks,
    progress: bool | None,
    each: bool,
    kind: type[Result] | type[Rows],
) -> tuple[Any, bool, list[dict[str, Any]] | None]:
    with tempfile.TemporaryDirectory(prefix="suffrage-") as folder:
        file = os.path.join(folder, "each.jsonl")
        asked = json.dumps({**beside, "each": file} if each else beside)
        said = _native.run(json.dumps(specification), asked, networks.graphs, shown(progress))
        trials = None
        if each and os.path.exists(file):
            with open(file, encoding="utf-8") as lines:
                trials = [json.loads(line) for line in lines]
    whole = is_whole(specification)
    networks.label(trials, whole)

    def labelled(report: Any) -> Any:
        networks.label(report, whole)
        return report

    return reported(said, kind, labelled, trials)


def is_whole(specification: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether no node of a graph is left out."""
    return not any(fields.get("largest-component") for fields in specification.values())


def reported(
    said: Said,
    kind: type[Result] | type[Rows],
    changed: Callable[[Any], Any],
    trials: list[dict[str, Any]] | None = None,
) -> tuple[Any, bool, list[dict[str, Any]] | None]:
    """Return the report of a run, whether every property held, and the trials."""
    text, remarks, held, interrupted = said
    report = None if text is None else changed(json.loads(text))
    if interrupted:
        raise Interrupted(None if report is None else kind(report, held, trials))
    for remark in remarks:
        warnings.warn(remark, SuffrageWarning, stacklevel=6)
    return report, held, trials


def specified(
    kind: str, fields: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any], Networks]:
    """Return the specification of keyword arguments, files and settings, and the graphs."""
    own, networks = values({name: fields[name] for name in fields if name not in BESIDE})
    beside, _ = values({name: fields[name] for name in fields if name in BESIDE})
    return {kind: own}, beside, networks


def values(fields: Mapping[str, Any]) -> tuple[dict[str, Any], Networks]:
    """Return keyword arguments as fields, and the graphs among them."""
    own: dict[str, Any] = {}
    networks = Networks()
    for name, value in fields.items():
        if value is None or value is False:
            continue
        if name == "algorithm" and not isinstance(value, (str, list, tuple)):
            raise TypeError(f"algorithm: a {type(value).__name__} is neither a name nor a class of processes")
        if name == "topology":
            found = [_network(one, networks) for one in _listed(value)]
            value = found if isinstance(value, (list, tuple)) else found[0]
        elif name == "initiators" and _is_list(value):
            value = "nodes:" + ",".join(str(node) for node in value)
        elif name == "ids" and _is_list(value) and not _are_texts(value):
            value = "list:" + ",".join(str(number) for number in value)
        elif name == "seeds" and isinstance(value, range):
            if value.step != 1 or not value:
                raise ValueError(f"seeds: {value!r} is not one seed after the other")
            value = f"{value[0]}..{value[-1]}"
        elif name in LISTS or isinstance(value, (list, tuple, range)) or _is_row(value):
            value = _listed(value)
        # ``class_``, since ``class`` is a word of Python's own.
        own[name.rstrip("_").replace("_", "-")] = _plain(name, value)
    return own, networks


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike))


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _listed(value: Any) -> list[Any]:
    """Return the values of a field that may have several. A graph is one value."""
    return list(value) if isinstance(value, (list, tuple, range)) or _is_row(value) else [value]


def _is_row(value: object) -> bool:
    """Return whether this is an array or a column of numbers, such as those of NumPy and pandas."""
    return getattr(value, "ndim", None) == 1 and isinstance(value, Iterable)


def _network(value: object, networks: Networks) -> str:
    if (name := networks.add(value)) is not None:
        return name
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if hasattr(value, "collect"):
        raise TypeError(f"topology: a {type(value).__name__} is not read: give what its collect() returns")
    raise TypeError(
        f"topology: a {type(value).__name__} is no network; give a specification such as "
        "'grid:4x5', a file, a graph of networkx, a data frame of links, a sparse matrix or an array"
    )


def words(fields: Mapping[str, Any]) -> list[str]:
    """Return keyword arguments as words of a command line."""
    found = []
    for name, value in fields.items():
        flag = f"--{name.rstrip('_').replace('_', '-')}"
        if isinstance(value, range) and value.step == 1 and value:
            value = f"{value[0]}..{value[-1]}"
        if value is True:
            found.append(flag)
        elif value is not None and value is not False:
            found.append(f"{flag}={','.join(map(str, _listed(value)))}")
    return found


def _plain(name: str, value: Any) -> Any:
    """Return a value as JSON has it; numbers of NumPy are numbers."""
    if isinstance(value, list):
        return [_plain(name, one) for one in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (bool, str, dict)):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        # As 1e12 agents.
        number = float(value)
        return int(number) if number.is_integer() else number
    raise TypeError(f"{name}: a {type(value).__name__} is neither a text nor a number")


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
