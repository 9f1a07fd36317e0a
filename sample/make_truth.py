#!/usr/bin/env python3
"""Writes documents.jsonl and truth.tsv from marked.txt.

in:  marked.txt      the texts, copied passages marked (its head tells how)
out: documents.jsonl one document a line: id, time, title, text
     truth.tsv       one line for each copied passage:
                     copier, origin, kind, begin, end (bytes in the copier's
                     text), origin_begin, origin_end, first words
                     and one line of kind "dominant" for each document whose
                     dominant origin is clear: another one, or "-" when it is
                     its own (offsets are then "-")

Before it writes, it looks whether the truth is true: every shingle of eight
tokens that two documents share must lie in a marked passage, and the dominant
origins must be what counting gives. So a phrase that two of our texts share by
chance cannot spoil the tests that stand on them.

usage: sample/make_truth.py [--check]    --check writes nothing and fails when
                                         the files are not what it would write
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
SHINGLE = 8
CLEAR = 1.3  # times the next one's shingles; the paper asks for 1.1, but an
             # estimate from a sixth of the shingles wants some room
MARK = re.compile(r"\{(?:(=)(\w+) ([^}]*)|(~)(\w+) ([^:}]*): ?([^}]*)"
                  r"|(\w+): ?([^}]*))\}")


def joined(text):
    """Line ends are spaces, but none between two Chinese characters."""
    text = re.sub(r"([\u3000-\u9fff\uff00-\uffef])\n([\u3000-\u9fff])",
                  r"\1\2", text.strip())
    return re.sub(r"[ \t]*\n[ \t]*", " ", text)


def paragraphs(body):
    return "\n\n".join(joined(p) for p in re.split(r"\n\s*\n", body.strip()))


def read_documents(source):
    """Yields (id, time, title, dominant, marked text)."""
    lines = [l for l in source.split("\n") if not l.startswith("#")]
    for block in re.split(r"^@ ", "\n".join(lines), flags=re.M)[1:]:
        head, body = block.split("\n", 1)
        doc_id, time, title, dominant = [f.strip() for f in head.split("|")]
        yield doc_id, time, title, dominant, paragraphs(body)


class Sample:
    def __init__(self):
        self.documents = []  # dicts for documents.jsonl
        self.passages = {}   # name: (origin id, begin, end, text)
        self.truth = []      # rows of truth.tsv
        self.dominants = {}

    def copy(self, doc_id, name, kind, text, begin):
        origin, origin_begin, origin_end, original = self.passages[name]
        text = original if text is None else text
        assert len(tokens(text)) >= 12, (doc_id, name, "too short")
        self.truth.append([doc_id, origin, kind.strip(), begin,
                           begin + len(text.encode()), origin_begin,
                           origin_end, text])
        return text

    def passage(self, doc_id, match, begin):
        copied, name, kind, edited, e_name, e_kind, e_text, new, text = \
            match.groups()
        if copied:
            return self.copy(doc_id, name, kind, None, begin)
        if edited:
            return self.copy(doc_id, e_name, e_kind, e_text, begin)
        self.passages[new] = (doc_id, begin, begin + len(text.encode()), text)
        return text

    def add(self, doc_id, time, title, dominant, marked):
        text, at = "", 0
        for match in MARK.finditer(marked):
            text += marked[at:match.start()]
            text += self.passage(doc_id, match, len(text.encode()))
            at = match.end()
        text += marked[at:]
        assert "{" not in text and "}" not in text, (doc_id, "open mark")
        self.documents.append({"id": doc_id, "time": time, "title": title,
                               "text": text})
        if dominant != "-":
            self.dominants[doc_id] = dominant


# ---- is the truth true? -----------------------------------------------------


def tokens(text):
    """(folded token, begin, end) in bytes; Chinese by character."""
    offsets, at = [], 0
    for c in text:
        offsets.append(at)
        at += len(c.encode())
    offsets.append(at)
    pattern = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
    return [(m.group().casefold(), offsets[m.start()], offsets[m.end()])
            for m in pattern.finditer(text)]


def shingles(document):
    found = tokens(document["text"])
    for i in range(len(found) - SHINGLE + 1):
        words = tuple(t[0] for t in found[i:i + SHINGLE])
        yield words, found[i][1], found[i + SHINGLE - 1][2]


def check(sample):
    holder = {}
    for document in sample.documents:
        doc_id, counts, firsts = document["id"], {}, []
        rows = [r for r in sample.truth if r[0] == doc_id]
        for words, begin, end in shingles(document):
            origin = holder.get(words, doc_id)
            counts[origin] = counts.get(origin, 0) + 1
            if origin == doc_id:
                firsts.append(words)
            elif not any(r[3] <= end and begin <= r[4] for r in rows
                         if r[1] == origin):
                sys.exit(f"{doc_id}: '{' '.join(words)}' stands in {origin}, "
                         "too, but is not marked")
        for words in firsts:
            holder[words] = doc_id
        check_dominant(sample, doc_id, counts)


def check_dominant(sample, doc_id, counts):
    """Counts must agree with the head; a clear winner goes to the truth."""
    ranking = sorted(counts.items(), key=lambda item: -item[1])
    clear = len(ranking) < 2 or ranking[0][1] >= CLEAR * ranking[1][1]
    winner = ranking[0][0] if ranking[0][0] != doc_id else "-"
    wanted = sample.dominants.get(doc_id, "-")
    if (clear and winner != wanted) or (not clear and wanted != "-"):
        sys.exit(f"{doc_id}: shingles by origin are {ranking}, but the head "
                 f"says '{wanted}'")
    if clear:
        sample.dominants[doc_id] = winner


# ---- writing ----------------------------------------------------------------


def merged(rows, documents):
    """Passages that go on in both texts are one passage."""
    texts = {d["id"]: d["text"].encode() for d in documents}
    out = []
    for row in rows:
        last = out[-1] if out else None
        if (last and last[:3] == row[:3]
                and not texts[row[0]][last[4]:row[3]].strip()
                and not texts[row[1]][last[6]:row[5]].strip()):
            last[4], last[6] = row[4], row[6]
        else:
            out.append(list(row))
    return out


def truth_lines(sample):
    yield "\t".join(["copier", "origin", "kind", "begin", "end",
                     "origin_begin", "origin_end", "first_words"])
    for row in merged(sample.truth, sample.documents):
        first = " ".join(row[7].split()[:5])[:48]
        yield "\t".join(str(f) for f in row[:7] + [first])
    for doc_id, origin in sample.dominants.items():
        yield "\t".join([doc_id, origin, "dominant"] + ["-"] * 5)


def main():
    sample = Sample()
    for fields in read_documents((HERE / "marked.txt").read_text("utf-8")):
        sample.add(*fields)
    check(sample)
    outputs = {
        "documents.jsonl": "".join(json.dumps(d, ensure_ascii=False) + "\n"
                                   for d in sample.documents),
        "truth.tsv": "\n".join(truth_lines(sample)) + "\n",
    }
    for name, content in outputs.items():
        path = HERE / name
        if "--check" not in sys.argv[1:]:
            path.write_text(content, "utf-8")
        elif path.read_text("utf-8") != content:
            sys.exit(f"{path} is not what make_truth.py writes: run it")
    print(f"{len(sample.documents)} documents, "
          f"{len(merged(sample.truth, sample.documents))} copied passages, "
          f"{len(sample.dominants)} clear dominant origins")


if __name__ == "__main__":
    main()
