#!/usr/bin/env python3
"""No path of one machine, and no data of elsewhere where tests look."""

import os
import re

import checks

PATTERN = re.compile(r"(^|[^\w.])/(work|root|home)/|\.\./shared")
LOOKED_AT = re.compile(r"(tests|\.ci|tools|lib|cli|eval|examples)/|Makefile$|"
                       r".*meson\.build$")


def offences(path):
    try:
        with open(os.path.join(checks.ROOT, path), encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                if PATTERN.search(line):
                    yield "%s:%d: %s" % (path, number, line.strip())
    except UnicodeDecodeError:
        pass


found = []
for name in checks.files_of("all"):
    if LOOKED_AT.match(name) and name != "tests/tools/test_paths.py":
        found += offences(name)
checks.report("no path of one machine", "\n".join(found))
checks.finish()
