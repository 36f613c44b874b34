"""As https.py, by the event loop: the standard library has no client of HTTP for it, so what is needed is here."""

import asyncio
import http.client
import io
import json
import ssl
from urllib.parse import urlsplit

from ._protocol import LONGEST, Error, expected, present
from .https import SILENCE, add_line, headers, message_of, refusal, standing_path


class _Requests:
    """A connection to a member that may be made again."""

    def __init__(self, url, token, context):
        self.url, self.context, self.headers = urlsplit(url), context, headers(token)
        self.reader = self.writer = None
        self.closed = False

    async def post(self, path, content):
        """Returns the status of the answer, whose body is still to be read."""
        kept = self.writer is not None
        try:
            return await asyncio.wait_for(self._post(path, content), SILENCE)
        except (OSError, EOFError, ValueError, LookupError, asyncio.TimeoutError, asyncio.LimitOverrunError) as error:
            self._drop()
            # The member closes a connection that was idle.
            if kept and not self.closed and isinstance(error, (ConnectionError, EOFError)):
                return await self.post(path, content)
            raise Error(f"the member is gone: {error}") from error

    async def _post(self, path, content):
        if self.closed:
            raise ConnectionAbortedError("it was left")
        if self.writer is None:
            host, port, context = self.url.hostname, self.url.port, None
            if self.url.scheme == "https":
                context, port = self.context or ssl.create_default_context(), port or 443
            self.reader, self.writer = await asyncio.open_connection(host, port or 80, ssl=context, limit=LONGEST)
        body = json.dumps(content).encode()
        fields = {"Host": self.url.netloc.rpartition("@")[2], "Content-Length": len(body), **self.headers}
        lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        self.writer.write("\r\n".join(lines).encode() + body)
        status, _, fields = (await self.reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")
        answer = http.client.parse_headers(io.BytesIO(fields))
        self.chunked = answer.get("Transfer-Encoding", "").lower() == "chunked"
        self.length = int(answer.get("Content-Length", 0))
        return int(status.split()[1])

    async def part(self):
        """The next part of the answer's body; empty at the end."""
        if self.chunked:
            self.length = int((await self.reader.readline()).partition(b";")[0], 16)
        if self.length > LONGEST:
            raise ValueError(f"an answer has {self.length} bytes")
        part = await self.reader.readexactly(self.length)
        self.length = 0
        if self.chunked:
            await self.reader.readexactly(2)
        return part

    def _drop(self):
        if self.writer is not None:
            # Wakes who reads, and waits for no end of TLS.
            self.writer.transport.abort()
        self.reader = self.writer = None

    def close(self):
        self.closed = True
        self._drop()


class Candidacy:
    """What a connection to a member's socket is for a program of its host."""

    def __init__(self, url, token, context):
        self.events, self.requests = _Requests(url, token, context), _Requests(url, token, context)
        self.order = asyncio.Lock()
        self.saying, self.failure = set(), None
        self.rest = b""

    async def begin(self, office, fields):
        try:
            await self._check(self.events, await self.events.post(standing_path(office), fields), 200)
            self.key = expected(await self.hear(), "hello")["candidacy"]
        except BaseException:
            self.close()
            raise
        return self

    @staticmethod
    async def _check(answer, status, wanted):
        if status != wanted:
            raise refusal(status, await asyncio.wait_for(answer.part(), SILENCE))

    def say(self, name, **fields):
        """Begins to say it, after what was said before."""
        saying = asyncio.create_task(self._say({name: present(fields)}))
        self.saying.add(saying)
        saying.add_done_callback(self.saying.discard)

    async def _say(self, what):
        async with self.order:
            try:
                await self._check(self.requests, await self.requests.post(f"/v1/candidacies/{self.key}", what), 204)
                self.failure = None
            except (Error, OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
                self.failure = error

    async def said(self):
        """Waits until the member has taken what was said."""
        if self.saying:
            await asyncio.wait(set(self.saying))
        if self.failure:
            raise Error(f"the member is gone: {self.failure}")

    async def _line(self):
        while b"\n" not in self.rest:
            part = await asyncio.wait_for(self.events.part(), SILENCE)
            if not part or len(self.rest) > LONGEST:
                raise Error("the member has ended the candidacy")
            self.rest += part
        line, _, self.rest = self.rest.partition(b"\n")
        return line

    async def hear(self):
        """The name of the next event, and what it says; a refusal is raised."""
        event = {}
        while not event.get("data"):
            try:
                add_line(event, await self._line())
            except (OSError, EOFError, ValueError, AttributeError, asyncio.TimeoutError) as error:
                raise Error(f"the member is gone: {error}") from error
        return message_of(event)

    async def expect(self, wanted):
        return expected(await self.hear(), wanted)

    def close(self):
        self.events.close()
        self.requests.close()
