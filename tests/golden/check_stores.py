#!/usr/bin/env python3
"""Every store that an earlier version of origo wrote must open, verify, give
its documents back, answer, and take more: tests/golden/check_stores.py ORIGO

Prints 'ok NAME' or 'FAILED NAME' for each check."""

import json
import os
import shutil
import subprocess
import sys
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
                print("%s %s: %s" % ("FAILED" if wrong else "ok", name, what))
                if wrong:
                    failed = True
                    print("  " + wrong.replace("\n", "\n  "))
    if n == 0:
        print("FAILED golden stores: there are none")
    return 1 if failed or n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
