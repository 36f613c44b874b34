"""Lead an office of a Tenure cluster, by the member that runs on this host.

docs/reference/local-protocol.md specifies the protocol. This package needs nothing but the standard library.
"""

import glob
import json
import os
import socket
import threading
import time

__all__ = ["Member", "Leadership", "Error", "Refused", "NotWon", "NotLeading"]

VERSIONS = [1]
# A line of a member, such as a list of ten thousand offices, is no longer than this.
LONGEST = 16 * 1024 * 1024
# The greatest length of a value, in bytes.
LONGEST_VALUE = 4096
# Timers stop while the host is suspended; so the clock is read again after this many seconds at the latest.
LOOK_AGAIN = 1.0


class Error(Exception):
    """The member cannot be reached, or does not keep to the protocol."""


class Refused(Error):
    """The member refuses a request, or has failed to carry it out."""

    def __init__(self, code, why):
        super().__init__(why)
        self.code = code


class NotWon(Refused):
    """The office was not won in time, or another program leads it."""


class NotLeading(Error):
    """The leadership is over."""


def _now():
    """Nanoseconds of a clock that never jumps, and goes on while the host is suspended where there is such a one."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic_ns() if clock is None else time.clock_gettime_ns(clock)


def find():
    """The socket that TENURE_SOCKET names, or the only one of a member that runs on this host."""
    named = os.environ.get("TENURE_SOCKET")
    if named:
        return named
    folder = os.environ.get("TENURE_SOCKETS", os.environ.get("XDG_RUNTIME_DIR", ""))
    if not os.path.isdir(folder):
        folder = "/run" if os.geteuid() == 0 else os.environ.get("TMPDIR", "/tmp")
    pattern = os.path.join(glob.escape(folder), "tenure.*.socket")
    found = [path for path in glob.glob(pattern) if _listens(path)]
    if len(found) != 1:
        what = "several members run on this host" if found else f"no member runs on this host (see {folder})"
        raise Error(f"{what}: name a socket, or set TENURE_SOCKET")
    return found[0]


def _listens(path):
    with socket.socket(socket.AF_UNIX) as attempt:
        return attempt.connect_ex(path) == 0


class _Connection:
    """A connection that has greeted, and carries one request."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.saying = threading.Lock()
        try:
            self.socket.connect(path)
            self.lines = self.socket.makefile("rb")
            self.say("hello", versions=VERSIONS)
            self.expect("hello")
        except OSError as error:
            self.close()
            raise Error(f"{path}: {error}") from error
        except Error:
            self.close()
            raise

    def say(self, name, **fields):
        fields = {key: value for key, value in fields.items() if value is not None}
        try:
            with self.saying:
                self.socket.sendall(json.dumps({name: fields}).encode() + b"\n")
        except OSError as error:
            raise Error(f"the member is gone: {error}") from error

    def hear(self):
        """The name of the next message, and what it says; a refusal is raised."""
        try:
            line = self.lines.readline(LONGEST)
        except (OSError, ValueError) as error:
            raise Error(f"the member is gone: {error}") from error
        if not line.endswith(b"\n"):
            raise Error("the member has closed the connection")
        try:
            ((name, content),) = json.loads(line).items()
            if name == "refused":
                kind = NotWon if content["code"] == "not_won" else Refused
                raise kind(content["code"], content["why"])
        except (ValueError, AttributeError, KeyError, TypeError) as error:
            raise Error(f"the member answers nonsense: {line[:100]!r}") from error
        return name, content

    def expect(self, wanted):
        name, content = self.hear()
        if name != wanted:
            raise Error(f"the member answers {name!r} in place of {wanted!r}")
        return content

    def close(self):
        try:
            # Wakes a thread that reads.
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()


def _number(content, name):
    number = content.get(name) if isinstance(content, dict) else None
    if type(number) is not int or number < 0:
        raise Error(f"the member answers nonsense: {name} is {number!r}")
    return number


def _line(value):
    """The value of a leadership, which a member would refuse if it were anything else, and end the leadership."""
    if len(value.encode()) > LONGEST_VALUE or any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in value):
        raise ValueError(f"a value is a line of at most {LONGEST_VALUE} bytes without control characters")
    return value


