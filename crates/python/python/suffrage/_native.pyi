from collections.abc import Callable

__all__ = ["__version__", "call"]

__version__: str

def call(
    words: list[str],
    networks: list[tuple[str, int, list[str], list[int], list[int], bool]],
    show: Callable[[str], object] | None = None,
) -> tuple[str, list[str], int, bool]: ...
