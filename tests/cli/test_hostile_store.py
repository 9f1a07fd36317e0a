#!/usr/bin/env python3
"""A store's folder that somebody else has made, or a disk has damaged.

usage: tests/cli/test_hostile_store.py ORIGO

Links in place of the files and folders of a store: no command writes to what
they lead to. A catalogue that was cut or changed after a kill: every command
says so or gives the right answer; none ends by a signal."""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ORIGO = os.path.abspath(sys.argv[1])
failures = []


def check(what, is_true, more=""):
    print("%s hostile store: %s" % ("ok" if is_true else "FAILED", what))
    if not is_true:
        failures.append(what)
        print("    " + str(more)[:2000].replace("\n", "\n    "))


def origo(*arguments, stdin=b""):
    return subprocess.run([ORIGO, *map(str, arguments)], input=stdin,
                          capture_output=True, timeout=60)


def documents(n, seed):
    r, texts = random.Random(seed), []
    for i in range(n):
        words = ["w%d" % r.randrange(900) for _ in range(24)]
        if i % 3 == 2:
            words[4:4] = texts[r.randrange(i)][:16]
        texts.append(words)
    return "".join(json.dumps({"id": "%d-%d" % (seed, i), "time": i + 1,
                               "text": " ".join(t) + "."}) + "\n"
                   for i, t in enumerate(texts)).encode()


def make_store(path, n):
    """With all its indexes; two processes, so that there are two journals."""
    for seed in (1, 2):
        done = origo("add", "-q", "--memory", "64Ki", "-s", path, "-",
                     stdin=documents(n, seed))
        assert done.returncode == 0, done.stderr
    for command in ("near", "quote"):
        done = origo(command, "-q", "--add", "-s", path, "-",
                     stdin=documents(4, 3))
        assert done.returncode == 0, done.stderr


def run_all(store):
    """(command, status) of all that open a store, those that read first."""
    more = documents(3, 4)
    for command in (["info"], ["verify"], ["export"], ["trace", "-q", "-"],
                    ["near", "-q", "-"], ["quote", "-q", "-"],
                    ["rm", "1-0"], ["near", "-q", "--add", "-"],
                    ["quote", "-q", "--add", "-"], ["trace", "-q", "--add", "-"],
                    ["add", "-q", "-"]):
        done = origo(command[0], "-s", store, *command[1:], stdin=more)
        yield " ".join(command), done.returncode, done.stderr.decode()


def look(victim):
    """All that is there, with its bytes."""
    return sorted((p.relative_to(victim).as_posix(),
                   p.read_bytes() if p.is_file() else b"")
                  for p in victim.rglob("*"))


FILES = ["catalogue/lock.mdb", "catalogue/data.mdb", "catalogue.sum", "lock",
         "origo.conf", "passages.tab", "journal/000001.jnl",
         "journal/000002.jnl", "journal/000003.jnl", "texts/000001.seg",
         "texts/000003.seg", "near/lock", "near/index", "near/journal",
         "near/manifest", "near/segment-1",
         "sentences/lock", "sentences/manifest"]
FOLDERS = ["catalogue", "journal", "texts", "near", "sentences"]


def test_links(place):
    make_store(place / "sound", 20)
    wrong = []
    for name in FILES + FOLDERS:
        store, victim = place / "store", place / "victim"
        shutil.rmtree(store, ignore_errors=True)
        shutil.rmtree(victim, ignore_errors=True)
        shutil.copytree(place / "sound", store)
        target = store / name
        victim.mkdir()
        (victim / "mine").write_bytes(b"mine, and not to be written\n" * 400)
        if name in FOLDERS:
            shutil.move(target, victim / "folder")
            target.symlink_to(victim / "folder")
        else:
            target.unlink(missing_ok=True)
            target.symlink_to(victim / "mine")
        before = look(victim)
        for command, status, said in run_all(store):
            if look(victim) != before:
                wrong.append("%s: %s wrote through it" % (name, command))
                break
            if status < 0 or "Sanitizer" in said:
                wrong.append("%s: %s: %d %s" % (name, command, status, said))
    check("no link is written through", not wrong, "\n".join(wrong))


def test_hard_links(place):
    """What is written in place must have no other name; to read does no harm."""
    make_store(place / "sound", 20)
    wrong = []
    for name in FILES:
        if not (place / "sound" / name).is_file():
            continue
        store, victim = place / "store", place / "victim"
        shutil.rmtree(store, ignore_errors=True)
        shutil.rmtree(victim, ignore_errors=True)
        shutil.copytree(place / "sound", store)
        victim.mkdir()
        os.link(store / name, victim / "mine")
        before = look(victim)
        for command, status, said in run_all(store):
            if look(victim) != before:
                wrong.append("%s: %s wrote to it" % (name, command))
                break
            if status < 0 or "Sanitizer" in said:
                wrong.append("%s: %s: %d %s" % (name, command, status, said))
            if status != 0 and command in ("info", "verify", "export"):
                wrong.append("%s: %s refused: %s" % (name, command, said))
    check("no second name is written to", not wrong, "\n".join(wrong))


