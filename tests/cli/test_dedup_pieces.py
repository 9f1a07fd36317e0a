#!/usr/bin/env python3
"""origo dedup of lines, sentences and passages, against their definitions.

usage: tests/cli/test_dedup_pieces.py ORIGO [CASE...]"""

import csv
import json
import random
import re
import sys

from dedup_support import (dedup, origo, read_lines, texts_of, words,
                           write_jsonl, run_cases)


def test_lines(place):
    texts = ["One line.\nAnother line\n\n---\nthe end",
             "ANOTHER, line!\nnew here\n---\n\nthe end\n",
             "one line\nanother line", "new here and more\nnew here",
             "twice\ntwice\n", ""]
    write_jsonl(place / "in.jsonl", texts)
    _, report, said = dedup(place, "--level", "line")
    assert texts_of(place / "out.jsonl") == {
        "d0": texts[0], "d1": "new here\n---\n\n",
        "d3": "new here and more\n", "d4": "twice\n", "d5": ""}
    assert [r["duplicate_of"] for r in report] == \
        ["d0", "d0", "d0", "d0", "d1", "d4"]
    assert [(r["id"], r["begin"], r["end"], r["first"]) for r in report] == [
        ("d1", 0, 15, 1), ("d1", 29, 37, 1), ("d2", 0, 9, 1), ("d2", 9, 21, 1),
        ("d3", 18, 26, 2), ("d4", 6, 12, 5)]
    source, lines = (read_lines(place / n) for n in ("in.jsonl", "out.jsonl"))
    assert lines[0] == source[0] and lines[1].endswith(b'"n": 1}')


def test_lines_within_memory(place):
    rng = random.Random(30)
    pool = [" ".join(words(rng, 5)) for _ in range(3000)]
    texts = ["\n".join(rng.choice(pool) for _ in range(20))
             for _ in range(1500)]
    write_jsonl(place / "in.jsonl", texts)
    dedup(place, "--level", "line")
    whole = [(place / n).read_bytes() for n in ("out.jsonl", "report.jsonl")]
    seen, expected = set(), {}
    for i, text in enumerate(texts):
        left = []
        for line in text.split("\n"):
            if line not in seen:
                left.append(line)
            seen.add(line)
        if left:
            expected["d%d" % i] = "\n".join(left)
    got = {k: v.rstrip("\n") for k, v in
           texts_of(place / "out.jsonl").items()}
    assert got == expected
    dedup(place, "--level", "line", "-m", "200k", "-j", 1)
    assert whole == [(place / n).read_bytes()
                     for n in ("out.jsonl", "report.jsonl")]


def test_sentences(place):
    texts = ["This is the first sentence of all. Yes. And a second one follows "
             "it here.",
             "Something new was written here today. Yes. This is the first "
             "sentence of all. The end of the text has come."]
    write_jsonl(place / "in.jsonl", texts)
    dedup(place, "--level", "sentence")
    assert texts_of(place / "out.jsonl")["d1"] == \
        "Something new was written here today. Yes. The end of the text " \
        "has come."


def passages_by_definition(texts, n):
    """Tokens that stand in a window of n that an earlier document has."""
    seen, out = {}, []
    for number, text in enumerate(texts):
        spans = [(m.start(), m.end(), m.group())
                 for m in re.finditer(r"[a-z0-9]+", text.lower())]
        tokens = [s[2] for s in spans]
        cut = [False] * len(tokens)
        for i in range(len(tokens) - n + 1):
            window = tuple(tokens[i:i + n])
            if seen.setdefault(window, number) != number:
                cut[i:i + n] = [True] * n
        out.append((spans, cut))
    return out


def without(text, spans, cut):
    out, i = [], 0
    at = 0
    while i < len(spans):
        if not cut[i]:
            i += 1
            continue
        j = i
        while j < len(spans) and cut[j]:
            j += 1
        out.append(text[at:spans[i][0]])
        at = spans[j][0] if j < len(spans) else len(text)
        i = j
    return "".join(out) + text[at:]


def test_passages(place):
    rng = random.Random(31)
    pool = [words(rng, rng.randrange(30, 120), 400) for _ in range(40)]
    texts = []
    for _ in range(300):
        parts = [rng.choice(pool) if rng.random() < 0.5
                 else words(rng, rng.randrange(1, 80), 400)
                 for _ in range(rng.randrange(0, 8))]
        texts.append(", ".join(" ".join(p) for p in parts).capitalize() + ".")
    for more, n in ([], 50), (["--least", 7], 7), (["--least", 100], 100):
        write_jsonl(place / "in.jsonl", texts)
        dedup(place, "--level", "passage", *more)
        got = texts_of(place / "out.jsonl")
        total = 0
        for i, (spans, cut) in enumerate(passages_by_definition(texts, n)):
            total += sum(cut)
            if spans and all(cut):
                assert "d%d" % i not in got
            else:
                assert got["d%d" % i] == without(texts[i], spans, cut), i
        assert total > 0


