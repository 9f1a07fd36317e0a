#!/usr/bin/env python3
"""bench/quality_spans.py counts tokens as origo does, in texts that a wrong charset
has left full of marks without letters, too; so what it says of them holds.

usage: test_quality_spans.py BUILD"""

import importlib.util
import json
import os
import sys
import tempfile

from checks import ROOT, finish, report, run, skip

SCRIPT = os.path.join(ROOT, "bench", "quality_spans.py")
TEXTS = {
    "words": "Plain words, 42 of_them, it's l\u2019\u00e9t\u00e9 2024",
    "marks without letters": "a \u0302 b \ufffd\u0349\ufffd\u0303x \u0316\u0342",
    "marks of letters": "re\u0301sume\u0301 \u0915\u094d\u0937\u093f \u05e9\u05b8",
    "characters that stand alone": "\u6f22\u5b57\u306f \u0e01\u0e33\u0e1b \u043cir",
}


def load():
    spec = importlib.util.spec_from_file_location("quality_spans", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_stream(path, texts):
    with open(path, "w", encoding="utf-8") as out:
        for number, text in enumerate(texts):
            out.write(json.dumps({"id": "d%d" % number, "text": text}) + "\n")


def check_counts(spans, origo, path):
    write_stream(path, TEXTS.values())
    status, out = run([origo, "trace", "-q", "-s", ":memory:", "--format",
                       "json", path])
    if status != 0:
        report("trace", out)
        return
    for name, line in zip(TEXTS, out.splitlines()):
        here, there = len(spans.Document(0, TEXTS[name]).ids), \
            json.loads(line)["n_tokens"]
        report("as many tokens: " + name, "" if here == there else
               "%d here, origo has %d" % (here, there))


def check_copiers(origo, path):
    """Three mails in a wrong charset, each a copy of the one before."""
    passage = " ".join("\ufffd\u0349 w%d \u0302" % i for i in range(40))
    write_stream(path, [passage, passage, passage + " and an end"])
    status, out = run([sys.executable, SCRIPT, origo, path])
    report("nothing is wrong with a copy of marks", "" if status == 0 and
           "0.0000 of 1 share nothing" in out and
           "0 say more tokens than there are, 0 another number" in out
           else "exit status %d\n%s" % (status, out))


def main():
    origo = os.path.join(sys.argv[1], "cli", "origo")
    try:
        spans = load()
    except ImportError as e:
        skip("tokens of quality_spans", e)
        finish()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stream.jsonl")
        check_counts(spans, origo, path)
        check_copiers(origo, path)
    finish()


main()
