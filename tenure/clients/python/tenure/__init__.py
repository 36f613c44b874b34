"""Lead an office of a Tenure cluster, by the member that runs on this host, or by one of another host.

docs/reference/local-protocol.md specifies the protocol. This package needs nothing but the standard library.
`tenure.aio` is for programs with asyncio.
"""

import socket
import threading

from ._protocol import (
    LONGEST,
    LOOK_AGAIN,
    VERSIONS,
    Error,
    LeadershipState,
    NotLeading,
    NotWon,
    Refused,
    expected,
    find,
    line_of,
    message,
    now,
    number,
    present,
    standing,
    value_line,
)
from .https import Candidacy

__all__ = ["Member", "RemoteMember", "Leadership", "Error", "Refused", "NotWon", "NotLeading", "find"]


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
        try:
            with self.saying:
                self.socket.sendall(line_of(name, fields))
        except OSError as error:
            raise Error(f"the member is gone: {error}") from error

    def hear(self):
        """The name of the next message, and what it says; a refusal is raised."""
        try:
            line = self.lines.readline(LONGEST)
        except (OSError, ValueError) as error:
            raise Error(f"the member is gone: {error}") from error
        return message(line)

    def expect(self, wanted):
        return expected(self.hear(), wanted)

    def close(self):
        try:
            # Wakes a thread that reads.
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()


class _Standing:
    """Stands by a member, to which `_begin` connects."""

    def stand(self, office, *, priority=None, stop=None, wait=None, only_try=False, value=None, lost=None,
              stopping=None):
        """Stand until the office is led, and return the Leadership. Times are in seconds.

        `lost()` is called by another thread when the leadership is over, by the clock at the latest; `stopping()` when
        the work should end. `value` is what others are told of this leader, such as its address: a line of at most 4096
        bytes. `wait` limits how long to stand, and `only_try` gives up when another program leads: then
        NotWon is raised.
        """
        connection = self._begin(standing(office, priority, stop, wait, only_try, value))
        try:
            term = number(connection.expect("leading"), "term")
            return Leadership(connection, LeadershipState(office, term), lost, stopping)
        except BaseException:
            connection.close()
            raise


class RemoteMember(_Standing):
    """A member that stands for programs of other hosts, at the URL of its HTTP.

    `token` is the one of this program in the member's configuration; `context` has the authority of its certificate.
    """

    def __init__(self, url, token, context=None):
        self.url, self.token, self.context = url, token, context

    def _begin(self, fields):
        fields = present(fields)
        return Candidacy(self.url, self.token, self.context, fields.pop("office"), fields)


class Member(_Standing):
    """The member that stands for programs of this host, at its socket."""

    def __init__(self, path=None):
        self.path = path

    def _begin(self, fields):
        connection = _Connection(self.path or find())
        try:
            connection.say("stand", **fields)
            return connection
        except BaseException:
            connection.close()
            raise

    def _ask(self, answer, request, **fields):
        connection = _Connection(self.path or find())
        try:
            connection.say(request, **fields)
            return connection.expect(answer)
        finally:
            connection.close()

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

    def __init__(self, connection, state, lost, stopping):
        self.office, self.term = state.office, state.term
        self._connection, self._state, self._lost, self._stopping = connection, state, lost, stopping
        self._changed = threading.Condition()
        self._ping()
        self._start(self._hear)
        with self._changed:
            self._changed.wait_for(state.is_known)
            state.begin()
        self._start(self._watch_clock)

    def valid_for(self):
        """For how many seconds from now the leadership is certain; 0 if it is over."""
        with self._changed:
            return self._state.left()

    def check(self):
        """Raise NotLeading if the leadership is over. What is written should still compare terms."""
        with self._changed:
            self._state.check()

    def proclaim(self, value):
        """Set what others are told of this leader, such as its address: a line of at most 4096 bytes."""
        value = value_line(value)
        self.check()
        self._connection.say("proclaim", value=value)

    def is_stopping(self):
        """Whether the work should end: the member wants the office back, is gone, or has lost it."""
        return self._state.told or self.valid_for() == 0

    def resign(self):
        """Release the office, after the work has ended."""
        self.transfer(None)

    def transfer(self, to):
        """Release the office to a participant, after the work has ended; to any, with Refused, if that cannot lead."""
        with self._changed:
            if not self._state.leave():
                return
            self._changed.notify_all()
        try:
            self._connection.say("release", to=to)
            with self._changed:
                self._changed.wait_for(lambda: self._state.end)
        except Error:
            pass  # With the member, the leadership is gone.
        self._connection.close()
        self._state.result()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.resign()

    def _start(self, work):
        threading.Thread(target=work, name=f"tenure {self.office}", daemon=True).start()

    def _ping(self):
        # What the member says in answer counts from now: whatever is held up, we never count on too much.
        self._connection.say("alive", ping=now())

    def _hear(self):
        while not self._state.end:
            try:
                heard = self._connection.hear()
                with self._changed:
                    ping, tell = self._state.hear(*heard)
            except Error as error:
                with self._changed:
                    ping, tell = False, self._state.fail(error)
            with self._changed:
                self._changed.notify_all()
            if ping:
                try:
                    self._ping()
                except Error:
                    pass  # Read first what the member has said.
            if tell and self._stopping:
                self._start(self._stopping)

    def _watch_clock(self):
        """Calls `lost` at the end, even if nothing is heard: a member that is gone extends nothing any more."""
        with self._changed:
            left = self._state.left()
            while left > 0:
                self._changed.wait(min(left, LOOK_AGAIN))
                left = self._state.left()
            leaving = self._state.leaving
        if self._lost and not leaving:
            self._lost()
