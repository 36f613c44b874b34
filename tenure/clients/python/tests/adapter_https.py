"""As adapter.py, for a program that stands over HTTPS: an HTTP server of its own stands between it and the member."""

import json
import secrets
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

import adapter
import tenure

said_to = {}


class Between(BaseHTTPRequestHandler):
    """Carries what is said between HTTP and the member's socket, as a member does."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        *_, name, last = self.path.split("/")
        if last == "stand":
            self.stand(unquote(name), content)
        elif last in said_to:
            said_to[last].sendall(json.dumps(content).encode() + b"\n")
            self.answer(204)
        else:
            self.answer(404)

    def answer(self, code):
        self.send_response(code)
        self.send_header("Content-Length", "0") if code != 204 else None
        self.end_headers()

    def stand(self, office, content):
        member, key = socket.socket(socket.AF_UNIX), secrets.token_hex()
        try:
            member.connect(tenure.find())
            member.sendall(b'{"hello":{"versions":[1]}}\n')
            lines = member.makefile("rb")
            first = lines.readline()
            member.sendall(json.dumps({"stand": {"office": office, **content}}).encode() + b"\n")
        except (OSError, tenure.Error):
            return self.answer(503)
        said_to[key] = member
        threading.Thread(target=self.notice_end, args=(member,), daemon=True).start()
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            self.event(first, candidacy=key)
            for line in lines:
                self.event(line)
        except (OSError, ValueError, AttributeError):
            pass  # One of them is gone, or the member has said what is no message.
        finally:
            del said_to[key]
            member.close()
            self.close_connection = True

    def event(self, line, **more):
        ((name, content),) = json.loads(line).items()
        if name == "hello":
            content = {**content, **more}
        text = f": still there\n\nevent: {name}\ndata: {json.dumps(content)}\n\n".encode()
        self.wfile.write(f"{len(text):x}\r\n".encode() + text + b"\r\n")
        self.wfile.flush()

    def notice_end(self, member):
        """Nothing more comes on the connection of a candidacy but its end."""
        try:
            self.connection.recv(1)
            member.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def log_message(self, *_):
        pass


class Member(tenure.Member):
    """Asks by the socket, and stands over HTTP."""

    def stand(self, *arguments, **named):
        return remote.stand(*arguments, **named)


server = ThreadingHTTPServer(("127.0.0.1", 0), Between)
threading.Thread(target=server.serve_forever, daemon=True).start()
remote = tenure.RemoteMember(f"http://127.0.0.1:{server.server_port}", "a token of its own")
tenure.Member = Member
adapter.main()
