#!/usr/bin/env python3
"""The commands of the README and of the guides work when they are pasted, in
the order of the page: tests/tools/test_readme.py BUILD. The output with which the
README begins is what origo prints.

A block ```sh is left out when the line above it reads
<!-- not tested: the reason -->"""

import glob
import os
import shutil
import sys
import tempfile

import checks


def blocks_of(path):
    """(line, commands) of every block to run."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    start = None
    for i, line in enumerate(lines):
        if start is None and line.strip() == "```sh":
            above = next((l for l in reversed(lines[:i]) if l.strip()), "")
            start = -1 if above.startswith("<!-- not tested:") else i + 1
        elif start is not None and line.strip() == "```":
            if start >= 0:
                yield start, "\n".join(lines[start:i])
            start = None


def copy_tree(build, folder):
    """The tree as a stranger has it, with the build in its usual place."""
    copy = os.path.join(folder, "origo")
    shutil.copytree(checks.ROOT, copy, symlinks=True,
                    ignore=shutil.ignore_patterns(
                        ".git", "build", "build-*", "__pycache__"))
    os.makedirs(os.path.join(copy, "build"))
    os.symlink(build, os.path.join(copy, "build", "release"))
    return copy


def first_output(path):
    """The first block of the page that is indented, without its indent."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("    "))
    end = next(i for i in range(start, len(lines))
               if lines[i] and not lines[i].startswith("    "))
    return "\n".join(line[4:] for line in lines[start:end]).strip("\n")


def check_first_output(build, page):
    status, out = checks.run(
        [os.path.join(build, "cli/origo"), "trace", "-q", "-s", ":memory:",
         "--format", "text", os.path.join(checks.ROOT, "sample/documents.jsonl")])
    shown = status == 0 and first_output(page) in out
    checks.report("README.md: its first output is what origo prints",
                  "" if shown else "not in this output:\n" + out)


def main(build):
    pages = [os.path.join(checks.ROOT, "README.md")]
    check_first_output(build, pages[0])
    pages += sorted(glob.glob(os.path.join(checks.ROOT, "docs/guide-*.md")))
    for page in pages:
        name = os.path.relpath(page, checks.ROOT)
        with tempfile.TemporaryDirectory(prefix="origo-readme-") as folder:
            copy = copy_tree(build, folder)
            for line, commands in blocks_of(page):
                checks.expect_success(
                    "%s: commands of line %d" % (name, line),
                    ["bash", "-euo", "pipefail", "-c", commands], cwd=copy)


main(os.path.abspath(sys.argv[1]))
checks.finish()
