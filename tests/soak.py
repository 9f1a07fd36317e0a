#!/usr/bin/env python3
"""Every case that must not grow without bound, at full size: one table.

usage: tests/soak.py ORIGO [--most N] [--into FILE.md] [CASE...]

    case       size   CPU s  peak MB  at most  files  slope

CPU seconds of the command, its peak memory and the most that it may be, the files
that it leaves, and the slope: the exponent of CPU seconds over the number of
documents, from one size to the next. A row whose slope is above 1.15 is marked, and
so is one that took more memory or files than it may; the status is then 1.

--into: rows are written to the table of FILE.md that is between two comments, each
as soon as it is known; rows of cases that are not run stay as they are.

A new case is a line of GROWING (what it is called, what writes its input, the command
with IN, OUT and STORE as paths, its sizes and, where it has them, caps), or one of
tests/cli/test_memory_cap.py, whose commands are run with 2 GB and 16 threads, or of
GIANT, which get one document of 10^8 words."""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile

import growth

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "cli"))
import test_memory_cap as caps

FULL = (10**4, 10**5, 10**6)
# name, text of a document, command, sizes, most MB (0: no cap), most files
GROWING = [
    ("dedup: a million that are not alike", growth.apart,
     "dedup -q -o OUT IN", FULL, 0, 0),
    ("dedup: a million that differ in a word", growth.alike,
     "dedup -q -o OUT IN", FULL, 0, 0),
    ("dedup: the same, components", growth.alike,
     "dedup -q --cluster components -o OUT IN", FULL, 0, 0),
    ("dedup: a million equal ones, components", growth.equal,
     "dedup -q --cluster components -o OUT IN", FULL, 0, 0),
    ("dedup: a long form that is filled in", growth.template,
     "dedup -q -o OUT IN", FULL, 0, 0),
    ("dedup: lines", growth.lines, "dedup -q --level line -o OUT IN", FULL, 0, 0),
    ("near: equal documents", growth.equal,
     "near -q --add -s :memory: -o OUT IN", FULL, 0, 0),
    ("quote: sentences that differ in a few words", growth.sentence,
     "quote -q -s :memory: --memory 1G -f json -o OUT IN", FULL, 0, 0),
    ("trace: equal documents", growth.equal,
     "trace -q -s :memory: -f json -o OUT IN", FULL, 0, 0),
    ("add: documents that differ in a word", growth.alike,
     "add -q -s STORE IN", FULL, 0, 50),
]


MEGABYTES, MEMORY, THREADS = 2000, 64, "16"
ROOM = 100 * 1.048576  # MB that a command may have beside its cap
N_APPENDS = 4000
GIANT = ("add -q --index passages,near,sentences -s STORE",
         "trace -q -s :memory:", "near -q -s :memory:", "quote -q -s :memory:",
         "import -q -s STORE", "dedup -q -o OUT",
         "dedup -q --level passage -o OUT", "dedup -q --level sentence -o OUT",
         "dedup -q --level line -o OUT")
BEGIN, END = "<!-- soak: written by tests/soak.py -->\n", "<!-- soak: end -->\n"
HEAD = ("| case | size | CPU s | peak MB | at most | files | slope |\n"
        "|---|---|---|---|---|---|---|\n")


class Table:
    """Rows by case and size, in the order in which they came first."""

    def __init__(self, path):
        self.path, self.good = path, True

    def split(self):
        text = pathlib.Path(self.path).read_text(encoding="utf-8")
        before, rest = text.split(BEGIN)
        inside, after = rest.split(END)
        return before, inside, after

    def add(self, name, size, used, most_mb=0, most_files=0, slope=None):
        good = (used.status == 0 and
                (slope is None or slope <= growth.MOST_SLOPE) and
                (most_mb == 0 or used.peak <= most_mb) and
                (most_files == 0 or used.n_files <= most_files))
        self.good &= good
        line = "| %s | %s | %.2f | %.0f | %s | %d | %s%s |" % (
            name, size, used.cpu, used.peak,
            "%.0f" % most_mb if most_mb else "", used.n_files,
            "" if slope is None else "%.2f" % slope, "" if good else " !")
        print(line, flush=True)
        if self.path is not None:
            self.put(line)

    def put(self, line):
        """In the place of the row with its case and size, or as the last."""
        before, inside, after = self.split()
        rows = {tuple(row.split(" | ")[:2]): row
                for row in [*inside.splitlines()[2:], line]}
        inside = HEAD + "".join(row + "\n" for row in rows.values())
        pathlib.Path(self.path).write_text(
            before + BEGIN + inside + END + after, encoding="utf-8")


