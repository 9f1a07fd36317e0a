#!/usr/bin/env python3
"""Where an output goes: nothing but a regular file is ever replaced.

usage: tests/cli/test_outputs.py ORIGO

Every output of every command is written to a file, to a link to a file, to a
link to no file yet, to a named pipe, to a device of our own (a private copy of
the null device, as root), and to a copy of /dev/stdout that appends to a file.
The bytes are the same everywhere, the link is still a link, the pipe a pipe,
the device a device, and no temporary file is left. Nothing in /dev is named:
a command that fails this test would replace it.

Two runs of dedup with one output, and files that bear the names that a run
would use, come to no harm."""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

ORIGO = os.path.abspath(sys.argv[1])
failures = []


def check(what, is_true, more=""):
    print("%s outputs: %s" % ("ok" if is_true else "FAILED", what))
    if not is_true:
        failures.append(what)
        print("    " + str(more)[:2000].replace("\n", "\n    "))


def origo(*arguments, cwd=None, **options):
    options.setdefault("capture_output", True)
    return subprocess.run([ORIGO, *map(str, arguments)], cwd=cwd, timeout=60,
                          **options)


def write_documents(path, n, seed):
    r = random.Random(seed)
    texts = []
    with open(path, "w") as f:
        for i in range(n):
            words = ["w%d" % r.randrange(500) for _ in range(60)]
            text = r.choice(texts) if texts and i % 3 == 0 else \
                " ".join(words[:30]) + ". " + " ".join(words[30:]) + "."
            texts.append(text)
            f.write(json.dumps({"id": "d%d" % i, "time": i + 1,
                                "text": text}) + "\n")
        f.write("this is no JSON\n")


def make_inputs(place):
    write_documents(place / "in.jsonl", 40, 1)
    (place / "old").write_bytes(random.Random(2).randbytes(50_000))
    (place / "new").write_bytes((place / "old").read_bytes() + b"more" * 999)
    for command in (["delta", "old", "new", "-o", "delta"],
                    ["simhash", "-q", "-f", "binary", "in.jsonl", "-o",
                     "codes"],
                    ["hamming-join", "-q", "codes", "--shard", "1/2", "-o",
                     "1.part", "codes"],
                    ["hamming-join", "-q", "codes", "--shard", "2/2", "-o",
                     "2.part", "codes"]):
        done = origo(*command, cwd=place)
        assert done.returncode in (0, 3), (command, done.stderr)


# OUT is the output in question, other outputs go elsewhere.
COMMANDS = {
    "trace -o": "trace -q -s :memory: --memory 1M -f json -o OUT in.jsonl",
    "trace -o html": "trace -q -s :memory: --memory 1M -f html -o OUT in.jsonl",
    "compare -o": "compare -f json -o OUT old.txt new.txt",
    "quote -o": "quote -q -s :memory: -f json -o OUT in.jsonl",
    "quote --links-csv": "quote -q -s :memory: --links-csv OUT -o q in.jsonl",
    "quote --links-graphml":
        "quote -q -s :memory: --links-graphml OUT -o q in.jsonl",
    "quote --links-svg": "quote -q -s :memory: --links-svg OUT -o q in.jsonl",
    "dedup -o": "dedup -q -o OUT in.jsonl",
    "dedup -r": "dedup -q -o k -r OUT in.jsonl",
    "dedup --rejects": "dedup -q -o k --rejects OUT in.jsonl",
    "dedup --level line -o": "dedup -q --level line -o OUT in.jsonl",
    "simhash -o": "simhash -q -f binary -o OUT in.jsonl",
    "minhash -o": "minhash -q -f binary -o OUT in.jsonl",
    "idf -o": "idf -q -o OUT in.jsonl",
    "delta -o": "delta -q old new -o OUT",
    "patch -o": "patch old delta -o OUT",
    "hamming-join -o": "hamming-join -q codes -o OUT codes",
    "hamming-merge -o": "hamming-merge -o OUT 1.part 2.part",
}


def run(command, place, out):
    done = origo(*[str(out) if word == "OUT" else word
                   for word in command.split()], cwd=place)
    return done.returncode, done.stderr.decode()


def read_pipe(path, result):
    with open(path, "rb") as f:
        result.append(f.read())


def to_file(command, place):
    out = place / "out" / "file"
    out.write_bytes(b"what was there before")
    status, said = run(command, place, out)
    assert status in (0, 3) and "cannot" not in said, (status, said)
    assert not out.is_symlink()
    return out.read_bytes()


def to_link(command, place):
    out, target = place / "out" / "link", place / "out" / "far" / "target"
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(b"what was there before")
    out.symlink_to("far/target")
    run(command, place, out)
    assert os.readlink(out) == "far/target"
    return target.read_bytes()


