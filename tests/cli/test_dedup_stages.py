#!/usr/bin/env python3
"""Deduplication in stages: any number of shards gives the bytes of one run.

usage: tests/cli/test_dedup_stages.py ORIGO [CASE...]"""

import gzip
import json
import os
import pathlib
import random
import struct
import subprocess
import sys

from dedup_support import (ORIGO, Skipped, family_texts, origo, read_lines, words,
                           write_jsonl, run_cases)


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
        assert b"0 files written, 5 existing" in done.stderr, done.stderr
    removed = [len((work / "out" / ("%06d.remove" % i)).read_bytes()) // 4
               for i in range(len(files))]
    assert sum(removed) == len(single[1])
    pairs = (work / "bands" / "00000_00.dups").read_bytes()
    assert len(pairs) % 16 == 0
    for a, b, c, d in struct.iter_unpack("<4I", pairs):
        assert (a, b) < (c, d)


def run_stages(work, files, *options, stages=STAGES, last=()):
    for stage in stages:
        more = [*last, "-o", work / "out"] if stage == "filter" else []
        done = origo(stage, "-d", work, *more, *options, *files)
        assert done.returncode == 0, done.stderr


def single_run(place, files, *options):
    done = origo("dedup", "-o", place / "one", "-r", place / "report",
                 *options, *files)
    assert done.returncode == 0, done.stderr
    return (place / "one").read_bytes(), read_lines(place / "report")[1:]


def test_stages_keep(place):
    """Another one than the first stays, the same as in a single run."""
    files = stage_files(place, 4, 53)
    for i, keep in enumerate(("last", "longest", "field:id", "field:-id")):
        single = single_run(place, files, "--keep", keep)
        work = place / ("work%d" % i)
        for stage, n in zip(STAGES, (2, 3, 3, 1)):
            for shard in range(1, n + 1):
                done = origo(stage, "--keep", keep, "-d", work, "--shard",
                             "%d/%d" % (shard, n),
                             *(["-o", work / "out"] if stage == "filter"
                               else []), *files)
                assert done.returncode == 0, done.stderr
        assert outcome(work / "out", len(files)) == single, keep
        done = origo("components", "--shard", "1/7", "-d", work, *files)
        assert done.returncode == 3 and b"other options" in done.stderr
    done = origo("sketch", "--keep", "best", *files)
    assert done.returncode == 2, done


def pack(path):
    """The same documents in other files: gz, zst, WARC, one left as it is."""
    plain = path.read_bytes()
    number = int(path.stem[-1])
    if number == 0:
        other = path.with_suffix(".jsonl.gz")
        other.write_bytes(gzip.compress(plain))
    elif number == 1:
        other = path.with_suffix(".jsonl.zst")
        subprocess.run(["zstd", "-q", "-o", other, path], check=True)
    elif number == 2:
        other = path.with_suffix(".warc")
        with open(other, "wb") as f:
            for record in map(json.loads, plain.splitlines()):
                text = record["text"].encode()
                f.write(b"WARC/1.0\r\nWARC-Type: conversion\r\n"
                        b"WARC-Target-URI: http://example.org/%s\r\n"
                        b"WARC-Record-ID: <urn:x:%s>\r\n"
                        b"WARC-Date: 2020-01-02T03:04:05Z\r\n"
                        b"Content-Type: text/plain\r\n"
                        b"Content-Length: %d\r\n\r\n%s\r\n\r\n"
                        % (record["id"].encode(), record["id"].encode(),
                           len(text), text))
    else:
        return path
    return other


def test_stages_of_packed_files(place):
    files = [pack(path) for path in stage_files(place, 4, 54)]
    for options in ([], ["--keep", "longest"]):
        single = single_run(place, files, *options)
        assert len(single[1]) > 50
        work = place / ("work%d" % len(options))
        run_stages(work, files, *options)
        assert outcome(work / "out", 4) == single
    (work / "sketch" / "000001.texts").unlink()
    (work / "components" / "000000-of-000001").unlink()
    done = origo("components", "-d", work, *options, *files)
    assert done.returncode == 3 and b"000001.texts' is missing" in done.stderr


