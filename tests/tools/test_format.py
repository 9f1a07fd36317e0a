#!/usr/bin/env python3
"""`make format` would change nothing."""

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


def main():
    if shutil.which("clang-format") is None:
        return checks.skip("clang-format", "it is not installed")
    version = checks.run(["clang-format", "--version"])[1].strip()
    if not re.search(r"version 14\.", version):
        return checks.skip("clang-format",
                           "it formats like 14 only, this is " + version)
    checks.report("clang-format", "\n".join(wrong_files()))


main()
checks.finish()
