"""Results and exceptions of the functions."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas

    from ._networks import Graph


class SuffrageWarning(UserWarning):
    """A warning of a command, for example about ignored weights."""


class Interrupted(KeyboardInterrupt):
    """An interrupt has ended a command.

    ``result`` has the finished part, as the function would have returned it; ``None`` if
    nothing was.
    """

    def __init__(self, result: Result | Rows | None) -> None:
        super().__init__("the result has the finished part")
        self.result = result


class Again(NamedTuple):
    """What makes a run again, if a page can show it."""

    specification: str
    graphs: list[Graph]
    process: tuple[type[Any], str, str, list[str]] | None = None
    """The class of a process of one's own, its name, its networks and what it is told."""


class Result(dict[str, Any]):
    """A report, with the keys of ``--format json``.

    ``held`` says whether every property held; ``each`` has the trials, where they were asked for.
    """

    held: bool
    each: list[dict[str, Any]] | None
    _run: Again | None

    def __init__(
        self, report: dict[str, Any], held: bool, each: list[dict[str, Any]] | None = None
    ) -> None:
        super().__init__(report)
        self.held = held
        self.each = each
        self._run = None

    def frame(self) -> pandas.DataFrame:
        """Return a data frame: a row for each trial, where they were asked for, or else one row.

        Keys of keys have a point between them, as in ``messages.total``.
        """
        return _frame([self] if self.each is None else self.each)

    def _repr_html_(self) -> str:
        cells = ((html.escape(key), _cell(value)) for key, value in _flat(self).items())
        return _table(f'<tr><th style="text-align: left">{key}</th>{cell}</tr>' for key, cell in cells)


class Rows(list[dict[str, Any]]):
    """The rows of a comparison, with the keys of ``--format json``.

    ``held`` says whether every property held; ``each`` has the trials, where they were asked for.
    """

    held: bool
    each: list[dict[str, Any]] | None

    def __init__(
        self,
        rows: list[dict[str, Any]],
        held: bool,
        each: list[dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(rows)
        self.held = held
        self.each = each

    def frame(self) -> pandas.DataFrame:
        """Return a data frame of the rows.

        Keys of keys have a point between them, as in ``messages.mean``.
        """
        return _frame(self)

    def frame_of_trials(self) -> pandas.DataFrame:
        """Return a data frame with a row for each trial; for ``each=True``."""
        if self.each is None:
            raise ValueError("the trials are kept only with each=True")
        return _frame(self.each)

    def _repr_html_(self) -> str:
        rows = [_flat(row) for row in self]
        keys = dict.fromkeys(key for row in rows for key in row)
        head = "".join(f"<th>{html.escape(key)}</th>" for key in keys)
        body = ("".join(_cell(row.get(key)) for key in keys) for row in rows)
        return _table(f"<tr>{row}</tr>" for row in (head, *body))


def _flat(report: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return what a notebook shows of a report: no lists of objects, keys of keys with a point."""
    flat: dict[str, Any] = {}
    for key, value in report.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{before}{key}.")
        elif not (isinstance(value, list) and any(isinstance(one, dict) for one in value)):
            flat[before + key] = value
    return flat


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    text = f"{value:,}" if is_number else str(value)
    # As reports in text have it.
    pre = "; white-space: pre" if "\n" in text else ""
    return f'<td style="text-align: {"right" if is_number else "left"}{pre}">{html.escape(text)}</td>'


def _table(rows: Iterable[str]) -> str:
    return f'<div style="overflow: auto"><table>{"".join(rows)}</table></div>'


def _frame(rows: list[Any]) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("data frames need pandas: pip install pandas") from error
    frame: pandas.DataFrame = pandas.json_normalize([dict(row) for row in rows])
    return frame
