#!/usr/bin/env python3
"""origo dedup: formats of the input, and bad input.

usage: tests/cli/test_dedup_input.py ORIGO [CASE...]"""

import gzip
import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys

from dedup_support import (dedup, family_texts, origo, read_lines, words,
                           write_jsonl, run_cases)


def test_packed_and_piped(place):
    texts = family_texts(16)
    write_jsonl(place / "in.jsonl", texts)
    expected = dedup(place)
    plain = (place / "in.jsonl").read_bytes()
    (place / "in.jsonl.gz").write_bytes(gzip.compress(plain))
    assert dedup(place, name="in.jsonl.gz")[0] == expected[0]
    assert dedup(place, "-m", "20k", name="in.jsonl.gz")[0] == expected[0]
    done = origo("dedup", "-", input=plain)
    assert done.returncode == 0
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == \
        expected[0]


def test_packed_behind_a_skippable_frame(place):
    """A zstd file may begin with a frame that is to be skipped: its lines are
    not at the offsets of their text, and must not be read there again."""
    zstd = shutil.which("zstd")
    if zstd is None:
        raise Skipped("zstd is not installed")
    rng = random.Random(47)
    text = " ".join(words(rng, 60))
    filler = [" ".join(words(rng, 60)) for _ in range(1500)]
    write_jsonl(place / "in.jsonl", [text] + filler + [text + " end"])
    expected = dedup(place)
    assert len(expected[0]) == 1501
    frame = subprocess.run([zstd, "-qc", place / "in.jsonl"], check=True,
                           capture_output=True).stdout
    skipped = struct.pack("<II", 0x184D2A50, 5) + b"hello"
    (place / "in.jsonl.zst").write_bytes(skipped + frame)
    assert dedup(place, name="in.jsonl.zst")[0] == expected[0]


def test_folder_of_texts(place):
    folder = place / "texts"
    folder.mkdir()
    text = " ".join(words(random.Random(17), 60))
    for name, more in (("a.txt", ""), ("b.txt", "\n"), ("c.txt", " y".join(map(str, range(60))))):
        (folder / name).write_text(text + more)
    out = place / "out.jsonl"
    done = origo("dedup", "-o", out, folder)
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in read_lines(out)]
    assert [r["title"] for r in records] == ["a.txt", "c.txt"]
    assert records[0]["text"] == text


def test_bad_records(place):
    text = " ".join(words(random.Random(18), 50))
    bad = [b'{"id":"x"}', b'{"id":"y","text":7}', b'{"id":"z","text":"cut',
           b'not json', b'{"id":"n","text":null}']
    good = [json.dumps({"id": "g%d" % i, "text": " ".join("%d%s" % (i, w) for w in text.split())})
            .encode() for i in range(3)]
    (place / "in.jsonl").write_bytes(b"\n".join(
        [good[0], bad[0], bad[1], good[1], bad[2], bad[3], good[2], bad[4]])
        + b"\n")
    rejects = place / "rejects"
    kept, _, said = dedup(place, "--rejects", rejects)
    assert kept == ["g0", "g1", "g2"]
    assert read_lines(rejects) == bad
    for line in (2, 3, 5, 6, 8):
        assert "in.jsonl:%d:" % line in said, (line, said)
    assert "5 skipped" in said
    kept, _, _ = dedup(place, "--rejects", rejects, "--keep", "last")
    assert kept == ["g0", "g1", "g2"] and read_lines(rejects) == bad


def test_no_id(place):
    text = " ".join(words(random.Random(19), 50))
    line = json.dumps({"text": text})
    (place / "in.jsonl").write_text(line + "\n" + line + "\n")
    out, report = place / "out", place / "report"
    origo("dedup", "-o", out, "-r", report, "in.jsonl", cwd=place)
    assert report.read_text().split("\n")[1] == \
        "in.jsonl:2\tin.jsonl:1\t1\t1\tin.jsonl\t2"


def test_all_equal_and_all_empty(place):
    for text in ("the same words in all of them", ""):
        write_jsonl(place / "in.jsonl", [text] * 500)
        kept, report, _ = dedup(place)
        assert kept == ["d0"] and len(report) == 499
    (place / "in.jsonl").write_text("")
    assert dedup(place)[0] == []


def test_long_line(place):
    text = " ".join(words(random.Random(20), 200))
    long = " ".join(map(str, range(200000)))
    write_jsonl(place / "in.jsonl", [text, text + long, text])
    kept, _, said = dedup(place)
    assert kept == ["d0", "d1"]
    kept, _, said = dedup(place, "--max-document", "1M")
    assert kept == ["d0"] and "in.jsonl:2: the record is longer" in said


def test_long_lines_are_rejected(place):
    """Whole, in their place among the others, however they are read."""
    good = [json.dumps({"id": "g%d" % i, "text": "some text %d" % i}).encode()
            for i in range(3)]
    long = [json.dumps({"id": "l%d" % i, "text": str(i) * n}).encode()
            for i, n in ((1, 5000), (2, 3000000), (3, 1200))]
    lines = [good[0], long[0], b"no json", good[1], long[1], b"nor this",
             good[2], long[2]]
    rejects = place / "rejects"
    for end in (b"\n", b""):
        plain = b"\n".join(lines) + end
        (place / "in.jsonl").write_bytes(plain)
        (place / "in.jsonl.gz").write_bytes(gzip.compress(plain))
        for name in ("in.jsonl", "in.jsonl.gz"):
            for level in ("document", "passage", "line"):
                kept, _, said = dedup(place, "--max-document", "1k",
                                      "--rejects", rejects, "--level", level,
                                      name=name)
                assert kept == ["g0", "g1", "g2"], kept
                got = read_lines(rejects)
                assert got == [long[0], b"no json", long[1], b"nor this",
                               long[2]], [x[:40] for x in got]
                assert "5 skipped" in said, said
                for line in (2, 5, 8):
                    assert ":%d: the record is longer" % line in said, said


