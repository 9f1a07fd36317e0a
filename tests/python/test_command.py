"""python -m origo, on Parquet."""

import gc
import json
import subprocess
import sys

import pytest

import origo
from origo import command

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


# A file that is left open is a failure.
pytestmark = [
    pytest.mark.filterwarnings("error"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


@pytest.fixture
def run(capsys):
    """Runs the command; what it said."""
    def call(*arguments, status=0):
        capsys.readouterr()
        found = command.run([str(one) for one in arguments])
        gc.collect()
        said = capsys.readouterr().err
        assert found == status, said
        return said
    return call


def lines_of(path):
    return path.read_text().splitlines()


def test_as_a_program(shards, tmp_path):
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-m", "origo", "dedup",
         str(shards), "-o", str(tmp_path / "out"), "--text-field", "body"],
        capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "origo-py: 200 documents, 60 kept, 140 removed\n"


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


def test_dedup(run, shards, tmp_path):
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


def test_one_file(run, shards, tmp_path):
    run("dedup", shards / "s0.parquet", "-o", tmp_path / "one.parquet",
        "--text-field", "body", "--keep", "last", "--report",
        tmp_path / "r.jsonl")
    table = parquet.read_table(tmp_path / "one.parquet")
    assert table.column("key").to_pylist() == list(range(40, 100))
    rows = [json.loads(line) for line in lines_of(tmp_path / "r.jsonl")]
    assert rows[0]["row"] == 0 and rows[0]["duplicate_of_row"] == 60


def test_against(run, shards, tmp_path):
    run("dedup", shards / "s1.parquet", "-o", tmp_path / "one.parquet",
        "--text-field", "body", "--against", shards / "s0.parquet")
    assert parquet.read_table(tmp_path / "one.parquet").num_rows == 0


def test_resuming(run, shards, tmp_path):
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


def test_decontaminate(run, shards, text, tmp_path):
    items = tmp_path / "items.jsonl"
    items.write_text(json.dumps({"id": "q", "text": text(5)}) + "\n")
    said = run("decontaminate", shards, "-o", str(tmp_path / "out") + "/",
               "--text-field", "body", "--against", items, "--report",
               tmp_path / "r.tsv")
    assert "200 documents, 4 hold items" in said
    assert len(lines_of(tmp_path / "r.tsv")) == 5


def test_trace(run, shards, text, tmp_path):
    with origo.Store(tmp_path / "store") as store:
        store.add(text(5), id="old", time="1990")
    run("trace", "-s", tmp_path / "store", shards, "--text-field", "body",
        "--id-field", "key", "-o", tmp_path / "spans.parquet")
    table = parquet.read_table(tmp_path / "spans.parquet")
    assert table.column("document").to_pylist() == ["5", "65", "125", "185"]
    assert set(table.column("origin").to_pylist()) == {"old"}


def test_jsonl(run, text, tmp_path):
    with open(tmp_path / "a.jsonl", "w") as out:
        for i in range(20):
            out.write(json.dumps({"id": str(i), "text": text(i % 10)}) + "\n")
    run("dedup", tmp_path / "a.jsonl", "-o", tmp_path / "b.jsonl")
    assert len(lines_of(tmp_path / "b.jsonl")) == 10


def test_remote(run, shards, tmp_path):
    pytest.importorskip("fsspec")
    run("dedup", "file://%s/*.parquet" % shards, "-o",
        str(tmp_path / "out") + "/", "--text-field", "body")
    assert parquet.read_table(tmp_path / "out" / "s0.parquet").num_rows == 60


def test_remote_out(run, shards, tmp_path):
    pytest.importorskip("fsspec")
    said = run("dedup", "file://%s/*.parquet" % shards, "-o",
               "file://%s/" % tmp_path, "--text-field", "body",
               "--report", "file://%s/r.parquet" % tmp_path)
    assert "60 kept" in said
    assert parquet.read_table(tmp_path / "s0.parquet").num_rows == 60
    assert parquet.read_table(tmp_path / "r.parquet").num_rows == 140


def test_a_report_of_jsonl_as_parquet(run, text, tmp_path):
    with open(tmp_path / "a.jsonl", "w") as out:
        for i in range(20):
            out.write(json.dumps({"id": str(i), "text": text(i % 10)}) + "\n")
    run("dedup", tmp_path / "a.jsonl", "-o", tmp_path / "b.jsonl", "--report",
        tmp_path / "r.parquet")
    assert parquet.read_table(tmp_path / "r.parquet").num_rows == 10
    run("dedup", tmp_path / "a.jsonl", "-o", tmp_path / "c.jsonl", "--report",
        tmp_path / "r.jsonl")
    rows = [json.loads(line) for line in lines_of(tmp_path / "r.jsonl")]
    assert len(rows) == 10


@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "csv"])
def test_decontaminate_lines(run, text, tmp_path, kind):
    import csv
    import gzip
    import io
    rows = [{"id": str(i), "body": text(i) + "\n, \"so\"", "n": str(i)}
            for i in range(12)]
    out = io.StringIO()
    if kind == "csv":
        writer = csv.DictWriter(out, ["id", "body", "n"])
        writer.writeheader()
        writer.writerows(rows)
    else:
        rows[7]["body"] = None
        out.write("\n".join(map(json.dumps, rows)) + "\n\n")
    data = out.getvalue().encode()
    source = tmp_path / ("in." + kind)
    source.write_bytes(gzip.compress(data) if kind.endswith("gz") else data)
    items = tmp_path / "items.jsonl"
    items.write_text(json.dumps({"id": "q", "text": text(5)}) + "\n")
    kept = tmp_path / ("out." + kind)
    said = run("decontaminate", source, "-o", kept, "--text-field", "body",
               "--against", items, "--report", tmp_path / "r.jsonl")
    assert "12 documents, 1 hold items" in said
    data = kept.read_bytes()
    lines = io.StringIO((gzip.decompress(data) if kind.endswith("gz") else
                         data).decode())
    found = list(csv.DictReader(lines)) if kind == "csv" else [
        json.loads(line) for line in lines]
    assert found == rows[:5] + rows[6:]
    assert json.loads(lines_of(tmp_path / "r.jsonl")[0])["index"] == 5


