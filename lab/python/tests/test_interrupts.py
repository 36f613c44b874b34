"""Long runs show progress, leave the interpreter to others, and are interrupted without loss."""

import os
import signal
import threading
import time

import pytest

import suffrage


@pytest.fixture
def ctrl_c():
    """Sends an interrupt, as Ctrl-C and the button of a notebook do, after a while."""
    timers = []

    def after(seconds):
        timers.append(threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)))
        timers[-1].start()

    yield after
    for timer in timers:
        timer.join()


def test_an_interrupt_keeps_what_was_finished(ctrl_c):
    ctrl_c(1)
    with pytest.raises(suffrage.Interrupted) as caught:
        suffrage.elect("chang-roberts", nodes=100, trials=10**8)
    held = caught.value.result["trials"]["finished"]
    assert 0 < held < 10**8
    # The next run knows nothing of it.
    assert suffrage.elect("chang-roberts", nodes=100, trials=3)["trials"]["finished"] == 3


def test_an_interrupt_is_one_of_python(ctrl_c):
    ctrl_c(0.5)
    with pytest.raises(KeyboardInterrupt):
        suffrage.population("self-terminating", 10**4, trials=10**8)


def test_an_error_of_a_handler_ends_the_run():
    def handler(*_):
        raise TimeoutError("enough")

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(TimeoutError, match="enough"):
            suffrage.elect("chang-roberts", nodes=100, trials=10**8)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_others_run_meanwhile_and_see_the_progress(ctrl_c, capsys):
    turns = 0
    over = threading.Event()

    def turn():
        nonlocal turns
        while not over.is_set():
            turns += 1
            time.sleep(0.01)

    other = threading.Thread(target=turn)
    other.start()
    ctrl_c(2)
    with pytest.raises(suffrage.Interrupted):
        suffrage.elect("chang-roberts", nodes=100, trials=10**8, progress=True)
    over.set()
    other.join()
    assert turns > 10
    assert "/100,000,000 trials" in capsys.readouterr().err


def test_short_runs_are_silent(capsys):
    suffrage.elect("chang-roberts", nodes=10, progress=True)
    assert capsys.readouterr().err == ""
