#!/usr/bin/env python3
"""Snapshots, logs, replicas and migrated keys have the same bytes; what is
damaged is refused: tests/redis/test_redis_durability.py MODULE"""

import glob
import os
import signal

import redis_support as support
from redis_support import Server, document, equal, fps, holders
from test_redis_module import MEGABYTE, digest, facts, fill

EVICTIONS = ("R", "LRU", "CC", "LS", "S3", "thin", "learn")


def fill_all(c):
    """One partition of each kind, all of which have evicted, and one with
    room."""
    for number, evict in enumerate(EVICTIONS):
        c("ORIGO.RESERVE", evict, 30000, "EVICT", evict, "SLOTS", 16,
          "LAYOUT", "paper" if number % 2 else "packed")
        fill(c, evict, n_documents=20, n_fps=300)
        assert facts(c, evict)["evicted"] > 0
    c("ORIGO.RESERVE", "large", 2 * MEGABYTE, "BITS", 4)
    fill(c, "large", n_documents=20)


def digests(c):
    return {key: digest(c, key) for key in EVICTIONS + ("large",)}


def go_on(c):
    """What comes next depends on all that a partition knows."""
    for key in EVICTIONS + ("large",):
        fill(c, key, n_documents=8, n_fps=300, seed=2)
    return digests(c)


# ---- snapshots and logs ----

def test_rdb(module):
    with Server(module, "--dbfilename", "d") as s:
        with s.connect() as c:
            fill_all(c)
            c("SAVE")
            before = digests(c)
            after = go_on(c)
        s.restart()
        with s.connect() as c:
            equal(digests(c), before)
            equal(go_on(c), after)


def restart_from_aof(module, preamble, rewrite):
    with Server(module, "--appendonly", "yes", "--appendfsync", "always",
                "--aof-use-rdb-preamble", preamble) as s:
        with s.connect() as c:
            fill_all(c)
            if rewrite:
                c("BGREWRITEAOF")
                support.wait_for(
                    lambda: c.info("persistence")["aof_rewrite_in_progress"]
                    == "0" and
                    c.info("persistence")["aof_rewrite_scheduled"] == "0")
                equal(c.info("persistence")["aof_last_bgrewrite_status"], "ok")
            before = go_on(c)
        s.restart()
        with s.connect() as c:
            equal(digests(c), before)


def test_aof(module):
    restart_from_aof(module, "yes", rewrite=False)


def test_aof_rewritten(module):
    restart_from_aof(module, "no", rewrite=True)


def test_aof_rewritten_as_rdb(module):
    restart_from_aof(module, "yes", rewrite=True)


# ---- copies elsewhere ----

def is_in_step(master, replica):
    r = replica.info("replication")
    return r["master_link_status"] == "up" and \
        r["slave_repl_offset"] == master.info("replication")[
            "master_repl_offset"]


def test_replica(module):
    """From the snapshot that it begins with, and from what comes after; it
    answers look-ups, and observes nothing by itself."""
    with Server(module, "--repl-diskless-sync-delay", "0", port=True) as m, \
            Server(module, "--repl-diskless-load", "swapdb", port=True) as r, \
            m.connect() as master, r.connect() as replica:
        fill_all(master)
        replica("REPLICAOF", "127.0.0.1", m.port)
        support.wait_for(lambda: is_in_step(master, replica), "the replica")
        equal(digests(replica), digests(master))
        go_on(master)
        master("ORIGO.OBSERVE", "large", document(900, [77]))
        master.refusal("ORIGO.OBSERVE", "large", b"x")
        support.wait_for(lambda: is_in_step(master, replica), "the replica")
        equal(digests(replica), digests(master))
        equal(holders(replica("ORIGO.LOOKUP", "large", fps(77, 78))),
              [900, None])
        assert replica.refusal("ORIGO.OBSERVE", "large",
                               document(1, [1])).startswith("READONLY ")
        # After a failover it goes on as the master would have.
        replica("REPLICAOF", "NO", "ONE")
        equal(go_on(replica), go_on(master))


