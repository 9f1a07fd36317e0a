#!/usr/bin/env python3
"""`make format` would change nothing, and no drawing in a comment has been poured
into a paragraph: clang-format does that when one of its lines is too long."""

import os
import re
import shutil

import checks


def wrong_files():
    files = checks.files_of("c")
    for at in range(0, len(files), 50):
        some = files[at:at + 50]
        if checks.run(["clang-format", "--dry-run", "-Werror"] + some)[0] == 0:
            continue
        for path in some:
            if checks.run(["clang-format", "--dry-run", "-Werror", path])[0]:
                yield path


# A line of prose (one blank after the star) with a gap as between two columns.
POURED = re.compile(r"^ *\* [^ *].*[\w.,;:)>] {3,}(?!\*/)[^ *]")


def poured_drawings():
    for path in checks.files_of("c"):
        with open(os.path.join(checks.ROOT, path), encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                if POURED.match(line):
                    yield "%s:%d: %s" % (path, number, line.strip())


def main():
    checks.report("drawings in comments", "\n".join(poured_drawings()))
    if shutil.which("clang-format") is None:
        return checks.skip("clang-format", "it is not installed")
    version = checks.run(["clang-format", "--version"])[1].strip()
    if not re.search(r"version 14\.", version):
        return checks.skip("clang-format",
                           "it formats like 14 only, this is " + version)
    checks.report("clang-format", "\n".join(wrong_files()))


main()
checks.finish()
