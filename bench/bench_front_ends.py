#!/usr/bin/env python3
"""How many documents a second do front ends add to a table on a server, and are
the answers those of a local store?

    bench/bench_front_ends.py MODULE ORIGO MAILS.jsonl[.zst] [--documents N]
                              [--compare N]

One server with the module, without persistence. 1, 2 and 4 processes add shares of
the first N documents, line by line in turn; beside them a store with a table of its
own, and the plain mode. Documents and texts are in the cluster; where the command
cannot do that, in a folder, and then with one process. CPU is the front ends' and
the server's, user and system.

Then documents are traced and added one after the other, by one front end, to a
local store and to a cluster of three masters, and the two outputs are compared
byte for byte: all documents, unless --compare says how many. Once in each layout:
that of the paper tells fingerprints apart by 48 bits and their bucket. The packed
one has 24: there a new fingerprint is taken for another one once in a million times,
and for the same one only in a table with the same key and as many buckets, so the two
get both. Documents are in a folder the first time, on the servers the second."""

import argparse
import contextlib
import hashlib
import itertools
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
for path in ("../tests/redis", "../tools"):
    sys.path.insert(0, os.path.join(HERE, path))
import redis_support as support  # noqa: E402
import run_cluster  # noqa: E402

MEMORY = "512M"  # nothing is evicted
KEY = "5eed"
# A local table gives 1/64 of its memory to counts of frequent fingerprints: with
# this it has the buckets of a table of MEMORY on servers. Checked by compare().
SAME_MEMORY = {"packed": "520118800", "paper": MEMORY}


def read_lines(path, n):
    """The first n documents, all when n is 0."""
    command = ["zstd", "-dcq", "--long=27", path] if path.endswith(".zst") \
        else ["cat", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as p:
        yield from itertools.islice(p.stdout, n or None)
        p.stdout.close()


def write_shares(lines, folder, n):
    paths = [os.path.join(folder, "share-%d-%d.jsonl" % (n, i))
             for i in range(n)]
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(open(p, "wb")) for p in paths]
        for i, line in enumerate(lines):
            files[i % n].write(line)
    return paths


def environment():
    return {k: v for k, v in os.environ.items() if not k.startswith("ORIGO_")}


def children_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Failed(Exception):
    pass


def run_all(commands):
    """Seconds, and CPU seconds of all of them."""
    cpu, start = children_cpu(), time.monotonic()
    running = [subprocess.Popen(c, env=environment(), stderr=subprocess.PIPE,
                                stdout=subprocess.DEVNULL) for c in commands]
    said = [p.communicate()[1].decode() for p in running]
    for p, text in zip(running, said):
        if p.returncode:
            raise Failed(text.strip().split("\n")[0])
    return time.monotonic() - start, children_cpu() - cpu


# ---- rates ----

def server_facts(c):
    cpu, stats = c.info("cpu"), c.info("stats")
    return {"cpu": float(cpu["used_cpu_user"]) + float(cpu["used_cpu_sys"]),
            "in": int(stats["total_net_input_bytes"]),
            "out": int(stats["total_net_output_bytes"]),
            "fps": int(c.info("origo").get(
                "origo_fingerprints_observed", 0))}


def report(name, n, measured, before, after):
    seconds, cpu = measured
    grown = {k: after[k] - before[k] for k in after}
    print("| %s | %.0f | %.0f | %.1f | %.0f | %.0f | %.0f |" % (
        name, n / seconds, 1e6 * cpu / n, 1e6 * grown["cpu"] / n,
        grown["fps"] / n, grown["in"] / n, grown["out"] / n), flush=True)


def rate(module, origo, folder, name, paths, n, more=(), catalogue=False,
         local=False):
    """Adds the shares at once, one process for each."""
    table = "redis://127.0.0.1:%d/t%s"
    with support.Server(module, port=True) as s, s.connect() as c:
        store = [table % (s.port, "".join(more))]
        if catalogue:
            store += ["--catalogue", tempfile.mkdtemp(dir=folder) + "/cat"]
        if local:
            store = [tempfile.mkdtemp(dir=folder) + "/store"]
        # Memory for the table is taken before the clock starts.
        run_all([[origo, "add", "-q", "-s", *store, "--memory", MEMORY,
                  os.devnull]])
        before = server_facts(c)
        measured = run_all([[origo, "add", "-q", "-j", "1", "-s", *store,
                             "--memory", MEMORY, p] for p in paths])
        report(name, n, measured, before, server_facts(c))


