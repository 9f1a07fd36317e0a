#!/usr/bin/env python3
"""Memory stays within its cap: tests/cli/test_memory_cap.py ORIGO [MB [MEMORY]]

A stream of MB megabytes (24), with copies, through the commands that read
documents or a store, with --memory MEMORY megabytes (16): each takes at most
that and 100 MiB at its peak, with 2 threads and with 16. With all indexes on
each has its share: near as much again, sentences half as much, 16 MiB at least. A
store in memory keeps the names of all its documents. One document that is longer
than the cap is skipped by name. Prints what each took and the seconds of processor
time."""

import contextlib
import ctypes
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

REBUILDING = 64  # MB: a store is written beside the one that is read
LEAST_SENTENCES = 16 * 1.048576  # MB
NAMES = 200e-6  # MB that a store in memory keeps of a document, its names included
VARIED = 100000000  # bytes
N_PAGES = 16  # one for each thread
LETTERS = "abcdefghijklmnopqrstuvwxyz"
failed = 0


def set_huge_pages_off(is_off):
    """Where the kernel hands out huge pages unasked, a process that touches a
    byte may have 2 MiB: as many as happen to be free. What is counted here is
    what the program touches. Goes on to what is executed."""
    PR_SET_THP_DISABLE = 41
    try:
        ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, int(is_off), 0, 0, 0)
    except (OSError, AttributeError):
        pass  # no such call: no such pages


@contextlib.contextmanager
def huge_pages_off():
    """For this process and what it starts."""
    set_huge_pages_off(True)
    try:
        yield
    finally:
        set_huge_pages_off(False)


