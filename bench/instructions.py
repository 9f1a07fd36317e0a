#!/usr/bin/env python3
"""How many instructions does a command take, and how many did it take before?

    bench/instructions.py FILE.jsonl ORIGO [BEFORE]

ORIGO and BEFORE are two builds of the command; valgrind counts what each does
with the documents of FILE, on one thread. Instructions do not depend on what
else the machine does. Those of the start, which is mostly the work of the
dynamic linker, are taken off the others. The last column is ORIGO / BEFORE.
"""

import os
import re
import subprocess
import sys
import tempfile

MEMORY = "16M"  # of the table: providing its pages is not what is asked


def steps(file):
    """(name, arguments). Stores are in memory: valgrind has no room for the
    map of a catalogue on disk."""
    memory = ["--threads", "1", "--memory", MEMORY, "-s", ":memory:"]
    return [
        ("start", ["--version"]),
        ("front end", ["simhash", "--threads", "1", file]),
        ("add", ["add", "-q"] + memory + [file]),
        ("trace", ["trace", "--add", "--format", "json"] + memory + [file]),
        # What both took when stores in memory kept no texts.
        ("add, no texts", ["add", "-q", "--no-texts"] + memory + [file]),
        ("trace, no texts", ["trace", "--add", "--no-texts", "--format",
                             "json"] + memory + [file]),
        ("dedup", ["dedup", "-q", "--threads", "1", "-o", "KEPT", file]),
    ]


def count(origo, arguments, folder):
    arguments = [os.path.join(folder, a) if a == "KEPT" else a
                 for a in arguments]
    command = ["valgrind", "--tool=callgrind",
               "--callgrind-out-file=" + os.path.join(folder, "out"), origo]
    with open(os.path.join(folder, "stdout"), "wb") as out:
        done = subprocess.run(command + arguments, stdout=out,
                              stderr=subprocess.PIPE)
    story = done.stderr.decode("utf-8", "replace")
    found = re.search(r"Collected : (\d+)", story)
    if done.returncode != 0 or not found:
        sys.exit("%s\nfailed: %s" % (story, " ".join(command + arguments)))
    return int(found.group(1))


def count_all(origo, file):
    with tempfile.TemporaryDirectory() as folder:
        counts = {name: count(origo, arguments, folder)
                  for name, arguments in steps(file)}
    return {name: n if name == "start" else n - counts["start"]
            for name, n in counts.items()}


def main(argv):
    if len(argv) not in (2, 3):
        sys.exit(__doc__)
    now = count_all(argv[1], argv[0])
    before = count_all(argv[2], argv[0]) if len(argv) == 3 else {}
    print("%-15s %15s %15s  %s" % ("step", "instructions", "before", "ratio"))
    for name, n in now.items():
        was = before.get(name)
        print("%-15s %15d %15s  %s" % (
            name, n, was or "-", "%.3f" % (n / was) if was else "-"))


if __name__ == "__main__":
    main(sys.argv[1:])
