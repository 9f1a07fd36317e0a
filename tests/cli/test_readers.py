#!/usr/bin/env python3
"""What the readers must bear: input that means harm, through the command.

usage: tests/cli/test_readers.py ORIGO

A line of 500 MB, objects nested 100,000 deep, packed data that unpacks to
gigabytes, pages of 100,000 boxes, a record that says it is 10^18 bytes long,
names that are not UTF-8, JSONL in other units than bytes. Each ends soon, in bounded memory, names what it
skipped, and the documents around it go in."""

import gzip
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ORIGO = os.path.abspath(sys.argv[1])
failures = []


def check(what, is_true, more=""):
    print("%s %s" % ("ok" if is_true else "FAILED", "readers: " + what))
    if not is_true:
        failures.append(what)
        print("    " + str(more)[:2000].replace("\n", "\n    "))


def simhash(*arguments, feed=None, timeout=120):
    """(ids, what it said, peak memory in MB)"""
    process = subprocess.Popen(
        [ORIGO, "simhash", *map(str, arguments)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, stdin=subprocess.PIPE)
    if feed is not None:
        try:
            for piece in feed:
                process.stdin.write(piece)
        except BrokenPipeError:
            pass
    out, err = process.communicate(timeout=timeout)
    said = err.decode("utf-8", "replace")
    peak = re.search(r"peak memory (\d+) MB", said)
    ids = [line.split(b"\t")[0] for line in out.splitlines()]
    return ids, said, int(peak.group(1)) if peak else None


def is_small(peak):
    """Sanitizers take their share, so they are not measured."""
    return "ASAN_OPTIONS" in os.environ or (peak is not None and peak < 400)


GOOD = b'{"id":"good","text":"a short one that goes in"}\n'


def test_long_line(place):
    def feed():
        yield b'{"id":"long","text":"'
        for _ in range(500):
            yield b"abcdefg hi" * 100_000
        yield b'"}\n' + GOOD
    ids, said, peak = simhash("-", feed=feed())
    check("a JSON line of 500 MB", ids == [b"good"] and
          "longer than 33554432 bytes" in said and is_small(peak), said)


def test_deep_object(place):
    deep = b'{"id":"deep","x":' + b"[" * 100_000 + b"]" * 100_000 + \
        b',"text":"x"}\n'
    ids, said, _ = simhash("-", feed=[deep, GOOD])
    check("an object nested 100,000 deep", ids == [b"good"] and
          "levels of nesting" in said, said)


def bomb(n_bytes):
    """Spaces in a line of JSONL, a good line behind it."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1, mtime=0) as f:
        f.write(b'{"id":"bomb","text":"')
        piece = b" " * (1 << 20)
        for _ in range(n_bytes >> 20):
            f.write(piece)
        f.write(b'"}\n' + GOOD)
    return out.getvalue()


def test_bomb(place):
    path = place / "bomb.jsonl.gz"
    path.write_bytes(bomb(300 << 20))
    ids, said, peak = simhash("--max-document", "1M", path)
    check("a gzip bomb", ids == [b"good"] and is_small(peak) and
          "longer than 1000000 bytes" in said, said)
    # By a pipe: what this process takes would count as origo's peak.
    command = 'gzip -dc "$0" | zstd -q -o "$1"'
    subprocess.run(["sh", "-c", command, str(path),
                    str(place / "bomb.jsonl.zst")], check=True)
    ids, said, peak = simhash("--max-document", "1M",
                              place / "bomb.jsonl.zst")
    check("a zstd bomb", ids == [b"good"] and is_small(peak), said)


def test_limit_that_memory_implies(place):
    """A sixteenth of the memory that is granted, or of the usual 512 MiB."""
    path = place / "bomb.jsonl.gz"
    good = place / "good.jsonl"
    good.write_bytes(GOOD)
    path.write_bytes(bomb(40 << 20))
    for arguments, limit in (
            (["simhash", path], 33554432), (["minhash", path], 33554432),
            (["compare", path, good], 33554432),
            (["compare", good, path], 33554432),
            (["idf", "-m", "64M", "-o", place / "idf", path], 4000000),
            (["read", "-o", place / "read", path, good], 33554432),
            (["phrases", path], 4194304),
            (["phrases", "--memory", "8M", path], 2097152)):
        done = subprocess.run([ORIGO, *map(str, arguments)],
                              capture_output=True, text=True, check=False)
        check("the limit of %s %s" % (arguments[0], arguments[1]),
              done.returncode == 0 and
              "bomb.jsonl.gz:1: the record is longer than %d bytes (skipped; "
              "--max-document" % limit in done.stderr, done.stderr)


def test_cut(place):
    data = gzip.compress(GOOD * 1000, mtime=0)
    path = place / "cut.jsonl.gz"
    path.write_bytes(data[:-20])
    ids, said, _ = simhash(path)
    check("truncated gzip", len(ids) > 0 and "truncated" in said, said)
    packed = subprocess.run(["zstd", "-q", "-c"], stdout=subprocess.PIPE,
                            input=GOOD * 100_000)
    path = place / "cut.jsonl.zst"
    path.write_bytes(packed.stdout[:-20])
    ids, said, _ = simhash(path)
    check("truncated zstd", "truncated" in said, said)


def test_pages(place):
    words = "and here are the words of the page, at last"
    path = place / "deep.html"
    path.write_text("<div>" * 100_000 + words + "</div>" * 100_000)
    ids, said, peak = simhash(path)
    check("HTML nested 100,000 deep", len(ids) == 1 and "10 tokens" in said,
          said)
    path = place / "zeros.html"
    path.write_bytes(b"<html>\0<p>one\0two three\0</p>\0four")
    ids, said, _ = simhash(path)
    check("HTML with zeros", len(ids) == 1, said)
    path = place / "wrong.html"
    path.write_bytes(b"<meta charset=shift_jis><p>gr\xc3\xbcn sch\xc3\xb6n "
                     b"\xc3\xa4 \xc3\xb6 \xc3\xbc und so weiter")
    done = subprocess.run([ORIGO, "trace", "-s", ":memory:", "-f", "text",
                           str(path)], capture_output=True)
    check("HTML with a wrong charset", "grün schön".encode() in done.stdout,
          done.stdout)
    path = place / "long.html"
    with open(path, "w") as f:
        f.write("<article>")
        for i in range(4_000):
            f.write("<p>Number %d of many, which, all together, are long.\n"
                    % i * 50)
    ids, said, peak = simhash(path)
    check("HTML of 11 MB", len(ids) == 1, said)
    ids, said, peak = simhash("--max-document", "1M", path)
    check("HTML that is too long", ids == [] and "longer than" in said and
          is_small(peak), said)


def record(identity, text, length=None):
    return (b"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <%s>\r\n"
            b"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
            % (identity, len(text) if length is None else length, text))


def test_archive(place):
    path = place / "x.warc"
    path.write_bytes(record(b"a", b"first") +
                     record(b"b", b"huge", 10 ** 18) +
                     record(b"c", b"third"))
    ids, said, peak = simhash(path)
    check("a record of 10^18 bytes", ids == [b"a", b"c"] and
          "the record is longer than 33554432 bytes" in said, said)


def test_entities(place):
    (place / "secret").write_text("the secret words")
    path = place / "x.xml"
    path.write_text('<!DOCTYPE r [<!ENTITY e SYSTEM "%s">]><r>&e;</r>'
                    % (place / "secret"))
    ids, said, _ = simhash(path)
    check("XML with an external entity", ids == [] and
          "uses an entity, 'e'" in said, said)


def test_wide_lines(place):
    """Read, or an error: never no document and status 0."""
    path = place / "wide.jsonl"
    for charset in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le",
                    "utf-32-be"):
        path.write_bytes((GOOD * 2).decode("ascii").encode(charset))
        done = subprocess.run([ORIGO, "read", "-q", path], capture_output=True)
        n = done.stdout.count(b"\n")
        is_read = done.returncode == 0 and n == 2
        is_refused = done.returncode == 3 and n == 0 and charset != "utf-16"
        check("JSONL in " + charset, is_read or is_refused, done)


def test_names(place):
    folder = os.fsencode(place / "names")
    os.mkdir(folder)
    with open(folder + b"/caf\xe9.txt", "wb") as f:
        f.write(b"one two three four five six seven eight nine")
    done = subprocess.run([os.fsencode(ORIGO), b"trace", b"-q", b"-s",
                           b":memory:", b"-f", b"json", folder],
                          capture_output=True)
    check("a name that is not UTF-8", done.returncode == 0 and
          "caf\ufffd.txt" in done.stdout.decode("utf-8"), done.stdout)
    (place / "list").write_bytes(folder + b"/caf\xe9.txt\n")
    ids, said, _ = simhash("--files-from", place / "list")
    check("such a name in a list", ids == [folder + b"/caf\xe9.txt"], said)


def main():
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            with tempfile.TemporaryDirectory(prefix="origo-readers-") as place:
                test(pathlib.Path(place))
    print("%d failed" % len(failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
