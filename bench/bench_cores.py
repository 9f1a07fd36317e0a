#!/usr/bin/env python3
"""Where does the time go, and how much of it waits for one thread?

usage: bench/bench_cores.py ORIGO DATA WORK [--mb N] [--minutes M]
                            [--only ROW] [--table MD]

DATA has mail.jsonl.zst and rfc.jsonl.zst; WORK is a folder for stores. Each
command runs on 1, 2, 4 and 8 threads with --timings: the CPU of each stage, the
busiest thread's share, the share of what is done in order (stage take) and
beside the stream (opening, syncing, closing), that of threads which do one thing
while the others go on (reading, writing, the log of a store), and what waking
threads costs (stage wake); how long threads waited, the most memory that the
process had, and elapsed time. Short runs on 1 and 2 threads are repeated, and the
fastest counts. The same command must give the same bytes on any number of threads:
it runs on 32, too, for that alone. Of a store that was added to, these are what
`trace` says of the first records and what `export` writes.

The first 100 MB of each stream are taken, and fewer for rows that say so, whose
cost is that of single steps and grows with the stream alone; with N, the first
N MB for every row. What there is no time for after M minutes (default 12) is
named. MB are 10^6 bytes. MD is the table of docs/scale.md: what one thread has
to do, and what the model of that document makes of it. At the end: which aims were
met, and the figures in the sentences of docs/scale.md that follow from the table."""

import argparse
import hashlib
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

THREADS = (1, 2, 4, 8)
MANY = 32  # for the bytes that come out
SHORT, REPEATED = 2.5, 3  # seconds; how often a shorter run is measured

AIM_TWO, AIM_IN_ORDER = 1.85, 3.0  # times as fast; percent
AIM_DURABLE = {"add, no texts": 250, "add, texts": 150}  # MB/s on two threads

ADD = ["add", "-s", "STORE", "--key", "default"]
# A row, the first MB that it takes of a stream, its command.
COMMANDS = (
    ("add :memory:", 100, ["add", "-s", ":memory:", "--no-texts"]),
    ("add, no texts", 100, ADD + ["--no-texts"]),
    ("add, texts", 100, ADD),
    ("trace --no-verify", 100, ["trace", "-s", ":memory:", "--key", "default",
                                 "--no-verify"]),
    ("dedup", 100, ["dedup", "-o", "OUT"]),
    ("dedup passage", 100, ["dedup", "--level", "passage", "-o", "OUT"]),
    ("dedup line", 100, ["dedup", "--level", "line", "-o", "OUT"]),
    ("near --add", 100, ["near", "-s", ":memory:", "--add"]),
    ("near --add, exact", 100, ["near", "-s", "STORE", "--add"]),
    ("trace", 100, ["trace", "-s", ":memory:", "--key", "default"]),
    ("add, all indexes", 40, ADD + ["--index", "passages,near,sentences"]),
    ("quote --add", 40, ["quote", "-s", "STORE", "--add"]),
)
CORES = 64  # of the model
PIECE, WAKING = 30e-6, 10e-6  # seconds: the shortest part of a phase; its start
# Stages of one thread each, at the same time as everything else.
CONCURRENT = (("read", "reading"), ("write", "writing"), ("log", "log"),
              ("close", "closing"))


