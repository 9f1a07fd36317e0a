#!/usr/bin/env python3
"""A signal is obeyed inside a document: tests/cli/test_stop.py ORIGO [MB [NAME...]]

One document of MB megabytes (6) through every command that reads documents or
a store, or through those that are named ("dedup, line"). Each is run once to the
end, then again, and gets SIGTERM after a share of the processor time that it took;
it may take one second more of processor time, whatever the clock says. What is in
the store then is the whole document or none of it, and the store is sound."""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ORIGO = os.path.abspath(sys.argv[1])
MOST_SECONDS = 1.0
SHARES = (0.15, 0.45, 0.75, 0.95)
ALL = ("--index", "passages,near,sentences")
LONG = ("--max-document", "1G")
failed = 0


def write_document(path, n_bytes):
    rng = random.Random(3)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz",
                                 k=rng.randrange(2, 9))) for _ in range(20000)]
    size = 0
    with open(path, "w", encoding="ascii") as f:
        f.write('{"id":"big","text":"')
        while size < n_bytes:
            size += f.write(" ".join(rng.choices(
                words, k=rng.randrange(5, 25))).capitalize() + ". ")
        f.write('"}\n')


def cpu_of(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(arguments, signal_at=None):
    """CPU seconds in all, those after the signal, the status. A signal is sent
    when so many CPU seconds were used."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(ORIGO, [ORIGO, *arguments])
    before = None
    while signal_at is not None and before is None:
        # It stays a zombie until it is waited for, so its times can be read.
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
        used = cpu_of(pid)
        if used >= signal_at:
            before = used
            os.kill(pid, signal.SIGTERM)
        else:
            time.sleep(0.002)
    _, status, used = os.wait4(pid, 0)
    total = used.ru_utime + used.ru_stime
    after = 0.0 if before is None else total - before
    return total, after, os.waitstatus_to_exitcode(status)


def documents_of(store):
    """How many it holds; its files are sound."""
    for command in ("verify", "export"):
        done = subprocess.run([ORIGO, command, "-s", store],
                              capture_output=True)
        if done.returncode == 5:
            return 0
        assert done.returncode == 0, (command, done.stderr)
    return done.stdout.count(b"\n")


def check(name, prepare, arguments, store=None):
    global failed
    if sys.argv[3:] and name not in sys.argv[3:]:
        return
    prepare()
    total, _, status = run(arguments)
    told = ["%.1f s in all" % total]
    good = status == 0
    for share in SHARES:
        prepare()
        _, after, status = run(arguments, share * total)
        told.append("%.2f (%d)" % (after, status))
        good &= after <= MOST_SECONDS and status in (0, 143, -signal.SIGTERM)
        if store is not None and os.path.exists(store):
            n = documents_of(store)
            good &= n <= 1 and (n == 1 or status != 0)
    failed += not good
    print("%s %s: %s" % ("ok" if good else "FAILED", name, ", ".join(told)),
          flush=True)


def main():
    n_mb = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    with tempfile.TemporaryDirectory(prefix="origo-stop-") as folder:
        place = pathlib.Path(folder)
        big, out = str(place / "big.jsonl"), str(place / "out")
        store, full = str(place / "store"), str(place / "full")
        write_document(big, n_mb * 1000000)
        done = subprocess.run([ORIGO, "add", "-q", *ALL, *LONG, "-s", full,
                               big])
        assert done.returncode == 0

        def nothing():
            shutil.rmtree(store, ignore_errors=True)
            if os.path.exists(out):
                os.unlink(out)

        def a_store():
            nothing()
            shutil.copytree(full, store)

        def without(index):
            def prepare():
                a_store()
                subprocess.run([ORIGO, "index", "-q", "-s", store, "--drop",
                                index], check=True,
                               stdout=subprocess.DEVNULL)
            return prepare

        here = ["-s", store]
        for name, prepare, arguments in (
                ("add", nothing, ["add", "-q", *here, *LONG, big]),
                ("add, all indexes", nothing,
                 ["add", "-q", *here, *ALL, *LONG, big]),
                ("trace --add", nothing,
                 ["trace", "-q", "--add", *here, *LONG, big]),
                ("near --add", nothing,
                 ["near", "-q", "--add", *here, *LONG, big]),
                ("quote --add", nothing,
                 ["quote", "-q", "--add", *here, *LONG, big]),
                ("import", nothing, ["import", "-q", *here, *LONG, big]),
                ("trace", a_store, ["trace", "-q", *here, *LONG, big]),
                ("near", a_store, ["near", "-q", *here, *LONG, big]),
                ("compact", a_store, ["compact", "-q", *here]),
                ("index --add", without("sentences"),
                 ["index", "-q", *here, "--add", "sentences"]),
                ("index --drop", a_store,
                 ["index", "-q", *here, "--drop", "passages"]),
                ("verify", a_store, ["verify", *here]),
                ("export", a_store, ["export", *here, "-o", out])):
            check(name, prepare, arguments, store)
        for level in ("document", "passage", "sentence", "line"):
            check("dedup, " + level, nothing,
                  ["dedup", "-q", "--level", level, *LONG, "-o", out, big])
        check("repair", a_store, ["repair", "-q", *here, "-o", out])
        check("read", nothing, ["read", "-q", *LONG, "-o", out, big])
        check("compare", nothing, ["compare", *LONG, big, big])
        check("files delta", nothing, ["files", "delta", "-o", out, big, big])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
