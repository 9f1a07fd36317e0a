"""Documents of one kind, as many as one likes, and what a command takes for them.

Shared by the tests of growth (tests/cli/test_growth.py, small) and by
tests/soak.py (up to a million)."""

import math
import os
import random

MOST_SLOPE = 1.15
COMMON = random.Random(2).sample(["w%d" % i for i in range(1000)], 60)
TEMPLATE = random.Random(3).choices(["t%d" % i for i in range(3000)], k=300)
WORDS = """harbour keeper lantern winter morning captain letter village garden
bridge market river window summer evening island journey silver shadow forest
mirror candle thunder meadow velvet copper orchard pebble""".split()


def apart(i):
    """Two of these have a similarity of 31 / 41: each is kept."""
    return " ".join(COMMON[:20] + ["u%d" % i] + COMMON[21:40])


def alike(i):
    """Two of these have 56 of 58 shingles in common."""
    return " ".join(COMMON + ["u%d" % i])


def equal(_):
    return " ".join(COMMON)


def template(i):
    """A long form with 12 words filled in: two of these have a similarity of
    236 / 356, and too many shingles for the 16 bytes of a short document."""
    words = list(TEMPLATE)
    for k in range(12):
        words[10 + 24 * k] = "u%dk%d" % (i, k)
    return " ".join(words)


def sentence(i):
    """Two of these differ in at most eight of 28 words."""
    left_out = set(random.Random(i).sample(range(len(WORDS)), 4))
    words = [w for k, w in enumerate(WORDS) if k not in left_out]
    return " ".join(words).capitalize() + "."


def lines(i):
    return "\\n".join("line %d of all" % (40 * i + k) for k in range(40))


def write_input(path, text, n):
    with open(path, "w", encoding="ascii") as f:
        for i in range(n):
            f.write('{"id":"%d","text":"%s"}\n' % (i, text(i)))


class Used:
    """What a command took: CPU seconds, peak memory in MB, files that are left
    in STORE, its status and what it said."""


def measure(args, said, store):
    """Runs a command; `said` is a file for what it says."""
    flags = os.O_CREAT | os.O_WRONLY | os.O_TRUNC
    pid = os.posix_spawn(args[0], args, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, said, flags, 0o600)])
    _, status, rusage = os.wait4(pid, 0)
    used = Used()
    with open(said, encoding="utf-8", errors="replace") as f:
        used.said = f.read()
    used.status = os.waitstatus_to_exitcode(status)
    used.cpu = rusage.ru_utime + rusage.ru_stime
    used.peak = rusage.ru_maxrss * 1024 / 1e6
    used.n_files = sum(len(files) for _, _, files in os.walk(store))
    return used


def run(origo, place, text, command, n):
    """Runs it; IN, OUT and STORE of the command are paths in `place`."""
    names = {name: os.path.join(place, name) for name in ("IN", "OUT", "STORE")}
    names["IN"] += ".jsonl"
    write_input(names["IN"], text, n)
    args = [origo] + [names.get(word, word) for word in command.split()]
    used = measure(args, os.path.join(place, "said"), names["STORE"])
    if used.status != 0:
        raise AssertionError("%s: status %d: %s" % (" ".join(args), used.status,
                                                    used.said))
    return used


def slope(n, small, larger_n, large):
    """The exponent: 1 is linear."""
    return (math.log(max(large, 0.01) / max(small, 0.01)) /
            math.log(larger_n / n))
