#!/usr/bin/env python3
"""Files, deltas and the exchange through the command: what goes wrong.

usage: tests/cli/test_files.py ORIGO

Each check is a line of the contract: a delta against the wrong file, a cut or
hostile delta, zeros, no room at the receiver, a connection that breaks, a file
that shrinks while it is read. Prints each failure; the status is 1 then."""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

ORIGO = os.path.abspath(sys.argv[1])
failures = []


def check(what, is_true, more=""):
    if not is_true:
        failures.append(what)
        print("FAILED: %s %s" % (what, more))


def origo(*arguments, **options):
    return subprocess.run([ORIGO, *map(str, arguments)], capture_output=True,
                          text=True, timeout=60, **options)


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def words(seed, n):
    rng = random.Random(seed)
    return " ".join("w%d" % rng.randrange(5000) for _ in range(n)).encode()


def test_wrong_old_file(place):
    old, new, wrong = place / "old", place / "new", place / "wrong"
    old.write_bytes(words(1, 20000))
    new.write_bytes(words(1, 20000).replace(b"w17 ", b"x17 "))
    wrong.write_bytes(words(1, 20000).replace(b"w18 ", b"x18 "))
    check("delta", origo("delta", old, new, "-o", place / "d").returncode == 0)
    done = origo("patch", wrong, place / "d", "-o", place / "out")
    check("wrong old file: status 3", done.returncode == 3, done.stderr)
    check("wrong old file: it is named, and what is needed",
          "wrong' (checksum" in done.stderr and
          "the old file (%d bytes" % old.stat().st_size in done.stderr,
          done.stderr)
    check("wrong old file: nothing is written",
          names(place) == ["d", "new", "old", "wrong"], names(place))
    done = origo("patch", old, place / "d", "-o", place / "out")
    check("right old file", (place / "out").read_bytes() == new.read_bytes())


def test_damaged_delta(place):
    old, new = place / "old", place / "new"
    old.write_bytes(words(2, 5000))
    new.write_bytes(words(2, 4000) + words(3, 1000))
    origo("delta", "-q", old, new, "-o", place / "d")
    delta = (place / "d").read_bytes()
    rng = random.Random(4)
    for i in range(40):
        bad = bytearray(delta)
        if i % 2:
            del bad[rng.randrange(len(bad)):]
        else:
            bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        (place / "bad").write_bytes(bad)
        done = origo("patch", old, place / "bad", "-o", place / "out")
        if done.returncode == 0:
            check("damaged delta that passes is right",
                  (place / "out").read_bytes() == new.read_bytes())
            (place / "out").unlink()
        else:
            check("damaged delta: status 3", done.returncode == 3, done)
            check("damaged delta: one line", done.stderr.count("\n") == 1)
    check("damaged delta: nothing is written",
          names(place) == ["bad", "d", "new", "old"], names(place))


def test_zeros(place):
    (place / "zeros").write_bytes(bytes(5_000_000))
    (place / "more").write_bytes(bytes(6_000_000))
    done = origo("delta", "-q", place / "zeros", place / "more", "-o",
                 place / "d")
    check("zeros: delta", done.returncode == 0, done.stderr)
    check("zeros: small", (place / "d").stat().st_size < 1000)
    origo("patch", place / "zeros", place / "d", "-o", place / "out")
    check("zeros: patch",
          (place / "out").read_bytes() == bytes(6_000_000))
    done = origo("similar", "-s", ":memory:", place / "zeros", place / "more")
    check("zeros: similar", "99.9 %" in done.stdout, done.stdout)


def make_tree(folder, n_files, n_bytes):
    folder.mkdir()
    rng = random.Random(9)
    for i in range(n_files):
        (folder / ("f%d" % i)).write_bytes(rng.randbytes(n_bytes))


def test_no_room(place):
    make_tree(place / "a", 4, 400_000)
    command = "ulimit -f 200; trap '' XFSZ; exec '%s' receive '%s'" % (
        ORIGO, place / "b")
    done = origo("send", place / "a", "--to", command)
    check("no room: status 3", done.returncode == 3, done)
    check("no room: the receiver tells", "cannot write 'f0'" in done.stderr,
          done.stderr)
    check("no room: the sender tells", "the other side says" in done.stderr,
          done.stderr)
    check("no room: no file", names(place / "b") in ([], [".origo-parts"]),
          names(place / "b"))
    done = origo("send", place / "a", "--to",
                 "'%s' receive '%s'" % (ORIGO, place / "b"))
    check("room again", done.returncode == 0, done.stderr)
    check("room again: equal", subprocess.run(
        ["diff", "-r", place / "a", place / "b"]).returncode == 0)