def test_decontaminate_what_it_cannot_write(run, text, tmp_path):
    (tmp_path / "a.txt").write_text(text(1))
    (tmp_path / "bad.jsonl").write_text('{"text":"a"}\n{"text"\n')
    (tmp_path / "items.jsonl").write_text('{"id":"q","text":"a b c"}\n')
    for name, sentence in (("a.txt", "Parquet, JSONL and CSV"),
                           ("bad.jsonl", "bad.jsonl:2: not valid JSON")):
        assert sentence in run(
            "decontaminate", tmp_path / name, "-o", tmp_path / "out.jsonl",
            "--against", tmp_path / "items.jsonl", status=3)
    assert not (tmp_path / "out.jsonl").exists()


def test_progress_of_writing(shards, tmp_path):
    from origo.files import ParquetFiles, write_filtered
    path = str(shards / "s0.parquet")
    seen = []
    write_filtered(ParquetFiles([path], {"text": "body"}), path,
                   str(tmp_path / "x.parquet"), b"\1" * 100, 0, {},
                   seen.append)
    assert seen == [30, 60, 90, 100]


def test_bad_files(run, shards, tmp_path):
    assert "no such file" in run("dedup", tmp_path / "none", "-o", "x",
                                 status=3)
    said = run("dedup", shards, "-o", tmp_path / "x", status=3)
    assert "no column 'text'; the columns are key (int32)" in said
    cut = tmp_path / "cut.parquet"
    cut.write_bytes((shards / "s0.parquet").read_bytes()[:500])
    assert "no whole Parquet file" in run(
        "dedup", cut, "-o", tmp_path / "y.parquet", status=3)
    assert not (tmp_path / "y.parquet").exists()
    # Whole by its footer, damaged inside.
    hurt = bytearray((shards / "s0.parquet").read_bytes())
    hurt[40:400] = bytes(360)
    (tmp_path / "hurt.parquet").write_bytes(hurt)
    assert "hurt.parquet" in run(
        "dedup", tmp_path / "hurt.parquet", "-o", tmp_path / "y.parquet",
        "--text-field", "body", status=3)
    assert not (tmp_path / "y.parquet").exists()
    before = (shards / "s0.parquet").read_bytes()
    assert "one of the inputs" in run(
        "dedup", shards / "s0.parquet", "-o", shards / "s0.parquet",
        "--text-field", "body", status=3)
    assert (shards / "s0.parquet").read_bytes() == before
