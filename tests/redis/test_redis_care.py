#!/usr/bin/env python3
"""Looking after a store that is on real servers, through the command:
tests/redis/test_redis_care.py MODULE ORIGO

info, export, verify and rm, on one server and on a cluster; what a front end
that is running sees of a removal; what is left after a purge."""

import json
import os
import threading

import redis_support as support
import test_redis_cluster
from redis_support import Server, equal
from test_redis_store import (MEMORY, asked, folder, partition_keys, post,
                              refused, run, same, serving, well, write_stream)


def add(origo, store, path):
    return well(origo, "add", "-q", "-s", store, "--memory", MEMORY, path)


def lines(data):
    return [json.loads(line) for line in data.splitlines()]


def write_documents(path, documents, first=1000):
    with open(path, "w", encoding="utf-8") as out:
        for number, (name, text) in enumerate(documents):
            out.write(json.dumps({"id": name, "time": first + number,
                                  "title": "title of " + name,
                                  "text": text}) + "\n")


def words(prefix, n=60):
    return " ".join("%s%d" % (prefix, i) for i in range(n))


def all_bytes(connections):
    """Everything that the servers have, but partitions."""
    found = b""
    for c in connections:
        for key in c("KEYS", "*"):
            kind = c("TYPE", key)
            found += key
            if kind in (b"string", "string"):
                found += c("GET", key)
            elif kind in (b"hash", "hash"):
                found += b"".join(c("HGETALL", key))
    return found


# ---- info, export, verify ----

def compare_care(origo, address, where, n_servers):
    path = os.path.join(where, "stream.jsonl")
    write_stream(path, n=500)
    far, own = address + "/news", os.path.join(where, "own")
    add(origo, far, path)
    add(origo, own, path)
    exported = well(origo, "export", "-q", "-s", far)
    same(exported, well(origo, "export", "-q", "-s", own))
    info = json.loads(well(origo, "info", "--json", "-s", far))
    local = json.loads(well(origo, "info", "--json", "-s", own))
    equal(info["documents"], local["documents"])
    equal(info["slots_used"], local["slots_used"])
    equal((info["removed"], info["servers"]), (0, n_servers))
    assert info["partitions"] >= 3, info
    assert 0 < info["least_full"] <= info["most_full"] < 1, info
    assert info["numbers"] >= info["documents"], info
    text = well(origo, "info", "-s", far).decode()
    assert "on %d servers" % n_servers in text, text
    verified = well(origo, "verify", "-s", far).decode()
    assert "sound: %d documents (0 removed)" % local["documents"] in verified
    # It can be put into another store, and says the same there.
    copy = os.path.join(where, "copy.jsonl")
    with open(copy, "wb") as out:
        out.write(exported)
    well(origo, "import", "-q", "-s", address + "/copy", "--memory", MEMORY,
         copy)
    same(well(origo, "export", "-q", "-s", address + "/copy"), exported)


def test_care(module, origo):
    with Server(module, port=True) as s, folder() as where:
        compare_care(origo, "redis://127.0.0.1:%d" % s.port, where, 1)


def test_care_of_a_cluster(module, origo):
    with test_redis_cluster.cluster(module) as nodes, folder() as where:
        address = "redis://127.0.0.1:%d" % nodes[0].port
        compare_care(origo, address, where, 3)


# ---- rm ----

def write_story(where):
    """a is copied by b, then by c; d copies from both; two versions of v."""
    a, v = words("a"), words("v")
    path = os.path.join(where, "story.jsonl")
    write_documents(path, [
        ("a", a), ("b", words("b") + " " + a), ("c", a + " " + words("c")),
        ("v", v), ("v", v + " " + words("new")), ("w", words("w") + " " + v)])
    query = os.path.join(where, "query.jsonl")
    write_documents(query, [("q", a), ("r", v)], first=9000)
    return path, query


def origins(origo, store, query):
    return [[s["origin"]["id"] for s in answer["spans"]]
            for answer in lines(asked(origo, [store], query))]


def compare_rm(origo, module, query):
    with Server(module, port=True) as s, folder() as where:
        address = "redis://127.0.0.1:%d/news%s" % (s.port, query)
        own = os.path.join(where, "own")
        path, asked_for = write_story(where)
        for store in (address, own):
            add(origo, store, path)
            equal(origins(origo, store, asked_for), [["a"], ["v"]])
            # The earliest of those that copied from it takes its passages.
            well(origo, "rm", "-s", store, "a", "v")
            equal(origins(origo, store, asked_for), [["b"], ["w"]])
            well(origo, "rm", "-s", store, "b")
            refused(origo, 3, ["no document 'a'"], "rm", "-s", store, "a",
                    "nobody")
            kept = lines(well(origo, "export", "-q", "-s", store))
            equal([d["id"] for d in kept], ["c", "w"])
            info = json.loads(well(origo, "info", "--json", "-s", store))
            equal((info["documents"], info["removed"]), (2, 4))
            assert b"2 documents (4 removed)" in well(
                origo, "verify", "-s", store) or store == own
            # The same document again is a new one, and comes last.
            add(origo, store, path)
            equal(origins(origo, store, asked_for)[0], ["a"])


def test_rm(module, origo):
    compare_rm(origo, module, "")


