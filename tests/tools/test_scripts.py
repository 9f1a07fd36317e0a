#!/usr/bin/env python3
"""Every script of the tree can be parsed."""

import sys

import checks

for path in checks.files_of("bash"):
    checks.expect_success("bash -n: " + path, ["bash", "-n", path])
for path in checks.files_of("python"):
    checks.expect_success(
        "python: " + path,
        [sys.executable, "-c", "import sys; compile(open(sys.argv[1]).read(), "
         "sys.argv[1], 'exec')", path])
checks.finish()
