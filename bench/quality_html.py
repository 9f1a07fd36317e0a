#!/usr/bin/env python3
"""How well are the main text, the title and the day of a page found?

usage: bench/quality_html.py DUMP ARTICLES PAGES [PEERS_PYTHON]

DUMP is the program dump_documents. ARTICLES holds ground-truth.json (id ->
{articleBody, url}) and html/ID.html.gz; PAGES holds truth.json (address ->
{file, with, without, title, date}) and pages/FILE. PEERS_PYTHON is an
interpreter that has the peers; those that it lacks are named and left out.

Score of ARTICLES: that of the article extraction benchmark: runs of 4 words
that text and truth have in common, as a multiset; precision and recall of each
page, their means over all pages, and F1 of the two means. Score of PAGES: of
the strings that must be in the text and those that must not, white space
folded: precision and recall over all of them. `spread` is the lowest and the
highest F1 of five folds, by a hash of the pages' names. A day is right when it
is the day of the time as the reader gives it, in the zone in which the page
writes it: the truth is the day of the place (of 15 pages where it is not the
day in UTC, it is the day in the written zone in 6, that of the visible text or
of the address in 5). `some zone`: the moment is on that day somewhere on earth.
Milliseconds are of the processor, reading included."""

import collections
import datetime
import gzip
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

WORD = re.compile(r"\w+", re.UNICODE)
RUN = 4
N_FOLDS = 5
PEERS = ["trafilatura", "readability-lxml", "justext", "resiliparse"]


def fold(text):
    return " ".join((text or "").split())


def fold_of(name):
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % N_FOLDS


def articles_of(folder):
    path = os.path.join(folder, "ground-truth.json")
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def pages_of(folder):
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as f:
        return {page["file"]: page for page in json.load(f).values()}


def runs(text):
    words = WORD.findall(text)
    n = max(1, len(words) - RUN + 1) if words else 0
    return collections.Counter(tuple(words[i:i + RUN]) for i in range(n))


# ---- text ----


def article_score(true, found):
    """(precision, recall) of one page."""
    a, b = runs(true), runs(found)
    common = sum((a & b).values())
    n_found, n_true = sum(b.values()), sum(a.values())
    precision = common / n_found if n_found else float(n_true == 0)
    recall = common / n_true if n_true else 1.0
    return precision, recall


def f1_of(precision, recall):
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def articles_f1(scores):
    precision = sum(p for p, _ in scores) / len(scores)
    recall = sum(r for _, r in scores) / len(scores)
    return f1_of(precision, recall), precision, recall


def page_counts(truth, text):
    """(found, wanted, unwanted but found) of one page."""
    text = fold(text)
    return (sum(fold(s) in text for s in truth["with"]), len(truth["with"]),
            sum(fold(s) in text for s in truth["without"]))


def pages_f1(counts):
    found, wanted, bad = (sum(column) for column in zip(*counts))
    precision = found / (found + bad) if found + bad else 0.0
    recall = found / wanted if wanted else 1.0
    return f1_of(precision, recall), precision, recall


def print_text_header():
    print("reader\tset\tpages\tf1\tprecision\trecall\tspread\tms a page")


def print_scores(reader, name, scores, summary, ms):
    by_fold = [summary([s for n, s in scores.items() if fold_of(n) == k])[0]
               for k in range(N_FOLDS)]
    print("%s\t%s\t%d\t%.4f\t%.4f\t%.4f\t%.3f-%.3f\t%s" % (
        (reader, name, len(scores)) + summary(list(scores.values())) +
        (min(by_fold), max(by_fold), "%.1f" % ms if ms else "-")))


def print_articles(reader, articles, texts, ms):
    scores = {name: article_score(true["articleBody"], texts.get(name, ""))
              for name, true in articles.items()}
    print_scores(reader, "articles", scores, articles_f1, ms)


def print_pages(reader, pages, texts, ms):
    counts = {name: page_counts(true, texts.get(name, ""))
              for name, true in pages.items()}
    print_scores(reader, "pages", counts, pages_f1, ms)


# ---- titles and days ----


