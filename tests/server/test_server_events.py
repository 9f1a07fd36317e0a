#!/usr/bin/env python3
"""Events, watches and webhooks: tests/server/test_server_events.py ORIGO"""

import contextlib
import hashlib
import hmac
import http.server
import json
import os
import queue
import shutil
import ssl
import subprocess
import tempfile
import threading
import time

import server_support as support
from server_support import JSON, LAMP, OWN, equal


class Events:
    """The events of a server, as they come."""

    def __init__(self, server, query=""):
        self.socket = server.raw(b"GET /v1/events%s HTTP/1.1\r\n"
                                 b"Host: localhost\r\n\r\n" % query.encode())
        self.file = self.socket.makefile("rb")
        equal(self.file.readline(), b"HTTP/1.1 200 OK\r\n")
        while self.file.readline() != b"\r\n":
            pass
        self.text = b""
        # The first comment: from now on it hears all.
        while b": origo\n\n" not in self.text:
            self.more()
        self.text = b""

    def more(self):
        size = int(self.file.readline(), 16)
        self.text += self.file.read(size)
        self.file.readline()
        return size > 0

    def next(self, kinds=("document", "copy", "removed")):
        while True:
            while b"\n\n" not in self.text:
                if not self.more():
                    return None
            event, self.text = self.text.split(b"\n\n", 1)
            fields = dict(line.split(": ", 1)
                          for line in event.decode().splitlines())
            if fields["event"] in kinds:
                return fields["event"], json.loads(fields["data"])

    def close(self):
        self.file.close()
        self.socket.close()


def test_events(origo):
    with support.Server(origo) as server:
        server.add("a", LAMP)
        events = Events(server)
        server.add("b", LAMP + " " + OWN, url="https://x.org/b", title="B")
        kind, data = events.next()
        equal((kind, data["id"], data["title"]), ("document", "b", "B"))
        equal(data["origins"][0]["id"], "a")
        assert 0 < data["novel"] < 1, data
        server.add("b", LAMP + " " + OWN, url="https://x.org/b", title="B")
        server.add("c", "something else")
        equal(events.next()[1]["id"], "c")  # what was there is no event
        server.ask("DELETE", "/v1/documents/c")
        equal(events.next(), ("removed", {"id": "c"}))
        equal(events.next(("stats",))[1]["n_documents"], 2)
        events.close()


def test_filters(origo):
    with support.Server(origo) as server:
        server.add("a", LAMP)
        by_id = Events(server, "?id=x*")
        by_host = Events(server, "?source=x.org")
        by_share = Events(server, "?min_share=0.5")
        server.add("y1", OWN, url="https://x.org/1")
        server.add("x1", OWN + " more")
        server.add("y2", "New. " + LAMP, url="http://y.org/")
        equal(by_id.next()[1]["id"], "x1")
        equal(by_host.next()[1]["id"], "y1")
        # x1 repeats y1: both are copies.
        equal([by_share.next()[1]["id"] for _ in range(2)], ["x1", "y2"])
        equal(server.ask("GET", "/v1/events?min_share=2")[0], 400)
        for e in (by_id, by_host, by_share):
            e.close()


def test_client_that_does_not_read(origo):
    with support.Server(origo) as server:
        server.add("a", LAMP)
        lazy = Events(server)
        lazy.socket.setsockopt(support.socket.SOL_SOCKET,
                               support.socket.SO_RCVBUF, 4096)
        keen = Events(server)
        title = "t" * 2000
        n = 0
        while True:
            lines = "".join(json.dumps({"id": "d%d" % (n + i), "text": "x",
                                        "title": title}) + "\n"
                            for i in range(500))
            n += 500
            status, _, _ = server.ask("POST", "/v1/documents", lines,
                                      support.NDJSON)
            equal(status, 200)
            for i in range(500):
                equal(keen.next()[1]["id"], "d%d" % (n - 500 + i))
            metrics = server.ask("GET", "/metrics")[2].decode()
            if "origo_event_clients_dropped_total 1" in metrics:
                break
            assert n < 100000, "it was never dropped"
        keen.close()
        lazy.close()


def test_most_clients(origo):
    """1024 clients have events; the next one has them when one leaves."""
    if support.raise_files() < 2048:
        return "too few open files are allowed"
    with support.Server(origo) as server:
        clients = [Events(server) for _ in range(1024)]
        equal(server.ask("GET", "/v1/events")[0], 503)
        clients.pop().close()
        until = time.monotonic() + 60
        while len(clients) < 1024:
            assert time.monotonic() < until, "there is no room"
            with contextlib.suppress(AssertionError):
                clients.append(Events(server))
        server.add("a", LAMP)
        for events in clients:
            equal(events.next()[1]["id"], "a")
            events.close()
    return None


def test_most_watches(origo):
    with support.Server(origo) as server:
        watch = json.dumps({"ids": ["a"]})
        connection = server.connect()
        for _ in range(1000):
            equal(server.ask("POST", "/v1/watches", watch, JSON, connection)[0],
                  201)
        equal(server.ask("POST", "/v1/watches", watch, JSON, connection)[0],
              409)
        watches = server.ask("GET", "/v1/watches")[2]["watches"]
        equal(len(watches), 1000)
        server.ask("DELETE", "/v1/watches/" + watches[0]["id"])
        equal(server.ask("POST", "/v1/watches", watch, JSON, connection)[0],
              201)
        connection.close()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.put((dict(self.headers), body))
        self.send_response(self.server.statuses.pop(0)
                           if self.server.statuses else 204)
        self.send_header("Content-Length", "0")
        with contextlib.suppress(OSError):  # it may have been stopped
            self.end_headers()

    def log_message(self, *args):
        pass


