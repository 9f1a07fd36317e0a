#!/usr/bin/env python3
"""Every store that an earlier version of origo wrote must open, verify, give
its documents back, answer, and take more: tests/golden/check_stores.py ORIGO

Prints 'ok NAME' or 'FAILED NAME' for each check."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def run(command, stdin=None):
    done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def checks(origo, store, expected):
    """(name, what is wrong or "") one by one."""
    documents = [row for row in expected if "question" not in row]
    questions = [row for row in expected if "question" in row]
    status, out = run([origo, "verify", "-s", store])
    yield "verify", "" if status == 0 else out
    status, out = run([origo, "export", "-s", store])
    same = status == 0 and [json.loads(l) for l in out.splitlines()] == \
        documents
    yield "export", "" if same else out
    for number, q in enumerate(questions):
        asked = json.dumps({"id": "?", "text": q["question"]}) + "\n"
        status, out = run([origo, "trace", "-q", "-s", store, "-"], asked)
        origins = {span["origin"]["id"] for span in
                   json.loads(out)["spans"]} if status == 0 else set()
        yield "answer %d" % (number + 1), "" if q["origin"] in origins else out
    more = json.dumps(dict(documents[0], id="more")) + "\n"
    status, out = run([origo, "add", "-q", "-s", store, "-"], more)
    if status == 0:
        status, out = run([origo, "verify", "-s", store])
    yield "add", "" if status == 0 else out
    status, out = run([origo, "export", "-s", store])
    yield "export after add", "" if out.count("\n") == len(documents) + 1 \
        else out


def unpack(name, folder):
    """Two functions: the path of a file of NAME.tar.xz; what is wrong when a
    command does not print the same as such a file."""
    def at(name):
        return os.path.join(folder, name)

    def answers(command, expected):
        status, out = run(command)
        with open(at(expected)) as f:
            return "" if status == 0 and out == f.read() else out or "nothing"

    with tarfile.open(os.path.join(HERE, name + ".tar.xz")) as packed:
        packed.extractall(folder)
    return at, answers


def flip(path, at):
    with open(path, "r+b") as f:
        f.seek(at)
        byte = f.read(1)
        f.seek(at)
        f.write(bytes([byte[0] ^ 1]))


def index_checks(origo, folder):
    """Indexes of the layouts before segments (lib/disk/segment_file.h): two of
    Hamming codes, one of sentences in a store, and what they answered then."""
    at, answers = unpack("indexes-1", folder)
    for name in ("hamming-1", "hamming-2"):
        ask = [origo, "hamming", "ask", at(name), at("codes.tsv")]
        yield name + ": ask", answers(ask, "hamming.tsv")
        status, out = run([origo, "hamming", "add", "-q", at(name),
                           at("codes.tsv")])
        yield name + ": add", "" if status == 0 else out
        yield name + ": ask after add", answers(ask, "hamming.tsv")
        with open(at(name + "/manifest")) as f:
            first = f.readline()
        yield name + ": is new", "" if first == "origo hamming 3\n" else first
    quote = [origo, "quote", "-q", "-s", at("store"), "--format", "json",
             at("d.jsonl")]
    yield "sentences: quote", answers(quote, "quote.json")
    status, out = run([origo, "verify", "-s", at("store")])
    yield "sentences: verify", "" if status == 0 else out
    flip(at("store/sentences/image-1"), 1000)
    status, out = run([origo, "verify", "-s", at("store")])
    yield "sentences: damage", "" if status == 4 and "image-1" in out else out


def near_checks(origo, folder):
    """Two indexes of near-duplicates before they had segments, one with room
    and one that is full, and what they answered then."""
    at, answers = unpack("indexes-2", folder)
    for name in ("near-roomy", "near-full"):
        store = at(name)
        old, new = at(name + "/near/index"), at(name + "/near/manifest")
        ask = [origo, "near", "-q", "-t", "0.5", "-s", store, at("d.jsonl")]
        yield name + ": near", answers(ask, name + ".json")
        status, out = run([origo, "verify", "-s", store])
        yield name + ": verify", "" if status == 0 else out
        # Documents that are more than an index may be behind its files.
        many = "".join(json.dumps({"id": str(i), "text": "%d " % i * 4}) + "\n"
                       for i in range(4100))
        for step in ("", json.dumps({"id": "last", "text": "one two"}) + "\n"):
            status, out = run([origo, "add", "-q", "--type", "jsonl", "-s",
                               store, "-"], step or many)
            yield name + ": add", "" if status == 0 else out
        yield name + ": is new", "" if os.path.exists(new) and \
            not os.path.exists(old) else " ".join(os.listdir(store + "/near"))
        if name == "near-roomy":
            yield name + ": near after that", answers(ask, name + ".json")
        status, out = run([origo, "verify", "-s", store])
        yield name + ": verify after that", "" if status == 0 else out
        flip(at(name + "/near/segment-1"), 100)
        status, out = run([origo, "verify", "-s", store])
        yield name + ": damage", "" if status == 4 and "segment-1" in out \
            else out


def tell(name, what, wrong):
    print("%s %s: %s" % ("FAILED" if wrong else "ok", name, what))
    if wrong:
        print("  " + wrong.replace("\n", "\n  "))
    return bool(wrong)


def main():
    origo, failed, n = os.path.abspath(sys.argv[1]), False, 0
    for name in sorted(os.listdir(HERE)):
        if not name.startswith("store-") or name.endswith(".jsonl"):
            continue
        n += 1
        with open(os.path.join(HERE, name + ".jsonl")) as f:
            expected = [json.loads(line) for line in f]
        with tempfile.TemporaryDirectory(prefix="origo-golden-") as folder:
            store = os.path.join(folder, "store")
            shutil.copytree(os.path.join(HERE, name), store)
            for what, wrong in checks(origo, store, expected):
                failed |= tell(name, what, wrong)
    for name, checked in (("indexes-1", index_checks),
                          ("indexes-2", near_checks)):
        with tempfile.TemporaryDirectory(prefix="origo-golden-") as folder:
            for what, wrong in checked(origo, folder):
                failed |= tell(name, what, wrong)
    if n == 0:
        print("FAILED golden stores: there are none")
    return 1 if failed or n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
