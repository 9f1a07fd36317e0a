#!/usr/bin/env python3
"""Kafka, by the mock cluster of librdkafka, and a real Redis:
tests/follow/test_follow_queues.py ORIGO [KAFKA_CLUSTER]"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import follow_support as support
from follow_support import equal


def is_missing(origo, name, address):
    with support.Place(origo) as p:
        done = subprocess.run(p.command("--once", address), text=True,
                              capture_output=True, timeout=support.LONG)
        return "no support for " + name in done.stderr


# ---- Kafka ----

class Cluster:
    def __init__(self, *topics):
        self.process = subprocess.Popen([os.path.abspath(sys.argv[2]), *topics],
                                        stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE)
        self.address = "kafka://" + self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.kill()
        self.process.wait()

    def produce(self, *messages):
        for topic, partition, text in messages:
            self.process.stdin.write("%s %d %s\n" % (topic, partition, text))
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ok\n"


def message(id, partition=0, topic="news"):
    return topic, partition, json.dumps({"id": id, "text": "text of " + id})


def no_kafka(origo):
    if is_missing(origo, "Kafka", "kafka://x"):
        return "this build has no librdkafka"
    return None if len(sys.argv) > 2 else "the cluster was not built"


def test_kafka(origo):
    """Partitions and topics; what is wrong is named; another store of the same
    group begins where the group is, the first one where it is itself. A group
    forms in some seconds, so this is one test."""
    if no_kafka(origo):
        return no_kafka(origo)
    with Cluster("news", "mail") as c, support.Place(origo) as p, \
            support.Place(origo) as q:
        conf = ["--kafka-config", p.write("conf", "session.timeout.ms=6000\n"
                                          "heartbeat.interval.ms=1000\n")]
        c.produce(message("a"), message("b", 1), ("news", 0, "no json"),
                  message("c", 0, "mail"))
        source = c.address + "/news,mail"
        said = p.once(*conf, source)
        equal(p.ids(), ["a", "b", "c"])
        assert "topic news, partition 0, offset 1: expected '{'" in said, said
        c.produce(message("d"))
        q.once(*conf, source)
        equal(q.ids(), ["d"])
        process = p.start(*conf, source)
        p.wait_for_ids(["a", "b", "c", "d"], process)
        c.produce(message("e", 1))
        p.wait_for_ids(["a", "b", "c", "d", "e"], process)
        said = support.end(process)
        assert "2 documents" in said, said
    return None


def test_kafka_config(origo):
    if no_kafka(origo):
        return no_kafka(origo)
    with support.Place(origo) as p:
        path = p.write("conf", "# a comment\nno.such.name=1\n")
        said = p.once("--kafka-config", path, "kafka://127.0.0.1:1/x", status=2)
        assert "no.such.name" in said, said
        p.once("kafka://127.0.0.1:1", status=2)
    return None


# ---- Redis ----

@contextlib.contextmanager
def redis():
    """Runs commands of a server of its own."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    folder = tempfile.mkdtemp(prefix="origo-redis-")
    server = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save",
         "", "--dir", folder], stdout=subprocess.DEVNULL)

    def command(*words, lines=None):
        return subprocess.run(["redis-cli", "-p", str(port), *words], text=True,
                              input=lines, capture_output=True,
                              timeout=support.LONG).stdout.strip()

    try:
        until = time.monotonic() + support.LONG
        while command("PING") != "PONG":
            assert server.poll() is None and time.monotonic() < until
            time.sleep(0.05)
        command.address = "redis://127.0.0.1:%d/news" % port
        yield command
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def no_redis(origo):
    if is_missing(origo, "Redis", "redis://x"):
        return "this build has no hiredis"
    if not shutil.which("redis-server") or not shutil.which("redis-cli"):
        return "redis-server is missing"
    return None


def pending(command):
    return command("XPENDING", "news", "origo").splitlines()[0]


def test_redis(origo):
    """Fields and JSON; acknowledged when they are safe."""
    if no_redis(origo):
        return no_redis(origo)
    with redis() as command, support.Place(origo) as p:
        command("XADD", "news", "*", "id", "a", "text", "some text", "time",
                "2001")
        command("XADD", "news", "*", "doc", '{"id":"b","text":"more"}')
        command("XADD", "news", "*", "other", "x", "y", "z")
        said = p.once(command.address)
        documents = p.documents()
        equal(sorted(documents), ["a", "b"])
        equal(documents["a"]["time"], "2001-01-01T00:00:00Z")
        assert "has no field 'text'" in said and "1 skipped" in said, said
        equal(pending(command), "0")
        assert "0 documents" in p.once(command.address)
        command("XADD", "news", "*", "id", "c", "text", "third")
        p.once(command.address)
        equal(p.ids(), ["a", "b", "c"])
    return None


def test_redis_pending(origo):
    """What a consumer was given before it died comes again."""
    if no_redis(origo):
        return no_redis(origo)
    with redis() as command, support.Place(origo) as p:
        command(lines="".join("XADD news * id d%03d text x\n" % i
                              for i in range(600)))
        command("XGROUP", "CREATE", "news", "origo", "0")
        command("XREADGROUP", "GROUP", "origo", "me", "COUNT", "300", "STREAMS",
                "news", ">")
        equal(pending(command), "300")
        p.once("--consumer", "me", command.address)
        equal(len(p.ids()), 600)
        equal(pending(command), "0")
        # A group that Redis has lost begins where this store is.
        command("XGROUP", "DESTROY", "news", "origo")
        assert "0 documents" in p.once("--consumer", "me", command.address)
    return None


def test_redis_while_it_runs(origo):
    if no_redis(origo):
        return no_redis(origo)
    with redis() as command, support.Place(origo) as p:
        process = p.start(command.address)
        command("XADD", "news", "*", "id", "a", "text", "x")
        p.wait_for_ids(["a"], process)
        command("CLIENT", "KILL", "TYPE", "normal")
        command("XADD", "news", "*", "id", "b", "text", "y")
        p.wait_for_ids(["a", "b"], process)
        said = support.end(process)
        assert "trying again" in said, said
    return None


if __name__ == "__main__":
    support.main(globals())