def kill(store):
    """As a kill leaves it: no sums, no word that the end was reached."""
    (store / "catalogue.sum").unlink()
    journal = sorted((store / "journal").iterdir())[-1]
    os.truncate(journal, journal.stat().st_size - 32)
    lock = (store / "lock").read_bytes()
    (store / "lock").write_bytes(lock.split(b"safe")[0])


def test_damage(place, name, n_tries, damage):
    """`damage(bytes, r)` changes a catalogue; an export is right or refused."""
    sound = place / "sound"
    make_store(sound, 900)
    origo("rm", "-s", sound, "1-5")  # all entries go to the catalogue first
    origo("add", "-q", "-s", sound, "-", stdin=documents(20, 5))
    expected = origo("export", "-s", sound).stdout
    kill(sound)
    assert origo("export", "-s", sound).stdout == expected
    r, wrong, n_refused = random.Random(6), [], 0
    data = (sound / "catalogue/data.mdb").read_bytes()
    asked = documents(3, 1)
    answers = origo("trace", "-q", "-s", sound, "-", stdin=asked).stdout
    for i in range(n_tries):
        (sound / "catalogue/data.mdb").write_bytes(damage(data, r))
        done = origo("export", "-s", sound)
        n_refused += done.returncode == 4
        if not (done.returncode == 4 or
                (done.returncode == 0 and done.stdout == expected)):
            wrong.append("%d: export %d %s" % (i, done.returncode, done.stderr))
        done = origo("trace", "-q", "-s", sound, "-", stdin=asked)
        if not (done.returncode == 4 or
                (done.returncode == 0 and done.stdout == answers)):
            wrong.append("%d: trace %d %s" % (i, done.returncode, done.stderr))
    check("a catalogue that was %s after a kill (%d of %d refused)" % (
        name, n_refused, n_tries), not wrong and n_refused > n_tries / 4,
        "\n".join(wrong[:20]))


def large_documents(n):
    """Long titles, so that the catalogue is long and the rest is not."""
    r = random.Random(8)
    for i in range(n):
        words = ["w%d" % r.randrange(900) for _ in range(24)]
        yield json.dumps({"id": "l%d" % i, "time": i + 1,
                          "title": ("title %d " % i) * 24000,
                          "text": " ".join(words) + "."}) + "\n"


def test_large(place):
    """Of a catalogue above 64 MiB not every byte is read before it is used:
    closed in order and after a kill, cut, changed, overwritten."""
    sound, damaged = place / "sound", place / "damaged"
    done = origo("add", "-q", "--memory", "64Ki", "-s", sound, "-",
                 stdin="".join(large_documents(320)).encode())
    assert done.returncode == 0, done.stderr
    origo("rm", "-s", sound, "l5")  # all entries go to the catalogue first
    path = sound / "catalogue/data.mdb"
    assert path.stat().st_size > 64 << 20, path.stat().st_size
    expected = origo("export", "-s", sound).stdout
    data, r, wrong, n_refused = path.read_bytes(), random.Random(9), [], 0
    for i in range(12):
        shutil.rmtree(damaged, ignore_errors=True)
        shutil.copytree(sound, damaged)
        if i % 2:
            kill(damaged)
        harm = (cut, flip, lose_a_page)[i // 2 % 3]
        (damaged / "catalogue/data.mdb").write_bytes(harm(data, r))
        for command in ("export", "verify", "info"):
            done = origo(command, "-s", damaged)
            n_refused += done.returncode == 4
            if done.returncode not in (0, 4) or (
                    command == "export" and done.returncode == 0 and
                    done.stdout != expected):
                wrong.append("%d %s: %s: %d %s" % (
                    i, harm.__name__, command, done.returncode, done.stderr))
    check("a catalogue above 64 MiB (%d refused)" % n_refused,
          not wrong and n_refused > 6, "\n".join(wrong))


def cut(data, r):
    return data[:r.choice((0, 1, 4096)) + r.randrange(len(data))]


def flip(data, r):
    """In a page that is in use, most likely."""
    changed = bytearray(data)
    for _ in range(r.choice((1, 1, 8))):
        at = r.randrange(8192, len(data))
        changed[at] ^= 1 << r.randrange(8)
    return bytes(changed)


def lose_a_page(data, r):
    changed = bytearray(data)
    at = r.randrange(2, len(data) // 4096) * 4096
    changed[at:at + 4096] = r.choice((bytes(4096), changed[8192:12288]))
    return bytes(changed)


def main():
    with tempfile.TemporaryDirectory(prefix="origo-hostile-") as folder:
        for name in ("links", "names", "cut", "changed", "overwritten",
                     "large"):
            (pathlib.Path(folder) / name).mkdir()
        base = pathlib.Path(folder)
        test_links(base / "links")
        test_hard_links(base / "names")
        test_damage(base / "cut", "cut", 40, cut)
        test_damage(base / "changed", "changed", 80, flip)
        test_damage(base / "overwritten", "overwritten", 40, lose_a_page)
        test_large(base / "large")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
