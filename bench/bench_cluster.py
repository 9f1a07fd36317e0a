#!/usr/bin/env python3
"""What does a fingerprint cost a server, in CPU and bytes, beside a plain key?

    bench/bench_cluster.py MODULE [--fingerprints N] [--partitions N]

One server without persistence, a table of N partitions of 16 MiB, half full of
random fingerprints before the clock starts. Batches of 1, 3, 16 and 170
fingerprints go to one partition each, many commands in flight. CPU is that of the
server process (user and system), as it reports it; rates include this client,
which prepares its bytes beforehand. Bytes a fingerprint: of the table when it is
full; of plain keys what the server's memory grew by. Then as many plain keys, one
for each fingerprint, by SET key value NX GET: the shortest ones there can be, and
those of the plain mode, with and without an end. Last, what saving and loading
the table takes."""

import argparse
import base64
import os
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "tests", "redis"))
import redis_support as support  # noqa: E402

PARTITION = 16 << 20
BATCHES = (1, 3, 16, 170)
IN_FLIGHT = 1 << 16  # bytes


class Load:
    """Commands, encoded beforehand, in pieces of some 64 KiB."""

    def __init__(self):
        self.pieces = []
        self.counts = []
        self.n_bytes = 0
        self.n = 0

    def add(self, *command):
        data = support.encode(command)
        if not self.pieces or len(self.pieces[-1]) > IN_FLIGHT:
            self.pieces.append(bytearray())
            self.counts.append(0)
        self.pieces[-1] += data
        self.counts[-1] += 1
        self.n_bytes += len(data)

    def run(self, c):
        """Seconds, seconds of the server's CPU, bytes of answers."""
        n_answered = 0
        cpu, start = cpu_of(c), time.monotonic()
        for piece, count in zip(self.pieces, self.counts):
            c.socket.sendall(piece)
            for _ in range(count):
                answer = c.receive()
                n_answered += len(answer) if isinstance(answer, bytes) else 0
        seconds = time.monotonic() - start
        return seconds, cpu_of(c) - cpu, n_answered


def cpu_of(c):
    info = c.info("cpu")
    return float(info["used_cpu_user"]) + float(info["used_cpu_sys"])


def key_of(number):
    return "t:%d" % number


def batch_of(doc, n, per_document):
    """n random fingerprints, so many of each document."""
    data = b""
    while n > 0:
        some = min(n, per_document)
        data += struct.pack("<4I", doc, some, 0, 0) + os.urandom(8 * some) + \
            bytes(4 * some)
        n -= some
        doc += 1
    return data


