#!/usr/bin/env python3
"""Commands that are programs of their own: 'origo' starts them with the words as
they were typed, and does not load what they are linked with.

usage: tests/cli/test_programs.py ORIGO [CASE...]"""

import os
import shutil
import subprocess
import sys

from dedup_support import ORIGO, Skipped, run_cases

# What only 'serve' and 'follow' need.
NETWORK = ("microhttpd", "gnutls", "curl", "rdkafka", "hiredis")
LINE = '{"id": "%s", "text": "the lamp will be lit again in spring"}\n'


def run(origo, *words, **how):
    return subprocess.run([origo, *words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, **how)


def test_no_network_libraries(_):
    if shutil.which("readelf") is None:
        raise Skipped("readelf is not installed")
    needed = subprocess.run(["readelf", "-d", ORIGO], check=True,
                            stdout=subprocess.PIPE,
                            universal_newlines=True).stdout
    if "NEEDED" not in needed:
        raise Skipped("%s is not a program of this system" % ORIGO)
    assert not [name for name in NETWORK if "[lib" + name in needed], needed


def test_words_as_typed(place):
    """Operands between options, and one that looks like an option."""
    for name in ("-a.jsonl", "b.jsonl"):
        (place / name).write_text(LINE % name)
    done = run(ORIGO, "follow", "b.jsonl", "--once", "-q", "-sstore", "--",
               "-a.jsonl", cwd=place)
    assert done.returncode == 0, done
    stored = run(ORIGO, "export", "-s", "store", cwd=place).stdout
    assert stored.count("\n") == 2 and "-a.jsonl" in stored, stored


def test_missing_program(place):
    """An installation without it: help and wrong usage are answered, the rest is
    refused with the name of the program."""
    alone = place / "deep" / "er" / "origo"
    alone.parent.mkdir(parents=True)
    shutil.copy(ORIGO, alone)
    nowhere = dict(os.environ, PATH=str(place))
    for command in ("follow", "serve"):
        shown = run(alone, command, "--help", env=nowhere)
        if shown.returncode == 2:
            continue  # built without a server
        assert shown.returncode == 0 and "usage:" in shown.stdout, shown
        wrong = run(alone, command, "--bogus", env=nowhere)
        assert wrong.returncode == 2, wrong
        words = ("-s", ":memory:") + (("x",) if command == "follow" else ())
        done = run(alone, command, *words, env=nowhere)
        assert done.returncode == 3, done
        assert "'origo-%s'" % command in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
