#!/usr/bin/env python3
"""What acknowledged means: tests/crash/test_crash.py BUILD [--all] [--only NAME]

Kills, power losses, failing disks, flipped bytes and bad company, against the
command of BUILD with small limits (lib/base/limits.h). After each a store must
open, verify, hold all that was acknowledged, and know exactly what a run knows
that nothing disturbed. Without --all a share of each, in under a minute; with
it what `make test-crash` promises. Prints 'ok NAME' or 'FAILED NAME' for each
check, the story of a failure below it, indented; 'skipped NAME' when the
machine does not allow one."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

import company
import disturb
import rebuild
import upkeep
from bench import Bench, Failure

CHECKS = disturb.CHECKS + upkeep.CHECKS + rebuild.CHECKS + company.CHECKS


def main():
    parser = argparse.ArgumentParser(description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--keep", action="store_true",
                        help="leave the folder of a failure")
    options = parser.parse_args()
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = tempfile.mkdtemp(prefix="origo-crash-", dir=parent)
    failed = False
    try:
        bench = Bench(os.path.abspath(options.build), folder, options.all)
        for check in CHECKS:
            if options.only and check.__name__ != options.only:
                continue
            began = time.monotonic()
            try:
                story = check(bench)
                verdict = "SKIPPED" if story.startswith("not ") else "ok"
                print("%s %s: %s (%.1f s)" % (verdict, check.__name__, story,
                                              time.monotonic() - began))
            except (Failure, subprocess.TimeoutExpired) as e:
                failed = True
                print("FAILED %s" % check.__name__)
                print("  " + str(e).replace("\n", "\n  "))
            sys.stdout.flush()
    finally:
        if not (failed and options.keep):
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
