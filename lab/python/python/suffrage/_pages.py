"""Pages that play a run, drawings of runs, and plots of results."""

from __future__ import annotations

import html
import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from . import _native
from ._call import shown, words
from ._commands import elect
from ._own import Process
from ._results import Interrupted, Result, Rows

Run: TypeAlias = "Result | str | os.PathLike[str]"


class Page:
    """A page that plays a run: one HTML file with everything in it. A notebook shows it.

    ``html`` is its text.
    """

    html: str

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        return f"<a page of {len(self.html):,} characters, which a notebook shows>"

    def _repr_html_(self) -> str:
        # In a frame, so that neither the notebook nor the page has the other's style and names.
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" title="a run" '
            'style="width: 100%; height: 50em; border: 0"></iframe>'
        )


class Picture:
    """A drawing or a plot. A notebook shows it.

    ``text`` is its text, and ``format`` the format of that, such as ``svg``.
    """

    text: str
    format: str

    def __init__(self, text: str, format: str) -> None:
        self.text = text
        self.format = format

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the text to a file."""
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.format} of {len(self.text):,} characters, which a notebook shows>"

    def _repr_html_(self) -> str:
        if self.format == "svg":
            return self.text
        if self.format == "pdf":
            return html.escape(f"<pdf of {len(self.text):,} characters, which save writes to a file>")
        return f'<pre style="line-height: 1.2">{html.escape(self.text)}</pre>'


def watch(run: Run | type[Process], *, progress: bool | None = None) -> Page:
    """Return the page that plays a run, as ``suffrage watch`` makes it.

    ``run`` is the file of a run, or a result of ``elect``, ``check`` or ``tenure_simulate``: this
    run is repeated with the same seed. For ``check`` it is the counterexample. The algorithm may be
    your own ``Process``; its class alone stands for an election of eight processes.

    Raise ``ValueError`` if there is no such run, or it is too large for a page, and ``Interrupted`` on
    an interrupt.
    """
    if isinstance(run, type):
        run = elect(run, nodes=8, progress=progress)
    return Page(_shown("watch", run, None, progress))


def draw(
    run: Run,
    *,
    format: str = "text",
    processes: str | Iterable[int] | None = None,
    kinds: str | Sequence[str] | None = None,
    window: str | range | None = None,
    progress: bool | None = None,
) -> Picture:
    """Return the space-time diagram of a run, as ``suffrage draw`` makes it.

    ``run`` is as for ``watch``. ``suffrage draw --help`` explains the arguments, which are its flags;
    ``format`` is ``text``, ``svg``, ``mermaid``, ``dot``, ``shiviz`` or ``perfetto``.

    Raise ``ValueError`` if there is no such run, or too much is selected, and ``Interrupted`` on an
    interrupt.
    """
    if processes is not None and not isinstance(processes, (str, range)):
        processes = list(processes)
    selected = {"processes": processes, "kinds": kinds, "window": window}
    drawn = words({"format": format, **selected})
    return Picture(_shown("draw", run, drawn, progress), format)


def _shown(what: str, run: Run, drawn: list[str] | None, progress: bool | None) -> str:
    if not isinstance(run, Result):
        return _native.page(os.fspath(run), drawn)
    if run._run is None:
        raise ValueError(f"{what}: only elect, check and tenure_simulate have runs")
    specification, graphs, process = run._run
    if process is None:
        text = _native.watch(specification, graphs, drawn, shown(progress))
    else:
        try:
            text = _native.own_shown(*process, specification, graphs, drawn, shown(progress))
        except KeyboardInterrupt:
            text = None
    if text is None:
        raise Interrupted(None)
    return text


def plot(
    results: Rows | Result | str | os.PathLike[str] | Sequence[Rows | Result | str | os.PathLike[str]],
    *,
    figure: str | None = None,
    kind: str | None = None,
    log: str | None = None,
    per_node: bool = False,
    no_bounds: bool = False,
    title: str | None = None,
    format: str = "svg",
) -> Picture:
    """Return a figure of the results of trials, as ``suffrage plot`` draws it.

    ``results`` is what ``compare`` returns, or ``elect`` with trials, a file that ``suffrage plot`` reads,
    or a list of these. ``suffrage plot --help`` explains the arguments, which are its flags; ``format``
    is ``svg``, ``pdf`` or ``tikz``.

    Raise ``ValueError`` if there is nothing to draw.
    """
    flags = {"figure": figure, "kind": kind, "log": log, "per_node": per_node}
    flags |= {"no_bounds": no_bounds, "title": title, "format": format}
    several = [results] if isinstance(results, (Rows, Result, str, os.PathLike)) else list(results)
    with tempfile.TemporaryDirectory(prefix="suffrage-") as folder:
        files = []
        for number, one in enumerate(several):
            if isinstance(one, (str, os.PathLike)):
                files.append(os.fspath(one))
                continue
            files.append(os.path.join(folder, f"result-{number + 1}.json"))
            with open(files[-1], "w", encoding="utf-8") as file:
                # Nodes may be any objects, and no figure has them.
                json.dump(one, file, default=str)
        try:
            return Picture(_native.text("plot", words(flags) + ["--", *files]), format)
        except ValueError as error:
            raise ValueError(str(error).replace(folder + os.sep, "")) from None
