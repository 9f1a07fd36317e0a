#!/usr/bin/env python3
"""The Python package beside the command and its peers.

    bench/bench_python.py ORIGO DATA [--documents N] [--items N]

Run by the Python of an environment that has origo, pyarrow, datasketch and
rensa. DATA has mail, rfc and pep-history as .jsonl.zst. Every row of the first
table is a process of its own, with its CPU time and its largest size."""

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
STREAMS = ["mail", "rfc", "pep-history"]
PEERS = ["rensa", "datasketch", "text-dedup", "datatrove"]


def table(title, head, rows):
    print("\n### %s\n" % title)
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    sys.stdout.flush()


# ---- deduplication ----------------------------------------------------------

LISTS = """
import json, sys, origo
texts = [json.loads(line)["text"] for line in open(sys.argv[1], "rb")]
print(len(origo.dedup(texts, threads=1)))
"""
READ_LISTS = """
import json, sys
texts = [json.loads(line)["text"] for line in open(sys.argv[1], "rb")]
"""
PARQUET = """
import sys, origo
from origo.files import ParquetFiles
files = ParquetFiles([sys.argv[1]], None)
print(len(origo.dedup(files.tables(), threads=1)))
"""
READ_PARQUET = """
import sys
from origo.files import ParquetFiles
for batch in ParquetFiles([sys.argv[1]], None).reader():
    pass
"""


def measure(command):
    """(CPU seconds, largest size in MB, what it printed)"""
    out = tempfile.TemporaryFile()
    process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError("%s: status %d" % (command, process.returncode))
    out.seek(0)
    return (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024,
            out.read().decode())