def rates(module, origo, folder, lines):
    n = len(lines)
    n_words = sum(line.count(b" ") for line in lines)
    print("The first %d mails, %.0f words each; one thread for each front end."
          "\n" % (n, n_words / n))
    print("| add | documents a second | front-end CPU, us a document | server "
          "CPU, us | fingerprints | bytes sent | bytes answered |")
    print("|---|---|---|---|---|---|---|")
    shares = {k: write_shares(lines, folder, k) for k in (1, 2, 4)}
    rate(module, origo, folder, "a local store", shares[1], n, local=True)
    rate(module, origo, folder, "1 front end, catalogue in a folder", shares[1],
         n, catalogue=True)
    rate(module, origo, folder, "1 front end, plain mode, catalogue in a folder",
         shares[1], n, ["?mode=plain"], catalogue=True)
    for k, paths in shares.items():
        rate(module, origo, folder, "%d front end%s" % (k, "s" if k > 1 else ""),
             paths, n)
    rate(module, origo, folder, "4 front ends, plain mode", shares[4], n,
         ["?mode=plain"])


# ---- the same answers ----

@contextlib.contextmanager
def masters(module, folder):
    nodes = [run_cluster.Node(module, os.path.join(folder, "node%d" % i),
                              support.free_port(), support.free_port(),
                              ["--appendonly", "no", "--save", "",
                               "--cluster-node-timeout", "60000"])
             for i in range(3)]
    try:
        run_cluster.start(nodes, 0)
        yield "redis://" + ",".join("127.0.0.1:%d" % n.port for n in nodes)
    finally:
        for node in nodes:
            node.stop()


def trace(origo, store, path, out, layout, memory):
    with open(out, "wb") as f:
        subprocess.run([origo, "trace", "-q", "--add", "-f", "json", "-s",
                        *store, "--memory", memory, "--layout", layout,
                        "--key", KEY, path],
                       stdout=f, env=environment(), check=True)


def n_slots(origo, store):
    said = subprocess.run([origo, "info", "--json", "-s", store],
                          stdout=subprocess.PIPE, env=environment(), check=True)
    return json.loads(said.stdout)["slots"]


def differences(a, b):
    """How many lines, and the first of them."""
    n, first = 0, None
    with open(a, "rb") as x, open(b, "rb") as y:
        for i, (p, q) in enumerate(itertools.zip_longest(x, y)):
            if p != q:
                n += 1
                first = first or "document %d: %.300r is %.300r locally" % (
                    i, q, p)
    return n, first


def compare(module, origo, folder, stream, layout):
    own, far = (os.path.join(folder, name + layout) for name in ("own", "far"))
    trace(origo, [own + ".store"], stream, own, layout, SAME_MEMORY[layout])
    with masters(module, os.path.join(folder, layout)) as address:
        store = [address + "/t"]
        if layout == "paper":
            store += ["--catalogue", far + ".store"]
        trace(origo, store, stream, far, layout, MEMORY)
        if layout == "packed" and \
                n_slots(origo, store[0]) != n_slots(origo, own + ".store"):
            raise Failed("the tables have different numbers of slots")
    n_different, first = differences(own, far)
    if n_different:
        print("\nThe answers to %d documents differ (layout %s): %s" % (
            n_different, layout, first))
        return False
    with open(own, "rb") as f:
        data = f.read()
    print("\nThe answers of a local store and of a cluster of three masters to "
          "%d mails are equal (layout %s, documents %s): %d bytes, SHA-256 %s."
          % (data.count(b"\n"), layout,
             "in a folder" if layout == "paper" else "on the servers",
             len(data), hashlib.sha256(data).hexdigest()[:16]), flush=True)
    shutil.rmtree(own + ".store")
    return True


def compare_all(module, origo, folder, path, n):
    stream = os.path.join(folder, "stream.jsonl")
    with open(stream, "wb") as f:
        f.writelines(read_lines(path, n))
    return all([compare(module, origo, folder, stream, layout)
                for layout in ("paper", "packed")])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("module")
    parser.add_argument("origo")
    parser.add_argument("mails")
    parser.add_argument("--documents", type=int, default=10000)
    parser.add_argument("--compare", type=int, default=0)
    o = parser.parse_args()
    if support.missing() or not os.path.exists(o.mails):
        print("SKIPPED: " + (support.missing() or "there is no " + o.mails))
        return 0
    module, origo = os.path.abspath(o.module), os.path.abspath(o.origo)
    folder = tempfile.mkdtemp(prefix="origo-front-ends-")
    try:
        rates(module, origo, folder, list(read_lines(o.mails, o.documents)))
        return 0 if compare_all(module, origo, folder, o.mails,
                                o.compare) else 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
