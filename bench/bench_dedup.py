#!/usr/bin/env python3
"""How fast, how exact and in how little memory is origo dedup, beside others?

    bench/bench_dedup.py BUILD_DIR DATA [--quick] [--runs N] [--peers DIR]
                         [--minutes N]

DATA has mail, rfc and pep-history as .jsonl.zst. Parts: lane A of all tools on
an extract of each stream and, where time allows, on the whole of it; a mix
grown to 2 GB, with and without a cap of 256 MB; passages; growth with the
number of documents; near, online, at 1, 10 and 100 % of the memory. --quick
shows in two minutes that all of it works: nothing of it is a result.

Truth is every pair of documents whose exact Jaccard similarity is at least
0.8 (bench_pairs). Precision: of the documents removed, those that are alike to
one that was kept. Recall: of the documents that are alike to one that was
kept, before them or after, those that were removed. A tool that compares no
texts also removes documents for a wrong reason; that may hide a miss, which is
why its recall can stand above that of the bands it shares with origo.
"""

import argparse
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = ["datasketch", "rensa", "fastsketchlsh", "gaoya", "datatrove",
         "text-dedup"]
STREAMS = ["mail", "rfc", "pep-history"]
BEGAN = time.monotonic()


class Stopped(Exception):
    """A run that was over its time, or that failed: what to say of it."""


def run_once(command, limit):
    """Seconds, CPU seconds, peak MB and what was said on stderr."""
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                   stderr=said, start_new_session=True)
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            wall = time.monotonic() - began
            if pid != 0:
                break
            if wall > limit:
                os.killpg(process.pid, signal.SIGKILL)
                os.wait4(process.pid, 0)
                process.returncode = -signal.SIGKILL
                raise Stopped("stopped after %.0f s" % wall)
            time.sleep(min(0.05, max(0.001, wall / 500)))
        process.returncode = status
        said.seek(0)
        text = said.read().decode(errors="replace")
    if status != 0:
        lines = text.strip().split("\n")
        raise Stopped("FAILED: " + lines[-1][:80].replace("|", "/"))
    return (wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3), text


def measure(command, runs=1, limit=3600):
    """The fastest run."""
    best, said = None, ""
    for _ in range(runs):
        row, said = run_once(command, limit)
        best = min(best or row, row)
    return best, said


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
    unpacked.stdout.close()
    unpacked.wait()


def extract(source, target, size):
    """The first documents of a stream, up to so many bytes; how many."""
    n = 0
    with open(source, "rb") as f, open(target, "wb") as out:
        for line in f:
            if out.tell() + len(line) > size:
                break
            out.write(line)
            n += 1
    return n


# ---- quality -----------------------------------------------------------------

def true_pairs(options, source):
    """(i, j), i < j, counted from 0, that are alike."""
    with tempfile.TemporaryFile(dir=options.folder) as f:
        subprocess.run([os.path.join(options.build, "bench/bench_pairs"),
                        source], stdout=f, check=True)
        f.seek(0)
        return [tuple(map(int, line.split(b"\t")[:2])) for line in f]


def line_keys(path):
    with open(path, "rb") as f:
        return [hashlib.blake2b(line.rstrip(b"\n"), digest_size=12).digest()
                for line in f]


def kept_flags(source_keys, kept_path):
    """Which lines of the source are in a result."""
    left = {}
    for key in line_keys(kept_path):
        left[key] = left.get(key, 0) + 1
    kept = []
    for key in source_keys:
        kept.append(left.get(key, 0) > 0)
        if kept[-1]:
            left[key] -= 1
    return kept


def quality(kept, pairs):
    """Kept documents, precision and recall of a result."""
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


# ---- lane A ------------------------------------------------------------------

HEAD = ("| %s | tool | wall s | CPU s | peak MB | MB/s | kept | precision | "
        "recall | x origo |\n|---|---|---|---|---|---|---|---|---|---|")


def tools_of(options, source, out):
    """Name, command, whether it is ours."""
    origo = os.path.join(options.build, "cli", "origo")
    ours = [("origo, 1 thread", ["-j", "1"]),
            ("origo, all threads", []),
            ("origo --preset thorough, 1 thread",
             ["-j", "1", "--preset", "thorough"])]
    tools = [(name, [origo, "dedup", *more, "-o", out, source], True)
             for name, more in ours]
    return tools + [(p, [os.path.join(options.peers, "bin/python"),
                         os.path.join(HERE, "peers_dedup.py"), p, source, out],
                     False) for p in PEERS]


def time_left(options):
    return options.minutes * 60 - (time.monotonic() - BEGAN)


