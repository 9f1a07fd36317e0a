#!/usr/bin/env python3
"""Where does the time go, and how much of it waits for one thread?

usage: bench/bench_cores.py ORIGO DATA WORK [--mb N] [--minutes M]
                            [--only ROW] [--table MD]

DATA has mail.jsonl.zst and rfc.jsonl.zst; WORK is a folder for stores. Each
command runs on 1, 2, 4 and 8 threads with --timings: the CPU of each stage, the
busiest thread's share, the share of what is done in order (stage take) and
beside the stream (opening, syncing, closing), that of threads which do one thing
while the others go on (reading, writing, the log of a store), and what waking
threads costs (stage wake); elapsed time on 1 and 2 threads. The same command must give the
same bytes on any number of threads: it runs on 32, too, for that alone.

The first 100 MB of each stream are taken, and fewer for rows that say so, whose
cost is that of single steps and grows with the stream alone; with N, the first
N MB for every row. What there is no time for after M minutes (default 12) is
named. MB are 10^6 bytes. MD is the table of docs/scale.md: what one thread has
to do, and what the model of that document makes of it."""

import argparse
import hashlib
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

THREADS = (1, 2, 4, 8)
MANY = 32  # for the bytes that come out

# A row, the first MB that it takes of a stream, its command.
COMMANDS = (
    ("add :memory:", 100, ["add", "-s", ":memory:", "--no-texts"]),
    ("add, no texts", 100, ["add", "-s", "STORE", "--no-texts"]),
    ("add, texts", 100, ["add", "-s", "STORE"]),
    ("trace --no-verify", 100, ["trace", "-s", ":memory:", "--key", "default",
                                 "--no-verify"]),
    ("dedup", 100, ["dedup", "-o", "OUT"]),
    ("dedup passage", 100, ["dedup", "--level", "passage", "-o", "OUT"]),
    ("dedup line", 100, ["dedup", "--level", "line", "-o", "OUT"]),
    ("near --add", 100, ["near", "-s", ":memory:", "--add"]),
    ("near --add, exact", 100, ["near", "-s", "STORE", "--add"]),
    ("trace", 100, ["trace", "-s", ":memory:", "--key", "default"]),
    ("add, all indexes", 40, ["add", "-s", "STORE", "--index",
                              "passages,near,sentences"]),
    ("quote --add", 40, ["quote", "-s", "STORE", "--add"]),
)
CORES = 64  # of the model
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


def stages_of(text):
    stages = {}
    for line in text.splitlines():
        m = re.match(r"origo: (.{10}) +([\d.]+) +([\d.]+)%( +([\d.]+))?", line)
        if m:
            stages[m[1].strip()] = (float(m[2]), float(m[3]),
                                    float(m[5]) if m[5] else 0.0)
    m = re.search(r"busiest thread ([\d.]+)%", text)
    return stages, float(m[1]) if m else None