def cut(data, work, name, megabytes):
    """The first records of a stream."""
    path = work / ("%s-%d.jsonl" % (name, megabytes))
    if path.exists():
        return path
    unpack = subprocess.Popen(
        ["zstd", "-dc", "--long=27", str(data / (name + ".jsonl.zst"))],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    left = megabytes * 1000000
    with open(path, "wb") as out:
        for line in unpack.stdout:
            left -= len(line)
            if left < 0:
                break
            out.write(line)
    unpack.kill()
    unpack.wait()
    return path


class Run:
    """What one run took; stages: CPU seconds, and how often each was begun."""

    def __init__(self, seconds, usage, talk, digest):
        self.seconds, self.digest = seconds, digest
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak = usage.ru_maxrss * 1024 / 1e6
        self.stages = {}
        for line in talk.splitlines():
            m = re.match(r"origo: (.{10}) +([\d.]+) +[\d.]+%"
                         r"(?: +[\d.]+ +\d+ +(\d+))?", line)
            if m:
                self.stages[m[1].strip()] = (float(m[2]), int(m[3] or 0))
        last = re.search(r"busiest thread ([\d.]+)%, waiting ([\d.]+) s", talk)
        self.busiest, self.waiting = float(last[1]), float(last[2])

    def of(self, stage):
        return self.stages.get(stage, (0.0, 0))[0]

    def share(self, stage):
        return self.of(stage) / max(self.of("all"), 1e-9)

    def phases(self):
        """Stages that all threads share while the one in order waits."""
        return [s for s in self.stages if s not in
                ("all", "take", "other", "wake", "prepare", *dict(CONCURRENT))]


def start(origo, arguments, out, talk):
    """What it used. Its output goes to files: no other process needs a core."""
    with open(out, "wb") as o, open(talk, "wb") as t:
        process = subprocess.Popen([str(origo), *map(str, arguments)],
                                   stdout=o, stderr=t)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("%s: %s" % (" ".join(map(str, arguments)),
                             talk.read_text("utf-8", "replace")[-500:]))
    return usage


def digest_of(paths):
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            while data := file.read(1 << 20):
                digest.update(data)
    return digest.hexdigest()


def read_back(origo, store, has_texts, path, work):
    """Of a store that was added to: what the first records of the stream are
    copied from, and its documents."""
    out, head = work / "cores.back", work / "cores.head"
    with open(path, "rb") as whole, open(head, "wb") as first:
        first.writelines(itertools.islice(whole, 500))
    commands = [["trace", "-s", store, "--no-verify", "-q", head]]
    if has_texts:
        commands.append(["export", "-s", store, "-q"])
    digests = []
    for arguments in commands:
        start(origo, arguments, out, work / "cores.talk")
        digests.append(digest_of([out]))
    return " ".join(digests)


def run(options, command, path, n):
    store, out, made, talk = (options.work / ("cores." + name) for name in
                              ("store", "out", "stdout", "talk"))
    shutil.rmtree(store, ignore_errors=True)
    out.unlink(missing_ok=True)
    arguments = [{"STORE": store, "OUT": out}.get(a, a) for a in command]
    began = time.monotonic()
    usage = start(options.origo, [*arguments, "-q", "--threads", n, "--timings",
                                  path], made, talk)
    seconds = time.monotonic() - began
    result = Run(seconds, usage, talk.read_text("utf-8", "replace"),
                 digest_of(p for p in (made, out) if p.exists()))
    if command[:len(ADD)] == ADD:
        result.digest = read_back(options.origo, store,
                                  "--no-texts" not in command, path,
                                  options.work)
    shutil.rmtree(store, ignore_errors=True)
    return result


def run_often(options, command, path, n):
    best = run(options, command, path, n)
    if n > 2 or best.seconds > SHORT:
        return best
    again = [run(options, command, path, n) for _ in range(REPEATED - 1)]
    return min([best, *again], key=lambda r: r.seconds)


# ---- one command on one stream ----

class Row:
    def __init__(self, name, label, path):
        self.name, self.label = name, label
        self.size = path.stat().st_size / 1e6
        self.results = {}  # by number of threads
        self.is_same = None  # the bytes, on any number; None: they are none

    def measure(self, options, command, path, end):
        """Which runs there was no time for."""
        late = []
        for n in THREADS:
            if time.monotonic() > end:
                late.append("%s %s on %d" % (self.name, self.label, n))
                continue
            self.results[n] = run_often(options, command, path, n)
        digests = {r.digest for r in self.results.values()}
        if self.results and time.monotonic() <= end:
            digests.add(run(options, command, path, MANY).digest)
        if digests and digests != {hashlib.sha256().hexdigest()}:
            self.is_same = len(digests) == 1
        return late

    def most(self):
        return self.results[max(self.results)]

    def in_order(self):
        return 100 * self.most().share("take")

    def two_over_one(self):
        one, two = self.results.get(1), self.results.get(2)
        return one.seconds / two.seconds if one and two else None

    def on_two(self):
        two = self.results.get(2)
        return self.size / two.seconds if two else None

    def model(self):
        """Times one core, and what limits it: docs/scale.md."""
        one, many = self.results[min(self.results)], self.most()
        beside, take = many.of("other"), many.of("take")
        phases = sum(max(many.of(s) / CORES,
                         one.stages.get(s, (0, 0))[1] * PIECE) +
                     one.stages.get(s, (0, 0))[1] * WAKING
                     for s in many.phases())
        bounds = {label: many.of(s) + beside for s, label in CONCURRENT}
        bounds["cores"] = many.of("all") / CORES + beside
        bounds["in order"] = take + phases + beside
        limit = max(bounds, key=bounds.get)
        speedup = one.of("all") / max(bounds[limit], 1e-9)
        if limit == "in order" and phases > take:
            limit = "phases"
        if beside > bounds[limit if limit != "phases" else "in order"] / 2:
            limit = "beside"
        return speedup, limit


def show(row):
    """A line for each stage, a column for each number of threads."""
    results = row.results
    numbers = sorted(results)
    names = []
    for n in numbers:
        names += [s for s in results[n].stages if s not in names + ["all"]]
    print("\n%s, %s, %.0f MB" % (row.name, row.label, row.size))
    print("  %-22s" % "threads" + "".join("%10d" % n for n in numbers))

    def line(what, form, value):
        print("  %-22s" % what + "".join(form % value(results[n])
                                         for n in numbers))
    for stage in names:
        line(stage + ", CPU s", "%10.2f", lambda r, s=stage: r.of(s))
    line("all, CPU s", "%10.2f", lambda r: r.cpu)
    line("in order, %", "%10.1f", lambda r: 100 * r.share("take"))
    line("beside, %", "%10.1f", lambda r: 100 * r.share("other"))
    for stage, _ in CONCURRENT:
        if any(stage in results[n].stages for n in numbers):
            line(stage + ", %", "%10.1f", lambda r, s=stage: 100 * r.share(s))
    line("waking threads, %", "%10.1f", lambda r: 100 * r.share("wake"))
    line("busiest thread, %", "%10.1f", lambda r: r.busiest)
    line("waiting, all threads, s", "%9.2f", lambda r: r.waiting)
    line("memory at most, MB", "%10.0f", lambda r: r.peak)
    line("elapsed, s", "%10.2f", lambda r: r.seconds)
    if row.two_over_one():
        print("  two threads: %.2f times as fast as one; %.0f MB/s on two"
              % (row.two_over_one(), row.on_two()))
    print("  the same bytes on %s and %d threads: %s" % (
        ", ".join(map(str, numbers)), MANY,
        {None: "it has no output", True: "yes", False: "NO"}[row.is_same]))
    sys.stdout.flush()


# ---- docs/scale.md ----

def table_row(row):
    run, share = row.most(), row.most().share
    phases = ", ".join("%s %.0f %%" % (s, 100 * share(s)) for s in
                       sorted(["prepare", *run.phases()], key=lambda s: -share(s))
                       if share(s) >= 0.02)
    two, ratio = row.on_two(), row.two_over_one()
    shares = " | ".join("%.1f %%" % (100 * share(s)) for s in
                        ("take", "other", "read", "write", "log"))
    return ("| %s, %.0f MB | %s | %.0f | %s | %s | %.1f %% | %s | %s | %.0f, %s |"
            % (row.name, row.size, row.label,
               row.size / row.results[min(row.results)].cpu,
               "%.0f" % two if two else "-", "%.2f" % ratio if ratio else "-",
               run.busiest, shares, phases, *row.model()))


def table_of(rows):
    return ("Measured on %d cores, %s, at a load of %.1f when it began. Shares "
            "are of the CPU, on %d\nthreads. In order: stage `take`. Beside: "
            "opening, syncing, closing. Read, write, log: one\nthread each, "
            "at the same time as the others. The last column is the model's "
            "for %d cores:\ntimes one core, and what limits it.\n\n"
            "| stream | command | MB/s a core | MB/s on two | two threads | "
            "busiest | in order | beside | read | write | log | phases | model |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
            % (len(os.sched_getaffinity(0)), os.uname().machine, LOAD,
               max(THREADS), CORES)) + "\n".join(map(table_row, rows)) + "\n"


def name_of(row):
    return "%s (%s)" % (row.label, row.name)


def show_aims(rows):
    print("\nAims")
    ratios = [r for r in rows if r.two_over_one()]
    met = [r for r in ratios if r.two_over_one() >= AIM_TWO]
    print("  two threads %.2f times as fast as one: %d of %d rows; the others:"
          % (AIM_TWO, len(met), len(ratios)))
    for r in sorted(ratios, key=Row.two_over_one):
        if r not in met:
            print("    %.2f %s" % (r.two_over_one(), name_of(r)))
    above = [r for r in rows if r.in_order() >= AIM_IN_ORDER]
    print("  in order below %.0f %% on %d threads: %d of %d rows; the others:"
          % (AIM_IN_ORDER, max(THREADS), len(rows) - len(above), len(rows)))
    for r in sorted(above, key=lambda r: -r.in_order()):
        print("    %.1f %% %s" % (r.in_order(), name_of(r)))
    for r in rows:
        if r.label in AIM_DURABLE and r.on_two():
            print("  durable: %.0f MB/s on two threads, aim %d: %s"
                  % (r.on_two(), AIM_DURABLE[r.label], name_of(r)))
    compared = [r for r in rows if r.is_same is not None]
    print("  the same bytes on 1 to %d threads: %d of %d rows"
          % (MANY, sum(r.is_same for r in compared), len(compared)))


def show_sentences(rows):
    """What the prose of docs/scale.md says of the table."""
    def span(values, form):
        return (form + " to " + form) % (min(values), max(values))
    print("\nFigures in the sentences of docs/scale.md")
    writing = [100 * r.most().share("write") for r in rows if r.label == "dedup"]
    if writing:
        print("  What limits first, 2: `dedup` keeps %s %% of its CPU writing"
              % span(writing, "%.0f"))
    prepared = [100 * r.most().share("prepare") for r in rows
                if r.label.startswith("add") and r.label != "add, all indexes"]
    if prepared:
        print("  The model: preparing is %s %% of the CPU of `add`"
              % span(prepared, "%.0f"))
    limits = {}
    for r in rows:
        limits.setdefault(r.model()[1], []).append(r)
    for limit, limited in sorted(limits.items()):
        print("  What limits first: %s: %s" % (limit, ", ".join(
            "%s %.0f" % (name_of(r), r.model()[0]) for r in limited)))


LOAD = os.getloadavg()[0]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("origo", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--mb", type=int)
    parser.add_argument("--minutes", type=float, default=12)
    parser.add_argument("--only")
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    options.work.mkdir(parents=True, exist_ok=True)
    print("# %s, %d cores, load %.1f" % (
        os.uname().machine, len(os.sched_getaffinity(0)), LOAD))
    skipped, rows, paths = [], [], set()
    for label, megabytes, command in COMMANDS:
        if options.only not in (None, label):
            continue
        for name in ("mail", "rfc"):
            path = cut(options.data, options.work, name,
                       options.mb or megabytes)
            paths.add(path)
            row = Row(name, label, path)
            skipped += row.measure(options, command, path, end)
            if row.results:
                show(row)
                rows.append(row)
    for path in [*paths, *options.work.glob("cores.*")]:
        path.unlink()
    notes = ["No time was left for: %s." % "; ".join(skipped)] if skipped else []
    table = table_of(rows) + "".join("\n%s\n" % n for n in notes)
    if options.table:
        options.table.write_text(table, "utf-8")
    print("\n" + table, end="")
    show_aims(rows)
    show_sentences(rows)
    return 1 if any(r.is_same is False for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
