#!/usr/bin/env python3
"""The man pages that the build writes, and those of file formats in man/, have no
faults: tests/tools/test_man_pages.py BUILD"""

import glob
import os
import shutil
import sys

import checks


def main(build):
    written = sorted(glob.glob(os.path.join(build, "cli", "*.1")) +
                     glob.glob(os.path.join(build, "eval", "*.1")) +
                     glob.glob(os.path.join(build, "*.5")))
    checks.report("the build writes man pages",
                  "" if written else "there are none")
    store = [page for page in written if page.endswith("origo-store.5")]
    with open(store[0] if store else os.devnull) as f:
        text = f.read()
    lacking = [word for word in ("origojnl", "origoseg", "origofin", "catalogue",
                                 "passages.tab", "texts/") if word not in text]
    checks.report("origo-store(5) has the bytes of every file",
                  "not: " + " ".join(lacking) if lacking else "")
    if shutil.which("mandoc") is None:
        return checks.skip("man pages", "mandoc is not installed")
    for page in written + sorted(glob.glob(os.path.join(checks.ROOT, "man/*"))):
        status, out = checks.run(["mandoc", "-Tlint", "-Wwarning", page])
        checks.report("man page: " + os.path.basename(page),
                      "" if status == 0 else out or "mandoc failed")


main(sys.argv[1])
checks.finish()