def holder_of(texts, text, n):
    """Which text holds the whole of `text`, first, as a run of tokens."""
    tokens = re.findall(r"[a-z0-9]+", text.lower())
    for i, other in enumerate(texts):
        run = re.findall(r"[a-z0-9]+", other.lower())
        if any(run[at:at + len(tokens)] == tokens
               for at in range(len(run) - len(tokens) + 1)):
            return i
    return None


def test_passage_report(place):
    """Every piece names a document that holds it; of several the first."""
    rng = random.Random(32)
    pool = [words(rng, 70) for _ in range(6)]
    texts = []
    for i in range(40):
        parts = [words(rng, 20), rng.choice(pool), words(rng, 20)]
        texts.append(" ".join(sum(parts, [])))
    write_jsonl(place / "in.jsonl", texts)
    _, report, _ = dedup(place, "--level", "passage")
    assert len(report) == 40 - 6, len(report)
    for r in report:
        cut = texts[int(r["id"][1:])].encode()[r["begin"]:r["end"]].decode()
        expected = holder_of(texts, cut, 50)
        assert r["duplicate_of"] == "d%d" % expected, r
        assert r["first"] == expected + 1 and r["n_tokens"] == 70, r


def test_pieces_against(place):
    """What a file or a store has is cut; neither is written."""
    rng = random.Random(33)
    copied, own = words(rng, 80), words(rng, 80)
    known = "Nothing of what stands here was copied from another text at all."
    texts = [" ".join(words(rng, 10) + copied), known]
    with open(place / "corpus.jsonl", "w") as f:
        for i, text in enumerate(texts):
            f.write(json.dumps({"id": "c%d" % i, "text": text}) + "\n")
    assert origo("add", "-q", "-s", place / "store",
                 place / "corpus.jsonl").returncode == 0
    write_jsonl(place / "in.jsonl", [
        " ".join(own) + "\n" + " ".join(copied) + "\nAt the end.",
        known + "\nBut this is not."])
    for where in ("corpus.jsonl", "store"):
        for more in ([], ["-m", "1M"]):
            _, report, said = dedup(place, "--level", "passage", "--against",
                                    place / where, *more)
            got = texts_of(place / "out.jsonl")
            assert got["d0"] == " ".join(own) + "\nAt the end.", got
            assert [(r["id"], r["duplicate_of"], r["first"], r["n_tokens"])
                    for r in report] == [("d0", "c0", 1, 80)], report
            assert "1 pieces cut" in said, said
            for level in ("line", "sentence"):
                _, report, _ = dedup(place, "--level", level, "--least", 4,
                                     "--against", place / where, *more)
                assert [(r["id"], r["duplicate_of"]) for r in report] == \
                    [("d1", "c1")], (level, report)
                assert texts_of(place / "out.jsonl")["d1"] == \
                    "But this is not."


def test_cells_of_csv(place):
    """Quoted cells are read into the buffer of a thread: what is cut must not
    be looked for there when another document has come."""
    rng = random.Random(35)
    pool = [" ".join(words(rng, rng.randrange(2, 70))) for _ in range(900)]
    texts = ["\n".join('"%s"' % rng.choice(pool) for _ in range(12))
             for _ in range(1200)]
    write_jsonl(place / "in.jsonl", texts)
    with open(place / "in.csv", "w", newline="", encoding="utf-8") as f:
        table = csv.writer(f)
        table.writerow(["id", "text"])
        table.writerows(("d%d" % i, text) for i, text in enumerate(texts))
    for level in ("line", "passage", "sentence"):
        dedup(place, "--level", level, "-j", 1)
        expected = texts_of(place / "out.jsonl")
        assert expected != {"d%d" % i: t for i, t in enumerate(texts)}, level
        for threads in (1, 7):
            dedup(place, "--level", level, "-j", threads, name="in.csv")
            assert texts_of(place / "out.jsonl") == expected, (level, threads)


def test_passage_edges(place):
    """Multi-byte characters at the edges of what is cut."""
    run = " ".join("wört%d" % i for i in range(60))
    texts = [run, "«Ünd so» " + run + " … ÿ é", run + "。",
             "日本" + "語" * 70, "前" + "語" * 70 + "後"]
    write_jsonl(place / "in.jsonl", texts)
    dedup(place, "--level", "passage")
    got = texts_of(place / "out.jsonl")
    assert got["d1"] == "«Ünd so» ÿ é", got["d1"]
    assert "d2" not in got
    assert got["d4"] == "前後", got["d4"]


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