def to_dangling_link(command, place):
    out = place / "out" / "dangling"
    out.symlink_to("link-2")
    (place / "out" / "link-2").symlink_to(place / "out" / "not-yet")
    run(command, place, out)
    assert os.readlink(out) == "link-2"
    return (place / "out" / "not-yet").read_bytes()


def to_pipe(command, place):
    out, result = place / "out" / "pipe", []
    os.mkfifo(out)
    reader = threading.Thread(target=read_pipe, args=(out, result), daemon=True)
    reader.start()
    run(command, place, out)
    assert stat.S_ISFIFO(out.lstat().st_mode)
    reader.join(10)
    assert result, "nobody opened the pipe"
    return result[0]


def to_appending_stdout(command, place):
    out, link = place / "out" / "appended", place / "out" / "stdout"
    out.write_bytes(b"before\n")
    link.symlink_to("/proc/self/fd/1")
    words = [str(link) if w == "OUT" else w for w in command.split()]
    with open(out, "ab") as f:
        origo(*words, cwd=place, capture_output=False, stdout=f,
              stderr=subprocess.DEVNULL)
    data = out.read_bytes()
    assert link.is_symlink() and data.startswith(b"before\n")
    return data[len(b"before\n"):]


def to_device(command, place, expected):
    """No bytes come back from it."""
    for name in ("null", "link-to-null"):
        if name == "null":
            os.mknod(place / "out" / name, 0o666 | stat.S_IFCHR,
                     os.makedev(1, 3))
        else:
            (place / "out" / name).symlink_to("null")
        status, said = run(command, place, place / "out" / name)
        assert status in (0, 3) and "cannot" not in said, (status, said)
        info = (place / "out" / "null").lstat()
        assert stat.S_ISCHR(info.st_mode) and info.st_rdev == os.makedev(1, 3)
    assert (place / "out" / "link-to-null").is_symlink()
    return expected