def test_lists(place):
    """Lists that filter wrote are read again; bad ones are told."""
    files = stage_files(place, 3, 55)
    work, again = place / "work", place / "again"
    run_stages(work, files)
    single = outcome(work / "out", 3)
    done = origo("filter", "--remove", work / "out", "-o", again, *files)
    assert done.returncode == 0, done.stderr
    kept, report = outcome(again, 3)
    assert kept == single[0]
    assert [line.split(b"\t")[0] for line in report] == \
        [line.split(b"\t")[0] for line in single[1]]
    for row, other in zip(report, single[1]):  # of which it is, is not known
        row, other = row.split(b"\t"), other.split(b"\t")
        assert row[1:3] == [b"", b""] and row[3:] == other[3:], row
    for name in ("000000.remove", "000001.clusters"):
        assert (work / "out" / name).read_bytes() == \
            (again / name).read_bytes()
    members = list(struct.iter_unpack(
        "<2I", (again / "000001.clusters").read_bytes()))
    removed = {d for d, in struct.iter_unpack(
        "<I", (again / "000001.remove").read_bytes())}
    assert removed < {doc for doc, _ in members}, "kept ones are named, too"
    # The clusters as candidates: all of them compared, and the same outcome.
    other = place / "other"
    run_stages(other, files, stages=["sketch"])
    done = origo("components", "--candidates", work / "out", "-d", other,
                 *files)
    assert done.returncode == 0, done.stderr
    run_stages(other, files, stages=["filter"])
    assert outcome(other / "out", 3) == single
    bad = place / "bad"
    bad.mkdir()
    for name, data, words in (
            ("000000.remove", b"abcde", b"is cut"),
            ("000000.remove", struct.pack("<2I", 5, 5), b"document 5 after 5"),
            ("000000.remove", struct.pack("<I", 10 ** 6), b"another file"),
            ("000000.clusters", b"abcd", b"is cut")):
        (bad / name).write_bytes(data)
        out = place / ("out-%s" % words[:5].decode())
        done = origo("filter", "--remove", bad, "-o", out, *files)
        assert done.returncode == 3 and words in done.stderr, done.stderr
        assert not (out / "000000.jsonl").exists()
        (bad / name).unlink()
    for name, data, words in (
            ("00000_00.dups", b"abcd", b"is cut"),
            ("00000_00.dups", struct.pack("<4I", 0, 0, 9, 0), b"not there"),
            ("00000_00.dups", struct.pack("<4I", 0, 0, 1, 9999), b"not there"),
            ("000000.clusters", struct.pack("<2I", 0, 10 ** 6), b"a cluster"),
            ("000000.clusters", struct.pack("<2I", 10 ** 6, 0), b"not there"),
            ("nothing", b"", b"no .dups and no .clusters")):
        (bad / name).write_bytes(data)
        done = origo("components", "--candidates", bad, "--shard", "1/2", "-d",
                     other, *files)
        assert done.returncode == 3 and words in done.stderr, done.stderr
        (bad / name).unlink()


def test_candidates_are_compared(place):
    """What others join is compared: a wrong pair stays, a right one goes."""
    rng = random.Random(56)
    a, b = words(rng, 80), words(rng, 80)
    file = place / "in.jsonl"
    write_jsonl(file, [" ".join(x) for x in (a, b, a[:78] + ["new", "end"])])
    (place / "dups").mkdir()
    (place / "dups" / "00000_00.dups").write_bytes(
        struct.pack("<4I", 0, 0, 0, 1) + struct.pack("<4I", 0, 1, 0, 2))
    (place / "dups" / "00000_01.dups").write_bytes(
        struct.pack("<4I", 2 ** 32 - 1, 2 ** 32 - 1, 0, 1))
    work = place / "work"
    run_stages(work, [file], stages=["sketch"])
    done = origo("components", "--candidates", place / "dups", "-d", work,
                 file)
    assert done.returncode == 0 and b"1 pairs with an index of other data" in \
        done.stderr, done.stderr
    run_stages(work, [file], stages=["filter"])
    kept, report = outcome(work / "out", 1)
    assert [json.loads(x)["id"] for x in kept.splitlines()] == ["d0", "d1"]
    assert len(report) == 1 and report[0].startswith(b"d2\td0\t")


