#!/usr/bin/env python3
"""The man pages that the build writes, and those of file formats in man/, have no
faults, and no command or public header lacks one:
tests/tools/test_man_pages.py BUILD"""

import glob
import os
import re
import shutil
import sys

import checks


def commands(build):
    """Those that the first page of help lists; a family with its members."""
    _, text = checks.run([os.path.join(build, "cli", "origo"), "--help"])
    names = []
    for line in re.findall(r"^  ([a-z-]+  .*)$",
                           text.split("'origo COMMAND -h'")[0], re.M):
        name, brief = line.split(None, 1)
        members = re.fullmatch(r"[a-z]+(?:, [a-z]+)+", brief)
        names += ([name + "-" + member for member in brief.split(", ")]
                  if members else [name])
    return names


def main(build):
    written = sorted(glob.glob(os.path.join(build, "cli", "*.1")) +
                     glob.glob(os.path.join(build, "eval", "*.1")) +
                     glob.glob(os.path.join(build, "*.[35]")))
    there = {os.path.basename(page) for page in written}
    wanted = ["origo.1"] + ["origo-%s.1" % name for name in commands(build)]
    for header in glob.glob(os.path.join(checks.ROOT, "include/origo/*.h")):
        name = os.path.splitext(os.path.basename(header))[0]
        wanted.append("origo.3" if name == "origo" else "origo_%s.3" % name)
    missing = sorted(set(wanted) - there)
    checks.report("every command and every header has a man page",
                  "" if len(wanted) > 40 and not missing
                  else "missing: %s" % " ".join(missing))
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