def test_broken_connection(place):
    make_tree(place / "a", 1, 3_000_000)
    # A pipe that passes each byte at once, and breaks.
    (place / "pump.py").write_text(
        "import os\nleft = 1500000\nwhile left > 0:\n"
        "    data = os.read(0, min(left, 65536))\n"
        "    left -= os.write(1, data) if data else left\n")
    done = origo("send", "--no-compress", place / "a", "--to",
                 "'%s' '%s' | '%s' receive '%s'" %
                 (sys.executable, place / "pump.py", ORIGO, place / "b"))
    check("broken: status 3", done.returncode == 3, done)
    check("broken: told", "connection broke" in done.stderr, done.stderr)
    check("broken: no file, a part", names(place / "b") == [".origo-parts"])
    done = origo("send", place / "a", "--to",
                 "'%s' receive '%s'" % (ORIGO, place / "b"))
    check("broken: goes on", done.returncode == 0, done.stderr)
    sent = int(done.stderr.split(" bytes to the receiver")[0].split()[-1])
    check("broken: what arrived is not sent again", sent < 1_900_000, sent)
    check("broken: equal", subprocess.run(
        ["diff", "-r", place / "a", place / "b"]).returncode == 0)


def test_shrinking_file(place):
    """Cut short again and again while deltas are made: a message or a right
    answer, never a signal and never half a file."""
    file, old = place / "file", place / "old"
    data = words(5, 400_000)
    file.write_bytes(data)
    old.write_bytes(data[:1_000_000])
    stop = threading.Event()

    def shrink():
        while not stop.is_set():
            os.truncate(file, 1000)
            file.write_bytes(data)
            time.sleep(0.001)

    thread = threading.Thread(target=shrink)
    thread.start()
    for _ in range(12):
        done = origo("delta", "-q", old, file, "-o", place / "d")
        check("shrinking: 0 or 3", done.returncode in (0, 3), done)
        if done.returncode == 3:
            check("shrinking: named", "file'" in done.stderr, done.stderr)
    stop.set()
    thread.join()
    check("shrinking: no litter",
          set(names(place)) <= {"d", "file", "old"}, names(place))


def test_usage(place):
    done = origo("similar", "-s", place, place)
    check("a folder is no index", done.returncode == 2, done)
    (place / "x").write_bytes(b"not an index")
    done = origo("similar", "-s", place / "x", place / "x")
    check("not an index: status 4", done.returncode == 4, done)
    check("delta without -o", origo("delta", "a", "b").returncode == 2)
    check("patch without -o", origo("patch", "a", "b").returncode == 2)
    done = origo("send", place / "none", "--to", "'%s' receive %s" %
                 (ORIGO, place / "b"))
    check("no such tree", done.returncode == 3, done)


def test_noise(place):
    """Noise packs to more than itself: written plainly, and read back."""
    rng = random.Random(11)
    for old_len, new_len in ((1, 512), (1, 1 << 20), (5000, 513),
                             (4 << 20, 1 << 20), (4 << 20, 700_000)):
        (place / "old").write_bytes(rng.randbytes(old_len))
        (place / "new").write_bytes(rng.randbytes(new_len))
        what = "noise of %d against %d bytes: " % (new_len, old_len)
        done = origo("delta", "-q", place / "old", place / "new", "-o",
                     place / "d")
        check(what + "delta", done.returncode == 0, done.stderr)
        check(what + "not longer than 200 bytes more",
              (place / "d").stat().st_size < new_len + 200)
        done = origo("patch", place / "old", place / "d", "-o",
                     place / "out")
        check(what + "patch", done.returncode == 0, done.stderr)
        check(what + "equal", done.returncode != 0 or
              (place / "out").read_bytes() == (place / "new").read_bytes())


def test_plan_of_equal_files(place):
    for tree in ("old", "new"):
        (place / tree).mkdir()
    for name in ("a", "b", "c"):
        (place / "new" / name).write_bytes(words(12, 3000))
    done = origo("sync-plan", place / "old", place / "new")
    check("plan: equal files in NEW", done.returncode == 0, done.stderr)
    check("plan: two of them are copies", "2 of other names" in done.stdout,
          done.stdout)


def receive(source, target, *options):
    return origo("send", source, "--to", "'%s' receive %s '%s'" % (
        ORIGO, " ".join(options), target))


def same_trees(a, b):
    return subprocess.run(["diff", "-r", "--no-dereference", a, b],
                          capture_output=True).returncode == 0


def test_file_becomes_folder(place):
    a, b = place / "a", place / "b"
    (a / "x" / "deep").mkdir(parents=True)
    (a / "x" / "deep" / "one").write_bytes(words(13, 500))
    (a / "link").mkdir()
    (a / "link" / "two").write_bytes(b"two")
    (a / "y").write_bytes(words(14, 500))
    (b / "y" / "deep").mkdir(parents=True)
    (b / "y" / "deep" / "old").write_bytes(b"old")
    (b / "x").write_bytes(words(13, 400))
    (b / "link").symlink_to("elsewhere")
    done = receive(a, b)
    check("kinds differ: refused without --delete", done.returncode == 3)
    check("kinds differ: named", "in the way" in done.stderr, done.stderr)
    check("kinds differ: nothing is lost",
          (b / "x").is_file() and (b / "y/deep/old").is_file())
    done = receive(a, b, "--delete")
    check("kinds differ: --delete", done.returncode == 0, done.stderr)
    check("kinds differ: equal", same_trees(a, b))
    done = receive(b, a, "--delete")
    check("equal trees: nothing to do", done.returncode == 0, done.stderr)


