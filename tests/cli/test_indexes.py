#!/usr/bin/env python3
"""One store and its indexes: passages, near, sentences.

usage: tests/cli/test_indexes.py ORIGO [CASE...]"""

import json
import random
import shutil
import signal
import subprocess
import sys

from dedup_support import ORIGO, origo, run_cases

ALL = "passages,near,sentences"
FIRST = ("The old lighthouse will be lit again in spring once the lamp has "
         "been brought back from the museum of the town.")
SECOND = "Nobody knows who will pay for the oil and for the keeper of it."


def must(*arguments, status=0, **options):
    done = origo(*arguments, **options)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stdout


def save(path, *documents):
    with open(path, "w") as f:
        for d in documents:
            f.write(json.dumps(d) + "\n")
    return path


def make(place, name="store", index=ALL):
    """Three documents: b is the oldest, and came second."""
    save(place / "docs.jsonl",
         {"id": "alpha-1", "time": "2001-01-01", "title": "Zanzibar gazette",
          "url": "http://alpha.example/1", "more": [1, "qwertzuiop"],
          "text": FIRST + " " + SECOND},
         {"id": "beta-2", "time": "1999-01-01", "text": "So: " + FIRST},
         {"id": "gamma-3", "text": "Hi."})
    must("add", "-q", "-s", place / name, "--index", index,
         place / "docs.jsonl")
    return place / name


def question(place, time="2010-01-01"):
    return save(place / "q.jsonl", {"id": "q", "time": time,
                                    "text": FIRST + " " + SECOND})


def origins(store, q):
    """The ids that each command tells of."""
    trace = json.loads(must("trace", "-q", "-s", store, q))
    near = json.loads(must("near", "-q", "-t", "0.3", "-s", store, q))
    quote = json.loads(must("quote", "-q", "--all", "-s", store, q))
    exported = [json.loads(line)["id"]
                for line in must("export", "-s", store).splitlines()]
    return ({s["origin"]["id"] for s in trace["spans"]},
            {m["id"] for m in near["near"]},
            {m["id"] for s in quote["sentences"] for m in s["matches"]},
            exported)


def test_a_removed_document_is_reported_by_nobody(place):
    store, q = make(place), question(place)
    assert origins(store, q) == ({"alpha-1", "beta-2"}, {"alpha-1"},
                                 {"alpha-1", "beta-2"},
                                 ["alpha-1", "beta-2", "gamma-3"])
    must("rm", "-s", store, "alpha-1")
    assert origins(store, q) == ({"beta-2"}, set(), {"beta-2"},
                                 ["beta-2", "gamma-3"])
    must("verify", "-q", "-s", store)


def test_indexes_can_be_built_later(place):
    q = question(place)
    expected = origins(make(place, "whole"), q)
    late = make(place, "late", "passages")
    done = origo("quote", "-s", late, q)
    assert done.returncode == 2 and b"origo index" in done.stderr, done
    assert must("index", "-s", late, "--add", "near,sentences") == \
        ALL.encode() + b"\n"
    assert origins(late, q) == expected
    assert must("index", "-s", late, "--drop", "near") == \
        b"passages,sentences\n"
    assert not (late / "near").exists()
    must("near", "-q", "-s", late, q, status=2)
    must("near", "-q", "-s", late, "--add", save(place / "e.jsonl"))
    assert origins(late, q) == expected
    must("index", "-s", late, "--drop", ALL, status=2)


def test_each_command_makes_a_store_for_all(place):
    for command in "quote", "near", "add", "trace":
        store = place / command
        first = ["--add"] if command != "add" else []
        must(command, "-q", "-s", store, *first,
             save(place / "x.jsonl", {"id": "x", "text": FIRST}))
        must("add", "-q", "-s", store, "--index", ALL,
             save(place / "y.jsonl", {"id": "y", "text": SECOND}))
        told = origins(store, question(place))
        assert told[0] == told[2] == {"x", "y"} and told[3] == ["x", "y"]