class Member:
    """The member that stands for programs of this host, at its socket."""

    def __init__(self, path=None):
        self.path = path

    def _ask(self, answer, request, **fields):
        connection = _Connection(self.path or find())
        try:
            connection.say(request, **fields)
            return connection.expect(answer)
        finally:
            connection.close()

    def stand(self, office, *, priority=None, stop=None, wait=None, only_try=False, value=None, lost=None,
              stopping=None):
        """Stand until the office is led, and return the Leadership. Times are in seconds.

        `lost()` is called by another thread when the leadership is over, by the clock at the latest; `stopping()` when
        the work should end. `value` is what others are told of this leader, such as its address: a line of at most 4096
        bytes. `wait` limits how long to stand, and `only_try` gives up when another program leads: then
        NotWon is raised.
        """
        value = None if value is None else _line(value)
        connection = _Connection(self.path or find())
        try:
            connection.say(
                "stand",
                office=office,
                priority=priority,
                stop_ms=None if stop is None else int(stop * 1000),
                wait_ms=None if wait is None else int(wait * 1000),
                value=value,
                **({"try": True} if only_try else {}),
            )
            term = _number(connection.expect("leading"), "term")
            return Leadership(connection, office, term, lost, stopping)
        except BaseException:
            connection.close()
            raise

    def list(self):
        """All offices that any member knows."""
        return self._ask("offices", "list")

    def show(self, office):
        """An office, as any member knows it."""
        return self._ask("office", "show", office=office)

    def watch(self, office):
        """Yield an office now and at each change. Ends by an Error with the member."""
        connection = _Connection(self.path or find())
        try:
            connection.say("watch", office=office)
            while True:
                yield connection.expect("office")
        finally:
            connection.close()

    def resign(self, office):
        """Ask the leader of an office, wherever it is, to leave it, and wait until it has."""
        self._ask("done", "resign", office=office)

    def transfer(self, office, to):
        """Ask the leader of an office, wherever it is, to leave it to a participant, and wait until that one leads."""
        self._ask("done", "transfer", office=office, to=to)


class Leadership:
    """The leadership of an office, for one term.

    It lasts for as long as the member can extend it and this process runs: a thread keeps it. It ends by `resign`, or
    at the end of a `with` block. All work for it has to be over by then, and `stop` seconds after it is lost.
    """

    def __init__(self, connection, office, term, lost, stopping):
        self.office, self.term = office, term
        self._connection, self._lost, self._stopping = connection, lost, stopping
        self._until = None  # On our clock, once the first ping is answered.
        self._over = self._told = self._leaving = False
        self._end = None  # How the connection has ended.
        self._state = threading.Condition()
        self._ping()
        self._start(self._hear)
        with self._state:
            self._state.wait_for(lambda: self._until is not None or self._over or self._end)
            if self._until is None:
                raise Error(f"{office} was lost before it could be led: {self._end or 'it is over'}")
        self._start(self._watch_clock)

    def valid_for(self):
        """For how many seconds from now the leadership is certain; 0 if it is over."""
        with self._state:
            left = 0 if self._over else max(0, self._until - _now())
            # Who has seen it end never sees it again.
            self._over = left == 0
            return left / 1e9

    def check(self):
        """Raise NotLeading if the leadership is over. What is written should still compare terms."""
        if self.valid_for() == 0:
            raise NotLeading(f"{self.office} is not led any more in term {self.term}")

    def proclaim(self, value):
        """Set what others are told of this leader, such as its address: a line of at most 4096 bytes."""
        value = _line(value)
        self.check()
        self._connection.say("proclaim", value=value)

    def is_stopping(self):
        """Whether the work should end: the member wants the office back, is gone, or has lost it."""
        return self._told or self.valid_for() == 0

    def resign(self):
        """Release the office, after the work has ended."""
        self.transfer(None)

    def transfer(self, to):
        """Release the office to a participant, after the work has ended; to any, with Refused, if that cannot lead."""
        with self._state:
            if self._leaving:
                return
            self._leaving = self._over = True
            self._state.notify_all()
        try:
            self._connection.say("release", to=to)
            with self._state:
                self._state.wait_for(lambda: self._end)
        except Error:
            pass  # With the member, the leadership is gone.
        self._connection.close()
        if isinstance(self._end, Refused):
            raise self._end

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.resign()

    def _start(self, work):
        threading.Thread(target=work, name=f"tenure {self.office}", daemon=True).start()

    def _ping(self):
        # What the member says in answer counts from now: whatever is held up, we never count on too much.
        self._connection.say("alive", ping=_now())

    def _hear(self):
        while not self._end:
            try:
                name, content = self._connection.hear()
                until = 0
                if name == "valid":
                    until = _number(content, "ping") + _number(content, "for_ms") * 1_000_000
            except Error as error:
                name, until = "gone", 0
                end = error
            with self._state:
                if name == "valid":
                    self._until = max(self._until or 0, until)
                elif name == "over":
                    self._over = True
                elif name == "released":
                    self._end = "released"
                elif name == "gone":
                    self._end = end
                leads = not self._leaving
                gone = name == "gone" and self._until is not None
                tell = leads and not self._told and (name == "stopping" or gone)
                self._told = self._told or tell
                self._state.notify_all()
            if name == "valid" and leads:
                try:
                    self._ping()
                except Error:
                    pass  # Read first what the member has said.
            if tell and self._stopping:
                self._start(self._stopping)

    def _watch_clock(self):
        """Calls `lost` at the end, even if nothing is heard: a member that is gone extends nothing any more."""
        while True:
            left = self.valid_for()
            with self._state:
                if self._over or self._leaving:
                    break
                self._state.wait(min(left, LOOK_AGAIN))
        if self._lost and not self._leaving:
            self._lost()
