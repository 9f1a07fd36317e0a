"""Journals with other ends, versions to come, disks that are full or read-only,
and others at the same store: writers, readers, cp, signals."""

import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time

from bench import Failure, count_lines, must


def said_by(command, expected, pattern, **how):
    """It ends with one of these statuses and says what matches."""
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, **how)
    said = done.stderr.decode()
    if done.returncode not in expected or not re.search(pattern, said):
        raise Failure("status %d of %s: '%s', not %s and '%s'" % (
            done.returncode, " ".join(command), said, expected, pattern))
    return said


def last_journal(store):
    folder = os.path.join(store, "journal")
    return os.path.join(folder, sorted(os.listdir(folder))[-1])


# ---- journals -----------------------------------------------------------------

def journal_with_garbage(bench):
    """Behind the last record anything may stand: it is told and left alone."""
    base = bench.make("tail.base", 30)
    tails = [b"\0", b"x" * 31, bytes(32), bytes(4096),
             bench.random.randbytes(1000), bench.random.randbytes(70000)]
    for tail in tails:
        store = bench.fresh("tail.store")
        shutil.copytree(base, store)
        with open(last_journal(store), "ab") as f:
            f.write(tail)
        bench.check_state(store, bench.stream.done[30][0])
        said = must([bench.origo, "verify", "-s", store]).stdout.decode()
        if "%d bytes of a write" % len(tail) not in said:
            raise Failure("verify does not tell of the tail: " + said)
        bench.check_state(store, bench.stream.done[30][0], "checkpoint")
    return "%d tails" % len(tails)


