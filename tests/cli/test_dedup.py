#!/usr/bin/env python3
"""origo dedup through the command: what others get wrong, and bad input.

usage: tests/cli/test_dedup.py ORIGO

Similarities are worked out here once more, from the definition. A line 'ok
NAME' or 'FAILED NAME' for each case; the status is 1 when one failed."""

import itertools
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback

ORIGO = os.path.abspath(sys.argv[1])


def origo(*arguments, **options):
    options.setdefault("timeout", 120)
    return subprocess.run([ORIGO, *map(str, arguments)], capture_output=True,
                          **options)


def words(rng, n, vocabulary=20000):
    return ["w%d" % rng.randrange(vocabulary) for _ in range(n)]


def shingles(text, k=5):
    tokens = re.findall(r"[a-z0-9]+", text.lower())
    if len(tokens) < k:
        return {tuple(tokens)}
    return {tuple(tokens[i:i + k]) for i in range(len(tokens) - k + 1)}


def jaccard(a, b):
    return len(a & b) / len(a | b)


def write_jsonl(path, texts):
    with open(path, "w", encoding="utf-8") as f:
        for i, text in enumerate(texts):
            f.write(json.dumps({"id": "d%d" % i, "text": text, "n": i},
                               ensure_ascii=i % 2 == 0) + "\n")


def read_lines(path):
    with open(path, "rb") as f:
        return f.read().split(b"\n")[:-1]


