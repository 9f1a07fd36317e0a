#!/usr/bin/env python3
"""The shared library exports what include/ declares, and nothing else; the
static one defines og_ names alone: tests/tools/test_symbols.py BUILD"""

import os
import re
import shutil
import sys

import checks


def declared_names():
    folder = os.path.join(checks.ROOT, "include/origo")
    names = set()
    for header in os.listdir(folder):
        with open(os.path.join(folder, header)) as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        names.update(re.findall(r"^OG_API[^;(]*?\b(og_\w+)\(", text, re.M))
    return names


def symbols_of(library, *flags):
    status, out = checks.run(["nm", "--defined-only", "--format=posix",
                              *flags, library])
    if status != 0:
        checks.report("nm reads " + library, out or "it does not")
        checks.finish()
    return {line.split()[0] for line in out.splitlines()
            if len(line.split()) >= 3}


def main(build):
    if shutil.which("nm") is None:
        return checks.skip("symbols", "nm is not installed")
    folder = os.path.join(build, "lib")
    exported = symbols_of(os.path.join(folder, "liborigo.so"), "-D")
    declared = declared_names()
    wrong = ["exported, not in include/: " + s
             for s in sorted(exported - declared)]
    wrong += ["in include/, not exported: " + s
              for s in sorted(declared - exported)]
    checks.report("the shared library exports what include/ declares",
                  "\n".join(wrong))
    status, out = checks.run([os.path.join(checks.ROOT, "tools/debian_symbols"),
                              "--check"])
    checks.report("debian/liborigo0.symbols lists them",
                  "" if status == 0 else out or "it does not")
    alien = [s for s in sorted(symbols_of(os.path.join(folder, "liborigo.a"),
                                          "-g")) if not s.startswith("og_")]
    checks.report("the static library defines og_ names alone",
                  "\n".join(alien))


main(sys.argv[1])
checks.finish()
