#!/usr/bin/env python3
"""Many documents of one kind: what deduplication does for each is bounded.

usage: tests/cli/test_dedup_growth.py ORIGO [CASE...]

Pairs are counted, not seconds, so that a busy machine changes nothing.
tests/soak.py has the same documents up to a million, with seconds."""

import math
import os
import random
import re
import sys

import dedup_support as support

MOST_SLOPE = 1.15
MOST_CANDIDATES = 14 * 32  # for each document: bands, and of each a bucket
COMMON = random.Random(2).sample(["w%d" % i for i in range(1000)], 60)


def apart(i):
    """Two of these have a similarity of 31 / 41: each is kept."""
    return " ".join(COMMON[:20] + ["u%d" % i] + COMMON[21:40])


def alike(i):
    """Two of these have 56 of 58 shingles in common."""
    return " ".join(COMMON + ["u%d" % i])


def equal(_):
    return " ".join(COMMON)


KINDS = {"kept": (apart, "star"), "alike": (alike, "star"),
         "alike_joined": (alike, "components"),
         "equal_joined": (equal, "components")}


def run(place, kind, n):
    """Kept, compared, candidates; CPU seconds and peak memory in MB."""
    make, cluster = KINDS[kind]
    path = os.path.join(place, "in.jsonl")
    with open(path, "w", encoding="ascii") as f:
        for i in range(n):
            f.write('{"id":"%d","text":"%s"}\n' % (i, make(i)))
    before = os.times()
    done = support.origo("dedup", "-v", "--cluster", cluster, "-o",
                         os.path.join(place, "out.jsonl"), path, timeout=1800)
    after = os.times()
    said = done.stderr.decode()
    assert done.returncode == 0, said
    kept = re.search(r"(\d+) kept, .* (\d+) pairs compared of (\d+) cand", said)
    peak = re.search(r"peak memory (\d+) MB", said)
    cpu = (after.children_user - before.children_user +
           after.children_system - before.children_system)
    return [int(x) for x in kept.groups()], cpu, int(peak.group(1))


def slope(small, large):
    return math.log10(max(large, 1) / max(small, 1))


def check(place, kind, n_kept):
    """Never more candidates than the bound. Where nothing is removed they are
    fewer in small sets, whose buckets are not full yet: there the bound alone
    holds, elsewhere the slope, too."""
    found = {}
    for n in (10**4, 10**5):
        (kept, compared, candidates), _, _ = run(place, kind, n)
        assert kept == (n if n_kept is None else n_kept), (n, kept)
        assert candidates <= MOST_CANDIDATES * n, (n, candidates)
        found[n] = compared, candidates
    if n_kept is None:
        return
    for small, large in zip(found[10**4], found[10**5]):
        assert slope(small, large) <= MOST_SLOPE, found


def test_documents_that_are_not_alike(place):
    check(place, "kept", None)


def test_documents_that_are_alike(place):
    check(place, "alike", 1)


def test_components_of_documents_that_are_alike(place):
    check(place, "alike_joined", 1)


def test_components_of_equal_documents(place):
    check(place, "equal_joined", 1)
    (_, compared, _), _, _ = run(place, "equal_joined", 10**4)
    assert compared == 10**4 - 1, compared


if __name__ == "__main__":
    sys.exit(support.run_cases(sys.modules[__name__]))