def report_of(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def dedup(place, *arguments, name="in.jsonl", status=0):
    """Kept ids, report and what was said; checks what always holds."""
    out, report = place / "out.jsonl", place / "report.jsonl"
    for path in (out, report):
        path.unlink(missing_ok=True)
    done = origo("dedup", "-o", out, "-r", report, "--report-format", "jsonl",
                 *arguments, place / name)
    assert done.returncode == status, (done.returncode, done.stderr)
    ids = [json.loads(line)["id"] for line in read_lines(out)]
    return ids, report_of(report), done.stderr.decode()


# ---- a mix of families ---------------------------------------------------------

def family_texts(seed, n_families=60, most=8):
    rng = random.Random(seed)
    texts = []
    for _ in range(n_families):
        base = words(rng, rng.choice([3, 7, 30, 120, 400]))
        for _ in range(rng.randrange(1, most)):
            copy = list(base)
            for _ in range(rng.randrange(0, 1 + len(copy) // 12)):
                copy[rng.randrange(len(copy))] = "x%d" % rng.randrange(999)
            texts.append(" ".join(copy))
    rng.shuffle(texts)
    return texts


def check_star(texts, kept, report, threshold=0.8):
    """Every removal is right, and what is alike beyond doubt is gone."""
    sets = {"d%d" % i: shingles(t) for i, t in enumerate(texts)}
    assert sorted(kept + [r["id"] for r in report]) == sorted(sets)
    for r in report:
        similarity = jaccard(sets[r["id"]], sets[r["duplicate_of"]])
        assert abs(similarity - r["similarity"]) < 1e-4, r
        assert similarity >= threshold, r
        assert r["duplicate_of"] in kept, r
        assert r["cluster"] == int(r["duplicate_of"][1:]) + 1, r
        assert r["line"] == int(r["id"][1:]) + 1, r
    for a, b in itertools.combinations(kept, 2):
        assert jaccard(sets[a], sets[b]) < 0.97, (a, b)


def test_families(place):
    texts = family_texts(1)
    write_jsonl(place / "in.jsonl", texts)
    kept, report, _ = dedup(place)
    check_star(texts, kept, report)
    assert len(report) > 50, len(report)
    lines = read_lines(place / "in.jsonl")
    assert read_lines(place / "out.jsonl") == \
        [lines[int(i[1:])] for i in kept], "kept lines are not byte-equal"
    order = [int(r["id"][1:]) for r in report]
    assert order == sorted(order)
    for r in report:
        assert int(r["duplicate_of"][1:]) < int(r["id"][1:]), r


def test_same_bytes_for_threads_and_memory(place):
    write_jsonl(place / "in.jsonl", family_texts(2, 900))
    expected = None
    for more in (["-j", 1], ["-j", 3], ["-m", "300k"], ["-m", "150k", "-j", 2]):
        _, _, said = dedup(place, *more)
        got = (place / "out.jsonl").read_bytes(), \
            (place / "report.jsonl").read_bytes()
        expected = expected or got
        assert got == expected, more
        if "-m" in more:
            assert "rounds" in said, said


def test_recall(place):
    """Of pairs at 0.9 and more, hardly any may be missed (14 x 8: 0.9996)."""
    rng = random.Random(3)
    texts = []
    for _ in range(400):
        base = words(rng, 300)
        texts.append(" ".join(base))
        for at in rng.sample(range(300), 2):
            base[at] = "changed"
        texts.append(" ".join(base))
    pairs = [jaccard(shingles(texts[i]), shingles(texts[i + 1]))
             for i in range(0, 800, 2)]
    assert min(pairs) > 0.9
    write_jsonl(place / "in.jsonl", texts)
    _, report, _ = dedup(place)
    assert len(report) >= 398, len(report)


def test_keep(place):
    texts = [" ".join(words(random.Random(4), 200)[:n])
             for n in (180, 200, 190)]
    write_jsonl(place / "in.jsonl", texts)
    for keep, expected in (("first", ["d0"]), ("last", ["d2"]),
                           ("longest", ["d1"]), ("field:n", ["d2"]),
                           ("field:-n", ["d0"]), ("field:none", ["d0"])):
        kept, report, _ = dedup(place, "--keep", keep)
        assert kept == expected, (keep, kept)
        assert {r["duplicate_of"] for r in report} == set(expected)
        capped, _, _ = dedup(place, "--keep", keep, "-m", "1M")
        assert capped == kept
    with open(place / "in.jsonl", "w") as f:
        for i, when in enumerate(["2001-02-03", "2020-01-01", "1999-12-31"]):
            f.write(json.dumps({"id": "d%d" % i, "when": when,
                                "text": texts[0]}) + "\n")
    assert dedup(place, "--keep", "field:when")[0] == ["d1"]
    assert dedup(place, "--keep", "field:-when")[0] == ["d2"]


def test_keep_orders_families(place):
    texts = family_texts(5)
    write_jsonl(place / "in.jsonl", texts)
    for keep in ("last", "longest"):
        kept, report, _ = dedup(place, "--keep", keep)
        check_star(texts, kept, report)
    for r in report:
        count = [len(texts[int(r[x][1:])].split())
                 for x in ("id", "duplicate_of")]
        assert count[0] <= count[1]


def test_chain(place):
    """A~B~C: a star keeps both ends, components keep one."""
    rng = random.Random(6)
    a = words(rng, 240)
    b = a[:220] + words(rng, 20)
    c = b[20:] + words(rng, 20)
    texts = [" ".join(x) for x in (a, b, c)]
    s = [shingles(t) for t in texts]
    assert jaccard(s[0], s[1]) > 0.8 < jaccard(s[1], s[2])
    assert jaccard(s[0], s[2]) < 0.8
    write_jsonl(place / "in.jsonl", texts)
    kept, report, _ = dedup(place, "--bands", 60, "--rows", 4)
    assert kept == ["d0", "d2"], kept
    assert [r["id"] for r in report] == ["d1"]
    kept, report, _ = dedup(place, "--bands", 60, "--rows", 4,
                            "--cluster", "components")
    assert kept == ["d0"], kept
    assert [r["duplicate_of"] for r in report] == ["d0", "d0"]
    assert abs(report[1]["similarity"] - jaccard(s[0], s[2])) < 1e-4


def test_components_are_the_closure(place):
    texts = family_texts(7, 40)
    write_jsonl(place / "in.jsonl", texts)
    design = ["--bands", 100, "--rows", 3]
    kept, _, _ = dedup(place, "--cluster", "components", *design)
    sets = [shingles(t) for t in texts]
    parent = list(range(len(texts)))

    def root(i):
        while parent[i] != i:
            i = parent[i]
        return i
    for i, j in itertools.combinations(range(len(texts)), 2):
        if jaccard(sets[i], sets[j]) >= 0.8:
            a, b = sorted((root(i), root(j)))
            parent[b] = a
    expected = ["d%d" % i for i in range(len(texts)) if parent[i] == i]
    assert kept == expected
    capped, _, _ = dedup(place, "--cluster", "components", "-m", "200k",
                         *design)
    assert capped == expected


# ---- cases on which others fail --------------------------------------------------

def test_word_at_the_start(place):
    base = words(random.Random(8), 300)
    write_jsonl(place / "in.jsonl", [" ".join(base), "New " + " ".join(base)])
    kept, report, _ = dedup(place)
    assert kept == ["d0"] and report[0]["duplicate_of"] == "d0"


def test_bucket_of_near_copies(place):
    """100,000 near-copies: near-linear, so ten times as many take at most
    some twenty times as long."""
    rng = random.Random(9)
    base = words(rng, 60)
    seconds = []
    for n in (10000, 100000):
        with open(place / "in.jsonl", "w") as f:
            for i in range(n):
                base[0] = "n%d" % i
                f.write('{"id":"d%d","text":"%s"}\n' % (i, " ".join(base)))
        began = time.monotonic()
        done = origo("dedup", "-o", place / "out", place / "in.jsonl")
        seconds.append(time.monotonic() - began)
        assert done.returncode == 0, done.stderr
        assert len(read_lines(place / "out")) == 1
    assert seconds[1] < 25 * max(seconds[0], 0.2), seconds


def test_template_family(place):
    """Half of each text is the same: all share bands, none is a copy."""
    rng = random.Random(10)
    common = words(rng, 60)
    texts = [" ".join(common + words(rng, 40)) for _ in range(3000)]
    write_jsonl(place / "in.jsonl", texts)
    began = time.monotonic()
    kept, _, _ = dedup(place)
    assert len(kept) == 3000
    assert time.monotonic() - began < 60


def test_short_inside_long(place):
    long = words(random.Random(11), 2000)
    write_jsonl(place / "in.jsonl", [" ".join(long), " ".join(long[500:600])])
    assert len(dedup(place)[0]) == 2
    kept, report, _ = dedup(place, "--measure", "containment", "--bands", 200,
                            "--rows", 1)
    assert kept == ["d0"] and report[0]["similarity"] == 1, report


def test_unrelated_long_documents(place):
    rng = random.Random(12)
    texts = [" ".join(words(rng, 30000, 3000)) for _ in range(2)]
    write_jsonl(place / "in.jsonl", texts)
    assert dedup(place)[0] == ["d0", "d1"]


def test_short_documents(place):
    texts = ["", "", "Hi", "hi!", "hi there", "there hi", "!!!", "???", "!!!",
             "one two three four", "One, two, three, four."]
    write_jsonl(place / "in.jsonl", texts)
    kept, report, said = dedup(place)
    assert kept == ["d0", "d2", "d4", "d5", "d6", "d7", "d9"], kept
    assert [r["duplicate_of"] for r in report] == ["d0", "d2", "d6", "d9"]
    assert "5 documents without a token" in said, said


def test_scripts_without_spaces(place):
    thai = ("ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอนหรือวรรณยุกต์"
            "เช่นเดียวกับภาษาจีนและออกเสียงแยกคำต่อคำ")
    cjk = "我们在这里写一段很长的中文文本用来检查没有空格的文字是否也能够被正确地比较"
    texts = [thai, thai + "นะ", cjk, cjk + "吗", "Наш текст " * 9 + "конец",
             "НАШ ТЕКСТ " * 9 + "КОНЕЦ"]
    write_jsonl(place / "in.jsonl", texts)
    kept, report, _ = dedup(place)
    assert kept == ["d0", "d2", "d4"], kept


def test_against(place):
    rng = random.Random(13)
    texts = [" ".join(words(rng, 80)) for _ in range(20)]
    write_jsonl(place / "a.jsonl", texts[:10] + texts[:3])
    with open(place / "in.jsonl", "w") as f:
        for i, text in enumerate(texts[5:15]):
            f.write(json.dumps({"id": "b%d" % i, "text": text + " end"}) + "\n")
    kept, report, _ = dedup(place, "--against", place / "a.jsonl")
    assert kept == ["b%d" % i for i in range(5, 10)], kept
    assert [(r["id"], r["duplicate_of"]) for r in report] == \
        [("b%d" % i, "d%d" % (i + 5)) for i in range(5)]
    capped, _, _ = dedup(place, "--against", place / "a.jsonl", "-m", "100k")
    assert capped == kept


def test_annotate(place):
    text = " ".join(words(random.Random(14), 50))
    write_jsonl(place / "in.jsonl", [text, text])
    dedup(place, "--annotate")
    lines = read_lines(place / "out.jsonl")
    source = read_lines(place / "in.jsonl")
    assert lines[0] == source[0]
    assert lines[1].startswith(source[1][:-1])
    assert json.loads(lines[1])["origo"] == \
        {"duplicate_of": "d0", "similarity": 1, "cluster": 1}


def test_presets(place):
    texts = family_texts(15, 20)
    write_jsonl(place / "in.jsonl", texts)
    for preset in ("datatrove", "slimpajama", "nemo"):
        kept, report, _ = dedup(place, "--preset", preset)
        assert len(kept) + len(report) == len(texts)


# ---- pieces of documents -----------------------------------------------------------

def texts_of(path):
    return {r["id"]: r["text"] for r in map(json.loads, read_lines(path))}


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


# ---- formats ---------------------------------------------------------------------

def test_packed_and_piped(place):
    texts = family_texts(16)
    write_jsonl(place / "in.jsonl", texts)
    expected = dedup(place)
    plain = (place / "in.jsonl").read_bytes()
    import gzip
    (place / "in.jsonl.gz").write_bytes(gzip.compress(plain))
    assert dedup(place, name="in.jsonl.gz")[0] == expected[0]
    assert dedup(place, "-m", "20k", name="in.jsonl.gz")[0] == expected[0]
    done = origo("dedup", "-", input=plain)
    assert done.returncode == 0
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == \
        expected[0]


def test_folder_of_texts(place):
    folder = place / "texts"
    folder.mkdir()
    text = " ".join(words(random.Random(17), 60))
    for name, more in (("a.txt", ""), ("b.txt", "\n"), ("c.txt", " y".join(map(str, range(60))))):
        (folder / name).write_text(text + more)
    out = place / "out.jsonl"
    done = origo("dedup", "-o", out, folder)
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in read_lines(out)]
    assert [r["title"] for r in records] == ["a.txt", "c.txt"]
    assert records[0]["text"] == text


# ---- bad input ---------------------------------------------------------------------

def test_bad_records(place):
    text = " ".join(words(random.Random(18), 50))
    bad = [b'{"id":"x"}', b'{"id":"y","text":7}', b'{"id":"z","text":"cut',
           b'not json', b'{"id":"n","text":null}']
    good = [json.dumps({"id": "g%d" % i, "text": " ".join("%d%s" % (i, w) for w in text.split())})
            .encode() for i in range(3)]
    (place / "in.jsonl").write_bytes(b"\n".join(
        [good[0], bad[0], bad[1], good[1], bad[2], bad[3], good[2], bad[4]])
        + b"\n")
    rejects = place / "rejects"
    kept, _, said = dedup(place, "--rejects", rejects)
    assert kept == ["g0", "g1", "g2"]
    assert read_lines(rejects) == bad
    for line in (2, 3, 5, 6, 8):
        assert "in.jsonl:%d:" % line in said, (line, said)
    assert "5 skipped" in said
    kept, _, _ = dedup(place, "--rejects", rejects, "--keep", "last")
    assert kept == ["g0", "g1", "g2"] and read_lines(rejects) == bad


def test_no_id(place):
    text = " ".join(words(random.Random(19), 50))
    line = json.dumps({"text": text})
    (place / "in.jsonl").write_text(line + "\n" + line + "\n")
    out, report = place / "out", place / "report"
    origo("dedup", "-o", out, "-r", report, "in.jsonl", cwd=place)
    assert report.read_text().split("\n")[1] == \
        "in.jsonl:2\tin.jsonl:1\t1\t1\tin.jsonl\t2"


def test_all_equal_and_all_empty(place):
    for text in ("the same words in all of them", ""):
        write_jsonl(place / "in.jsonl", [text] * 500)
        kept, report, _ = dedup(place)
        assert kept == ["d0"] and len(report) == 499
    (place / "in.jsonl").write_text("")
    assert dedup(place)[0] == []


def test_long_line(place):
    text = " ".join(words(random.Random(20), 200))
    long = " ".join(map(str, range(200000)))
    write_jsonl(place / "in.jsonl", [text, text + long, text])
    kept, _, said = dedup(place)
    assert kept == ["d0", "d1"]
    kept, _, said = dedup(place, "--max-document", "1M")
    assert kept == ["d0"] and "in.jsonl:2: the record is longer" in said


def test_output_is_an_input(place):
    write_jsonl(place / "in.jsonl", ["a b c d e f"] * 3)
    before = (place / "in.jsonl").read_bytes()
    os.link(place / "in.jsonl", place / "linked.jsonl")
    for out in ("in.jsonl", "linked.jsonl"):
        done = origo("dedup", "-o", place / out, place / "in.jsonl")
        assert done.returncode == 2, done.stderr
        assert b"is one of the inputs" in done.stderr
    done = origo("dedup", "-o", place / "new.jsonl", place)
    assert done.returncode == 2 and b"stands in the folder" in done.stderr
    done = origo("dedup", "-o", place / "x", "-r", place / "x",
                 place / "in.jsonl")
    assert done.returncode == 2 and b"the same file" in done.stderr
    assert (place / "in.jsonl").read_bytes() == before
    assert sorted(p.name for p in place.iterdir()) == \
        ["in.jsonl", "linked.jsonl"]


def test_no_room(place):
    rng = random.Random(21)
    write_jsonl(place / "in.jsonl",
                [" ".join(words(rng, 300)) for _ in range(2000)])

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    for more in ([], ["--keep", "last"]):
        done = origo("dedup", "-o", place / "out", "-r", place / "report",
                     *more, place / "in.jsonl", preexec_fn=small_files)
        assert done.returncode == 3, done
        assert b"cannot write" in done.stderr, done.stderr
        assert [p.name for p in place.iterdir()] == ["in.jsonl"]


def test_missing_file(place):
    write_jsonl(place / "in.jsonl", ["one text", "another text"])
    out = place / "out"
    done = origo("dedup", "-o", out, place / "none.jsonl", place / "in.jsonl")
    assert done.returncode == 3
    assert b"none.jsonl': no such file" in done.stderr
    assert len(read_lines(out)) == 2


def test_wrong_options(place):
    write_jsonl(place / "in.jsonl", ["one text"])
    for wrong in (["--threshold", "1.5"], ["--threshold", "0"],
                  ["--bands", "500"], ["--rows", "2000"], ["-k", "40"],
                  ["--keep", "best"], ["--keep", "field:"],
                  ["--preset", "mine"], ["--tokens", "letters"],
                  ["--resume"], ["--level", "line", "--keep", "last"]):
        done = origo("dedup", *wrong, place / "in.jsonl")
        assert done.returncode == 2, (wrong, done)
        assert len(done.stderr.splitlines()) <= 2
    done = origo("dedup", "--keep", "last", "-", input=b"")
    assert done.returncode == 2 and b"only once" in done.stderr


# ---- near, online ------------------------------------------------------------------

def near(*arguments, status=0):
    done = origo("near", *arguments)
    assert done.returncode == status, (done.returncode, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_near_stream(place):
    """Against its own past, each method; similarities are near the truth."""
    texts = family_texts(40, 40)
    write_jsonl(place / "in.jsonl", texts)
    sets = [shingles(t) for t in texts]
    for method in ("minhash", "simhash", "both"):
        answers = near("-s", ":memory:", "--add", "--method", method, "-q",
                       place / "in.jsonl")
        assert [a["id"] for a in answers] == \
            ["d%d" % i for i in range(len(texts))]
        found = 0
        for i, answer in enumerate(answers):
            known = {m["id"]: m for m in answer["near"]}
            for j in range(i):
                similarity = jaccard(sets[i], sets[j])
                if sets[i] == sets[j]:
                    assert "d%d" % j in known, (method, i, j)
                if "d%d" % j not in known:
                    continue
                found += 1
                m = known["d%d" % j]
                if method != "simhash":
                    assert abs(m["similarity"] - similarity) < 0.25, m
                if method != "minhash":
                    assert "distance" in m
        assert found > 30, (method, found)


def test_near_store(place):
    rng = random.Random(41)
    texts = [" ".join(words(rng, 60)) for _ in range(30)]
    with open(place / "a.jsonl", "w") as f:
        for i, text in enumerate(texts):
            f.write(json.dumps({"id": "a%d" % i, "time": 1000 + i,
                                "text": text}) + "\n")
    write_jsonl(place / "b.jsonl", [t + " end" for t in texts[10:20]])
    store = place / "store"
    assert near("-s", store, place / "b.jsonl", status=3) == []
    assert not store.exists()
    near("-s", store, "--add", "-m", "1M", place / "a.jsonl")
    for _ in range(2):  # asking changes nothing
        answers = near("-s", store, place / "b.jsonl")
        assert [a["near"][0]["id"] for a in answers] == \
            ["a%d" % i for i in range(10, 20)]
        assert answers[0]["near"][0]["time"] == "1970-01-01T00:16:50Z"
    near("-s", store, "--add", place / "b.jsonl")
    answers = near("-s", store, place / "b.jsonl")
    assert all(a["near"][0]["id"] == a["id"] for a in answers)
    # A journal that was cut loses its last entry, an index that is damaged is
    # told.
    journal = store / "near" / "journal"
    journal.write_bytes(journal.read_bytes()[:-5])
    answers = near("-s", store, place / "b.jsonl")
    assert [a["near"][0]["id"] for a in answers][-2:] == ["d8", "a19"]
    index = store / "near" / "index"
    data = bytearray(index.read_bytes())
    for at in (3, 20, len(data) - 2):
        broken = bytearray(data)
        broken[at] ^= 1
        index.write_bytes(broken)
        done = origo("near", "-s", store, place / "b.jsonl")
        assert done.returncode == 4, done
        assert b"near/index" in done.stderr


def test_near_kill(place):
    """What an ended command took in survives; a killed one harms nothing."""
    rng = random.Random(42)
    texts = [" ".join(words(rng, 20)) for _ in range(20000)]
    write_jsonl(place / "a.jsonl", texts[:200])
    write_jsonl(place / "b.jsonl", texts)
    store = place / "store"
    near("-s", store, "--add", "-q", place / "a.jsonl")
    for wait in (0.02, 0.05, 0.1, 0.15):
        process = subprocess.Popen(
            [ORIGO, "near", "-q", "-s", store, "--add", place / "b.jsonl"],
            stdout=subprocess.DEVNULL)
        try:
            process.wait(wait)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        answers = near("-s", store, place / "a.jsonl")
        assert all(a["near"] and a["near"][0]["similarity"] == 1
                   for a in answers)


def test_near_fixed_memory(place):
    """An endless stream: memory stays, the recent past is known."""
    rng = random.Random(43)
    with open(place / "in.jsonl", "w") as f:
        last = []
        for i in range(30000):
            if i % 10 == 9:
                text = rng.choice(last[-5:])
            else:
                text = " ".join(words(rng, 20))
            last = last[-5:] + [text]
            f.write('{"id":"d%d","text":"%s"}\n' % (i, text))
    done = origo("near", "-s", ":memory:", "--add", "--only-near", "-m", "1M",
                 place / "in.jsonl")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) >= 3000
    assert b"forgotten" in done.stderr
    room = int(re.search(rb"room for (\d+)", done.stderr).group(1))
    known = int(re.search(rb"(\d+) documents known", done.stderr).group(1))
    assert known <= room < 5000


# ---- stages ------------------------------------------------------------------------

STAGES = ("sketch", "bands", "components", "filter")


def stage_files(place, n_files=5, seed=50):
    texts = family_texts(seed, 120)
    lines = [json.dumps({"id": "d%d" % i, "text": t}) for i, t in
             enumerate(texts)]
    files = []
    for i in range(n_files):
        files.append(place / ("part%d.jsonl" % i))
        files[-1].write_text("".join(
            line + "\n" for line in lines[i * len(lines) // n_files:
                                          (i + 1) * len(lines) // n_files]))
    return files


def outcome(folder, n_files):
    kept = b"".join((folder / ("%06d.jsonl" % i)).read_bytes()
                    for i in range(n_files))
    report = [line for i in range(n_files)
              for line in read_lines(folder / ("%06d.tsv" % i))
              if not line.startswith(b"id\tduplicate_of")]
    return kept, report


def test_stages(place):
    files = stage_files(place)
    done = origo("dedup", "-o", place / "one", "-r", place / "report", *files)
    assert done.returncode == 0
    single = (place / "one").read_bytes(), read_lines(place / "report")[1:]
    for shards in ((1, 1, 1, 1), (3, 4, 2, 5), (7, 20, 6, 2)):
        work = place / ("work%d" % shards[0])
        for stage, n in zip(STAGES, shards):
            order = list(range(1, n + 1))
            random.Random(n).shuffle(order)
            for i in order:
                done = origo(stage, "-d", work, "--shard", "%d/%d" % (i, n),
                             *(["-o", work / "out"] if stage == "filter"
                               else []), *files)
                assert done.returncode == 0, done.stderr
        assert outcome(work / "out", len(files)) == single, shards
        # A second time nothing is made.
        done = origo("filter", "-d", work, "-o", work / "out", *files)
        assert b"0 files made, 5 there" in done.stderr, done.stderr
    import struct
    removed = [len((work / "out" / ("%06d.remove" % i)).read_bytes()) // 4
               for i in range(len(files))]
    assert sum(removed) == len(single[1])
    pairs = (work / "bands" / "00000_00.dups").read_bytes()
    assert len(pairs) % 16 == 0
    for a, b, c, d in struct.iter_unpack("<4I", pairs):
        assert (a, b) < (c, d)


def test_stages_missing_and_killed(place):
    files = stage_files(place, 4, 51)
    work = place / "work"
    done = origo("bands", "-d", work, *files)
    assert done.returncode == 3 and b"sketch/000000' is missing" in done.stderr
    assert origo("sketch", "-d", work, *files).returncode == 0
    assert origo("bands", "-d", work, "--shard", "1/2",
                 *files).returncode == 0
    done = origo("components", "-d", work, *files)
    assert done.returncode == 3 and b"00001_00.dups' is missing" in done.stderr
    assert origo("bands", "-d", work, *files).returncode == 0
    assert origo("components", "-d", work, "--shard", "2/3",
                 *files).returncode == 0
    done = origo("filter", "-d", work, "-o", place / "out", *files)
    assert done.returncode == 3 and b"000000-of-000003' is missing" in \
        done.stderr
    done = origo("components", "-d", work, "-k", 7, *files)
    assert done.returncode == 3 and b"other options" in done.stderr
    sketch = work / "sketch" / "000001"
    data = bytearray(sketch.read_bytes())
    data[100] ^= 1
    sketch.write_bytes(data)
    done = origo("components", "-d", work, *files)
    assert done.returncode == 3 and b"damaged" in done.stderr
    done = origo("sketch", "--shard", "4/3", *files)
    assert done.returncode == 2


# ---- kill -9 -----------------------------------------------------------------------

def test_kill_and_resume(place):
    rng = random.Random(22)
    texts = [" ".join(words(rng, 100)) for _ in range(300)]
    with open(place / "in.jsonl", "w") as f:
        for i in range(40000):
            text = texts[i % 300] if i % 3 == 0 else " ".join(words(rng, 40))
            f.write('{"id":"d%d","text":"%s"}\n' % (i, text))
    expected, report, _ = dedup(place)
    whole = (place / "out.jsonl").read_bytes()
    whole_report = (place / "report.jsonl").read_bytes()
    resumed = 0
    for memory in ([], ["-m", "2M"]):
        command = ["dedup", "-j", 1, "--resume", "--journal-every", 0.01, "-o", place / "out.jsonl",
                   "-r", place / "report.jsonl", "--report-format", "jsonl",
                   *memory, place / "in.jsonl"]
        for path in (place / "out.jsonl", place / "report.jsonl"):
            path.unlink(missing_ok=True)
        for attempt in range(12):
            process = subprocess.Popen([ORIGO, *map(str, command)],
                                       stderr=subprocess.PIPE)
            try:
                process.wait(0.05 + 0.05 * attempt)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                process.stderr.close()
                if not (place / "out.jsonl").exists():
                    continue
                break
            assert process.returncode == 0, process.stderr.read()
            resumed += b"decided on before" in process.stderr.read()
            process.stderr.close()
            break
        else:
            done = origo(*command)
            assert done.returncode == 0, done.stderr
            resumed += b"decided on before" in done.stderr
        assert (place / "out.jsonl").read_bytes() == whole
        assert (place / "report.jsonl").read_bytes() == whole_report
        done = origo(*command)
        assert done.returncode == 0, done.stderr
        assert sorted(p.name for p in place.iterdir()) == \
            ["in.jsonl", "out.jsonl", "report.jsonl"]
        assert (place / "out.jsonl").read_bytes() == whole
    assert resumed > 0, "no run went on from a journal"


def test_journal_of_another_run(place):
    write_jsonl(place / "in.jsonl", ["one text", "another text"])
    (place / "out.part").write_bytes(b"")
    (place / "out.journal").write_bytes(b"origo dedup journal 1\n" + bytes(8))
    done = origo("dedup", "--resume", "-o", place / "out", place / "in.jsonl")
    assert done.returncode == 3 and b"another" not in done.stdout
    assert b"other options or inputs" in done.stderr, done.stderr


def main():
    failed = 0
    cases = [(name, f) for name, f in globals().items()
             if name.startswith("test_") and
             (len(sys.argv) < 3 or name[5:] in sys.argv[2:])]
    for name, function in cases:
        with tempfile.TemporaryDirectory(prefix="origo-dedup-") as folder:
            try:
                function(pathlib.Path(folder))
                print("ok dedup: " + name[5:])
            except Exception:
                failed += 1
                print("FAILED dedup: " + name[5:])
                for line in traceback.format_exc().splitlines():
                    print("    " + line[:2000])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
