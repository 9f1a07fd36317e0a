"""origo.spark in one process: as the command has it."""

import json
import random
import sys

import pyspark
import pytest
from pyspark.errors import PythonException
from pyspark.sql import SparkSession

import origo
import origo.spark
from spark_cluster import PATIENT

THOROUGH = pytest.mark.thorough
SCHEMA = "id string, time string, text string"


@pytest.fixture(scope="module")
def spark():
    # A task may fail once.
    builder = SparkSession.builder.master("local[2,2]").appName("origo")
    for name, value in {
            **PATIENT, "spark.sql.shuffle.partitions": "3",
            "spark.sql.execution.arrow.maxRecordsPerBatch": "50"}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def df(spark, documents):
    rows = [(one["id"], one["time"], one["text"]) for one in documents]
    random.Random(5).shuffle(rows)  # a table of Spark has no order
    return spark.createDataFrame(rows, SCHEMA).repartition(4).cache()


def test_dedup_keeps_what_the_command_keeps(df, documents, command, tmp_path):
    kept = command(documents, "dedup", "--report", str(tmp_path / "gone.jsonl"))
    expected = {one["id"] for one in kept} | {
        one["id"] for one in documents if one["text"] is None}
    assert len(expected) < len(documents) - 200
    rows = origo.spark.dedup(df).collect()
    assert {row["id"] for row in rows} == expected
    assert len(rows) == len(expected)
    gone = origo.spark.removals(df).collect()
    lines = (tmp_path / "gone.jsonl").read_text().splitlines()
    assert {(row["id"], row["duplicate_of"]) for row in gone} == {
        (one["id"], one["duplicate_of"]) for one in map(json.loads, lines)}


def test_dedup_by_another_order(df, documents):
    by_length = sorted(
        (one for one in documents if one["text"] is not None),
        key=lambda one: (-len(one["text"]), one["id"]))
    whole = origo.dedup([one["text"] for one in by_length])
    expected = {by_length[i]["id"] for i in whole.indices}
    table = df.selectExpr("*", "-length(text) as shorter").where(
        "text is not null")
    kept = origo.spark.dedup(table, order="shorter", n_partitions=5)
    assert {row["id"] for row in kept.collect()} == expected
    assert kept.columns == table.columns


def test_ids_that_are_numbers(spark, documents):
    rows = [(i, one["text"]) for i, one in enumerate(documents)]
    table = spark.createDataFrame(rows, "n long, body string")
    gone = origo.spark.removals(table, text="body", id="n").collect()
    whole = origo.dedup([one["text"] for one in documents])
    assert {(row["id"], row["duplicate_of"]) for row in gone} == {
        (one.index, one.duplicate_of) for one in whole.removed}


def test_near_pairs(df, documents):
    there = [one for one in documents if one["text"] is not None]
    with origo.Store(":memory:", indexes="near") as store:
        whole = store.near_many(there, add=True).to_arrow().to_pylist()
    expected = {(row["document"], row["match"], row["similarity"])
                for row in whole}
    found = origo.spark.near_pairs(df).collect()
    assert len(expected) > 50
    assert {tuple(row) for row in found} == expected


def test_passages(df, documents):
    there = sorted((one for one in documents if one["text"] is not None),
                   key=lambda one: (one["time"], one["id"]))
    with origo.Store(":memory:") as store:
        whole = store.trace_many(there, add=True).to_arrow().to_pylist()
    names = ["begin", "end", "origin", "origin_begin", "origin_end", "how"]
    expected = {(row["document"], *(row[name] for name in names))
                for row in whole}
    found = origo.spark.passages(df).collect()
    assert len(expected) > 200
    assert {(row["id"], *(row[name] for name in names))
            for row in found} == expected


