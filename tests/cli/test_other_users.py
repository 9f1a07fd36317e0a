#!/usr/bin/env python3
"""Readers who may not write: another user, a folder without the right to write.

usage: tests/cli/test_other_users.py ORIGO [CASE...]

As root these readers are 'nobody'; as any other user the cases that need
another one are skipped by name."""

import json
import os
import pwd
import random
import shutil
import subprocess
import sys
import threading

from dedup_support import ORIGO, Skipped, origo, run_cases

INDEXES = "passages,near,sentences"


def documents(first, n):
    """The same for every call; a third copies from an earlier one."""
    out = []
    for i in range(first, first + n):
        source = random.Random(i // 3)
        own = random.Random(1000 + i)
        words = ["s%d" % source.randrange(5000) for _ in range(20)]
        words += ["w%d" % own.randrange(5000) for _ in range(20)]
        out.append({"id": "d%d" % i, "time": i, "text": " ".join(words) + "."})
    return out


def jsonl(docs):
    return "".join(json.dumps(d) + "\n" for d in docs).encode()


def must(*arguments, **options):
    done = origo(*arguments, **options)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout


def become(user):
    entry = pwd.getpwnam(user)

    def change():
        os.setgroups([])
        os.setgid(entry.pw_gid)
        os.setuid(entry.pw_uid)
    return change


def reader(place):
    """How origo is called by somebody who may read and not write: options of
    subprocess."""
    if os.getuid() != 0:
        raise Skipped("needs root, to become another user")
    try:
        change = become("nobody")
    except KeyError:
        raise Skipped("there is no user nobody") from None
    os.chmod(place, 0o755)
    probe = subprocess.run([ORIGO, "--version"], capture_output=True,
                           preexec_fn=change, cwd="/")
    if probe.returncode != 0:
        raise Skipped("nobody may not run origo where it is")
    return {"preexec_fn": change, "cwd": "/"}


def look(folder):
    return sorted((p.relative_to(folder).as_posix(), p.stat().st_mtime_ns,
                   p.read_bytes() if p.is_file() else b"")
                  for p in [folder, *folder.rglob("*")])


QUESTIONS = (["info"], ["verify"], ["export"], ["index"],
             ["trace", "-q", "-f", "json", "-"], ["near", "-q", "-"],
             ["quote", "-q", "-"])


def ask(store, question, **options):
    return origo(question[0], "-s", store, *question[1:],
                 input=jsonl(documents(1, 4)), **options)


def test_answers_are_the_owners(place):
    nobody, store = reader(place), place / "store"
    for first in (0, 60):
        must("add", "-q", "--memory", "64Ki", "--index", INDEXES, "-s", store,
             "-", input=jsonl(documents(first, 60)))
    must("rm", "-s", store, "d7")
    for writable in (True, False):
        expected = {q[0]: ask(store, q).stdout for q in QUESTIONS}
        before = look(store)
        for q in QUESTIONS:
            done = ask(store, q, **nobody)
            assert done.returncode == 0, (q, done.stderr)
            assert done.stdout == expected[q[0]], (q, done.stdout)
        assert look(store) == before
        done = origo("add", "-q", "-s", store, "-", input=b"{}", **nobody)
        assert done.returncode == 3 and b"ermission" in done.stderr, done
        # A copy that never had LMDB's lock file, nor a lock.
        if writable:
            copy = place / "copy"
            shutil.copytree(store, copy)
            (copy / "catalogue/lock.mdb").unlink()
            (copy / "lock").unlink()
            store = copy
    done = origo("info", "-s", place / "store", **nobody)
    assert done.returncode == 0, done
    os.chmod(place / "store/catalogue/data.mdb", 0o600)
    done = origo("info", "-s", place / "store", **nobody)
    assert done.returncode == 3 and b"data.mdb" in done.stderr, done


def own(store, uid, gid, mode):
    """All of it; files without the right to run."""
    for path in [store, *store.rglob("*")]:
        os.chown(path, uid, gid)
        os.chmod(path, mode if path.is_dir() else mode & 0o666)


def test_a_stranger_does_not_write(place):
    """A store that somebody else has put there, open to everybody, is asked and
    never written to; that of a group is written to by its members."""
    nobody, store = reader(place), place / "store"
    stranger, group = 54321, pwd.getpwnam("nobody").pw_gid
    must("add", "-q", "--index", INDEXES, "-s", store, "-",
         input=jsonl(documents(0, 20)))
    own(store, stranger, stranger, 0o777)
    before = look(store)
    for command in (["add", "-q", "-"], ["trace", "-q", "--add", "-"],
                    ["near", "-q", "--add", "-"], ["rm", "d1"], ["compact"],
                    ["index", "--drop", "near"]):
        done = origo(command[0], "-s", store, *command[1:],
                     input=jsonl(documents(30, 2)), **nobody)
        assert done.returncode == 3, (command, done)
        assert b"belongs to user 54321" in done.stderr, (command, done.stderr)
        assert look(store) == before, command
    for question in QUESTIONS:
        done = ask(store, question, **nobody)
        assert done.returncode == 0, (question, done.stderr)
    assert look(store) == before
    own(store, stranger, group, 0o770)
    must("add", "-q", "-s", store, "-", input=jsonl(documents(30, 2)), **nobody)
    must("add", "-q", "-s", store, "-", input=jsonl(documents(40, 2)))  # root


def write_on(store, n_rounds, removed, is_done, faults):
    """One process after the other; a removal brings entries to the catalogue,
    where pages are used again from the third batch on."""
    try:
        for i in range(1, n_rounds + 1):
            must("add", "-q", "-s", store, "-", input=jsonl(documents(20 * i, 20)))
            removed.append("d%d" % (20 * i - 7))
            must("rm", "-s", store, removed[-1])
    except Exception as fault:
        faults.append(fault)
    is_done.set()


def is_some_state(exported, removed, n_most):
    ids = [json.loads(line)["id"] for line in exported.splitlines()]
    n = 1 + int(ids[-1][1:])
    return n <= n_most and any(
        ids == [d for d in map("d%d".__mod__, range(n))
                if d not in removed[:r]]
        for r in range(len(removed) + 1))


def test_while_another_writes(place):
    """Every answer is that of a state that was committed; nobody waits."""
    nobody, store = reader(place), place / "store"
    n_rounds = 12
    must("add", "-q", "--memory", "64Ki", "--index", INDEXES, "-s", store, "-",
         input=jsonl(documents(0, 20)))
    removed, faults, is_done = [], [], threading.Event()
    writer = threading.Thread(
        target=write_on, args=(store, n_rounds, removed, is_done, faults))
    writer.start()
    n_asked = 0
    try:
        while not is_done.is_set():
            for q in QUESTIONS:
                done = ask(store, q, **nobody)
                assert done.returncode == 0, (q, done.returncode, done.stderr)
                n_asked += 1
                if q[0] == "export":
                    assert is_some_state(done.stdout, list(removed),
                                         20 * (n_rounds + 1)), done.stdout
                if q[0] == "trace":
                    answers = [json.loads(a) for a in done.stdout.splitlines()]
                    assert len(answers) == 4, answers
    finally:
        writer.join()
    assert not faults, faults
    assert n_asked >= len(QUESTIONS)
    must("verify", "-s", store)


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
