"""The package in a real kernel of Jupyter: results, pages, progress and the stop button."""

import queue
import time

import pytest

manager = pytest.importorskip("jupyter_client.manager", reason="Jupyter is not installed")
pytest.importorskip("ipykernel", reason="there is no kernel of Jupyter")


class Kernel:
    """A kernel that runs cells, as a notebook does."""

    def __init__(self):
        self.manager, self.client = manager.start_new_kernel(kernel_name="python3")

    def begin(self, cell: str) -> str:
        return self.client.execute(cell)

    def end(self, cell: str, seconds: float = 60):
        """Return what a cell showed: text, and rich data by its kind."""
        text, data = "", {}
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                said = self.client.get_iopub_msg(timeout=1)
            except queue.Empty:
                continue
            if said["parent_header"].get("msg_id") != cell:
                continue
            content = said["content"]
            if said["msg_type"] == "stream":
                text += content["text"]
            elif said["msg_type"] == "error":
                text += "\n".join(content["traceback"])
            elif said["msg_type"] in ("execute_result", "display_data"):
                data.update(content["data"])
            elif said["msg_type"] == "status" and content["execution_state"] == "idle":
                return text, data
        raise AssertionError(f"the cell did not end; it showed {text}")

    def run(self, cell: str):
        return self.end(self.begin(cell))


@pytest.fixture(scope="module")
def kernel():
    kernel = Kernel()
    kernel.run("import suffrage")
    yield kernel
    kernel.client.stop_channels()
    kernel.manager.shutdown_kernel(now=True)


def test_a_result_is_shown(kernel: Kernel):
    _, data = kernel.run("suffrage.elect('humblet', nodes=20)['leader']")
    assert "'node'" in data["text/plain"]


def test_a_page_plays_in_its_cell(kernel: Kernel):
    _, data = kernel.run("suffrage.watch(suffrage.elect('chang-roberts', nodes=6))")
    assert data["text/html"].startswith("<iframe") and "chang-roberts" in data["text/html"]


def test_a_long_run_shows_its_progress_and_the_stop_button_keeps_what_was_finished(kernel: Kernel):
    cell = kernel.begin(
        "try:\n"
        "    suffrage.elect('chang-roberts', nodes=1000, trials=10**7)\n"
        "except suffrage.Interrupted as interrupted:\n"
        "    print('finished', interrupted.result['trials']['finished'])\n"
    )
    time.sleep(4)
    kernel.manager.interrupt_kernel()
    text, _ = kernel.end(cell)
    assert int(text.rsplit("finished", 1)[1]) > 0, text
    assert "/10,000,000 trials" in text.rsplit("finished", 1)[0], text
    # The kernel goes on, and so do further runs.
    _, data = kernel.run("suffrage.elect('humblet', nodes=20).held")
    assert data["text/plain"] == "True"