def test_twice_is_once(place):
    store, q = make(place), question(place)
    before = origins(store, q), must("quote", "-q", "-s", store, q)
    for command in "quote", "near", "trace":
        must(command, "-q", "-s", store, "--add", place / "docs.jsonl")
    must("add", "-q", "-s", store, place / "docs.jsonl")
    assert (origins(store, q), must("quote", "-q", "-s", store, q)) == before


def test_a_later_document_is_no_source(place):
    store, q = make(place), question(place, "2000-01-01")
    quote = json.loads(must("quote", "-q", "-s", store, q))
    assert [[m["id"] for m in s["matches"]] for s in quote["sentences"]] == \
        [["beta-2"]]
    assert quote["sentences"][0]["n_found"] == 1
    quote = json.loads(must("quote", "-q", "--all", "-s", store, q))
    assert [[m["id"] for m in s["matches"]] for s in quote["sentences"]] == \
        [["beta-2", "alpha-1"], ["alpha-1"]]


def many(place, n, first=0):
    rng = random.Random(n + first)
    with open(place / "many.jsonl", "w") as f:
        for i in range(first, first + n):
            words = " ".join("w%d" % rng.randrange(500) for _ in range(40))
            f.write('{"id":"m%d","text":"Once %s. Then %s."}\n' %
                    (i, words, words[::-1]))
    return place / "many.jsonl"


def test_verify_names_every_file(place):
    """Files of indexes too, which are written when much was added."""
    store = make(place)
    must("add", "-q", "-s", store, many(place, 3000))
    must("near", "-q", "-s", store, "--add", many(place, 20000, 3000),
         "--only-near")
    must("quote", "-q", "-s", store, "--add", many(place, 10, 50000))
    must("index", "-s", store, "--drop", "sentences")
    must("index", "-s", store, "--add", "sentences")
    must("verify", "-q", "-s", store)
    files = [p for p in sorted(store.rglob("*")) if p.is_file()
             and p.name not in ("lock", "lock.mdb")]
    for name in ("near/manifest", "near/segment-", "sentences/image-"):
        assert any(name in p.as_posix() for p in files), name
    rng = random.Random(3)
    for path in files:
        whole = path.read_bytes()
        for _ in range(2):
            broken = bytearray(whole)
            broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
            path.write_bytes(broken)
            done = origo("verify", "-s", store)
            assert done.returncode == 4, (path, done)
            name = path.relative_to(store).as_posix()
            assert name.encode() in done.stderr, (path, done.stderr)
        path.write_bytes(whole)
    must("verify", "-q", "-s", store)


def test_verify_beside_a_writer(place):
    """It checks a committed state and holds nobody up."""
    store = make(place)
    writer = subprocess.Popen([ORIGO, "add", "-q", "-s", store, "-"],
                              stdin=subprocess.PIPE)
    n = 0
    for i in range(4):
        lines = open(many(place, 300, 1000 * i), "rb").read()
        writer.stdin.write(lines)
        writer.stdin.flush()
        said = must("verify", "-s", store).decode()
        n_now = int(said.split()[1])
        assert said.startswith("sound: ") and n_now >= n, (said, n)
        n = n_now
    writer.stdin.close()
    assert writer.wait() == 0
    said = must("verify", "-s", store).decode()
    assert int(said.split()[1]) >= n + 1, said


def test_killed_writers(place):
    """Whatever was killed: all indexes have what the store has."""
    store = make(place)
    must("add", "-q", "-s", store, many(place, 500, 90000))
    rng = random.Random(8)
    for i in range(6):
        command = ("near", "quote", "add")[i % 3]
        more = ["--add"] if command != "add" else []
        process = subprocess.Popen(
            [ORIGO, command, "-q", "-s", store, *more,
             many(place, 6000, 10000 * i)], stdout=subprocess.DEVNULL)
        try:
            process.wait(rng.uniform(0.05, 0.4))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        must("verify", "-q", "-s", store)
    exported = must("export", "-s", store)
    assert len(exported.splitlines()) >= 503
    (place / "copy.jsonl").write_bytes(exported)
    copy = place / "copy"
    must("add", "-q", "-s", copy, "--index", ALL, place / "copy.jsonl")
    for command in "near", "quote", "trace":
        q = many(place, 30, 90000)
        assert must(command, "-q", "-s", store, q) == \
            must(command, "-q", "-s", copy, q), command
    shutil.rmtree(copy)