def lane_a(options, name, source, pairs, limit, speeds):
    """A row for each tool. Peers that would take longer than `limit`, by
    their speed on the extract, are not tried. Notes speeds in MB/s."""
    out = os.path.join(options.folder, "kept.jsonl")
    size = os.path.getsize(source) / 1e6
    keys = line_keys(source) if pairs is not None else None
    base = None
    for tool, command, is_ours in tools_of(options, source, out):
        if os.path.exists(out):
            os.remove(out)
        try:
            guess = size / speeds[tool] if tool in speeds else 0
            if not is_ours and guess > limit:
                raise Stopped("not tried: %.1f MB/s on the extract make %.0f "
                              "s, %.0f are the most" % (speeds[tool], guess,
                                                        limit))
            most = limit if is_ours else min(limit, time_left(options))
            if most <= 0:
                raise Stopped("not tried: no time left")
            row, _ = measure(command, options.runs if is_ours else 1, most)
        except Stopped as why:
            print("| %s | %s | %s |" % (name, tool, why), flush=True)
            if not is_ours:
                speeds.setdefault(tool, 1e-9)
            continue
        base = base or row[0]
        if not is_ours:
            speeds.setdefault(tool, size / row[0])
        good = "%d | %.4f | %.4f" % quality(
            kept_flags(keys, out), pairs) \
            if pairs is not None else "%d | - | -" % sum(
                1 for _ in open(out, "rb"))
        print("| %s | %s | %.2f | %.2f | %.0f | %.1f | %s | %.1f |" % (
            name, tool, row[0], row[1], row[2], size / row[0], good,
            row[0] / base), flush=True)


def lanes(options, streams):
    speeds, slowest = {}, {}
    print("\n## Lane A: a cold process, JSONL in, kept JSONL out\n")
    print("Words, shingles of 5, 14 bands of 8, Jaccard 0.8 (thorough: 25 "
          "bands of 5). Fastest of %d; peers once. x origo: wall time over "
          "that of origo with one thread on the same input.\n" % options.runs)
    print("All tools on an extract: the first documents of each stream, up "
          "to %d MB.\n" % (options.extract / 1e6))
    print(HEAD % "extract")
    for name, source in streams.items():
        part = os.path.join(options.folder, "extract.jsonl")
        n = extract(source, part, options.extract)
        mine = speeds[name] = {}
        lane_a(options, "%s, %d documents" % (name, n), part,
               true_pairs(options, part), options.slow, mine)
        for tool, speed in mine.items():
            slowest[tool] = min(speed, slowest.get(tool, speed))
    print("\nThe whole streams; a peer has at most %d s.\n" % options.limit)
    print(HEAD % "stream")
    pairs = {}
    for name, source in streams.items():
        pairs[name] = true_pairs(options, source)
        lane_a(options, name, source, pairs[name], options.limit,
               speeds[name])
    return slowest, pairs


# ---- the mix -----------------------------------------------------------------

def grow_mix(streams, target, size):
    """All streams, then changed copies of them until it is large enough."""
    n = copy = 0
    with open(target, "wb") as out:
        while True:
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


