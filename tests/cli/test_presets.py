#!/usr/bin/env python3
"""Planted copies, found by the presets that are made for them.

usage: tests/cli/test_presets.py ORIGO

code: copies with one token in ten changed. dna: ends to a few bases. short: no
passage but the plants. And a document that is asked again under its own id is
no copy of itself. Prints 'ok NAME' or 'FAILED NAME' for each check."""

import json
import os
import random
import subprocess
import sys
import tempfile

ORIGO = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
N_PLANTS = 40
SEEDS = (1, 2, 3)


def write(path, texts, year):
    with open(path, "w") as f:
        for name, text in texts.items():
            record = {"id": name, "text": text}
            if year is not None:
                record["time"] = str(year)
            f.write(json.dumps(record) + "\n")
    return path


def trace(preset, known, asked, year=2001):
    """The spans of each text that is asked about."""
    with tempfile.TemporaryDirectory(prefix="origo-presets-") as folder:
        store = os.path.join(folder, "store")
        subprocess.run([ORIGO, "add", "-q", "-s", store, "--memory", "8M",
                        "--preset", preset,
                        write(os.path.join(folder, "known.jsonl"), known,
                              2000)], check=True)
        out = subprocess.run([ORIGO, "trace", "-q", "-s", store, "-f", "json",
                              write(os.path.join(folder, "asked.jsonl"), asked,
                                    year)],
                             stdout=subprocess.PIPE, check=True).stdout
    answers = map(json.loads, out.splitlines())
    return {a["id"]: [(s["begin"], s["end"]) for s in a["spans"]]
            for a in answers}


def plant(rng, sources, separator, length, host, change):
    """(texts, where the plant of each is); `change` makes another token."""
    texts, places = {}, {}
    for i in range(N_PLANTS):
        source = rng.choice(sources)
        n = rng.choice(length)
        first = rng.randrange(len(source) - n)
        passage = [change(t) for t in source[first:first + n]]
        before, after = (separator.join(host()) + separator for _ in range(2))
        copy = separator.join(passage)
        texts["q%d" % i] = before + copy + separator + after
        places["q%d" % i] = len(before), len(before) + len(copy)
    return texts, places


def named(sources, separator):
    return {"d%d" % i: separator.join(s) for i, s in enumerate(sources)}


def shared(spans, place):
    return sum(max(0, min(e, place[1]) - max(b, place[0])) for b, e in spans)


def check_code():
    """Nine in ten, half of each at least, and nothing else."""
    names = ["i", "n", "len", "buf", "ptr", "count", "node", "next", "data"] + \
        ["name%d" % i for i in range(80)]
    signs = ["=", "+", "->", "==", "(", ")", ";", "{", "}", "if", "return"]
    n_found = n_false = 0
    for seed in SEEDS:
        rng = random.Random(seed)

        def token():
            return rng.choice(names if rng.random() < 0.45 else signs)
        sources = [[token() for _ in range(600)] for _ in range(20)]
        texts, places = plant(
            rng, sources, " ", (120,), lambda: [token() for _ in range(150)],
            lambda t: token() if rng.random() < 0.1 else t)
        answers = trace("code", named(sources, " "), texts)
        for name, (b, e) in places.items():
            n_found += 2 * shared(answers[name], (b, e)) >= e - b
            n_false += sum(y <= b or x >= e for x, y in answers[name])
    return 10 * n_found >= 9 * N_PLANTS * len(SEEDS) and n_false == 0


def check_dna():
    """Bases that happen to go on alike are not told apart: a few."""
    for seed in SEEDS:
        rng = random.Random(seed)

        def bases(n):
            return [rng.choice("ACGT") for _ in range(n)]
        sources = [bases(20000) for _ in range(4)]
        texts, places = plant(rng, sources, "", (100, 200, 400),
                              lambda: bases(500), lambda t: t)
        answers = trace("dna", named(sources, ""), texts)
        for name, (b, e) in places.items():
            if len(answers[name]) != 1:
                return False
            (x, y), = answers[name]
            if abs(x - b) > 8 or abs(y - e) > 8:
                return False
    return True


def check_short():
    """Phrases of four or five words are everywhere; a passage is more."""
    phrases = ["the end of the", "as well as in the", "on the other hand",
               "it is one of the", "at the same time as", "in the case of a"]
    n_found = n_false = 0
    for seed in SEEDS:
        rng = random.Random(seed)
        words = ["word%d" % i for i in range(3000)]

        def text():
            out = []
            for _ in range(30):
                out += rng.choice(phrases).split()
                out += [rng.choice(words) for _ in range(rng.randrange(2, 6))]
            return out
        sources = [text() for _ in range(30)]
        texts, places = plant(rng, sources, " ", (14, 20, 30), text,
                              lambda t: t)
        answers = trace("short", named(sources, " "), texts)
        for name, (b, e) in places.items():
            n_found += shared(answers[name], (b, e)) > 0
            n_false += sum(y <= b or x >= e for x, y in answers[name])
    n = N_PLANTS * len(SEEDS)
    return n_found == n and 6 * n_false <= n


def check_own_id():
    """Whatever its time is, and whether it has one."""
    text = " ".join("word%d" % i for i in range(60))
    return all(trace("prose", {"a": text}, {"a": text}, year)["a"] == []
               for year in (1999, 2000, 2001, None)) and \
        trace("prose", {"a": text}, {"b": text}, 2001)["b"] != []


def main():
    failed = False
    for name, check in (("code", check_code), ("dna", check_dna),
                        ("short", check_short), ("own-id", check_own_id)):
        is_right = check()
        failed |= not is_right
        print("ok" if is_right else "FAILED", name, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
