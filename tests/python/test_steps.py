"""The steps of jobs on a cluster, with the shuffles of an engine played here:
whatever the number of partitions, the outcome is that of one run."""

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


def removals(documents, n, **options):
    schema = pyarrow.schema([("node", pyarrow.int64()),
                             ("text", pyarrow.string())])
    nodes = [batch_of([{"node": i, "text": one["text"]}
                       for i, one in enumerate(documents)], schema)]
    keys = run(steps.band_step, [nodes], {})
    forest = run(steps.forest_step, shuffle(keys, n, "key", ["key", "node"]))
    while n > 1:
        n = (n + 1) // 2
        forest = run(steps.merge_step, shuffle(forest, n, "root"))
    roots = {row["node"]: row["root"] for batch in forest
             for row in batch.to_pylist()}
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


def test_components_of_chains_and_hubs():
    rng = numpy.random.default_rng(1)
    chain = numpy.arange(5000)
    places = rng.permutation(5000)
    a, b = places[chain[:-1]], places[chain[1:]]
    nodes, roots = steps.components(a, b)
    assert list(nodes) == list(range(5000)) and set(roots) == {0}
    hub = numpy.full(1000, 7)
    nodes, roots = steps.components(hub, numpy.arange(10, 1010))
    assert set(roots) == {7}
    nodes, roots = steps.components(numpy.array([1, 5]), numpy.array([2, 6]))
    assert list(zip(nodes, roots)) == [(1, 1), (2, 1), (5, 5), (6, 5)]


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
