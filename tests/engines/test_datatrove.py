"""origo.datatrove: stages as blocks, with the files of datatrove's own."""

import json

import pytest
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import (MinhashDedupBuckets,
                                      MinhashDedupFilter,
                                      MinhashDedupSignature)
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

import origo
from origo.datatrove import STAGES, DecontaminationFilter, DedupStage


@pytest.fixture
def there(documents):
    return [one for one in documents if one["text"] is not None]


@pytest.fixture
def files(there, tmp_path):
    """Two files; datatrove's reader needs a folder of them."""
    folder = tmp_path / "input"
    folder.mkdir()
    paths = []
    for i in range(2):
        path = folder / ("%05d.jsonl" % i)
        half = len(there) // 2
        rows = there[:half] if i == 0 else there[half:]
        path.write_text("".join(json.dumps(one) + "\n" for one in rows))
        paths.append(path)
    return paths


def run(tmp_path, name, pipeline, tasks=2):
    LocalPipelineExecutor(pipeline, tasks=tasks, workers=1,
                          logging_dir=str(tmp_path / "logs" / name)).run()


def kept_ids(folder):
    return {json.loads(line)["id"] for path in sorted(folder.glob("*.jsonl"))
            for line in path.read_text().splitlines()}


def expected_ids(there):
    whole = origo.dedup([one["text"] for one in there])
    return {there[i]["id"] for i in whole.indices}


def test_stages_are_one_run(files, there, tmp_path):
    for stage in STAGES:
        run(tmp_path, stage, [DedupStage(stage, files, tmp_path / "work",
                                         tmp_path / "kept")])
    assert kept_ids(tmp_path / "kept") == expected_ids(there)
    assert list((tmp_path / "kept").glob("*.remove"))


def test_our_removals_go_to_its_filter(files, there, tmp_path):
    for stage in STAGES:
        run(tmp_path, stage, [DedupStage(stage, files, tmp_path / "work",
                                         tmp_path / "kept")])
    run(tmp_path, "theirs", [
        JsonlReader(str(tmp_path / "input")),
        MinhashDedupFilter(input_folder=str(tmp_path / "kept")),
        JsonlWriter(str(tmp_path / "filtered"), compression=None)])
    assert kept_ids(tmp_path / "filtered") == expected_ids(there)


def test_its_candidates_are_compared(files, there, tmp_path):
    config = MinhashConfig(n_grams=5)
    run(tmp_path, "signature", [
        JsonlReader(str(tmp_path / "input")),
        MinhashDedupSignature(output_folder=str(tmp_path / "signatures"),
                              config=config)])
    run(tmp_path, "buckets", [
        MinhashDedupBuckets(input_folder=str(tmp_path / "signatures"),
                            output_folder=str(tmp_path / "dups"),
                            config=config)], tasks=config.num_buckets)
    for stage in ("sketch", "components", "filter"):
        run(tmp_path, stage, [DedupStage(
            stage, files, tmp_path / "work", tmp_path / "kept",
            candidates=tmp_path / "dups")])
    kept = kept_ids(tmp_path / "kept")
    text = {one["id"]: one["text"] for one in there}
    gone = set(text) - kept
    # Its bands are other ones, so it may miss a pair; nothing that goes is
    # without one that is alike and stays.
    assert len(gone) > 200
    for one in list(gone)[:20]:
        assert any(origo.dedup([text[other], text[one]]).indices == [0]
                   for other in kept)


def test_filter_of_benchmarks(there):
    item = there[0]["text"][:300]
    whole = origo.decontaminate([one["text"] for one in there], [item])
    block = DecontaminationFilter([item], batch_size=100)
    kept = list(block.run(iter(
        Document(text=one["text"], id=one["id"]) for one in there)))
    assert {one.id for one in kept} == {there[i]["id"] for i in whole.indices}
