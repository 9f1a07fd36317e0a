#!/usr/bin/env python3
"""The Python package beside the command and its peers.

    bench/bench_python.py BUILD DATA [--quick] [--minutes N]

Run by the Python of an environment that has origo, pyarrow, datasketch, rensa,
text-dedup and datatrove; those that are not there are named. DATA has mail, rfc
and pep-history as .jsonl.zst. Every row of the tables of deduplication is a
process of its own, with its CPU time and its largest size. Peers take an
extract of each stream first; the whole streams follow, what takes least time
first, until --minutes (20) are over: what is left is named with the time that
it would take. --quick shows in two minutes that all of it works: nothing of it
is a result.

Truth, precision and recall are those of bench_dedup.py."""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

from bench_dedup import (Stopped, extract, kept_flags, line_keys, measure,
                         quality, true_pairs, unpack)

HERE = os.path.dirname(os.path.abspath(__file__))
STREAMS = ["mail", "rfc", "pep-history"]
PEERS = ["rensa", "datasketch", "text-dedup", "datatrove"]
BEGAN = time.monotonic()
# Seconds that everything but whole streams of peers takes after them.
RESERVE = 60


def table(title, head, rows):
    print("\n## %s\n" % title)
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head), flush=True)
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)


def time_left(options):
    return options.minutes * 60 - (time.monotonic() - BEGAN)


# ---- deduplication ----------------------------------------------------------

# The first argument is the input, the second where the flags go.
LISTS = """
import json, sys, origo
texts = [json.loads(line)["text"] for line in open(sys.argv[1], "rb")]
open(sys.argv[2], "wb").write(origo.dedup(texts, threads=1).mask)
"""
READ_LISTS = """
import json, sys
texts = [json.loads(line)["text"] for line in open(sys.argv[1], "rb")]
"""
PARQUET = """
import sys, origo
from origo.files import ParquetFiles
files = ParquetFiles([sys.argv[1]], None)
open(sys.argv[2], "wb").write(origo.dedup(files.tables(), threads=1).mask)
"""
READ_PARQUET = """
import sys
from origo.files import ParquetFiles
for batch in ParquetFiles([sys.argv[1]], None).reader():
    pass
"""
TO_PARQUET = """
import json, sys, pyarrow
import pyarrow.parquet as parquet
rows = [{name: str(row[name]) for name in ("id", "text")}
        for row in map(json.loads, open(sys.argv[1], "rb"))]
parquet.write_table(pyarrow.Table.from_pylist(rows), sys.argv[2],
                    compression="zstd", row_group_size=10000)
"""


class Stream:
    """A file of documents, and which of them are alike."""

    def __init__(self, options, name, path):
        self.name = name
        self.path = path
        self.size = os.path.getsize(path) / 1e6
        self.parquet = path.replace(".jsonl", ".parquet")
        # In a process of its own: the size of this one would be inherited by
        # those that are measured.
        subprocess.run([sys.executable, "-c", TO_PARQUET, path, self.parquet],
                       check=True)
        self.pairs = true_pairs(options, path)


def own_runs(options, stream, kept, flags):
    """Title, command, and what the result is: lines, flags or none."""
    python = sys.executable
    origo = os.path.join(options.build, "cli", "origo")
    return [
        ("the command, JSONL", [origo, "dedup", "-q", "-j", "1", stream.path,
                                "-o", kept], "lines"),
        ("Python, a list of texts", [python, "-c", LISTS, stream.path, flags],
         "flags"),
        ("... of which reading JSON", [python, "-c", READ_LISTS, stream.path],
         None),
        ("Python, Parquet", [python, "-c", PARQUET, stream.parquet, flags],
         "flags"),
        ("... of which pyarrow reads", [python, "-c", READ_PARQUET,
                                        stream.parquet], None),
        ("origo-py, Parquet to Parquet", [
            python, "-m", "origo", "dedup", "-q", "-j", "1", stream.parquet,
            "-o", stream.parquet.replace(".parquet", "-kept.parquet")], None),
    ]


