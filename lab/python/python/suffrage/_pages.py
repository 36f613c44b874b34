"""Pages that play a run."""

from __future__ import annotations

import html
import os

from . import _native
from ._call import shown
from ._results import Interrupted, Result


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


def watch(run: Result | str | os.PathLike[str], *, progress: bool | None = None) -> Page:
    """Return the page that plays a run, as ``suffrage watch`` makes it.

    ``run`` is the file of a run, or a result of ``elect``, ``check`` or ``tenure_simulate``: this
    run is repeated with the same seed. For ``check`` it is the counterexample.

    Raise ``ValueError`` if there is no such run, or it is too large for a page, and ``Interrupted`` on
    an interrupt.
    """
    if isinstance(run, Result):
        if run._run is None:
            raise ValueError(
                "watch: only elect, check and tenure_simulate have runs, and of algorithms by name"
            )
        page = _native.watch(*run._run, shown(progress))
        if page is None:
            raise Interrupted(None)
        return Page(page)
    return Page(_native.page(os.fspath(run)))
