#!/usr/bin/env python3
"""Rights, limits, and clients that do not do their part:
tests/server/test_server_safety.py ORIGO [TEST]..."""

import gzip
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time

import server_support as support
from server_support import (JSON, LAMP, NDJSON, TEXT, check, equal, promised)

READ, WRITE, ADMIN = ("r" * 20, "w" * 20, "a" * 20)


def bearer(token, more=None):
    return dict(more or {}, Authorization="Bearer " + token)


def token_file(folder, lines):
    path = os.path.join(folder, "tokens")
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")
    return path


def wait_for(what, seconds=60):
    """Until it is true: for what another process does in its own time."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def test_roles(origo):
    with tempfile.TemporaryDirectory() as folder:
        path = token_file(folder, ["# tokens", "", READ + " read",
                                   WRITE + "\twrite", ADMIN + " admin"])
        with support.Server(origo, "--tokens", path, listen=":0") as server:
            server.host = "127.0.0.1"
            cases = [
                ("GET", "/healthz", None, 200, 200, 200, 200),
                ("GET", "/openapi.json", None, 200, 200, 200, 200),
                ("GET", "/v1/stats", None, 401, 200, 200, 200),
                ("GET", "/metrics", None, 401, 200, 200, 200),
                ("POST", "/v1/trace", LAMP, 401, 200, 200, 200),
                ("POST", "/v1/trace?add=true&id=t", LAMP, 401, 403, 200, 200),
                ("POST", "/v1/documents?id=d", LAMP, 401, 403, 201, 200),
                ("DELETE", "/v1/documents/d", None, 401, 403, 403, 204),
                ("GET", "/v1/watches", None, 401, 200, 200, 200),
            ]
            for method, path_, body, *expected in cases:
                for token, status in zip((None, READ, WRITE, ADMIN), expected):
                    headers = bearer(token, TEXT) if token else TEXT
                    seen, given, _ = server.ask(method, path_, body, headers)
                    equal((method, path_, token, seen),
                          (method, path_, token, status))
                    if status == 401:
                        assert given["WWW-Authenticate"].startswith("Bearer")
            for wrong in (READ[:-1], READ + "r", "", "x" * 5000):
                equal(server.ask("GET", "/v1/stats", None,
                                 bearer(wrong))[0], 401)
            equal(server.ask("GET", "/v1/stats", None,
                             {"Authorization": "Basic " + READ})[0], 401)
            # SIGHUP reads the file again; a broken one changes nothing.
            token_file(folder, ["n" * 20 + " read"])
            server.process.send_signal(signal.SIGHUP)
            wait_for(lambda: "tokens read again" in server.log())
            equal(server.ask("GET", "/v1/stats", None, bearer(READ))[0], 401)
            equal(server.ask("GET", "/v1/stats", None,
                             bearer("n" * 20))[0], 200)
            token_file(folder, ["n" * 20 + " king"])
            server.process.send_signal(signal.SIGHUP)
            wait_for(lambda: "the old tokens remain" in server.log())
            equal(server.ask("GET", "/v1/stats", None,
                             bearer("n" * 20))[0], 200)


def test_hosts_and_origins(origo):
    with support.Server(origo, "--host", "origo.test", "--allow-origin",
                        "chrome-extension://*") as server:
        def ask(**headers):
            return server.ask("GET", "/v1/stats", None, headers)
        equal(ask(Host="evil.example")[0], 421)
        equal(ask(Host="origo.test:80")[0], 200)
        equal(ask(Host="localhost:%d" % server.port)[0], 200)
        equal(ask(Origin="https://evil.example")[0], 403)
        equal(ask(Origin="null")[0], 403)
        equal(ask(Origin="http://127.0.0.1:%d" % server.port)[0], 200)
        status, given, _ = ask(Origin="chrome-extension://abc")
        equal((status, given["Access-Control-Allow-Origin"]),
              (200, "chrome-extension://abc"))
        assert "Access-Control-Allow-Origin" not in ask()[1]


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data,
                          capture_output=True, check=True).stdout


def test_packed_bodies(origo):
    with support.Server(origo, "--max-body", "1M") as server:
        def trace(body, encoding, kind=TEXT, path="/v1/trace?id=x"):
            return server.ask("POST", path, body,
                              dict(kind, **{"Content-Encoding": encoding}))
        text = LAMP.encode()
        n_tokens = server.ask("POST", "/v1/trace", LAMP, TEXT)[2]["n_tokens"]
        two = gzip.compress(text[:50]) + gzip.compress(text[50:])
        packed = [("gzip", gzip.compress(text)), ("gzip", two)]
        if shutil.which("zstd"):
            packed += [("zstd", zstd(text)),
                       ("zstd", zstd(text[:50]) + zstd(text[50:]))]
        for encoding, body in packed:
            status, _, data = trace(body, encoding)
            equal((status, data["n_tokens"]), (200, n_tokens))
            equal(trace(body[:-3], encoding)[0], 400)
            equal(trace(b"x" + body, encoding)[0], 400)
        equal(trace(text, "identity")[0], 200)
        equal(trace(text, "deflate")[0], 415)
        # A bomb is not unpacked.
        equal(trace(gzip.compress(bytes(64 << 20)), "gzip")[0], 413)
        if shutil.which("zstd"):
            equal(trace(zstd(bytes(64 << 20)), "zstd")[0], 413)
        lines = b"".join(b'{"id":"p%d","text":"x %d"}\n' % (i, i)
                         for i in range(500))
        status, _, data = trace(gzip.compress(lines), "gzip", NDJSON,
                                "/v1/documents")
        equal((status, data.count(b"added")), (200, 500))


def test_limits(origo):
    with support.Server(origo, "--max-body", "100k", "--max-document", "50k",
                        "--max-stream", "300k") as server:
        equal(server.status_of_big("/v1/trace", lambda: "x" * 60000, TEXT), 413)
        equal(server.ask("POST", "/v1/trace", "x " * 20000, TEXT)[0], 200)
        equal(server.status_of_big("/v1/trace", lambda: "x" * 100001, TEXT),
              413)
        # Without a length the end decides.
        equal(server.status_of_big("/v1/trace",
                                   lambda: iter([b"y" * 60000] * 2), TEXT), 413)
        # Far too long, without a length: the connection is closed, or told.
        s = server.raw(b"POST /v1/trace HTTP/1.1\r\nHost: localhost\r\n"
                       b"Content-Type: text/plain\r\n"
                       b"Transfer-Encoding: chunked\r\n\r\n")
        piece = b"10000\r\n" + bytes(65536) + b"\r\n"
        try:
            for _ in range(400):
                s.sendall(piece)
            raise AssertionError("25 MB were taken")
        except OSError:
            pass
        s.close()
        equal(server.status_of_big("/v1/documents", lambda: "{}\n" * 200000,
                                   NDJSON), 413)
        # A line that does not end.
        equal(server.status_of_big("/v1/documents",
                                   lambda: iter([b"z" * 60000] * 4), NDJSON),
              413)
        equal(server.ask("GET", "/healthz")[0], 200)
        s = server.raw(b"GET /" + b"u" * 40000 + b" HTTP/1.1\r\n\r\n")
        assert support.read_all(s)[:12] in (b"HTTP/1.1 414", b"HTTP/1.1 413",
                                            b"HTTP/1.1 431", b"")
        s.close()


def test_slow_requests(origo):
    with support.Server(origo, "--timeout", "1") as server:
        # A body that does not come, one that comes too slowly, a head that
        # does not end.
        head = (b"POST /v1/trace HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: text/plain\r\nContent-Length: 100\r\n\r\n")
        half = server.raw(head + b"half")
        whisper = server.raw(head)
        no_head = server.raw(b"GET /healthz HTT")
        silent = server.raw()
        whisper.settimeout(0.1)
        answer = b""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                whisper.sendall(b".")
                answer += whisper.recv(65536)
                if b"408" in answer:
                    break
            except socket.timeout:
                continue
            except OSError:
                break
        whisper.settimeout(60)
        answer += support.read_all(whisper)
        assert answer.startswith(b"HTTP/1.1 408"), answer
        head, body = answer.split(b"\r\n\r\n", 1)
        kind = re.search(rb"\r\nContent-Type: (\S+)", head)[1].decode()
        check(promised("POST", "/v1/trace", 408, kind), json.loads(body))
        equal(int(re.search(rb"\r\nContent-Length: (\d+)", head)[1]), len(body))
        for s in (half, no_head, silent):
            answer = support.read_all(s)
            assert answer == b"" or answer.startswith(b"HTTP/1.1 408"), answer
            s.close()
        whisper.close()
        equal(server.ask("GET", "/healthz")[0], 200)


def test_broken_requests(origo):
    with support.Server(origo) as server:
        for data in (b"\r\n\r\n\r\n", b"GET\r\n\r\n", b"\0\0\0\0",
                     b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00",
                     b"POST /v1/trace HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                     b"POST /v1/trace HTTP/1.1\r\nContent-Length: 99999999999"
                     b"99999999999\r\n\r\n",
                     b"POST /v1/trace HTTP/1.1\r\nTransfer-Encoding: chunked"
                     b"\r\nContent-Type: text/plain\r\n\r\nzz\r\n"):
            s = server.raw(data)
            s.shutdown(socket.SHUT_WR)
            support.read_all(s)
            s.close()
        equal(server.ask("GET", "/healthz")[0], 200)


def test_long_answer(origo):
    """What a stream is answered waits in memory: not without end."""
    with support.Server(origo) as server:
        first = json.dumps({"id": "a", "text": LAMP}) + "\n"
        # As many lines as it takes when each is answered like this one.
        wrong = server.ask("POST", "/v1/documents", "x\n", NDJSON)[2]
        status, _, problem = server.ask(
            "POST", "/v1/documents",
            first + "x\n" * ((64 << 20) // len(wrong) + 1), NDJSON)
        equal(status, 413)
        assert "are stored" in problem["detail"], problem
        equal(server.ask("GET", "/v1/documents/a")[0], 200)
        equal(server.ask("POST", "/v1/documents", first, NDJSON)[0], 200)


def test_many_connections(origo):
    n = min(10000, support.raise_files() - 200)
    if n < 1000:
        return "too few open files are allowed"
    with support.Server(origo) as server:
        idle = [server.raw() for _ in range(n)]
        half = [server.raw(b"POST /v1/trace HTTP/1.1\r\nHost: localhost\r\n")
                for _ in range(100)]
        server.add("a", LAMP)
        for _ in range(50):
            answer = server.ask("POST", "/v1/trace", "x " + LAMP, TEXT)
            equal(answer[2]["dominant"]["id"], "a")
        stats = server.ask("GET", "/v1/stats")[2]
        assert stats["n_connections"] >= n, stats
        assert stats["resident_bytes"] < 1 << 30, stats
        for s in idle + half:
            s.close()


def test_most_connections(origo):
    """Beyond the limit a client waits until another one leaves."""
    with support.Server(origo, "--max-connections", "5") as server:
        held = [server.connect() for _ in range(5)]
        for connection in held:
            equal(server.ask("GET", "/healthz", connection=connection)[0], 200)
        late = server.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
                          b"Connection: close\r\n\r\n", timeout=1)
        try:
            equal(late.recv(1), "nothing: there is no room")
        except socket.timeout:
            pass
        held.pop().close()
        late.settimeout(60)
        assert support.read_all(late).startswith(b"HTTP/1.1 200 OK"), "waits"
        late.close()
        for connection in held:
            equal(server.ask("GET", "/healthz", connection=connection)[0], 200)
            connection.close()


def test_full_queue(origo):
    """A queue of one: of many additions at a time some are told to wait."""
    with support.Server(origo, "--queue", "1") as server:
        body = json.dumps({"id": "big", "text": " ".join(
            "word%d" % i for i in range(100000))}).encode()
        head = (b"POST /v1/documents HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\nConnection: close\r\n"
                b"Content-Length: %d\r\n\r\n" % len(body))
        clients = [server.raw(head + body) for _ in range(16)]
        answers = [support.read_all(s) for s in clients]
        statuses = [a[9:12] for a in answers]
        assert set(statuses) <= {b"200", b"201", b"429"}, statuses
        equal(statuses.count(b"201"), 1)
        for a in answers:
            if a[9:12] == b"429":
                assert b"Retry-After: 1" in a, a


def test_unix_socket(origo):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "o.sock")
        with support.Server(origo, listen="unix:" + path) as server:
            equal(server.address, "unix:" + path)
            equal(os.stat(path).st_mode & 0o777, 0o660)
            s = socket.socket(socket.AF_UNIX)
            s.connect(path)
            s.sendall(b"GET /healthz HTTP/1.1\r\nHost: any\r\n"
                      b"Connection: close\r\n\r\n")
            assert support.read_all(s).endswith(b"ok\n")
            s.close()
            equal(server.stop(), 0)
            assert not os.path.exists(path)


def test_handed_over_socket(origo):
    """As systemd does it: the socket is file 3 of the process."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    script = ("import os,sys; fd=int(sys.argv[1]);"
              "os.dup2(fd,3,inheritable=True) if fd!=3 else "
              "os.set_inheritable(3,True);"
              "os.environ.update(LISTEN_PID=str(os.getpid()),LISTEN_FDS='1');"
              "os.execv(sys.argv[2],sys.argv[2:])")
    with support.Server(origo, listen="127.0.0.1:1",
                        pass_fds=(listening.fileno(),),
                        prefix=("python3", "-c", script,
                                str(listening.fileno()))) as server:
        equal(server.port, listening.getsockname()[1])
        listening.close()
        equal(server.ask("GET", "/healthz")[0], 200)