def peak_of(command, said=os.devnull):
    """Peak resident memory in MB, CPU seconds, and the status; the messages are
    written to `said`."""
    pid = os.fork()
    if pid == 0:
        set_huge_pages_off(True)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
        # Meson sets it, and then malloc() touches what nobody has used yet.
        os.environ.pop("MALLOC_PERTURB_", None)
        os.execv(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    return (usage.ru_maxrss * 1024 / 1e6, usage.ru_utime + usage.ru_stime,
            os.waitstatus_to_exitcode(status))


def write_stream(path, n_bytes):
    """In a process of its own: the peak of a child begins with what its parent
    has."""
    pid = os.fork()
    if pid == 0:
        write_documents(path, n_bytes)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0


def write_documents(path, n_bytes):
    """Documents of 50 to 900 words; every third begins with an older one's
    beginning. After VARIED bytes the same ones again, in other letters."""
    rng = random.Random(9)
    words = [rng.choice("bcdfghklmnprst") + rng.choice("aeiou") +
             rng.choice("bcdfghklmnprst") + rng.choice("aeiou") + str(i % 97)
             for i in range(20000)]
    older, texts, size, n = [], [], 0, 0
    with open(path, "w", encoding="ascii") as f:
        while size < n_bytes:
            if size < VARIED:
                text = rng.choices(words, k=rng.randrange(50, 900))
                if n % 3 == 2:
                    text = rng.choice(older)[:120] + text
                older = (older + [text])[-200:]
                texts.append(" ".join(text))
            elif n % len(texts) == 0:
                letters = "".join(rng.sample(LETTERS, len(LETTERS)))
                others = str.maketrans(LETTERS, letters)
            line = texts[n % len(texts)]
            if n >= len(texts):
                line = line.translate(others)
            line = json.dumps({"id": f"document-{n:08d}", "title": line[:30],
                               "text": line}) + "\n"
            f.write(line)
            size += len(line)
            n += 1


def n_lines(path):
    with open(path, "rb") as f:
        return sum(block.count(b"\n")
                   for block in iter(lambda: f.read(1 << 20), b""))


def check(name, command, most):
    global failed
    peak, cpu, status = peak_of(command)
    ok = status == 0 and peak <= most
    failed += not ok
    print(f"{'ok' if ok else 'FAILED'} {name}: {peak:.0f} MB of {most:.0f}, "
          f"{cpu:.1f} CPU s, status {status}", flush=True)


def commands(folder, stream, threads, memory, most, indexed=None):
    """Every command that reads documents or a store: its name, it, and what it
    may take, in an order in which each finds what it reads. The store with all
    indexes gets the documents of `indexed`, if that is given."""
    place = folder / ("j" + threads)
    place.mkdir()
    store, out = str(place / "store"), str(place / "out.jsonl")
    dump, other = str(place / "dump.jsonl"), str(place / "other")
    few = str(place / "few.jsonl")
    write_stream(few, 1000000)
    run = ["-q", "-j", threads]
    cap = ["--memory", f"{memory}M"]
    every = ["--index", "passages,near,sentences"]
    most_of_all = most + memory + max(memory / 2, LEAST_SENTENCES)
    # Half of the cap is for the table.
    most_of_names = max(most, most - memory / 2 + NAMES * n_lines(stream))
    for name, command in (
            ("add, all indexes",
             ["add", *run, *cap, *every, "-s", other, indexed or stream]),
            ("trace --add",
             ["trace", *run, *cap, "--add", "-s", store, "-o", out, stream]),
            ("trace :memory:",
             ["trace", *run, *cap, "-s", ":memory:", "-o", out, stream]),
            ("trace", ["trace", *run, "-s", store, "-o", out, stream]),
            ("near :memory:",
             ["near", *run, *cap, "-s", ":memory:", "-o", out, stream]),
            ("near", ["near", *run, "-s", other, "-o", out, stream]),
            ("quote", ["quote", "-q", "-s", other, "-o", out, few]),
            ("dedup", ["dedup", *run, *cap, "-o", out, stream]),
            ("dedup, passages", ["dedup", *run, *cap, "--level", "passage",
                                 "-o", out, stream]),
            ("dedup, sentences", ["dedup", *run, *cap, "--level", "sentence",
                                  "-o", out, stream]),
            ("dedup, lines", ["dedup", *run, *cap, "--level", "line",
                              "-o", out, stream]),
            ("read", ["read", *run, "-o", out, stream]),
            ("export", ["export", "-s", other, "-o", dump]),
            ("import", ["import", *run, *cap, "-s", str(place / "i"), dump]),
            ("files chunks", ["files", "chunks", "-j", threads, stream]),
            ("files delta", ["files", "delta", "-j", threads, "-o", out, dump,
                             stream]),
            ("verify", ["verify", "-s", other]),
            ("repair", ["repair", "-q", "-s", other, "-o",
                        str(place / "saved.jsonl")]),
            ("compact", ["compact", "-s", other]),
            ("index --drop", ["index", "-s", other, "--drop", "passages"]),
            ("info", ["info", "-s", other])):
        if other in command:
            rebuilding = REBUILDING if command[0] == "index" else 0
            yield name, command, most_of_all + rebuilding
        else:
            yield (name, command,
                   most_of_names if name == "trace :memory:" else most)


def check_giant(origo, folder, memory, most):
    """One document, longer than the cap, of one-letter words, and a short one."""
    giant = str(folder / "giant.jsonl")
    store, out = str(folder / "of-giant"), str(folder / "out.jsonl")
    with open(giant, "w", encoding="ascii") as f:
        f.write('{"id":"giant","text":"')
        for _ in range(memory << 4):
            f.write("a b c d e f g h " * 4096)
        f.write('"}\n{"id":"short","text":"%s"}\n' % ("a short one " * 9))
    run = ["-q", "--memory", f"{memory}M"]
    every = ["--index", "passages,near,sentences"]
    for command in (
            ["add", *every, "-s", store], ["trace", "-s", ":memory:"],
            ["near", "-s", ":memory:"], ["quote", "-s", ":memory:"],
            ["import", "-s", str(folder / "imported")], ["phrases"],
            *(["dedup", "--level", level, "-o", out] for level in
              ("document", "passage", "sentence", "line"))):
        check_skips([origo, *command, *run, giant], most)


def cells(n_bytes):
    """The page that needs the most memory for its length."""
    return b"<!doctype html><table><tr>" + b"<td>a" * (n_bytes // 5)


def write_pages(folder):
    """One of 2 MB; 16 of 250 kB, as files, in a WARC, as mails; small ones."""
    page, short = cells(250000), b"<p>one short page that can be read\n"
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    for name in ("many", "small"):
        (folder / name).mkdir()
    for i in range(N_PAGES):
        (folder / "many" / ("%d.html" % i)).write_bytes(page)
    for i in range(400):
        (folder / "small" / ("%d.html" % i)).write_bytes(cells(4000))
    (folder / "long.html").write_bytes(cells(2000000))
    (folder / "pages.warc").write_bytes(b"".join(
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <u:%d>\r\n"
        b"Content-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
        % (i, len(body), body) for i, body in
        enumerate([http + cells(1900000)] + [http + page] * N_PAGES +
                  [http + short])))
    lines = b"\r\n".join(page[i:i + 900] for i in range(0, len(page), 900))
    (folder / "pages.mbox").write_bytes(b"".join(
        b"From a@example.org Thu Jan  1 00:00:00 2015\r\n"
        b"Content-Type: text/html\r\n\r\n%s\r\n\r\n" % lines
        for _ in range(N_PAGES)))


def check_pages(origo, folder):
    """Trees of pages, with 8 MB: 16 times the longest document, shared by all
    threads. What needs more is a record that is skipped."""
    global failed
    memory, place = 8, folder / "pages"
    most = memory + 100 * 1.048576
    place.mkdir()
    write_pages(place)
    outputs = {}
    for threads in ("1", "16"):
        run = ["-q", "--memory", f"{memory}M", "-j", threads]
        for name in ("long.html", "many", "small", "pages.warc", "pages.mbox"):
            out = str(folder / ("of-pages" + threads))
            command = [origo, "dedup", *run, "-o", out, str(place / name)]
            said = folder / "said"
            peak, _, status = peak_of(command, said)
            n_skipped = said.read_text().count("(skipped; --max-document sets")
            expected = {"long.html": (3, 1), "pages.warc": (0, 1)}.get(name,
                                                                       (0, 0))
            written = pathlib.Path(out).read_bytes() if status == 0 else b""
            ok = ((status, n_skipped) == expected and peak <= most and
                  outputs.setdefault(name, written) == written)
            failed += not ok
            print(f"{'ok' if ok else 'FAILED'} pages, {name} -j {threads}: "
                  f"{peak:.0f} MB of {most:.0f}, status {status}, "
                  f"{n_skipped} skipped", flush=True)


def check_few_words(origo, folder):
    """Two texts of 200,000 words, each one of two at random: runs everywhere."""
    path, rng = folder / "few-words.jsonl", random.Random(3)
    with open(path, "w", encoding="ascii") as f:
        for i in range(2):
            f.write(json.dumps({"id": str(i), "text": " ".join(
                rng.choices("ab", k=200000))}) + "\n")
    check("trace of two words", [origo, "trace", "-q", "-s", ":memory:",
                                 "-o", str(folder / "out.jsonl"), str(path)],
          220)


def check_skips(command, most):
    global failed
    done = subprocess.run(command, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    peak, _, status = peak_of(command)
    ok = (status == done.returncode == 0 and peak <= most and
          "giant.jsonl:1: the record is longer than" in done.stderr)
    failed += not ok
    print(f"{'ok' if ok else 'FAILED'} a giant skipped, {command[1]}: "
          f"{peak:.0f} MB of {most:.0f}, status {status}", flush=True)


def main():
    origo = sys.argv[1]
    n_mb = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    memory = int(sys.argv[3]) if len(sys.argv) > 3 else 16
    most = memory + 100 * 1.048576
    with tempfile.TemporaryDirectory() as temp:
        folder = pathlib.Path(temp)
        stream = str(folder / "stream.jsonl")
        write_stream(stream, n_mb * 1000000)
        for threads in ("2", "16"):
            for name, command, cap in commands(folder, stream, threads, memory,
                                               most):
                check(f"{name} -j {threads}", [origo, *command], cap)
        check_giant(origo, folder, memory, most)
        check_pages(origo, folder)
        check_few_words(origo, folder)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
