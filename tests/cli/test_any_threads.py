#!/usr/bin/env python3
"""The same bytes for any number of threads: output, report, and what a store
exports and is asked afterwards.

usage: tests/cli/test_any_threads.py ORIGO [CASE...]"""

import json
import random
import shutil
import sys

from dedup_support import origo, run_cases, words

THREADS = (1, 3, 32)


def write_stream(path, n=400):
    """Several blocks of documents, short and long, that copy from earlier ones:
    whole, in passages, in sentences."""
    rng = random.Random(170)
    texts = []
    with open(path, "w", encoding="utf-8") as f:
        for i in range(n):
            kind = rng.randrange(6)
            own = words(rng, rng.choice([8, 60, 300, 2500 if i % 9 == 0 else 40]))
            for at in range(9, len(own), 12):
                own[at] += ".\n" if at % 3 == 0 else "."
            text = " ".join(own)
            if texts and kind == 0:
                text = rng.choice(texts[-60:])
            elif texts and kind < 4:
                other = rng.choice(texts[-60:] if kind < 3 else texts)
                begin = rng.randrange(1 + len(other) // 2)
                text += " " + other[begin:begin + 2500] + " " + " ".join(own[:5])
            texts.append(text)
            f.write(json.dumps({"id": "d%d" % i, "time": i // 3, "text": text})
                    + "\n")


def run(place, arguments, threads):
    """What a command prints and writes."""
    store = place / "store"
    shutil.rmtree(store, ignore_errors=True)
    for name in ("out", "report"):
        (place / name).unlink(missing_ok=True)
    names = {"STORE": store, "OUT": place / "out", "REPORT": place / "report"}
    done = origo(*[names.get(a, a) for a in arguments], "-q", "--threads",
                 threads, place / "in.jsonl", timeout=600)
    assert done.returncode == 0, (arguments, threads, done.stderr)
    result = [done.stdout]
    for name in ("out", "report"):
        if (place / name).exists():
            result.append((place / name).read_bytes())
    if store.exists():
        result += [origo("export", "-s", store).stdout,
                   origo("verify", "-s", store).returncode]
        asked = ["trace"] if arguments[0] == "add" else []
        if "--index" in arguments:
            asked += ["near", "quote"]
        for command in asked:
            result.append(origo(command, "-s", store, "-q", "-j", 1,
                                place / "in.jsonl", timeout=600).stdout)
    return result


def check(place, *commands):
    write_stream(place / "in.jsonl")
    for arguments in commands:
        expected = run(place, arguments, THREADS[0])
        assert any(len(r) > 1000 for r in expected if isinstance(r, bytes)) or \
            ":memory:" in arguments, arguments
        for threads in THREADS[1:]:
            got = run(place, arguments, threads)
            assert got == expected, (arguments, threads)


KEY = ("--key", "default")


def test_add(place):
    check(place, ("add", "-s", "STORE", *KEY),
          ("add", "-s", "STORE", *KEY, "--no-texts"),
          ("add", "-s", "STORE", *KEY, "--memory", "200K"))


def test_add_all_indexes(place):
    check(place, ("add", "-s", "STORE", *KEY, "--index",
                  "passages,near,sentences"))


def test_trace(place):
    check(place, ("trace", "-s", ":memory:", *KEY, "--format", "json"),
          ("trace", "-s", ":memory:", *KEY, "--no-verify"),
          ("trace", "-s", "STORE", *KEY, "--add", "--format", "json"),
          ("trace", "-s", ":memory:", *KEY, "--format", "tsv"))


def test_near(place):
    check(place, ("near", "-s", ":memory:", "--add"),
          ("near", "-s", "STORE", "--add"),
          ("near", "-s", "STORE", "--add", "--method", "simhash"))


def test_quote(place):
    check(place, ("quote", "-s", "STORE", "--add"),
          ("quote", "-s", "STORE", "--add", "--format", "json"))


def test_dedup(place):
    levels = [("dedup", "--level", level, "-o", "OUT", "-r", "REPORT")
              for level in ("document", "passage", "sentence", "line")]
    check(place, *levels, *[level + ("--memory", "1M") for level in levels])


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
