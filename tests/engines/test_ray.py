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


def test_decontaminate(ds, documents):
    there = [one for one in documents if one["text"] is not None]
    item = there[0]["text"][:300]
    whole = origo.decontaminate([one["text"] for one in there], [item])
    kept = origo.ray.decontaminate(ds, [item]).take_all()
    assert {row["id"] for row in kept} == {
        there[i]["id"] for i in whole.indices}
