#!/usr/bin/env python3
"""The man pages that the programs write when they are built, and those of file
formats in man/, have no faults: tests/tools/test_man_pages.py BUILD"""

import glob
import os
import shutil
import sys

import checks


def main(build):
    written = sorted(glob.glob(os.path.join(build, "cli", "*.1")) +
                     glob.glob(os.path.join(build, "eval", "*.1")))
    checks.report("the build writes man pages",
                  "" if written else "there are none")
    if shutil.which("mandoc") is None:
        return checks.skip("man pages", "mandoc is not installed")
    for page in written + sorted(glob.glob(os.path.join(checks.ROOT, "man/*"))):
        status, out = checks.run(["mandoc", "-Tlint", "-Wwarning", page])
        checks.report("man page: " + os.path.basename(page),
                      "" if status == 0 else out or "mandoc failed")


main(sys.argv[1])
checks.finish()