def test_tls(origo):
    with tempfile.TemporaryDirectory() as folder:
        key, cert = (os.path.join(folder, n) for n in ("key", "cert"))
        try:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048",
                            "-nodes", "-keyout", key, "-out", cert, "-days",
                            "2", "-subj", "/CN=localhost", "-addext",
                            "subjectAltName=DNS:localhost"], check=True,
                           capture_output=True)
        except FileNotFoundError:
            return "openssl is missing"
        with support.Server(origo, "--tls-cert", cert, "--tls-key",
                            key) as server:
            assert server.address.startswith("https://")
            context = ssl.create_default_context(cafile=cert)
            with socket.create_connection(("127.0.0.1", server.port),
                                          timeout=60) as plain:
                with context.wrap_socket(
                        plain, server_hostname="localhost") as s:
                    body = LAMP.encode()
                    s.sendall(b"POST /v1/trace HTTP/1.1\r\nHost: localhost\r\n"
                              b"Content-Type: text/plain\r\nConnection: close"
                              b"\r\nContent-Length: %d\r\n\r\n%s"
                              % (len(body), body))
                    answer = support.read_all(s)
            assert answer.startswith(b"HTTP/1.1 200"), answer
            # Who does not speak TLS is no danger.
            s = server.raw(b"GET /healthz HTTP/1.1\r\n\r\n")
            support.read_all(s)
            s.close()


if __name__ == "__main__":
    support.main(globals())
