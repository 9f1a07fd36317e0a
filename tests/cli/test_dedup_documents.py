#!/usr/bin/env python3
"""origo dedup of whole documents: what is kept and what others get wrong.

usage: tests/cli/test_dedup_documents.py ORIGO [CASE...]"""

import itertools
import json
import random
import resource
import sys

from dedup_support import (dedup, family_texts, jaccard, origo, report_of,
                           read_lines, shingles, words, write_jsonl, run_cases)


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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


def test_batches_say_what_one_after_the_other_does(place):
    """A store to compare with has one reader, so documents are decided on one by
    one; here it has nothing that is like them."""
    empty = place / "other.jsonl"
    write_jsonl(empty, ["not like any of the others, by no means"])
    origo("add", "-q", "-s", place / "store", empty)
    write_jsonl(place / "in.jsonl", family_texts(5, 3000))
    dedup(place, "--against", place / "store")
    expected = (place / "out.jsonl").read_bytes(), \
        [(r["id"], r["duplicate_of"]) for r in
         report_of(place / "report.jsonl")]
    for threads in (1, 2, 8, 32):
        dedup(place, "-j", threads)
        got = (place / "out.jsonl").read_bytes(), \
            [(r["id"], r["duplicate_of"]) for r in
             report_of(place / "report.jsonl")]
        assert got == expected, threads


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
        began = cpu_of_children()
        done = origo("dedup", "-o", place / "out", place / "in.jsonl")
        seconds.append(cpu_of_children() - began)
        assert done.returncode == 0, done.stderr
        assert len(read_lines(place / "out")) == 1
    assert seconds[1] < 25 * max(seconds[0], 0.2), seconds


def test_template_family(place):
    """Half of each text is the same: all share bands, none is a copy."""
    rng = random.Random(10)
    common = words(rng, 60)
    texts = [" ".join(common + words(rng, 40)) for _ in range(3000)]
    write_jsonl(place / "in.jsonl", texts)
    began = cpu_of_children()
    kept, _, _ = dedup(place)
    assert len(kept) == 3000
    assert cpu_of_children() - began < 60


def test_notices_of_one_form(place):
    """Short texts around the threshold, where nearly all pairs share a band:
    exactly what the definition says, for parities turn nothing away that is
    alike."""
    rng = random.Random(14)
    form, texts = words(rng, 30), []
    for _ in range(500):
        text = form[rng.randrange(3):]
        for _ in range(rng.randrange(4)):
            text[rng.choice((-1, -2, -3, 5, 10))] = "x%d" % rng.randrange(9)
        texts.append(" ".join(text))
    write_jsonl(place / "in.jsonl", texts)
    sets, expected, of = [shingles(t) for t in texts], [], {}
    for i, mine in enumerate(sets):
        alike = [k for k in expected if jaccard(mine, sets[k]) >= 0.8]
        if alike:
            of["d%d" % i] = "d%d" % alike[0]
        else:
            expected.append(i)
    assert 100 < len(expected) < 400, len(expected)
    for more in ([], ["-m", "100k"]):
        kept, report, said = dedup(place, "--bands", 100, "--rows", 1, *more)
        assert kept == ["d%d" % i for i in expected], more
        assert {r["id"]: r["duplicate_of"] for r in report} == of
        assert ("rounds" in said) == bool(more), said


def test_copies_near_and_far(place):
    """The first one is in memory still, or it is read again: the report
    names it by its line in either case, when it has no id."""
    rng = random.Random(15)
    base = words(rng, 100)
    texts = [base, base + ["near"]]
    texts += [words(rng, 100) for _ in range(1500)]  # some blocks
    texts += [base + ["far"]]
    with open(place / "in.jsonl", "w", encoding="utf-8") as f:
        for text in texts:
            f.write(json.dumps({"text": " ".join(text)}) + "\n")
    assert (place / "in.jsonl").stat().st_size > 2 * 262144
    for more in ([], ["-j", 3]):
        done = origo("dedup", "-o", place / "out", "-r", place / "report",
                     *more, place / "in.jsonl")
        assert done.returncode == 0, done.stderr
        rows = [line.decode().split("\t")
                for line in read_lines(place / "report")]
        first = "%s:1" % (place / "in.jsonl")
        assert [row[1] for row in rows[1:]] == [first, first], rows
        assert [row[5] for row in rows[1:]] == ["2", str(len(texts))], rows


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
    assert "5 documents without tokens" in said, said


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


def test_against_a_store(place):
    """A test set against a stored corpus: exact similarities, ids of the
    store; what was removed from it is not compared with."""
    rng = random.Random(60)
    texts = [" ".join(words(rng, 80)) for _ in range(12)]
    write_jsonl(place / "corpus.jsonl", texts[:8])
    store = place / "store"
    done = origo("add", "-q", "-s", store, place / "corpus.jsonl")
    assert done.returncode == 0, done.stderr
    assert origo("rm", "-s", store, "d3").returncode == 0
    asked = [t.replace(t.split()[40], "new") for t in texts]
    with open(place / "in.jsonl", "w") as f:
        for i, text in enumerate(asked):
            f.write(json.dumps({"id": "q%d" % i, "text": text}) + "\n")
    for more in ([], ["--keep", "last"], ["-m", "100k"],
                 ["--cluster", "components"]):
        kept, report, _ = dedup(place, "--against", store, *more)
        assert kept == ["q3", "q8", "q9", "q10", "q11"], (more, kept)
        for r in report:
            i = int(r["id"][1:])
            assert r["duplicate_of"] == "d%d" % i, r
            exact = jaccard(shingles(texts[i]), shingles(asked[i]))
            assert abs(r["similarity"] - exact) < 1e-4, r
    bare = place / "bare"
    done = origo("add", "-q", "--no-texts", "-s", bare, place / "corpus.jsonl")
    assert done.returncode == 0, done.stderr
    done = origo("dedup", "--against", bare, place / "in.jsonl")
    assert done.returncode == 2 and b"keeps no texts" in done.stderr, done


def test_thorough(place):
    """Pairs just above the threshold: 25 bands of 5 find nearly all."""
    rng = random.Random(61)
    texts = []
    for _ in range(300):
        base = words(rng, 200)
        texts.append(" ".join(base))
        for at in rng.sample(range(10, 190), 4):
            base[at] = "changed%d" % rng.randrange(99999)
        texts.append(" ".join(base))
    alike = sum(jaccard(shingles(texts[i]), shingles(texts[i + 1])) >= 0.8
                for i in range(0, 600, 2))
    write_jsonl(place / "in.jsonl", texts)
    found = {p: len(dedup(place, "--preset", p)[1])
             for p in ("datatrove", "thorough")}
    assert alike > 250 and found["thorough"] == alike, (alike, found)
    assert found["datatrove"] <= found["thorough"]


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


if __name__ == "__main__":
    sys.exit(run_cases(sys.modules[__name__]))
