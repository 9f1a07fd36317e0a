#!/usr/bin/env python3
"""What does it cost to compare every passage with the text of its origin?

usage: bench/bench_trace.py ORIGO DATA WORK [--mb N] [--times T]

DATA has mail.jsonl.zst and rfc.jsonl.zst, of which the first N MB are taken
(default 45); WORK is a folder for them. `trace -s :memory:` answers each document
and takes it in, on one thread, with and without --no-verify. CPU seconds are
those of the process, user and system, the least of T runs (default 3); what runs
beside it on the machine shows less in them than in seconds. MB are 10^6 bytes of
the file."""

import argparse
import os
import pathlib
import subprocess
import sys

from bench_cores import cut

COMMAND = ["trace", "-s", ":memory:", "--key", "default", "-j", "1", "-q",
           "-f", "json", "-o", os.devnull]


def cpu_seconds(command):
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit("bench_trace: %s: status %d" % (" ".join(command),
                                                 process.returncode))
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("origo")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--mb", type=int, default=45)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    print("# " + __doc__.splitlines()[0])
    print("# %d processors, load %.1f when it began"
          % (os.cpu_count(), os.getloadavg()[0]))
    print("%-6s %8s %18s %18s %6s"
          % ("", "MB", "verified, MB/CPU s", "not, MB/CPU s", "ratio"))
    for name in ("mail", "rfc"):
        path = cut(options.data, options.work, name, options.mb)
        command = [options.origo] + COMMAND
        megabytes = path.stat().st_size / 1e6
        verified, plain = (
            min(cpu_seconds(command + also + [str(path)])
                for _ in range(options.times))
            for also in ([], ["--no-verify"]))
        print("%-6s %8.1f %18.1f %18.1f %6.2f"
              % (name, megabytes, megabytes / verified, megabytes / plain,
                 verified / plain), flush=True)
        path.unlink()


if __name__ == "__main__":
    main()