def test_making_was_stopped(place):
    """Killed after the store was there and before its indexes had files: there
    is nothing in it, and nothing is damaged."""
    docs = save(place / "none.jsonl")
    for gone in (["near/manifest"], ["near/manifest", "sentences/manifest"]):
        shutil.rmtree(place / "store", ignore_errors=True)
        must("add", "-q", "--type", "jsonl", "-s", place / "store", "--index",
             ALL, docs)
        for name in gone:
            (place / "store" / name).unlink()
        must("verify", "-s", place / "store")
        for command in ("near", "quote", "trace"):
            must(command, "-q", "-s", place / "store", question(place))
        make(place)
        must("verify", "-s", place / "store")
        assert FIRST[:40].encode() in must("quote", "-q", "-s", place / "store",
                                           question(place))
    (place / "store/near/manifest").unlink()  # with documents it is damage
    must("verify", "-s", place / "store", status=4)


def test_files_of_before_are_not_replaced(place):
    """What an earlier version kept beside a store may be nowhere else."""
    store = make(place, index="passages")
    for index, name in (("near", "journal"), ("near", "index"),
                        ("near", "manifest"),
                        ("sentences", "journal-1"), ("sentences", "manifest")):
        folder = store / index
        folder.mkdir()
        (folder / name).write_bytes(b"of another time")
        said = origo("index", "-s", store, "--add", index)
        assert said.returncode == 4, said
        story = said.stderr.decode()
        assert str(folder) in story and "move" in story, story
        assert f"origo upgrade -s {store}" in story, story
        assert (folder / name).read_bytes() == b"of another time"
        command = "near" if index == "near" else "quote"
        said = origo(command, "-q", "-s", store, "--add", question(place))
        assert said.returncode == 4 and b"origo upgrade" in said.stderr, said
        folder.rename(place / f"{index}-{name}")
    must("index", "-s", store, "--add", "near,sentences")
    must("verify", "-s", store)


def test_passages_later(place):
    """As if they had been there from the beginning; and gone again."""
    new = make(place, "new")
    for first in ("near,sentences", "near"):
        store = make(place, "store-" + first, index=first)
        said = must("index", "-s", store, "--add", ALL)
        assert said == ALL.encode() + b"\n", said
        must("verify", "-s", store)
        assert origins(store, question(place)) == origins(new, question(place))
        assert must("export", "-s", store) == must("export", "-s", new)
        must("add", "-q", "-s", store, many(place, 40, 900))
        must("rm", "-s", store, "beta-2")
        must("verify", "-s", store)
        said = must("index", "-s", store, "--drop", "passages")
        assert said == b"near,sentences\n", said
        must("verify", "-s", store)
        assert len(must("export", "-s", store).splitlines()) == 42
        assert not (store / "journal").exists()
    must("index", "-s", store, "--drop", "passages,near,sentences", status=2)


def test_upgrade(place):
    """Old folders are put aside, the indexes come from the texts."""
    new, store = make(place, "new"), make(place, index="passages")
    assert must("upgrade", "-s", store) == b"nothing to upgrade\n"
    old = (("near", "journal"), ("sentences", "journal-1"))
    for aside in (".old", ".old-2"):
        for index, name in old:
            (store / index).mkdir()
            (store / index / name).write_bytes(b"of another time")
        said = must("upgrade", "-s", store)
        assert b"near,sentences" in said, said
        must("verify", "-s", store)
        assert origins(store, question(place)) == origins(new, question(place))
        for index, name in old:
            kept = store / (index + aside) / name
            assert kept.read_bytes() == b"of another time"
        must("index", "-s", store, "--drop", "near,sentences")


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