def test_watches(origo):
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    receiver.seen = queue.Queue()
    receiver.statuses = [500]  # the first attempt fails
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    place = "127.0.0.1:%d" % receiver.server_address[1]
    with support.Server(origo, "--webhook-host", place) as server:
        def post(**watch):
            return server.ask("POST", "/v1/watches", json.dumps(watch), JSON)
        equal(server.ask("GET", "/v1/watches")[2], {"watches": []})
        for wrong in ({}, {"ids": []}, {"ids": [1]}, {"ids": "a"},
                      {"pattern": ""}, {"pattern": "a", "min_share": 2},
                      {"pattern": "a", "x": 1}, {"ids": ["a"], "secret": "s"},
                      {"ids": ["a"], "webhook": "ftp://%s/" % place},
                      {"ids": ["a"], "webhook": "http://other.org/"},
                      {"ids": ["a"], "webhook": "http://me@%s/" % place}):
            status, _, data = post(**wrong)
            equal((wrong, status), (wrong, 400))
        status, _, first = post(ids=["a"], min_share=0.3, secret="geheim",
                                webhook="http://%s/hook?x=1" % place)
        equal(status, 201)
        assert "secret" not in first and first["signed"], first
        second = post(pattern="b*")[2]
        events = Events(server)
        server.add("a", LAMP)
        server.add("b1", OWN)
        server.add("c", LAMP + " " + OWN)
        seen = []
        while len(seen) < 2:
            kind, data = events.next()
            if kind == "copy":
                seen.append((data["watch"], data["origin"]["id"],
                             data["document"]["id"]))
        equal(sorted(seen), sorted([(first["id"], "a", "c"),
                                    (second["id"], "b1", "c")]))
        # Twice: it was tried again.
        for _ in range(2):
            headers, body = receiver.seen.get(timeout=60)
        fields = dict(part.split("=") for part in
                      headers["Origo-Signature"].split(","))
        expected = hmac.new(b"geheim", fields["t"].encode() + b"." + body,
                            hashlib.sha256).hexdigest()
        equal(fields["v1"], expected)
        equal(json.loads(body)["origin"]["id"], "a")
        equal(server.ask("GET", "/v1/watches/" + first["id"])[2]["n_notified"], 1)
        # They are there after a crash, with their secrets; only the owner
        # may read the file.
        path = os.path.join(server.store, "watches.jsonl")
        equal(os.stat(path).st_mode & 0o777, 0o600)
        server.stop(support.signal.SIGKILL)
        events.close()
        with support.Server(origo, store=server.store) as again:
            watches = again.ask("GET", "/v1/watches")[2]["watches"]
            equal({w["id"] for w in watches}, {first["id"], second["id"]})
            equal([w["signed"] for w in watches if w["id"] == first["id"]],
                  [True])
            path = "/v1/watches/" + second["id"]
            equal(again.ask("DELETE", path)[0], 204)
            equal(again.ask("DELETE", path)[0], 404)
            equal(again.ask("GET", path)[0], 404)
            equal(len(again.ask("GET", "/v1/watches")[2]["watches"]), 1)
    receiver.shutdown()
    receiver.server_close()


def make_certificate(folder, name):
    """Paths of a key and a certificate for 127.0.0.1; None without openssl."""
    key, cert = (os.path.join(folder, name + end) for end in (".key", ".pem"))
    if shutil.which("openssl") is None:
        return None
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
                    "-keyout", key, "-out", cert, "-days", "2", "-subj",
                    "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True,
                   capture_output=True)
    return key, cert


def test_webhook_tls(origo):
    """Over TLS, to a certificate that is trusted, and to no other."""
    with tempfile.TemporaryDirectory() as folder:
        own, other = (make_certificate(folder, n) for n in ("own", "other"))
        if own is None:
            return "openssl is missing"
        receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        receiver.seen, receiver.statuses = queue.Queue(), []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(own[1], own[0])
        receiver.socket = context.wrap_socket(receiver.socket, server_side=True)
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        place = "localhost:%d" % receiver.server_address[1]
        for cert in (other[1], own[1]):
            with support.Server(origo, "--webhook-host", place, "--webhook-ca",
                                cert) as server:
                server.ask("POST", "/v1/watches", json.dumps(
                    {"ids": ["a"], "webhook": "https://%s/" % place}), JSON)
                server.add("a", LAMP)
                server.add("b", LAMP)
                if cert == own[1]:
                    body = receiver.seen.get(timeout=120)[1]
                    equal(json.loads(body)["origin"]["id"], "a")
                else:
                    until = time.monotonic() + 120
                    while "webhook to %s: TLS: " % place not in server.log():
                        assert time.monotonic() < until, server.log()
                        time.sleep(0.05)
                    assert receiver.seen.empty()
        receiver.shutdown()
        receiver.server_close()
    return None


if __name__ == "__main__":
    support.main(globals())
