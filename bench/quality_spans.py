#!/usr/bin/python3
"""Is what origo says of a passage true?

    bench/quality_spans.py ORIGO STREAM [-n N] [-o OPTION]... [--show KIND]

Traces a stream of JSONL into a new store and reads every span again from both
texts, with a tokeniser and an index of its own. Prints one line a measure:

    untrue      verified spans that share no four words in a row with their
                origin (three for a span of three); of scripts without spaces
                no eight characters
    unmatched   matches whose two sides do not have the same words
    short       spans of fewer than 4, and of fewer than 8 words
    earliest    no document before the named origin holds half or more of the
                span's shingles of 8 words, and the origin has half of its
                shingles of 4 words itself; of the spans of 8 words or more for
                which some document holds half
    ends        ends of verified spans that are exact: the outermost words are
                the same on both sides, and the next ones are not (or belong to
                the next span, or there are none)
    copied      words that stand in a matching run, of those that spans cover;
                and what `copied` of the answers says
    found       words under a shingle of 8 that an earlier document has, and
                the part of them that spans cover
    copiers     listed copiers that share no 8 words with any passage that the
                document has from that origin, those whose n_tokens is more
                than their document has, and those whose n_tokens is not the
                number of words of these passages that they have in shingles

--show prints the spans that fail a measure, -o passes an option to origo."""

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata

import numpy as np

K = 8
ALONE = ("\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf"
         "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff")
MARKS = "".join(chr(c) for c in range(0x300, 0x3100)
                if unicodedata.category(chr(c))[0] == "M")
# Runs of letters, marks and digits, as origo/params.h says: marks that follow no
# letter are a token, too. Mail that was decoded by a wrong charset has them.
TOKEN = re.compile(f"[{ALONE}][{MARKS}]*|"
                   f"(?:(?![{ALONE}])(?:[^\\W_]|[{MARKS}]))+")
IS_ALONE = re.compile(f"[{ALONE}]")


class Document:
    """Words as numbers, with the bytes where they begin and end."""

    words = {}

    def __init__(self, number, text):
        self.number = number
        begin, end, ids, n_alone = [], [], [], 0
        words = Document.words
        for m in TOKEN.finditer(text):
            word = m.group()
            n_alone += bool(IS_ALONE.match(word))
            if not word.isascii():
                word = unicodedata.normalize("NFKC", word)
            ids.append(words.setdefault(word.casefold(), len(words)))
            begin.append(m.start())
            end.append(m.end())
        self.ids = np.array(ids, np.int64)
        self.begin, self.end = np.array(begin, np.int64), np.array(end, np.int64)
        if not text.isascii():
            sizes = [len(c.encode()) for c in text]
            at = np.concatenate(([0], np.cumsum(sizes)))
            self.begin, self.end = at[self.begin], at[self.end]
        self.by_character = n_alone * 2 > len(ids)
        self.grams_cache = {}

    def tokens(self, begin, end):
        """Numbers of the first word in these bytes and of the one after."""
        first = int(np.searchsorted(self.end, begin, "right"))
        last = int(np.searchsorted(self.begin, end, "left"))
        return first, max(first, last)

    def grams(self, k, first=0, last=None):
        return grams_of(self.ids[first:last], k)

    def gram_set(self, k):
        if k not in self.grams_cache:
            if len(Document.recent) > 2000:
                for d in Document.recent:
                    d.grams_cache.clear()
                Document.recent.clear()
            Document.recent.append(self)
            self.grams_cache[k] = set(self.grams(k).tolist())
        return self.grams_cache[k]

    recent = []


def grams_of(ids, k):
    n = len(ids) - k + 1
    if n <= 0:
        return np.zeros(0, np.uint64)
    out = np.zeros(n, np.uint64)
    for i in range(k):
        out = out * np.uint64(0x9e3779b97f4a7c15) + \
            (ids[i:i + n].astype(np.uint64) + np.uint64(1))
        out ^= out >> np.uint64(29)
    return out