def test_plain(module, origo):
    """A table in plain keys has no partitions; all else is the same."""
    compare_rm(origo, None, "?mode=plain")
    with Server(None, port=True) as s, folder() as where:
        address = "redis://127.0.0.1:%d/news?mode=plain" % s.port
        own = os.path.join(where, "own")
        path = write_story(where)[0]
        for store in (address, own):
            add(origo, store, path)
        same(well(origo, "export", "-q", "-s", address),
             well(origo, "export", "-q", "-s", own))
        info, local = (json.loads(well(origo, "info", "--json", "-s", store))
                       for store in (address, own))
        equal(info["partitions"], 0)
        equal([info[k] for k in ("documents", "slots_used")],
              [local[k] for k in ("documents", "slots_used")])
        text = well(origo, "info", "-s", address).decode()
        assert "each fingerprint is a key" in text, text
        text = well(origo, "verify", "-s", address).decode()
        assert "6 documents (0 removed), 0 partitions" in text, text


def test_purge(module, origo):
    with test_redis_cluster.cluster(module) as nodes, folder() as where:
        address = "redis://127.0.0.1:%d/news" % nodes[0].port
        path, query = write_story(where)
        add(origo, address, path)
        connections = [support.Connection(("127.0.0.1", n.port))
                       for n in nodes[:3]]
        before = all_bytes(connections)
        assert b"title of v" in before
        size = [c("DBSIZE") for c in connections]
        well(origo, "rm", "-q", "-s", address, "v")
        well(origo, "rm", "-q", "-s", address, "--purge", "v", "a")
        after = all_bytes(connections)
        assert b"title of v" not in after and b"title of a" not in after
        assert b"title of w" in after
        assert [c("DBSIZE") for c in connections] != size
        # Texts that were packed with theirs are whole.
        kept = lines(well(origo, "export", "-q", "-s", address))
        equal([d["id"] for d in kept], ["b", "c", "w"])
        equal(kept[2]["text"], words("w") + " " + words("v"))
        well(origo, "verify", "-q", "-s", address)
        equal(origins(origo, address, query), [["b"], ["w"]])
        # Nothing is left to purge; the ids are free.
        refused(origo, 3, ["no document 'v'"], "rm", "-s", address, "--purge",
                "v")
        add(origo, address, path)
        equal(len(lines(well(origo, "export", "-q", "-s", address))), 6)


def test_purge_of_a_frame(module, origo):
    """Several processes purge texts of the same frame at once."""
    with Server(module, port=True) as s, folder() as where:
        address = "redis://127.0.0.1:%d/news" % s.port
        path = os.path.join(where, "many.jsonl")
        write_documents(path, [("d%d" % i, words("x%dy" % i))
                               for i in range(40)])
        add(origo, address, path)
        done = []

        def purge(first):
            done.append(run(origo, "rm", "-q", "-s", address, "--purge",
                            *["d%d" % i for i in range(first, 40, 4)]))
        threads = [threading.Thread(target=purge, args=(i,)) for i in (0, 1, 2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        equal([d.stderr for d in done], [b"", b"", b""])
        kept = lines(well(origo, "export", "-q", "-s", address))
        equal([d["id"] for d in kept], ["d%d" % i for i in range(3, 40, 4)])
        equal(kept[-1]["text"], words("x39y"))
        well(origo, "verify", "-q", "-s", address)


def test_rm_beside_a_server(module, origo):
    """A front end that is running stops naming it, and removes itself."""
    with Server(module, port=True) as s, folder() as where:
        address = "redis://127.0.0.1:%d/news" % s.port
        path, _ = write_story(where)
        add(origo, address, path)
        with serving(origo, address) as port:
            def origin():
                answer = post(port, "/v1/trace", {"id": "q", "text": words("a")})
                return [x["origin"]["id"] for x in answer["spans"]]
            equal(origin(), ["a"])
            well(origo, "rm", "-s", address, "a")
            support.wait_for(lambda: origin() == ["b"], "the removal")


# ---- damage ----

def key_of(c, kind):
    return sorted(c("KEYS", "origo:*:{%s}:*" % kind))


def said(origo, address):
    return well(origo, "verify", "-s", address).decode().splitlines()


def test_damage(module, origo):
    with Server(module, port=True) as s, folder() as where, s.connect() as c:
        address = "redis://127.0.0.1:%d/news" % s.port
        path, _ = write_story(where)
        add(origo, address, path)
        blob = key_of(c, "t")[0]
        texts = c("GET", blob)
        c("SETRANGE", blob, len(texts) - 20, "garbage")
        for command in ("verify", "export"):
            refused(origo, 4, ["news/", "checksum"], command, "-s", address)
        refused(origo, 4, ["checksum"], "rm", "-s", address, "--purge", "v")
        c("SET", blob, texts)
        well(origo, "verify", "-q", "-s", address)
        ids = key_of(c, "i")
        number = c("GET", ids[0])
        c("DEL", ids[0])
        refused(origo, 4, ["not found under its id"], "verify", "-s", address)
        c("SET", ids[0], number)
        entry = [k for k in key_of(c, "d") if c("HGET", k, "r") is None][0]
        equal(said(origo, address)[1:], [])
        c("HDEL", entry, "s")
        equal(said(origo, address)[1][:26], "1 documents are incomplete")
        c("DEL", entry)
        equal(said(origo, address)[1:], ["1 numbers have no document"])
        c("DEL", partition_keys(c)[0])
        for command in ("verify", "info", "export"):
            refused(origo, 4, ["NOPARTITION"], command, "-s", address)


def test_usage(module, origo):
    with Server(module, port=True) as s, folder() as where:
        address = "redis://127.0.0.1:%d" % s.port
        for command in (["info"], ["verify"], ["export"], ["rm", "x"]):
            refused(origo, 5, ["there is no table"], *command, "-s",
                    address + "/none")
        refused(origo, 2, ["in a folder"], "compact", "-s", address + "/none")
        refused(origo, 3, [], "verify", "-s", "redis://127.0.0.1:1/x?timeout=1")


if __name__ == "__main__":
    support.main(globals())
