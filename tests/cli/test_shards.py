#!/usr/bin/env python3
"""Outputs that are packed or in shards, and dedup that adds what it keeps.

usage: tests/cli/test_shards.py ORIGO

-o x.zst and x.gz pack what every command writes; -o DIR/ and --shards N write
parts whose bytes are the same for any number of threads; parts of another run
are never mixed with. Every --against counts. dedup --add-to gives the same
output and the same store when it was killed and run again."""

import gzip
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ORIGO = os.path.abspath(sys.argv[1])
failures = []


def check(what, is_true, more=""):
    print("%s shards: %s" % ("ok" if is_true else "FAILED", what))
    if not is_true:
        failures.append(what)
        print("    " + str(more)[:2000].replace("\n", "\n    "))


def origo(place, line):
    return subprocess.run([ORIGO, *line.split()], cwd=place,
                          capture_output=True, timeout=120)


def write_documents(path, n, seed, copies=()):
    """Every fourth is a copy of one of `copies` or of an earlier one."""
    r = random.Random(seed)
    texts = list(copies)
    with open(path, "w") as f:
        for i in range(n):
            text = r.choice(texts) if texts and i % 4 == 3 else \
                " ".join("w%d" % r.randrange(3000) for _ in range(40))
            texts.append(text)
            f.write(json.dumps({"id": "d%d-%d" % (seed, i), "time": i + 1,
                                "note": [seed, i], "text": text}) + "\n")
    return texts


def unpack(path):
    data = pathlib.Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    assert data[:4] == b"\x28\xb5\x2f\xfd", data[:20]
    return subprocess.run(["zstd", "-dcq"], input=data, capture_output=True,
                          check=True).stdout


# ---- packed ---------------------------------------------------------------------

def packed(place):
    origo(place, "add -q -s p.store in.jsonl")
    commands = {
        "dedup": "dedup -q -o OUT in.jsonl",
        "dedup -r": "dedup -q -o kept -r OUT in.jsonl",
        "export": "export -s p.store -o OUT",
        "read": "read -q -o OUT in.jsonl",
        "trace": "trace -q -s :memory: -f json -o OUT in.jsonl",
        "trace --links-csv": "trace -q -s :memory: --links-csv OUT -o a in.jsonl",
        "trace --clusters": "trace -q -s :memory: --clusters OUT -o a in.jsonl",
        "near": "near -q -s :memory: --add -o OUT in.jsonl",
        "quote": "quote -q -s :memory: -f json -o OUT in.jsonl",
    }
    for name, line in commands.items():
        plain = origo(place, line.replace("OUT", "plain"))
        expected = (place / "plain").read_bytes()
        for ending in ("gz", "zst"):
            done = origo(place, line.replace("OUT", "x." + ending))
            check("%s -o x.%s" % (name, ending),
                  plain.returncode == done.returncode == 0 and
                  unpack(place / ("x." + ending)) == expected, done.stderr)
    (place / "none.jsonl").write_text("")
    done = origo(place, "dedup -q -o none.zst none.jsonl")
    check("an empty output is a sound packed file",
          done.returncode == 0 and unpack(place / "none.zst") == b"")
    done = origo(place, "dedup -q --resume -o r.jsonl.zst in.jsonl")
    origo(place, "dedup -q -o plain in.jsonl")
    check("--resume with a packed output", done.returncode == 0 and unpack(
        place / "r.jsonl.zst") == (place / "plain").read_bytes(), done.stderr)


def report_endings(place):
    for ending, start in (("html", b"<!doctype html>"), ("tsv", b"document\t"),
                          ("jsonld", b"{"), ("jsonl", b'{"origo":1'),
                          ("xml", b"<?xml"), ("jsonl.zst", b'{"origo":1')):
        path = place / ("report." + ending)
        origo(place, "trace -q -s :memory: -o %s in.jsonl" % path)
        data = unpack(path) if ending.endswith("zst") else path.read_bytes()
        check("the report follows the ending .%s" % ending,
              data.lower().startswith(start.lower()), data[:80])
    origo(place, "dedup -q -o k -r removed.jsonl in.jsonl")
    first = (place / "removed.jsonl").read_text().splitlines()[0]
    check("the report of dedup follows its ending",
          "duplicate_of" in json.loads(first), first)


# ---- shards -----------------------------------------------------------------------

def parts(folder):
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


def shards(place):
    origo(place, "dedup -q -o plain in.jsonl")
    lines = (place / "plain").read_bytes().splitlines(keepends=True)
    for threads in (1, 3):
        done = origo(place, "dedup -q -j %d -o s%d/ --shards 3 in.jsonl" %
                     (threads, threads))
        check("dedup --shards 3 with %d threads" % threads,
              done.returncode == 0 and parts(place / ("s%d" % threads)) ==
              {"part-%05d.jsonl" % i: b"".join(lines[i::3]) for i in range(3)},
              done.stderr)
    done = origo(place, "export -s p.store -o e/ --shards 2 --compress zst")
    origo(place, "export -s p.store -o plain")
    lines = (place / "plain").read_bytes().splitlines(keepends=True)
    check("export --shards 2 --compress zst", done.returncode == 0 and
          sorted(os.listdir(place / "e")) == ["part-00000.jsonl.zst",
                                              "part-00001.jsonl.zst"] and
          [unpack(place / "e" / ("part-%05d.jsonl.zst" % i)) for i in (0, 1)]
          == [b"".join(lines[i::2]) for i in (0, 1)], done.stderr)
    done = origo(place, "read -q -o r/ in.jsonl")
    check("read -o DIR/ begins with one part",
          done.returncode == 0 and os.listdir(place / "r") ==
          ["part-00000.jsonl"], done.stderr)
    before = parts(place / "s1")
    done = origo(place, "dedup -q -o s1/ in.jsonl")
    check("parts of another run are not mixed with", done.returncode == 3 and
          parts(place / "s1") == before and b"holds parts" in done.stderr,
          done.stderr)
    done = origo(place, "dedup -q -o file --shards 2 in.jsonl")
    check("shards need a folder", done.returncode == 2 and
          not (place / "file").exists(), done.stderr)
    done = origo(place, "dedup -q --against missing -o new/ in.jsonl")
    check("a run that fails leaves no folder", done.returncode == 3 and
          not (place / "new").exists(), (done.stderr, os.listdir(place)))


