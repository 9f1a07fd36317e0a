#!/usr/bin/env python3
"""One document of 10^8 tokens, 200 MB, through stdin.

usage: tests/cli/test_giant.py ORIGO [N_TOKENS]

A document that long is answered like any other: one line, the right number of
tokens, and a short one behind it that copies its end finds it. Prints time and
peak memory. Not part of the quick tests: it takes minutes under sanitizers and
some gigabytes of memory."""

import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

BLOCK_TOKENS = 1_000_000
ALPHABET = b"abcdefghijklmnopqrstuvwxyz0123456789"
LETTERS = bytes(ALPHABET[b % len(ALPHABET)] for b in range(256))


def block(rng, n_tokens):
    """Tokens of one letter, a space behind each."""
    out = bytearray(b" " * (2 * n_tokens))
    out[0::2] = rng.randbytes(n_tokens).translate(LETTERS)
    return bytes(out)


def write_stream(path, n_tokens):
    rng = random.Random(1)
    with open(path, "wb") as f:
        f.write(b'{"id":"giant","time":"2001-01-01","text":"')
        left = n_tokens
        while left > 0:
            n = min(left, BLOCK_TOKENS)
            f.write(block(rng, n))
            left -= n
        tail = block(rng, 300)
        f.write(tail + b'"}\n{"id":"copy","time":"2002-01-01","text":"')
        f.write(tail + b'"}\n')


def run(origo, path):
    command = [origo, "trace", "-s", ":memory:", "--format", "json",
               "--max-document", "1Gi", "--memory", "256M", "-"]
    started = time.monotonic()
    with open(path, "rb") as stream:
        done = subprocess.run(command, stdin=stream, capture_output=True)
    seconds = time.monotonic() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    sys.stdout.write(done.stderr.decode("utf-8", "replace"))
    print(f"{seconds:.1f} s, peak memory {peak:.0f} MiB")
    if done.returncode != 0:
        sys.exit(f"FAILED: status {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def free_memory():
    with open("/proc/meminfo") as f:
        for line in f:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    return 0


def usual_length():
    """One of 10^8 tokens takes about 5 GiB; one of 3 million always fits."""
    if free_memory() >= 8 << 30:
        return 10**8
    print("SKIPPED a document of 10^8 tokens: under 8 GiB of memory are free; "
          "one of 3 million instead")
    return 3 * 10**6


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    n_tokens = int(sys.argv[2]) if len(sys.argv) > 2 else usual_length()
    with tempfile.TemporaryDirectory(prefix="origo-giant-") as folder:
        path = pathlib.Path(folder) / "giant.jsonl"
        write_stream(path, n_tokens)
        print(f"{os.path.getsize(path) / 1e6:.0f} MB of input")
        answers = run(os.path.abspath(sys.argv[1]), path)
    checks = [
        ("two answers", [a["id"] for a in answers] == ["giant", "copy"]),
        ("every token counted", answers[0]["n_tokens"] == n_tokens + 300),
        ("the copy is found", answers[1]["novel"] < 0.2),
        ("its origin is right", answers[1]["dominant"] is not None
         and answers[1]["dominant"]["id"] == "giant"),
    ]
    for name, ok in checks:
        print(("ok      " if ok else "FAILED  ") + name)
    failed = sum(not ok for _, ok in checks)
    print(f"{len(checks) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
