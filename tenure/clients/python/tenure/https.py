"""Lead an office by a member on another host, over HTTPS, with a token for that office.

docs/reference/http.md specifies it: the member's messages are the events of one answer, and the program's are requests.
"""

import http.client
import json
import socket
import threading
from urllib.parse import quote, urlsplit

from ._protocol import LONGEST, Error, Refused, expected, message, present

# The member sends something every 5 seconds, and answers at once. Who is silent for longer is gone.
SILENCE = 15.0


def headers(token):
    if not token.isascii() or not token.isprintable():
        raise ValueError("a token is one line of ASCII")
    return {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}


def standing_path(office):
    return f"/v1/offices/{quote(office, safe='')}/stand"


def refusal(status, why):
    """The error of an answer without success."""
    why = why.decode(errors="replace").strip()
    code = {400: "invalid", 401: "forbidden", 403: "forbidden"}.get(status)
    return Refused(code, why) if code else Error(f"the member answers {status}: {why}")


def add_line(event, line):
    # A line without a name says that the member is there.
    name, _, content = line.decode(errors="replace").partition(":")
    event[name] = content.strip()


def message_of(event):
    return message(f'{{"{event.get("event")}":{event["data"]}}}\n'.encode())


class Requests:
    """A connection to a member that may be made again."""

    def __init__(self, url, token, context):
        self.url, self.context, self.headers = urlsplit(url), context, headers(token)
        self.connection = self.socket = None

    def post(self, path, content):
        """Returns the answer, whose body is still to be read."""
        kept = self.connection is not None
        try:
            return self._post(path, content)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            # The member closes a connection that was idle.
            if kept and isinstance(error, ConnectionError):
                return self.post(path, content)
            raise Error(f"the member is gone: {error}") from error

    def _post(self, path, content):
        if self.connection is None:
            host, port = self.url.hostname, self.url.port
            if self.url.scheme == "https":
                self.connection = http.client.HTTPSConnection(host, port, timeout=SILENCE, context=self.context)
            else:
                self.connection = http.client.HTTPConnection(host, port, timeout=SILENCE)
            self.connection.connect()
            self.socket = self.connection.sock
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection.request("POST", path, json.dumps(content), self.headers)
        return self.connection.getresponse()

    def close(self):
        if self.socket is not None:
            try:
                # Wakes a thread that reads.
                self.socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.socket.close()
        self.connection = self.socket = None


class Candidacy:
    """What a connection to a member's socket is for a program of its host."""

    def __init__(self, url, token, context, office, fields):
        self.saying = threading.Lock()
        self.events, self.requests = Requests(url, token, context), Requests(url, token, context)
        try:
            self.answer = self.events.post(standing_path(office), fields)
            self._check(self.answer, 200)
            self.key = expected(self.hear(), "hello")["candidacy"]
        except BaseException:
            self.close()
            raise

    @staticmethod
    def _check(answer, status):
        if answer.status != status:
            raise refusal(answer.status, answer.read(LONGEST))

    def say(self, name, **fields):
        with self.saying:
            answer = self.requests.post(f"/v1/candidacies/{self.key}", {name: present(fields)})
            self._check(answer, 204)
            answer.read()

    def hear(self):
        """The name of the next event, and what it says; a refusal is raised."""
        event = {}
        while not event.get("data"):
            try:
                line = self.answer.readline(LONGEST)
            except (OSError, ValueError, AttributeError, http.client.HTTPException) as error:
                raise Error(f"the member is gone: {error}") from error
            if not line.endswith(b"\n"):
                raise Error("the member has ended the candidacy")
            add_line(event, line)
        return message_of(event)

    def expect(self, wanted):
        return expected(self.hear(), wanted)

    def close(self):
        self.events.close()
        self.requests.close()
