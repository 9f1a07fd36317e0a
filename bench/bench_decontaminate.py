#!/usr/bin/env python3
"""Are benchmark items found in a training set, however they were copied?

    bench/bench_decontaminate.py BUILD DATA [--size BYTES] [--items N]

The corpus is a mix of mail, rfc and pep-history, grown to --size (2e9) with
changed copies of itself, as in bench_dedup.py. One document in ten is held
back before; the items are passages of 30 to 90 words of those, of which the
first two thirds are the question and the rest is the answer. No 13 words in a
row of an item are in the corpus before it is planted: such an item would be
there already, and nobody could say what is a false alarm.

Each item is planted once, in one of five ways, in the middle of a document of
its own. Found: the document is named (for origo, with that item). A false
alarm is a document that was not planted; a plain comparison says how many of
them hold half of an item's words in order all the same."""

import argparse
import difflib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

from bench_dedup import grow_mix, unpack
from bench_python import STREAMS, machine

WORD = re.compile(r"\w+")
KINDS = ["verbatim", "re-punctuated", "one word in twenty changed",
         "only the answer", "half the question"]
GRAMS = (8, 13)
STRETCH = 110  # words


def words_of(text):
    return WORD.findall(text.lower())


def grams_of(words, n):
    return [" ".join(words[i:i + n]) for i in range(len(words) - n + 1)]


# ---- corpus and items -------------------------------------------------------

def hold_back(source, target, rng):
    """Moves one document in ten out; their texts."""
    held = []
    with open(source, "rb") as lines, open(target, "wb") as out:
        for line in lines:
            if rng.random() < 0.1:
                held.append(json.loads(line)["text"])
            else:
                out.write(line)
    return held


def candidates(held, n, rng):
    """Passages, more than are needed."""
    rng.shuffle(held)
    found = []
    for text in held:
        words = text.split()
        # One in each stretch of so many words: no two share some.
        for begin in range(0, len(words) - STRETCH + 1, STRETCH):
            length = rng.randrange(30, 91)
            start = begin + rng.randrange(STRETCH - length)
            found.append(words[start:start + length])
    rng.shuffle(found)
    return [one for one in found if len(words_of(" ".join(one))) >= 30][:6 * n]


def without_known(items, corpus, n):
    """Those of which no 13 words in a row are in the corpus, and no two of
    which share some."""
    wanted, seen = {}, set()
    for number, item in enumerate(items):
        for gram in grams_of(words_of(" ".join(item)), 13):
            wanted.setdefault(gram, set()).add(number)
    for numbers in wanted.values():
        if len(numbers) > 1:
            seen |= numbers
    with open(corpus, "rb") as lines:
        for line in lines:
            for gram in grams_of(words_of(json.loads(line)["text"]), 13):
                if gram in wanted:
                    seen |= wanted[gram]
    return [item for number, item in enumerate(items)
            if number not in seen][:n]


