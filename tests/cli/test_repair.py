#!/usr/bin/env python3
"""origo repair: what is left of a damaged store.

usage: tests/cli/test_repair.py ORIGO [CASE...]

The bound, for every damage: a document whose text lies in bytes that were not
touched is saved, with its id when its entry is left in the journal or in the
catalogue, and nothing that is saved under an id differs from what went in."""

import json
import os
import random
import shutil
import sys

from dedup_support import origo, run_cases

INDEXES = "passages,near,sentences"


def document(i, n_words=60):
    own = random.Random(i)
    words = ["w%d" % own.randrange(3000) for _ in range(n_words + i % 50)]
    return {"id": "d%d" % i, "time": i, "text": " ".join(words) + ".",
            "title": "Number %d" % i}


def jsonl(docs):
    return "".join(json.dumps(d) + "\n" for d in docs).encode()


def must(*arguments, status=0, **options):
    done = origo(*arguments, **options)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done


def make_store(store, n=400, n_words=60):
    """Parts of it in the catalogue, parts in the journal alone. With long
    documents there is a checkpoint, and no journal before it."""
    half = n // 2
    docs = [document(i, n_words if i < half else 60) for i in range(n)]
    must("add", "-q", "--memory", "64Ki", "--index", INDEXES, "-s", store, "-",
         input=jsonl(docs[:half]))
    must("rm", "-s", store, "d3")
    must("add", "-q", "-s", store, "-", input=jsonl(docs[half:]))
    assert (store / "passages.tab").exists() == (n_words > 1000)
    return {d["id"]: d for d in docs if d["id"] != "d3"}


def repair(store, *more):
    done = origo("repair", "-s", store, *more)
    assert done.returncode in (0, 4), (done.returncode, done.stderr)
    docs = [json.loads(line) for line in done.stdout.splitlines()]
    whole = {d["id"]: d for d in docs if not d["id"].startswith("repair-")}
    pieces = [d["text"] for d in docs if d["id"].startswith("repair-")]
    return done, whole, pieces


def check_same(whole, expected):
    for name, doc in whole.items():
        if name == "d3":  # removed; it comes back when nothing says so
            continue
        assert doc["text"] == expected[name]["text"], name
        assert doc["title"] == expected[name]["title"], name


def test_of_a_sound_store(place):
    expected = make_store(place / "store")
    done, whole, pieces = repair(place / "store")
    assert done.returncode == 0 and not pieces, done.stderr
    assert list(whole) == list(expected)
    assert done.stdout == must("export", "-s", place / "store").stdout
    must("repair", "-s", place / "store", "--into", place / "new")
    must("verify", "-s", place / "new")
    assert must("export", "-s", place / "new").stdout == done.stdout
    names = must("index", "-s", place / "new").stdout
    assert names == INDEXES.encode() + b"\n", names
    must("repair", "-s", place / "store", "--into", place / "new", status=3)
    must("repair", "-s", place / "store", "-o", place / "out.jsonl")
    assert (place / "out.jsonl").read_bytes() == done.stdout
    must("repair", "-s", place / "store", "-o", place / "out.jsonl", status=3)
    must("repair", "-s", place / "nothing", status=5)


def test_of_a_compacted_store(place):
    expected = make_store(place / "store")
    must("compact", "-s", place / "store")
    must("add", "-q", "-s", place / "store", "-",
         input=jsonl([dict(document(1), id="last")]))
    exported = must("export", "-s", place / "store").stdout
    done, whole, pieces = repair(place / "store")
    assert done.returncode == 0 and done.stdout == exported, done.stderr
    (place / "store/origo.conf").unlink()
    done, whole, pieces = repair(place / "store")
    assert done.stdout == exported and len(whole) == len(expected) + 1, done


def check_files_that_are_gone(place, n, n_words):
    """Each file and folder in turn."""
    expected = make_store(place / "sound", n, n_words)
    names = sorted(p.relative_to(place / "sound").as_posix()
                   for p in (place / "sound").rglob("*"))
    for name in names:
        store = place / "store"
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(place / "sound", store)
        victim = store / name
        shutil.rmtree(victim) if victim.is_dir() else victim.unlink()
        done, whole, pieces = repair(store)
        check_same(whole, expected)
        story = done.stderr.decode()
        saved = "\n".join(pieces)
        if not name.startswith("texts"):
            missing = [d for i, d in expected.items()
                       if i not in whole and d["text"] not in saved]
            assert not missing, (name, len(missing), story)
        if name.startswith(("catalogue/data", "origo.conf", "texts/")) or \
                name == "catalogue":
            assert "damaged: " in story or "lost: " in story, (name, story)
        if name.startswith(("near", "sentences", "lock", "catalogue/lock")):
            assert list(whole) == list(expected), name


def test_files_that_are_gone(place):
    check_files_that_are_gone(place, 400, 60)


def test_files_that_are_gone_after_a_checkpoint(place):
    check_files_that_are_gone(place, 300, 6000)


def damage_flip(data, r):
    at = r.randrange(len(data))
    data[at] ^= 1 << r.randrange(8)
    return at, at + 1


def damage_zero(data, r):
    at = r.randrange(len(data)) // 4096 * 4096
    end = min(at + 4096, len(data))
    data[at:end] = bytes(end - at)
    return at, end


def damage_cut(data, r):
    at = r.randrange(len(data))
    end = len(data)
    del data[at:]
    return at, end


def frames_of(segment):
    """(begin, end) of each frame, as the format says."""
    at, out = 64, []
    while at + 48 <= len(segment) and segment[at:at + 4] == b"OGtF":
        end = at + 48 + int.from_bytes(segment[at + 8:at + 12], "little")
        out.append((at, end))
        at = end
    return out


def check_random_damage(place, n, n_words, n_tries):
    """ORIGO_DAMAGES=n makes more of them."""
    expected = make_store(place / "sound", n, n_words)
    files = [p for p in sorted((place / "sound").rglob("*")) if p.is_file() and
             p.stat().st_size > 0 and p.name != "lock.mdb"]
    r, wrong, n_whole = random.Random(5), [], 0
    store = place / "store"
    shutil.copytree(place / "sound", store)
    n_tries = int(os.environ.get("ORIGO_DAMAGES", n_tries))
    for i in range(n_tries):
        name = r.choice(files).relative_to(place / "sound")
        damage = r.choice((damage_flip, damage_flip, damage_zero, damage_cut))
        before = (place / "sound" / name).read_bytes()
        data = bytearray(before)
        begin, end = damage(data, r)
        (store / name).write_bytes(data)
        done, whole, pieces = repair(store)
        check_same(whole, expected)
        saved = "\n".join(pieces)
        missing = [d for k, d in expected.items()
                   if k not in whole and d["text"] not in saved]
        n_whole += len(whole) >= len(expected)
        # Each frame that was touched takes its documents along.
        if name.parts[0] == "texts":
            hit = [f for f in frames_of(before) if f[0] < end and begin < f[1]]
            if not hit and missing:
                wrong.append((i, str(name), begin, end, len(missing)))
            if missing and done.returncode != 4:
                wrong.append((i, str(name), "status", done.returncode))
        elif missing or (len(whole) < len(expected) and done.returncode != 4):
            wrong.append((i, str(name), damage.__name__, begin, end,
                          len(missing), done.stderr[-300:]))
        (store / name).write_bytes(before)
    assert not wrong, wrong[:5]
    assert n_whole > n_tries / 4, n_whole


def test_random_damage(place):
    check_random_damage(place, 300, 60, 120)


def test_random_damage_after_a_checkpoint(place):
    check_random_damage(place, 200, 6000, 60)


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