def test_dump_and_restore(module):
    """As a key moves from node to node."""
    with Server(module) as s, s.connect() as c:
        fill_all(c)
        before = digests(c)
        for key in before:
            data = c("DUMP", key)
            c("DEL", key)
            equal(c("RESTORE", key, 0, data), "OK")
        equal(digests(c), before)


def test_replicated_verbatim(module):
    """The log has each command that changed something, as it was sent, and none
    that did not."""
    with Server(module, "--appendonly", "yes", "--appendfsync", "always") as s:
        with s.connect() as c:
            c("ORIGO.RESERVE", "k", 30000, "SLOTS", 16)
            sent = [["ORIGO.OBSERVE", "k", document(i, [i, i + 1, 7]), *more]
                    for i, more in enumerate(([], ["COUNT"], []))]
            for command in sent:
                c(*command)
            c("ORIGO.LOOKUP", "k", fps(1, 2))
            c.refusal("ORIGO.OBSERVE", "k", document(9, [1]) + b"x")
        with open(log_of(s), "rb") as f:
            log = f.read()
        at = [log.find(support.encode(command)) for command in sent]
        assert -1 not in at and at == sorted(at), at
        equal(log.count(b"ORIGO."), 1 + len(sent))


# ---- damage ----

def refused_restore(c, data):
    assert "Bad data format" in c.refusal("RESTORE", "x", 0, data)
    equal(c("EXISTS", "x"), 0)


def module_id_at(data):
    """Where the 8 bytes of the type and its version end. Before them: the kind
    of the value, in a file also the key, and the kind of the number."""
    start = b"\x07\x01k\x81" if b"\x07\x01k\x81" in data else b"\x07\x81"
    return data.index(start) + len(start) + 8


def of_version_2(data):
    """The version of a type is the lowest 10 bits of its number."""
    at = module_id_at(data)
    equal(data[at - 1] & 3, 1)
    return data[:at - 1] + bytes([data[at - 1] & 0xfc | 2]) + data[at:]


def test_damaged_dump(module):
    with Server(module, "--rdbcompression", "no") as s, s.connect() as c:
        c("ORIGO.RESERVE", "k", 30000, "SLOTS", 16)
        fill(c, "k", n_documents=5)
        data = c("DUMP", "k")
        c("DEBUG", "SET-SKIP-CHECKSUM-VALIDATION", 1)
        refused_restore(c, of_version_2(data))
        assert "origo: a partition has version 2" in s.log(), s.log()
        at = data.index(b"ogpc")
        refused_restore(c, data[:at + 4] + b"\x02" + data[at + 5:])
        assert "version 2 of the format" in s.log(), s.log()
        end = data.index(b"ogpc", at + 1)
        for flipped in (at, at + 9, at + 40, end - 2, end + 100, end + 20000):
            refused_restore(c, data[:flipped] + bytes([data[flipped] ^ 32]) +
                            data[flipped + 1:])
        assert "wrong checksum" in s.log(), s.log()
        for length in (at - 1, at + 3, end, end + 5000):
            refused_restore(c, data[:length] + data[-10:])
        equal(c("RESTORE", "x", 0, data), "OK")
        equal(digest(c, "x"), digest(c))
        equal(c.info("origo")["origo_partitions"], "2")