def soak_growing(origo, case, most, table):
    name, text, command, sizes, most_mb, most_files = case
    last = None
    for n in [n for n in sizes if n <= most]:
        with tempfile.TemporaryDirectory(prefix="origo-soak-") as place:
            used = growth.run(origo, place, text, command, n)
        slope = None if last is None else growth.slope(*last, n, used.cpu)
        table.add(name, n, used, most_mb, most_files, slope)
        last = n, used.cpu


def needed(commands, wanted):
    """Those that are wanted, and before them those that write what they read."""
    chosen, read = [], set()
    for what, command, most in reversed(commands):
        makes = {"add, all indexes": store_of(command),
                 "trace --add": store_of(command), "export": command[-1]}
        if wanted(what) or makes.get(what) in read:
            chosen.insert(0, (what, command, most))
            read.update(command)
    return chosen


def soak_caps(origo, wanted, table):
    """2 GB through every command, within the cap."""
    def title(what):
        return "%d MB, cap %d MB, -j %s: %s" % (MEGABYTES, MEMORY, THREADS, what)

    with tempfile.TemporaryDirectory(prefix="origo-soak-") as name:
        place = pathlib.Path(name)
        stream = place / "stream.jsonl"
        caps.write_stream(stream, MEGABYTES * 1000000)
        commands = list(caps.commands(place, str(stream), THREADS, MEMORY,
                                      MEMORY + ROOM))
        for what, command, most in needed(commands,
                                          lambda what: wanted(title(what))):
            used = growth.measure([origo, *command], str(place / "said"),
                                  store_of(command))
            table.add(title(what), MEGABYTES, used, most)


def store_of(command):
    return command[command.index("-s") + 1] if "-s" in command else "/nowhere"


def soak_giant(origo, wanted, table):
    """One document of 10^8 words: skipped by name, within the cap."""
    with tempfile.TemporaryDirectory(prefix="origo-soak-") as place:
        names = {name: os.path.join(place, name) for name in ("OUT", "STORE")}
        giant = os.path.join(place, "giant.jsonl")
        with open(giant, "w", encoding="ascii") as f:
            f.write('{"id":"giant","text":"')
            for _ in range(1000):
                f.write("a b c d " * 25000)
            f.write('"}\n{"id":"short","text":"%s"}\n' % growth.equal(0))
        for command in GIANT:
            shutil.rmtree(names["STORE"], ignore_errors=True)
            args = [origo] + [names.get(word, word) for word in command.split()]
            title = "a document of 10^8 words: " + command.split(" -q")[0] + (
                " " + command.split()[3] if "--level" in command else "")
            if not wanted(title):
                continue
            used = growth.measure(args + ["--memory", "%dM" % MEMORY, giant],
                                  os.path.join(place, "said"), names["STORE"])
            if "is longer than" not in used.said:
                used.status = 1
            table.add(title, 10**8, used, MEMORY + ROOM)


def soak_appends(origo, wanted, table):
    """Each by a process of its own; CPU seconds are of all of them."""
    for command in ("add", "near --add", "quote --add"):
        title = "appends: " + command
        if not wanted(title):
            continue
        with tempfile.TemporaryDirectory(prefix="origo-soak-") as place:
            store, path = (os.path.join(place, name)
                           for name in ("s", "in.jsonl"))
            total = growth.Used()
            total.cpu = total.peak = total.n_files = total.status = 0
            for i in range(N_APPENDS):
                with open(path, "w", encoding="ascii") as f:
                    f.write('{"id":"%d","text":"%s"}\n' % (i, growth.sentence(i)))
                used = growth.measure(
                    [origo, *command.split(), "-q", "-s", store, path],
                    os.path.join(place, "said"), store)
                total.cpu += used.cpu
                for field in ("peak", "n_files", "status"):
                    setattr(total, field, max(getattr(total, field),
                                              getattr(used, field)))
            table.add(title, N_APPENDS, total, 0, 49)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("origo")
    parser.add_argument("--most", type=int, default=10**6)
    parser.add_argument("--into")
    parser.add_argument("case", nargs="*")
    o = parser.parse_intermixed_args()
    origo, table = os.path.abspath(o.origo), Table(o.into)

    def wanted(title):
        return not o.case or any(word in title for word in o.case)

    print(HEAD, end="")
    for case in GROWING:
        if wanted(case[0]):
            soak_growing(origo, case, o.most, table)
    for part, words in ((soak_appends, "appends"), (soak_giant, "a document"),
                        (soak_caps, "MB, cap")):
        if not o.case or any(words in word or word in words for word in o.case):
            part(origo, wanted, table)
    return 0 if table.good else 1


if __name__ == "__main__":
    sys.exit(main())
