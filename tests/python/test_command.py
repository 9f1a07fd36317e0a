"""python -m origo, on Parquet."""

import json
import subprocess
import sys

import pytest

import origo

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def run(*arguments, status=0):
    done = subprocess.run([sys.executable, "-m", "origo", *map(str, arguments)],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    return done.stderr


@pytest.fixture
def shards(text, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for shard in range(2):
        table = pyarrow.table({
            "key": pyarrow.array(range(shard * 100, shard * 100 + 100),
                                 pyarrow.int32()),
            "body": ["%s %d" % (text(i % 60), i) for i in
                     range(shard * 100, shard * 100 + 100)],
            "tags": [[str(i)] for i in range(100)],
        })
        parquet.write_table(table, folder / ("s%d.parquet" % shard),
                            row_group_size=30, compression="zstd")
    return folder


def test_dedup(shards, tmp_path):
    out = tmp_path / "out"
    said = run("dedup", shards, "-o", str(out) + "/", "--text-field", "body",
               "--id-field", "key", "--report", tmp_path / "r.parquet")
    assert "200 documents, 60 kept, 140 removed" in said
    first = parquet.ParquetFile(out / "s0.parquet")
    before = parquet.ParquetFile(shards / "s0.parquet")
    assert first.schema_arrow == before.schema_arrow
    assert first.metadata.row_group(0).column(1).compression == "ZSTD"
    assert first.metadata.row_group(0).num_rows == 30
    assert first.read().column("key").to_pylist() == list(range(60))
    assert parquet.read_table(out / "s1.parquet").num_rows == 0
    report = parquet.read_table(tmp_path / "r.parquet").to_pylist()
    assert len(report) == 140
    assert report[0]["id"] == "60" and report[0]["duplicate_of"] == "0"


def test_one_file(shards, tmp_path):
    run("dedup", shards / "s0.parquet", "-o", tmp_path / "one.parquet",
        "--text-field", "body", "--keep", "last", "--report",
        tmp_path / "r.jsonl")
    table = parquet.read_table(tmp_path / "one.parquet")
    assert table.column("key").to_pylist() == list(range(40, 100))
    rows = [json.loads(line) for line in open(tmp_path / "r.jsonl")]
    assert rows[0]["row"] == 0 and rows[0]["duplicate_of_row"] == 60


def test_against(shards, tmp_path):
    run("dedup", shards / "s1.parquet", "-o", tmp_path / "one.parquet",
        "--text-field", "body", "--against", shards / "s0.parquet")
    assert parquet.read_table(tmp_path / "one.parquet").num_rows == 0


def test_resuming(shards, tmp_path):
    out = tmp_path / "out"
    arguments = ["dedup", shards, "-o", str(out) + "/", "--text-field", "body",
                 "--resume"]
    run(*arguments)
    (out / "s1.parquet").unlink()
    before = (out / "s0.parquet").stat().st_mtime_ns
    run(*arguments)
    assert (out / "s0.parquet").stat().st_mtime_ns == before
    assert parquet.read_table(out / "s1.parquet").num_rows == 0
    assert "another run" in run(*arguments, "--threshold", "0.5", status=3)


def test_decontaminate(shards, text, tmp_path):
    items = tmp_path / "items.jsonl"
    items.write_text(json.dumps({"id": "q", "text": text(5)}) + "\n")
    said = run("decontaminate", shards, "-o", str(tmp_path / "out") + "/",
               "--text-field", "body", "--against", items, "--report",
               tmp_path / "r.tsv")
    assert "200 documents, 4 hold items" in said
    assert len(open(tmp_path / "r.tsv").readlines()) == 5


def test_trace(shards, text, tmp_path):
    with origo.Store(tmp_path / "store") as store:
        store.add(text(5), id="old", time="1990")
    run("trace", "-s", tmp_path / "store", shards, "--text-field", "body",
        "--id-field", "key", "-o", tmp_path / "spans.parquet")
    table = parquet.read_table(tmp_path / "spans.parquet")
    assert table.column("document").to_pylist() == ["5", "65", "125", "185"]
    assert set(table.column("origin").to_pylist()) == {"old"}


def test_jsonl(text, tmp_path):
    with open(tmp_path / "a.jsonl", "w") as out:
        for i in range(20):
            out.write(json.dumps({"id": str(i), "text": text(i % 10)}) + "\n")
    run("dedup", tmp_path / "a.jsonl", "-o", tmp_path / "b.jsonl")
    assert len(open(tmp_path / "b.jsonl").readlines()) == 10


def test_remote(shards, tmp_path):
    pytest.importorskip("fsspec")
    run("dedup", "file://%s/*.parquet" % shards, "-o",
        str(tmp_path / "out") + "/", "--text-field", "body")
    assert parquet.read_table(tmp_path / "out" / "s0.parquet").num_rows == 60


def test_bad_files(shards, tmp_path):
    assert "no such file" in run("dedup", tmp_path / "none", "-o", "x",
                                 status=3)
    said = run("dedup", shards, "-o", tmp_path / "x", status=3)
    assert "no column 'text'; the columns are key (int32)" in said
    cut = tmp_path / "cut.parquet"
    cut.write_bytes((shards / "s0.parquet").read_bytes()[:500])
    assert "no whole Parquet file" in run(
        "dedup", cut, "-o", tmp_path / "y.parquet", status=3)
    assert not (tmp_path / "y.parquet").exists()
    before = (shards / "s0.parquet").read_bytes()
    assert "one of the inputs" in run(
        "dedup", shards / "s0.parquet", "-o", shards / "s0.parquet",
        "--text-field", "body", status=3)
    assert (shards / "s0.parquet").read_bytes() == before
