#!/usr/bin/env python3
"""tests/run_cases.py: names choose tests, and a name that no test has is an error."""

import os
import subprocess
import sys
import tempfile

import checks

SCRIPT = """
import sys
sys.path.insert(1, %r)
import run_cases

def test_one(program):
    assert program == "/bin/true"

def test_two():
    return "no reason"

run_cases.main(globals())
""" % os.path.join(checks.ROOT, "tests")
CASES = (
    (["/bin/true"], 0, "ok test_one\nSKIPPED test_two: no reason\n"),
    (["/bin/true", "test_one"], 0, "ok test_one\n"),
    (["/bin/false", "test_one"], 1, "FAILED test_one\n"),
    (["/bin/true", "test_thre"], 1, ""),
    (["/bin/true", "test_one", "test_thre"], 1, ""),
)


def main():
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "test_of_cases.py")
        with open(path, "w", encoding="ascii") as f:
            f.write(SCRIPT)
        for arguments, status, output in CASES:
            done = subprocess.run([sys.executable, path, *arguments],
                                  capture_output=True, text=True, check=False)
            said = "no such test: test_thre\n" if "test_thre" in arguments else None
            ok = (done.returncode == status and done.stdout == output and
                  said in (None, done.stderr))
            print("ok" if ok else "FAILED", *arguments)
            if not ok:
                sys.exit(1)


if __name__ == "__main__":
    main()
