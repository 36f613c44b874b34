"""Writes the notebooks of the lessons: `python3 make.py FOLDER`.

A notebook is kept as text, in cells that begin with `# %%`, as Jupytext and Visual Studio Code have them. Python alone
is needed here.
"""

import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).parent


def cells(text):
    """Return the cells of a notebook: of each the title, and the text."""
    for cell in text.split("# %%")[1:]:
        title, text = cell.split("\n", 1)
        yield title.strip(), text.strip("\n")


def notebook(text):
    """Return a notebook, as Jupyter has it, without outputs."""
    made = []
    for number, (title, text) in enumerate(cells(text), 1):
        cell = {"id": f"cell-{number}", "metadata": {}}
        if title == "[markdown]":
            lines = [line.removeprefix("#").removeprefix(" ") for line in text.split("\n")]
            cell |= {"cell_type": "markdown", "source": "\n".join(lines)}
        else:
            cell |= {"cell_type": "code", "source": text, "execution_count": None, "outputs": []}
        if title and cell["cell_type"] == "code":
            cell["metadata"]["tags"] = [title]
        made.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def lessons():
    """Return the names of the lessons that have a notebook."""
    return sorted(file.stem for file in HERE.glob("*.py") if file.name != "make.py")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: python3 make.py FOLDER, into which the notebooks are written")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    # Links lead to documents from wherever the notebooks are.
    learn = pathlib.Path(os.path.relpath(HERE.parent, folder)).as_posix()
    for name in lessons():
        text = (HERE / f"{name}.py").read_text(encoding="utf-8").replace("](../", f"]({learn}/")
        with open(folder / f"{name}.ipynb", "w", encoding="utf-8", newline="\n") as file:
            json.dump(notebook(text), file, indent=1, ensure_ascii=False)
            file.write("\n")


if __name__ == "__main__":
    main()
