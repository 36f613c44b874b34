"""The experiments as functions."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from . import _native
from ._call import of_rules, result, rows, tenures, words
from ._own import Process, of_process
from ._results import Result, Rows
from ._rules import Rule

Path: TypeAlias = "str | os.PathLike[str]"
Network: TypeAlias = Any
"""A specification, a file, a graph of networkx, a data frame of links, a sparse matrix of SciPy or an
array."""
Several: TypeAlias = "str | Sequence[str]"
Ids: TypeAlias = "str | Sequence[int] | Sequence[str]"
Initiators: TypeAlias = "str | int | Iterable[Any]"


def _fields(arguments: dict[str, Any], *others: str) -> dict[str, Any]:
    """Return the arguments of a function without others."""
    more: dict[str, Any] = arguments.pop("more", {})
    left_out = {"progress", *others}
    return {name: value for name, value in arguments.items() if name not in left_out} | more


def algorithms(
    name: str | None = None,
    *,
    all: bool = False,
    network: str | None = None,
    anonymous: bool = False,
    rounds: bool = False,
    source: bool = False,
    invariants: bool = False,
) -> Rows | Result:
    """Return the catalogue of algorithms: a row for each, what is known of one, or its invariants.

    ``suffrage algorithms --help`` explains the arguments, which are its flags.

    Raise ``ValueError`` if there is no such algorithm.
    """
    flags = {"all": all, "network": network, "anonymous": anonymous, "rounds": rounds}
    named = [] if name is None else [name]
    flags |= {"source": source, "invariants": invariants}
    line = [*words(flags), "--format=json", *named]
    report = json.loads(_native.text("algorithms", line))
    return Result(report, True) if isinstance(report, dict) else Rows(report, True)


def elect(
    algorithm: str | type[Process] | None = None,
    topology: Network | None = None,
    *,
    nodes: int | None = None,
    largest_component: bool = False,
    topology_format: str | None = None,
    ids: Ids | None = None,
    order: str | None = None,
    ports: str | None = None,
    initiators: Initiators | None = None,
    wake: str | None = None,
    schedule: str | None = None,
    capacity: str | int | None = None,
    fault: Several | None = None,
    seed: int | None = None,
    event_limit: int | None = None,
    invariants: bool = False,
    trials: int | None = None,
    seeds: str | range | None = None,
    precision: str | float | None = None,
    each: bool = False,
    threads: int | None = None,
    trace: Path | None = None,
    rounds: bool = False,
    draw_network: Path | None = None,
    timing: bool = False,
    progress: bool | None = None,
    **more: Any,
) -> Result:
    """Run an election, or many with different seeds.

    Without ``algorithm`` it takes, for the network, the algorithm with the smallest proven
    bound; without a network 16 nodes. ``suffrage elect --help`` explains the arguments, which are
    its flags; ``more`` are further ones.

    ``topology`` may be a graph of networkx, whose nodes ``initiators`` names, a data frame whose columns
    ``source`` and ``target`` have the ends of links, a sparse matrix of SciPy or an array. ``ids`` may be a list of numbers in the order of the nodes. ``each`` keeps the
    trials. ``algorithm`` may be your own ``Process``: a single election, which takes some tens
    of microseconds a message; ``draw=True`` adds its space-time diagram, for up to 64 processes.
    ``progress`` shows a line of progress after a second; by default it does so at a terminal and
    in a notebook.

    Raise ``ValueError`` if an argument is invalid, and ``Interrupted``, with the finished part, on an
    interrupt.
    """
    fields = _fields(dict(locals()), "each")
    if isinstance(algorithm, type):
        if each:
            raise ValueError("each: it is for algorithms of the catalogue")
        return of_process("elect", algorithm, fields, progress)
    return result("elect", fields, progress, each=each)


def compare(
    algorithms: Several | None = None,
    topology: Network | Sequence[Network] | None = None,
    *,
    class_: str | None = None,
    nodes: int | Sequence[int] | None = None,
    largest_component: bool = False,
    topology_format: str | None = None,
    ids: Ids | None = None,
    order: str | None = None,
    ports: Several | None = None,
    initiators: Initiators | None = None,
    wake: str | None = None,
    schedule: Several | None = None,
    capacity: str | int | Sequence[str | int] | None = None,
    fault: Several | None = None,
    seed: int | None = None,
    event_limit: int | None = None,
    invariants: bool = False,
    trials: int | None = None,
    seeds: str | range | None = None,
    precision: str | float | None = None,
    each: bool = False,
    threads: int | None = None,
    progress: bool | None = None,
    **more: Any,
) -> Rows:
    """Compare the costs of algorithms on networks of one kind and several sizes.

    Every algorithm gets the same networks, identities, ports and initiators. Without ``algorithms``
    it compares all correct ones that fit, or with ``class_="ring"`` all for rings. Arguments with
    several values are lists, and every combination is a row. ``suffrage compare --help`` explains the
    arguments, which are its flags; ``more`` are further ones. Otherwise as ``elect``.
    """
    fields = _fields(dict(locals()), "each", "algorithms")
    return rows({"algorithm": algorithms, **fields}, progress, each=each)


def check(
    algorithm: str | type[Process],
    topology: Network | None = None,
    *,
    nodes: int | str | None = None,
    largest_component: bool = False,
    topology_format: str | None = None,
    all_ids: bool = False,
    all_initiators: bool = False,
    all_ports: bool = False,
    ports: str | None = None,
    all_graphs: bool = False,
    all_shapes: bool = False,
    ids: Ids | None = None,
    initiators: Initiators | None = None,
    wake: str | None = None,
    capacity: str | int | None = None,
    seed: int | None = None,
    fault: Several | None = None,
    property: Several | None = None,
    sample: int | None = None,
    seeds: str | range | None = None,
    scheduler: Several | None = None,
    full: bool = False,
    keep_going: bool = False,
    memory: str | None = None,
    force: bool = False,
    threads: int | None = None,
    save: Path | None = None,
    progress: bool | None = None,
    **more: Any,
) -> Result:
    """Explore every schedule of small elections: which properties hold, and the worst-case costs.

    Without arguments that choose a family of elections, the largest feasible one of this size is
    explored. ``algorithm`` may be your own ``Process``, each of whose reactions is computed once:
    with up to 3 nodes everything is explored, with more a single instance. ``suffrage check --help``
    explains the arguments, which are its flags; ``more`` are further ones. ``held`` of the result
    says whether every property held; a counterexample is the shortest. Otherwise as ``elect``.
    """
    fields = _fields(dict(locals()))
    if isinstance(algorithm, type):
        # More threads would wait for each other.
        return of_process("check", algorithm, {**fields, "threads": threads or 1}, progress)
    return result("check", fields, progress)


def population(
    protocol: str | None = None,
    agents: int | float | None = None,
    *,
    rules: Path | tuple[Mapping[Any, int], Rule] | None = None,
    interactions: int | float | None = None,
    margin: str | float | None = None,
    rule: str | None = None,
    min_interactions: int | None = None,
    self_meetings: bool = False,
    topology: Network | None = None,
    largest_component: bool = False,
    topology_format: str | None = None,
    trials: int | None = None,
    seeds: str | None = None,
    ids: Path | None = None,
    failures: str | float | None = None,
    engine: str | None = None,
    question: str | None = None,
    highest: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    each: bool = False,
    history: Path | None = None,
    distribution: Path | None = None,
    interval: int | None = None,
    progress: bool | None = None,
    **more: Any,
) -> Result:
    """Run elections among agents that meet in random pairs, from 2 of them to 10^12.

    ``suffrage population --help`` explains the arguments, which are its flags; ``more`` are further
    ones. ``each`` lists the trials in the report. ``rules`` may also be a pair ``(init, rule)``, as
    the function ``rules`` describes it; the report then has the states themselves. Otherwise as
    ``elect``.
    """
    fields = _fields(dict(locals()))
    if isinstance(rules, tuple):
        return of_rules(*rules, fields, progress)
    return result("population", fields, progress)


def tenure_simulate(
    protocol: str | None = None,
    *,
    faults: Several | Path | None = None,
    every: str | None = None,
    longest: str | None = None,
    values: bool | None = None,
    hours: str | float | None = None,
    duration: str | None = None,
    trials: int | None = None,
    seeds: str | range | None = None,
    members: int | None = None,
    clients: int | None = None,
    witnesses: int | None = None,
    offices: int | None = None,
    heartbeat: str | None = None,
    lease: str | None = None,
    stop: str | None = None,
    drift: int | None = None,
    profile: str | None = None,
    sync: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
    trace: Path | None = None,
    save: Path | None = None,
    progress: bool | None = None,
    **more: Any,
) -> Result:
    """Simulate leadership that survives crashes, under faults, and check its promises.

    ``suffrage tenure simulate --help`` explains the arguments, which are its flags; ``more`` are
    further ones. ``held`` of the result says whether every promise was kept; a run that broke one is
    shrunk. Otherwise as ``elect``.
    """
    return tenures(_fields(dict(locals())), progress)
