"""Results and exceptions of the functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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


class Result(dict[str, Any]):
    """A report, with the keys of ``--format json``.

    ``held`` says whether every property held; ``each`` has the trials, where they were asked for.
    """

    held: bool
    each: list[dict[str, Any]] | None
    _run: tuple[str, list[Graph]] | None
    """The specification and the graphs that make its run again, if a page can show that."""

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


def _frame(rows: list[Any]) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("data frames need pandas: pip install pandas") from error
    frame: pandas.DataFrame = pandas.json_normalize([dict(row) for row in rows])
    return frame
