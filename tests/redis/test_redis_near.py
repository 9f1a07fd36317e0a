#!/usr/bin/env python3
"""Near-duplicates of stores on real servers, through the command:
tests/redis/test_redis_near.py MODULE ORIGO

Answers are those of a store in a folder, byte for byte; several front ends
that add at once find each other's documents; those that are removed are not
named."""

import json
import os
import random

import redis_support as support
import test_redis_cluster
from redis_support import Server, equal
from test_redis_store import (MEMORY, folder, post, refused, run, same, serving,
                              start_adding, well)


def write_families(path, n=400, seed=5, first=0):
    """Documents in families: copies of one with a few words changed."""
    r = random.Random(seed)
    parents = []
    with open(path, "w", encoding="utf-8") as out:
        for i in range(first, first + n):
            if not parents or r.random() < 0.4:
                text = ["w%d" % r.randrange(5000)
                        for _ in range(r.randrange(40, 160))]
                parents.append(text)
            else:
                text = list(r.choice(parents[-40:]))
                for _ in range(r.randrange(4)):
                    text[r.randrange(len(text))] = "x%d" % r.randrange(5000)
            out.write(json.dumps({"id": "d%d" % i, "time": 1000000 + i,
                                  "text": " ".join(text)}) + "\n")


def make(origo, store, *more):
    """A store on servers with the index, and nothing in it."""
    empty = well(origo, "add", "-q", "-s", store, "--memory", MEMORY, "--index",
                 "passages,near", *more, "/dev/null")
    equal(empty, b"")


def near(origo, store, path, *more):
    return well(origo, "near", "-q", "-s", *store, *more, path)


def answers(data):
    return {a["id"]: {m["id"]: m["similarity"] for m in a["near"]}
            for a in map(json.loads, data.splitlines())}


def compare(origo, address, where, *more):
    path = os.path.join(where, "stream.jsonl")
    other = os.path.join(where, "other.jsonl")
    write_families(path)
    write_families(other, n=60, seed=6)
    far, own = [address + "/news"], [os.path.join(where, "own")]
    added = near(origo, own, path, "--add", "--limit", "0", *more)
    assert b'"exact":true' in added
    same(near(origo, far, path, "--add", "--limit", "0", *more), added)
    for asked in (path, other):
        same(near(origo, far, asked, *more), near(origo, own, asked, *more))
    # What was added is known, and is not added to the index once more.
    same(near(origo, far, path, "--add", *more),
         near(origo, own, path, "--add", *more))


def test_same_answers(module, origo):
    with Server(module, port=True) as s, folder() as where:
        address = "redis://127.0.0.1:%d" % s.port
        compare(origo, address, where)
        # The same documents, added by another command.
        make(origo, address + "/added")
        path = os.path.join(where, "stream.jsonl")
        well(origo, "add", "-q", "-s", address + "/added", path)
        same(near(origo, [address + "/added"], path),
             near(origo, [address + "/news"], path))


def test_plain_same_answers(module, origo):
    """The log of sketches needs no module either."""
    with Server(None, port=True) as s, folder() as where:
        well(origo, "add", "-q", "-s",
             "redis://127.0.0.1:%d/news?mode=plain" % s.port, "--memory",
             MEMORY, "--index", "passages,near", "/dev/null")
        compare(origo, "redis://127.0.0.1:%d" % s.port, where)


def test_same_answers_of_a_cluster(module, origo):
    with test_redis_cluster.cluster(module) as nodes, folder() as where:
        compare(origo, "redis://127.0.0.1:%d" % nodes[0].port, where,
                "--method", "both", "--bands", "20", "--rows", "5")


def test_catalogue(module, origo):
    """Documents in a folder, the table on servers: the index is in the folder,
    with the module and in plain mode."""
    with Server(module, port=True) as s, folder() as where:
        path = os.path.join(where, "stream.jsonl")
        write_families(path, n=150)
        added = near(origo, [os.path.join(where, "own")], path, "--add")
        for name in ("t", "p?mode=plain"):
            far = ["redis://127.0.0.1:%d/%s" % (s.port, name), "--catalogue",
                   os.path.join(where, name[0])]
            same(near(origo, far, path, "--add"), added)
            far[0] = far[0].split("?")[0]
            same(near(origo, far, path),
                 near(origo, [os.path.join(where, "own")], path))


def test_fronts(module, origo):
    """Pairs are found by the later of the two, whoever added them."""
    with Server(module, port=True) as s, folder() as where:
        path = os.path.join(where, "all.jsonl")
        write_families(path, n=1200)
        own = [os.path.join(where, "own")]
        near(origo, own, path, "--add", "--limit", "0")
        pairs = {frozenset((a, b)): s for a, found in answers(
            near(origo, own, path, "--limit", "0")).items()
            for b, s in found.items()}
        with open(path, encoding="utf-8") as f:
            lines = f.readlines()
        address = "redis://127.0.0.1:%d/news" % s.port
        make(origo, address)
        children = []
        for i in range(3):
            share = os.path.join(where, "%d.jsonl" % i)
            with open(share, "w", encoding="utf-8") as out:
                out.writelines(lines[i::3])
            children.append(start_near(origo, address, share))
        found = {}
        for child in children:
            out, err = child.communicate(timeout=5 * support.LONG)
            equal((child.returncode, err), (0, b""))
            for a, matches in answers(out).items():
                for b, share in matches.items():
                    pair = frozenset((a, b))
                    assert pair not in found, "both found each other"
                    found[pair] = share
        equal(found, pairs)
        same(near(origo, [address], path, "--limit", "0"),
             near(origo, own, path, "--limit", "0"))


