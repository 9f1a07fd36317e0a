#!/usr/bin/env python3
"""Result lines of a stream of documents while it is still being sent."""

import http.client
import json
import os
import re
import shutil
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time
import zlib

import server_support as support
from server_support import CHUNKED, NDJSON, Stream, added, equal, line_of


def test_each_before_the_next(origo):
    with support.Server(origo, "--log", "json") as server:
        s = Stream(server, CHUNKED, "X-Test: 1")
        for i in range(10):
            s.send(line_of("d%d" % i))
            if i == 0:
                status, headers = s.head()
                equal((status, headers["Content-Type"]),
                      (200, "application/x-ndjson"))
                equal((headers["Connection"], headers["Cache-Control"]),
                      ("close", "no-store"))
                assert re.match(r"\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$",
                                headers["Date"]), headers["Date"]
                request_id = headers["X-Request-Id"]
            equal(json.loads(s.chunk()), added("d%d" % i))
            equal(server.ask("GET", "/v1/documents/d%d" % i)[0], 200)
        # Half a line is none; the end completes it.
        s.send(b"no document\n" + line_of("last")[:-8])
        equal(json.loads(s.chunk())["line"], 11)
        s.send(line_of("last")[-8:-1])
        s.end()
        equal(s.lines(), ([added("last")], True))
        equal(s.sock.recv(1), b"")
        s.close()
        metrics = server.ask("GET", "/metrics")[2].decode()
        assert re.search(r'requests_total\{method="POST",path="/v1/documents",'
                         r'status="2xx"\} 1\n', metrics), metrics
        server.stop()
        log = [json.loads(x) for x in server.log().splitlines()]
        own = [x for x in log if x.get("id") == request_id]
        equal([(x["status"], x["path"]) for x in own], [(200, "/v1/documents")])
        assert own[0]["out"] > 300 and own[0]["in"] > 300, own


def test_same_lines_as_late(origo):
    """In pieces that cut lines, with errors: early or late, the same lines."""
    body = b"".join(b"wrong\n" if i % 7 == 0 else
                    line_of("m%d" % (i % 900), "t %d" % (i % 900))
                    for i in range(2000))
    with support.Server(origo) as server:
        late = server.ask("POST", "/v1/documents?results=late", body, NDJSON)[2]
    late = [json.loads(x) for x in late.splitlines()]
    equal(len(late), 2000)
    for path, piece in (("?results=early", 5000), ("", 77777), ("", 13)):
        with support.Server(origo) as server:
            s = Stream(server, CHUNKED, path="/v1/documents" + path)
            for at in range(0, len(body), piece):
                s.send(body[at:at + piece])
            s.end()
            equal(s.head()[0], 200)
            equal(s.lines(), (late, True))
            s.close()