def open_stream(path):
    if path.endswith(".zst"):
        return subprocess.Popen(["zstd", "-dc", "--long=27", path],
                                stdout=subprocess.PIPE).stdout
    return gzip.open(path) if path.endswith(".gz") else open(path, "rb")


class Stream:
    """The documents, and who has which shingle, the earliest first."""

    def __init__(self, path, n_most, extract):
        self.documents, self.by_id, grams, holders = [], {}, [], []
        times = []
        with open_stream(path) as lines, open(extract, "wb") as out:
            for line in lines:
                if len(self.documents) == n_most:
                    break
                record = json.loads(line)
                d = Document(len(self.documents), record["text"])
                out.write(line)
                self.documents.append(d)
                self.by_id.setdefault(record["id"], []).append(d)
                latest = max(times)[0] if times else ""
                times.append((record.get("time") or latest, d.number))
                own = np.unique(d.grams(K))
                grams.append(own)
                holders.append(np.full(len(own), d.number, np.int32))
        # From here on the number of a document is its place in time.
        rank = np.zeros(len(times), np.int32)
        rank[[number for _, number in sorted(times)]] = np.arange(len(times))
        for d in self.documents:
            d.arrival, d.number = d.number, int(rank[d.number])
        grams, holders = np.concatenate(grams), np.concatenate(holders)
        arrivals, holders = holders, rank[holders]
        order = np.lexsort((holders, grams))
        self.grams, self.holders = grams[order], holders[order]
        self.arrivals = arrivals[order]  # who came later is not known yet
        self.bytes = os.path.getsize(extract)

    def named(self, name, doc):
        """The document of that id that came last before this one."""
        known = [d for d in self.by_id.get(name, ())
                 if d.arrival < doc.arrival and d.number < doc.number]
        return known[-1] if known else None

    def earliest(self, grams, doc):
        """The earliest document with half of these shingles or more."""
        counts = {}
        low = np.searchsorted(self.grams, grams, "left")
        high = np.searchsorted(self.grams, grams, "right")
        for a, b in zip(low.tolist(), high.tolist()):
            for d, arrival in zip(self.holders[a:b].tolist(),
                                  self.arrivals[a:b].tolist()):
                if d >= doc.number:
                    break
                if arrival < doc.arrival:
                    counts[d] = counts.get(d, 0) + 1
        enough = [d for d, n in counts.items() if 2 * n >= len(grams)]
        return min(enough) if enough else None

    def are_known(self, grams, doc):
        """For each shingle whether an earlier document has it."""
        at = np.searchsorted(self.grams, grams, "left")
        return (self.holders[at] < doc.number) & \
            (self.arrivals[at] < doc.arrival)


class Tally:
    def __init__(self, show):
        self.n, self.show, self.left = {}, show, 400

    def add(self, name, by=1):
        self.n[name] = self.n.get(name, 0) + by

    def get(self, name):
        return self.n.get(name, 0)

    def fail(self, kind, *story):
        self.add(kind)
        if self.show == kind and self.left > 0:
            self.left -= 1
            print(kind, *story, sep="\t")


def words_in(text, begin, end):
    return text.encode()[begin:end].decode(errors="replace")


def check_span(t, stream, doc, answer, i):
    spans = answer["spans"]
    span = spans[i]
    first, last = doc.tokens(span["begin"], span["end"])
    n = last - first
    t.add("spans")
    t.add("words", n)
    t.add("says_matching", span.get("n_matching", 0))
    unit = 3 if doc.by_character else 1
    story = (answer["id"], span["begin"], span["end"], span["how"],
             span["origin"]["id"], span["origin"]["begin"],
             span["origin"]["end"])
    if n < 4 * unit:
        t.fail("short4", *story)
    if n < 8 * unit:
        t.fail("short8", *story)
    if n != span["n_tokens"]:
        t.add("count_differs")
    origin = stream.named(span["origin"]["id"], doc)
    if origin is None:
        t.fail("no_origin", *story)
        return
    k = 8 if doc.by_character else 4
    k = min(k, max(n, 3))
    grams = doc.grams(k, first, last)
    true = not origin.gram_set(k).isdisjoint(grams.tolist())
    if span["how"] == "verified":
        t.add("verified")
        if not true:
            t.fail("untrue", *story)
        check_ends(t, doc, origin, spans, i, first, last, story)
    elif not true:
        t.fail("untrue_unverified", *story)
    check_matches(t, doc, origin, span, story)
    check_earliest(t, stream, doc, origin, first, last, story)


