#!/usr/bin/env python3
"""Makes the golden store of this format version, once, when the version is new:

    tests/golden/make_store.py BUILD

writes tests/golden/store-1 with a checkpoint, a catalogue with a batch, a
journal behind both, texts with versions, a removed document (a dictionary would
be larger than all of it); and store-1.jsonl: what an export must give, then the questions with the ids of
the origins that an answer must name. It is never made again: later versions of
origo must read the bytes that this one wrote (tests/golden/check_stores.py)."""

import json
import os
import random
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = 1
WORDS = ("harbour lamp market apple window rain cart letter stone river bell "
         "winter tower glass bread road signal copper garden storm paper boat "
         "candle bridge clock salt forest wheel ladder field mirror smoke"
         ).split()


def make_documents():
    """Sentences of numbered words; every fourth document copies from an older
    one, some come late and are older, one is a new version."""
    r, docs = random.Random(1), []
    for i in range(24):
        words = ["%s%d" % (r.choice(WORDS), r.randrange(40))
                 for _ in range(45)]
        if i % 4 == 3:
            words[20:20] = docs[i - 3]["text"].split()[5:35]
        docs.append({"id": "doc-%d" % (10 if i == 18 else i),
                     "time": 1700000000 + 3600 * (i - (12 if i == 14 else 0)),
                     "title": "Title %d" % i, "text": " ".join(words),
                     "lang": "none"})
    return docs


def main():
    build = sys.argv[1]
    origo = os.path.join(build, "tests/crash/origo-small")
    probe = os.path.join(build, "tests/crash/probe")
    store = os.path.join(HERE, "store-%d" % VERSION)
    if os.path.exists(store):
        sys.exit("%s is there: a golden store is made once" % store)
    docs, path = make_documents(), os.path.join(HERE, "input.jsonl")

    def add(part):
        with open(path, "w") as f:
            f.writelines(json.dumps(doc) + "\n" for doc in part)
        subprocess.run([origo, "add", "-q", "-s", store, "--memory", "8Ki",
                        "--preset", "prose", path], check=True)

    add(docs[:20])
    subprocess.run([origo, "rm", "-s", store, "doc-5"], check=True)
    subprocess.run([probe, "checkpoint", store, path], check=True)
    add(docs[20:])
    os.remove(path)
    os.remove(os.path.join(store, "catalogue/lock.mdb"))
    expected = subprocess.run([origo, "export", "-s", store], check=True,
                              stdout=subprocess.PIPE).stdout.decode()
    questions = [{"question": docs[i]["text"], "origin": docs[i]["id"]}
                 for i in (2, 18, 21)]
    with open(store + ".jsonl", "w") as f:
        f.write(expected)
        f.writelines(json.dumps(q) + "\n" for q in questions)
    os.remove(os.path.join(store, "catalogue/lock.mdb"))


if __name__ == "__main__":
    main()