def row_of(stream, title, cost, kept):
    """`cost`: seconds, CPU seconds, MB."""
    good = ["", "", ""]
    if kept is not None:
        good = ["%d" % quality(kept, stream.pairs)[0]] + [
            "%.4f" % one for one in quality(kept, stream.pairs)[1:]]
    return [stream.name, title, "%.2f" % cost[1],
            "%.1f" % (stream.size / cost[1]), "%.0f" % cost[2], *good]


def cheapest(command, runs, limit):
    """The run with the least CPU time."""
    return min((measure(command, 1, limit)[0] for _ in range(runs)),
               key=lambda cost: cost[1])


def own_rows(options, stream, folder, costs):
    kept, flags = (os.path.join(folder, name) for name in ("kept", "flags"))
    for title, command, kind in own_runs(options, stream, kept, flags):
        try:
            cost = cheapest(command, options.runs, 300)
        except Stopped as why:
            yield [stream.name, title, str(why), "", "", "", "", ""]
            continue
        costs[title] = cost[1]
        result = None
        if kind == "lines":
            result = kept_flags(line_keys(stream.path), kept)
        elif kind == "flags":
            with open(flags, "rb") as file:
                result = [one != 0 for one in file.read()]
        yield row_of(stream, title, cost, result)


def peer_row(stream, peer, folder, limit):
    """The row, and the seconds of a MB."""
    kept = os.path.join(folder, "kept")
    command = [sys.executable, os.path.join(HERE, "peers_dedup.py"), peer,
               stream.path, kept]
    cost, _ = measure(command, 1, limit)
    row = row_of(stream, peer, cost, kept_flags(line_keys(stream.path), kept))
    return row, cost[0] / stream.size


def extract_rows(options, parts, folder, speeds):
    for part in parts:
        costs = {}
        yield from own_rows(options, part, folder, costs)
        for peer in PEERS:
            try:
                row, speeds[part.name, peer] = peer_row(
                    part, peer, folder, 150)
                yield row
            except Stopped as why:
                yield [part.name, peer, str(why), "", "", "", "", ""]


def stream_rows(options, streams, folder, speeds, ratios):
    for stream in streams:
        costs = {}
        yield from own_rows(options, stream, folder, costs)
        ratios[stream.name] = costs
    plan = sorted((speeds[stream.name, peer] * stream.size, i, peer)
                  for i, stream in enumerate(streams) for peer in PEERS
                  if (stream.name, peer) in speeds)
    for guess, i, peer in plan:
        stream = streams[i]
        limit = time_left(options) - RESERVE
        try:
            if guess > limit:
                raise Stopped("not tried: %.0f s, as the extract says" % guess)
            row, speed = peer_row(stream, peer, folder, limit)
            costs = ratios[stream.name]
            costs["fastest"] = min(costs.get("fastest", float("inf")),
                                   float(row[2]))
            yield row
        except Stopped as why:
            yield [stream.name, peer, str(why), "", "", "", "", ""]


def ratio_rows(ratios):
    for name, costs in ratios.items():
        try:
            whole = costs["Python, Parquet"]
            floor = costs["the command, JSONL"] + (
                costs["... of which pyarrow reads"])
            list_floor = costs["the command, JSONL"] + (
                costs["... of which reading JSON"])
            yield (name, "%.2f" % (whole / floor),
                   "%.2f" % (costs["Python, a list of texts"] / list_floor),
                   "%.0f" % (costs["fastest"] / whole)
                   if "fastest" in costs else "")
        except KeyError as error:
            yield (name, "%s was not measured" % error, "", "")


# ---- single calls -----------------------------------------------------------

