#!/usr/bin/env python3
"""Where does the time go, and how much of it waits for one thread?

usage: bench/bench_cores.py ORIGO DATA WORK [--mb N] [--minutes M] [--table MD]

DATA has mail.jsonl.zst and rfc.jsonl.zst, of which the first N MB are taken
(default 60); WORK is a folder for stores. Each command runs on 1, 2, 4 and 8
threads with --timings: CPU of each stage, the busiest thread's share, the share
of what is done in order, elapsed time on 1 and 2 threads. The same command must
give the same bytes on any number of threads. What there is no time for after M
minutes (default 11) is named. MB are 10^6 bytes of text. MD is the table for
docs/scale.md: what one thread has to do, and what a model makes of it."""

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

COMMANDS = (
    ("add :memory:", ["add", "-s", ":memory:", "--no-texts"]),
    ("add, no texts", ["add", "-s", "STORE", "--no-texts"]),
    ("add, texts", ["add", "-s", "STORE"]),
    ("add, all indexes", ["add", "-s", "STORE", "--index",
                          "passages,near,sentences"]),
    ("trace --no-verify", ["trace", "-s", ":memory:", "--key", "default",
                           "--no-verify"]),
    ("trace", ["trace", "-s", ":memory:", "--key", "default"]),
    ("dedup", ["dedup", "-o", "OUT"]),
    ("dedup passage", ["dedup", "--level", "passage", "-o", "OUT"]),
    ("dedup line", ["dedup", "--level", "line", "-o", "OUT"]),
    ("near --add", ["near", "-s", ":memory:", "--add"]),
    ("near --add, exact", ["near", "-s", "STORE", "--add"]),
    ("quote --add", ["quote", "-s", "STORE", "--add"]),
)
CORES = 64  # of the model


def cut(data, work, name, megabytes):
    """The first records of a stream."""
    path = work / (name + ".jsonl")
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


def show(name, label, path, results):
    size = path.stat().st_size / 1e6
    for n, (seconds, cpu, stages, busiest, _) in sorted(results.items()):
        parts = " ".join("%s %.2f" % (s, v[0]) for s, v in stages.items()
                         if s != "all")
        take = stages.get("take", (0, 0, 0))[1] if stages else None
        print("%-5s %-18s %2d  %7.2f s  %7.2f s CPU  %6.0f MB/s a core  "
              "busiest %5s %%  in order %5s %%  %s"
              % (name, label, n, seconds, cpu, size / cpu,
                 "-" if busiest is None else "%.1f" % busiest,
                 "-" if take is None else "%.1f" % take, parts), flush=True)
    if 1 in results and 2 in results:
        print("%-5s %-18s two threads: %.2f times as fast as one"
              % (name, label, results[1][0] / results[2][0]), flush=True)


def seconds_of(stages, *names):
    return sum(stages[n][0] for n in names if n in stages)


def table_row(name, label, path, results):
    """On as many threads as were measured: what is done in order, on the
    calling thread and before or after the stream (opening, syncing, closing);
    what the model of docs/scale.md makes of it on CORES cores."""
    n = max(results)
    stages, busiest = results[n][2], results[n][3]
    everything = stages["all"][0] or 1e-9
    take = seconds_of(stages, "take") / everything
    other = seconds_of(stages, "other") / everything
    read = seconds_of(stages, "read") / everything
    rest = max(0.0, 1 - take - other - read)
    speedup = 1 / max(read + other, take + other + rest / CORES, 1e-9)
    text = ", ".join("%s %.0f %%" % (s, 100 * v[0] / everything)
                     for s, v in sorted(stages.items(), key=lambda i: -i[1][0])
                     if s not in ("all", "take", "other", "read")
                     and v[0] / everything >= 0.02)
    twice = ("%.2f" % (results[1][0] / results[2][0])
             if 1 in results and 2 in results else "-")
    one = min(results)
    return "| %s | %s | %.0f | %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %s | %.0f |" % (
        name, label, path.stat().st_size / 1e6 / results[one][1], twice,
        busiest or 0, 100 * take, 100 * other, 100 * read, text, speedup)


def table_of(rows, megabytes):
    head = ("The first %d MB of each stream on %d cores, %s; shares of the CPU "
            "on the largest\nnumber of threads that was measured. In order: "
            "stage `take`. Beside: opening, syncing,\nclosing. The last column is "
            "the model's for %d cores.\n\n"
            "| stream | command | MB/s of a core | two threads | busiest | in "
            "order | beside | read | phases | times one core |\n"
            "|---|---|---|---|---|---|---|---|---|---|\n"
            % (megabytes, len(os.sched_getaffinity(0)), os.uname().machine,
               CORES))
    return head + "\n".join(rows) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("origo", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--mb", type=int, default=60)
    parser.add_argument("--minutes", type=float, default=11)
    parser.add_argument("--table", type=pathlib.Path)
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    options.work.mkdir(parents=True, exist_ok=True)
    print("# %s, %d cores, the first %d MB of each stream"
          % (os.uname().machine, len(os.sched_getaffinity(0)), options.mb))
    skipped, rows = [], []
    failed = False
    for name in ("mail", "rfc"):
        path = cut(options.data, options.work, name, options.mb)
        for label, command in COMMANDS:
            results = {}
            for n in THREADS:
                if time.monotonic() > end:
                    skipped.append("%s %s on %d" % (name, label, n))
                    continue
                results[n] = run(options.origo, command, path,
                                 options.work, n)
            show(name, label, path, results)
            if results:
                rows.append(table_row(name, label, path, results))
            if len({r[4] for r in results.values()}) > 1:
                print("%s %s: OTHER BYTES on another number of threads"
                      % (name, label))
                failed = True
        path.unlink()
    if options.table:
        options.table.write_text(table_of(rows, options.mb), "utf-8")
    if skipped:
        print("no time for: " + "; ".join(skipped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