def test_missing_index(place):
    (place / "x").write_bytes(words(15, 500))
    done = origo("similar", "-s", place / "wrong", place / "x")
    check("similar without its index: status 5", done.returncode == 5, done)
    check("similar without its index: named", "wrong'" in done.stderr)
    done = origo("similar", "-s", place / "wrong", "--add", place / "x")
    check("similar --add makes it", done.returncode == 0, done.stderr)
    done = origo("similar", "-s", place / "wrong", place / "x")
    check("similar with its index", done.returncode == 0, done.stderr)


def test_names_of_strangers(place):
    """No byte that a terminal obeys gets through, in any form."""
    data = words(16, 2000)
    bad = "x\x1b[31m\x07\x7f\u009b2J\n.txt"
    (place / "t").mkdir()
    (place / "t" / bad).write_bytes(data)
    (place / "t" / "plain").write_bytes(data)
    for command in (["similar", "-s", ":memory:"],
                    ["similar", "-s", ":memory:", "--format", "json"],
                    ["chunks"], ["chunks", "--format", "json"],
                    ["simhash"], ["minhash"], ["near", "-s", ":memory:"],
                    ["distance"]):
        paths = [place / "t" / bad, place / "t" / "plain"]
        done = origo(*command, *paths)
        check("%s: done" % command, done.returncode == 0, done.stderr)
        for text in (done.stdout, done.stderr):
            check("%s: no control character" % command, not any(
                c in text for c in "\x1b\x07\x7f\u009b"), repr(text[:300]))
    done = origo("similar", "-s", ":memory:", place / "t")
    check("similar: the name is shown",
          r"x\u001b[31m\u0007\u007f\u009b2J\u000a.txt" in done.stdout,
          done.stdout)
    codes = "a\x1b[31mb\t0000000000000000\n"
    (place / "codes").write_text(codes)
    done = origo("hamming-join", "--queries", place / "codes",
                 place / "codes")
    check("hamming-join: no control character", "\x1b" not in done.stdout)
    origo("hamming", "build", place / "index", place / "codes")
    done = origo("hamming", "ask", place / "index", place / "codes")
    check("hamming ask: found", "b\t0" in done.stdout, done)
    check("hamming ask: no control character", "\x1b" not in done.stdout)


def test_one_shard(place):
    (place / "codes").write_text("".join(
        "d%d\t%016x\n" % (i, i * 3) for i in range(50)))
    whole = origo("hamming-join", "-q", place / "codes", place / "codes")
    done = origo("hamming-join", "-q", place / "codes", "--shard", "1/1", "-o",
                 place / "part", place / "codes")
    check("one shard: join", done.returncode == 0, done.stderr)
    done = origo("hamming-merge", place / "part")
    check("one shard: merge", done.returncode == 0, done.stderr)
    check("one shard: the same bytes", done.stdout == whole.stdout)


def test_whole_weights(place):
    (place / "t").write_bytes(words(17, 300))
    for option in (["--tf", "log"], ["--heading-weight", "1.5"]):
        done = origo("minhash", "--method", "copies", *option, place / "t")
        check("copies of parts %s: status 2" % option, done.returncode == 2,
              done)
        check("copies of parts: told", "whole numbers" in done.stderr)
    done = origo("minhash", "--method", "copies", "--heading-weight", "2",
                 place / "t")
    check("copies of whole weights", done.returncode == 0, done.stderr)


def test_near_has_the_codes_of_simhash(place):
    """The distances that near tells are those of the codes of simhash."""
    rng = random.Random(18)
    base = words(18, 400).decode().split()
    with open(place / "docs.jsonl", "w") as out:
        for i in range(40):
            text = list(base)
            for _ in range(rng.randrange(4)):
                text[rng.randrange(len(text))] = "n%d" % rng.randrange(99)
            out.write('{"id":"d%d","text":"%s"}\n' % (i, " ".join(text)))
    done = origo("simhash", "-q", place / "docs.jsonl")
    code = {line.split("\t")[0]: int(line.split("\t")[1], 16)
            for line in done.stdout.splitlines()}
    done = origo("near", "-s", ":memory:", "--add", "--limit", "0",
                 "--method", "simhash",
                 place / "docs.jsonl")
    n = 0
    seen = []
    for line in map(json.loads, done.stdout.splitlines()):
        told = {m["id"]: m["distance"] for m in line["near"]}
        mine = {i: bin(code[i] ^ code[line["id"]]).count("1") for i in seen}
        check("near: distances of %s" % line["id"], told == {
            i: d for i, d in mine.items() if d <= 3}, (told, mine))
        n += len(told)
        seen.append(line["id"])
    check("near: enough pairs", n > 20, n)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    tests = [f for n, f in sorted(globals().items()) if n.startswith("test_")]
    for test in tests:
        with tempfile.TemporaryDirectory(prefix="origo-files-") as folder:
            test(pathlib.Path(folder))
    print("test_files: %d tests, %d failures" % (len(tests), len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
