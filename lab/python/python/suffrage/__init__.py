"""Leader election: simulated, checked and compared, from Python.

The functions have the names of commands of ``suffrage``, and their keyword arguments those of flags:
``suffrage.elect("humblet", nodes=1000)`` is ``suffrage elect humblet --nodes 1000``, and gives what that
prints with ``--format json``, the same for the same seed. Arguments with several values are lists. What
cannot be used is refused with a ``ValueError`` that says why.

- ``algorithms`` lists the algorithms;
- ``elect`` runs one election, or many with different seeds;
- ``compare`` compares the costs of algorithms;
- ``check`` explores every schedule of small elections;
- ``population`` runs elections among agents that meet in random pairs;
- ``tenure_simulate`` simulates leadership that survives crashes;
- ``watch`` makes a page that plays a run, ``draw`` its diagram, and ``plot`` figures of results; a
  notebook shows them.

Networks are specifications such as ``"grid:20x30"``, files, graphs of networkx, data frames of links,
sparse matrices of SciPy and arrays of NumPy.
"""

from ._commands import algorithms, check, compare, elect, population, tenure_simulate
from ._native import Net, __version__
from ._own import Member, Process
from ._pages import Page, Picture, draw, plot, watch
from ._results import Interrupted, Result, Rows, SuffrageWarning
from ._rules import rules

__all__ = [
    "Interrupted",
    "Member",
    "Net",
    "Page",
    "Picture",
    "Process",
    "Result",
    "Rows",
    "SuffrageWarning",
    "__version__",
    "algorithms",
    "check",
    "compare",
    "draw",
    "elect",
    "plot",
    "population",
    "rules",
    "tenure_simulate",
    "watch",
]
