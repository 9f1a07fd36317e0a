#!/usr/bin/env python3
"""Memory stays within its cap: tests/cli/test_memory_cap.py ORIGO [MB [MEMORY]]

A stream of MB megabytes (24), with copies, through the commands that read
documents, with --memory MEMORY megabytes (16): each takes at most that and
100 MiB at its peak, with 2 threads and with 8. Prints what each took."""

import json
import os
import pathlib
import random
import sys
import tempfile

failed = 0


def peak_of(command):
    """Peak resident memory in MB, and the status."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    return usage.ru_maxrss * 1024 / 1e6, os.waitstatus_to_exitcode(status)


def write_stream(path, n_bytes):
    """Documents of 50 to 900 words; every third begins with an older one's
    beginning."""
    rng = random.Random(9)
    words = [rng.choice("bcdfghklmnprst") + rng.choice("aeiou") +
             rng.choice("bcdfghklmnprst") + rng.choice("aeiou") + str(i % 97)
             for i in range(20000)]
    older, size, n = [], 0, 0
    with open(path, "w", encoding="ascii") as f:
        while size < n_bytes:
            text = rng.choices(words, k=rng.randrange(50, 900))
            if n % 3 == 2:
                text = rng.choice(older)[:120] + text
            older = (older + [text])[-200:]
            line = json.dumps({"id": f"document-{n:08d}",
                               "title": " ".join(text[:6]),
                               "text": " ".join(text)}) + "\n"
            f.write(line)
            size += len(line)
            n += 1


def check(name, command, most):
    global failed
    peak, status = peak_of(command)
    ok = status == 0 and peak <= most
    failed += not ok
    print(f"{'ok' if ok else 'FAILED'} {name}: {peak:.0f} MB of {most:.0f}, "
          f"status {status}", flush=True)


def main():
    origo = sys.argv[1]
    n_mb = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    memory = int(sys.argv[3]) if len(sys.argv) > 3 else 16
    most = memory + 100 * 1.048576
    cap = f"{memory}M"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stream, out = str(folder / "stream.jsonl"), str(folder / "out.jsonl")
        write_stream(stream, n_mb * 1000000)
        for threads in ("2", "8"):
            store = str(folder / ("store" + threads))
            run = ["-q", "-j", threads]
            make = run + ["--memory", cap]
            check(f"add -j {threads}",
                  [origo, "add", *make, "-s", store + "a", stream], most)
            check(f"trace --add -j {threads}",
                  [origo, "trace", *make, "--add", "-s", store, "-o", out,
                   stream], most)
            check(f"trace :memory: -j {threads}",
                  [origo, "trace", *make, "-s", ":memory:", "-o", out, stream],
                  most)
            check(f"trace -j {threads}",
                  [origo, "trace", *run, "-s", store, "-o", out, stream], most)
            check(f"dedup -j {threads}",
                  [origo, "dedup", *make, "-o", out, stream], most)
        check("export", [origo, "export", "-s", store], most)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