def change(kind, words, rng):
    n_question = len(words) * 2 // 3
    if kind == "re-punctuated":
        return ", ".join(WORD.sub(lambda m: m[0], one) for one in
                         words).upper()
    if kind == "one word in twenty changed":
        return " ".join("otherwise" if rng.random() < 0.05 else one
                        for one in words)
    if kind == "only the answer":
        return " ".join(words[n_question:])
    if kind == "half the question":
        return " ".join(words[:n_question // 2])
    return " ".join(words)


def plant(source, target, items, n_documents, rng):
    """Writes the corpus with the items in it; {number of document: item}."""
    places = sorted(rng.sample(range(n_documents), len(items)))
    order = list(range(len(items)))
    rng.shuffle(order)
    planted = dict(zip(places, order))
    with open(source, "rb") as lines, open(target, "wb") as out:
        for number, line in enumerate(lines):
            if number in planted:
                record = json.loads(line)
                words = record["text"].split(" ")
                middle = rng.randrange(len(words) + 1)
                item = planted[number]
                copy = change(KINDS[item % len(KINDS)], items[item], rng)
                record["text"] = " ".join(words[:middle]) + "\n\n" + copy + (
                    "\n\n" + " ".join(words[middle:]))
                line = json.dumps(record).encode() + b"\n"
            out.write(line)
    return planted


# ---- who finds what ---------------------------------------------------------

OURS = """
import json, pathlib, sys, origo
items = json.load(open(sys.argv[2]))
result = origo.decontaminate(pathlib.Path(sys.argv[1]), [
    {"id": str(i), "text": " ".join(words)} for i, words in enumerate(items)],
    min_words=int(sys.argv[4]))
json.dump([[one.index, int(one.item), one.share] for one in result.found],
          open(sys.argv[3], "w"))
"""



def ask_origo(corpus, items_path, folder, min_words):
    """{document: items}, CPU seconds, MB"""
    out = os.path.join(folder, "found.json")
    process = subprocess.Popen([sys.executable, "-c", OURS, corpus, items_path,
                                out, str(min_words)])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        raise SystemExit("origo.decontaminate failed: status %d" % status)
    found = {}
    with open(out) as file:
        for number, item, share in json.load(file):
            found.setdefault(number, {})[item] = share
    return found, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3


def ask_grams(corpus, items, n):
    """Documents that share n words in a row with an item."""
    known = {gram for words in items
             for gram in grams_of(words_of(" ".join(words)), n)}
    found, begin = set(), time.process_time()
    with open(corpus, "rb") as lines:
        for number, line in enumerate(lines):
            words = words_of(json.loads(line)["text"])
            if any(gram in known for gram in grams_of(words, n)):
                found.add(number)
    return found, time.process_time() - begin


def holds_half(item, text):
    """Whether half of the item's words are in the text, in order and close."""
    a, b = words_of(" ".join(item)), words_of(text)
    blocks = [one for one in difflib.SequenceMatcher(
        None, a, b, autojunk=False).get_matching_blocks() if one.size >= 3]
    best = 0
    for first in blocks:
        best = max(best, sum(one.size for one in blocks
                             if 0 <= one.b - first.b < 2 * len(a)))
    return best >= len(a) / 2


def look_again(corpus, items, alarms):
    """How many alarms hold half of their item."""
    n = 0
    with open(corpus, "rb") as lines:
        for number, line in enumerate(lines):
            if number in alarms:
                text = json.loads(line)["text"][:200000]
                n += any(holds_half(items[item], text)
                         for item in alarms[number])
    return n


def recalls(planted, is_found):
    for kind in range(len(KINDS)):
        wanted = [(number, item) for number, item in planted.items()
                  if item % len(KINDS) == kind]
        yield "%.4f" % (sum(is_found(number, item) for number, item in wanted)
                        / max(1, len(wanted)))


def row(title, *cells):
    print("| " + " | ".join([title, *cells]) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("data")
    parser.add_argument("--size", type=float, default=2e9)
    parser.add_argument("--items", type=int, default=10000)
    options = parser.parse_args()
    rng = random.Random(11)
    with tempfile.TemporaryDirectory(prefix="origo-bench-",
                                     dir=options.build) as folder:
        streams, held = {}, []
        for name in STREAMS:
            whole = os.path.join(folder, "whole.jsonl")
            unpack(options.data, name, whole, int(options.size / 1e4))
            streams[name] = os.path.join(folder, name + ".jsonl")
            held += hold_back(whole, streams[name], rng)
            os.remove(whole)
        mix, corpus = (os.path.join(folder, one + ".jsonl")
                       for one in ("mix", "corpus"))
        n_documents = grow_mix(streams, mix, options.size)
        items = without_known(candidates(held, options.items, rng), mix,
                              options.items)
        planted = plant(mix, corpus, items, n_documents, rng)
        os.remove(mix)
        items_path = os.path.join(folder, "items.json")
        with open(items_path, "w") as out:
            json.dump(items, out)
        print("# Decontamination\n\nmachine: %s, %d processors. %d documents, "
              "%.0f MB; %d items, each planted once.\n" % (
                  machine(), os.cpu_count(), n_documents,
                  os.path.getsize(corpus) / 1e6, len(items)))
        row("", *KINDS, "not planted; of these, hold half of an item", "CPU s",
            "MB per CPU s", "peak MB")
        print("|" + "---|" * (len(KINDS) + 5), flush=True)
        size = os.path.getsize(corpus) / 1e6
        for title, min_words in (("origo", 13), ("origo, min_words=8", 8)):
            found, cpu, peak = ask_origo(corpus, items_path, folder,
                                               min_words)
            alarms = {number: of for number, of in found.items()
                      if number not in planted}
            row(title, *recalls(planted, lambda number, item: item in
                                found.get(number, ())), "%d; %d" % (
                len(alarms), look_again(corpus, items, alarms)),
                "%.0f" % cpu, "%.1f" % (size / cpu), "%.0f" % peak)
        for n in GRAMS:
            others, cpu = ask_grams(corpus, items, n)
            row("%d words in a row" % n, *recalls(
                planted, lambda number, item: number in others),
                "%d" % len(others - set(planted)), "%.0f" % cpu,
                "%.1f" % (size / cpu), "")


if __name__ == "__main__":
    main()