def check_ends(t, doc, origin, spans, i, first, last, story):
    span = spans[i]
    there = origin.tokens(span["origin"]["begin"], span["origin"]["end"])
    if there[0] >= there[1] or first >= last:
        t.fail("inexact", *story)
        return
    same_first = doc.ids[first] == origin.ids[there[0]]
    same_last = doc.ids[last - 1] == origin.ids[there[1] - 1]
    before = i > 0 and spans[i - 1]["end"]
    after = spans[i + 1]["begin"] if i + 1 < len(spans) else None
    goes_on = first > 0 and there[0] > 0 and \
        doc.ids[first - 1] == origin.ids[there[0] - 1] and \
        not (before and before >= doc.end[first - 1])
    runs_on = last < len(doc.ids) and there[1] < len(origin.ids) and \
        doc.ids[last] == origin.ids[there[1]] and \
        not (after is not None and after <= doc.begin[last])
    for exact, further in ((same_first, goes_on), (same_last, runs_on)):
        t.add("ends")
        if not exact or further:
            t.fail("inexact", *story, exact, further)


def check_matches(t, doc, origin, span, story):
    n = 0
    for b, e, ob, oe in span.get("matches", ()):
        first, last = doc.tokens(b, e)
        there = origin.tokens(ob, oe)
        t.add("matches")
        n += last - first
        if not np.array_equal(doc.ids[first:last],
                              origin.ids[there[0]:there[1]]):
            t.fail("unmatched", *story, b, e, ob, oe)
    t.add("matching", n)


def check_earliest(t, stream, doc, origin, first, last, story):
    grams = np.unique(doc.grams(K, first, last))
    if len(grams) == 0:
        return
    truth = stream.earliest(grams, doc)
    if truth is None:
        return
    t.add("with_holder")
    t.add("holder_words", last - first)
    own = doc.grams(4, first, last)
    held = sum(g in origin.gram_set(4) for g in own.tolist())
    if truth < origin.number or 2 * held < len(own):
        t.add("later_words", last - first)
        t.fail("later", *story, truth, origin.number, last - first)


def check_copiers(t, stream, doc, answer):
    for origin in answer.get("origins", ()):
        passages = [s for s in answer["spans"]
                    if s["origin"]["id"] == origin["id"]]
        grams = set()
        for s in passages:
            grams.update(doc.grams(K, *doc.tokens(s["begin"], s["end"]))
                         .tolist())
        for copier in origin["copiers"]:
            known = stream.by_id.get(copier["id"], ())
            t.add("copiers")
            if all(grams.isdisjoint(c.gram_set(K)) for c in known):
                t.fail("strange_copier", answer["id"], origin["id"],
                       copier["id"], copier["n_tokens"])
            if all(copier["n_tokens"] > len(c.ids) for c in known):
                t.fail("too_many_tokens", answer["id"], copier["id"])
            counts = [shared_words(doc, passages, c) for c in known]
            if copier["n_tokens"] not in counts:
                t.fail("other_count", answer["id"], origin["id"],
                       copier["id"], copier["n_tokens"], counts)


def shared_words(doc, passages, copier):
    """Words of the passages under a shingle of 8 that the copier has."""
    held = copier.gram_set(K)
    n = 0
    for s in passages:
        first, last = doc.tokens(s["begin"], s["end"])
        under = np.zeros(last - first, bool)
        for i, gram in enumerate(doc.grams(K, first, last).tolist()):
            if gram in held:
                under[i:i + K] = True
        n += int(under.sum())
    return min(n, len(copier.ids))


