#!/usr/bin/env python3
"""Nothing that was acknowledged is lost, nothing that was accepted hangs:
tests/server/test_server_durability.py ORIGO [TEST]...

SOAK_SECONDS is how long the mixed load runs; unless it is given two minutes, or
20 seconds with sanitizers."""

import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import server_support as support
from server_support import JSON, LAMP, NDJSON, TEXT, equal


# One of so many is asked for by its id; all are exported.
ASKED_EACH = 20


def words(rng, n):
    return " ".join("w%d" % rng.randrange(20000) for _ in range(n))


class Load(threading.Thread):
    """Adds documents in several ways and remembers what was acknowledged."""

    def __init__(self, server, number):
        super().__init__(daemon=True)
        self.server, self.number = server, number
        self.acknowledged, self.wrong = {}, None
        self.stopping = threading.Event()
        self.rng = random.Random(number)

    def is_stopped(self, status):
        """A server that is stopping may say so."""
        return status == 503 and self.stopping.is_set()

    def add_one(self, connection, i):
        id, text = "t%d-%d" % (self.number, i), words(self.rng, 60)
        path = "/v1/documents" if i % 2 else "/v1/trace?add=true"
        status, _, data = self.server.ask(
            "POST", path, json.dumps({"id": id, "text": text}), JSON,
            connection)
        if status in (200, 201):
            self.acknowledged[id] = text
        elif status != 429 and not self.is_stopped(status):
            raise AssertionError((status, data))

    def add_many(self, connection, i):
        texts = {"s%d-%d-%d" % (self.number, i, j): words(self.rng, 40)
                 for j in range(20)}
        lines = "".join(json.dumps({"id": k, "text": v}) + "\n"
                        for k, v in texts.items())
        status, _, data = self.server.ask("POST", "/v1/documents", lines,
                                          NDJSON, connection)
        if self.is_stopped(status):
            return
        equal((status, data.count(b'"added"')), (200, 20))
        self.acknowledged.update(texts)

    def add_until_stopped(self):
        i = 0
        with contextlib.closing(self.server.connect()) as connection:
            while not self.stopping.is_set():
                i += 1
                if i % 10 == 0:
                    self.add_many(connection, i)
                elif i % 3 == 0:
                    status = self.server.ask("POST", "/v1/trace",
                                             words(self.rng, 60), TEXT,
                                             connection)[0]
                    assert status == 200 or self.is_stopped(status), status
                else:
                    self.add_one(connection, i)

    def run(self):
        try:
            self.add_until_stopped()
        except (OSError, http.client.HTTPException) as e:
            if not self.stopping.is_set():
                self.wrong = repr(e)
        except Exception as e:
            self.wrong = repr(e)


class StreamLoad(Load):
    """Adds documents in bodies without a length. One is acknowledged as soon as
    its result comes, while others of its body are on their way or not made
    yet."""

    def take_results(self, stream, texts, most):
        """Until at most so many documents have none."""
        while len(texts) > most:
            chunk = stream.chunk()
            if not chunk:
                raise ConnectionError("the results end early")
            self.rest += chunk
            *lines, self.rest = self.rest.split(b"\n")
            for line in lines:
                result = json.loads(line)
                if self.is_stopped(result.get("status")):
                    return
                equal(result, support.added(result.get("id")))
                self.acknowledged[result["id"]] = texts.pop(result["id"])

    def add_stream(self, stream, i):
        texts, self.rest = {}, b""
        for j in range(200):
            id, text = "e%d-%d-%d" % (self.number, i, j), words(self.rng, 50)
            texts[id] = text
            stream.send(support.line_of(id, text))
            if j == 0:
                status = stream.head()[0]
                if self.is_stopped(status):
                    return
                equal(status, 200)
            self.take_results(stream, texts, self.rng.randrange(20))
            if self.stopping.is_set():
                break
        stream.end()
        self.take_results(stream, texts, 0)

    def add_until_stopped(self):
        i = 0
        while not self.stopping.is_set():
            i += 1
            stream = support.Stream(self.server, support.CHUNKED)
            try:
                self.add_stream(stream, i)
            finally:
                stream.close()


def start_load(server, n=4):
    load = [Load(server, i) for i in range(n - 1)]
    load.append(StreamLoad(server, n - 1))
    for one in load:
        one.start()
    return load