def digest_of(path):
    digest = hashlib.blake2b()
    with open(path, "rb") as f:
        for block in iter(lambda: f.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()[:16]


def mix(options, streams, source):
    origo = os.path.join(options.build, "cli", "origo")
    out = os.path.join(options.folder, "kept.jsonl")
    n = grow_mix(streams, source, 2e7 if options.quick else 2e9)
    size = os.path.getsize(source) / 1e6
    print("\n## A mix of all, grown to %.0f MB (%d documents), with and "
          "without a cap on memory\n" % (size, n))
    print("| origo | wall s | CPU s | peak MB | MB/s | x no cap | BLAKE2 of "
          "the output |\n|---|---|---|---|---|---|---|")
    base, sums = {}, set()
    for name, more in (("1 thread", ["-j", "1"]), ("all threads", []),
                       ("1 thread, --memory 256M", ["-j", "1", "-m", "256M"]),
                       ("all threads, --memory 256M", ["-m", "256M"]),
                       ("all threads, --memory 64M", ["-m", "64M"])):
        row, _ = measure([origo, "dedup", "-o", out, *more, source])
        key = name.split(",")[0]
        base.setdefault(key, row[0])
        sums.add(digest_of(out))
        print("| %s | %.2f | %.2f | %.0f | %.1f | %.2f | %s |" % (
            name, row[0], row[1], row[2], size / row[0], row[0] / base[key],
            digest_of(out)), flush=True)
    print("\n%s" % ("The same output in all of them." if len(sums) == 1
                    else "THE OUTPUTS DIFFER."))


def passages(options, streams, mixed):
    origo = os.path.join(options.build, "cli", "origo")
    print("\n## Passages of 50 tokens and more\n")
    print("Suffix-array tools, published: C4 in about 1,000 CPU hours and 600 "
          "GB of memory, that is 0.09 MB/s a core.\n")
    print("| stream | wall s | CPU s | peak MB | MB/s | text removed |\n"
          "|---|---|---|---|---|---|")
    for name, path in [*streams.items(), ("mix", mixed)]:
        row, said = measure([origo, "dedup", "--level", "passage", "-o",
                             os.path.join(options.folder, "kept.jsonl"),
                             path])
        share = re.search(r"\(([\d.]+) %\) of the text", said)
        print("| %s | %.2f | %.2f | %.0f | %.1f | %s %% |" % (
            name, row[0], row[1], row[2],
            os.path.getsize(path) / 1e6 / row[0], share.group(1)), flush=True)


# ---- growth, and near --------------------------------------------------------

def growth(options):
    origo = os.path.join(options.build, "cli", "origo")
    rng = random.Random(1)
    print("\n## Growth: documents of 60 words, one in five nearly an earlier "
          "one\n\n| documents | wall s | us/document | peak MB | bytes/"
          "document |\n|---|---|---|---|---|")
    for n in (10 ** 3, 10 ** 4) if options.quick else (10 ** 4, 10 ** 5,
                                                       10 ** 6):
        path = os.path.join(options.folder, "grown.jsonl")
        recent = []
        with open(path, "w") as f:
            for i in range(n):
                if i % 5 == 4:
                    words = list(rng.choice(recent))
                    words[rng.randrange(60)] = "new"
                else:
                    words = ["w%d" % w for w in rng.choices(range(50000),
                                                            k=60)]
                recent = recent[-1000:] + [words]
                f.write('{"id":"%d","text":"%s"}\n' % (i, " ".join(words)))
        row, _ = measure([origo, "dedup", "-j", "1", "-o",
                          os.path.join(options.folder, "kept.jsonl"), path],
                         options.runs if n < 10 ** 6 else 1)
        print("| %d | %.2f | %.2f | %.0f | %.0f |" % (
            n, row[0], row[0] / n * 1e6, row[2], row[2] * 1e6 / n), flush=True)


def online(options, streams, pairs):
    origo = os.path.join(options.build, "cli", "origo")
    print("\n## near, online\n\nA document is to be found when an earlier one "
          "has a Jaccard similarity of 0.8 or more; 100 % is memory for all "
          "documents. Similarities are estimated, so some at the threshold "
          "fall on the other side.\n\n| stream | memory | documents/s | found "
          "| precision | recall |\n|---|---|---|---|---|---|")
    for name, source in streams.items():
        with open(source, "rb") as f:
            ids = [json.loads(line)["id"] for line in f]
        truth = {j for _, j in pairs[name]}
        for share in (1.0, 0.1, 0.01):
            began = time.monotonic()
            done = subprocess.run(
                [origo, "near", "-q", "-s", ":memory:", "--add",
                 "-m", str(int(len(ids) * 320 * share) + 16384), source],
                stdout=subprocess.PIPE, check=True)
            seconds = time.monotonic() - began
            found = {i for i, x in enumerate(done.stdout.splitlines())
                     if not x.endswith(b'"near":[]}')}
            right = len(found & truth)
            print("| %s | %g %% | %.0f | %d | %.4f | %.4f |" % (
                name, share * 100, len(ids) / seconds, len(found),
                right / max(1, len(found)), right / max(1, len(truth))),
                flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("data")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peers")
    parser.add_argument("--minutes", type=float, default=33,
                        help="when they are over, no further peer is tried")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.peers = options.peers or os.path.join(options.build, "peers-dedup")
    # Bytes of an extract; seconds of a peer on it, on a stream, on the mix.
    options.extract, options.slow, options.limit, options.mix = \
        (2e6, 30, 5, 5) if options.quick else (2e7, 150, 60, 240)
    print("# Deduplication, beside others")
    print("\nmachine: %s, %d processors%s" % (
        next((line.split(":")[1].strip() for line in open("/proc/cpuinfo")
              if line.startswith("model name")), "?"), os.cpu_count(),
        "; QUICK: no results" if options.quick else ""))
    with tempfile.TemporaryDirectory(prefix="origo-bench-",
                                     dir=options.build) as options.folder:
        streams = {}
        for name in STREAMS:
            streams[name] = os.path.join(options.folder, name + ".jsonl")
            unpack(options.data, name, streams[name],
                   2000 if options.quick else -1)
        mixed = os.path.join(options.folder, "mix.jsonl")
        slowest, pairs = lanes(options, streams)
        growth(options)
        online(options, streams, pairs)
        mix(options, streams, mixed)
        passages(options, streams, mixed)
        print("\n## The mix in lane A; a peer has at most %d s\n" % options.mix)
        print(HEAD % "mix")
        options.runs = 1
        lane_a(options, "mix", mixed, None, options.mix, slowest)
    print("\n%.0f minutes in all." % ((time.monotonic() - BEGAN) / 60))


if __name__ == "__main__":
    main()
