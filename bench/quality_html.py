#!/usr/bin/env python3
"""How well is the main text of a page found?

usage: bench/quality_html.py DUMP FOLDER

DUMP is the program dump_documents; FOLDER holds ground-truth.json (id ->
{articleBody, url}) and html/ID.html.gz. The score is that of the article
extraction benchmark: runs of 4 words that text and truth have in common, as a
multiset; precision and recall of each page, their means over all pages, and F1
of the two means. The deviation is by bootstrap with a fixed seed."""

import collections
import json
import os
import random
import re
import subprocess
import sys
import time

WORD = re.compile(r"\w+", re.UNICODE)
RUN = 4


def runs(text):
    words = WORD.findall(text)
    n = max(1, len(words) - RUN + 1) if words else 0
    return collections.Counter(tuple(words[i:i + RUN]) for i in range(n))


def score(true, found):
    """(precision, recall) of one page."""
    a, b = runs(true), runs(found)
    common = sum((a & b).values())
    n_found, n_true = sum(b.values()), sum(a.values())
    precision = common / n_found if n_found else float(n_true == 0)
    recall = common / n_true if n_true else 1.0
    return precision, recall


def summary(pages):
    precision = sum(p for p, _ in pages) / len(pages)
    recall = sum(r for _, r in pages) / len(pages)
    total = precision + recall
    return 2 * precision * recall / total if total else 0, precision, recall


def deviation(pages):
    draw = random.Random(419)
    samples = [summary([draw.choice(pages) for _ in pages])
               for _ in range(1000)]
    result = []
    for column in zip(*samples):
        mean = sum(column) / len(column)
        variance = sum((x - mean) ** 2 for x in column) / len(column)
        result.append(variance ** 0.5)
    return result


def read(dump, folder, names):
    paths = [os.path.join(folder, "html", name + ".html.gz") for name in names]
    began = time.monotonic()
    out = subprocess.run([dump] + paths, stdout=subprocess.PIPE, check=True)
    seconds = time.monotonic() - began
    documents = {}
    for line in out.stdout.decode("utf-8", "replace").splitlines():
        document = json.loads(line)
        name = os.path.basename(document["id"])[:-len(".html.gz")]
        documents[name] = document
    return documents, seconds


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    dump, folder = sys.argv[1:]
    with open(os.path.join(folder, "ground-truth.json"), encoding="utf-8") as f:
        truth = json.load(f)
    documents, seconds = read(dump, folder, sorted(truth))
    pages, n_same_words = [], 0
    for name in sorted(truth):
        true = truth[name]["articleBody"]
        found = documents.get(name, {}).get("text", "")
        pages.append(score(true, found))
        n_same_words += WORD.findall(true) == WORD.findall(found)
    f1, precision, recall = summary(pages)
    f1_dev, precision_dev, recall_dev = deviation(pages)
    have = list(documents.values())
    print("question: how well is the main text of a page found?")
    print("pages\tf1\tprecision\trecall\tsame_words\tseconds")
    print("%d\t%.4f\t%.4f\t%.4f\t%.4f\t%.2f" % (
        len(pages), f1, precision, recall, n_same_words / len(pages), seconds))
    print("deviation\t%.4f\t%.4f\t%.4f" % (f1_dev, precision_dev, recall_dev))
    print("with a title: %d, an address: %d, a time of the page or its file: %d"
          % (sum(bool(d["title"]) for d in have),
             sum(bool(d["url"]) for d in have),
             sum("time" in d for d in have)))
    print("aim: f1 0.95; good open extractors reach 0.95 to 0.97 here")


if __name__ == "__main__":
    main()
