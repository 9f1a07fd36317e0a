#!/usr/bin/env python3
"""origo dedup: kill -9, then --resume gives the bytes of a run that was not
killed.

usage: tests/cli/test_dedup_crash.py ORIGO [CASE...]"""

import random
import signal
import subprocess
import sys
import time

from dedup_support import (ORIGO, dedup, origo, words, write_jsonl, run_cases)


def test_kill_and_resume(place):
    rng = random.Random(22)
    texts = [" ".join(words(rng, 100)) for _ in range(300)]
    with open(place / "in.jsonl", "w") as f:
        for i in range(40000):
            text = texts[i % 300] if i % 3 == 0 else " ".join(words(rng, 40))
            f.write('{"id":"d%d","text":"%s"}\n' % (i, text))
    expected, report, _ = dedup(place)
    whole = (place / "out.jsonl").read_bytes()
    whole_report = (place / "report.jsonl").read_bytes()
    resumed = 0
    for memory in ([], ["-m", "2M"]):
        command = ["dedup", "-j", 1, "--resume", "--journal-every", 0.01, "-o", place / "out.jsonl",
                   "-r", place / "report.jsonl", "--report-format", "jsonl",
                   *memory, place / "in.jsonl"]
        for path in (place / "out.jsonl", place / "report.jsonl"):
            path.unlink(missing_ok=True)
        for attempt in range(12):
            process = subprocess.Popen([ORIGO, *map(str, command)],
                                       stderr=subprocess.PIPE)
            try:
                process.wait(0.05 + 0.05 * attempt)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                process.stderr.close()
                if not (place / "out.jsonl").exists():
                    continue
                break
            assert process.returncode == 0, process.stderr.read()
            resumed += b"had been decided in an earlier run" in process.stderr.read()
            process.stderr.close()
            break
        else:
            done = origo(*command)
            assert done.returncode == 0, done.stderr
            resumed += b"had been decided in an earlier run" in done.stderr
        assert (place / "out.jsonl").read_bytes() == whole
        assert (place / "report.jsonl").read_bytes() == whole_report
        done = origo(*command)
        assert done.returncode == 0, done.stderr
        assert sorted(p.name for p in place.iterdir()) == \
            ["in.jsonl", "out.jsonl", "report.jsonl"]
        assert (place / "out.jsonl").read_bytes() == whole
    assert resumed > 0, "no run went on from a journal"


def run_until_killed(command, journal, more):
    """Kills it when the journal has become so much longer; True when it ended
    before that."""
    size = journal.stat().st_size if journal.exists() else 0
    process = subprocess.Popen([ORIGO, *map(str, command)],
                               stderr=subprocess.DEVNULL)
    while process.poll() is None:
        if journal.exists() and journal.stat().st_size >= size + more:
            process.kill()
        time.sleep(0.0005)
    assert process.returncode in (0, -signal.SIGKILL)
    return process.returncode == 0


def test_pieces_resume(place):
    """Lines, sentences and passages: killed again and again, then the same
    bytes, with the rejects once."""
    rng = random.Random(23)
    pool = [" ".join(words(rng, 60)) for _ in range(60)]
    with open(place / "in.jsonl", "w") as f:
        for i in range(10000):
            text = rng.choice(pool) + ".\\n" + " ".join(words(rng, 30)) + "."
            f.write('{"id":"d%d","text":"%s"}\n' % (i, text))
            if i % 100 == 0:
                f.write("not json %d\n" % i)
    names = ["out.jsonl", "report.jsonl", "rejects"]
    for level, more in (("line", []), ("line", ["-m", "2M"]),
                        ("sentence", []), ("passage", [])):
        command = ["dedup", "-j", 1, "--resume", "--journal-every", 0.005,
                   "--level", level, "-o", place / "out.jsonl", "-r",
                   place / "report.jsonl", "--report-format", "jsonl",
                   "--rejects", place / "rejects", *more, place / "in.jsonl"]
        assert origo(*command).returncode == 0
        whole = [(place / n).read_bytes() for n in names]
        assert whole[2].count(b"\n") == 100
        for n in names:
            (place / n).unlink()
        kills = 0
        for frames in (1, 3, 2):
            if run_until_killed(command, place / "out.jsonl.journal",
                                100 + 300 * (frames - 1)):
                break
            kills += 1
            assert not (place / "out.jsonl").exists()
        done = origo(*command)
        assert done.returncode == 0, done.stderr
        assert kills == 0 or b"had been decided in an earlier run" in done.stderr, done.stderr
        assert kills > 0, (level, more, "it was never killed")
        assert [(place / n).read_bytes() for n in names] == whole, level
        assert sorted(p.name for p in place.iterdir()) == \
            sorted(["in.jsonl"] + names)
        for n in names:
            (place / n).unlink()


def test_journal_of_another_run(place):
    write_jsonl(place / "in.jsonl", ["one text", "another text"])
    (place / "out.part").write_bytes(b"")
    (place / "out.journal").write_bytes(b"origo dedup journal 1\n" + bytes(8))
    done = origo("dedup", "--resume", "-o", place / "out", place / "in.jsonl")
    assert done.returncode == 3 and b"another" not in done.stdout
    assert b"of an earlier version" in done.stderr, done.stderr


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
