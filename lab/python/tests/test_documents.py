"""The examples of docs/use/python.md are as they say."""

import doctest
import re
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[3] / "docs" / "use" / "python.md"


def test_the_examples_of_the_document(monkeypatch, tmp_path):
    # They write files.
    monkeypatch.chdir(tmp_path)
    for needed in ("networkx", "scipy", "pandas"):
        pytest.importorskip(needed)
    text = DOCUMENT.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    blocks = list(re.finditer(r"^```pycon\n(.*?)^```$", text, re.M | re.S))
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        test = doctest.DocTestParser().get_doctest(
            block[1], names, DOCUMENT.name, str(DOCUMENT), line
        )
        test.globs = names
        runner.run(test, clear_globs=False)
    result = runner.summarize(verbose=False)
    assert result.failed == 0 and result.attempted > 20
