#!/usr/bin/env python3
"""What an answer leaves out: --boilerplate, --ignore, --group-by and
--across-groups, each at its edge.

usage: tests/cli/test_filters.py ORIGO

Prints 'ok NAME' or 'FAILED NAME' for each check."""

import json
import os
import subprocess
import sys
import tempfile

ORIGO = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
PASSAGE = [f"common{i}" for i in range(40)]


def words(name, n=40):
    return [f"{name}{i}" for i in range(n)]


def write(path, documents):
    with open(path, "w") as f:
        for document in documents:
            f.write(json.dumps(document) + "\n")
    return path


def run(*arguments):
    done = subprocess.run([ORIGO, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{arguments}: status {done.returncode}: "
                           f"{done.stderr}")
    return done.stdout


def make_store(folder, name, documents, *options):
    store = os.path.join(folder, name + ".store")
    run("add", "-q", "-s", store, "--memory", "1M", "--select", "All",
        *options, write(os.path.join(folder, name + ".jsonl"), documents))
    return store


def origins(folder, store, document, *options):
    """The origins of the spans of one document."""
    path = write(os.path.join(folder, "question.jsonl"), [document])
    answer = json.loads(run("trace", "-q", "-s", store, "--format", "json",
                            *options, path))
    return [span["origin"]["id"] for span in answer["spans"]]


def copies(n):
    """n documents, a day apart, that share a passage and nothing else."""
    return [{"id": f"d{i}", "time": f"2001-01-{i + 1:02}",
             "text": " ".join(words(f"own{i}x") + PASSAGE)} for i in range(n)]


QUESTION = {"id": "q", "time": "2002-01-01",
            "text": " ".join(words("mine") + PASSAGE)}


def boilerplate_counts_documents(folder):
    store = make_store(folder, "five", copies(5))
    assert origins(folder, store, QUESTION) == ["d0"]
    # It is in five documents: more than 4, not more than 5.
    assert origins(folder, store, QUESTION, "--boilerplate", "4") == []
    assert origins(folder, store, QUESTION, "--boilerplate", "5") == ["d0"]


def boilerplate_counts_shares(folder):
    store = make_store(folder, "share", copies(4) + [
        {"id": f"other{i}", "time": f"2001-02-0{i + 1}",
         "text": " ".join(words(f"other{i}x", 60))} for i in range(6)])
    # Four of ten: more than 30 %, not more than 40 %.
    assert origins(folder, store, QUESTION, "--boilerplate", "30%") == []
    assert origins(folder, store, QUESTION, "--boilerplate", "40%") == ["d0"]


def ignored_text_does_not_count(folder):
    store = make_store(folder, "ignore", copies(1))
    form = os.path.join(folder, "form.txt")
    with open(form, "w") as f:
        f.write(" ".join(PASSAGE))
    assert origins(folder, store, QUESTION) == ["d0"]
    assert origins(folder, store, QUESTION, "--ignore", form) == []


def half_of_a_span_may_be_ignored(folder):
    store = make_store(folder, "half", copies(1))
    form = os.path.join(folder, "half.txt")
    for n, expected in ((20, ["d0"]), (21, [])):
        with open(form, "w") as f:
            f.write(" ".join(PASSAGE[:n]))
        assert origins(folder, store, QUESTION, "--ignore", form) == expected, n


def groups_are_kept_apart(folder):
    documents = [dict(copies(1)[0], author="ann"),
                 dict(copies(2)[1], author="bob")]
    store = make_store(folder, "author", documents, "--group-by", "author")
    ann = dict(QUESTION, author="ann")
    assert origins(folder, store, ann) == [], "her own"
    assert origins(folder, store, ann, "--across-groups") == ["d0"]
    assert origins(folder, store, dict(QUESTION, author="eve")) == ["d0"]
    assert origins(folder, store, QUESTION) == ["d0"], "of no group"


def a_host_is_one_whoever_logs_in(folder):
    first = dict(copies(1)[0], url="https://user@example.org/a")
    store = make_store(folder, "host", [first], "--group-by", "host")
    same = dict(QUESTION, url="https://example.org/b?x=@y")
    assert origins(folder, store, same) == []
    other = dict(QUESTION, url="https://user.example.org/b")
    assert origins(folder, store, other) == ["d0"]


def the_old_names_work(folder):
    store = make_store(folder, "old", [dict(copies(1)[0], author="ann")],
                       "--same", "author")
    ann = dict(QUESTION, author="ann")
    assert origins(folder, store, ann) == []
    assert origins(folder, store, ann, "--compare-same") == ["d0"]


CHECKS = [boilerplate_counts_documents, boilerplate_counts_shares,
          ignored_text_does_not_count, half_of_a_span_may_be_ignored,
          groups_are_kept_apart, a_host_is_one_whoever_logs_in,
          the_old_names_work]


def main():
    failed = 0
    for check in CHECKS:
        with tempfile.TemporaryDirectory(prefix="origo-filters-") as folder:
            try:
                check(folder)
                print("ok " + check.__name__)
            except (AssertionError, RuntimeError) as e:
                failed += 1
                print("FAILED " + check.__name__)
                print("    line %d: %s" % (e.__traceback__.tb_next.tb_lineno
                                           if e.__traceback__.tb_next else
                                           e.__traceback__.tb_lineno, e))
    sys.exit(1 if failed else 0)


main()
