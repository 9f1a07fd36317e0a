#!/usr/bin/env python3
"""A benchmark that fails replaces no results (bench/keep), and no recipe of
bench/bench.mk loses an exit status in a pipe into tee."""

import os
import tempfile

from checks import ROOT, finish, report, run


def content(path):
    with open(path) as f:
        return f.read()


def expect(name, seen, expected):
    report(name, "" if seen == expected else
           "seen %r, expected %r" % (seen, expected))


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "results.txt")
    fine, failing = "echo one", "echo two; exit 3"
    expect("what a run prints is shown",
           run(["bench/keep", path, "sh", "-c", fine]), (0, "one\n"))
    expect("and kept", content(path), "one\n")
    expect("a run that fails has its own status",
           run(["bench/keep", path, "sh", "-c", failing]), (3, "two\n"))
    expect("and replaces nothing", content(path), "one\n")
    run(["bench/keep", "-a", path, "sh", "-c", failing])
    expect("nor is it added", content(path), "one\n")
    run(["bench/keep", "-a", path, "sh", "-c", fine])
    expect("another is", content(path), "one\none\n")

piped = [line.strip() for line in
         content(os.path.join(ROOT, "bench/bench.mk")).splitlines()
         if "| tee" in line or line.strip().startswith("tee ")]
report("results are kept by bench/keep", "\n".join(piped))
finish()
