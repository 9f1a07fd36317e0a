#!/usr/bin/env python3
"""Stores whose table is on real servers, through the command:
tests/redis/test_redis_store.py MODULE ORIGO

What add and trace say must be, byte for byte, what they say of a store with a
table of its own."""

import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.request

import redis_support as support
import test_redis_cluster
from redis_support import Server, equal

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                      "sample", "documents.jsonl")
MEMORY = "40M"


@contextlib.contextmanager
def folder():
    path = tempfile.mkdtemp(prefix="origo-table-")
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ORIGO_")}
    return {**kept, **more}


def run(origo, *arguments, **more):
    return subprocess.run([origo, *arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=5 * support.LONG, env=environment(**more))


def well(origo, *arguments, **more):
    done = run(origo, *arguments, **more)
    equal((done.returncode, done.stderr.decode()[-500:]
           if done.returncode else ""), (0, ""))
    return done.stdout


def refused(origo, status, words, *arguments, **more):
    done = run(origo, *arguments, **more)
    text = done.stderr.decode()
    equal(done.returncode, status)
    for word in words:
        assert word in text, (word, text)


def write_stream(path, n=600, seed=3, versions=True):
    """Documents that quote each other; some are late, some have an old id."""
    r = random.Random(seed)
    words = ["w%d" % i for i in range(3000)]
    texts = []
    with open(path, "w", encoding="utf-8") as out:
        for i in range(n):
            text = [r.choice(words) for _ in range(r.randrange(20, 150))]
            for _ in range(r.randrange(3) if texts else 0):
                old = r.choice(texts)
                at, place = r.randrange(len(old)), r.randrange(len(text) + 1)
                text[place:place] = old[at:at + r.randrange(8, 60)]
            texts.append(text)
            late = r.randrange(50000) if i % 40 == 7 else 0
            number = r.randrange(i + 1) if versions and i % 97 == 96 else i
            out.write(json.dumps({"id": "d%d" % number,
                                  "time": 1000000 + 60 * i - late,
                                  "text": " ".join(text)}) + "\n")


def asked(origo, store, path, *more):
    return well(origo, "trace", "-q", "-f", "json", "-s", *store, *more, path)


def same(seen, expected):
    """The first line that is another."""
    for a, b in zip(seen.split(b"\n"), expected.split(b"\n")):
        equal(a, b)
    equal(len(seen), len(expected))


def compare(origo, address, path, where, query=""):
    """Adds and asks all ways."""
    name = os.path.basename(path).split(".")[0]
    own = [os.path.join(where, "own-" + name)]
    far = ["%s/%s%s" % (address, name, query), "--catalogue",
           os.path.join(where, "far-" + name)]
    shared = ["%s/shared-%s%s" % (address, name, query)]
    more = ["--add", "--memory", MEMORY]
    added = asked(origo, own, path, *more)
    same(asked(origo, far, path, *more), added)
    same(asked(origo, shared, path, *more), added)
    answers = asked(origo, own, path)
    same(asked(origo, far, path), answers)
    same(asked(origo, shared, path), answers)


# ---- the same answers ----

def test_same_answers(module, origo):
    with Server(module, port=True) as s, folder() as where:
        path = os.path.join(where, "stream.jsonl")
        write_stream(path)
        compare(origo, "redis://127.0.0.1:%d" % s.port, SAMPLE, where)
        compare(origo, "redis://127.0.0.1:%d" % s.port, path, where)


def test_same_answers_of_a_cluster(module, origo):
    with test_redis_cluster.cluster(module) as nodes, folder() as where:
        path = os.path.join(where, "stream.jsonl")
        write_stream(path)
        hosts = ",".join("127.0.0.1:%d" % n.port for n in nodes[3:] + nodes[:3])
        compare(origo, "redis://" + hosts, path, where)
        used = [n for n in nodes[:3] if "origo_" in n.cli("INFO", "everything")]
        equal(len(used), 3)


# ---- many front ends ----

def without_copiers(answers):
    """Who else copied from an origin is known as far as it was found when the
    documents arrived, so it depends on their order, as in every store."""
    for line in answers.splitlines():
        answer = json.loads(line)
        answer.pop("best", None)
        for origin in answer.get("origins", []):
            origin.pop("copiers", None)
        yield json.dumps(answer).encode()


def write_shares(path, n, where):
    with open(path, encoding="utf-8") as lines:
        lines = lines.readlines()
    shares = []
    for i in range(n):
        shares.append(os.path.join(where, "share%d-%d.jsonl" % (n, i)))
        with open(shares[-1], "w", encoding="utf-8") as out:
            out.writelines(lines[i::n])
    return shares


def start_adding(origo, address, path):
    return subprocess.Popen(
        [origo, "add", "-q", "-s", address, "--memory", MEMORY, path],
        env=environment(), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(children):
    for child in children:
        text = child.communicate(timeout=5 * support.LONG)[1]
        equal((child.returncode, text.decode()), (0, ""))


def compare_fronts(origo, address, where, numbers=(2, 4), query=""):
    path = os.path.join(where, "stream.jsonl")
    write_stream(path, 800, versions=False)
    own = [os.path.join(where, "own")]
    well(origo, "add", "-q", "-s", *own, "--memory", MEMORY, path)
    answers = b"\n".join(without_copiers(asked(origo, own, path)))
    for n in numbers:
        shared = "%s/fronts%d%s" % (address, n, query)
        finish([start_adding(origo, shared, share)
                for share in write_shares(path, n, where)])
        same(b"\n".join(without_copiers(asked(origo, [shared], path))),
             answers)
    return path, answers


def test_fronts(module, origo):
    with Server(module, port=True) as s, folder() as where:
        compare_fronts(origo, "redis://127.0.0.1:%d" % s.port, where)


def test_fronts_of_a_cluster(module, origo):
    with test_redis_cluster.cluster(module) as nodes, folder() as where:
        hosts = ",".join("127.0.0.1:%d" % n.port for n in nodes[:3])
        path, answers = compare_fronts(origo, "redis://" + hosts, where, (4,))
        # What is acknowledged has a replica.
        shared = "redis://%s/safe?wait=1" % hosts
        finish([start_adding(origo, shared, share)
                for share in write_shares(path, 2, where)])
        same(b"\n".join(without_copiers(asked(origo, [shared], path))),
             answers)
        refused(origo, 3, ["1 of 2 replicas"], "add", "-s",
                "redis://%s/safe?wait=2&timeout=1" % hosts, SAMPLE)
        keys = [len(n.cli("KEYS", "*").split()) for n in nodes[:3]]
        assert min(keys) * 2 > max(keys), keys


def kill_front(origo, module, query):
    """Others go on; its documents come again, and nothing is there twice."""
    with Server(module, port=True) as s, folder() as where:
        path = os.path.join(where, "stream.jsonl")
        write_stream(path, 600, versions=False)
        own = [os.path.join(where, "own")]
        shared = "redis://127.0.0.1:%d/t%s" % (s.port, query)
        well(origo, "add", "-q", "-s", *own, "--memory", MEMORY, path)
        answers = b"\n".join(without_copiers(asked(origo, own, path)))
        shares = write_shares(path, 3, where)
        with s.connect() as c:
            children = [start_adding(origo, shared, share) for share in shares]
            support.wait_for(lambda: children[0].poll() is not None or
                             c("DBSIZE") > 300)
            children[0].send_signal(signal.SIGKILL)
            children[0].communicate(timeout=support.LONG)
            finish(children[1:])
            finish([start_adding(origo, shared, shares[0])])
            same(b"\n".join(without_copiers(asked(origo, [shared], path))),
                 answers)
            # All of it again is nothing new.
            added = run(origo, "add", "-s", shared, path)
            assert b"600 there already" in added.stderr, added
            head = [k for k in c("KEYS", "origo:*:t") if k.endswith(b":t")]
            equal(int(c("HGET", head[0], "count")), 600)


def test_front_killed(module, origo):
    kill_front(origo, module, "")


def test_plain_front_killed(module, origo):
    kill_front(origo, None, "?mode=plain")


def test_same_documents_at_once(module, origo):
    """Feeds that are delivered twice."""
    with Server(module, port=True) as s, folder() as where:
        path = os.path.join(where, "stream.jsonl")
        write_stream(path, 300, versions=False)
        own = [os.path.join(where, "own")]
        shared = "redis://127.0.0.1:%d/t" % s.port
        well(origo, "add", "-q", "-s", *own, "--memory", MEMORY, path)
        finish([start_adding(origo, shared, path) for _ in range(3)])
        same(b"\n".join(without_copiers(asked(origo, [shared], path))),
             b"\n".join(without_copiers(asked(origo, own, path))))


def follow_into(origo, module, query):
    with Server(module, port=True) as s, folder() as where:
        shared = "redis://127.0.0.1:%d/t%s" % (s.port, query)
        own = [os.path.join(where, "own")]
        refused(origo, 2, ["--state"], "follow", "-s", shared, SAMPLE)
        well(origo, "follow", "--once", "-q", "-s", shared, "--memory", MEMORY,
             "--state", os.path.join(where, "state"), SAMPLE)
        well(origo, "add", "-q", "-s", *own, "--memory", MEMORY, SAMPLE)
        same(asked(origo, [shared], SAMPLE), asked(origo, own, SAMPLE))


def test_follow(module, origo):
    follow_into(origo, module, "")


def post(port, path, body):
    request = urllib.request.Request(
        "http://127.0.0.1:%d%s" % (port, path), json.dumps(body).encode(),
        {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=support.LONG) as answer:
        return json.load(answer)


@contextlib.contextmanager
def serving(origo, address):
    """The port of a server of the store."""
    child = subprocess.Popen(
        [origo, "serve", "-s", address, "--listen", "127.0.0.1:0", "--memory",
         MEMORY], env=environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        line = child.stdout.readline().decode()
        yield int(line.rsplit(":", 1)[1])
    finally:
        child.terminate()
        equal(child.wait(support.LONG), 0)
        child.stdout.close()


def serve_twice(origo, module, query):
    """Two servers of one store: each knows at once what the other was given."""
    if b"serve" not in well(origo, "help"):
        return "this build has no server"
    text = " ".join("word%d" % i for i in range(40))
    first = {"id": "a", "time": "2001-01-01", "text": text}
    older = {"id": "b", "time": "2000-01-01", "text": "He said " + text}
    with Server(module, port=True) as s:
        address = "redis://127.0.0.1:%d/t%s" % (s.port, query)
        with serving(origo, address) as one, serving(origo, address) as two:
            equal(post(one, "/v1/documents", first)["result"], "added")
            equal(post(two, "/v1/documents", first)["result"], "known")
            question = {"id": "q", "text": "So " + text}
            equal(post(two, "/v1/trace", question)["dominant"]["id"], "a")
            equal(post(two, "/v1/documents", older)["result"], "added")
            answer = post(one, "/v1/trace", question)
            equal(answer["dominant"]["id"], "b")
            equal([c["id"] for c in answer["origins"][0]["copiers"]], ["a"])


def test_serve(module, origo):
    return serve_twice(origo, module, "")


def test_killed_while_adding(module, origo):
    """What the table has not heard of is added when the store is next opened.
    No versions: an old one that comes again is a new one."""
    with Server(module, port=True) as s, folder() as where:
        path = os.path.join(where, "stream.jsonl")
        write_stream(path, 300, versions=False)
        own = [os.path.join(where, "own")]
        far = ["redis://127.0.0.1:%d/t" % s.port, "--catalogue",
               os.path.join(where, "far")]
        well(origo, "add", "-q", "-s", *own, "--memory", MEMORY, path)
        with s.connect() as c:
            child = subprocess.Popen(
                [origo, "add", "-q", "-s", *far, "--memory", MEMORY, path],
                env=environment(), stderr=subprocess.DEVNULL)
            support.wait_for(lambda: child.poll() is not None or int(
                c.info("origo").get("origo_documents", 0)) > 40)
            child.send_signal(signal.SIGKILL)
            child.wait(support.LONG)
        well(origo, "add", "-q", "-s", *far, path)
        same(asked(origo, far, path), asked(origo, own, path))
        # The server has lost all: the texts have it.
        with s.connect() as c:
            c("FLUSHALL")
        refused(origo, 5, ["there is no table 't'"], "trace", "-s", *far, path)
        well(origo, "add", "-q", "-s", *far, "--memory", MEMORY, path)
        same(asked(origo, far, path), asked(origo, own, path))


def test_server_restarts(module, origo):
    with Server(module, "--appendonly", "yes", port=True) as s, \
            folder() as where:
        far = ["redis://127.0.0.1:%d/t" % s.port, "--catalogue",
               os.path.join(where, "far")]
        well(origo, "add", "-q", "-s", *far, "--memory", MEMORY, SAMPLE)
        before = asked(origo, far, SAMPLE)
        s.restart()
        same(asked(origo, far, SAMPLE), before)


# ---- plain keys ----

def plain_keys(c):
    return [k for k in c("KEYS", "origo:*") if b"{" not in k]


def test_plain_same_answers(module, origo):
    """A server without the module is enough."""
    with Server(None, port=True) as s, folder() as where, s.connect() as c:
        path = os.path.join(where, "stream.jsonl")
        write_stream(path)
        address = "redis://127.0.0.1:%d" % s.port
        compare(origo, address, SAMPLE, where, "?mode=plain")
        compare(origo, address, path, where, "?timeout=60&mode=plain")
        # From now on it is found as it is.
        far = [address + "/stream", "--catalogue",
               os.path.join(where, "far-stream")]
        own = [os.path.join(where, "own-stream")]
        same(asked(origo, far, path), asked(origo, own, path))
        refused(origo, 2, ["table 'stream'", "plain keys"], "trace", "-s",
                far[0] + "?mode=module", *far[1:], path)
        assert len(plain_keys(c)) > 10000
        # Values are numbers for the server, which keeps them in fewer bytes.
        equal(c("OBJECT", "ENCODING", plain_keys(c)[0]), b"int")


def test_plain_same_answers_of_a_cluster(module, origo):
    with test_redis_cluster.cluster(None) as nodes, folder() as where:
        path = os.path.join(where, "stream.jsonl")
        write_stream(path)
        hosts = ",".join("127.0.0.1:%d" % n.port for n in nodes[3:] + nodes[:3])
        compare(origo, "redis://" + hosts, path, where, "?mode=plain")
        for node in nodes[:3]:
            assert int(node.cli("DBSIZE")) > 1000


def test_plain_fronts(module, origo):
    """Late documents take keys over while others are added."""
    with Server(None, port=True) as s, folder() as where, s.connect() as c:
        compare_fronts(origo, "redis://127.0.0.1:%d" % s.port, where,
                       query="?mode=plain")
        stats = c("INFO", "commandstats").decode()
        assert "cmdstat_eval:" in stats, stats


def test_plain_fronts_of_a_cluster(module, origo):
    with test_redis_cluster.cluster(None) as nodes, folder() as where:
        hosts = ",".join("127.0.0.1:%d" % n.port for n in nodes[:3])
        path, answers = compare_fronts(origo, "redis://" + hosts, where, (4,),
                                       "?mode=plain")
        # What is acknowledged has a replica.
        shared = "redis://%s/safe?mode=plain&wait=1" % hosts
        finish([start_adding(origo, shared, share)
                for share in write_shares(path, 2, where)])
        same(b"\n".join(without_copiers(asked(origo, [shared], path))),
             answers)
        refused(origo, 3, ["1 of 2 replicas"], "add", "-s",
                "redis://%s/safe?wait=2&timeout=1" % hosts, SAMPLE)


def test_plain_follow(module, origo):
    follow_into(origo, None, "?mode=plain")


def test_plain_serve(module, origo):
    return serve_twice(origo, None, "?mode=plain")


def test_plain_shared_evicts(module, origo):
    """Keys that expire go; documents, which do not, stay."""
    with Server(None, port=True) as s, folder() as where, s.connect() as c:
        path = os.path.join(where, "stream.jsonl")
        write_stream(path, 900, versions=False)
        shared = "redis://127.0.0.1:%d/t?mode=plain&ttl=500000000" % s.port

        def used():
            return int(c.info("memory")["used_memory"])
        empty = used()
        well(origo, "add", "-q", "-s", shared, "--memory", MEMORY, path)
        grown = used() - empty
        c("FLUSHALL", "SYNC")
        c("CONFIG", "SET", "maxmemory-policy", "volatile-lru")
        c("CONFIG", "SET", "maxmemory", used() + grown * 3 // 4)
        finish([start_adding(origo, shared, share)
                for share in write_shares(path, 2, where)])
        assert int(c.info("stats")["evicted_keys"]) > 100
        equal(len(well(origo, "export", "-q", "-s", shared).splitlines()), 900)
        well(origo, "verify", "-q", "-s", shared)
        for answer in asked(origo, [shared], path).splitlines():
            for span in json.loads(answer)["spans"]:
                assert span["how"] == "verified", span


def test_plain_killed_and_lost(module, origo):
    """A front end dies; then the server loses everything."""
    with Server(None, port=True) as s, folder() as where, s.connect() as c:
        path = os.path.join(where, "stream.jsonl")
        write_stream(path, 300, versions=False)
        own = [os.path.join(where, "own")]
        far = ["redis://127.0.0.1:%d/t?mode=plain" % s.port, "--catalogue",
               os.path.join(where, "far")]
        well(origo, "add", "-q", "-s", *own, "--memory", MEMORY, path)
        child = subprocess.Popen(
            [origo, "add", "-q", "-s", *far, "--memory", MEMORY, path],
            env=environment(), stderr=subprocess.DEVNULL)
        support.wait_for(lambda: child.poll() is not None or
                         c("DBSIZE") > 1000)
        child.send_signal(signal.SIGKILL)
        child.wait(support.LONG)
        well(origo, "add", "-q", "-s", *far, path)
        same(asked(origo, far, path), asked(origo, own, path))
        c("FLUSHALL")
        well(origo, "add", "-q", "-s", *far, "--memory", MEMORY, path)
        same(asked(origo, far, path), asked(origo, own, path))


def test_plain_evicts(module, origo):
    """At its limit the server forgets fingerprints that nobody asked for lately,
    and nothing else; what is still there is answered as before."""
    with Server(None, port=True) as s, folder() as where, s.connect() as c:
        path = os.path.join(where, "stream.jsonl")
        write_stream(path, 900)
        own = [os.path.join(where, "own")]
        far = ["redis://127.0.0.1:%d/t?mode=plain&ttl=500000000" % s.port,
               "--catalogue", os.path.join(where, "far")]
        well(origo, "add", "-q", "-s", *own, "--memory", MEMORY, path)
        c("CONFIG", "SET", "maxmemory-policy", "volatile-lru")
        c("CONFIG", "SET", "maxmemory",
          int(c.info("memory")["used_memory"]) + (1 << 20))
        well(origo, "add", "-q", "-s", *far, "--memory", MEMORY, path)
        assert int(c.info("stats")["evicted_keys"]) > 100
        assert 4e8 < c("TTL", plain_keys(c)[0]) <= 5e8
        n_less = 0
        for a, b in zip(asked(origo, far, path).splitlines(),
                        asked(origo, own, path).splitlines()):
            a, b = json.loads(a), json.loads(b)
            equal(a["id"], b["id"])
            n_less += a["novel"] > b["novel"]
            for span in a["spans"]:
                assert span["how"] == "verified", span
        assert n_less > 0


def test_plain_head_is_evicted(module, origo):
    """With allkeys-lru the head may be gone: whoever adds next writes it
    again."""
    with Server(None, port=True) as s, folder() as where, s.connect() as c:
        own = [os.path.join(where, "own")]
        far = ["redis://127.0.0.1:%d/t?mode=plain" % s.port, "--catalogue",
               os.path.join(where, "far")]
        well(origo, "add", "-q", "-s", *own, SAMPLE)
        well(origo, "add", "-q", "-s", *far, SAMPLE)
        n = len(plain_keys(c))
        c("DEL", *[k for k in c("KEYS", "origo:{*")])
        refused(origo, 5, ["there is no table 't'"], "trace", "-s", *far,
                SAMPLE)
        well(origo, "add", "-q", "-s", *far, SAMPLE)
        equal(len(plain_keys(c)), n)
        same(asked(origo, far, SAMPLE), asked(origo, own, SAMPLE))


def test_plain_damaged(module, origo):
    with Server(None, port=True) as s, folder() as where, s.connect() as c:
        far = ["-s", "redis://127.0.0.1:%d/t?mode=plain" % s.port,
               "--catalogue", os.path.join(where, "far"), SAMPLE]
        well(origo, "add", *far)
        keys = plain_keys(c)
        for key in keys:
            c("SET", key, "not a number")
        refused(origo, 4, ["table 't'", "damaged", "origo:t:"], "trace", *far)
        for key in keys:
            c("DEL", key)
            c("LPUSH", key, "x")
        refused(origo, 4, ["table 't'", "origo:t:", "WRONGTYPE"], "trace", *far)


def test_plain_no_memory(module, origo):
    """Without an eviction a full server refuses new keys, and says so."""
    with Server(None, port=True) as s, folder() as where, s.connect() as c:
        path = os.path.join(where, "stream.jsonl")
        write_stream(path)
        far = ["-s", "redis://127.0.0.1:%d/t?mode=plain" % s.port,
               "--catalogue", os.path.join(where, "far"), path]
        c("CONFIG", "SET", "maxmemory",
          int(c.info("memory")["used_memory"]) + (300 << 10))
        refused(origo, 3, ["table 't'", "OOM"], "add", *far)
        c("CONFIG", "SET", "maxmemory", 0)
        well(origo, "add", *far)


# ---- errors ----

def test_unreachable(module, origo):
    with folder() as where, socket.socket() as s:
        s.bind(("127.0.0.1", 0))  # and nobody listens
        port = s.getsockname()[1]
        refused(origo, 3, ["table 't'", "127.0.0.1:%d" % port,
                           "cannot connect"],
                "add", "-s", "redis://127.0.0.1:%d/t?timeout=1" % port,
                "--catalogue", os.path.join(where, "far"), SAMPLE)


def test_password(module, origo):
    with Server(module, port=True) as s, folder() as where:
        with s.connect() as c:
            c("CONFIG", "SET", "requirepass", "right")
            c("AUTH", "right")
            c("ACL", "SETUSER", "ann", "on", ">s:ecret", "~origo:*", "+@all")
        host = "127.0.0.1:%d" % s.port
        far = ["--catalogue", os.path.join(where, "far"), SAMPLE]
        refused(origo, 2, ["table 't'", host, "NOAUTH"], "add", "-s",
                "redis://%s/t" % host, *far)
        refused(origo, 2, ["table 't'", host, "WRONGPASS"], "add", "-s",
                "redis://:wrong@%s/t" % host, *far)
        well(origo, "add", "-s", "redis://:right@%s/t" % host, *far)
        well(origo, "trace", "-s", "redis://ann:s%%3aecret@%s/t" % host, *far)
        well(origo, "trace", "-s", "redis://%s/t" % host, *far,
             ORIGO_REDIS_AUTH="right")


def partition_keys(c):
    return sorted(k for k in c("KEYS", "*") if k.count(b":") == 3)


def test_damaged_documents(module, origo):
    with Server(module, port=True) as s, s.connect() as c:
        shared = ["-s", "redis://127.0.0.1:%d/t" % s.port, SAMPLE]
        well(origo, "add", "--memory", MEMORY, *shared)
        entries = c("KEYS", "*:{d}:*")
        for key in entries:
            c("HSET", key, "e", "x")
        refused(origo, 4, ["table 't' is damaged", "document"], "trace",
                *shared)
        # Documents that are lost are nobody's.
        c("DEL", *entries)
        well(origo, "trace", *shared)
        well(origo, "add", *shared)
        well(origo, "trace", *shared)
        for key in c("KEYS", "*:{t}:*"):
            c("SET", key, "x")
        refused(origo, 4, ["damaged"], "trace", *shared)
        for key in c("KEYS", "*:{i}:*"):
            c("SET", key, "-1")
        refused(origo, 3, ["makes no sense"], "trace", *shared)


def test_damaged_table(module, origo):
    with Server(module, port=True) as s, folder() as where, s.connect() as c:
        far = ["-s", "redis://127.0.0.1:%d/t" % s.port, "--catalogue",
               os.path.join(where, "far"), SAMPLE]
        well(origo, "add", "--memory", MEMORY, *far)
        key = partition_keys(c)[1]
        c("DEL", key)
        words = ["table 't'", "127.0.0.1:%d" % s.port, key.decode()]
        refused(origo, 4, words + ["NOPARTITION"], "trace", *far)
        c("SET", key, "x")
        refused(origo, 4, words + ["WRONGTYPE"], "add", *far)
        head = [k for k in c("KEYS", "*") if k.count(b":") == 2][0]
        c("DEL", head)
        c("SET", head, "x")
        refused(origo, 4, ["table 't'", head.decode(), "WRONGTYPE"], "add",
                *far)


def test_no_memory(module, origo):
    with Server(module, "--maxmemory", "24mb", port=True) as s, \
            folder() as where:
        address = "redis://127.0.0.1:%d/" % s.port
        refused(origo, 3, ["table 'large'", "OOM", "a smaller --memory"], "add",
                "-s", address + "large", "--memory", "64M", "--catalogue",
                os.path.join(where, "large"), SAMPLE)
        well(origo, "add", "-s", address + "small", "--memory", "1M",
             "--catalogue", os.path.join(where, "small"), SAMPLE)


def test_no_module(module, origo):
    with Server(None, port=True) as s, folder() as where:
        refused(origo, 2, ["table 't'", "unknown command"], "add", "-s",
                "redis://127.0.0.1:%d/t" % s.port, "--catalogue",
                os.path.join(where, "far"), SAMPLE)


def test_usage(module, origo):
    with Server(module, port=True) as s, folder() as where:
        address = "redis://127.0.0.1:%d/t" % s.port
        far = os.path.join(where, "far")
        own = os.path.join(where, "own")
        for command in (["compact"], ["index"], ["upgrade"], ["phrases"],
                        ["quote", SAMPLE]):
            refused(origo, 2, ["in a folder"], *command, "-s",
                    "redis://:secret@h/t")
        refused(origo, 2, ["-s redis://"], "add", "--catalogue", far, SAMPLE)
        well(origo, "add", "-s", address, "--catalogue", far, SAMPLE)
        well(origo, "add", "-s", own, SAMPLE)
        refused(origo, 2, ["another catalogue"], "add", "-s", address,
                "--catalogue", os.path.join(where, "second"), SAMPLE)
        refused(origo, 2, ["belongs to a catalogue in a folder"], "add", "-s",
                address, SAMPLE)
        refused(origo, 5, ["there is no table 'none'"], "trace", "-s",
                address[:-1] + "none", SAMPLE)
        shared = address[:-1] + "shared"
        well(origo, "add", "-s", shared, SAMPLE)
        refused(origo, 2, ["another catalogue"], "add", "-s", shared,
                "--catalogue", os.path.join(where, "third"), SAMPLE)
        refused(origo, 2, ["--shingle is fixed"], "add", "-s", shared,
                "--shingle", "9", SAMPLE)
        refused(origo, 2, ["no other"], "add", "-s", shared + "2",
                "--index", "near", SAMPLE)
        refused(origo, 2, ["has its passages itself"], "add", "-s", address,
                "--catalogue", own, SAMPLE)
        refused(origo, 2, ["in table 't'"], "trace", "-s", far, SAMPLE)
        # What needs no table needs no server.
        well(origo, "verify", "-s", far)
        well(origo, "info", "-s", far)
        well(origo, "export", "-s", far)
        well(origo, "near", "--add", "-s", far, SAMPLE)
        well(origo, "trace", "-s", address, "--catalogue", far, SAMPLE)


# ---- TLS ----

def make_certificate(where, name):
    key, cert = (os.path.join(where, name + end) for end in (".key", ".crt"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
                    "-keyout", key, "-out", cert, "-days", "2", "-subj",
                    "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"],
                   check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return key, cert


def test_tls(module, origo):
    if not shutil.which("openssl"):
        return "openssl is not installed"
    with folder() as where:
        key, cert = make_certificate(where, "right")
        other = make_certificate(where, "other")[1]
        for _ in range(20):
            port = support.free_port()
            server = Server(module, "--tls-port", str(port), "--tls-cert-file",
                            cert, "--tls-key-file", key, "--tls-ca-cert-file",
                            cert, "--tls-auth-clients", "no", start=False)
            if server.try_start():
                break
            if "TLS" in server.log() and "support" in server.log():
                return "the server has no TLS"
            server.__exit__()
        with server as s:
            far = ["--catalogue", os.path.join(where, "far"), SAMPLE]
            host = "127.0.0.1:%d" % port
            well(origo, "add", "-s", "rediss://%s/t" % host, *far,
                 ORIGO_REDIS_CA=cert)
            well(origo, "trace", "-s", "rediss://%s/t" % host, *far,
                 ORIGO_REDIS_CA=cert)
            refused(origo, 2, ["table 't'", host, "certificate"], "trace", "-s",
                    "rediss://%s/t" % host, *far, ORIGO_REDIS_CA=other)
            refused(origo, 3, ["table 't'", host], "trace", "-s",
                    "redis://%s/t?timeout=1" % host, *far)
            assert s.process.poll() is None


if __name__ == "__main__":
    support.main(globals())