DATATROVE = """
import json, os, sys
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupCluster, MinhashDedupFilter
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers.jsonl import JsonlWriter
data, dups, lists, out, n = sys.argv[1:]
config = MinhashConfig(n_grams=5, num_buckets=14, hashes_per_bucket=8)
LocalPipelineExecutor(pipeline=[
    MinhashDedupCluster(dups, out + "/clusters", config=config,
                        save_cluster_id=True)],
    tasks=1, logging_dir=out + "/log1").run()
LocalPipelineExecutor(pipeline=[
    JsonlReader(data), MinhashDedupFilter(lists, load_cluster_ids=True),
    JsonlWriter(out + "/kept", compression=None)],
    tasks=int(n), logging_dir=out + "/log2").run()
"""


def python_with_datatrove():
    """$DATATROVE_PYTHON, or where bench-dedup puts the peers."""
    build = pathlib.Path(ORIGO).parent.parent
    for python in (os.environ.get("DATATROVE_PYTHON"), sys.executable,
                   build / "peers-dedup/bin/python"):
        if python and os.path.exists(python) and subprocess.run(
                [python, "-c", "import datatrove"], capture_output=True,
                check=False).returncode == 0:
            return python
    return None


def test_datatrove_itself(place):
    """The real one reads our .dups, .remove and .clusters, and we its."""
    python = python_with_datatrove()
    if python is None:
        raise Skipped("there is no datatrove; $DATATROVE_PYTHON may name a "
                      "python that has it")
    data = place / "data"
    data.mkdir()
    files = stage_files(data, 3, 57)
    work, theirs = place / "work", place / "theirs"
    run_stages(work, files)
    kept, report = outcome(work / "out", 3)
    subprocess.run([python, "-c", DATATROVE, data, work / "bands",
                    work / "out", theirs, "3"], check=True,
                   capture_output=True, timeout=120)
    ids = {json.loads(line)["id"] for path in (theirs / "kept").iterdir()
           for line in path.read_bytes().splitlines()}
    assert ids == {json.loads(line)["id"] for line in kept.splitlines()}
    # Its clusters are the closure of our bands: compared, the same stays.
    other = place / "other"
    run_stages(other, files, stages=["sketch"])
    done = origo("components", "--candidates", theirs / "clusters", "-d",
                 other, *files)
    assert done.returncode == 0, done.stderr
    run_stages(other, files, stages=["filter"])
    # All of a component are compared, not only those with an equal band: what
    # went before goes now, too.
    gone = [{line.split(b"\t")[0] for line in x} for x in
            (report, outcome(other / "out", 3)[1])]
    assert gone[0] <= gone[1] and len(gone[1]) <= len(gone[0]) + 3, gone
    done = origo("filter", "--remove", theirs / "clusters", "-o",
                 place / "removed", *files)
    assert done.returncode == 0, done.stderr
    n_theirs = sum(len(p.read_bytes()) // 4
                   for p in (theirs / "clusters").glob("*.remove"))
    assert len(outcome(place / "removed", 3)[1]) == n_theirs > 0


def test_stages_killed(place):
    """kill -9 in every stage, at many moments; then the same bytes."""
    rng = random.Random(58)
    files = []
    pool = [words(rng, 60) for _ in range(400)]
    for i in range(3):
        files.append(place / ("part%d.jsonl" % i))
        with open(files[-1], "w") as f:
            for j in range(4000):
                text = list(rng.choice(pool)) if j % 2 else words(rng, 60)
                text[rng.randrange(60)] = "new"
                f.write('{"id":"%d.%d","text":"%s"}\n' % (i, j,
                                                          " ".join(text)))
    files[1] = pack(files[1])
    single = single_run(place, files)
    work = place / "work"
    kills = {}
    for stage in STAGES:
        more = ["-o", work / "out"] if stage == "filter" else []
        command = [ORIGO, stage, "-j", "1", "-d", work, *more, *files]
        wait, kills[stage] = 0.004, 0
        while True:
            process = subprocess.Popen(command, stderr=subprocess.PIPE)
            try:
                process.wait(wait)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            said = process.stderr.read()
            process.stderr.close()
            if process.returncode == 0:
                break
            assert process.returncode == -9, said
            kills[stage] += 1
            wait *= 1.3
    assert outcome(work / "out", 3) == single
    assert min(kills.values()) > 0, kills


def test_stages_missing(place):
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
