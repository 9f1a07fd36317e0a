#!/usr/bin/env python3
"""Whatever is added to a store comes out of it again.

usage: tests/cli/test_odd_documents.py ORIGO [SEED...]

Stores of every kind get random small and odd documents (0 to 40 words, words
repeated, nothing, punctuation alone, other scripts, one word of 1 MB) by
random commands, each a process of its own. After every command the store is
verified and exported, and the export is compared with a list in Python that
went through the same commands. A failure names its seed and what was done."""

import calendar
import json
import os
import random
import subprocess
import sys
import tempfile
import time

ORIGO = os.path.abspath(sys.argv[1])
# Where tests are built there is one that fills its files after a few documents.
SMALL = os.path.join(os.path.dirname(ORIGO), "../tests/crash/origo-small")
ORIGOS = [ORIGO] + [SMALL] * os.path.exists(SMALL)
N_STORES, N_STEPS = 36, 5

WORDS = "a lamp harbour of grey the bell winter signal stone I".split()
SCRIPTS = ["на тихой воде", "静かな港の灯り", "مرفأ هادئ", "λιμάνι",
           "항구의 등불", "ท่าเรือ", "🙂 🙃", "e\u0301e\u0301", "\u200b\u200d",
           "ACGT", "acgtacgtacgtacgtnacgtacgtacgtacgt"]
PUNCTUATION = ["", " ", "\n", "...", "?! -- ;", "\t\n \r\n", "\u2014", "\0",
               "\x1b[0m", "\ufeff"]

KINDS = [["--preset", name] for name in ("prose", "short", "code", "dna")] + [
    [option, value] for option, values in {
        "--select": "All 4th M4 W5 Hb3 Dct3 Hs Os4 NW5 SW5 SHs".split(),
        "--estimate": "NB E B BE CX".split(),
        "--evict": "R LRU CC LS S3 thin learn".split(),
        "--tokens": "words chars lines dna".split(),
        "--layout": ["paper"], "--shingle": ["2", "32"],
        "--same": ["id", "host", "author"]}.items() for value in values]


def make_text(r):
    kind = r.randrange(10)
    n = r.randrange(41)
    if kind < 4:
        return " ".join(r.choice(WORDS) + (str(r.randrange(30)) if kind else "")
                        for _ in range(n))
    if kind == 4:
        return r.choice(("\n", " ", "")).join([r.choice(WORDS)] * n)
    if kind == 5:
        return r.choice(PUNCTUATION) * r.randrange(20)
    if kind == 6:
        return r.choice((" ", "\n")).join(r.choices(SCRIPTS, k=n % 8))
    if kind == 7:
        return "".join(chr(r.choice((r.randrange(32, 0xd800),
                                     r.randrange(0x1f300, 0x1f600))))
                       for _ in range(n))
    if kind == 8:
        return "".join(r.choices("acgt", k=3 * n))
    return "x" * (1 << 20) if r.randrange(8) == 0 else "y" * r.randrange(70000)


class Store:
    """A store, and what must be in it: (id, time, text, the rest) in order."""

    def __init__(self, folder, r):
        self.r, self.folder, self.n = r, folder, 0
        self.origo = r.choice(ORIGOS)
        self.documents, self.told = [], []
        self.settings = ["--memory", r.choice(("4Ki", "64Ki", "1Mi"))] + \
            r.choice(KINDS) + (["--evict", r.choice(("learn", "R", "CC"))]
                               if r.randrange(3) == 0 else [])
        self.path = os.path.join(folder, "store-0")

    def run(self, *arguments, stdin=b""):
        self.told.append(" ".join([self.origo, *arguments]))
        done = subprocess.run([self.origo, *arguments], input=stdin, timeout=60,
                              capture_output=True)
        if done.returncode != 0:
            raise AssertionError("status %d: %s" % (done.returncode,
                                                    done.stderr.decode()))
        return done.stdout

    def make_document(self):
        r, again = self.r, r_choice(self.r, self.documents)
        doc = {"id": "d%d" % self.n, "text": make_text(r)}
        self.n += 1
        if r.randrange(2):
            doc["time"] = r.randrange(1, 1 << 31)
        if r.randrange(4) == 0:
            doc["author"] = r.choice(("", "Ann", "Bo"))
        if again is not None and r.randrange(4) == 0:
            if r.randrange(2):
                return dict(again)
            doc["id"] = again["id"]
        elif again is not None and r.randrange(4) == 0:
            doc["text"] = again["text"] + " " + doc["text"]
        return doc

    def take(self, doc):
        """As add does: what the newest version is already changes nothing."""
        latest = [d for d in self.documents if d["id"] == doc["id"]][-1:]
        keys = ("text", "time")
        if not latest or [latest[0].get(k) for k in keys] != \
                [doc.get(k) for k in keys]:
            self.documents.append(doc)

    def add(self):
        lines = []
        for _ in range(self.r.choice((1, 1, 2, 3, 8))):
            doc = self.make_document()
            lines.append(json.dumps(doc, ensure_ascii=self.r.randrange(2) == 0))
            self.take(doc)
        command = self.r.choice((["add"], ["add"], ["import"],
                                 ["trace", "--add"]))
        self.run(*command, "-q", "-j", self.r.choice("123"), "-s", self.path,
                 *self.settings, "-", stdin="\n".join(lines).encode() + b"\n")

    def remove(self):
        doc = r_choice(self.r, self.documents)
        if doc is None:
            return
        self.documents = [d for d in self.documents if d["id"] != doc["id"]]
        self.run("rm", "-s", self.path, doc["id"])

    def move(self):
        """Into a new store of other settings."""
        out = self.run("export", "-s", self.path)
        self.path = os.path.join(self.folder, "store-%d" % len(self.told))
        self.settings = ["--memory", "64Ki"] + self.r.choice(KINDS)
        self.run("import", "-q", "-s", self.path, *self.settings, "-",
                 stdin=out)

    def check(self):
        self.run("verify", "-s", self.path)
        out = self.run("export", "-s", self.path)
        rows = [json.loads(line) for line in out.decode().split("\n")[:-1]]
        for row, doc in zip(rows, self.documents):
            if "time" in row:
                row["time"] = seconds(row["time"])
                assert row.pop("time_source") == "record", row
            assert row == doc, "gave back %.300r for %.300r" % (row, doc)
        assert len(rows) == len(self.documents), "gave back %d of %d" % (
            len(rows), len(self.documents))


def r_choice(r, items):
    return r.choice(items) if items else None


def seconds(text):
    return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))


def run_one(seed):
    # In memory where there is such a place: every command syncs its files.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="origo-odd-", dir=place) as folder:
        r = random.Random(seed)
        store = Store(folder, r)
        try:
            store.add()
            store.check()
            for _ in range(N_STEPS - 1):
                r.choice((store.add, store.add, store.add, store.remove,
                          store.move))()
                store.check()
        except AssertionError as e:
            return "%s\nafter\n%s" % (e, "\n".join(store.told))
    return ""


def main():
    failed = 0
    seeds = [int(a) for a in sys.argv[2:]] or range(N_STORES)
    for seed in seeds:
        story = run_one(seed)
        if story:
            failed += 1
            print("FAILED odd documents: seed %d" % seed)
            print("    " + story.replace("\n", "\n    "))
    if not failed:
        print("ok odd documents come back from %d stores" % len(seeds))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
