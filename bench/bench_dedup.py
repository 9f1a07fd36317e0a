#!/usr/bin/env python3
"""How fast, how exact and in how little memory is origo dedup, beside others?

    bench/bench_dedup.py BUILD_DIR DATA [--quick] [--runs N] [--peers DIR]

DATA has mail, rfc and pep-history as .jsonl.zst. Parts: lane A of all tools on
each stream (wall, CPU, peak memory, kept, precision, recall against exact
Jaccard); origo on a mix grown to 2 GB, with and without a cap of 256 MB;
growth with the number of documents; passages; near, online, at 1, 10 and
100 % of the memory. --quick takes the first 2,000 documents of each.

Precision: removed documents that are alike (0.8) to one that was kept. Recall:
those, over those and the kept documents that are alike to an earlier kept one.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = ["datasketch", "rensa", "fastsketchlsh", "gaoya", "datatrove",
         "text-dedup"]
STREAMS = ["mail", "rfc", "pep-history"]


def measure(command, runs=1, timeout=7200):
    """The fastest run: seconds, CPU seconds, peak MB; or why not."""
    best = None
    for _ in range(runs):
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        wall = time.monotonic() - began
        if status != 0:
            return None, said.decode(errors="replace")[-300:]
        row = (wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3)
        best = min(best or row, row)
    return best, said.decode(errors="replace")


def unpack(data, name, target, n_documents):
    source = os.path.join(data, name + ".jsonl.zst")
    unpacked = subprocess.Popen(["zstd", "-dc", "--long=27", source],
                                stdout=subprocess.PIPE)
    with open(target, "wb") as f:
        for i, line in enumerate(unpacked.stdout):
            if i == n_documents:
                unpacked.kill()
                break
            f.write(line)
    unpacked.wait()


def line_keys(path):
    with open(path, "rb") as f:
        return [hashlib.blake2b(line.rstrip(b"\n"), digest_size=12).digest()
                for line in f]


def quality(source, kept_path, pairs):
    """Precision and recall of a result, by lines."""
    lines = line_keys(source)
    left = {}
    for key in line_keys(kept_path):
        left[key] = left.get(key, 0) + 1
    kept = []
    for key in lines:
        kept.append(left.get(key, 0) > 0)
        if kept[-1]:
            left[key] -= 1
    right, missed = set(), set()
    for i, j in pairs:
        if kept[i] and kept[j]:
            missed.add(j)
        elif kept[i] or kept[j]:
            right.add(j if kept[i] else i)
    removed = len(kept) - sum(kept)
    precision = len(right) / removed if removed else 1
    recall = len(right) / (len(right) + len(missed)) if right or missed else 1
    return sum(kept), precision, recall


def lane_a(options, streams, folder):
    origo = os.path.join(options.build, "cli", "origo")
    print("\n## Lane A: a cold process, JSONL in, kept JSONL out\n")
    print("words, shingles of 5, 14 bands of 8, Jaccard 0.8; fastest of %d "
          "(peers: 1)\n" % options.runs)
    print("| stream | tool | seconds | MB/s | CPU s | peak MB | kept | "
          "precision | recall |\n|---|---|---|---|---|---|---|---|---|")
    for name, source in streams.items():
        size = os.path.getsize(source) / 1e6
        pairs_path = os.path.join(folder, "pairs")
        with open(pairs_path, "wb") as f:
            subprocess.run([os.path.join(options.build, "bench/bench_pairs"),
                            source], stdout=f, check=True)
        with open(pairs_path) as f:
            pairs = [tuple(map(int, line.split("\t")[:2])) for line in f]
        out = os.path.join(folder, "kept.jsonl")
        tools = [("origo, 1 thread", [origo, "dedup", "-j", "1", "-o", out,
                                      source]),
                 ("origo, all threads", [origo, "dedup", "-o", out, source])]
        tools += [(p, [os.path.join(options.peers, "bin/python"),
                       os.path.join(HERE, "peers_dedup.py"), p, source, out])
                  for p in PEERS]
        for tool, command in tools:
            if os.path.exists(out):
                os.remove(out)
            is_ours = tool.startswith("origo")
            row, said = measure(command, options.runs if is_ours else 1)
            if row is None:
                reason = said.strip().split("\n")[-1][:80]
                print("| %s | %s | SKIPPED: %s |" % (name, tool, reason))
                continue
            print("| %s | %s | %.2f | %.1f | %.2f | %.0f | %d | %.4f | %.4f |"
                  % ((name, tool, row[0], size / row[0], row[1], row[2]) +
                     quality(source, out, pairs)), flush=True)


def grow_mix(streams, target, size):
    """All streams, then changed copies of them until it is large enough."""
    n = 0
    with open(target, "wb") as out:
        copy = 0
        while out.tell() < size:
            for source in streams.values():
                with open(source, "rb") as f:
                    for line in f:
                        record = json.loads(line)
                        if copy:
                            words = record["text"].split(" ")
                            for at in range(copy % 7, len(words), 9):
                                words[at] = "m%d" % (copy * 1000 + at % 97)
                            record["text"] = " ".join(words)
                        record["id"] = "%d/%s" % (copy, record["id"])
                        out.write(json.dumps(record).encode() + b"\n")
                        n += 1
                        if out.tell() >= size:
                            return n
            copy += 1
    return n


def mix(options, streams, folder):
    origo = os.path.join(options.build, "cli", "origo")
    source = os.path.join(folder, "mix.jsonl")
    n = grow_mix(streams, source, 2e7 if options.quick else 2e9)
    size = os.path.getsize(source) / 1e6
    print("\n## A mix of all, grown to %.0f MB (%d documents)\n" % (size, n))
    print("| run | seconds | MB/s | CPU s | peak MB | same output |\n"
          "|---|---|---|---|---|---|")
    sums = set()
    for name, more in (("1 thread", ["-j", "1"]), ("all threads", []),
                       ("all threads, --memory 256M", ["-m", "256M"]),
                       ("all threads, --memory 64M", ["-m", "64M"])):
        out = os.path.join(folder, "kept.jsonl")
        row, said = measure([origo, "dedup", "-o", out, *more, source])
        with open(out, "rb") as f:
            digest = hashlib.blake2b()
            for block in iter(lambda: f.read(1 << 20), b""):
                digest.update(block)
            sums.add(digest.digest())
        print("| %s | %.2f | %.1f | %.2f | %.0f | %s |" % (
            name, row[0], size / row[0], row[1], row[2],
            "yes" if len(sums) == 1 else "NO"), flush=True)
    print("\n## Passages of 50 tokens and more (suffix-array tools, published: "
          "C4 in about 1,000 CPU hours and 600 GB of memory)\n")
    print("| stream | seconds | MB/s | CPU s | peak MB | text removed |\n"
          "|---|---|---|---|---|---|")
    for name, path in [*streams.items(), ("mix", source)]:
        row, said = measure([origo, "dedup", "--level", "passage", "-o",
                             os.path.join(folder, "kept.jsonl"), path])
        share = re.search(r"\(([\d.]+) %\) of the text", said)
        print("| %s | %.2f | %.1f | %.2f | %.0f | %s %% |" % (
            name, row[0], os.path.getsize(path) / 1e6 / row[0], row[1],
            row[2], share.group(1)), flush=True)


def growth(options, folder):
    import random
    origo = os.path.join(options.build, "cli", "origo")
    rng = random.Random(1)
    print("\n## Growth: documents of 60 words, one in five nearly an earlier "
          "one\n\n| documents | seconds | us/document | peak MB | bytes/"
          "document |\n|---|---|---|---|---|")
    for n in (10 ** 3, 10 ** 4) if options.quick else (10 ** 4, 10 ** 5,
                                                       10 ** 6):
        path = os.path.join(folder, "grown.jsonl")
        recent = []
        with open(path, "w") as f:
            for i in range(n):
                if i % 5 == 4:
                    words = list(rng.choice(recent))
                    words[rng.randrange(60)] = "new"
                else:
                    words = ["w%d" % rng.randrange(50000) for _ in range(60)]
                recent = recent[-1000:] + [words]
                f.write('{"id":"%d","text":"%s"}\n' % (i, " ".join(words)))
        row, _ = measure([origo, "dedup", "-j", "1", "-o",
                          os.path.join(folder, "kept.jsonl"), path])
        print("| %d | %.2f | %.2f | %.0f | %.0f |" % (
            n, row[0], row[0] / n * 1e6, row[2], row[2] * 1e6 / n), flush=True)


def online(options, streams, folder):
    origo = os.path.join(options.build, "cli", "origo")
    print("\n## near, online: recall against all memory, in share of documents "
          "that have a match\n\n| stream | memory | documents/s | found | "
          "recall |\n|---|---|---|---|---|")
    for name, source in streams.items():
        with open(source, "rb") as f:
            n = sum(1 for _ in f)
        base = None
        for share in (1.0, 0.1, 0.01):
            began = time.monotonic()
            done = subprocess.run(
                [origo, "near", "-q", "-s", ":memory:", "--add", "--only-near",
                 "-m", str(int(n * 320 * share) + 16384), source],
                stdout=subprocess.PIPE, check=True)
            seconds = time.monotonic() - began
            found = {json.loads(x)["id"] for x in done.stdout.splitlines()}
            base = base or found
            print("| %s | %g %% | %.0f | %d | %.4f |" % (
                name, share * 100, n / seconds, len(found),
                len(found & base) / max(1, len(base))), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("data")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peers")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.peers = options.peers or os.path.join(options.build, "peers-dedup")
    print("# " + __doc__.split("\n")[0])
    print("\nmachine: %s, %d processors" % (
        next((line.split(":")[1].strip() for line in open("/proc/cpuinfo")
              if line.startswith("model name")), "?"), os.cpu_count()))
    with tempfile.TemporaryDirectory(prefix="origo-bench-",
                                     dir=options.build) as folder:
        streams = {}
        for name in STREAMS:
            streams[name] = os.path.join(folder, name + ".jsonl")
            unpack(options.data, name, streams[name],
                   2000 if options.quick else -1)
        lane_a(options, streams, folder)
        mix(options, streams, folder)
        growth(options, folder)
        online(options, streams, folder)


if __name__ == "__main__":
    main()
