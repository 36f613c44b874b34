from collections.abc import Callable
from typing import Any, final

__all__ = [
    "Net",
    "__version__",
    "own",
    "own_shown",
    "page",
    "run",
    "simulate_tenures",
    "text",
    "watch",
]

__version__: str

def run(
    specification: str,
    beside: str,
    networks: list[tuple[str, int, list[str], list[int], list[int], bool]],
    show: Callable[[str], object] | None = None,
) -> tuple[str | None, list[str], bool, bool]: ...
def simulate_tenures(
    flags: str, show: Callable[[str], object] | None = None
) -> tuple[str | None, list[str], bool, bool]: ...
def watch(
    specification: str,
    networks: list[tuple[str, int, list[str], list[int], list[int], bool]],
    drawn: list[str] | None = None,
    show: Callable[[str], object] | None = None,
) -> str | None: ...
def page(file: str, drawn: list[str] | None = None) -> str: ...
def text(command: str, words: list[str]) -> str: ...
def own(
    class_: type,
    name: str,
    network: str,
    told: list[str],
    specification: str,
    beside: str,
    networks: list[tuple[str, int, list[str], list[int], list[int], bool]],
    show: Callable[[str], object] | None = None,
) -> tuple[tuple[str | None, list[str], bool, bool], list[str]]: ...
def own_shown(
    class_: type,
    name: str,
    network: str,
    told: list[str],
    specification: str,
    networks: list[tuple[str, int, list[str], list[int], list[int], bool]],
    drawn: list[str] | None = None,
    show: Callable[[str], object] | None = None,
) -> str | None: ...
@final
class Net:
    """The ports of a process, and what it can do during one reaction."""

    @property
    def degree(self) -> int:
        """The number of ports of this process."""

    def send(self, port: int, message: Any) -> None:
        """Send a message through a port; messages through one port arrive in the order of sending."""

    def send_all(self, message: Any) -> None:
        """Send a message through every port, in ascending order."""

    def send_others(self, than: int, message: Any) -> None:
        """Send a message through every port but one, in ascending order."""

    def choose(self, max: int) -> int:
        """Return a number from 0 to max: a seeded coin in a simulation, a branch when all schedules are
        checked. The reaction then starts again, and must do the same apart from the number.
        """

    def set_alarm(self, ticks: int) -> None:
        """Call ``alarm`` after so many ticks, in place of any alarm already set."""

    def reject(self, why: str) -> None:
        """Report a message that cannot arrive where links are reliable and in order."""
