#!/usr/bin/env python3
"""What a command says of itself: the bar on a terminal, the summary, the stop.

usage: tests/cli/test_progress.py ORIGO

Long commands run with stderr on a terminal of their own (a pty), are held for a
moment so that the bar has a reason, and must show bytes of text and the time
that is left; with --quiet, or without a terminal, nothing. --summary follows
docs/summary.schema.json. Ctrl-C says what is kept and how to go on."""

import json
import os
import pathlib
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ORIGO = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BAR = re.compile(r"\[[#.]{24}\] +\d+ %  .*\d+:\d\d:\d\d left")
failures = []


def check(what, is_true, more=""):
    print("%s progress: %s" % ("ok" if is_true else "FAILED", what))
    if not is_true:
        failures.append(what)
        print("    " + str(more)[:2000].replace("\n", "\n    "))


def write_documents(path, n, seed=1, words=90):
    r = random.Random(seed)
    with open(path, "w") as f:
        for i in range(n):
            text = " ".join("w%d" % r.randrange(20000) for _ in range(words))
            f.write(json.dumps({"id": "d%d-%d" % (seed, i), "time": i + 1,
                                "text": text + "."}) + "\n")


def read_all(fd, said):
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:  # the other end is closed
            return
        if not more:
            return
        said.append(more.decode("utf-8", "replace"))


def on_terminal(arguments, cwd, hold=True):
    """Runs it with stderr on a terminal; its status, and what it said there.
    Held for a moment until it shows a bar: one is drawn when time has passed
    and work is left."""
    mine, its = pty.openpty()
    process = subprocess.Popen([ORIGO, *arguments], cwd=cwd, stderr=its,
                               stdout=subprocess.DEVNULL)
    os.close(its)
    said = []
    reader = threading.Thread(target=read_all, args=(mine, said))
    reader.start()
    for _ in range(40 if hold else 0):
        time.sleep(0.03)
        if process.poll() is not None or BAR.search("".join(said)):
            break
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.35)
        process.send_signal(signal.SIGCONT)
    status = process.wait(120)
    reader.join(60)
    os.close(mine)
    return status, "".join(said)


# ---- the bar ------------------------------------------------------------------

def bars(place):
    write_documents(place / "in.jsonl", 30000)
    write_documents(place / "more.jsonl", 6000, 2)
    made = subprocess.run([ORIGO, "add", "-q", "-s", "full.store", "in.jsonl"],
                          cwd=place)
    assert made.returncode == 0
    commands = {
        "add": "add -j 1 -s a.store in.jsonl",
        "import": "import -j 1 -s b.store in.jsonl",
        "dedup -o": "dedup -j 1 -o kept.jsonl in.jsonl",
        "trace -o": "trace -j 1 -s :memory: -o answers.jsonl in.jsonl",
        "near -o": "near -j 1 -s :memory: --add -o near.jsonl in.jsonl",
        "quote -o": "quote -s :memory: -o quote.jsonl more.jsonl",
        "read -o": "read -j 1 -o read.jsonl.zst in.jsonl",
        "export -o": "export -s full.store -o e.jsonl.zst",
        "index": "index -s full.store --add near",
    }
    for name, line in commands.items():
        status, said = on_terminal(line.split(), place)
        has_text = name == "index" or "MB of text" in said
        check("%s shows a bar with the time left" % name,
              status == 0 and BAR.search(said) and has_text, said)
        check("%s takes the bar away" % name,
              said.rstrip("\r\n").split("\r")[-1].find("[#") < 0, said)
    for name in ("add", "dedup -o", "export -o"):
        for made in ("a.store", "kept.jsonl", "e.jsonl.zst"):
            shutil.rmtree(place / made, ignore_errors=True)
        status, said = on_terminal(commands[name].split() + ["--quiet"], place,
                                   hold=False)
        check("%s --quiet says nothing" % name, status == 0 and said == "",
              said)
    done = subprocess.run([ORIGO, *commands["trace -o"].split()], cwd=place,
                          capture_output=True)
    check("no bar without a terminal", b"\r" not in done.stderr and
          b"left" not in done.stderr, done.stderr)


