"""What the tests of the server share: a real server on a free port, and
requests."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from run_cases import main  # noqa: E402,F401

try:
    import jsonschema
except ImportError:
    jsonschema = None

LAMP = ("The old lighthouse will be lit again in spring, once the lamp has been "
        "brought back from the museum where it has stood for forty years, said "
        "the mayor of the town to a crowd that had come in spite of the rain.")
OWN = ("Nobody had asked the keeper, who learned it from a notice on the door of "
       "the bakery and went home without a word to anyone at all.")
JSON = {"Content-Type": "application/json"}
TEXT = {"Content-Type": "text/plain"}
NDJSON = {"Content-Type": "application/x-ndjson"}
CHUNKED = "Transfer-Encoding: chunked"


class Server:
    """A server that is stopped at the end of its `with`."""

    def __init__(self, origo, *options, store=None, listen="127.0.0.1:0",
                 env=None, pass_fds=(), prefix=()):
        self.folder = None
        if store is None:
            self.folder = tempfile.mkdtemp(prefix="origo-server-")
            store = os.path.join(self.folder, "s")
        self.store = store
        self.log_path = tempfile.mkstemp(prefix="origo-server-log-")[1]
        with open(self.log_path, "w") as log:
            self.process = subprocess.Popen(
                [*prefix, origo, "serve", "-s", store, "--memory", "16M",
                 "--listen", listen, *options], stdout=subprocess.PIPE,
                stderr=log, text=True, env=env, pass_fds=pass_fds)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            self.process.wait()
            raise RuntimeError("not started: " + self.log())
        self.address = line.split()[2]
        if self.address.startswith("http"):
            place = self.address.split("://")[1]
            self.host, port = place.rsplit(":", 1)
            self.port = int(port)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.stop()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
        os.unlink(self.log_path)

    def log(self):
        with open(self.log_path) as log:
            return log.read()

    def stop(self, sign=signal.SIGTERM):
        """Its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(sign)
        try:
            status = self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError("the server does not end: " + self.log())
        finally:
            self.process.stdout.close()
        text = self.log()
        assert "Sanitizer" not in text and "runtime error" not in text, text
        return status

    def connect(self, timeout=60):
        return http.client.HTTPConnection(self.host, self.port,
                                          timeout=timeout)

    def ask(self, method, path, body=None, headers=None, connection=None):
        """(status, headers, body): the body decoded when it is JSON."""
        own = connection is None
        connection = connection or self.connect()
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            data = answer.read()
        finally:
            if own:
                connection.close()
        if method == "HEAD":
            return answer.status, answer.headers, data
        return answer.status, answer.headers, decode(answer.headers, data)

    def status_of_big(self, path, body, headers):
        """The status of a body that is refused before it was all sent. The
        system may drop an answer that comes then: it is asked again."""
        for _ in range(50):
            connection = self.connect()
            try:
                try:
                    connection.request("POST", path, body(), headers)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the answer may be there all the same
                return connection.getresponse().status
            except (ConnectionError, http.client.HTTPException):
                pass
            finally:
                connection.close()
        raise AssertionError("no answer came through")

    def add(self, id, text, **more):
        return self.ask("POST", "/v1/documents",
                        json.dumps(dict(id=id, text=text, **more)), JSON)

    def raw(self, data=b"", timeout=60):
        s = socket.create_connection((self.host, self.port), timeout=timeout)
        if data:
            s.sendall(data)
        return s


def line_of(id, text="some text"):
    return json.dumps({"id": id, "text": text}).encode() + b"\n"


def added(id):
    return {"id": id, "result": "added"}


class Stream:
    """One request, sent piece by piece, and its answer, read as it comes."""

    def __init__(self, server, *headers, path="/v1/documents", version="1.1",
                 sock=None):
        self.sock = sock or server.raw()
        self.reader = self.sock.makefile("rb")
        self.sock.sendall("\r\n".join(
            ["POST %s HTTP/%s" % (path, version), "Host: localhost",
             "Content-Type: application/x-ndjson", *headers, "", ""]).encode())

    def send(self, data):
        self.sock.sendall(b"%x\r\n%s\r\n" % (len(data), data))

    def end(self):
        self.sock.sendall(b"0\r\n\r\n")

    def head(self):
        """(status, headers)"""
        line = self.reader.readline()
        if not line:
            raise ConnectionError("there is no answer")
        status = int(line.split()[1])
        return status, http.client.parse_headers(self.reader)

    def chunk(self):
        """The next; b"" is the last one, None a connection that is closed."""
        try:
            size = self.reader.readline()
            if not size.endswith(b"\n"):
                return None
            data = self.reader.read(int(size, 16) + 2)
        except ConnectionError:
            return None
        return data[:-2]

    def lines(self):
        """Of all chunks that follow, and whether the last one came."""
        data = b""
        while True:
            chunk = self.chunk()
            if not chunk:
                return [json.loads(x) for x in data.splitlines()], chunk == b""
            data += chunk

    def close(self):
        self.reader.close()
        self.sock.close()


def decode(headers, data):
    kind = headers.get("Content-Type", "")
    if kind.startswith(("application/json", "application/problem+json")):
        return json.loads(data)
    return data


def load(path):
    with open(ROOT / path, encoding="utf-8") as f:
        return json.load(f)


OPENAPI = load("server/openapi.json")


def resolve(schema):
    """$ref to components as definitions of the schema itself."""
    text = json.dumps(schema).replace("#/components/schemas/", "#/definitions/")
    whole = json.loads(text)
    whole["definitions"] = json.loads(json.dumps(
        OPENAPI["components"]["schemas"]).replace(
            "#/components/schemas/", "#/definitions/"))
    return whole


def check(schema, value):
    if jsonschema is not None:
        jsonschema.validate(value, schema)


def promised(method, path, status, kind):
    """The schema that the document promises for an answer."""
    for pattern, item in OPENAPI["paths"].items():
        if re.fullmatch(re.sub(r"\{id\}", ".+", pattern), path):
            answers = item[method.lower()]["responses"]
            assert str(status) in answers, (method, path, status)
            content = answers[str(status)].get("content", {})
            if not content:
                return None
            assert kind in content, (method, path, status, kind)
            return resolve(content[kind]["schema"])
    raise AssertionError("not in the document: " + path)


def read_all(s):
    """Everything until the other side closes."""
    pieces = []
    with contextlib.suppress(ConnectionResetError, BrokenPipeError):
        while True:
            piece = s.recv(65536)
            if not piece:
                break
            pieces.append(piece)
    return b"".join(pieces)


def equal(seen, expected):
    if seen != expected:
        raise AssertionError("seen %r, expected %r" % (seen, expected))


def raise_files():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard
