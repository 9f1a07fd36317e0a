#!/usr/bin/env python3
"""Every command of the module on a real server, and input that is wrong:
tests/redis/test_redis_module.py MODULE"""

import random
import struct

import redis_support as support
from redis_support import Server, document, equal, fps, hits, holders

MEGABYTE = 1 << 20


def fill(c, key, n_documents=60, n_fps=500, seed=1, kinds=4):
    """Documents that share fingerprints, some late, some weighted."""
    r = random.Random(seed)
    for doc in range(n_documents):
        numbers = [r.randrange(n_fps * n_documents // 2) * 0x9e3779b97f4a7c15
                   & (1 << 64) - 1 for _ in range(n_fps)]
        more = {}
        if doc % kinds == 1:
            more["weights"] = [r.randrange(8) for _ in numbers]
        if doc % kinds == 2:
            more["reversed"] = sorted(r.sample(range(doc), doc // 3))
        if doc % kinds == 3:
            more["spare"] = [r.randrange(2) for _ in numbers]
        c("ORIGO.OBSERVE", key, document(
            doc, numbers, offsets=[r.randrange(1 << 16) for _ in numbers],
            **more), "COUNT")


def facts(c, key="k"):
    answer = c("ORIGO.INFO", key)
    return dict(zip(answer[::2], answer[1::2]))


def digest(c, key="k"):
    return c("DEBUG", "DIGEST-VALUE", key)[0]


# ---- commands ----

def test_reserve(module):
    with Server(module) as s, s.connect() as c:
        equal(c("ORIGO.RESERVE", "k", MEGABYTE), "OK")
        first = facts(c)
        equal((first["memory"], first["used"], first["loading"]),
              (MEGABYTE, 0, 0))
        equal((first["layout"], first["evict"], first["bucket_slots"]),
              ("packed", "learn", 64))
        assert MEGABYTE * 0.95 < first["slots"] * 12 <= MEGABYTE, first
        # The same again is fine, also when there is something in it.
        c("ORIGO.OBSERVE", "k", document(1, [5]))
        equal(c("origo.reserve", "k", MEGABYTE, "layout", "packed"), "OK")
        equal(facts(c)["used"], 1)
        assert "other options" in c.refusal("ORIGO.RESERVE", "k", MEGABYTE,
                                            "BITS", 3)
        equal(c("ORIGO.RESERVE", "p", 65536, "LAYOUT", "paper", "EVICT", "LRU",
                "SLOTS", 16, "OFFSET", 0, "NEAR", 0, "BITS", 2), "OK")
        equal({k: facts(c, "p")[k] for k in (
            "layout", "evict", "bucket_slots", "offset_bytes", "near_bytes",
            "partition_bits")},
            {"layout": "paper", "evict": "LRU", "bucket_slots": 16,
             "offset_bytes": 0, "near_bytes": 0, "partition_bits": 2})


def test_observe_and_look_up(module):
    with Server(module) as s, s.connect() as c:
        c("ORIGO.RESERVE", "k", MEGABYTE)
        batch = document(7, [1, 2, 3], offsets=[10, 20, 30], near=[4, 5, 6]) + \
            document(8, [3, 4])
        # Each document is answered before it is added.
        equal(hits(c("ORIGO.OBSERVE", "k", batch)),
              [None, None, None, (7, 30, 6), None])
        equal(hits(c("ORIGO.LOOKUP", "k", fps(1, 4, 9))),
              [(7, 10, 4), (8, 0, 0), None])
        equal(c("ORIGO.LOOKUP", "k", b""), b"")
        equal(c("ORIGO.OBSERVE", "k", b""), b"")
        # Counts instead of hits: what was new.
        batch = document(9, [1, 9, 10]) + document(10, []) + document(11, [11])
        equal(struct.unpack("<3I", c("ORIGO.OBSERVE", "k", batch, "count")),
              (2, 0, 1))
        # The earliest document keeps a fingerprint, or takes it over.
        c("ORIGO.OBSERVE", "k", document(3, [1, 9]))
        equal(holders(c("ORIGO.LOOKUP", "k", fps(1, 9, 2))), [3, 3, 7])
        # Unless the front end knows a better order than that of the numbers.
        c("ORIGO.OBSERVE", "k", document(20, [1, 2], reversed=[3]))
        equal(holders(c("ORIGO.LOOKUP", "k", fps(1, 2))), [20, 7])
        c("ORIGO.OBSERVE", "k", document(4, [1], reversed=[20]))
        equal(holders(c("ORIGO.LOOKUP", "k", fps(1))), [20])
        # A new fingerprint under an old origin; one that is not to be added.
        c("ORIGO.OBSERVE", "k", document(30, [40, 41],
                                         origins=[2, support.NO_DOC]))
        c("ORIGO.OBSERVE", "k", document(31, [42, 1], seen=True))
        equal(holders(c("ORIGO.LOOKUP", "k", fps(40, 41, 42))), [2, 30, None])


def test_full(module):
    """At its cap a partition gives fingerprints up, and says which of those that
    it does not have it may have had."""
    with Server(module) as s, s.connect() as c:
        c("ORIGO.RESERVE", "k", 20000, "SLOTS", 16)
        answer = c("ORIGO.LOOKUP", "k", fps(1))
        equal(struct.unpack("<IHH", answer), (support.NO_DOC, 0, 0))
        fill(c, "k")
        f = facts(c)
        assert f["evicted"] > 0 and f["used"] == f["slots"], f
        answer = c("ORIGO.LOOKUP", "k", fps(1))
        equal(struct.unpack("<IHH", answer), (support.NO_DOC, 1, 0))
        full = facts(c)["used"]
        c("ORIGO.OBSERVE", "k", document(99, [1], spare=[1]))
        equal(holders(c("ORIGO.LOOKUP", "k", fps(1))), [None])
        c("ORIGO.OBSERVE", "k", document(99, [1]))
        equal(holders(c("ORIGO.LOOKUP", "k", fps(1))), [99])
        equal(facts(c)["used"], full)


def test_metrics(module):
    with Server(module) as s, s.connect() as c:
        for key in ("a", "b"):
            c("ORIGO.RESERVE", key, MEGABYTE)
        c("ORIGO.OBSERVE", "a", document(1, [1, 2]) + document(2, [2]))
        c("ORIGO.LOOKUP", "a", fps(1, 7, 8))
        c.refusal("ORIGO.LOOKUP", "none", fps(1))
        m = {k: int(v) for k, v in c.info("origo").items()
             if k.startswith("origo_")}
        size = facts(c, "a")["bytes"]
        equal(c("MEMORY", "USAGE", "a", "SAMPLES", 0) >= size, True)
        equal(m, {"origo_partitions": 2, "origo_partition_bytes": 2 * size,
                  "origo_blocks_moved": 0,
                  "origo_lookups": 1, "origo_fingerprints_looked_up": 3,
                  "origo_fingerprints_found": 1, "origo_batches": 1,
                  "origo_documents": 2, "origo_fingerprints_observed": 3,
                  "origo_fingerprints_new": 2, "origo_fingerprints_evicted": 0,
                  "origo_commands_refused": 1})


def test_keys(module):
    """Copies are the same and apart; what is deleted gives its memory back."""
    with Server(module) as s, s.connect() as c:
        before = int(c.info("memory")["used_memory"])
        c("ORIGO.RESERVE", "k", 4 * MEGABYTE)
        assert int(c.info("memory")["used_memory"]) > before + 4 * MEGABYTE
        fill(c, "k")
        equal(c("COPY", "k", "copy"), 1)
        equal(digest(c, "copy"), digest(c))
        equal(c("TYPE", "copy"), "origopart")
        c("ORIGO.OBSERVE", "copy", document(1000, [12345]))
        assert digest(c, "copy") != digest(c)
        c("RENAME", "copy", "other")
        equal(c("UNLINK", "other"), 1)
        support.wait_for(lambda: c.info("origo")["origo_partitions"] == "1")
        equal(c("DEL", "k"), 1)  # Valkey frees it in another thread, too
        support.wait_for(lambda: c.info("origo")["origo_partitions"] == "0")
        equal(c.info("origo")["origo_partition_bytes"], "0")
        assert int(c.info("memory")["used_memory"]) < before + MEGABYTE


def test_freeing(module):
    """What has many pages is freed by another thread of the server."""
    with Server(module) as s, s.connect() as c:
        for key, size in (("small", 100000), ("large", 4 * MEGABYTE)):
            c("ORIGO.RESERVE", key, size)
        freed = int(c.info("memory").get("lazyfreed_objects", 0))
        equal(c("UNLINK", "small"), 1)
        equal(c.info("origo")["origo_partitions"], "1")
        equal(int(c.info("memory")["lazyfreed_objects"]), freed)
        equal(c("UNLINK", "large"), 1)
        support.wait_for(
            lambda: int(c.info("memory")["lazyfreed_objects"]) == freed + 1)
        equal(c.info("origo")["origo_partitions"], "0")


def test_defragmentation(module):
    """Every second partition goes: what is left in half-empty pages moves, and
    is the same."""
    with Server(module) as s, s.connect() as c:
        try:
            c("CONFIG", "SET", "activedefrag", "yes")
        except support.Refused:
            return "the server's allocator does not defragment"
        c("CONFIG", "SET", "activedefrag", "no")
        keys = ["k%d" % i for i in range(3000)]
        for i, key in enumerate(keys):
            c("ORIGO.RESERVE", key, 20000, "SLOTS", 16, "EVICT",
              "learn" if i % 4 else "LRU")
            c("ORIGO.OBSERVE", key, document(i, [i * 10 + j for j in range(9)]))
        c("UNLINK", *[k for i, k in enumerate(keys) if i % 8 != 3])
        kept = keys[3::8]
        before = [digest(c, k) for k in kept]
        for name, value in (("active-defrag-ignore-bytes", 1),
                            ("active-defrag-threshold-lower", 1),
                            ("active-defrag-cycle-min", 50),
                            ("active-defrag-cycle-max", 75),
                            ("activedefrag", "yes")):
            c("CONFIG", "SET", name, value)
        support.wait_for(
            lambda: int(c.info("origo")["origo_blocks_moved"]) > 100)
        equal([digest(c, k) for k in kept], before)
        for i, key in zip(range(3, 3000, 8), kept):
            equal(holders(c("ORIGO.LOOKUP", key, fps(i * 10, i * 10 + 8))),
                  [i, i])
        c("CONFIG", "SET", "activedefrag", "no")
        c("UNLINK", *kept)
        support.wait_for(lambda: c.info("origo")["origo_partitions"] == "0")
    return None


# ---- wrong input ----

def test_wrong_arguments(module):
    with Server(module) as s, s.connect() as c:
        c("ORIGO.RESERVE", "k", MEGABYTE)
        for command in (
                ["ORIGO.RESERVE"], ["ORIGO.RESERVE", "x"], ["ORIGO.LOOKUP", "k"],
                ["ORIGO.LOOKUP", "k", b"", b""], ["ORIGO.OBSERVE", "k"],
                ["ORIGO.OBSERVE", "k", b"", "COUNT", "x"], ["ORIGO.INFO"],
                ["ORIGO.INFO", "k", "x"], ["ORIGO.LOADCHUNK", "k"],
                ["ORIGO.LOADCHUNK", "k", b"", b""]):
            assert "wrong number of arguments" in c.refusal(*command), command
        for options in (
                ["-1"], ["x"], ["1.5"], [str(1 << 63)], [str(1 << 40)], ["100"],
                ["0"], [MEGABYTE, "LAYOUT"], [MEGABYTE, "LAYOUT", "wide"],
                [MEGABYTE, "EVICT", "none"], [MEGABYTE, "SLOTS", "3"],
                [MEGABYTE, "SLOTS", "512"], [MEGABYTE, "SLOTS", "x"],
                [MEGABYTE, "OFFSET", "3"], [MEGABYTE, "NEAR", "1"],
                [MEGABYTE, "NEAR", "258"], [MEGABYTE, "BITS", "21"],
                [MEGABYTE, "BITS", "-1"], [MEGABYTE, "\r\n+OK", "1"],
                [MEGABYTE, "NOISE", "1"]):
            error = c.refusal("ORIGO.RESERVE", "x", *options)
            assert error.startswith("ERR "), error
        equal(c("EXISTS", "x"), 0)
        assert "COUNT" in c.refusal("ORIGO.OBSERVE", "k", b"", "HITS")
        equal(c("PING"), "PONG")


def test_listed(module):
    """Nobody is displaced who is not listed, whatever the numbers."""
    with Server(module) as s, s.connect() as c:
        c("ORIGO.RESERVE", "k", MEGABYTE)
        c("ORIGO.OBSERVE", "k", document(5, [1, 2]))
        answer = c("ORIGO.OBSERVE", "k", document(3, [1, 3], listed=True))
        equal(support.holders(answer), [5, None])
        equal(support.holders(c("ORIGO.LOOKUP", "k", support.fps(1, 2, 3))),
              [5, 5, 3])
        answer = c("ORIGO.OBSERVE", "k",
                   document(7, [1, 2, 3], listed=True, reversed=[3, 5]))
        equal(support.holders(answer), [5, 5, 3])
        equal(support.holders(c("ORIGO.LOOKUP", "k", support.fps(1, 2, 3))),
              [7, 7, 7])


def test_wrong_batches(module):
    """Nothing of a batch with an error is kept."""
    with Server(module) as s, s.connect() as c:
        c("ORIGO.RESERVE", "k", MEGABYTE)
        fill(c, "k", n_documents=5)
        before = digest(c)
        good = document(50, [91, 92, 93])
        for n in (1, 7, 9, 8 * 3 + 1):
            assert "bytes each" in c.refusal("ORIGO.LOOKUP", "k", bytes(n))
        for end in range(1, len(good)):
            assert "document 1 of the batch, at byte %d" % len(good) in \
                c.refusal("ORIGO.OBSERVE", "k", good + good[:end])
        for bad, why in (
                (struct.pack("<4I", 1, 0, 32, 0), "flags 0x20"),
                (struct.pack("<4I", support.NO_DOC, 0, 0, 0), "no document"),
                (struct.pack("<4I", 1, 0xffffffff, 15, 0xffffffff), "truncated"),
                (document(9, [1], reversed=[4, 4]), "does not ascend"),
                (document(9, [1], reversed=[5, 4]), "does not ascend"),
                (document(9, [1], fields=False), "truncated")):
            assert why in c.refusal("ORIGO.OBSERVE", "k", good + bad), why
        equal(digest(c), before)


def test_wrong_keys(module):
    with Server(module) as s, s.connect() as c:
        c("SET", "text", "x")
        commands = (["ORIGO.LOOKUP", fps(1)], ["ORIGO.INFO"],
                    ["ORIGO.OBSERVE", document(1, [1])],
                    ["ORIGO.LOADCHUNK", b"x"])
        for name, *more in commands:
            error = c.refusal(name, "none", *more)
            assert error.startswith("NOPARTITION "), error
            error = c.refusal(name, "text", *more)
            assert error.startswith("WRONGTYPE "), error
        assert c.refusal("ORIGO.RESERVE", "text",
                         MEGABYTE).startswith("WRONGTYPE ")
        c("ORIGO.RESERVE", "k", MEGABYTE)
        assert c.refusal("GET", "k").startswith("WRONGTYPE ")
        equal(c("EXISTS", "none"), 0)
        equal(c("GET", "text"), b"x")


def test_client_that_dies(module):
    """Half a batch is none."""
    with Server(module) as s, s.connect() as c:
        c("ORIGO.RESERVE", "k", MEGABYTE)
        fill(c, "k", n_documents=5)
        before = digest(c)
        whole = support.encode(["ORIGO.OBSERVE", "k",
                                document(70, list(range(5000)))])
        n_clients = int(c.info("clients")["connected_clients"])
        for end in (1, 20, 60, len(whole) // 2, len(whole) - 1):
            with s.connect() as dying:
                dying.socket.sendall(whole[:end])
        support.wait_for(lambda: int(c.info("clients")["connected_clients"])
                         == n_clients)
        equal(digest(c), before)


def test_memory_limit(module):
    """A partition that is there goes on; there can be no other one."""
    with Server(module) as s, s.connect() as c:
        c("ORIGO.RESERVE", "k", 4 * MEGABYTE)
        fill(c, "k", n_documents=5)
        before = digest(c)
        used = int(c.info("memory")["used_memory"])
        c("CONFIG", "SET", "maxmemory", used - MEGABYTE)
        assert c.refusal("ORIGO.RESERVE", "l", MEGABYTE).startswith("OOM ")
        assert c.refusal("SET", "x", "y").startswith("OOM ")
        equal(c("EXISTS", "l"), 0)
        equal(digest(c), before)
        c("ORIGO.OBSERVE", "k", document(80, [1 << 60]))
        equal(holders(c("ORIGO.LOOKUP", "k", fps(1 << 60))), [80])


if __name__ == "__main__":
    support.main(dict(globals()))