# ---- the summary ----------------------------------------------------------------

def summaries(place):
    write_documents(place / "s.jsonl", 200, 3)
    lines = (place / "s.jsonl").read_text().splitlines()
    (place / "s.jsonl").write_text("\n".join(lines + lines[:20]) + "\n")
    commands = {
        "add": "add -s s.store s.jsonl",
        "import": "import -s s2.store s.jsonl",
        "trace": "trace -s :memory: -o t.jsonl s.jsonl",
        "dedup": "dedup -o d.jsonl s.jsonl",
        "near": "near -s :memory: --add -o n.jsonl s.jsonl",
        "quote": "quote -s :memory: -o q.jsonl s.jsonl",
    }
    try:
        import jsonschema
    except ImportError:
        jsonschema = None
        print("SKIPPED progress: the schema: python3-jsonschema is missing")
    schema = json.loads((ROOT / "docs/summary.schema.json").read_text())
    found = {}
    for name, line in commands.items():
        done = subprocess.run([ORIGO, *line.split(), "-q", "--summary",
                               name + ".json"], cwd=place,
                              capture_output=True)
        summary = json.loads((place / (name + ".json")).read_text())
        found[name] = summary
        check("--summary of %s" % name,
              done.returncode == 0 and summary["command"] == name and
              summary["documents"] == 220 and summary["status"] == 0, summary)
        if jsonschema is not None:
            wrong = list(jsonschema.Draft7Validator(schema).iter_errors(summary))
            check("the schema knows --summary of %s" % name, not wrong, wrong)
    check("the summaries count what was found",
          found["add"]["added"] == 200 and found["add"]["known"] == 20 and
          found["dedup"]["removed"] == 20 and found["dedup"]["kept"] == 200 and
          found["near"]["near"] == 0 and found["trace"]["skipped"] == 0, found)
    done = subprocess.run([ORIGO, "dedup", "-q", "-o", "d.jsonl", "--exit-code",
                           "--summary", "x.json", "s.jsonl"], cwd=place)
    check("the summary has the exit status", done.returncode == 1 and
          json.loads((place / "x.json").read_text())["status"] == 1)


# ---- Ctrl-C ---------------------------------------------------------------------

def stopped(place, arguments):
    """Ctrl-C while it waits for more of a pipe; its status and its last words."""
    pipe = place / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)
    process = subprocess.Popen([ORIGO, *arguments, "pipe"], cwd=place,
                               stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL)
    with open(pipe, "w") as f:
        f.write((place / "c.jsonl").read_text())
        f.flush()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read().decode()
    return process.wait(60), said


def stops(place):
    write_documents(place / "c.jsonl", 500, 4)
    for name, line in {
            "add": "add -s c1.store",
            "import": "import -s c2.store",
            "trace --add": "trace --add -s c3.store -o c.answers"}.items():
        status, said = stopped(place, line.split())
        found = re.search(r"stopped; the store keeps (\d+) new documents?; "
                          r"the same command resumes from there", said)
        store = line.split("-s ")[1].split()[0]
        info = subprocess.run([ORIGO, "info", "-s", store, "--json"], cwd=place,
                              capture_output=True)
        n = json.loads(info.stdout)["documents"] if info.stdout else -1
        check("Ctrl-C of %s says what is kept and how to go on" % name,
              status == 130 and found and int(found.group(1)) == n,
              (status, said, n))
    status, said = stopped(place, ["dedup", "-o", "c.kept"])
    check("Ctrl-C of dedup says that nothing was written",
          status == 130 and "nothing was written" in said and
          "--resume" in said and not (place / "c.kept").exists(), said)


def main():
    with tempfile.TemporaryDirectory(prefix="origo-progress-") as folder:
        place = pathlib.Path(folder)
        bars(place)
        summaries(place)
        stops(place)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
