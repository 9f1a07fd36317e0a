"""The steps of jobs on a cluster, with the shuffles of an engine played here:
whatever the number of partitions, the outcome is that of one run."""

import os
import random
import subprocess
import sys
import zlib

import pytest

import origo
from families import make_documents

pyarrow = pytest.importorskip("pyarrow")
numpy = pytest.importorskip("numpy")
steps = pytest.importorskip("origo.steps")


def place_of(key, n):
    """The same in every run, as hash() is not."""
    return zlib.crc32(str(key).encode()) % n


def shuffle(batches, n, key, order=()):
    """n lists of batches of 7 rows: equal keys in one of them, in order."""
    rows = [row for batch in batches for row in batch.to_pylist()]
    schema = batches[0].schema if batches else None
    parts = [[] for _ in range(n)]
    for row in rows:
        parts[place_of(row[key], n)].append(row)
    for part in parts:
        part.sort(key=lambda row: [row[name] for name in order])
    return [[pyarrow.RecordBatch.from_pylist(part[i:i + 7], schema=schema)
             for i in range(0, len(part), 7)] for part in parts]


def run(step, parts, *arguments):
    return [batch for part in parts for batch in step(iter(part), *arguments)]


def batch_of(rows, schema):
    return pyarrow.RecordBatch.from_pylist(rows, schema=schema)


@pytest.fixture(scope="module")
def documents():
    return make_documents(n_families=12, n_copies=10, n_crowd=0, n_nulls=1)


def stars_of(edges, n):
    """(node, root) of all nodes, rounds, and the most rows that a task of
    these had."""
    n_rounds, most, is_open = 0, 0, True
    while is_open:
        for step, order in ((steps.small_star_step, ["node", "root"]),
                            (steps.large_star_step, ["node", "neighbour"])):
            parts = shuffle(edges, n, "node", order)
            most = max(most, *(sum(one.num_rows for one in part)
                               for part in parts))
            edges = run(step, parts)
        n_rounds += 1
        is_open = any(any(one.column("is_open").to_pylist()) for one in edges)
    return [(row["node"], row["root"]) for one in edges
            for row in one.to_pylist()], n_rounds, most


def removals(documents, n, **options):
    schema = pyarrow.schema([("node", pyarrow.int64()),
                             ("text", pyarrow.string())])
    nodes = [batch_of([{"node": i, "text": one["text"]}
                       for i, one in enumerate(documents)], schema)]
    keys = run(steps.band_step, [nodes], {})
    edges = run(steps.edge_step, shuffle(keys, n, "key", ["key", "node"]))
    roots = dict(stars_of(edges, n)[0])
    schema = pyarrow.schema([("id", pyarrow.string()),
                             ("text", pyarrow.string()),
                             ("root", pyarrow.int64())])
    met = [batch_of([{**one, "root": roots[i]}
                     for i, one in enumerate(documents) if i in roots],
                    schema)]
    gone = run(steps.decide_step, shuffle(met, 3, "root", ["id"]),
               {"threshold": 0.8, "keep": "first", **options})
    return {row["id"]: (row["duplicate_of"], row["similarity"])
            for batch in gone for row in batch.to_pylist()}


@pytest.mark.parametrize("n", [1, 5])
@pytest.mark.parametrize("keep", ["first", "last", "longest"])
def test_removals_are_those_of_one_run(documents, n, keep):
    whole = origo.dedup([one["text"] for one in documents], keep=keep)
    expected = {documents[one.index]["id"]:
                (documents[one.duplicate_of]["id"], one.similarity)
                for one in whole.removed}
    assert len(expected) > 10
    assert removals(documents, n, keep=keep) == expected


def edges_of(pairs):
    return [pyarrow.table([[max(one) for one in pairs],
                           [min(one) for one in pairs]],
                          schema=steps.EDGES).to_batches()[0]]