def start_near(origo, address, path):
    import subprocess
    from test_redis_store import environment
    return subprocess.Popen(
        [origo, "near", "-q", "-s", address, "--add", "--limit", "0", path],
        env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)


def test_front_killed(module, origo):
    """A front end that is killed: its documents are sent again, and are in the
    index once."""
    with Server(module, port=True) as s, folder() as where:
        path = os.path.join(where, "all.jsonl")
        write_families(path, n=1500)
        own = [os.path.join(where, "own")]
        near(origo, own, path, "--add")
        address = "redis://127.0.0.1:%d/news" % s.port
        make(origo, address)
        child = start_adding(origo, address, path)
        with s.connect() as c:
            support.wait_for(lambda: any(
                c("STRLEN", k) > 0 for k in c("KEYS", "*:{n}:*")), "a record")
        child.kill()
        child.wait()
        well(origo, "add", "-q", "-s", address, path)
        same(near(origo, [address], path, "--limit", "0"),
             near(origo, own, path, "--limit", "0"))


def test_bound(module, origo):
    """The log is no longer than the index has room for."""
    with Server(module, port=True) as s, folder() as where, s.connect() as c:
        path = os.path.join(where, "all.jsonl")
        write_families(path, n=300)
        address = "redis://127.0.0.1:%d/news" % s.port
        # 4 KiB have room for 17 documents.
        near(origo, [address], path, "--add", "--memory", "4K")
        last = os.path.join(where, "last.jsonl")
        with open(path, encoding="utf-8") as f, \
                open(last, "w", encoding="utf-8") as out:
            out.writelines(f.readlines()[-10:])
        found = answers(near(origo, [address], last))
        equal(len(found), 10)
        for matches in found.values():
            assert all(int(name[1:]) >= 250 for name in matches), matches


def test_serve(module, origo):
    if b"serve" not in well(origo, "help"):
        return "this build has no server"
    text = " ".join("word%d" % i for i in range(60))
    with Server(module, port=True) as s:
        address = "redis://127.0.0.1:%d/news" % s.port
        make(origo, address)
        with serving(origo, address) as one, serving(origo, address) as two:
            def names(port):
                answer = post(port, "/v1/near", {"id": "q", "text": text})
                return [m["id"] for m in answer["near"]]
            equal(names(two), [])
            post(one, "/v1/documents", {"id": "a", "text": text + " end"})
            equal(names(two), ["a"])
            post(two, "/v1/documents", {"id": "b", "text": text + " x"})
            equal(sorted(names(one)), ["a", "b"])
            well(origo, "rm", "-s", address, "a")
            support.wait_for(lambda: names(one) == ["b"], "the removal")


def test_removed(module, origo):
    with Server(module, port=True) as s, folder() as where:
        path = os.path.join(where, "stream.jsonl")
        write_families(path, n=120)
        far, own = ["redis://127.0.0.1:%d/t" % s.port], [
            os.path.join(where, "own")]
        gone = ["d%d" % i for i in range(0, 120, 7)]
        for store in (far, own):
            near(origo, store, path, "--add")
            well(origo, "rm", "-s", *store, *gone)
        same(near(origo, far, path), near(origo, own, path))


def test_damage(module, origo):
    with Server(module, port=True) as s, folder() as where, s.connect() as c:
        path = os.path.join(where, "stream.jsonl")
        write_families(path, n=50)
        address = "redis://127.0.0.1:%d/t" % s.port
        near(origo, [address], path, "--add")
        log = c("KEYS", "*:{n}:*")[0]
        c("APPEND", log, "xyz")
        refused(origo, 4, ["log {n}:0"], "near", "-s", address, path)
        c("SETRANGE", log, 0, "\xff\xff\xff\xff")
        refused(origo, 4, ["log {n}:0"], "near", "--add", "-s", address, path)
        # Lost, it is an index of what comes from now on.
        c("DEL", log)
        equal(set(map(len, answers(near(origo, [address], path)).values())),
              {0})
        # Sketches of documents that nobody put are passed over.
        c("APPEND", log, (116).to_bytes(4, "little") + b"\x77" * 116)
        near(origo, [address], path)
        head = [k for k in c("KEYS", "*") if k.count(b":") == 2][0]
        c("HSET", head, "sketches", "method=9")
        refused(origo, 4, ["options of its index"], "near", "-s", address, path)


def test_usage(module, origo):
    with Server(module, port=True) as s, folder() as where:
        path = os.path.join(where, "stream.jsonl")
        write_families(path, n=20)
        address = "redis://127.0.0.1:%d/" % s.port
        well(origo, "add", "-q", "-s", address + "t", "--memory", MEMORY, path)
        for more in ([], ["--add"]):
            refused(origo, 2, ["no index of near", "passages,near"], "near",
                    "-s", address + "t", *more, path)
        refused(origo, 5, ["there is no table"], "near", "-s", address + "no",
                path)
        refused(origo, 2, ["no other"], "add", "-s", address + "s", "--index",
                "passages,sentences", path)
        refused(origo, 2, ["--catalogue is for"], "near", "-s",
                os.path.join(where, "x"), "--catalogue", where, path)
        equal(run(origo, "near", "-s", address + "n", "--add", path).returncode,
              0)


if __name__ == "__main__":
    support.main(globals())
