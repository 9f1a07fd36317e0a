#!/usr/bin/env python3
"""Where does the time go, and how much of it waits for one thread?

usage: bench/bench_cores.py ORIGO DATA WORK [--mb N] [--minutes M]

DATA has mail.jsonl.zst and rfc.jsonl.zst, of which the first N MB are taken
(default 60); WORK is a folder for stores. Each command runs on 1, 2, 4 and 8
threads with --timings: CPU of all threads, the busiest thread's share, the share
of what is done in order, elapsed time on 1 and 2 threads. The same command must
give the same bytes on any number of threads. What there is no time for after M
minutes (default 11) is named. MB are 10^6 bytes of text."""

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
    ("add :memory:", ["add", "-s", ":memory:", "--no-texts"], True),
    ("add, no texts", ["add", "-s", "STORE", "--no-texts"], True),
    ("add, texts", ["add", "-s", "STORE"], True),
    ("trace --no-verify", ["trace", "-s", ":memory:", "--key", "default",
                           "--no-verify"], True),
    ("trace", ["trace", "-s", ":memory:", "--key", "default"], True),
    ("dedup", ["dedup", "-o", "OUT"], False),
    ("dedup passage", ["dedup", "--level", "passage", "-o", "OUT"], False),
    ("dedup line", ["dedup", "--level", "line", "-o", "OUT"], False),
    ("near", ["near", "-s", ":memory:"], False),
    ("quote --add", ["quote", "-s", "STORE", "--add"], False),
)


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


def run(origo, command, timed, path, work, n):
    store, out = work / "cores.store", work / "cores.out"
    shutil.rmtree(store, ignore_errors=True)
    out.unlink(missing_ok=True)
    arguments = [{"STORE": str(store), "OUT": str(out)}.get(a, a)
                 for a in command]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    done = subprocess.run(
        [str(origo), *arguments, "-q", "--threads", str(n),
         *(["--timings"] if timed else []), str(path)],
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


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("origo", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--mb", type=int, default=60)
    parser.add_argument("--minutes", type=float, default=11)
    options = parser.parse_args()
    end = time.monotonic() + 60 * options.minutes
    options.work.mkdir(parents=True, exist_ok=True)
    print("# %s, %d cores, the first %d MB of each stream"
          % (os.uname().machine, len(os.sched_getaffinity(0)), options.mb))
    skipped = []
    failed = False
    for name in ("mail", "rfc"):
        path = cut(options.data, options.work, name, options.mb)
        for label, command, timed in COMMANDS:
            results = {}
            for n in THREADS:
                if time.monotonic() > end:
                    skipped.append("%s %s on %d" % (name, label, n))
                    continue
                results[n] = run(options.origo, command, timed, path,
                                 options.work, n)
            show(name, label, path, results)
            if len({r[4] for r in results.values()}) > 1:
                print("%s %s: OTHER BYTES on another number of threads"
                      % (name, label))
                failed = True
        path.unlink()
    if skipped:
        print("no time for: " + "; ".join(skipped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