def fill(c, n_partitions, n):
    load = Load()
    for i in range(n // 1000):
        load.add("ORIGO.OBSERVE", key_of(i % n_partitions),
                 batch_of(i, 1000, 1000), "COUNT")
        if len(load.pieces) > 100:
            load.run(c)
            load = Load()
    load.run(c)


def report(name, batch, n, load, measured):
    seconds, cpu, n_answered = measured
    print("| %s | %s | %.2f | %.0f | %.1f | %.1f |" % (
        name, batch, 1e6 * cpu / n, n / seconds / 1000, load.n_bytes / n,
        n_answered / n), flush=True)
    return cpu / n


def n_batches_of(batch, n):
    """Small batches take longer: fewer fingerprints of them."""
    return max(n // batch // (4 if batch < 16 else 1), 1)


def observe_cost(c, n_partitions, n, batch, name, per_document=None,
                 more=("COUNT",)):
    """Server CPU a fingerprint."""
    load, n_batches = Load(), n_batches_of(batch, n)
    for i in range(n_batches):
        load.add("ORIGO.OBSERVE", key_of(i % n_partitions),
                 batch_of(10000 + i, batch, per_document or batch), *more)
    return report(name, batch, n_batches * batch, load, load.run(c))


def look_up_cost(c, n_partitions, n, batch):
    load, n_batches = Load(), n_batches_of(batch, n)
    for i in range(n_batches):
        load.add("ORIGO.LOOKUP", key_of(i % n_partitions),
                 os.urandom(8 * batch))
    report("LOOKUP", batch, n_batches * batch, load, load.run(c))


def table_costs(c, n_partitions, n, n_slots):
    """Of the largest batches, when the table is full."""
    for batch in BATCHES:
        look_up_cost(c, n_partitions, n, batch)
    for batch in BATCHES:
        observe_cost(c, n_partitions, n, batch, "OBSERVE, counts")
    observe_cost(c, n_partitions, n, 170, "OBSERVE, hits", more=())
    observe_cost(c, n_partitions, n, 170, "OBSERVE, counts, documents of 3", 3)
    fill(c, n_partitions, n_slots)
    return observe_cost(c, n_partitions, n, 170, "OBSERVE, counts, full table")


def plain_key():
    """As lib/remote/plain_table.c makes them, of a table of some 64 GB."""
    return b"origo:news:" + base64.urlsafe_b64encode(os.urandom(6))


def plain_value():
    return struct.unpack("<q", os.urandom(8))[0]


def used_memory(c):
    return int(c.info("memory")["used_memory"])


def plain_cost(c, n, name, key, value, more=()):
    """Server CPU and bytes a key; the keys are deleted again."""
    before = used_memory(c)
    load, keys = Load(), [key() for _ in range(n)]
    for k in keys:
        load.add("SET", k, value(), *more, "NX", "GET")
    cost = report(name, 1, n, load, load.run(c))
    n_bytes = (used_memory(c) - before) / n
    load = Load()
    for k in keys:
        load.add("GET", k)
    if key == plain_key:
        report(name.replace("SET NX GET", "GET"), 1, n, load, load.run(c))
    load = Load()
    for k in keys:
        load.add("DEL", k)
    load.run(c)
    return cost, n_bytes


def saving_costs(c, n_bytes):
    """CPU for a GB of table, in the process itself."""
    costs = []
    for command in (["SAVE"], ["DEBUG", "RELOAD", "NOSAVE"]):
        cpu = cpu_of(c)
        c(*command)
        costs.append((cpu_of(c) - cpu) / n_bytes * 1e9)
    print("Saving a GB of table takes %.1f s of CPU, loading it %.1f s." %
          tuple(costs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("module")
    parser.add_argument("--fingerprints", type=int, default=2000000)
    parser.add_argument("--partitions", type=int, default=16)
    o = parser.parse_args()
    if support.missing():
        print("SKIPPED: " + support.missing())
        return
    with support.Server(os.path.abspath(o.module)) as s, s.connect() as c:
        for i in range(o.partitions):
            c("ORIGO.RESERVE", key_of(i), PARTITION)
        facts = c("ORIGO.INFO", key_of(0))
        facts = dict(zip(facts[::2], facts[1::2]))
        fill(c, o.partitions, facts["slots"] * o.partitions // 2)
        print("Redis %s, %d partitions of 16 MiB, half full before; %d "
              "fingerprints.\n" % (c.info("server")["redis_version"],
                                   o.partitions, o.fingerprints))
        print("| command | batch | server CPU, us a fingerprint | thousand a "
              "second | bytes sent | bytes answered |")
        print("|---|---|---|---|---|---|")
        table = table_costs(c, o.partitions, o.fingerprints,
                            facts["slots"] * o.partitions)
        n = o.fingerprints // 2
        plain, plain_bytes = plain_cost(c, n, "SET NX GET",
                                        lambda: os.urandom(8),
                                        lambda: os.urandom(8))
        own, own_bytes = plain_cost(c, n, "SET NX GET, plain mode", plain_key,
                                    plain_value)
        lived, lived_bytes = plain_cost(
            c, n, "SET NX GET, plain mode with ttl", plain_key, plain_value,
            ("EX", 500000000))
        table_bytes = facts["bytes"] / facts["slots"]
        print("\nMemory: %.1f bytes a fingerprint in a full table, %.1f as a "
              "plain key: %.1f times less.\nCPU: %.2f us in batches of %d "
              "and a full table, %.2f us as a plain key: %.1f times less." % (
                  table_bytes, plain_bytes, plain_bytes / table_bytes,
                  1e6 * table, BATCHES[-1], 1e6 * plain, plain / table))
        print("Plain mode: %.2f us and %.1f bytes a fingerprint, with a ttl "
              "%.2f us and %.1f bytes." % (1e6 * own, own_bytes, 1e6 * lived,
                                          lived_bytes))
        saving_costs(c, facts["bytes"] * o.partitions)


if __name__ == "__main__":
    main()