def test_who_gets_them_early(origo):
    line = line_of("a")
    length = "Content-Length: %d" % (2 * len(line))
    with support.Server(origo) as server:
        def is_early(*headers, path="/v1/documents", version="1.1", sock=None):
            s = Stream(server, *headers, path=path, version=version, sock=sock)
            if "Expect: 100-continue" in headers:
                equal(s.head()[0], 100)
            is_chunked = CHUNKED in headers
            (s.send if is_chunked else s.sock.sendall)(line)
            s.sock.settimeout(1)
            try:
                first = s.sock.recv(12, socket.MSG_PEEK) != b""
            except socket.timeout:
                first = False
            s.sock.settimeout(60)
            (s.send if is_chunked else s.sock.sendall)(line)
            if is_chunked:
                s.end()
            status, headers = s.head()
            equal(status, 200)
            if first:
                lines, whole = s.lines()
                assert whole
            else:
                data = s.reader.read(int(headers["Content-Length"]))
                lines = [json.loads(x) for x in data.splitlines()]
            equal([x["id"] for x in lines], ["a", "a"])
            s.close()
            return first

        assert is_early(CHUNKED)
        assert is_early(CHUNKED, "Expect: 100-continue")
        assert is_early(length, "Expect: 100-continue")
        assert is_early(length, path="/v1/documents?results=early")
        assert not is_early(length)
        assert not is_early(CHUNKED, path="/v1/documents?results=late")
        assert not is_early(length, path="/v1/documents?results=early",
                            version="1.0")
        # The second request of a connection.
        sock = server.raw(b"HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            piece = sock.recv(4096)
            assert piece, answer
            answer += piece
        assert is_early(CHUNKED, sock=sock)
        equal(server.ask("POST", "/v1/documents?results=soon", line,
                         NDJSON)[0], 400)


def test_http_client(origo):
    """The client of Python sends all before it reads."""
    with support.Server(origo) as server:
        connection = server.connect()
        connection.request("POST", "/v1/documents",
                           (line_of("p%d" % i) for i in range(500)), NDJSON,
                           encode_chunked=True)
        answer = connection.getresponse()
        equal([json.loads(x) for x in answer],
              [added("p%d" % i) for i in range(500)])
        connection.close()
        # Idempotent.
        connection.request("POST", "/v1/documents", iter([line_of("p7")]),
                           NDJSON, encode_chunked=True)
        equal(json.loads(connection.getresponse().read()),
              {"id": "p7", "result": "known"})
        connection.close()


def curl(*options):
    return ["curl", "-sN", "-X", "POST", "-T", ".", "-H",
            "Content-Type: application/x-ndjson", *options]


def converse(command, n=5):
    """One line after the other, each after the answer to the one before."""
    with subprocess.Popen(command, stdin=subprocess.PIPE,
                          stderr=subprocess.DEVNULL,
                          stdout=subprocess.PIPE) as process:
        for i in range(n):
            process.stdin.write(line_of("c%d" % i))
            process.stdin.flush()
            equal(json.loads(process.stdout.readline()), added("c%d" % i))
        process.stdin.close()
        equal(process.stdout.read(), b"")
        equal(process.wait(60), 0)


def test_curl(origo):
    if not shutil.which("curl"):
        return "there is no curl"
    with support.Server(origo) as server:
        converse(curl(server.address + "/v1/documents"))
    folder = tempfile.mkdtemp(prefix="origo-early-")
    path = os.path.join(folder, "s.sock")
    with support.Server(origo, listen="unix:" + path):
        converse(curl("--unix-socket", path, "http://localhost/v1/documents"))
    shutil.rmtree(folder)


def test_tls(origo):
    if not shutil.which("openssl"):
        return "there is no openssl"
    folder = tempfile.mkdtemp(prefix="origo-early-")
    cert, key = os.path.join(folder, "c.pem"), os.path.join(folder, "k.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
                    "-subj", "/CN=localhost", "-keyout", key, "-out", cert,
                    "-days", "2"], check=True, stderr=subprocess.DEVNULL)
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with support.Server(origo, "--tls-cert", cert, "--tls-key",
                        key) as server:
        if shutil.which("curl"):
            converse(curl("-k", server.address + "/v1/documents"))
        # More than a socket takes at once, in both directions at a time.
        s = Stream(server, CHUNKED, sock=context.wrap_socket(server.raw()))
        for i in range(30):
            s.send(b"x\n" * 20000)
        s.send(line_of("a"))
        s.end()
        equal(s.head()[0], 200)
        lines, whole = s.lines()
        equal((len(lines), lines[-1], whole), (600001, added("a"), True))
        equal([x["line"] for x in lines[:-1]], list(range(1, 600001)))
        s.close()
        # Closed in the middle.
        for _ in range(20):
            s = Stream(server, CHUNKED, sock=context.wrap_socket(server.raw()))
            s.send(b"x\n" * 20000)
            s.close()
        s = Stream(server, CHUNKED, sock=context.wrap_socket(server.raw()))
        s.send(line_of("b"))
        equal(s.head()[0], 200)
        equal(json.loads(s.chunk()), added("b"))
        s.close()
    shutil.rmtree(folder)


def test_packed(origo):
    with support.Server(origo) as server:
        s = Stream(server, CHUNKED, "Content-Encoding: gzip")
        pack = zlib.compressobj(wbits=31)
        for i in range(3):
            s.send(pack.compress(line_of("z%d" % i))
                   + pack.flush(zlib.Z_SYNC_FLUSH))
            if i == 0:
                s.head()
            equal(json.loads(s.chunk()), added("z%d" % i))
        s.send(pack.flush())
        s.end()
        equal(s.lines(), ([], True))
        s.close()
        # Broken after the first line: it stays acknowledged.
        for tail in (b"no gzip at all", b""):
            s = Stream(server, CHUNKED, "Content-Encoding: gzip")
            pack = zlib.compressobj(wbits=31)
            s.send(pack.compress(line_of("y")) + pack.flush(zlib.Z_SYNC_FLUSH))
            s.head()
            equal(json.loads(s.chunk())["id"], "y")
            if tail:
                s.send(tail)
            s.end()
            lines, whole = s.lines()
            equal((lines[-1]["status"], whole), (400, False))
            s.close()
        # Broken before it: a status.
        s = Stream(server, CHUNKED, "Content-Encoding: gzip")
        s.send(b"no gzip at all")
        s.end()
        equal(s.head()[0], 400)
        s.close()


