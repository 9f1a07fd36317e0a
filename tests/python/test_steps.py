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
    copies = run(steps.origin_step,
                 shuffle(prints, n, "key", ["key", "time", "id"]))
    asked, origins = {}, {}
    for row in (row for batch in copies for row in batch.to_pylist()):
        place = place_of(row["copier"], n)
        asked[place, row["copier"]] = 1
        origins[place, row["origin"]] = 0
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
    rows = sorted((row for one in prints for row in one.to_pylist()),
                  key=lambda row: (row["key"], row["time"], row["id"]))
    schema = pyarrow.schema([("key", pyarrow.int64()),
                             ("time", pyarrow.int64()),
                             ("id", pyarrow.large_string())])
    copies = run(steps.origin_step, [[batch_of(rows[i:i + 50], schema)
                                      for i in range(0, len(rows), 50)]])
    assert copies and all(one.schema == steps.COPIES for one in copies)
