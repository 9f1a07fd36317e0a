#!/usr/bin/env python3
"""The library keeps the rules of tools/check_library.py, and the tool finds what
breaks them."""

import os
import sys
import tempfile

import checks

TOOL = os.path.join(checks.ROOT, "tools", "check_library.py")
BAD = {
    "memory": ("lib/a/x.c", "void *p = malloc(3);", "calls malloc()"),
    "option": ("lib/a/x.c", 'fail("use --keep first");', "command line"),
    "command": ("lib/a/x.c", "fail(\"'origo add' makes one\");",
                "command line"),
    "parsing": ("lib/a/x.c", "x = strtod(s, NULL);", "locale"),
    "no test": ("lib/a/z.c", "int og_z(void);", "has no test"),
    "header": ("include/origo/x.h", "/* See lib/a/x.c. */", "sends the reader"),
    "printing": ("lib/a/x.c", 'snprintf(s, n,\n "%.1f MB", x);', "locale"),
}
GOOD = """/* --keep, malloc() and 'origo add' are for comments; strtod(), too. */
og_error_set(err, OG_ERR_USAGE, "threshold %g", x);
const char *name = "<!-- a page --><p style='x'>--";
"""


def check(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w") as file:
                file.write(text)
        return checks.run([sys.executable, TOOL, "--root", root])


checks.expect_success("library", [sys.executable, TOOL])
status, out = check({"lib/a/x.c": GOOD})
checks.report("a good file", out)
for name, (path, text, expected) in BAD.items():
    files = {"lib/a/y.c": GOOD, path: text, "tests/unit/test_x.c": "og_x();",
             "lib/a/x.h": "int og_x(void);\n", "lib/a/x.c": ""}
    if name == "no test":
        files["lib/a/z.h"] = "int og_z(void);\n"
    files[path] = text
    status, out = check(files)
    checks.report("finds: " + name, "" if status == 1 and expected in out
                  and len(out.splitlines()) == 1 else out or "nothing")
checks.finish()