def test_problems(origo):
    with support.Server(origo, "--max-body", "50k", "--max-stream",
                        "200k") as server:
        # A line that does not end, a stream that is too long.
        for piece, n in ((b"z" * 30000, 2), (line_of("b", "t " * 10000), 11)):
            s = Stream(server, CHUNKED)
            s.send(line_of("a"))
            s.head()
            equal(json.loads(s.chunk())["id"], "a")
            for _ in range(n):
                s.send(piece)
            s.end()
            lines, whole = s.lines()
            last = lines[-1]
            equal((last["title"], last["status"], whole),
                  ("Content Too Large", 413, False))
            assert last["instance"] and last["detail"], last
            s.close()
        # Not HTTP any more.
        s = Stream(server, CHUNKED)
        s.send(line_of("a"))
        s.head()
        equal(json.loads(s.chunk())["id"], "a")
        s.sock.sendall(b"this is no chunk\r\n\r\n")
        assert b"\r\n0\r\n\r\n" not in support.read_all(s.sock)
        s.close()
        equal(server.ask("GET", "/healthz")[0], 200)


def test_rights(origo):
    folder = tempfile.mkdtemp(prefix="origo-early-")
    tokens = os.path.join(folder, "tokens")
    with open(tokens, "w") as out:
        out.write("reader-0123456789abcdef read\n"
                  "writer-0123456789abcdef write\n")
    with support.Server(origo, "--tokens", tokens) as server:
        for headers, status in (((), 401), (("reader",), 403)):
            s = Stream(server, CHUNKED, "Expect: 100-continue", *(
                "Authorization: Bearer %s-0123456789abcdef" % who
                for who in headers))
            equal(s.head()[0], status)
            s.close()
        s = Stream(server, CHUNKED,
                   "Authorization: Bearer writer-0123456789abcdef")
        s.send(line_of("a"))
        equal(s.head()[0], 200)
        equal(json.loads(s.chunk()), added("a"))
        s.close()
    shutil.rmtree(folder)


def connections(server):
    return server.ask("GET", "/v1/stats")[2]["n_connections"]


def wait_until(holds, what):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def test_half_closed_and_gone(origo):
    with support.Server(origo) as server:
        # All is sent, and the client says that it will send no more.
        s = Stream(server, CHUNKED)
        for i in range(50):
            s.send(line_of("h%d" % i))
        s.end()
        s.sock.shutdown(socket.SHUT_WR)
        s.head()
        lines, whole = s.lines()
        equal((len(lines), whole), (50, True))
        s.close()
        # Not all was sent.
        s = Stream(server, CHUNKED)
        s.send(line_of("h1") + b'{"id":"half')
        s.head()
        equal(json.loads(s.chunk())["id"], "h1")
        s.sock.shutdown(socket.SHUT_WR)
        equal(s.lines(), ([], False))
        s.close()
        equal(server.ask("GET", "/v1/documents/half")[0], 404)
        # Reset, with results under way.
        for i in range(50):
            s = Stream(server, CHUNKED)
            s.send(line_of("g%d" % i) + b"x\n" * (i * 2000))
            s.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                              struct.pack("ii", 1, 0))
            s.close()
        wait_until(lambda: connections(server) <= 1, "connections stay open")


def test_slow(origo):
    """Who sends nothing is disconnected, without a second status."""
    with support.Server(origo, "--timeout", "1") as server:
        s = Stream(server, CHUNKED)
        s.send(line_of("a"))
        s.head()
        equal(json.loads(s.chunk()), added("a"))
        equal(s.sock.recv(100), b"")
        s.close()
        s = Stream(server, CHUNKED)
        s.send(line_of("b"))
        s.head()
        equal(json.loads(s.chunk()), added("b"))
        s.sock.settimeout(0.2)
        wait_until(lambda: is_closed(s.sock), "a slow client may stay")
        s.close()


def is_closed(sock):
    """Sends a byte of a chunk now and then."""
    try:
        sock.sendall(b"1\r\nx\r\n")
        data = sock.recv(100)
    except socket.timeout:
        return False
    except OSError:
        return True
    equal(data, b"")
    return True


