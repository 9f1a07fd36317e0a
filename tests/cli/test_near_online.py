#!/usr/bin/env python3
"""origo near: streams, stores, fixed memory.

usage: tests/cli/test_near_online.py ORIGO [CASE...]"""

import json
import random
import re
import subprocess
import sys

from dedup_support import (ORIGO, family_texts, jaccard, origo, shingles,
                           words, write_jsonl, run_cases)


def near(*arguments, status=0):
    done = origo("near", *arguments)
    assert done.returncode == status, (done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_near_stream(place):
    """Against its own past, each method; similarities are near the truth."""
    texts = family_texts(40, 40)
    write_jsonl(place / "in.jsonl", texts)
    sets = [shingles(t) for t in texts]
    for method in ("minhash", "simhash", "both"):
        answers = near("-s", ":memory:", "--add", "--method", method, "-q",
                       place / "in.jsonl")
        assert [a["id"] for a in answers] == \
            ["d%d" % i for i in range(len(texts))]
        found = 0
        for i, answer in enumerate(answers):
            known = {m["id"]: m for m in answer["near"]}
            for j in range(i):
                similarity = jaccard(sets[i], sets[j])
                if sets[i] == sets[j]:
                    assert "d%d" % j in known, (method, i, j)
                if "d%d" % j not in known:
                    continue
                found += 1
                m = known["d%d" % j]
                if method != "simhash":
                    assert abs(m["similarity"] - similarity) < 0.25, m
                if method != "minhash":
                    assert "distance" in m
        assert found > 30, (method, found)


def test_near_estimates(place):
    """An estimate is the share of equal samples, less what agrees by chance:
    of 112 samples of 8 bits, e equal ones give (e/112 - 1/256) / (255/256)."""
    write_jsonl(place / "in.jsonl", family_texts(40, 42))
    seen = set()
    for answer in near("-s", ":memory:", "--add", "-t", "0.3", "-q",
                       place / "in.jsonl"):
        for m in answer["near"]:
            equal = (m["similarity"] * 255 / 256 + 1 / 256) * 112
            assert abs(equal - round(equal)) < 0.01, m
            seen.add(round(equal))
    assert len(seen) > 5, seen  # an estimate of 1 is one without chance, too


def as_others(source, target):
    """The same documents under other ids: a document is not near itself."""
    with open(target, "w") as out:
        for line in open(source):
            document = json.loads(line)
            document["id"] = "other-" + document["id"]
            out.write(json.dumps(document) + "\n")
    return target


def test_near_store(place):
    rng = random.Random(41)
    texts = [" ".join(words(rng, 60)) for _ in range(30)]
    with open(place / "a.jsonl", "w") as f:
        for i, text in enumerate(texts):
            f.write(json.dumps({"id": "a%d" % i, "time": 1000 + i,
                                "text": text}) + "\n")
    write_jsonl(place / "b.jsonl", [t + " end" for t in texts[10:20]])
    store = place / "store"
    assert near("-s", store, place / "b.jsonl", status=5) == []
    assert not store.exists()
    near("-s", store, "--add", "-m", "1M", place / "a.jsonl")
    for _ in range(2):  # asking changes nothing
        answers = near("-s", store, place / "b.jsonl")
        assert [a["near"][0]["id"] for a in answers] == \
            ["a%d" % i for i in range(10, 20)]
        assert answers[0]["near"][0]["time"] == "1970-01-01T00:16:50Z"
    near("-s", store, "--add", place / "b.jsonl")
    answers = near("-s", store, as_others(place / "b.jsonl",
                                          place / "c.jsonl"))
    assert all("other-" + a["near"][0]["id"] == a["id"] for a in answers)
    # Asked under its own id it is not near itself.
    answers = near("-s", store, place / "b.jsonl")
    assert [a["near"][0]["id"] for a in answers] == \
        ["a%d" % i for i in range(10, 20)]
    # An index that is damaged is reported.
    index = store / "near" / "manifest"
    data = bytearray(index.read_bytes())
    for at in (3, 20, len(data) - 2):
        broken = bytearray(data)
        broken[at] ^= 1
        index.write_bytes(broken)
        done = origo("near", "-s", store, place / "b.jsonl")
        assert done.returncode == 4, done
        assert b"near/manifest" in done.stderr


def test_near_store_with_texts(place):
    """A store on disk: exact, and says so; without texts there is no index."""
    texts = family_texts(44, 30)
    write_jsonl(place / "a.jsonl", texts)
    store, bare = place / "store", place / "bare"
    design = ["--bands", 60, "--rows", 3]
    near("-s", store, "--add", *design, "-q", place / "a.jsonl")
    done = origo("export", "-s", store)
    known = {d["id"]: shingles(d["text"])
             for d in map(json.loads, done.stdout.splitlines())}
    assert len(known) > 30, done
    asked = texts[::-1] + [" ".join(words(random.Random(1), 30))]
    with open(place / "b.jsonl", "w") as f:
        for i, text in enumerate(asked):
            f.write(json.dumps({"id": "b%d" % i, "text": text}) + "\n")
    for text, answer in zip(asked, near("-s", store, place / "b.jsonl")):
        mine = shingles(text)
        expected = {i: jaccard(mine, s) for i, s in known.items()
                    if jaccard(mine, s) >= 0.8}
        assert {m["id"] for m in answer["near"]} == set(expected), answer
        for m in answer["near"]:
            assert m["exact"] is True
            assert abs(m["similarity"] - expected[m["id"]]) < 1e-4, m
    # A document that is there changes nothing; others are told exactly, too.
    near("-s", store, "--add", "-q", place / "a.jsonl")
    near("-s", store, "--add", "-q", place / "b.jsonl")
    for answer in near("-s", store, as_others(place / "b.jsonl",
                                              place / "c.jsonl")):
        ids = [m["id"] for m in answer["near"]]
        assert len(ids) == len(set(ids)), answer
        assert answer["id"][len("other-"):] in ids, answer
        assert all(m["exact"] for m in answer["near"])
    assert origo("add", "-q", "--no-texts", "-s", bare,
                 place / "a.jsonl").returncode == 0
    done = origo("near", "-s", bare, place / "b.jsonl")
    assert done.returncode == 2 and b"has no index of near" in done.stderr
    done = origo("near", "-s", bare, "--add", place / "b.jsonl")
    assert done.returncode == 2 and b"keeps no texts" in done.stderr


def test_near_long_id(place):
    """An id of any length stops nothing."""
    rng = random.Random(45)
    texts = [" ".join(words(rng, 40)) for _ in range(3)]
    with open(place / "a.jsonl", "w") as f:
        for id, text in zip(("x", "y" * 200000, "z"), texts):
            f.write(json.dumps({"id": id, "text": text}) + "\n")
    near("-s", place / "store", "--add", "-q", place / "a.jsonl")
    answers = near("-s", place / "store", as_others(place / "a.jsonl",
                                                    place / "b.jsonl"))
    assert [len(a["near"][0]["id"]) for a in answers] == [1, 200000, 1]


def test_near_kill(place):
    """What an ended command took in survives; a killed one harms nothing."""
    rng = random.Random(42)
    texts = [" ".join(words(rng, 20)) for _ in range(20000)]
    write_jsonl(place / "a.jsonl", texts[:200])
    write_jsonl(place / "b.jsonl", texts)
    store = place / "store"
    others = as_others(place / "a.jsonl", place / "c.jsonl")
    near("-s", store, "--add", "-q", place / "a.jsonl")
    for wait in (0.02, 0.05, 0.1, 0.15):
        process = subprocess.Popen(
            [ORIGO, "near", "-q", "-s", store, "--add", place / "b.jsonl"],
            stdout=subprocess.DEVNULL)
        try:
            process.wait(wait)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        answers = near("-s", store, others)
        assert all(a["near"] and a["near"][0]["similarity"] == 1
                   for a in answers)


def test_near_fixed_memory(place):
    """An endless stream: memory stays, the recent past is known."""
    rng = random.Random(43)
    with open(place / "in.jsonl", "w") as f:
        last = []
        for i in range(30000):
            if i % 10 == 9:
                text = rng.choice(last[-5:])
            else:
                text = " ".join(words(rng, 20))
            last = last[-5:] + [text]
            f.write('{"id":"d%d","text":"%s"}\n' % (i, text))
    done = origo("near", "-s", ":memory:", "--add", "--only-near", "-m", "1M",
                 place / "in.jsonl")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) >= 3000
    assert b"forgotten" in done.stderr
    room = int(re.search(rb"capacity (\d+)", done.stderr).group(1))
    known = int(re.search(rb"(\d+) documents known", done.stderr).group(1))
    assert known <= room < 5000


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
