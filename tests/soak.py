#!/usr/bin/env python3
"""Every case that must not grow without bound, at full size: one table.

usage: tests/soak.py ORIGO [--list] [--most N] [--into FILE.md] [--place DIR]
                     [CASE...]

    case       size   CPU s  peak MB  at most  files  slope

CPU seconds of the command, its peak memory and the most that it may be, the files
that it leaves, and the slope: the exponent of CPU seconds over the number of
documents, from one size to the next. A row whose slope is above 1.15 is marked, and
so is one that took more memory or files than it may; the status is then 1.

CASE: the name of a row, as --list prints it, or a part of the names of some.
--into: rows are written to the table of FILE.md that is between two comments, each
as soon as it is known; rows of cases that are not run stay as they are.
--place: the stream for the caps is kept there, for rows that are run one by one.

A new case is a line of GROWING (what it is called, what writes its input, the command
with IN, OUT and STORE as paths, its sizes and, where it has them, caps), or one of
tests/cli/test_memory_cap.py, whose commands are run with 2 GB and 16 threads (a store
with all indexes gets 400 MB: more would only take longer), or of GIANT, which get one
document of 10^8 words."""

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


MEGABYTES, INDEXED, MEMORY, THREADS = 2000, 400, 64, "16"
ROOM = 100 * 1.048576  # MB that a command may have beside its cap
N_APPENDS, APPENDING = 4000, ("add", "near --add", "quote --add")
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


def streams(place):
    """Paths of that for every command, and of its beginning."""
    paths = [place / ("stream-%d.jsonl" % size) for size in (MEGABYTES, INDEXED)]
    for path, size in zip(paths, (MEGABYTES, INDEXED)):
        if not path.exists():
            caps.write_stream(path, size * 1000000)
    return [str(path) for path in paths]


def cap_commands(place, stream, indexed):
    """As caps.commands(), each with the name of its row and its megabytes."""
    for what, command, most in caps.commands(place, stream, THREADS, MEMORY,
                                             MEMORY + ROOM, indexed):
        size = INDEXED if what == "add, all indexes" or stream not in command \
            else MEGABYTES
        yield ("%d MB, cap %d MB, -j %s: %s" % (size, MEMORY, THREADS, what),
               what, command, most, size)


def soak_caps(origo, wanted, table, kept):
    """A long stream through every command, within the cap. Without huge pages, of
    which a process may have as many as happen to be free."""
    with tempfile.TemporaryDirectory(prefix="origo-soak-") as name:
        place = pathlib.Path(name)
        rows = list(cap_commands(place, *streams(kept or place)))
        titles = {what: (title, size) for title, what, _, _, size in rows}
        for what, command, most in needed(
                [row[1:4] for row in rows],
                lambda what: wanted(titles[what][0])):
            with caps.huge_pages_off():
                used = growth.measure([origo, *command], str(place / "said"),
                                      store_of(command))
            title, size = titles[what]
            table.add(title, size, used, most)


def store_of(command):
    return command[command.index("-s") + 1] if "-s" in command else "/nowhere"


def giant_title(command):
    return "a document of 10^8 words: " + command.split(" -q")[0] + (
        " " + command.split()[3] if "--level" in command else "")


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
            title = giant_title(command)
            if not wanted(title):
                continue
            used = growth.measure(args + ["--memory", "%dM" % MEMORY, giant],
                                  os.path.join(place, "said"), names["STORE"])
            if "is longer than" not in used.said:
                used.status = 1
            table.add(title, 10**8, used, MEMORY + ROOM)


def soak_appends(origo, wanted, table):
    """Each by a process of its own; CPU seconds are of all of them."""
    for command in APPENDING:
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


def titles_of(part):
    """The names of its rows."""
    if part is soak_growing:
        return [case[0] for case in GROWING]
    if part is soak_appends:
        return ["appends: " + command for command in APPENDING]
    if part is soak_giant:
        return [giant_title(command) for command in GIANT]
    with tempfile.TemporaryDirectory(prefix="origo-soak-") as name:
        # Nothing is run: any file may stand for the streams.
        names = [os.path.join(name, each) for each in ("a", "b")]
        for each in names:
            pathlib.Path(each).touch()
        return [row[0] for row in cap_commands(pathlib.Path(name), *names)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("origo")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--most", type=int, default=10**6)
    parser.add_argument("--into")
    parser.add_argument("--place", type=pathlib.Path)
    parser.add_argument("case", nargs="*")
    o = parser.parse_intermixed_args()
    origo, table = os.path.abspath(o.origo), Table(o.into)

    titles = {part: titles_of(part) for part in
              (soak_growing, soak_appends, soak_giant, soak_caps)}
    rows = sum(titles.values(), [])

    def wanted(title):
        return not o.case or any(
            word == title or (word in title and word not in rows)
            for word in o.case)

    chosen = {part: list(filter(wanted, names))
              for part, names in titles.items()}
    if o.list:
        print("\n".join(sum(chosen.values(), [])))
        return 0
    if not any(chosen.values()):
        sys.exit("no such row: " + ", ".join(o.case))
    print(HEAD, end="")
    for case in GROWING:
        if case[0] in chosen[soak_growing]:
            soak_growing(origo, case, o.most, table)
    if chosen[soak_appends]:
        soak_appends(origo, wanted, table)
    if chosen[soak_giant]:
        soak_giant(origo, wanted, table)
    if chosen[soak_caps]:
        soak_caps(origo, wanted, table, o.place)
    return 0 if table.good else 1


if __name__ == "__main__":
    sys.exit(main())