def is_that_day(time, day):
    """Whether the moment is on that day somewhere on earth."""
    moment = datetime.datetime.fromisoformat(time.replace("Z", "+00:00"))
    moment = moment.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    hours = (moment - datetime.datetime.fromisoformat(day)).total_seconds()
    return -14 * 3600 <= hours < (24 + 12) * 3600


def print_about(reader, pages, documents):
    titles = {n: p["title"] for n, p in pages.items() if p.get("title")}
    days = {n: p["date"][:10] for n, p in pages.items() if p.get("date")}
    have = {n: documents.get(n, {}) for n in pages}
    same = sum(fold(have[n].get("title")) == fold(t)
               for n, t in titles.items())
    times = {n: have[n]["time"] for n in days if have[n].get("time")}
    right = {n: times.get(n, "")[:10] == day for n, day in days.items()}
    by_fold = [[ok for n, ok in right.items() if fold_of(n) == k]
               for k in range(N_FOLDS)]
    by_fold = [sum(fold) / len(fold) for fold in by_fold]
    near = sum(time[:10] == days[n] or
               (len(time) > 10 and is_that_day(time, days[n]))
               for n, time in times.items())
    urls = [d.get("url") or "" for d in have.values()]
    print("%s\t%.3f\t%.3f\t%.3f-%.3f\t%.3f\t%.3f\t%d" % (
        reader, same / len(titles), sum(right.values()) / len(days),
        min(by_fold), max(by_fold), near / len(days),
        1 - len(times) / len(days),
        sum(bool(u) and not u.startswith("http") for u in urls)))


# ---- readers ----


def run_reader(command, paths):
    """Documents by the name of their file, and milliseconds a page."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command + paths, stdout=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = (after.ru_utime - before.ru_utime +
               after.ru_stime - before.ru_stime)
    documents = {}
    for line in out.stdout.decode("utf-8", "replace").split("\n"):
        if line:
            document = json.loads(line)
            documents[os.path.basename(document["id"])] = document
    # A file's own time is no knowledge of the page.
    for document in documents.values():
        if document.get("time_source") == "file":
            document.pop("time", None)
    ms = [d["ms"] for d in documents.values() if "ms" in d]
    return documents, (sum(ms) if ms else 1000 * seconds) / len(paths)


def unpack(folder, names, into):
    for name in names:
        source = os.path.join(folder, "html", name + ".html.gz")
        with gzip.open(source) as f, \
                open(os.path.join(into, name + ".html"), "wb") as out:
            out.write(f.read())
    return [os.path.join(into, name + ".html") for name in names]


def readers(dump, peers_python):
    """Names and commands."""
    yield "origo", [dump]
    here = os.path.dirname(os.path.abspath(__file__))
    for peer in PEERS if peers_python else []:
        command = [peers_python, os.path.join(here, "peers_html.py"), peer]
        if subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0:
            yield peer, command
        else:
            print("SKIPPED: %s is not installed" % peer)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    dump, article_folder, page_folder = sys.argv[1:4]
    peers_python = sys.argv[4] if len(sys.argv) == 5 else None
    articles, pages = articles_of(article_folder), pages_of(page_folder)
    page_paths = [os.path.join(page_folder, "pages", n) for n in sorted(pages)]
    about = {}
    print("question: how well is the main text of a page found?")
    print_text_header()
    with tempfile.TemporaryDirectory() as folder:
        article_paths = unpack(article_folder, sorted(articles), folder)
        for reader, command in readers(dump, peers_python):
            found, ms = run_reader(command, article_paths)
            print_articles(reader, articles,
                           {n[:-len(".html")]: d["text"]
                            for n, d in found.items()}, ms)
            found, ms = run_reader(command, page_paths)
            print_pages(reader, pages,
                        {n: d["text"] for n, d in found.items()}, ms)
            if any(d.get("title") for d in found.values()):
                about[reader] = found
    print("question: are title, day and address of a page right?")
    print("reader\ttitle\tday\tspread\tday in some zone\twithout a day\t"
          "relative addresses")
    for reader, found in about.items():
        print_about(reader, pages, found)


if __name__ == "__main__":
    main()