def extract(data, name, n, folder):
    path = os.path.join(folder, name + ".jsonl")
    unpack = subprocess.Popen(["zstd", "-dcq", os.path.join(
        data, name + ".jsonl.zst")], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    size = 0
    with open(path, "wb") as out:
        for number, line in enumerate(unpack.stdout):
            if number == n:
                break
            document = json.loads(line)
            size += len(document["text"].encode())
            out.write(json.dumps(
                {"id": str(document["id"]), "text": document["text"]},
                ensure_ascii=False).encode() + b"\n")
    unpack.kill()
    unpack.wait()
    return path, size


TO_PARQUET = """
import json, sys, pyarrow
import pyarrow.parquet as parquet
rows = [json.loads(line) for line in open(sys.argv[1], "rb")]
parquet.write_table(pyarrow.Table.from_pylist(rows), sys.argv[2],
                    compression="zstd", row_group_size=10000)
"""


def to_parquet(path):
    """In a process of its own: the size of this one would be inherited by
    those that are measured."""
    out = path.replace(".jsonl", ".parquet")
    subprocess.run([sys.executable, "-c", TO_PARQUET, path, out], check=True)
    return out


def dedup_rows(origo, name, path, size, folder):
    python = sys.executable
    kept = os.path.join(folder, "kept.jsonl")
    parquet = to_parquet(path)
    runs = [
        ("origo dedup, JSONL", [origo, "dedup", "-q", "-j", "1", path, "-o",
                                kept]),
        ("Python, a list of texts", [python, "-c", LISTS, path]),
        ("... of which reading JSON", [python, "-c", READ_LISTS, path]),
        ("Python, Parquet", [python, "-c", PARQUET, parquet]),
        ("... of which pyarrow reads", [python, "-c", READ_PARQUET, parquet]),
    ]
    for peer in PEERS:
        runs.append((peer, [python, os.path.join(HERE, "peers_dedup.py"), peer,
                            path, kept]))
    for title, command in runs:
        try:
            cpu, peak, printed = measure(command)
        except RuntimeError:
            yield (name, title, "not here", "", "", "")
            continue
        stay = printed.strip()
        if command[0] == origo or "peers_dedup.py" in command[1]:
            stay = sum(1 for _ in open(kept, "rb"))
        yield (name, title, "%.2f" % cpu, "%.0f" % (size / 1e6 / cpu),
               "%.0f" % peak, stay)


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


def call_rows(path):
    import origo
    texts = [json.loads(line)["text"] for line in open(path, "rb")][:2000]
    with origo.Store(":memory:") as store:
        store.add_many([{"id": str(i), "text": text}
                        for i, text in enumerate(texts)])
        new = "word " * 3
        yield ("Store.trace of three words: what a call costs at least",
               "%.1f" % best_time(lambda: store.trace(new), 2000))
        sample = [text for text in texts if 2000 < len(text) < 5000][:200]

        def ask():
            for text in sample:
                store.trace(text, id="q")
        one = best_time(ask, 1, 5) / len(sample)
        documents = [{"id": "q", "text": text} for text in sample]
        start = time.process_time()
        for _ in range(5):
            store.trace_many(documents, threads=1)
        stream = (time.process_time() - start) / 5 / len(sample) * 1e6
        yield ("Store.trace of a mail of 2 to 5 kB that the store has",
               "%.1f" % one)
        yield ("the same through trace_many, without Python between",
               "%.1f" % stream)


def sketch_rows():
    import datasketch
    import origo
    import rensa
    elements = ["shingle number %d" % i for i in range(1000)]
    encoded = [one.encode() for one in elements]

    def ours():
        sketch = origo.MinHash(128)
        sketch.update_batch(encoded)
        return sketch.digest()

    def theirs():
        sketch = datasketch.MinHash(128)
        sketch.update_batch(encoded)
        return sketch.digest()

    def rust():
        sketch = rensa.RMinHash(128, 42)
        sketch.update(elements)
        return sketch.digest()
    yield ("a sketch of 1,000 elements, 128 samples", "%.1f" % best_time(
        ours, 100), "%.1f" % best_time(rust, 100), "%.1f" % best_time(
            theirs, 20))
    lsh = origo.MinHashLSH(0.8, 128)
    other = datasketch.MinHashLSH(0.8, 128)
    third = rensa.RMinHashLSH(0.8, 128, lsh.b if 128 % lsh.b == 0 else 8)
    for i in range(2000):
        some = ["%d-%d" % (i, j) for j in range(50)]
        a = origo.MinHash(128)
        a.update_batch(some)
        lsh.insert(i, a)
        b = datasketch.MinHash(128)
        b.update_batch([one.encode() for one in some])
        other.insert(i, b)
        c = rensa.RMinHash(128, 42)
        c.update(some)
        third.insert(i, c)
    yield ("a query among 2,000 sketches", "%.1f" % best_time(
        lambda: lsh.query(a), 2000), "%.1f" % best_time(
            lambda: third.query(c), 2000), "%.1f" % best_time(
                lambda: other.query(b), 500))


def estimate_rows():
    import datasketch
    import origo
    errors = {"origo": [], "datasketch": []}
    for seed in range(1, 201):
        rng = random.Random(seed)
        shared = rng.randrange(50, 450)
        a = [b"%d" % i for i in range(500)]
        b = [b"%d" % i for i in range(500 - shared, 1000 - shared)]
        exact = shared / (1000 - shared)
        for name, kind in (("origo", origo.MinHash),
                           ("datasketch", datasketch.MinHash)):
            x, y = kind(128, seed=seed), kind(128, seed=seed)
            x.update_batch(a)
            y.update_batch(b)
            errors[name].append(x.jaccard(y) - exact)
    for name, values in errors.items():
        yield (name, "%.4f" % statistics.mean(values), "%.4f" % (
            statistics.mean(value * value for value in values) ** 0.5))


# ---- decontamination --------------------------------------------------------

WORD = re.compile(r"\w+")
KINDS = ["verbatim", "re-punctuated", "one word in twenty changed",
         "only the second half", "half the question"]


def grams(text, n):
    words = WORD.findall(text.lower())
    return {tuple(words[i:i + n]) for i in range(len(words) - n + 1)}


def plant(kind, text, rng):
    words = text.split()
    if kind == KINDS[1]:
        return ", ".join(words).upper()
    if kind == KINDS[2]:
        return " ".join(word if rng.random() >= 0.05 else "otherwise"
                        for word in words)
    if kind == KINDS[3]:
        return " ".join(words[len(words) // 2:])
    if kind == KINDS[4]:
        return " ".join(words[:len(words) // 2])
    return text


def contamination_rows(paths, n_items):
    import origo
    rng = random.Random(11)
    texts = [json.loads(line)["text"] for path in paths
             for line in open(path, "rb")]
    texts = [text for text in texts if len(text) > 200]
    # Items are passages of 20 to 60 words of documents that leave the corpus.
    rng.shuffle(texts)
    sources, corpus = texts[:len(texts) // 3], texts[len(texts) // 3:]
    before = [set() for _ in range(2)]
    for text in corpus:
        for known, n in zip(before, (8, 13)):
            known.update(hash(one) for one in grams(text, n))
    items = []
    for text in sources:
        words = text.split()
        if len(words) < 80 or len(items) == n_items:
            continue
        start = rng.randrange(len(words) - 60)
        item = " ".join(words[start:start + rng.randrange(20, 61)])
        # Those that the corpus holds already have no truth.
        if len(WORD.findall(item)) >= 20 and not any(
                hash(one) in before[0] for one in grams(item, 8)):
            items.append(item)
    planted = {}
    places = rng.sample(range(len(corpus)), min(len(items),
                                                len(corpus) // 2))
    for place, item in zip(places, items):
        kind = KINDS[len(planted) % len(KINDS)]
        corpus[place] = corpus[place] + "\n\n" + plant(kind, item, rng)
        planted[place] = kind
    start = time.process_time()
    result = origo.decontaminate(corpus, items)
    ours = {one.index for one in result.found}
    seconds = time.process_time() - start
    others = []
    for n in (8, 13):
        start = time.process_time()
        known = set().union(*(grams(item, n) for item in items))
        found = {i for i, text in enumerate(corpus) if grams(text, n) & known}
        others.append((found, time.process_time() - start))
    for title, found, cpu in [("origo", ours, seconds)] + [
            ("%d words in a row" % n, found, cpu)
            for n, (found, cpu) in zip((8, 13), others)]:
        row = [title]
        for kind in KINDS:
            wanted = [i for i, k in planted.items() if k == kind]
            row.append("%.3f" % (sum(i in found for i in wanted) /
                                 max(1, len(wanted))))
        row.append(len(found - set(planted)))
        row.append("%.1f" % cpu)
        yield row
    print("\n%d documents, %d items, %d planted" % (
        len(corpus), len(items), len(planted)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("origo")
    parser.add_argument("data")
    parser.add_argument("--documents", type=int, default=20000)
    parser.add_argument("--items", type=int, default=10000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        streams = [(name, *extract(args.data, name, args.documents, folder))
                   for name in STREAMS]
        rows = []
        for name, path, size in streams:
            rows += dedup_rows(args.origo, name, path, size, folder)
        table("Deduplication, one thread", [
            "stream", "what", "CPU s", "MB per CPU s", "peak MB", "kept"],
            rows)
        table("Single calls", ["call", "microseconds"], call_rows(
            streams[0][1]))
        table("Sketches, microseconds", ["", "origo", "rensa", "datasketch"],
              sketch_rows())
        table("Estimates of 200 pairs, 128 samples", [
            "", "mean error", "root mean square"], estimate_rows())
        table("Decontamination: recall by kind", [
            "", *KINDS, "not planted", "CPU s"],
            list(contamination_rows([path for _, path, _ in streams],
                                    args.items)))


if __name__ == "__main__":
    main()
