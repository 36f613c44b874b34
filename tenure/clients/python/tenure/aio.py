"""Lead an office of a Tenure cluster, in a program with asyncio: as the package `tenure`, but by its event loop."""

import asyncio

from ._aio_https import Candidacy
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

__all__ = ["Member", "RemoteMember", "Leadership", "Error", "Refused", "NotWon", "NotLeading", "find"]


class _Connection:
    """A connection that carries one request. Greets at the begin of an `async with` block, which closes it."""

    def __init__(self, path):
        self.path = path or find()

    async def __aenter__(self):
        try:
            self.reader, self.writer = await asyncio.open_unix_connection(self.path, limit=LONGEST)
        except OSError as error:
            raise Error(f"{self.path}: {error}") from error
        try:
            self.say("hello", versions=VERSIONS)
            await self.expect("hello")
        except BaseException:
            self.close()
            raise
        return self

    async def __aexit__(self, *_):
        self.close()

    def say(self, name, **fields):
        if self.writer.is_closing():
            raise Error("the member is gone")
        self.writer.write(line_of(name, fields))

    async def said(self):
        """Waits until what was said is on its way."""
        try:
            await self.writer.drain()
        except OSError as error:
            raise Error(f"the member is gone: {error}") from error

    async def hear(self):
        """The name of the next message, and what it says; a refusal is raised."""
        try:
            line = await self.reader.readline()
        except (OSError, ValueError) as error:
            raise Error(f"the member is gone: {error}") from error
        return message(line)

    async def expect(self, wanted):
        return expected(await self.hear(), wanted)

    def close(self):
        self.writer.close()


class _Standing:
    """Stands by a member, to which `_begin` connects."""

    async def stand(self, office, *, priority=None, stop=None, wait=None, only_try=False, value=None, lost=None,
                    stopping=None):
        """Stand until the office is led, and return the Leadership, as `tenure.Member.stand` does.

        A task that is cancelled meanwhile withdraws. `lost()` and `stopping()` are called by the event loop.
        """
        connection = await self._begin(standing(office, priority, stop, wait, only_try, value))
        try:
            term = number(await connection.expect("leading"), "term")
            leadership = Leadership(connection, LeadershipState(office, term), lost, stopping)
            await leadership._begin()
            return leadership
        except BaseException:
            connection.close()
            raise


class RemoteMember(_Standing):
    """A member that stands for programs of other hosts, at the URL of its HTTP.

    `token` is the one of this program in the member's configuration; `context` has the authority of its certificate.
    """

    def __init__(self, url, token, context=None):
        self.url, self.token, self.context = url, token, context

    async def _begin(self, fields):
        fields = present(fields)
        return await Candidacy(self.url, self.token, self.context).begin(fields.pop("office"), fields)


class Member(_Standing):
    """The member that stands for programs of this host, at its socket."""

    def __init__(self, path=None):
        self.path = path

    async def _begin(self, fields):
        connection = await _Connection(self.path).__aenter__()
        try:
            connection.say("stand", **fields)
            return connection
        except BaseException:
            connection.close()
            raise

    async def _ask(self, answer, request, **fields):
        async with _Connection(self.path) as connection:
            connection.say(request, **fields)
            return await connection.expect(answer)

    async def list(self):
        """All offices that any member knows."""
        return await self._ask("offices", "list")

    async def show(self, office):
        """An office, as any member knows it."""
        return await self._ask("office", "show", office=office)

    async def watch(self, office):
        """Yield an office now and at each change. Ends by an Error with the member."""
        async with _Connection(self.path) as connection:
            connection.say("watch", office=office)
            while True:
                yield await connection.expect("office")

    async def resign(self, office):
        """Ask the leader of an office, wherever it is, to leave it, and wait until it has."""
        await self._ask("done", "resign", office=office)

    async def transfer(self, office, to):
        """Ask the leader of an office, wherever it is, to leave it to a participant, and wait until that one leads."""
        await self._ask("done", "transfer", office=office, to=to)


class Leadership:
    """The leadership of an office, for one term.

    It lasts for as long as the member can extend it and the event loop turns. It ends by `resign`, or at the end of an
    `async with` block. All work for it has to be over by then, and `stop` seconds after it is lost.
    """

    def __init__(self, connection, state, lost, stopping):
        self.office, self.term = state.office, state.term
        self._connection, self._state, self._lost, self._stopping = connection, state, lost, stopping
        self._known = asyncio.Event()
        self._timer = None
        self._ping()
        self._hearing = asyncio.create_task(self._hear(), name=f"tenure {self.office}")

    async def _begin(self):
        await self._known.wait()
        self._state.begin()
        self._look()

    def valid_for(self):
        """For how many seconds from now the leadership is certain; 0 if it is over."""
        return self._state.left()

    def check(self):
        """Raise NotLeading if the leadership is over. What is written should still compare terms."""
        self._state.check()

    def proclaim(self, value):
        """Set what others are told of this leader, such as its address: a line of at most 4096 bytes."""
        value = value_line(value)
        self.check()
        self._connection.say("proclaim", value=value)

    def is_stopping(self):
        """Whether the work should end: the member wants the office back, is gone, or has lost it."""
        return self._state.told or self.valid_for() == 0

    async def resign(self):
        """Release the office, after the work has ended."""
        await self.transfer(None)

    async def transfer(self, to):
        """Release the office to a participant, after the work has ended; to any, with Refused, if that cannot lead."""
        if not self._state.leave():
            return
        # Also a task that is cancelled releases it.
        self._releasing = asyncio.create_task(self._release(to))
        await asyncio.shield(self._releasing)

    async def _release(self, to):
        try:
            self._connection.say("release", to=to)
            await self._connection.said()
            await self._hearing
        except Error:
            pass  # With the member, the leadership is gone.
        finally:
            self._connection.close()
        self._state.result()

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.resign()

    def _ping(self):
        # What the member says in answer counts from now: whatever is held up, we never count on too much.
        self._connection.say("alive", ping=now())

    async def _hear(self):
        while not self._state.end:
            try:
                ping, tell = self._state.hear(*await self._connection.hear())
            except Error as error:
                ping, tell = False, self._state.fail(error)
            if ping:
                try:
                    self._ping()
                except Error:
                    pass  # Read first what the member has said.
            if tell and self._stopping:
                asyncio.get_running_loop().call_soon(self._stopping)
            if self._timer:
                self._look()
            if self._state.is_known():
                self._known.set()

    def _look(self):
        """Calls `lost` at the end, even if nothing is heard: a member that is gone extends nothing any more."""
        if self._timer:
            self._timer.cancel()
        left = self._state.left()
        if left > 0:
            self._timer = asyncio.get_running_loop().call_later(min(left, LOOK_AGAIN), self._look)
        elif self._lost and not self._state.leaving:
            asyncio.get_running_loop().call_soon(self._lost)
            self._lost = None