def run(origo, command, path, work, n):
    store, out = work / "cores.store", work / "cores.out"
    shutil.rmtree(store, ignore_errors=True)
    out.unlink(missing_ok=True)
    arguments = [{"STORE": str(store), "OUT": str(out)}.get(a, a)
                 for a in command]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    done = subprocess.run(
        [str(origo), *arguments, "-q", "--threads", str(n),
         "--timings", str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    seconds = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit("%s: %s" % (" ".join(arguments), done.stderr.decode()[-500:]))
    cpu = (after.ru_utime - before.ru_utime + after.ru_stime -
           before.ru_stime)
    bytes_out = out.read_bytes() if out.exists() else done.stdout
    stages, busiest = stages_of(done.stderr.decode())
    shutil.rmtree(store, ignore_errors=True)
    return seconds, cpu, stages, busiest, hashlib.sha256(bytes_out).hexdigest()


def share_of(stages, *names):
    everything = stages["all"][0] or 1e-9
    return sum(stages[n][0] for n in names if n in stages) / everything


def show(name, label, path, results):
    """A line for each stage, a column for each number of threads."""
    size = path.stat().st_size / 1e6
    numbers = sorted(results)
    names = []
    for n in numbers:
        names += [s for s in results[n][2] if s not in names + ["all"]]
    print("\n%s, %s, %.0f MB" % (name, label, size))
    print("  %-22s" % "threads" + "".join("%10d" % n for n in numbers))

    def line(what, form, value):
        print("  %-22s" % what + "".join(form % value(results[n])
                                         for n in numbers))
    for stage in names:
        line(stage + ", CPU s", "%10.2f",
             lambda r, s=stage: r[2].get(s, (0,))[0])
    line("all, CPU s", "%10.2f", lambda r: r[1])
    line("in order, %", "%10.1f", lambda r: 100 * share_of(r[2], "take"))
    line("beside, %", "%10.1f", lambda r: 100 * share_of(r[2], "other"))
    for stage, _ in CONCURRENT:
        if any(stage in results[n][2] for n in numbers):
            line(stage + ", %", "%10.1f",
                 lambda r, s=stage: 100 * share_of(r[2], s))
    line("waking threads, %", "%10.1f", lambda r: 100 * share_of(r[2], "wake"))
    line("busiest thread, %", "%10.1f", lambda r: r[3] or 0)
    line("elapsed, s", "%10.2f", lambda r: r[0])
    if 1 in results and 2 in results:
        print("  two threads: %.2f times as fast as one; %.0f MB/s on two"
              % (results[1][0] / results[2][0], size / results[2][0]))
    sys.stdout.flush()


def table_row(name, label, path, results):
    """Shares on as many threads as were measured; what the model of
    docs/scale.md makes of them on CORES cores."""
    stages, busiest = results[max(results)][2:4]
    take = share_of(stages, "take")
    other = share_of(stages, "other")
    alone = {label: share_of(stages, s) for s, label in CONCURRENT}
    rest = max(0.0, 1 - take - other - sum(alone.values()))
    bounds = {label: share + other for label, share in alone.items()}
    bounds["in order"] = take + other + rest / CORES
    speedup = 1 / max(*bounds.values(), 1e-9)
    limit = max(bounds, key=bounds.get)
    if limit == "in order" and rest / CORES > take + other:
        limit = "cores"
    elif limit == "in order" and other > take:
        limit = "beside"
    phases = ", ".join(
        "%s %.0f %%" % (s, 100 * share_of(stages, s))
        for s in sorted(stages, key=lambda s: -stages[s][0])
        if s not in ("all", "take", "other", "wake", *dict(CONCURRENT))
        and share_of(stages, s) >= 0.02)
    size = path.stat().st_size / 1e6
    one, two = results.get(1), results.get(2)
    return ("| %s, %.0f MB | %s | %.0f | %s | %s | %.1f %% | %.1f %% | %.1f %% "
            "| %.1f %% | %.1f %% | %.1f %% | %s | %.0f, %s |" % (
                name, size, label, size / results[min(results)][1],
                "%.0f" % (size / two[0]) if two else "-",
                "%.2f" % (one[0] / two[0]) if one and two else "-",
                busiest or 0, 100 * take, 100 * other,
                100 * alone["reading"], 100 * alone["writing"],
                100 * alone["log"], phases, speedup, limit))


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
               max(THREADS), CORES)) + "\n".join(rows) + "\n"


def measure(options, name, label, path, command, end):
    """Results by number of threads; what there was no time for."""
    results, skipped = {}, []
    for n in THREADS:
        if time.monotonic() > end:
            skipped.append("%s %s on %d" % (name, label, n))
            continue
        results[n] = run(options.origo, command, path, options.work, n)
    if results and time.monotonic() <= end:
        many = run(options.origo, command, path, options.work, MANY)
        if many[4] != results[min(results)][4]:
            results[min(results)] = results[min(results)][:4] + ("other",)
    return results, skipped


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
    skipped, rows, other_bytes, paths = [], [], [], set()
    for label, megabytes, command in COMMANDS:
        if options.only not in (None, label):
            continue
        for name in ("mail", "rfc"):
            path = cut(options.data, options.work, name,
                       options.mb or megabytes)
            paths.add(path)
            results, late = measure(options, name, label, path, command, end)
            skipped += late
            if not results:
                continue
            show(name, label, path, results)
            rows.append(table_row(name, label, path, results))
            if len({r[4] for r in results.values()}) > 1:
                other_bytes.append("%s %s" % (name, label))
                print("OTHER BYTES on another number of threads", flush=True)
    for path in paths:
        path.unlink()
    notes = ["No time was left for: %s." % "; ".join(skipped)] if skipped else []
    table = table_of(rows) + "".join("\n%s\n" % n for n in notes)
    if options.table:
        options.table.write_text(table, "utf-8")
    print("\n" + table)
    return 1 if other_bytes else 0


if __name__ == "__main__":
    sys.exit(main())
