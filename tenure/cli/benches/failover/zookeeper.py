"""Runs a command while it holds a lock of ZooKeeper: kazoo's recipe. Arguments: SERVER, COMMAND .."""

import signal
import subprocess
import sys
import threading

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, LockTimeout
from kazoo.handlers.threading import KazooTimeoutError

ends = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: ends.set())


def lead():
    # The shortest session that servers with the default tickTime accept.
    client = KazooClient(hosts=sys.argv[1], timeout=4)
    lost = threading.Event()
    # Until it is connected again nothing is certain.
    client.add_listener(lambda state: lost.set() if state != "CONNECTED" else None)
    try:
        client.start(timeout=10)
        lost.clear()
        lock = client.Lock("/job")
        while not (ends.is_set() or lost.is_set()):
            try:
                held = lock.acquire(timeout=1)
            except LockTimeout:
                continue
            if held:
                command = subprocess.Popen(sys.argv[2:])
                while not (ends.wait(0.002) or lost.is_set()):
                    pass
                command.kill()
                command.wait()
                lock.release()
    finally:
        client.stop()
        client.close()


while not ends.is_set():
    try:
        lead()
    except (KazooException, KazooTimeoutError):
        ends.wait(0.1)