def test_hamming_join(spark):
    rng = random.Random(2)
    old = [("o%d" % i, rng.getrandbits(64)) for i in range(300)]
    new = [("n%d" % i, rng.choice(old)[1] ^ sum(
        1 << bit for bit in rng.sample(range(64), rng.randrange(6))))
           for i in range(100)]
    expected = {(a, b, bin(x ^ y).count("1")) for a, x in new for b, y in old
                if bin(x ^ y).count("1") <= 3}

    def table(rows):
        return spark.createDataFrame(
            [(a, x - (1 << 64) if x >> 63 else x) for a, x in rows],
            "id string, code long")
    assert len(expected) > 30
    for one, other in ((new, old), (new, old[:50])):
        found = origo.spark.hamming_join(table(one), table(other), 3)
        ids = {a for a, _ in other}
        assert {tuple(row) for row in found.collect()} == {
            row for row in expected if row[1] in ids}


def test_decontaminate(df, documents):
    item = next(one["text"] for one in documents if one["text"])[:300]
    kept = origo.spark.decontaminate(df, [("question", item)])
    whole = origo.decontaminate([one["text"] for one in documents],
                                [("question", item)])
    assert 0 < len(whole.found) < len(documents)
    assert {row["id"] for row in kept.collect()} == {
        documents[i]["id"] for i in whole.indices}


# ---- bad input --------------------------------------------------------------

JOBS = {
    "dedup": lambda df, **how: origo.spark.dedup(df, **how),
    "near_pairs": lambda df, **how: origo.spark.near_pairs(df, **how),
    "passages": lambda df, **how: origo.spark.passages(df, **how),
    "decontaminate": lambda df, **how: origo.spark.decontaminate(
        df, ["an item"], **how)}


def each_job(names=tuple(JOBS)):
    """A parameter of each; what most of them share is tried by dedup."""
    return pytest.mark.parametrize("job", [
        pytest.param(JOBS[name], id=name, marks=() if name in (
            "dedup", "decontaminate") else THOROUGH) for name in names])


@each_job()
def test_repeated_ids(spark, job):
    table = spark.createDataFrame([("a", None, "x"), ("b", None, "x"),
                                   ("a", None, "y")], SCHEMA)
    with pytest.raises(ValueError, match="'a' is there 2 times"):
        job(table)


@each_job()
def test_missing_ids(spark, job):
    table = spark.createDataFrame([(None, None, "x"), ("b", None, "x")], SCHEMA)
    with pytest.raises(ValueError, match="ids must be there and differ: None"):
        job(table)


@THOROUGH
def test_ids_that_need_no_look(df, documents):
    """The caller knows that they differ."""
    item = next(one["text"] for one in documents if one["text"])[:300]
    for job in (origo.spark.removals, origo.spark.near_pairs,
                origo.spark.passages,
                lambda df, **how: origo.spark.contamination(df, [item], **how)):
        assert sorted(map(tuple, job(df, has_unique_ids=True).collect())) == (
            sorted(map(tuple, job(df).collect())))


def test_ids_of_codes(spark):
    """hamming_join: on both sides; codes that are null have no neighbours."""
    fine, repeated, missing = (
        spark.createDataFrame(rows, "id string, code long") for rows in (
            [("x", 1), ("y", None)], [("a", 1), ("a", 2)], [(None, 1)]))
    for bad, words in ((repeated, "'a' is there 2 times"),
                       (missing, "None is there 1 times")):
        for sides in ((fine, bad), (bad, fine)):
            with pytest.raises(ValueError, match=words):
                origo.spark.hamming_join(*sides)
    found = origo.spark.hamming_join(fine, fine, 3).collect()
    assert [tuple(row) for row in found] == [("x", "x", 0)]


def test_columns_are_named(df):
    with pytest.raises(ValueError, match="'body' is not in the table: it has"):
        origo.spark.dedup(df, text="body")
    with pytest.raises(TypeError, match="is bigint, not string"):
        origo.spark.dedup(df.selectExpr("id", "1L as text"))
    with pytest.raises(ValueError, match="first, last or longest"):
        origo.spark.dedup(df, keep="field:x")


