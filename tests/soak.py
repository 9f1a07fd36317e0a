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
import os
import sys
import tempfile

import growth

FULL = (10**4, 10**5, 10**6)
SOME = (10**4, 3 * 10**4, 10**5)
# name, text of a document, command, sizes, most MB (0: no cap), most files
CASES = [
    ("dedup: a million that are not alike", growth.apart,
     "dedup -q -o OUT IN", FULL, 0, 0),
    ("dedup: a million that differ in a word", growth.alike,
     "dedup -q -o OUT IN", FULL, 0, 0),
    ("dedup: the same, components", growth.alike,
     "dedup -q --cluster components -o OUT IN", FULL, 0, 0),
    ("dedup: a million equal ones, components", growth.equal,
     "dedup -q --cluster components -o OUT IN", FULL, 0, 0),
    ("dedup: a long form that is filled in", growth.template,
     "dedup -q -o OUT IN", SOME, 0, 0),
    ("dedup: lines", growth.lines, "dedup -q --level line -o OUT IN", SOME, 0, 0),
    ("near: equal documents", growth.equal,
     "near -q --add -s :memory: -o OUT IN", FULL, 0, 0),
    ("quote: sentences that differ in a few words", growth.sentence,
     "quote -q -s :memory: -f json -o OUT IN", SOME, 0, 0),
    ("trace: equal documents", growth.equal,
     "trace -q -s :memory: -f json -o OUT IN", SOME, 0, 0),
    ("add: documents that differ in a word", growth.alike,
     "add -q -s STORE IN", SOME, 0, 50),
]


def soak(origo, case, most):
    """Prints its lines; whether all of them are within their bounds."""
    name, text, command, sizes, most_mb, most_files = case
    last, good = None, True
    for n in [n for n in sizes if n <= most]:
        with tempfile.TemporaryDirectory(prefix="origo-soak-") as place:
            used = growth.run(origo, place, text, command, n)
        slope = None if last is None else growth.slope(*last, n, used.cpu)
        good = ((slope is None or slope <= growth.MOST_SLOPE) and
                (most_mb == 0 or used.peak <= most_mb) and
                (most_files == 0 or used.n_files <= most_files))
        print("| %s | %d | %.2f | %.0f | %d | %s%s |" % (
            name, n, used.cpu, used.peak, used.n_files,
            "" if slope is None else "%.2f" % slope, "" if good else " !"),
            flush=True)
        last = n, used.cpu
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
