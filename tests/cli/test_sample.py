#!/usr/bin/env python3
"""Does origo find what we know to be copied in sample/?

usage: tests/cli/test_sample.py ORIGO [TRACE OPTION]...

Runs `origo trace -s :memory: --format json sample/documents.jsonl` and looks
at each answer with sample/truth.tsv beside it:

- of each copied passage, spans of the right origin cover at least 80 % of the
  bytes (whole words at its edges may be missed),
- no span names another origin for more than 7 tokens of a passage: where two
  passages meet, the estimation may carry the first on into the second, but
  not by a whole shingle,
- the dominant origin is the true one, or null where the document is its own;
  documents without a clear one are not asked,
- no span stands where nothing is copied: outside the passages by more than
  the words that an estimation may add at an edge,
- spans and novel spans are in order, do not overlap and lie in the text.

One line for each check; the status is 1 when any failed."""

import json
import pathlib
import re
import subprocess
import sys

SAMPLE = pathlib.Path(__file__).resolve().parent.parent.parent / "sample"
MIN_COVERED = 0.80
EDGE_BYTES = 24  # two or three words that both texts may share by chance
MAX_WRONG_TOKENS = 7  # one less than a shingle
# As origo's own tokens: words, and each Chinese character.
TOKEN = re.compile("[\u3400-\u9fff]|[^\\W_\u3400-\u9fff]+")


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, ok, text):
        print(("ok      " if ok else "FAILED  ") + text)
        self.passed += bool(ok)
        self.failed += not ok


def read_truth():
    rows, dominants = [], {}
    lines = (SAMPLE / "truth.tsv").read_text("utf-8").splitlines()
    names = lines[0].split("\t")
    for line in lines[1:]:
        row = dict(zip(names, line.split("\t")))
        if row["kind"] == "dominant":
            dominants[row["copier"]] = row["origin"]
            continue
        for field in ("begin", "end", "origin_begin", "origin_end"):
            row[field] = int(row[field])
        rows.append(row)
    return rows, dominants


def run_origo(arguments):
    command = [arguments[0], "trace", "-q", "-s", ":memory:", "--format",
               "json", *arguments[1:], str(SAMPLE / "documents.jsonl")]
    done = subprocess.run(command, capture_output=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"origo ended with status {done.returncode}: "
                 + done.stderr.decode("utf-8", "replace"))
    return [json.loads(line) for line in done.stdout.splitlines()]


def covered(row, spans):
    """The share of a passage's bytes under spans of its origin."""
    begin, end = row["begin"], row["end"]
    total = sum(max(0, min(s["end"], end) - max(s["begin"], begin))
                for s in spans if s["origin"]["id"] == row["origin"])
    return total / (end - begin)


def check_passages(checks, rows, spans):
    for row in rows:
        share = covered(row, spans)
        checks.check(share >= MIN_COVERED,
                     f"{row['copier']}: {share:.0%} of '{row['first_words']}' "
                     f"({row['kind']}) from {row['origin']}")


def wrong_tokens(row, span, text):
    """Tokens of a passage under a span that names another origin."""
    if span["origin"]["id"] == row["origin"]:
        return 0
    overlap = text[max(span["begin"], row["begin"]):
                   min(span["end"], row["end"])]
    return len(TOKEN.findall(overlap.decode("utf-8", "replace")))


def check_origins(checks, rows, spans, text):
    for row in rows:
        wrong = {}
        for span in spans:
            n = wrong_tokens(row, span, text)
            if n > 0:
                name = span["origin"]["id"]
                wrong[name] = wrong.get(name, 0) + n
        told = "".join(f"; {n} tokens from {o}" for o, n in wrong.items())
        checks.check(sum(wrong.values()) <= MAX_WRONG_TOKENS,
                     f"{row['copier']}: '{row['first_words']}' names no other "
                     f"origin than {row['origin']}{told}")


def stray_bytes(span, rows):
    """Bytes of a span outside all copied passages, edges allowed."""
    inside = set()
    for row in rows:
        inside.update(range(row["begin"] - EDGE_BYTES,
                            row["end"] + EDGE_BYTES))
    return sum(1 for b in range(span["begin"], span["end"]) if b not in inside)


def check_strays(checks, doc_id, rows, spans):
    strays = [(s, stray_bytes(s, rows)) for s in spans]
    strays = [f"{s['begin']}-{s['end']} from {s['origin']['id']} ({n} bytes)"
              for s, n in strays if n > 0]
    checks.check(not strays, f"{doc_id}: no span where nothing is copied"
                 + "".join("; " + s for s in strays))


def check_order(checks, answer, document):
    text_len = len(document["text"].encode())
    places = sorted([(s["begin"], s["end"]) for s in
                     answer["spans"] + answer["novel_spans"]])
    rising = all(b < e for b, e in places) and all(
        a[1] <= b[0] for a, b in zip(places, places[1:]))
    inside = not places or places[-1][1] <= text_len
    checks.check(rising and inside, f"{answer['id']}: spans are in order")


def check_dominant(checks, answer, wanted):
    got = answer["dominant"]["id"] if answer["dominant"] else "-"
    if wanted is None:
        return
    checks.check(got == wanted,
                 f"{answer['id']}: dominant origin {got}, true {wanted}")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    rows, dominants = read_truth()
    documents = [json.loads(line) for line in
                 (SAMPLE / "documents.jsonl").read_text("utf-8").splitlines()]
    answers = run_origo(sys.argv[1:])
    checks = Checks()
    checks.check([a["id"] for a in answers] == [d["id"] for d in documents],
                 f"{len(documents)} documents answered in order")
    for answer, document in zip(answers, documents):
        mine = [r for r in rows if r["copier"] == answer["id"]]
        check_passages(checks, mine, answer["spans"])
        check_origins(checks, mine, answer["spans"],
                      document["text"].encode())
        check_strays(checks, answer["id"], mine, answer["spans"])
        check_dominant(checks, answer, dominants.get(answer["id"]))
        check_order(checks, answer, document)
    print(f"{checks.passed} passed, {checks.failed} failed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