def resident(server):
    with open("/proc/%d/statm" % server.process.pid) as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def send_without_reading(s, most, result):
    """Bad lines, each of which is answered with many bytes."""
    piece = b"x\n" * 8000
    try:
        for i in range(most // len(piece)):
            s.send(piece)
            result["n"] = (i + 1) * 8000
        s.end()
    except OSError as e:
        result["error"] = e


def test_client_that_does_not_read(origo):
    """It is sent no more than it reads; what waits is bounded; when it reads,
    it gets everything."""
    with support.Server(origo) as server:
        before = resident(server)
        s = Stream(server, CHUNKED)
        result = {"n": 0}
        sender = threading.Thread(target=send_without_reading,
                                  args=(s, 6 << 20, result))
        sender.start()
        # It comes to a halt: fewer lines than it wants to send.
        last = [-1, 0]

        def has_stopped():
            stays = last[0] == result["n"] and result["n"] > 0
            last[1] = last[1] + 1 if stays else 0
            last[0] = result["n"]
            return last[1] > 40
        wait_until(has_stopped, "it is read for ever")
        assert result["n"] < 3 << 20, result
        if "-asan" not in origo:
            grown = resident(server) - before
            assert grown < 300 << 20, grown
        equal(server.ask("GET", "/healthz")[0], 200)
        equal(s.head()[0], 200)
        lines, whole = s.lines()
        sender.join()
        assert whole and "error" not in result, result
        equal([x["line"] for x in lines], list(range(1, result["n"] + 1)))
        s.close()


def test_client_that_never_reads(origo):
    """Who only reads at the end is told where it was ended."""
    with support.Server(origo, "--timeout", "3") as server:
        s = Stream(server, CHUNKED)
        result = {"n": 0}
        send_without_reading(s, 6 << 20, result)
        if "error" not in result:
            s.head()
            lines, whole = s.lines()
            equal((lines[-1]["status"], whole), (413, False))
            equal([x["line"] for x in lines[:-1]],
                  list(range(1, len(lines))))
            assert len(lines) < result["n"]
        s.close()
        equal(server.ask("GET", "/healthz")[0], 200)
        wait_until(lambda: connections(server) <= 1, "it stays open")


def test_stopping(origo):
    """An open stream does not hold up the end, and is told of it."""
    with support.Server(origo) as server:
        streams = []
        for i in range(5):
            s = Stream(server, CHUNKED)
            s.send(line_of("s%d" % i))
            s.head()
            equal(json.loads(s.chunk()), added("s%d" % i))
            streams.append(s)
        began = time.monotonic()
        equal(server.stop(), 0)
        assert time.monotonic() - began < 20
        for s in streams:
            lines, whole = s.lines()
            equal(([x["status"] for x in lines], whole), ([503], False))
            s.close()


def test_kill(origo):
    """kill -9 while streams run: what was acknowledged is there."""
    folder = tempfile.mkdtemp(prefix="origo-early-")
    store = os.path.join(folder, "s")
    with support.Server(origo, store=store) as server:
        seen = [[] for _ in range(4)]

        def run(k):
            try:
                s = Stream(server, CHUNKED)
                for i in range(100000):
                    s.send(line_of("k%d.%d" % (k, i), "text %d" % i))
                    if i == 0:
                        s.head()
                    seen[k].append(json.loads(s.chunk())["id"])
            except (OSError, ValueError, TypeError, IndexError,
                    http.client.HTTPException):
                pass
        threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        wait_until(lambda: min(len(x) for x in seen) > 50, "nothing is added")
        server.process.kill()
        for t in threads:
            t.join()
        server.process.wait()
    with support.Server(origo, store=store) as server:
        for id in (id for ids in seen for id in ids):
            equal(server.ask("GET", "/v1/documents/%s?text=false" % id)[0], 200)
    shutil.rmtree(folder)


def test_many_at_a_time(origo):
    with support.Server(origo) as server:
        streams = [Stream(server, CHUNKED) for _ in range(200)]
        for i in range(5):
            for k, s in enumerate(streams):
                s.send(line_of("n%d.%d" % (k, i)))
            for k, s in enumerate(streams):
                if i == 0:
                    equal(s.head()[0], 200)
                equal(json.loads(s.chunk()), added("n%d.%d" % (k, i)))
        for s in streams:
            s.end()
        for s in streams:
            equal(s.lines(), ([], True))
            s.close()
        equal(server.ask("GET", "/v1/stats")[2]["n_documents"], 1000)


if __name__ == "__main__":
    support.main(globals())
