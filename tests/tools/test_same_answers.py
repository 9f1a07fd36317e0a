#!/usr/bin/env python3
"""The level of the processor changes no byte of an answer:
tests/tools/test_same_answers.py BUILD

A level that this machine lacks is skipped by name: origo would take the next
lower one, and the test would compare it with itself."""

import os
import sys

import checks

FLAGS = {"plain": [], "sse42": ["sse4_2"], "avx2": ["avx2", "pclmulqdq"],
         "avx512": ["avx512f", "avx512bw", "avx512vl", "vpclmulqdq"]}


def machine_flags():
    try:
        with open("/proc/cpuinfo") as f:
            for line in f:
                if line.startswith("flags"):
                    return set(line.split(":")[1].split())
    except OSError:
        pass
    return set()


def main(build):
    has = machine_flags()
    expected = None
    for level, needed in FLAGS.items():
        missing = [flag for flag in needed if flag not in has]
        if missing:
            checks.skip("same answers: " + level,
                        "this machine has no " + ", ".join(missing))
            continue
        status, out = checks.run(
            [os.path.join(build, "cli", "origo"), "trace", "-q", "-s",
             ":memory:", "--format", "json", "sample/documents.jsonl"],
            env={"ORIGO_CPU": level})
        expected = expected or out
        ok = status == 0 and out == expected
        checks.report("same answers: " + level,
                      "" if ok else "not the bytes of plain C: status %d"
                      % status)


main(sys.argv[1])
checks.finish()