def best_time(function, n, repeats=7):
    """Microseconds of a call: the best of some rounds, for a loaded machine."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(n):
            function()
        best = min(best, (time.process_time() - start) / n * 1e6)
    return best


def least_times(store, documents, look):
    """Microseconds of a call, as `ask_store least` counts them."""
    total = 0
    for document in documents:
        least = float("inf")
        for _ in range(9):
            start = time.perf_counter()
            answer = store.trace(document)
            if look:
                len(answer.spans)
            least = min(least, (time.perf_counter() - start) * 1e6)
        total += least
    return total / len(documents)


def call_rows(options, path, folder):
    """The same questions to the same store, through the C library alone
    (bench/ask_store.c) and through Python."""
    import origo
    documents = [json.loads(line) for line in open(path, "rb")][:4000]
    kept = os.path.join(folder, "store")
    with origo.Store(kept) as store:
        store.add_many([{"id": str(one["id"]), "text": one["text"]}
                        for one in documents])
    asked = [{"id": "q%d" % i, "text": one["text"]} for i, one in enumerate(
        [one for one in documents if 2000 < len(one["text"]) < 5000][:500])]
    questions = os.path.join(folder, "questions.jsonl")
    with open(questions, "w") as out:
        for one in asked:
            out.write(json.dumps(one) + "\n")
    ask = [os.path.join(options.build, "bench", "ask_store"), "least", kept,
           questions, str(len(asked))]
    base = min(float(subprocess.run(ask, stdout=subprocess.PIPE,
                                    check=True).stdout) for _ in range(3))
    with origo.Store(kept, "r") as store:
        plain = min(least_times(store, asked, False) for _ in range(3))
        looked = min(least_times(store, asked, True) for _ in range(3))
        short = best_time(lambda: store.trace("three words here"), 2000)
    yield ("og_store_trace(), a mail of 2 to 5 kB", "%.1f" % base,
           "")
    yield ("Store.trace(), the same", "%.1f" % plain, "%.1f" % (plain - base))
    yield ("... and looking at its spans", "%.1f" % looked,
           "%.1f" % (looked - base))
    yield ("Store.trace() of three words", "%.1f" % short, "")


def optional(name):
    try:
        return __import__(name)
    except ImportError:
        print("SKIPPED: %s is not there" % name, file=sys.stderr)
        return None


def sketch_times(elements):
    """A function that makes a sketch, by package."""
    import origo
    datasketch, rensa = optional("datasketch"), optional("rensa")
    encoded = [one.encode() for one in elements]

    def ours(given):
        sketch = origo.MinHash(128)
        sketch.update_batch(given)
        return sketch.digest()

    def theirs():
        sketch = datasketch.MinHash(128)
        sketch.update_batch(encoded)
        return sketch.digest()

    def rust(given):
        sketch = rensa.RMinHash(128, 42)
        sketch.update(given)
        return sketch.digest()
    n = max(20, 20000 // len(elements))
    yield "bytes", best_time(lambda: ours(encoded), n), rensa and best_time(
        lambda: rust(encoded), n), datasketch and best_time(theirs, n // 10)
    yield "str", best_time(lambda: ours(elements), n), rensa and best_time(
        lambda: rust(elements), n), None


def sketch_rows():
    for n in (10, 100, 1000, 10000):
        elements = ["shingle number %d" % i for i in range(n)]
        for kind, *times in sketch_times(elements):
            yield ["a sketch of %d %s, 128 samples" % (n, kind)] + [
                "%.1f" % one if one else "" for one in times]
    yield from query_rows()


def query_rows():
    import origo
    datasketch, rensa = optional("datasketch"), optional("rensa")
    kinds = [(origo.MinHash, origo.MinHashLSH(0.8, 128), "update_batch")]
    bands = kinds[0][1].b
    kinds.append(rensa and (
        lambda n: rensa.RMinHash(n, 42), rensa.RMinHashLSH(
            0.8, 128, bands if 128 % bands == 0 else 8), "update"))
    kinds.append(datasketch and (
        datasketch.MinHash, datasketch.MinHashLSH(0.8, 128), "update_batch"))
    found, missed = [], []
    for kind in kinds:
        if not kind:
            found.append("")
            missed.append("")
            continue
        make, lsh, update = kind
        for i in range(2001):
            sketch = make(128)
            getattr(sketch, update)([b"%d-%d" % (i, j) for j in range(50)])
            if i < 2000:
                lsh.insert(i, sketch)
                last = sketch
        assert list(lsh.query(last)) == [1999] and not lsh.query(sketch)
        found.append("%.2f" % best_time(lambda: lsh.query(last), 2000))
        missed.append("%.2f" % best_time(lambda: lsh.query(sketch), 2000))
    yield ["a query among 2,000 sketches that finds one"] + found
    yield ["... that finds nothing"] + missed


def estimate_rows():
    import origo
    kinds = {"origo": (lambda seed: origo.MinHash(128, seed=seed),
                       "update_batch")}
    if optional("datasketch"):
        import datasketch
        kinds["datasketch"] = (lambda seed: datasketch.MinHash(128, seed=seed),
                               "update_batch")
    if optional("rensa"):
        import rensa
        kinds["rensa"] = (lambda seed: rensa.RMinHash(128, seed), "update")
    for name, (make, update) in kinds.items():
        errors = []
        for seed in range(1, 401):
            shared = random.Random(seed).randrange(50, 450)
            x, y = make(seed), make(seed)
            getattr(x, update)([b"%d" % i for i in range(500)])
            getattr(y, update)([b"%d" % i for i in range(500 - shared,
                                                         1000 - shared)])
            errors.append(x.jaccard(y) - shared / (1000 - shared))
        yield (name, "%.4f" % statistics.mean(errors), "%.4f" % (
            statistics.mean(one * one for one in errors) ** 0.5))


HEAD = ["stream", "what", "CPU s", "MB per CPU s", "peak MB", "kept",
        "precision", "recall"]


def machine():
    return next((line.split(":")[1].strip() for line in open("/proc/cpuinfo")
                 if line.startswith("model name")), "?")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("data")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--minutes", type=float, default=19)
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.runs = 1 if options.quick else 3
    if options.quick:
        options.minutes = min(options.minutes, 3)
    print("# The Python package, beside the command and others\n")
    print("machine: %s, %d processors, Python %s%s" % (
        machine(), os.cpu_count(), sys.version.split()[0],
        "; QUICK: no results" if options.quick else ""), flush=True)
    with tempfile.TemporaryDirectory(prefix="origo-bench-",
                                     dir=options.build) as folder:
        options.folder = folder
        parts, streams, speeds, ratios = [], [], {}, {}
        for name in STREAMS:
            path = os.path.join(folder, name + ".jsonl")
            unpack(options.data, name, path, 1000 if options.quick else -1)
            part = os.path.join(folder, name + "-extract.jsonl")
            extract(path, part, 1e6 if options.quick else 2e7)
            parts.append(Stream(options, name, part))
            streams.append(Stream(options, name, path))
        table("Deduplication, one thread: the first %d MB of each stream" % (
            1 if options.quick else 20), HEAD, extract_rows(
                options, parts, folder, speeds))
        table("The whole streams", HEAD, stream_rows(
            options, streams, folder, speeds, ratios))
        table("CPU time of Python over that of the command and of reading "
              "together; of the fastest peer over that of Python", [
                  "stream", "Parquet", "a list", "x the fastest peer"],
              ratio_rows(ratios))
        table("Single calls, microseconds", ["call", "", "over C"], call_rows(
            options, streams[0].path, folder))
    table("Sketches, microseconds", ["", "origo", "rensa", "datasketch"],
          sketch_rows())
    table("Estimates of 400 pairs, 128 samples", [
        "", "mean error", "root mean square"], estimate_rows())
    print("\n%.0f minutes in all." % ((time.monotonic() - BEGAN) / 60))


if __name__ == "__main__":
    main()
