#!/usr/bin/env python3
"""Deduplication in stages: any number of shards gives the bytes of one run.

usage: tests/cli/test_dedup_stages.py ORIGO [CASE...]"""

import json
import random
import struct
import sys

from dedup_support import (dedup, family_texts, origo, read_lines, run_cases)


STAGES = ("sketch", "bands", "components", "filter")


def stage_files(place, n_files=5, seed=50):
    texts = family_texts(seed, 120)
    lines = [json.dumps({"id": "d%d" % i, "text": t}) for i, t in
             enumerate(texts)]
    files = []
    for i in range(n_files):
        files.append(place / ("part%d.jsonl" % i))
        files[-1].write_text("".join(
            line + "\n" for line in lines[i * len(lines) // n_files:
                                          (i + 1) * len(lines) // n_files]))
    return files


def outcome(folder, n_files):
    kept = b"".join((folder / ("%06d.jsonl" % i)).read_bytes()
                    for i in range(n_files))
    report = [line for i in range(n_files)
              for line in read_lines(folder / ("%06d.tsv" % i))
              if not line.startswith(b"id\tduplicate_of")]
    return kept, report


def test_stages(place):
    files = stage_files(place)
    done = origo("dedup", "-o", place / "one", "-r", place / "report", *files)
    assert done.returncode == 0
    single = (place / "one").read_bytes(), read_lines(place / "report")[1:]
    for shards in ((1, 1, 1, 1), (3, 4, 2, 5), (7, 20, 6, 2)):
        work = place / ("work%d" % shards[0])
        for stage, n in zip(STAGES, shards):
            order = list(range(1, n + 1))
            random.Random(n).shuffle(order)
            for i in order:
                done = origo(stage, "-d", work, "--shard", "%d/%d" % (i, n),
                             *(["-o", work / "out"] if stage == "filter"
                               else []), *files)
                assert done.returncode == 0, done.stderr
        assert outcome(work / "out", len(files)) == single, shards
        # A second time nothing is made.
        done = origo("filter", "-d", work, "-o", work / "out", *files)
        assert b"0 files made, 5 there" in done.stderr, done.stderr
    removed = [len((work / "out" / ("%06d.remove" % i)).read_bytes()) // 4
               for i in range(len(files))]
    assert sum(removed) == len(single[1])
    pairs = (work / "bands" / "00000_00.dups").read_bytes()
    assert len(pairs) % 16 == 0
    for a, b, c, d in struct.iter_unpack("<4I", pairs):
        assert (a, b) < (c, d)


def test_stages_missing_and_killed(place):
    files = stage_files(place, 4, 51)
    work = place / "work"
    done = origo("bands", "-d", work, *files)
    assert done.returncode == 3 and b"sketch/000000' is missing" in done.stderr
    assert origo("sketch", "-d", work, *files).returncode == 0
    assert origo("bands", "-d", work, "--shard", "1/2",
                 *files).returncode == 0
    done = origo("components", "-d", work, *files)
    assert done.returncode == 3 and b"00001_00.dups' is missing" in done.stderr
    assert origo("bands", "-d", work, *files).returncode == 0
    assert origo("components", "-d", work, "--shard", "2/3",
                 *files).returncode == 0
    done = origo("filter", "-d", work, "-o", place / "out", *files)
    assert done.returncode == 3 and b"000000-of-000003' is missing" in \
        done.stderr
    done = origo("components", "-d", work, "-k", 7, *files)
    assert done.returncode == 3 and b"other options" in done.stderr
    sketch = work / "sketch" / "000001"
    data = bytearray(sketch.read_bytes())
    data[100] ^= 1
    sketch.write_bytes(data)
    done = origo("components", "-d", work, *files)
    assert done.returncode == 3 and b"damaged" in done.stderr
    done = origo("sketch", "--shard", "4/3", *files)
    assert done.returncode == 2


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