def check_kept(origo, store, load):
    acknowledged = {}
    for one in load:
        one.join(120)
        assert one.wrong is None, one.wrong
        acknowledged.update(one.acknowledged)
    assert acknowledged
    with support.Server(origo, store=store) as server:
        connection = server.connect()
        for id, text in list(acknowledged.items())[::ASKED_EACH]:
            status, _, data = server.ask("GET", "/v1/documents/" + id,
                                         connection=connection)
            equal((id, status), (id, 200))
            equal(data["text"], text)
        connection.close()
        equal(server.stop(), 0)
    check_exported(origo, store, acknowledged)
    return len(acknowledged)


def check_exported(origo, store, acknowledged):
    """All of them, in less time than it takes to ask for each."""
    missing = dict(acknowledged)
    with subprocess.Popen([origo, "export", "-q", "-s", store],
                          stdout=subprocess.PIPE) as export:
        for line in export.stdout:
            record = json.loads(line)
            if missing.get(record.get("id"), "") == record.get("text"):
                del missing[record["id"]]
    equal(export.returncode, 0)
    equal(sorted(missing)[:10], [])


def wait_for_additions(server, n):
    while server.ask("GET", "/v1/stats")[2]["n_documents"] < n:
        time.sleep(0.01)


def test_kill(origo):
    folder = tempfile.mkdtemp(prefix="origo-kill-")
    try:
        for turn in range(3):
            store = os.path.join(folder, "s%d" % turn)
            with support.Server(origo, store=store) as server:
                load = start_load(server)
                wait_for_additions(server, 100 + 50 * turn)
                for one in load:
                    one.stopping.set()
                server.stop(signal.SIGKILL)
            check_kept(origo, store, load)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_drain(origo):
    """SIGTERM in the middle: every request gets an answer or none of it was
    accepted, and the server ends."""
    folder = tempfile.mkdtemp(prefix="origo-drain-")
    try:
        store = os.path.join(folder, "s")
        with support.Server(origo, store=store) as server:
            load = start_load(server)
            events = server.raw(b"GET /v1/events HTTP/1.1\r\n"
                                b"Host: localhost\r\n\r\n")
            idle = [server.raw() for _ in range(20)]
            wait_for_additions(server, 100)
            for one in load:
                one.stopping.set()
            equal(server.stop(), 0)
            support.read_all(events)
            for s in idle + [events]:
                s.close()
        check_kept(origo, store, load)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_accepted_is_answered(origo):
    """A request that was there whole before SIGTERM is answered."""
    with support.Server(origo) as server:
        body = json.dumps({"id": "big", "text": " ".join(
            "word%d" % i for i in range(200000))}).encode()
        s = server.raw(b"POST /v1/documents HTTP/1.1\r\nHost: localhost\r\n"
                       b"Content-Type: application/json\r\n"
                       b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        while server.ask("GET", "/v1/stats")[2]["n_waiting"] == 0 and \
                server.ask("GET", "/v1/stats")[2]["n_documents"] == 0:
            pass
        equal(server.stop(), 0)
        assert support.read_all(s).startswith(b"HTTP/1.1 201")
        s.close()


def is_sanitized(program):
    with open(program, "rb") as f:
        data = f.read()
    return b"__asan_init" in data or b"__tsan_init" in data


def soak_seconds(origo):
    usual = "20" if is_sanitized(origo) else "120"
    return float(os.environ.get("SOAK_SECONDS", usual))


def test_soak(origo):
    """A mixed load for a while, with clients that do nothing: memory stays,
    then kill -9, and nothing acknowledged is lost."""
    folder = tempfile.mkdtemp(prefix="origo-soak-")
    seconds = soak_seconds(origo)
    try:
        store = os.path.join(folder, "s")
        with support.Server(origo, "-q", store=store) as server:
            for i in range(50):
                server.add("first%d" % i, LAMP + " %d" % i)
            idle = [server.raw() for _ in range(200)]
            lazy = server.raw(b"GET /v1/events HTTP/1.1\r\n"
                              b"Host: localhost\r\n\r\n")
            load = start_load(server)
            sizes = []
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                time.sleep(seconds / 20)
                stats = server.ask("GET", "/v1/stats")[2]
                sizes.append((stats["n_documents"],
                              stats["resident_bytes"] >> 20))
            for one in load:
                one.stopping.set()
            server.stop(signal.SIGKILL)
            for s in idle + [lazy]:
                s.close()
        print("  documents and MB: %s" % " ".join("%d:%d" % s for s in sizes))
        n = check_kept(origo, store, load)
        print("  %d acknowledged, all there" % n)
        # The table has a cap of 16 MB; beyond it memory grows by some bytes
        # a document, not by their texts. Sanitizers keep what is freed.
        if not is_sanitized(origo):
            assert sizes[-1][1] < sizes[len(sizes) // 4][1] + 64, sizes
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    support.main(globals())
