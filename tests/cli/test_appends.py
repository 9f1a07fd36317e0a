#!/usr/bin/env python3
"""Many small appends, each by a process of its own: few files, one sync, and
the same store as one run makes.

usage: tests/cli/test_appends.py ORIGO [CASE...] | ORIGO --soak

--soak prints what 4,000 of them cost, with one index and with all."""

import json
import os
import random
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

from dedup_support import ORIGO, Skipped, origo, run_cases

N_APPENDS = 120
MOST_FILES = 49
ALL = ("--index", "passages,near,sentences", "--memory", "4Mi")
WORDS = ["w%d" % i for i in range(700)]


def must(*arguments):
    done = origo(*arguments)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout


def write_documents(place, n):
    """Each copies a passage of an earlier one; some are new versions."""
    chance = random.Random(7)
    texts, files = [], []
    for i in range(n):
        new = " ".join(chance.choices(WORDS, k=chance.randint(3, 60)))
        old = chance.choice(texts)[:200] if texts else ""
        texts.append("%s. %s." % (new, old))
        path = place / ("%03d.jsonl" % i)
        path.write_text(json.dumps(
            {"id": "d%d" % (i if i % 10 else i // 20), "text": texts[-1],
             "time": "20%02d-01-01" % chance.randint(0, 20)}) + "\n")
        files.append(path)
    return files


def files_of(store):
    return [os.path.join(folder, name)
            for folder, _, names in os.walk(store) for name in names]


def answers(store, questions):
    return (must("export", "-s", store),
            *(must(command, "-q", "-s", store, *questions)
              for command in ("trace", "near", "quote")))


def test_few_files_and_the_same_store(place):
    files = write_documents(place, N_APPENDS)
    for i, path in enumerate(files):
        must("add", "-q", "-s", place / "many", *ALL, path)
        assert len(files_of(place / "many")) <= MOST_FILES, i
    must("add", "-q", "-s", place / "once", *ALL, *files)
    must("verify", "-s", place / "many")
    assert answers(place / "many", files[::9]) == \
        answers(place / "once", files[::9])


def test_removals_too(place):
    files = write_documents(place, 30)
    must("add", "-q", "-s", place / "many", *ALL, *files)
    for i in range(1, 30, 2):
        must("rm", "-s", place / "many", "d%d" % i)
    must("verify", "-s", place / "many")
    assert len(files_of(place / "many")) <= 12, files_of(place / "many")


def test_one_sync(place):
    if shutil.which("strace") is None:
        raise Skipped("there is no strace")
    files = write_documents(place, 6)
    must("add", "-q", "-s", place / "s", *ALL, *files[:3])
    for path in files[3:]:
        log = place / "log"
        done = subprocess.run(
            ["strace", "-f", "-o", log, "-e",
             "trace=fsync,fdatasync,msync,syncfs,sync", ORIGO, "add", "-q",
             "-s", place / "s", path], capture_output=True, text=True)
        if "ptrace" in done.stderr:
            raise Skipped("strace may not watch a process")
        assert done.returncode == 0, done.stderr
        syncs = re.findall(r"(\w*sync\w*)\(", log.read_text())
        assert syncs == ["fdatasync"], syncs


def test_a_journal_of_before_is_followed(place):
    """One of version 1 is not continued, its records count."""
    here = os.path.dirname(os.path.abspath(__file__))
    old = os.path.join(here, "..", "golden", "store-1")
    if not os.path.isdir(old):
        raise Skipped("there is no store of version 1")
    shutil.copytree(old, place / "s")
    before = must("export", "-s", place / "s").splitlines()
    for path in write_documents(place, 3):
        must("add", "-q", "-s", place / "s", path)
    must("verify", "-s", place / "s")
    after = must("export", "-s", place / "s").splitlines()
    assert after[:len(before)] == before and len(after) == len(before) + 3


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def soak(n=4000):
    print("indexes\tappends\tmost files\tCPU ms each\tworst CPU ms")
    for name, options in (("passages", ("--memory", "512Mi")), ("all", ALL)):
        with tempfile.TemporaryDirectory(prefix="origo-soak-") as folder:
            place = pathlib.Path(folder)
            began, most, worst = cpu_seconds(), 0, 0.0
            for path in write_documents(place, n):
                before = cpu_seconds()
                must("add", "-q", "-s", place / "s", *options, path)
                worst = max(worst, cpu_seconds() - before)
                most = max(most, len(files_of(place / "s")))
            spent = (cpu_seconds() - began) / n
            print("%s\t%d\t%d\t%.1f\t%.0f" % (name, n, most, 1e3 * spent,
                                               1e3 * worst), flush=True)
            if most > MOST_FILES:
                return 1
    return 0


if __name__ == "__main__":
    if sys.argv[2:] == ["--soak"]:
        sys.exit(soak())
    sys.exit(run_cases(sys.modules[__name__]))