def can_make_devices(place):
    try:
        os.mknod(place / "probe", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        with open(place / "probe", "wb"):
            pass
        os.unlink(place / "probe")
        return True
    except OSError:
        return False


def test_every_output(place, has_devices):
    make_inputs(place)
    for name in ("old.txt", "new.txt"):
        (place / name).write_text("the same ten words in a row are here " * 9)
    for name, command in COMMANDS.items():
        wrong = []
        shutil.rmtree(place / "out", ignore_errors=True)
        (place / "out").mkdir()
        expected = to_file(command, place)
        ways = [to_link, to_dangling_link, to_pipe, to_appending_stdout]
        for way in ways + [to_device] * has_devices:
            try:
                seen = way(command, place, expected) if way == to_device \
                    else way(command, place)
                if seen != expected:
                    wrong.append("%s: %d bytes, not %d" % (
                        way.__name__, len(seen), len(expected)))
            except (AssertionError, OSError) as e:
                wrong.append("%s: %r" % (way.__name__, e))
        left = [p for p in (place / "out").rglob("*")
                if p.name.startswith(".") or p.name.endswith(".part")]
        check(name, expected and not wrong and not left, "%s %s" % (wrong, left))


def test_index_behind_a_link(place):
    """An index is read and written, so it can only be a file."""
    (place / "index").symlink_to("far")
    (place / "x").write_bytes(random.Random(6).randbytes(50_000))
    for _ in range(2):
        done = origo("similar", "--add", "-s", "index", "x", cwd=place)
        assert done.returncode == 0, done.stderr
    check("similar --add behind a link", (place / "index").is_symlink() and
          (place / "far").stat().st_size > 0 and
          sorted(os.listdir(place)) == ["far", "index", "x"],
          os.listdir(place))


def test_users_files(place):
    """Files of the names that a run would use are not touched."""
    write_documents(place / "in.jsonl", 40, 3)
    mine = {name: ("mine: " + name).encode() for name in
            ("out.part", "out.new", "out.journal", "report.part", "out.tmp")}
    for name, data in mine.items():
        (place / name).write_bytes(data)
    plain = origo("dedup", "-q", "-o", "out", "-r", "report", "in.jsonl",
                  cwd=place)
    resumed = origo("dedup", "-q", "--resume", "-o", "out", "-r", "report",
                    "in.jsonl", cwd=place)
    is_left = all((place / name).exists() and
                  (place / name).read_bytes() == data
                  for name, data in mine.items())
    check("files of the user beside dedup -o",
          is_left and plain.returncode in (0, 3) and (place / "out").exists(),
          plain.stderr)
    check("dedup --resume refuses a journal that is none",
          resumed.returncode == 3 and b"is no journal" in resumed.stderr,
          resumed.stderr)
    (place / "out.journal").unlink(missing_ok=True)
    for name in ("out.part", "report.part"):
        resumed = origo("dedup", "-q", "--resume", "-o", "out", "-r", "report",
                        "in.jsonl", cwd=place)
        check("dedup --resume refuses a foreign " + name,
              resumed.returncode == 3 and b"in the way" in resumed.stderr and
              (place / name).read_bytes() == mine[name] and
              not (place / "out.journal").exists(), resumed.stderr)
        (place / name).unlink()


def test_resume_needs_a_file(place):
    write_documents(place / "in.jsonl", 4, 3)
    os.mkfifo(place / "pipe")
    done = origo("dedup", "-q", "--resume", "-o", "pipe", "in.jsonl",
                 cwd=place)
    check("dedup --resume to a pipe is refused", done.returncode == 2 and
          b"is not a file" in done.stderr and
          sorted(os.listdir(place)) == ["in.jsonl", "pipe"], done.stderr)


def run_against(place, *more):
    """A second run while a first one waits for its input."""
    os.mkfifo(place / "input")
    first = subprocess.Popen([ORIGO, "dedup", "-q", "-o", "out", "-r",
                              "report", *more, "input"], cwd=place,
                             stderr=subprocess.PIPE)
    feed = open(place / "input", "wb")
    feed.write((place / "first.jsonl").read_bytes())
    feed.flush()
    for _ in range(1000):
        if (place / ".out.origo-lock").exists():
            break
        time.sleep(0.01)
    second = origo("dedup", "-q", "-o", "out", "-r", "other", *more,
                   "second.jsonl", cwd=place)
    feed.close()
    said = first.stderr.read()
    first.stderr.close()
    return first.wait(60), said, second


def test_two_runs(base):
    for i, more in enumerate(((), ("--level", "line"))):
        place = base / str(i)
        place.mkdir()
        write_documents(place / "first.jsonl", 40, 4)
        write_documents(place / "second.jsonl", 40, 5)
        origo("dedup", "-q", "-o", "alone", *more, "first.jsonl", cwd=place)
        status, said, second = run_against(place, *more)
        check("two runs of dedup with one output %s" % " ".join(more),
              status in (0, 6) and second.returncode == 6 and
              b"another process is writing 'out'" in second.stderr and
              (place / "out").read_bytes() == (place / "alone").read_bytes() and
              sorted(os.listdir(place)) == ["alone", "first.jsonl", "input",
                                            "out", "report", "second.jsonl"],
              (status, said, second, os.listdir(place)))


# Each writes about 30,000 bytes and has a limit for the size of a file: as a disk
# that fills in the middle, or with the last byte.
FILLING = [["read", "-q", "in.jsonl"], ["export", "-q", "-s", "store"],
           ["dedup", "-q", "in.jsonl"],
           ["near", "-q", "-s", ":memory:", "in.jsonl"]]


def run_limited(place, arguments, limit, **options):
    def limit_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return origo(*arguments, cwd=place, preexec_fn=limit_files, **options)


def test_full_disk(place):
    write_documents(place / "in.jsonl", 400, 3)
    origo("add", "-q", "-s", "store", "in.jsonl", cwd=place)
    for command in FILLING:
        for packed in (False, True):
            out = "out.gz" if packed else "out"
            origo(*command, "-o", out, cwd=place)
            full = (place / out).stat().st_size
            (place / out).unlink()
            for limit in (1, full // 2, full - 1):
                done = run_limited(place, command + ["-o", out], limit)
                check("%s -o %s: %d of %d bytes" % (command[0], out, limit,
                                                    full),
                      done.returncode == 3 and not (place / out).exists() and
                      [line for line in done.stderr.decode().splitlines()
                       if "cannot" in line] ==
                      ["origo: cannot write '%s': file too large" % out],
                      (done, os.listdir(place)))
        # To standard output, which is a file.
        with open(place / "stdout", "wb") as f:
            done = run_limited(place, command, 5000, capture_output=False,
                               stdout=f, stderr=subprocess.PIPE)
        check("%s: 5000 bytes of stdout" % command[0],
              done.returncode == 3 and b"file too large" in done.stderr, done)


def main():
    with tempfile.TemporaryDirectory(prefix="origo-outputs-") as folder:
        places = []
        for name in ("every", "users", "resume", "two", "index",
                     "full"):
            places.append(pathlib.Path(folder) / name)
            places[-1].mkdir()
        has_devices = can_make_devices(places[0])
        if not has_devices:
            print("SKIPPED outputs: devices: they cannot be made here")
        test_every_output(places[0], has_devices)
        test_users_files(places[1])
        test_resume_needs_a_file(places[2])
        test_two_runs(places[3])
        test_index_behind_a_link(places[4])
        test_full_disk(places[5])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
