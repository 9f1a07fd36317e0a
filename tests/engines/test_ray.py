"""origo.ray: a whole dedup, and blocks of map_batches."""

import pyarrow
import pytest
import ray

import origo
import origo.ray


@pytest.fixture(scope="module")
def ds(documents):
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    table = pyarrow.Table.from_pylist(
        [one for one in documents if one["text"] is not None])
    yield ray.data.from_arrow(table.slice(0, 100)).union(
        ray.data.from_arrow(table.slice(100)))
    ray.shutdown()


@pytest.mark.parametrize("task_rows", [1 << 20, 500])  # one task; rounds
def test_removals_are_those_of_one_run(ds, documents, monkeypatch, task_rows):
    monkeypatch.setattr("origo.ray.TASK_ROWS", task_rows)
    there = [one for one in documents if one["text"] is not None]
    whole = origo.dedup([one["text"] for one in there])
    found = origo.ray.removals(ds, n_blocks=3).take_all()
    assert {(row["id"], row["duplicate_of"]) for row in found} == {
        (there[one.index]["id"], there[one.duplicate_of]["id"])
        for one in whole.removed}
    kept = origo.ray.dedup(ds, n_blocks=3).take_all()
    assert {row["id"] for row in kept} == {
        there[i]["id"] for i in whole.indices}


def of_rows(rows):
    return ray.data.from_arrow(pyarrow.Table.from_pylist(rows, pyarrow.schema(
        [("id", pyarrow.string()), ("text", pyarrow.string())])))


def test_nulls(ds, documents):
    """Rows without a text stay; nothing else changes."""
    texts = [documents[0]["text"] or documents[1]["text"]] * 2
    given = of_rows([{"id": "a", "text": None}, {"id": "b", "text": texts[0]},
                     {"id": "c", "text": texts[1]}, {"id": "d", "text": None}])
    # More blocks than documents: most have none.
    assert [row["id"] for row in origo.ray.removals(
        given, n_blocks=5).take_all()] == ["c"]
    assert {row["id"] for row in origo.ray.dedup(
        given, n_blocks=2).take_all()} == {"a", "b", "d"}
    kept = origo.ray.decontaminate(given, [texts[0][:300]]).take_all()
    assert {row["id"] for row in kept} == {"a", "d"}


def test_nothing_is_alike(ds, documents):
    """No two documents share a band, and none at all."""
    texts = [one["text"] for one in documents if one["text"]]
    given = of_rows([{"id": "a", "text": texts[0]}, {"id": "b", "text": "x"}])
    kept = origo.ray.dedup(given, n_blocks=2).take_all()
    assert {row["id"] for row in kept} == {"a", "b"}
    assert origo.ray.removals(given.limit(0), n_blocks=2).take_all() == []


@pytest.mark.parametrize("bad,words", [
    ("b", "'b' is there 2 times"), (None, "None is there 1 times")])
def test_repeated_and_missing_ids(ds, bad, words):
    given = of_rows([{"id": one, "text": "x"} for one in ("a", "b", bad)])
    with pytest.raises(ValueError, match=words):
        origo.ray.dedup(given, n_blocks=2)


@pytest.mark.parametrize("job,row", [
    (lambda ds: origo.ray.dedup(ds, n_blocks=2), "'long'"),
    (lambda ds: origo.ray.decontaminate(ds, ["an item"]), "1")],
    ids=["dedup", "decontaminate"])
def test_a_text_that_is_too_long_is_named(ds, monkeypatch, job, row):
    """More than 1 GiB; here, more than 100 bytes. Where rows need no ids, it is
    that of the block."""
    monkeypatch.setattr("origo.ray.MAX_TEXT", 100)
    rows = [{"id": "short", "text": "a" * 100},
            {"id": "long", "text": "ä" * 51}, {"id": "none", "text": None}]
    with pytest.raises(Exception, match="row %s has 102 bytes; the most are 100"
                       % row):
        job(of_rows(rows)).take_all()
    assert len(job(of_rows([rows[0], rows[2]])).take_all()) == 2


def test_decontaminate(ds, documents):
    there = [one for one in documents if one["text"] is not None]
    item = there[0]["text"][:300]
    whole = origo.decontaminate([one["text"] for one in there], [item])
    kept = origo.ray.decontaminate(ds, [item]).take_all()
    assert {row["id"] for row in kept} == {
        there[i]["id"] for i in whole.indices}