@each_job()
def test_nothing(spark, job):
    """A table without rows, and one whose texts are all null."""
    table = spark.createDataFrame([("a", None, None), ("b", None, None)],
                                  SCHEMA)
    stays = job in (JOBS["dedup"], JOBS["decontaminate"])
    assert job(table).count() == (2 if stays else 0)
    assert job(table.limit(0)).count() == 0


@THOROUGH
def test_items_without_a_text(spark, df, documents):
    item = next(one["text"] for one in documents if one["text"])[:300]
    items = spark.createDataFrame([("q", item), ("nothing", None)],
                                  "id string, text string")
    found = origo.spark.contamination(df, items).collect()
    assert found and {row["item"] for row in found} == {"q"}


@each_job()
def test_a_text_that_is_too_long_is_named(spark, monkeypatch, job):
    """More than 1 GiB; here, more than 100 bytes."""
    monkeypatch.setattr("origo.spark.MAX_TEXT", 100)
    rows = [("short", "2024-01-01", "a" * 100), ("none", None, None),
            ("long'row", "2024-01-02", "ä" * 51)]
    with pytest.raises(Exception, match="row 'long'row' has 102 bytes; the "
                       "most are 100"):
        job(spark.createDataFrame(rows, SCHEMA)).collect()
    assert job(spark.createDataFrame(rows[:2], SCHEMA)).collect() is not None


def count_rows(folder):
    """In the place of a step: writes down how many rows each task had."""
    def counted(name, *arguments):
        run = STEP(name, *arguments)

        def count(batches):
            from pyspark import TaskContext
            n = [0]

            def passing():
                for batch in batches:
                    n[0] += batch.num_rows
                    yield batch
            yield from run(passing())
            task = TaskContext.get()
            path = "%s/%s-%d-%d" % (folder, name, task.stageId(),
                                    task.partitionId())
            with open(path, "w") as out:
                out.write(str(n[0]))
        return count
    return counted


STEP = origo.spark.step


