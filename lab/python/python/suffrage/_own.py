"""Your own processes, simulated and checked."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from . import _native
from ._call import is_whole, reported, shown, specified
from ._results import Again, Interrupted, Result

Status = Literal["undecided", "leader", "follower"]


class Process:
    """A process: a state machine that reacts to waking up and to messages.

    ``__init__`` gets the knowledge that its parameters name: ``id``, ``degree`` (the
    number of its ports), ``size`` (of the network), ``place`` (its position in a network with a
    sense of direction) and ``multiplicity`` (the most processes with the same identity). Its
    attributes are its whole state: plain values, which are None, bool, int, float, str, bytes, and
    tuples, lists, dicts and sets of them. Each reaction runs on a new object with these attributes.
    Messages are plain values, too; the first element of a message, as in ``("token", id)``, is its
    kind; there are at most 16 kinds.
    """

    network: ClassVar[str] = "connected"
    """The class of its networks: connected, tree, ring, oriented-ring (where port 0 leads to the
    next process and port 1 to the one before), homonym-ring (an oriented ring on which several processes
    may have the same identity), complete, oriented-complete, hypercube, oriented-hypercube (where port p
    leads to the process whose word differs in bit p), mesh, torus or oriented-torus (where ports 0 and 1
    lead to the next process of the row and to the one before, ports 2 and 3 of the column)."""

    status: Status = "undecided"
    """The decision, which is irrevocable."""

    leader: int | None = None
    """The identity of the leader, once the process knows it."""

    halted: bool = False
    """Whether it has terminated: it sends nothing more, whatever arrives."""

    def wake(self, net: _native.Net) -> None:
        """React to an initiator's impulse: at most once, and never after a message."""
        raise NotImplementedError(f"{type(self).__name__} has no method wake(self, net)")

    def receive(self, port: int, message: Any, net: _native.Net) -> None:
        """React to a message that has arrived through a port."""
        name = type(self).__name__
        raise NotImplementedError(f"{name} has no method receive(self, port, message, net)")

    def alarm(self, net: _native.Net) -> None:
        """React to an alarm that was set with ``net.set_alarm``."""


class Member:
    """A member that may crash and come up again, for ``suffrage grade``: no engine of this package runs it.

    ``__init__`` gets the knowledge that its parameters name: ``id``, its number, and ``size``, the number of
    members. Its attributes are lost when it crashes; the number that it has written last is not.
    """

    term: int | None = None
    """The term at which it leads, while the alarm ``until`` is set."""

    until: Any = None
    """The name of the alarm with which its leadership ends."""

    def start(self, record: int | None, net: Any) -> None:
        """React to coming up; ``record`` is the number that was written last."""
        raise NotImplementedError(f"{type(self).__name__} has no method start(self, record, net)")

    def ring(self, alarm: Any, net: Any) -> None:
        """React to an alarm, by name."""
        raise NotImplementedError(f"{type(self).__name__} has no method ring(self, alarm, net)")

    def receive(self, sender: int, message: Any, net: Any) -> None:
        """React to a message of another member."""
        name = type(self).__name__
        raise NotImplementedError(f"{name} has no method receive(self, sender, message, net)")


TOLD = ("id", "degree", "size", "place", "multiplicity")
"""What a process can be told."""


def of_process(
    command: Literal["elect", "check"],
    process: type[Process],
    fields: Mapping[str, Any],
    progress: bool | None,
) -> Result:
    """Run an election of a process, or explore all schedules of small ones."""
    about = _about(process)
    specification, beside, networks = specified(command, {**fields, "algorithm": process.__name__})
    try:
        said, kinds = _native.own(
            *about,
            json.dumps(specification),
            json.dumps(beside),
            networks.graphs,
            shown(progress),
        )
    except KeyboardInterrupt:
        # It has ended a reaction, and what came of that says nothing.
        raise Interrupted(None) from None

    def named(report: dict[str, Any]) -> dict[str, Any]:
        # No command line has this process.
        report.pop("command")
        report["process"] = report.pop("algorithm", report.get("process"))
        networks.label(report, is_whole(specification))
        # Kinds are numbers there.
        if (messages := report.get("messages")) and "by_kind" in messages:
            counts = messages["by_kind"]
            messages["by_kind"] = {kind: counts[str(number)] for number, kind in enumerate(kinds)}
        if report.get("by_kind"):
            report["by_kind"] = [
                {"kind": kinds[int(row["kind"])], "messages": row["messages"]}
                for row in report["by_kind"]
                if int(row["kind"]) < len(kinds)
            ]
        report.pop("by_phase", None)
        return report

    report, held, _ = reported(said, Result, named)
    assert isinstance(report, dict)
    made = Result(report, held)
    made._run = Again(json.dumps(specification), networks.graphs, about)
    return made


def _about(process: type[Process]) -> tuple[type[Process], str, str, list[str]]:
    """Return a class, its name, its networks and what its objects are told, as the engines want them."""
    name = process.__name__
    for needed in ("network", "wake", "receive"):
        if getattr(process, needed, None) is None:
            raise TypeError(
                f"{name} has no `{needed}`: a process is a class that is derived from suffrage.Process, "
                "with the methods wake(self, net) and receive(self, port, message, net), and with the class "
                'of its networks, as in network = "ring", unless it runs on all'
            )
    asked = list(inspect.signature(process).parameters)
    unknown = [one for one in asked if one not in TOLD]
    if unknown:
        raise ValueError(
            f"{name} asks for {unknown[0]!r}: a process can be told {', '.join(TOLD)}"
        )
    return process, name, str(process.network), asked
