#!/usr/bin/env python3
"""Every case that must not grow without bound, at full size: one table.

usage: tests/soak.py ORIGO [--most N] [CASE...]

    case       documents   CPU s  peak MB  files  slope

CPU seconds of the command, its peak memory, the files that it leaves, and the
slope: the exponent of CPU seconds over the number of documents, from one size
to the next. A case whose last slope is above 1.15 is marked, and so is one that
took more memory or files than it may; the status is then 1.

A new case is a line of CASES: what it is called, what writes its input, the
command (IN, OUT and STORE are paths), its sizes and, where it has them, caps."""

import argparse
import math
import os
import random
import sys
import tempfile

MOST_SLOPE = 1.15
COMMON = random.Random(2).sample(["w%d" % i for i in range(1000)], 60)
WORDS = """harbour keeper lantern winter morning captain letter village garden
bridge market river window summer evening island journey silver shadow forest
mirror candle thunder meadow velvet copper orchard pebble""".split()


def apart(i):
    """Two of these have a similarity of 31 / 41: each is kept."""
    return " ".join(COMMON[:20] + ["u%d" % i] + COMMON[21:40])


def alike(i):
    """Two of these have 56 of 58 shingles in common."""
    return " ".join(COMMON + ["u%d" % i])


def equal(_):
    return " ".join(COMMON)


def sentence(i):
    """Two of these differ in at most eight of 28 words."""
    left_out = set(random.Random(i).sample(range(len(WORDS)), 4))
    words = [w for k, w in enumerate(WORDS) if k not in left_out]
    return " ".join(words).capitalize() + "."


def lines(i):
    return "\\n".join("line %d of all" % (40 * i + k) for k in range(40))


FULL = (10**4, 10**5, 10**6)
SOME = (10**4, 3 * 10**4, 10**5)
# name, text of a document, command, sizes, most MB (0: no cap), most files
CASES = [
    ("dedup: a million that are not alike", apart,
     "dedup -q -o OUT IN", FULL, 0, 0),
    ("dedup: a million that differ in a word", alike,
     "dedup -q -o OUT IN", FULL, 0, 0),
    ("dedup: the same, components", alike,
     "dedup -q --cluster components -o OUT IN", FULL, 0, 0),
    ("dedup: a million equal ones, components", equal,
     "dedup -q --cluster components -o OUT IN", FULL, 0, 0),
    ("dedup: lines", lines, "dedup -q --level line -o OUT IN", SOME, 0, 0),
    ("near: equal documents", equal,
     "near -q -s :memory: -o OUT IN", SOME, 0, 0),
    ("quote: sentences that differ in a few words", sentence,
     "quote -q -s :memory: -f json -o OUT IN", SOME, 0, 0),
    ("trace: equal documents", equal,
     "trace -q -s :memory: -f json -o OUT IN", SOME, 0, 0),
    ("add: documents that differ in a word", alike,
     "add -q -s STORE IN", SOME, 0, 50),
]


def write_input(path, text, n):
    with open(path, "w", encoding="ascii") as f:
        for i in range(n):
            f.write('{"id":"%d","text":"%s"}\n' % (i, text(i)))


def run(origo, place, case, n):
    """CPU seconds, peak memory in MB, files that are left beside the input."""
    _, text, command, _, _, _ = case
    names = {name: os.path.join(place, name) for name in ("IN", "OUT", "STORE")}
    names["IN"] += ".jsonl"
    write_input(names["IN"], text, n)
    args = [origo] + [names.get(word, word) for word in command.split()]
    pid = os.posix_spawn(origo, args, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.path.join(place, "stdout"),
         os.O_CREAT | os.O_WRONLY, 0o600)])
    _, status, used = os.wait4(pid, 0)
    if status != 0:
        raise SystemExit("%s: status %d" % (" ".join(args), status))
    n_files = sum(len(files) for _, _, files in os.walk(names["STORE"]))
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, n_files


def soak(origo, case, most):
    """Prints its lines; whether all of them are within their bounds."""
    name, _, _, sizes, most_mb, most_files = case
    last, good = None, True
    for n in [n for n in sizes if n <= most]:
        with tempfile.TemporaryDirectory(prefix="origo-soak-") as place:
            cpu, peak, n_files = run(origo, place, case, n)
        slope = None
        if last is not None:
            slope = math.log(max(cpu, 0.01) / last[1]) / math.log(n / last[0])
        good = ((slope is None or slope <= MOST_SLOPE) and
                (most_mb == 0 or peak <= most_mb) and
                (most_files == 0 or n_files <= most_files))
        print("| %s | %d | %.2f | %.0f | %d | %s%s |" % (
            name, n, cpu, peak, n_files,
            "" if slope is None else "%.2f" % slope, "" if good else " !"),
            flush=True)
        last = n, max(cpu, 0.01)
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("origo")
    parser.add_argument("--most", type=int, default=10**6)
    parser.add_argument("case", nargs="*")
    o = parser.parse_intermixed_args()
    print("| case | documents | CPU s | peak MB | files | slope |")
    print("|---|---|---|---|---|---|")
    good = True
    for case in CASES:
        if not o.case or any(word in case[0] for word in o.case):
            good = soak(os.path.abspath(o.origo), case, o.most) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
