#!/usr/bin/env python3
"""After 'origo compact', or 'origo rm --purge', nothing of a removed document
is in any file of the store, and all else is as it was.

usage: tests/cli/test_compact.py ORIGO [CASE...]"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from dedup_support import ORIGO, Skipped, origo, run_cases

MAGIC = b"\x28\xb5\x2f\xfd"
INDEXES = ("passages", "passages,near,sentences")
N_DOCUMENTS = 60
REMOVED = ("d3", "d17", "d40")


def must(*arguments, status=0):
    done = origo(*arguments)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done.stdout.decode()


def make_documents(place, n=N_DOCUMENTS):
    """Every document has words that no other has, in each of its fields."""
    chance = random.Random(11)
    docs = []
    for i in range(n):
        own = ["%sx%dq%d" % (chance.choice("bcdfgklm"), i, j)
               for j in range(chance.randint(30, 90))]
        old = chance.choice(docs)["text"].split(". ")[0] if docs else "so it is"
        docs.append({"id": "d%d" % (i if i % 7 else i - i % 2),
                     "time": "20%02d-01-01" % (i % 25),
                     "title": "Title%dof" % i,
                     "url": "http://host%d.example/" % i,
                     "more": "field%dmore" % i,
                     "text": "%s. %s." % (" ".join(own), old)})
    path = place / "docs.jsonl"
    path.write_text("".join(json.dumps(d) + "\n" for d in docs))
    return docs, path


def own_words(docs):
    """What only the removed documents have, of each field."""
    words = set()
    for d in docs:
        words |= set(re.findall(r"\w*x\d+q\d+", d["text"]))
        words |= {d["title"], d["url"], d["more"]}
    return words


def files_of(store):
    return [os.path.join(folder, name)
            for folder, _, names in os.walk(store) for name in names]


def unpacked(data, dictionaries):
    """All that the zstd frames in these bytes unpack to, by themselves, with
    each dictionary, and with all that was found as a prefix."""
    at = data.find(MAGIC)
    while at >= 0:
        frame = data[at:]
        for dictionary in [None, *dictionaries]:
            command = ["zstd", "-dqc"]
            if dictionary:
                command += ["-D", dictionary]
            yield subprocess.run(command, input=frame,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL).stdout
        at = data.find(MAGIC, at + 1)


def find_words(store, words, place):
    """The words that the files of a store have, packed or not."""
    pattern = re.compile(b"|".join(re.escape(w.encode()) for w in
                                   sorted(words, key=len, reverse=True)))
    dictionaries, found = [], set()
    for path in files_of(store):
        if path.endswith(".dict"):
            with open(path, "rb") as f, open(place / "dict", "wb") as out:
                out.write(f.read()[48:])
            dictionaries.append(place / "dict")
    for path in files_of(store):
        with open(path, "rb") as f:
            data = f.read()
        found |= set(pattern.findall(data))
        for text in unpacked(data, dictionaries):
            found |= set(pattern.findall(text))
    return {w.decode() for w in found}


def answers(store, questions):
    commands = ["trace"]
    if "near" in must("index", "-s", store):
        commands += ["near", "quote"]
    return (must("export", "-s", store),
            *(must(command, "-q", "-s", store, questions)
              for command in commands))


def purge_case(place, indexes, purge):
    if shutil.which("zstd") is None:
        raise Skipped("there is no zstd")
    docs, path = make_documents(place)
    gone = [d for d in docs if d["id"] in REMOVED]
    left = [d for d in docs if d["id"] not in REMOVED]
    words = own_words(gone) - own_words(left)
    # A word of a removed document may have been copied by another.
    all_left = json.dumps(left)
    words = {w for w in words if w not in all_left}
    assert len(words) > 50
    store = place / "s"
    must("add", "-q", "-s", store, "--index", indexes, path)
    assert len(find_words(store, words, place)) > len(words) // 2
    must("rm", "-s", store, *REMOVED[:-1])
    if purge:
        must("rm", "-q", "--purge", "-s", store, REMOVED[-1])
    else:
        must("rm", "-s", store, REMOVED[-1])
        before = answers(store, path)
        out = must("compact", "-s", store)
        assert re.search(r"nothing left of \d+ that were removed; \d+ bytes "
                         r"became \d+", out), out
        assert answers(store, path) == before
    assert find_words(store, words, place) == set()
    # Of an id only whole ones count: "d3" is in "d33", too.
    assert not any(b'"d17"' in open(f, "rb").read() for f in files_of(store))
    must("verify", "-s", store)
    assert [json.loads(line)["id"]
            for line in must("export", "-s", store).splitlines()] == \
        [d["id"] for d in left]
    # What comes back is a new document, and the store goes on.
    (place / "again.jsonl").write_text(json.dumps(gone[0]) + "\n")
    must("add", "-q", "-s", store, place / "again.jsonl")
    must("compact", "-q", "-s", store)
    must("verify", "-s", store)
    assert len(must("export", "-s", store).splitlines()) == len(left) + 1


def test_compact(place):
    purge_case(place, INDEXES[0], False)


def test_compact_all_indexes(place):
    purge_case(place, INDEXES[1], False)


def test_purge(place):
    purge_case(place, INDEXES[1], True)


def test_space_is_given_back(place):
    docs, path = make_documents(place, 300)
    store = place / "s"
    must("add", "-q", "-s", store, path)
    must("rm", "-s", store, *{d["id"] for d in docs[30:]} -
         {d["id"] for d in docs[:30]})
    out = must("compact", "-s", store)
    before, after = map(int, re.search(r"(\d+) bytes became (\d+)",
                                       out).groups())
    assert after < before, out
    assert after == sum(os.path.getsize(f) for f in files_of(store))


def test_versions_and_no_texts(place):
    """Versions rest on each other; a store without texts has none."""
    path = place / "v.jsonl"
    base = " ".join("v%d" % i for i in range(400))
    path.write_text("".join(json.dumps({"id": "a%d" % (i % 3),
                                        "text": base + " %d" % i}) + "\n"
                            for i in range(40)))
    for more in ((), ("--no-texts",)):
        store = place / ("s%d" % len(more))
        must("add", "-q", "-s", store, *more, path)
        must("rm", "-s", store, "a1")
        before = must("trace", "-q", "-s", store, path)
        must("compact", "-q", "-s", store)
        must("verify", "-s", store)
        assert must("trace", "-q", "-s", store, path) == before


def test_an_empty_store_and_none(place):
    (place / "none.jsonl").write_text("")
    must("add", "-q", "-s", place / "s", place / "none.jsonl")
    must("compact", "-q", "-s", place / "s")
    must("verify", "-s", place / "s")
    must("compact", "-s", place / "nowhere", status=5)


def test_a_reader_continues_or_gets_an_error(place):
    """One that has the store open while it is compacted."""
    docs, path = make_documents(place)
    store = place / "s"
    must("add", "-q", "-s", store, path)
    reader = subprocess.Popen([ORIGO, "trace", "-q", "-s", store, "-"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    time.sleep(0.3)
    must("rm", "-q", "--purge", "-s", store, "d3")
    out, err = reader.communicate(json.dumps(docs[8]) + "\n")
    if reader.returncode != 0:
        assert reader.returncode == 3 and "compacted" in err, err
    else:
        assert json.loads(out)["id"] == docs[8]["id"]


def test_busy(place):
    docs, path = make_documents(place)
    store = place / "s"
    must("add", "-q", "-s", store, path)
    writer = subprocess.Popen([ORIGO, "add", "-q", "-s", store, "-"],
                              stdin=subprocess.PIPE, text=True)
    for _ in range(200):
        if "process" in (store / "lock").read_text():
            break
        time.sleep(0.02)
    must("compact", "-s", store, status=6)
    writer.communicate("")


def test_killed_at_any_moment(place):
    """The old store or the new one, and the next writer cleans up."""
    docs, path = make_documents(place)
    must("add", "-q", "-s", place / "base", "--index", INDEXES[1], path)
    must("rm", "-s", place / "base", *REMOVED)
    expected = must("export", "-s", place / "base")
    store = place / "s"
    chance = random.Random(5)
    for _ in range(12):
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(place / "base", store)
        child = subprocess.Popen([ORIGO, "compact", "-q", "-s", store])
        time.sleep(chance.random() * 0.06)
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert must("export", "-s", store) == expected
        must("verify", "-s", store)
        must("compact", "-q", "-s", store)
        assert must("export", "-s", store) == expected
        folders = [f for f in os.listdir(store) if f not in
                   ("lock", "origo.conf")]
        assert len(folders) == 1, folders


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