def journal_cut_after_kill(bench):
    """Without an end in order, a shorter journal is a shorter store: a prefix,
    sound, that can go on."""
    store, lengths = bench.fresh("cut.base"), 0
    path = bench.path("input.jsonl")
    lines, _ = bench.stream.adds_from(0)
    child = subprocess.Popen(bench.add(store, "-"), stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    child.stdin.write(("\n".join(lines[:10]) + "\n").encode())
    child.stdin.flush()
    for _ in range(min(10, len(lines))):
        child.stdout.readline()
    child.kill()
    child.wait()
    length = os.path.getsize(last_journal(store))
    step = 8 if bench.full else max(1, length // 12)
    for at in range(0, length, step):
        copy = bench.fresh("cut.store")
        shutil.copytree(store, copy)
        os.truncate(last_journal(copy), at)
        try:
            bench.check_state(copy, 0)
        except Failure as e:
            if "status 4" not in str(e):
                raise
        lengths += 1
    return "%d lengths" % lengths


def newer_versions(bench):
    base = bench.make("newer.base", 60)
    bench.state(base, "checkpoint")
    segments = sorted(os.listdir(os.path.join(base, "texts")))
    segment = next(s for s in segments if s.endswith(".seg"))
    files = [("passages.tab", 8, 88),
             (os.path.relpath(last_journal(base), base), 8, 56),
             (os.path.join("texts", segment), 4, 0),
             ("origo.conf", 0, 0)]
    for name, off, length in files:
        store = bench.fresh("newer.store")
        shutil.copytree(base, store)
        path = os.path.join(store, name)
        if name == "origo.conf":
            text = open(path).read().replace("\nversion 1\n", "\nversion 2\n")
            open(path, "w").write(text)
        else:
            must([bench.probe, "newer", path, str(off), str(length)])
        said_by([bench.origo, "verify", "-s", store], (4,),
                re.escape(os.path.basename(name)) + r".*(version|format) [23]")
    return "%d files" % len(files)


# ---- disks --------------------------------------------------------------------

def mount(*args):
    done = subprocess.run(["mount", *args], stderr=subprocess.PIPE)
    return done.returncode == 0


def read_only_disk(bench):
    store = bench.make("solid.store", 40)
    folder = bench.fresh("solid.mount")
    os.makedirs(folder)
    if not mount("--bind", store, folder):
        return "not run: mount is not allowed here"
    try:
        if not mount("-o", "remount,bind,ro", folder):
            return "not run: mount is not allowed here"
        bench.check_state(folder, bench.stream.done[40][0])
        said_by(bench.add(folder, bench.stream.queries), (3, 4),
                "(?i)read-only")
        said_by([bench.origo, "rm", "-s", folder, "doc-1"], (3, 4),
                "(?i)read-only")
        said_by(bench.add(os.path.join(folder, "new"), bench.stream.queries),
                (3, 4), "(?i)read-only")
    finally:
        subprocess.run(["umount", folder])
    return "read, not written"


def full_disk(bench):
    folder = bench.fresh("full.mount")
    os.makedirs(folder)
    sizes = ("64k", "256k", "400k", "600k", "800k")
    for size in sizes:
        if not mount("-t", "tmpfs", "-o", "size=" + size, "tmpfs", folder):
            return "not run: mount is not allowed here"
        try:
            fill_disk(bench, folder)
        finally:
            subprocess.run(["umount", folder])
    return "%d sizes" % len(sizes)


def fill_disk(bench, folder):
    store, at, out = os.path.join(folder, "store"), 0, bench.path("answers")
    path = bench.path("input.jsonl")
    while at < len(bench.stream.steps):
        lines, end = bench.stream.adds_from(at)
        command = bench.add(store, path) if lines else \
            [bench.origo, "rm", "-s", store, bench.stream.steps[at][1]]
        bench.stream.write_adds(at, end, path)
        with open(out, "wb") as answers:
            done = subprocess.run(command, stdout=answers,
                                  stderr=subprocess.PIPE)
        said = done.stderr.decode()
        least = bench.stream.done[at][0] + (count_lines(out) if lines else 0)
        if done.returncode != 0:
            if done.returncode not in (3, 4) or \
                    "no space left" not in said.lower():
                raise Failure("status %d: %s" % (done.returncode, said))
            if os.path.exists(os.path.join(store, "origo.conf")):
                copy = bench.fresh("full.copy")
                shutil.copytree(store, copy)
                bench.check_state(copy, least)
            elif least > 0:
                raise Failure("no store, but %d documents" % least)
            return
        at = end if lines else at + 1


# ---- others -------------------------------------------------------------------

class Writer:
    """Adds the whole stream, over and over, until it is told to stop."""

    def __init__(self, bench, name):
        self.bench, self.is_stopped, self.failure = bench, False, None
        self.store, self.n_rounds = bench.fresh(name), 0
        self.thread = threading.Thread(target=self.guarded)
        self.at = 0
        self.step()
        self.thread.start()

    def step(self):
        bench, at = self.bench, self.at
        lines, end = bench.stream.adds_from(at)
        path = bench.path("writer.jsonl")
        if lines:
            end = min(end, at + 25)
            bench.stream.write_adds(at, end, path)
            must(bench.add(self.store, path))
        else:
            must([bench.origo, "rm", "-s", self.store,
                  bench.stream.steps[at][1]])
            end = at + 1
        self.at = end

    def guarded(self):
        try:
            while not self.is_stopped and self.at < len(self.bench.stream.steps):
                self.step()
        except Exception as e:
            self.failure = e

    def end(self):
        self.is_stopped = True
        self.thread.join()
        if self.failure:
            raise self.failure


def two_writers(bench):
    store = bench.make("two.store", 5)
    child = subprocess.Popen(bench.add(store, "-"), stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    try:
        child.stdin.write(bench.stream.steps[5][1].encode() + b"\n")
        child.stdin.flush()
        child.stdout.readline()
        said_by(bench.add(store, bench.stream.queries), (6,),
                r"in use by process %d \(" % child.pid)
        said_by([bench.origo, "rm", "-s", store, "doc-1"], (6,),
                r"process %d" % child.pid)
        must([bench.origo, "verify", "-s", store])
    finally:
        child.stdin.close()
        child.wait()
    must(bench.add(store, bench.stream.queries))
    return "the message names who holds the lock"


def readers_and_writer(bench):
    """Each reader sees a prefix, whole. Rounds until the time is over."""
    seconds, n_looks, seen = 20 if bench.full else 3, 0, set()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        writer = Writer(bench, "shared.store")
        try:
            while writer.thread.is_alive():
                seen.add(bench.check_state(writer.store, 0))
                n_looks += 1
        finally:
            writer.end()
    return "%d looks, %d states" % (n_looks, len(seen))


def copy_under_load(bench):
    """cp -r of a store that is written to opens, or says why not."""
    seconds, n_opened, n_told = 20 if bench.full else 3, 0, 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        writer = Writer(bench, "copied.store")
        try:
            while writer.thread.is_alive():
                copy = bench.fresh("the.copy")
                subprocess.run(["cp", "-r", writer.store, copy],
                               stderr=subprocess.DEVNULL)
                try:
                    bench.check_state(copy, 0)
                    n_opened += 1
                except Failure as e:
                    if "status 4" not in str(e):
                        raise
                    n_told += 1
        finally:
            writer.end()
    return "%d opened, %d said why not" % (n_opened, n_told)


def export_under_load(bench):
    """What it gives is what was there at one moment."""
    moments = all_moments(bench)
    writer, n = Writer(bench, "exported.store"), 0
    try:
        while writer.thread.is_alive() or n == 0:
            out = must([bench.origo, "export", "-s", writer.store]).stdout
            ids = tuple(json.loads(line)["id"] for line in out.splitlines())
            n += 1
            if ids not in moments:
                raise Failure("an export that is no prefix: %s" % (ids,))
    finally:
        writer.end()
    return "%d exports" % n


def all_moments(bench):
    """The ids after each step; versions are removed one by one, the newest
    first."""
    ids, moments = [], {()}
    for kind, what in bench.stream.steps:
        if kind == "add":
            ids.append(json.loads(what)["id"])
            moments.add(tuple(ids))
        while kind == "rm" and what in ids:
            del ids[len(ids) - 1 - ids[::-1].index(what)]
            moments.add(tuple(ids))
    return moments


def signals(bench):
    """SIGINT and SIGTERM, in the middle and while waiting; and a reader that
    goes away."""
    for number in (signal.SIGINT, signal.SIGTERM):
        for wait in (0, 0.05):
            store = bench.fresh("signal.store")
            lines, _ = bench.stream.adds_from(0)
            child = subprocess.Popen(bench.add(store, "-"),
                                     stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE)
            child.stdin.write(("\n".join(lines[:8]) + "\n").encode())
            child.stdin.flush()
            n_lines = len([child.stdout.readline() for _ in range(3)])
            time.sleep(wait)
            child.send_signal(number)
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                raise Failure("signal %d does not end it" % number)
            rest, said = child.stdout.read(), child.stderr.read()
            child.stdin.close()
            n_lines += rest.count(b"\n")
            if child.returncode != 128 + number or b"the store keeps" not in said:
                raise Failure("status %d: %s" % (child.returncode, said))
            bench.check_state(store, n_lines)
    for how in (("trace", "--add"), ("export",)):
        store = bench.make("pipe.store", 10)
        command = bench.add(store, "-") if how[0] == "trace" else \
            [bench.origo, "export", "-s", store]
        # Closed before the command can write: it must not win a race.
        reading, writing = os.pipe()
        os.close(reading)
        child = subprocess.Popen(command, stdin=subprocess.PIPE,
                                 stdout=writing, stderr=subprocess.PIPE)
        os.close(writing)
        lines, _ = bench.stream.adds_from(10)
        try:
            child.stdin.write(("\n".join(lines) + "\n").encode())
            child.stdin.close()
        except BrokenPipeError:
            pass
        said = child.stderr.read()
        status = child.wait(10)
        if status not in (3, 141, -signal.SIGPIPE):
            raise Failure("closed pipe: status %d, %s" % (status, said))
        bench.check_state(store, bench.stream.done[10][0])
    return "ended in order"


CHECKS = [journal_with_garbage, journal_cut_after_kill, newer_versions,
          read_only_disk, full_disk, two_writers, readers_and_writer,
          copy_under_load, export_under_load, signals]