def test_no_task_has_the_whole_forest(df, tmp_path, monkeypatch):
    """One that merged all would have the rows of all."""
    n = 8
    whole = origo.spark.forest(df, "text", "id", {}, n).collect()
    n_edges = origo.spark.edges(df, "text", "id", {}, n).count()
    monkeypatch.setattr("origo.spark.TASK_ROWS", n_edges // n)
    monkeypatch.setattr("origo.spark.step", count_rows(str(tmp_path)))
    found = origo.spark.forest(df, "text", "id", {}, n).collect()
    assert len(found) > 300 and sorted(map(tuple, found)) == sorted(
        map(tuple, whole))
    stages = {}
    for path in tmp_path.iterdir():
        name, stage, _ = path.name.split("-")
        stages.setdefault((name, stage), []).append(int(path.read_text()))
    assert {name for name, _ in stages} == {
        "band_step", "edge_step", "small_star_step", "large_star_step"}
    for (name, _), rows in stages.items():
        if name != "band_step":
            # The crowd is one tree, of 200 rows and its center's 199.
            assert max(rows) < sum(rows) / n * 2 + 400, name
            assert max(rows) < sum(rows) / 2, name


@pytest.mark.parametrize("keep", ["first", pytest.param(
    "last", marks=THOROUGH), pytest.param("longest", marks=THOROUGH)])
def test_no_task_decides_a_whole_tree(df, documents, tmp_path, monkeypatch,
                                      keep):
    """In rounds, as where many share bands: the crowd is one tree of 200, and
    its decisions are spread over the tasks."""
    n = 4
    monkeypatch.setattr("origo.spark.TASK_ROWS", 1000)
    if keep != "first":
        monkeypatch.setattr("origo.spark.PAIR_ROWS", 1000)  # by trees
    monkeypatch.setattr("origo.spark.step", count_rows(str(tmp_path)))
    table = origo.spark.removals(df, keep=keep, n_partitions=n)
    # It does not grow with the rounds.
    assert len(table._jdf.queryExecution().toString()) < 1 << 14
    gone = table.collect()
    there = [one for one in documents if one["text"] is not None]
    whole = origo.dedup([one["text"] for one in there], keep=keep)
    assert {tuple(row) for row in gone} == {
        (there[one.index]["id"], there[one.duplicate_of]["id"],
         one.similarity) for one in whole.removed}
    rows = {}
    for path in tmp_path.iterdir():
        name, stage, _ = path.name.split("-")
        rows.setdefault((name, stage), []).append(int(path.read_text()))
    assert {name for name, _ in rows} >= {
        "sketch_step", "shared_step", "pair_step", "crowd_step",
        "compare_step", "settle_step"}
    for (name, _), counts in rows.items():
        assert name != "decide_step"
        if name == "compare_step" and sum(counts) > 200:
            assert max(counts) < sum(counts) * 3 / 4


@THOROUGH
def test_no_task_has_all_that_share_a_passage(spark, tmp_path, monkeypatch):
    """1,500 documents with one passage: all name the first, and the work is
    spread over the tasks."""
    n, n_documents = 8, 1500
    rng = random.Random(3)

    def words(k):
        return " ".join("w%d" % rng.randrange(10 ** 6) for _ in range(k))
    passage = words(60)
    rows = [("d%05d" % i, "2024-01-01T00:00:00Z", "%s %s %s" % (
        words(20), passage, words(20))) for i in range(n_documents)]
    monkeypatch.setattr("origo.spark.step", count_rows(str(tmp_path)))
    found = origo.spark.passages(
        spark.createDataFrame(rows, SCHEMA).repartition(4),
        n_partitions=n).collect()
    assert {row["id"] for row in found} == {row[0] for row in rows[1:]}
    assert {row["origin"] for row in found} == {"d00000"}
    counts = {}
    for path in tmp_path.iterdir():
        name, stage, _ = path.name.split("-")
        counts.setdefault(name, []).append(int(path.read_text()))
    spans = counts["span_step"]
    # Each place has the origin as well; places are shared out by hash.
    assert sum(spans) <= n_documents + n and len(spans) > n / 2
    assert max(spans) < sum(spans) / 2
    assert max(counts["origin_step"]) < sum(counts["origin_step"]) / 2


def test_a_worker_without_origo_says_so(df):
    hidden = origo.spark.step("band_step", {})

    def without(batches):
        sys.modules["origo.steps"] = None  # as if it were not installed
        yield from hidden(batches)
    nodes = df.selectExpr("xxhash64(id) as node", "text")
    with pytest.raises(PythonException, match="origo cannot be imported on"):
        nodes.mapInArrow(without, origo.spark.BANDS).collect()


def test_a_task_that_wrote_half_is_repeated(df, documents):
    """Every first attempt fails with rows on their way to the next step."""
    def fail_once(batches):
        from pyspark import TaskContext
        for batch in batches:
            yield batch
            if TaskContext.get().attemptNumber() == 0:
                raise RuntimeError("a task that wrote half")
    table = df.mapInArrow(fail_once, df.schema)
    expected = sorted(map(tuple, origo.spark.removals(df).collect()))
    assert len(expected) > 200
    found = origo.spark.removals(table, has_unique_ids=True).collect()
    assert sorted(map(tuple, found)) == expected


@pytest.fixture
def large_types(spark):
    """Strings with offsets of 64 bits, for batches of more than 2 GiB."""
    name = "spark.sql.execution.arrow.useLargeVarTypes"
    spark.conf.set(name, "true")
    yield
    spark.conf.unset(name)


@THOROUGH
@pytest.mark.skipif(pyspark.__version__ < "4", reason="Spark 3 has them not")
def test_batches_of_more_than_two_gigabytes(df, large_types):
    """Their types; the size itself would take all memory of a test."""
    for job in (origo.spark.removals, origo.spark.near_pairs,
                origo.spark.passages):
        assert job(df).count() > 50
    item = df.where("text is not null").first()["text"][:300]
    assert origo.spark.decontaminate(df, [item]).count() < df.count()