def warc(records):
    out = b""
    for uri, text in records:
        out += (b"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: %s"
                b"\r\nWARC-Record-ID: <urn:x:%s>\r\nWARC-Date: "
                b"2020-01-02T03:04:05Z\r\nContent-Type: text/plain\r\n"
                b"Content-Length: %d\r\n\r\n%s\r\n\r\n"
                % (uri, uri, len(text), text))
    return out


def test_warc(place):
    """Records of an archive become lines; copies of them go."""
    rng = random.Random(62)
    texts = [" ".join(words(rng, 60)).encode() for _ in range(4)]
    records = [(b"http://example.org/%d" % i, t)
               for i, t in enumerate(texts + [texts[1] + b" end", texts[2]])]
    plain = warc(records)
    (place / "in.warc").write_bytes(plain)
    (place / "in.warc.gz").write_bytes(
        b"".join(gzip.compress(warc([r])) for r in records))
    expected = None
    for name in ("in.warc", "in.warc.gz"):
        for more in ([], ["-m", "100k"], ["--keep", "last"]):
            _, report, said = dedup(place, *more, name=name)
            lines = [json.loads(x) for x in read_lines(place / "out.jsonl")]
            assert "6 documents" in said, said
            assert len(lines) == 4 and len(report) == 2, (name, more, report)
            if more == ["--keep", "last"]:
                assert [x["text"] for x in lines] == [
                    t.decode() for t in (texts[0], texts[3],
                                         texts[1] + b" end", texts[2])]
                continue
            assert [x["text"].encode() for x in lines] == texts
            assert [x["url"] for x in lines] == \
                [u.decode() for u, _ in records[:4]]
            ids = [x["id"] for x in lines]
            assert [r["duplicate_of"] for r in report] == [ids[1], ids[2]]
            out = (place / "out.jsonl").read_bytes()
            expected = expected or out
            assert out == expected or name != "in.warc"
        dedup(place, "--level", "passage", name=name)
        left = [json.loads(x)["text"].encode()
                for x in read_lines(place / "out.jsonl")]
        assert left == texts + [b"end"], left


def test_output_is_an_input(place):
    write_jsonl(place / "in.jsonl", ["a b c d e f"] * 3)
    before = (place / "in.jsonl").read_bytes()
    os.link(place / "in.jsonl", place / "linked.jsonl")
    for out in ("in.jsonl", "linked.jsonl"):
        done = origo("dedup", "-o", place / out, place / "in.jsonl")
        assert done.returncode == 2, done.stderr
        assert b"is one of the inputs" in done.stderr
    done = origo("dedup", "-o", place / "new.jsonl", place)
    assert done.returncode == 2 and b"is in the folder" in done.stderr
    done = origo("dedup", "-o", place / "x", "-r", place / "x",
                 place / "in.jsonl")
    assert done.returncode == 2 and b"the same file" in done.stderr
    assert (place / "in.jsonl").read_bytes() == before
    assert sorted(p.name for p in place.iterdir()) == \
        ["in.jsonl", "linked.jsonl"]


def test_no_room(place):
    rng = random.Random(21)
    write_jsonl(place / "in.jsonl",
                [" ".join(words(rng, 300)) for _ in range(2000)])

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    for more in ([], ["--keep", "last"]):
        done = origo("dedup", "-o", place / "out", "-r", place / "report",
                     *more, place / "in.jsonl", preexec_fn=small_files)
        assert done.returncode == 3, done
        assert b"cannot write" in done.stderr, done.stderr
        assert [p.name for p in place.iterdir()] == ["in.jsonl"]


def test_missing_file(place):
    write_jsonl(place / "in.jsonl", ["one text", "another text"])
    out = place / "out"
    done = origo("dedup", "-o", out, place / "none.jsonl", place / "in.jsonl")
    assert done.returncode == 3
    assert b"none.jsonl': no such file" in done.stderr
    assert len(read_lines(out)) == 2


def test_wrong_options(place):
    write_jsonl(place / "in.jsonl", ["one text"])
    for wrong in (["--threshold", "1.5"], ["--threshold", "0"],
                  ["--bands", "500"], ["--rows", "2000"], ["-k", "40"],
                  ["--keep", "best"], ["--keep", "field:"],
                  ["--preset", "mine"], ["--tokens", "letters"],
                  ["--resume"], ["--level", "line", "--keep", "last"]):
        done = origo("dedup", *wrong, place / "in.jsonl")
        assert done.returncode == 2, (wrong, done)
        assert len(done.stderr.splitlines()) <= 2
    done = origo("dedup", "--keep", "last", "-", input=b"")
    assert done.returncode == 2 and b"only once" in done.stderr


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