def test_damaged_rdb(module):
    """The server does not start with less than was saved."""
    with Server(module, "--dbfilename", "d", "--rdbchecksum", "no",
                "--rdbcompression", "no") as s:
        with s.connect() as c:
            c("ORIGO.RESERVE", "k", 30000)
            fill(c, "k", n_documents=5)
            before = digest(c)
            c("SAVE")
        s.stop()
        path = os.path.join(s.folder, "d")
        with open(path, "rb") as f:
            good = f.read()
        for bad, why in ((of_version_2(good), "a partition has version 2"),
                         (good[:len(good) // 2], "Short read"),
                         (good.replace(b"ogpc\x01", b"ogpc\x09"),
                          "version 9 of the format")):
            with open(path, "wb") as f:
                f.write(bad)
            log = s.start_refused()
            assert why in log, log
        with open(path, "wb") as f:
            f.write(good)
        s.start()
        with s.connect() as c:
            equal(digest(c), before)


def log_of(s):
    """Its last file."""
    return sorted(glob.glob(os.path.join(s.folder, "appendonlydir",
                                         "*.incr.aof")))[-1]


def cut_aof(s, n):
    """Without the last n bytes."""
    path = log_of(s)
    os.truncate(path, os.path.getsize(path) - n)


def test_truncated_aof(module):
    """All batches but the one that is cut."""
    with Server(module, "--appendonly", "yes", "--appendfsync", "always") as s:
        with s.connect() as c:
            c("ORIGO.RESERVE", "k", 30000)
            fill(c, "k", n_documents=5)
            before = digest(c)
            c("ORIGO.OBSERVE", "k", document(50, [1, 2, 3]))
        s.stop()
        cut_aof(s, 10)
        s.start()
        with s.connect() as c:
            equal(digest(c), before)


# ---- chunks ----

def chunks_of(c, key):
    """Those of a dump: each follows its length."""
    data, found = c("DUMP", key), []
    at = data.find(b"ogpc")
    while at >= 0:
        length = int.from_bytes(data[at - 4:at], "big")
        if data[at - 5] != 0x80:  # of 14 bits
            length = int.from_bytes(data[at - 2:at], "big") & 0x3fff
        found.append(data[at:at + length])
        at = data.find(b"ogpc", at + length)
    return found


def test_chunks(module):
    with Server(module, "--rdbcompression", "no") as s, s.connect() as c:
        size = 600000
        c("ORIGO.RESERVE", "k", size, "BITS", 1)
        fill(c, "k", n_documents=30)
        head, *rest = chunks = chunks_of(c, "k")
        equal(len(rest), 3)
        c("ORIGO.RESERVE", "l", size, "BITS", 1)
        assert "expected" in c.refusal("ORIGO.LOADCHUNK", "l", rest[1]) or \
            "too many" in c.refusal("ORIGO.LOADCHUNK", "l", rest[1])
        equal(c("ORIGO.LOADCHUNK", "l", head), "OK")
        for i, chunk in enumerate(rest):
            equal(facts(c, "l")["loading"], 1)
            for command in (["ORIGO.LOOKUP", "l", fps(1)],
                            ["ORIGO.OBSERVE", "l", document(1, [1])]):
                assert c.refusal(*command).startswith("UNFINISHED ")
            for other in range(len(rest)):
                if other != i:
                    assert "expected" in c.refusal("ORIGO.LOADCHUNK", "l",
                                                   rest[other])
            if i == 1:  # half of it moves, too
                c("RESTORE", "half", 0, c("DUMP", "l"))
                equal(digest(c, "half"), digest(c, "l"))
                equal(facts(c, "half")["loading"], 1)
            equal(c("ORIGO.LOADCHUNK", "l", chunk), "OK")
        equal(facts(c, "l")["loading"], 0)
        equal(digest(c, "l"), digest(c))
        assert "too many" in c.refusal("ORIGO.LOADCHUNK", "l", rest[2])
        assert "would replace" in c.refusal("ORIGO.LOADCHUNK", "l", head)
        c("ORIGO.RESERVE", "other", size)
        assert "other options" in c.refusal("ORIGO.LOADCHUNK", "other", head)
        for bad in (b"", b"ogpc", head[:-1], rest[0][:-1], head + b"x",
                    bytes(5000)):
            error = c.refusal("ORIGO.LOADCHUNK", "l", bad)
            assert error.startswith("ERR the chunk "), error
        equal(digest(c, "l"), digest(c))
        equal(len(chunks), 4)


def test_shutdown(module):
    """A server that is asked to end saves, and is there again."""
    with Server(module, "--save", "3600 1") as s:
        with s.connect() as c:
            c("ORIGO.RESERVE", "k", 30000)
            fill(c, "k", n_documents=5)
            before = digest(c)
        s.stop(signal.SIGTERM)
        s.start()
        with s.connect() as c:
            equal(digest(c), before)


if __name__ == "__main__":
    support.main(dict(globals()))