def check_found(t, stream, doc, answer):
    """How much of what is copied for sure do the spans cover?"""
    grams = doc.grams(K)
    if len(grams) == 0:
        return
    known = stream.are_known(grams, doc)
    old = np.zeros(len(doc.ids) + 1, np.int32)
    np.add.at(old, np.flatnonzero(known), 1)
    np.add.at(old, np.flatnonzero(known) + K, -1)
    old = np.cumsum(old[:-1]) > 0
    held = np.zeros(len(doc.ids), bool)
    for s in answer["spans"]:
        held[slice(*doc.tokens(s["begin"], s["end"]))] = True
    t.add("old", int(old.sum()))
    t.add("old_held", int((old & held).sum()))
    t.add("held", int(held.sum()))
    t.add("right", int((old == held).sum()))
    t.add("all", len(doc.ids))


def share(part, whole):
    return f"{part / whole:.4f}" if whole else "-"


def report(t, stream, name, seconds):
    g = t.get
    spans = g("spans")
    print(f"stream         {name}, {len(stream.documents)} documents, "
          f"{spans} spans, {g('verified')} of them verified")
    print(f"untrue         {g('untrue')} of {g('verified')} verified "
          f"{share(g('untrue'), g('verified'))}; of the others "
          f"{g('untrue_unverified')} of {spans - g('verified')}")
    print(f"unmatched      {g('unmatched')} of {g('matches')} matches")
    print(f"short          under 4 words {share(g('short4'), spans)}, "
          f"under 8 {share(g('short8'), spans)}")
    print(f"earliest       {share(g('with_holder') - g('later'), g('with_holder'))}"
          f" of {g('with_holder')} spans, "
          f"{share(g('holder_words') - g('later_words'), g('holder_words'))}"
          f" of their words")
    print(f"ends           {share(g('ends') - g('inexact'), g('ends'))} of "
          f"{g('ends')} exact")
    print(f"words          {g('words')} in spans, {g('matching')} in matches "
          f"{share(g('matching'), g('words'))}; answers say "
          f"{g('says_matching')}; n_tokens differs in {g('count_differs')}")
    print(f"found          {share(g('old_held'), g('old'))} of {g('old')} "
          f"copied words, {share(g('right'), g('all'))} of all words are right")
    print(f"copiers        {share(g('strange_copier'), g('copiers'))} of "
          f"{g('copiers')} share nothing with the passage, "
          f"{g('too_many_tokens')} say more tokens than there are, "
          f"{g('other_count')} another number than counted here")
    speed = stream.bytes / 1e6 / max(seconds, 0.01)
    print(f"speed          {speed:.1f} MB per CPU "
          f"second, verified and added")


def main():
    p = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    p.add_argument("origo")
    p.add_argument("stream")
    p.add_argument("-n", type=int, default=-1)
    p.add_argument("-o", action="append", default=[])
    p.add_argument("--show")
    p.add_argument("--keep", help="write the answers to this file")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        extract = os.path.join(folder, "stream.jsonl")
        answers = os.path.join(folder, "answers.jsonl")
        stream = Stream(a.stream, a.n, extract)
        before = os.times()
        with open(answers, "wb") as out:
            subprocess.run([a.origo, "trace", "--add", "-q", "-s",
                            os.path.join(folder, "store"), "--format", "json",
                            "--matches", *a.o, extract], check=True, stdout=out)
        after = os.times()
        seconds = after.children_user + after.children_system - \
            before.children_user - before.children_system
        t = Tally(a.show)
        with open(answers, "rb") as lines:
            for doc, line in zip(stream.documents, lines):
                answer = json.loads(line)
                for i in range(len(answer["spans"])):
                    check_span(t, stream, doc, answer, i)
                check_copiers(t, stream, doc, answer)
                check_found(t, stream, doc, answer)
        if a.keep:
            shutil.copy(answers, a.keep)
    report(t, stream, os.path.basename(a.stream), seconds)
    return 1 if t.get("untrue") or t.get("unmatched") else 0


if __name__ == "__main__":
    sys.exit(main())
