#!/usr/bin/env python3
"""Many documents of one kind: what is done for each is bounded.

usage: tests/cli/test_growth.py ORIGO [CASE...]

Pairs are counted where the command says them; seconds of the processor have
slack, so that a busy machine changes nothing. tests/soak.py has the same
documents up to a million."""

import os
import re
import sys

import dedup_support as support

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
import growth

MOST_CANDIDATES = 14 * 16  # for each document: bands, and of each a bucket
MOST_NEAR = 14 * 1024
SLACK = 0.5  # of a slope of seconds


def counted(used):
    found = re.search(r"(\d+) kept, .* (\d+) pairs compared of (\d+) cand",
                      used.said)
    return [int(x) for x in found.groups()]


def check_dedup(place, text, cluster, n_kept, sizes=(3000, 30000),
                most_compared=2):
    """Never more candidates than the bound, and of those next to none are
    compared that are not alike: those of one block, before the first of them
    has a summary."""
    for n in sizes:
        used = growth.run(support.ORIGO, place, text, "dedup -v --cluster " +
                          cluster + " -o OUT IN", n)
        kept, compared, candidates = counted(used)
        assert kept == (n if n_kept is None else n_kept), (n, kept)
        assert candidates <= MOST_CANDIDATES * n, (n, candidates)
        assert compared <= most_compared * n, (n, compared)


def test_documents_that_are_not_alike(place):
    check_dedup(place, growth.apart, "star", None)


def test_a_long_form(place):
    check_dedup(place, growth.template, "star", None, (1000, 4000))


def test_documents_that_are_alike(place):
    check_dedup(place, growth.alike, "star", 1)


def test_components_of_documents_that_are_alike(place):
    check_dedup(place, growth.alike, "components", 1, most_compared=40)


def test_components_of_equal_documents(place):
    check_dedup(place, growth.equal, "components", 1)


def check_seconds(place, text, command, sizes):
    """The least of three runs: other work on the machine only adds."""
    last = None
    for n in sizes:
        used = min((growth.run(support.ORIGO, place, text, command, n)
                    for _ in range(3)), key=lambda run: run.cpu)
        if last is not None:
            found = growth.slope(*last, n, used.cpu)
            assert found <= growth.MOST_SLOPE + SLACK, (last, n, used.cpu)
        last = n, used.cpu
    return used


def test_near_of_equal_documents(place):
    """In an index that is full, too: each of them is in the chains of all."""
    used = check_seconds(place, growth.equal, "near -v --add -s :memory: "
                         "--memory 700k -o OUT IN", (3000, 9000))
    n = int(re.search(r"(\d+) estimated", used.said).group(1))
    assert n <= MOST_NEAR * 9000, n
    assert int(re.search(r"(\d+) forgotten", used.said).group(1)) > 5000


def test_near_says_when_its_list_is_cut(place):
    growth.run(support.ORIGO, place, growth.equal,
               "near -q --add -s :memory: -o OUT IN", 30)
    answers = support.report_of(os.path.join(place, "OUT"))
    for i, answer in enumerate(answers):
        assert len(answer["near"]) == min(i, 10), answer
        assert answer.get("n_near", i) == i, answer
        assert ("n_near" in answer) == (i > 10), answer


def test_quote_of_sentences_that_differ_in_a_few_words(place):
    check_seconds(place, growth.sentence,
                  "quote -q -s :memory: -f json -o OUT IN", (1500, 4500))


def test_trace_of_a_word_that_repeats(place):
    """Each of its shingles matches everywhere: not all are extended over all.
    When they were, 200,000 words took 33 seconds; now they take 0.05."""
    path = os.path.join(place, "in.jsonl")
    with open(path, "w", encoding="ascii") as f:
        for i in range(2):
            f.write('{"id":"%d","time":%d,"text":"%s"}\n' %
                    (i, i, "a " * 150000))
    out = os.path.join(place, "out")
    used = min((growth.measure([support.ORIGO, "trace", "-q", "-s", ":memory:",
                                "-o", out, path],
                               os.path.join(place, "said"), place)
                for _ in range(3)), key=lambda run: run.cpu)
    assert used.status == 0 and used.cpu < 3, (used.status, used.cpu)
    answers = support.report_of(out)
    assert answers[1]["copied"] == 1, answers[1]
    assert [(s["begin"], s["how"]) for s in answers[1]["spans"]] == [
        (0, "verified")], answers[1]["spans"]


if __name__ == "__main__":
    sys.exit(support.run_cases(sys.modules[__name__]))