# ---- against, add-to --------------------------------------------------------------

def against(place, texts):
    write_documents(place / "one.jsonl", 20, 31, texts[:5])
    write_documents(place / "two.jsonl", 20, 32)
    write_documents(place / "test.jsonl", 12, 33)
    both = [(place / n).read_text().splitlines()[0] for n in
            ("one.jsonl", "two.jsonl")]
    renamed = [dict(json.loads(line), id="x%d" % i)
               for i, line in enumerate(both)]
    with open(place / "test.jsonl", "a") as f:
        for record in renamed:
            f.write(json.dumps(record) + "\n")
    done = origo(place, "dedup -q --against one.jsonl --against two.jsonl "
                 "-o t.kept -r t.removed test.jsonl")
    removed = [line.split("\t")[:2] for line in
               (place / "t.removed").read_text().splitlines()[1:]]
    check("every --against counts", done.returncode == 0 and
          ["x0", "d31-0"] in removed and ["x1", "d32-0"] in removed, removed)


def exported(place, store):
    return origo(place, "export -s %s" % store).stdout


def add_to(place):
    write_documents(place / "day1.jsonl", 3000, 41)
    texts = write_documents(place / "day2.jsonl", 3000, 42)
    write_documents(place / "day2.jsonl", 3000, 42, texts[:0] + [
        json.loads(line)["text"] for line in
        (place / "day1.jsonl").read_text().splitlines()[:500]])
    for store in ("calm", "killed"):
        done = origo(place, "dedup -q --add-to %s.store -o %s1.jsonl "
                     "day1.jsonl" % (store, store))
        assert done.returncode == 0, done.stderr
    began = time.monotonic()
    done = origo(place, "dedup --add-to calm.store -o calm2.jsonl day2.jsonl")
    seconds = time.monotonic() - began
    kept = (place / "calm2.jsonl").read_bytes()
    n = kept.count(b"\n")
    check("--add-to compares with the store and adds what is kept",
          done.returncode == 0 and n < 2999 and
          ("%d added to 'calm.store', 0 there already" % n).encode()
          in done.stderr and exported(place, "calm.store").count(b"\n") ==
          n + (place / "calm1.jsonl").read_bytes().count(b"\n"), done.stderr)
    store = exported(place, "calm.store")
    done = origo(place, "dedup --add-to calm.store -o calm2.jsonl day2.jsonl")
    check("the same run again changes nothing", done.returncode == 0 and
          (place / "calm2.jsonl").read_bytes() == kept and
          exported(place, "calm.store") == store, done.stderr)
    n_killed = 0
    for tenth in range(1, 11):
        run = subprocess.Popen([ORIGO, "dedup", "-q", "--add-to",
                                "killed.store", "-o", "killed2.jsonl",
                                "day2.jsonl"], cwd=place)
        time.sleep(seconds * tenth / 10)
        run.send_signal(signal.SIGKILL)
        n_killed += run.wait(60) == -signal.SIGKILL
    done = origo(place, "dedup -q --add-to killed.store -o killed2.jsonl "
                 "day2.jsonl")
    check("killed %d times, then the same output" % n_killed,
          done.returncode == 0 and
          (place / "killed2.jsonl").read_bytes() == kept, done.stderr)
    check("killed %d times, then the same store" % n_killed,
          exported(place, "killed.store") == store)
    for line, why in (("dedup --add-to c.store day1.jsonl", "needs -o FILE"),
                      ("dedup --add-to :memory: -o k day1.jsonl", "on disk"),
                      ("dedup --level line --add-to c.store -o k day1.jsonl",
                       "whole documents")):
        done = origo(place, line)
        check("refused: " + why, done.returncode == 2 and
              why.encode() in done.stderr, done.stderr)


# ---- a refused add ----------------------------------------------------------------

def refused(place):
    foreign = place / "foreign"
    foreign.mkdir()
    (foreign / "letter.txt").write_text("mine")
    for line in ("add -q -s foreign in.jsonl",
                 "trace -q --add -s foreign -o a in.jsonl",
                 "dedup -q --add-to foreign -o k in.jsonl",
                 "near -q --add -s foreign in.jsonl",
                 "quote -q --add -s foreign in.jsonl"):
        done = origo(place, line)
        check("nothing is left in a foreign folder: " + line.split()[0],
              done.returncode != 0 and os.listdir(foreign) == ["letter.txt"],
              (done.stderr, os.listdir(foreign)))


def main():
    with tempfile.TemporaryDirectory(prefix="origo-shards-") as folder:
        place = pathlib.Path(folder)
        texts = write_documents(place / "in.jsonl", 60, 1)
        packed(place)
        report_endings(place)
        shards(place)
        against(place, texts)
        add_to(place)
        refused(place)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
