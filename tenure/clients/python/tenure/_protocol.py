"""What the clients share: messages, and what a program knows of its leadership. Nothing here is sent or waits."""

import glob
import json
import os
import socket
import time

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


def now():
    """Nanoseconds of a clock that never jumps, and goes on while the host is suspended where there is such a one."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic_ns() if clock is None else time.clock_gettime_ns(clock)


def find():
    """The socket that TENURE_SOCKET names, or the only one of a member that runs on this host."""
    named = os.environ.get("TENURE_SOCKET")
    if named:
        return named
    folders = [os.environ.get("TENURE_SOCKETS", "")]
    if not os.path.isdir(folders[0]):
        folders = [os.environ.get("XDG_RUNTIME_DIR", ""), "/run/tenure"]
        if not os.path.isdir(folders[0]):
            folders[0] = "/run" if os.geteuid() == 0 else os.environ.get("TMPDIR", "/tmp")
    patterns = [os.path.join(glob.escape(folder), "tenure.*.socket") for folder in folders]
    found = [path for pattern in patterns for path in glob.glob(pattern) if _listens(path)]
    if len(found) != 1:
        none = f"no member runs on this host (see {' and '.join(folders)})"
        what = "several members run on this host" if found else none
        raise Error(f"{what}: name a socket, or set TENURE_SOCKET")
    return found[0]


def _listens(path):
    with socket.socket(socket.AF_UNIX) as attempt:
        return attempt.connect_ex(path) == 0


def present(fields):
    """The fields that are not None."""
    return {key: value for key, value in fields.items() if value is not None}


def line_of(name, fields):
    """The line of a message; leaves out fields that are None."""
    return json.dumps({name: present(fields)}).encode() + b"\n"


def message(line):
    """The name of a message, and what it says; a refusal is raised."""
    if not line.endswith(b"\n"):
        raise Error("the member has closed the connection")
    try:
        ((name, content),) = json.loads(line).items()
        if name == "refused":
            kind = NotWon if content["code"] == "not_won" else Refused
            raise kind(content["code"], content["why"])
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError) as error:
        raise Error(f"the member answers nonsense: {line[:100]!r}") from error
    return name, content


def expected(heard, wanted):
    """What a message says that has to have this name."""
    name, content = heard
    if name != wanted:
        raise Error(f"the member answers {name!r} in place of {wanted!r}")
    return content


def number(content, name):
    number = content.get(name) if isinstance(content, dict) else None
    if type(number) is not int or number < 0:
        raise Error(f"the member answers nonsense: {name} is {number!r}")
    return number


def value_line(value):
    """The value of a leadership, which a member would refuse if it were anything else, and end the leadership."""
    if len(value.encode()) > LONGEST_VALUE or any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in value):
        raise ValueError(f"a value is a line of at most {LONGEST_VALUE} bytes without control characters")
    return value


def standing(office, priority, stop, wait, only_try, value):
    """The fields of `stand`. Times are in seconds."""
    return {
        "office": office,
        "priority": priority,
        "stop_ms": None if stop is None else int(stop * 1000),
        "wait_ms": None if wait is None else int(wait * 1000),
        "value": None if value is None else value_line(value),
        **({"try": True} if only_try else {}),
    }


class LeadershipState:
    """What a program knows of its leadership, and what follows from what it hears."""

    def __init__(self, office, term):
        self.office, self.term = office, term
        self.until = None  # On our clock, once the first ping is answered.
        self.over = self.told = self.leaving = False
        self.end = None  # How the connection has ended.

    def hear(self, name, content):
        """Returns whether to ping, and whether to tell that the work should end."""
        if name == "valid":
            until = number(content, "ping") + number(content, "for_ms") * 1_000_000
            self.until = max(self.until or 0, until)
        elif name == "over":
            self.over = True
        elif name == "released":
            self.end = "released"
        return name == "valid" and not self.leaving, name == "stopping" and self._tell()

    def fail(self, error):
        """Nothing more is heard. Returns whether to tell that the work should end."""
        self.end = error
        return self.until is not None and self._tell()

    def _tell(self):
        tell = not (self.told or self.leaving)
        self.told = self.told or tell
        return tell

    def is_known(self):
        """Whether it is known for how long the leadership lasts, or that it does not."""
        return self.until is not None or self.over or self.end is not None

    def begin(self):
        if self.until is None:
            raise Error(f"{self.office} was lost before it could be led: {self.end or 'it is over'}")

    def left(self):
        """For how many seconds from now the leadership is certain; 0 if it is over."""
        left = 0 if self.over else max(0, self.until - now())
        # Who has seen it end never sees it again.
        self.over = left == 0
        return left / 1e9

    def check(self):
        if self.left() == 0:
            raise NotLeading(f"{self.office} is not led any more in term {self.term}")

    def leave(self):
        """Returns whether it was not left before."""
        first = not self.leaving
        self.leaving = self.over = True
        return first

    def result(self):
        """Raises that the office was not released as it was asked. With the member, the leadership is gone."""
        if isinstance(self.end, Refused):
            raise self.end
