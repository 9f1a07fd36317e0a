"""What the tests of deduplication share: origo, texts, reports, the loop.

usage: tests/cli/test_dedup_....py ORIGO [CASE...]

A line 'ok NAME', 'FAILED NAME' or 'SKIPPED NAME: WHY' for each case; the status is 1 when one
failed. Similarities are worked out here once more, from the definition."""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import traceback

ORIGO = os.path.abspath(sys.argv[1])


def origo(*arguments, **options):
    options.setdefault("timeout", 120)
    return subprocess.run([ORIGO, *map(str, arguments)], capture_output=True,
                          **options)


def words(rng, n, vocabulary=20000):
    return ["w%d" % rng.randrange(vocabulary) for _ in range(n)]


def shingles(text, k=5):
    tokens = re.findall(r"[a-z0-9]+", text.lower())
    if len(tokens) < k:
        return {tuple(tokens)}
    return {tuple(tokens[i:i + k]) for i in range(len(tokens) - k + 1)}


def jaccard(a, b):
    return len(a & b) / len(a | b)


def write_jsonl(path, texts):
    with open(path, "w", encoding="utf-8") as f:
        for i, text in enumerate(texts):
            f.write(json.dumps({"id": "d%d" % i, "text": text, "n": i},
                               ensure_ascii=i % 2 == 0) + "\n")


def read_lines(path):
    with open(path, "rb") as f:
        return f.read().split(b"\n")[:-1]


def report_of(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def dedup(place, *arguments, name="in.jsonl", status=0):
    """Kept ids, report and what was said; checks what always holds."""
    out, report = place / "out.jsonl", place / "report.jsonl"
    for path in (out, report):
        path.unlink(missing_ok=True)
    done = origo("dedup", "-o", out, "-r", report, "--report-format", "jsonl",
                 *arguments, place / name)
    assert done.returncode == status, (done.returncode, done.stderr)
    ids = [json.loads(line)["id"] for line in read_lines(out)]
    return ids, report_of(report), done.stderr.decode()


def family_texts(seed, n_families=60, most=8):
    rng = random.Random(seed)
    texts = []
    for _ in range(n_families):
        base = words(rng, rng.choice([3, 7, 30, 120, 400]))
        for _ in range(rng.randrange(1, most)):
            copy = list(base)
            for _ in range(rng.randrange(0, 1 + len(copy) // 12)):
                copy[rng.randrange(len(copy))] = "x%d" % rng.randrange(999)
            texts.append(" ".join(copy))
    rng.shuffle(texts)
    return texts


def texts_of(path):
    return {r["id"]: r["text"] for r in map(json.loads, read_lines(path))}


class Skipped(Exception):
    """A case that cannot run here, and why."""


def run_cases(module):
    """All functions test_..., each in a folder of its own."""
    failed = 0
    cases = [(name, f) for name, f in vars(module).items()
             if name.startswith("test_") and
             (len(sys.argv) < 3 or name[5:] in sys.argv[2:])]
    for name, function in cases:
        with tempfile.TemporaryDirectory(prefix="origo-dedup-") as folder:
            try:
                function(pathlib.Path(folder))
                print("ok dedup: " + name[5:], flush=True)
            except Skipped as why:
                print("SKIPPED dedup: %s: %s" % (name[5:], why), flush=True)
            except Exception:
                failed += 1
                print("FAILED dedup: " + name[5:])
                for line in traceback.format_exc().splitlines():
                    print("    " + line[:2000])
    return 1 if failed else 0