def least_of(pairs):
    """Of each node the least that it is joined to, one edge after the other."""
    root = {}

    def find(node):
        while root.setdefault(node, node) != node:
            node = root[node]
        return node
    for a, b in pairs:
        a, b = find(a), find(b)
        root[max(a, b)] = min(a, b)
    return sorted((node, find(node)) for node in root)


@pytest.mark.parametrize("n", [1, 6])
def test_stars_of_chains_hubs_and_chance(n):
    rng = random.Random(3)
    places = rng.sample(range(10 ** 6), 700)
    chain = list(zip(places, places[1:]))
    hub = [(5, place) for place in range(10 ** 6, 10 ** 6 + 300)]
    trees = [(rng.randrange(-2000, 0), rng.randrange(-2000, 0))
             for _ in range(900)]
    alone = [(-5000, -5000)]  # two ids with one hash
    for pairs in (chain, hub, trees, alone, chain + hub + trees + alone):
        found, n_rounds, _ = stars_of(edges_of(pairs), n)
        assert sorted(found) == least_of(pairs)
        assert n_rounds <= 12
        assert [(row["node"], row["root"]) for one in run(
            steps.forest_step, [edges_of(pairs)])
            for row in one.to_pylist()] == least_of(pairs)


def test_a_tree_is_made_by_many_tasks():
    """However large it is: here, all nodes are one tree."""
    rng = random.Random(4)
    pairs = [(i, rng.randrange(max(0, i - 50), i)) for i in range(1, 3000)]
    found, _, most = stars_of(edges_of(pairs), 1)
    assert len(found) == 3000 and most >= 2 * 2999
    found, _, most = stars_of(edges_of(pairs), 10)
    assert {root for _, root in found} == {0}
    # The center of a star meets all of them, one after the other; a node has
    # its edges in both directions.
    assert most < 3000 + 2 * 3000 / 10 * 1.5


def passages(documents, n):
    schema = pyarrow.schema([("id", pyarrow.string()),
                             ("time", pyarrow.int64()),
                             ("text", pyarrow.string())])
    there = [one for one in documents if one["text"] is not None]
    prints = run(steps.fingerprint_step, [[batch_of(there, schema)]], {})
    ids = [row["id"] for row in sorted(
        there, key=lambda row: (row["time"], row["id"]))]
    rows = [{"key": key, "rank": ids.index(row["id"])} for batch in prints
            for row in batch.to_pylist() for key in row["keys"]]
    copies = run(steps.origin_step, shuffle([batch_of(rows, steps.RANKS)], n,
                                            "key", ["key", "rank"]))
    asked, origins = {}, {}
    for row in (row for batch in copies for row in batch.to_pylist()):
        copier, origin = ids[row["copier"]], ids[row["origin"]]
        assert row["copier"] > row["origin"]
        place = place_of(copier, n)
        asked[place, copier] = 1
        origins[place, origin] = 0
    known = {one["id"]: one for one in there}
    parts = [[] for _ in range(n)]
    for (place, id), is_asked in {**origins, **asked}.items():
        parts[place].append({**known[id], "is_asked": is_asked})
    schema = schema.append(pyarrow.field("is_asked", pyarrow.int32()))
    for part in parts:
        part.sort(key=lambda row: (row["time"], row["id"]))
    return run(steps.span_step,
               [[batch_of(part, schema)] if part else [] for part in parts],
               {"memory": 4 << 20})


SPAN = ["begin", "end", "origin", "origin_begin", "origin_end", "how"]


def spans_of(batches):
    return {(row["id"], *(row[name] for name in SPAN))
            for batch in batches for row in batch.to_pylist()}


@pytest.mark.parametrize("n", [1, 4])
def test_passages_are_those_of_one_store(documents, n):
    there = sorted((one for one in documents if one["text"] is not None),
                   key=lambda one: (one["time"], one["id"]))
    with origo.Store(":memory:") as store:
        whole = store.trace_many(there, add=True).to_arrow().to_pylist()
    expected = {(row["document"], *(row[name] for name in SPAN))
                for row in whole}
    assert len(expected) > 10
    assert spans_of(passages(documents, n)) == expected


KILLED = """
import sys, pyarrow
from origo import steps

def batches():
    yield pyarrow.record_batch({"id": ["a"], "time": [1], "text": ["a text"],
                                "is_asked": pyarrow.array([1], "int32")})
    print("in the middle", flush=True)
    sys.stdin.read()
list(steps.span_step(batches(), {"memory": 4 << 20}))
"""


@pytest.fixture
def in_the_middle(tmp_path, monkeypatch):
    """Starts a process that is in the middle of a task."""
    monkeypatch.setenv("SPARK_LOCAL_DIRS", "%s,/elsewhere" % tmp_path)
    started = []

    def start():
        started.append(subprocess.Popen(
            [sys.executable, "-c", KILLED], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout.readline() == "in the middle\n"
        return started[-1]
    yield start
    for one in started:
        one.kill()
        one.communicate()


def test_what_a_killed_task_leaves_goes_with_the_next(
        documents, tmp_path, in_the_middle):
    killed = in_the_middle()
    left, = os.listdir(tmp_path)
    living = in_the_middle()
    killed.kill()
    killed.wait()
    assert left in os.listdir(tmp_path) and len(os.listdir(tmp_path)) == 2
    assert spans_of(passages(documents, 1))
    there = os.listdir(tmp_path)
    assert len(there) == 1 and left not in there  # that of the living one
    living.communicate("")
    assert living.returncode == 0 and os.listdir(tmp_path) == []


def test_keys_of_rows_without_a_text(text):
    table = pyarrow.table({"text": [text(1), None, text(1)]})
    keys = origo.band_keys(table)
    assert keys.counts == [14, 0, 14]
    assert list(keys.values[:14]) == list(keys.values[14:])
    prints = origo.fingerprint_keys(table, select="All")
    assert prints.counts[1] == 0 and prints.counts[0] == prints.counts[2] > 0
    assert prints.n_tokens == [120, 0, 120]


def test_codes_within_three_bits():
    schema = pyarrow.schema([("id", pyarrow.string()),
                             ("code", pyarrow.int64())])
    batch = batch_of([{"id": "a", "code": -1}, {"id": "b", "code": 5},
                      {"id": "c", "code": None}], schema)
    found = run(steps.hamming_step, [[batch]],
                (["x", "y"], [-1 ^ 3, 1 << 40]), 3, True)
    assert [row for one in found for row in one.to_pylist()] == [
        {"new_id": "a", "old_id": "x", "distance": 2},
        {"new_id": "b", "old_id": "y", "distance": 3}]


def test_items_by_row(text):
    schema = pyarrow.schema([("id", pyarrow.int64()),
                             ("text", pyarrow.string())])
    item = text(9, 40)
    batch = batch_of([{"id": 5, "text": text(1)}, {"id": 6, "text": None},
                      {"id": 7, "text": text(2) + " " + item}], schema)
    found = run(steps.item_step, [[batch]], [("question", item)], 0.5, 13)
    rows = [row for one in found for row in one.to_pylist()]
    assert [(row["id"], row["item"]) for row in rows] == [(7, "question")]


# ---- bad input --------------------------------------------------------------

def test_texts_that_are_too_long_have_no_sketch(monkeypatch):
    monkeypatch.setattr("origo.sources.MAX_TEXT", 100)
    texts = [None, "a text", "word " * 50, "another text"]
    made, = run(steps.sketch_step, [[pyarrow.record_batch(
        {"id": ["null", "a", "long", "b"], "text": texts})]], {})
    assert made.column("id").to_pylist() == ["a", "b"]
    assert made.column("n_tokens").to_pylist() == [2, 2]
    for i, row in enumerate(made.to_pylist()):
        keys = origo.band_keys([texts[1 + 2 * i]])
        assert row["sketch"] == bytes(keys.samples)
        assert row["keys"] == list(memoryview(bytes(keys.values)).cast("q"))


def test_texts_that_are_too_long(documents, monkeypatch):
    """Of 1 GiB and more; here, of 5,000 bytes. They take part in nothing, and
    the others are as without them."""
    monkeypatch.setattr("origo.sources.MAX_TEXT", 5000)
    long = {"time": 1, "text": "word " * 2000}
    rows = [{"id": "a-long", **long}, *documents, {"id": "z-long", **long}]
    assert removals(rows, 3) == removals(documents, 3)
    assert spans_of(passages(rows, 3)) == spans_of(passages(documents, 3))


def test_strings_with_long_offsets(documents):
    """As Spark sends them for batches of more than 2 GiB."""
    schema = pyarrow.schema([("id", pyarrow.large_string()),
                             ("time", pyarrow.int64()),
                             ("text", pyarrow.large_string())])
    there = [one for one in documents if one["text"] is not None]
    large = batch_of(there, schema)
    prints = run(steps.fingerprint_step, [[large]], {})
    assert prints[0].schema == steps.FINGERPRINTS
    made = run(steps.sketch_step, [[large]], {})
    assert made[0].schema.names == ["id", "time", *steps.SKETCH.names]
    assert made[0].num_rows == len(there)


def test_fingerprints_twice_in_a_document_count_once():
    rows = [{"key": key, "rank": rank} for key, rank in (
        (1, 5), (1, 5), (1, 7), (1, 7), (1, 8), (2, 5), (2, 7), (3, 7))]
    copies = run(steps.origin_step, [[batch_of(rows[i:i + 3], steps.RANKS)
                                      for i in range(0, len(rows), 3)]])
    assert all(one.schema == steps.COPIES for one in copies)
    counts = {}
    for row in (row for one in copies for row in one.to_pylist()):
        pair = row["copier"], row["origin"]
        counts[pair] = counts.get(pair, 0) + row["n"]
    assert counts == {(7, 5): 2, (8, 5): 1}


# ---- what goes, in rounds ----------------------------------------------------

def shared_bands(documents, n, **options):
    """(key, rank, sketch, is_crowded), in partitions of sorted batches."""
    schema = pyarrow.schema([("rank", pyarrow.int64()),
                             ("text", pyarrow.string())])
    rows = [{"rank": rank, "text": one["text"]}
            for rank, one in enumerate(documents)]
    made = [row for batch in run(steps.sketch_step, [[batch_of(rows, schema)]],
                                 options) for row in batch.to_pylist()]
    keys = [{"key": key, "rank": row["rank"]}
            for row in made for key in row["keys"]]
    shared = run(steps.shared_step, shuffle([batch_of(keys, steps.RANKS)], n,
                                            "key", ["key", "rank"]))
    sketches = {row["rank"]: row["sketch"] for row in made}
    return [{**row, "sketch": sketches[row["rank"]]}
            for batch in shared for row in batch.to_pylist()]


BAND = [("key", pyarrow.int64()), ("rank", pyarrow.int64()),
        ("sketch", pyarrow.binary())]


def pairs_in(step, rows, n, more, options):
    schema = pyarrow.schema(BAND + more)
    rows = [{name: row[name] for name in schema.names} for row in rows]
    found = run(step, shuffle([batch_of(rows, schema)], n, "key",
                              ["key", "rank"]), options)
    return {(row["rank"], row["earlier"]) for batch in found
            for row in batch.to_pylist()}


def compare(documents, pairs, options):
    others = {}
    for rank, earlier in sorted(pairs):
        others.setdefault(rank, []).append(earlier)
        others.setdefault(earlier, [])
    rows = [{"rank": rank, "text": documents[rank]["text"],
             "others": earlier or None} for rank, earlier in others.items()]
    schema = pyarrow.schema([("rank", pyarrow.int64()),
                             ("text", pyarrow.string()),
                             ("others", pyarrow.list_(pyarrow.int64()))])
    found = run(steps.compare_step, [[batch_of(rows, schema)]], options)
    return {(row["rank"], row["earlier"]): row["similarity"]
            for batch in found for row in batch.to_pylist()}


def settle(known, seen):
    rows = [{"root": 0, "rank": rank, "earlier": earlier,
             "similarity": known[rank, earlier]}
            for rank, earlier in sorted(seen) if known[rank, earlier] > 0]
    schema = pyarrow.schema([("root", pyarrow.int64()), *steps.COMPARED])
    found = run(steps.settle_step, [[batch_of(rows, schema)]])
    return {row["rank"]: (row["of"], row["similarity"])
            for batch in found for row in batch.to_pylist()}


def removals_in_rounds(documents, n, guess=None, **options):
    """What origo.spark does, and how many rounds it took. `guess`: what is
    assumed to be gone at first, instead of what samples say."""
    bands = shared_bands(documents, n)
    few = [row for row in bands if not row["is_crowded"]]
    crowd = [row for row in bands if row["is_crowded"]]
    constant = pairs_in(steps.pair_step, few, n, [], options)
    known, gone, n_rounds = {}, guess, 0
    while True:
        flagged = [{**row, "is_gone": None if gone is None else
                    row["rank"] in gone} for row in crowd]
        seen = constant | pairs_in(
            steps.crowd_step, flagged, n, [("is_gone", pyarrow.bool_())],
            options)
        known.update(compare(documents, seen - set(known), options))
        before, gone = gone, settle(known, seen)
        n_rounds += 1
        if before is not None and set(before) == set(gone):
            return gone, n_rounds, len(crowd)


def crowded_documents():
    """A form that is filled in: all share bands, of some hundred no two are
    alike, and of those that come later some are like one that bands no longer
    show."""
    rng = random.Random(11)
    form = ["word%d" % i for i in range(120)]
    found = []
    for i in range(150):
        words = list(form)
        at = rng.randrange(110)
        words[at:at + 8] = ["own%d" % rng.randrange(40) for _ in range(8)]
        found.append({"text": " ".join(words)})
        if i % 3 == 0:
            earlier = rng.choice(found)["text"].split()
            earlier[rng.randrange(120)] = "changed%d" % i
            found.append({"text": " ".join(earlier)})
    return found


@pytest.mark.parametrize("options", [
    {}, {"threshold": 0.7}, {"threshold": 0.9},
    {"measure": "containment", "threshold": 0.85}],
    ids=["0.8", "0.7", "0.9", "containment"])
@pytest.mark.parametrize("n", [1, 4])
def test_removals_in_rounds_are_those_of_one_run(documents, n, options):
    there = [one for one in documents if one["text"] is not None]
    for given in (there, crowded_documents(), [{"text": "one text"}] * 40):
        whole = origo.dedup([one["text"] for one in given], **options)
        expected = {one.index: (one.duplicate_of, one.similarity)
                    for one in whole.removed}
        assert expected
        found, n_rounds, _ = removals_in_rounds(given, n, **options)
        assert found == expected
        assert n_rounds < 15


def test_no_guess_changes_what_goes():
    """Not even that all stay, or that all go."""
    given = crowded_documents()
    whole = origo.dedup([one["text"] for one in given], threshold=0.7)
    expected = {one.index: (one.duplicate_of, one.similarity)
                for one in whole.removed}
    for guess in ((), range(len(given)), range(0, len(given), 2)):
        found, n_rounds, n_crowded = removals_in_rounds(
            given, 2, dict.fromkeys(guess), threshold=0.7)
        assert found == expected and n_crowded > 200
        assert n_rounds > 1


def test_pairs_that_are_compared_are_there():
    texts = ["a lamp is lit", "A lamp is lit", "something else"]
    assert list(origo.compare_pairs(texts, [(1, 0), (2, 0)])) == [1.0, 0.0]
    assert list(origo.compare_pairs(texts, [])) == []
    with pytest.raises(origo.UsageError, match="pair 0 names document 3 of 3"):
        origo.compare_pairs(texts, [(0, 3)])
