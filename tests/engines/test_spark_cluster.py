"""A master and two workers on loopback: one worker is killed in the middle of
the job, tasks fail when they have written half, processors differ, and the
result is the same."""

import hashlib
import os
import threading
import time

import pyarrow
import pytest
from pyspark.sql import SparkSession

import origo
import origo.spark
from spark_cluster import PATIENCE, PATIENT, Cluster, wait_for

N_TASKS = 8
N_PASS = 5  # of them go ahead; the others wait for the kill


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """For all of this file; the last test kills a half of it."""
    cluster = Cluster(tmp_path_factory.mktemp("cluster"),
                      levels=("plain", None))
    yield cluster
    cluster.stop()


@pytest.fixture(scope="module")
def spark(cluster):
    builder = SparkSession.builder.master(cluster.url).appName("cluster")
    for name, value in {**PATIENT, "spark.executor.memory": "512m",
                        "spark.sql.adaptive.enabled": "false",
                        "spark.sql.shuffle.partitions": "4"}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def digest(documents, folder, patience):
    """(level, digest of bands and fingerprints of the documents) by a task that
    waits until another one is at work: with one core each, by another
    executor."""
    rows = [{"node": i, "id": one["id"], "time": 5, "text": one["text"]}
            for i, one in enumerate(documents)]

    def run(batches):
        from origo import steps
        (folder / str(os.getpid())).touch()
        end = time.monotonic() + patience
        while len(list(folder.iterdir())) < 2:
            if time.monotonic() > end:
                raise RuntimeError("the other executor is not there")
            time.sleep(0.05)
        batch = pyarrow.RecordBatch.from_pylist(rows)
        found = hashlib.sha256()
        for step in (steps.band_step, steps.fingerprint_step):
            for one in step([batch], {}):
                found.update(repr(one.to_pydict()).encode())
        yield pyarrow.record_batch(
            {"level": [os.environ.get("ORIGO_CPU", "best")],
             "digest": [found.hexdigest()]})
    return run


def test_levels_of_processors_give_the_same_bytes(spark, documents, tmp_path):
    folder = tmp_path / "tasks"
    folder.mkdir()
    found = spark.range(0, 2, 1, 2).mapInArrow(
        digest(documents, folder, PATIENCE),
        "level string, digest string").collect()
    assert sorted(row["level"] for row in found) == ["best", "plain"]
    assert found[0]["digest"] == found[1]["digest"]


def assert_as_library(rows, documents):
    """(id, duplicate_of) of what goes."""
    whole = origo.dedup([one["text"] for one in documents])
    assert sorted((row["id"], row["duplicate_of"]) for row in rows) == sorted(
        (documents[one.index]["id"], documents[one.duplicate_of]["id"])
        for one in whole.removed)


@pytest.mark.thorough
def test_all_executors_are_lost_with_what_they_kept(cluster, spark, documents,
                                                    monkeypatch):
    """Between the rounds, whose tables stay with the executors, and the use of
    their result."""
    monkeypatch.setattr("origo.spark.TASK_ROWS", 1000)
    df = spark.createDataFrame([(one["id"], one["text"]) for one in documents],
                               "id string, text string").repartition(4)
    gone = origo.spark.removals(df, has_unique_ids=True)
    assert cluster.kill_executors() == 2
    assert_as_library(gone.collect(), documents)


def hold(path, patience):
    """Rows as they are, of the later tasks only once there is such a file; the
    first attempt at the last task fails when it has given half of its rows."""
    def run(batches):
        from pyspark import TaskContext
        task = TaskContext.get()
        end = time.monotonic() + patience
        while task.partitionId() >= N_PASS and not os.path.exists(path):
            if time.monotonic() > end:
                raise RuntimeError("nobody made %s" % path)
            time.sleep(0.05)
        for batch in batches:
            half = batch.num_rows // 2
            yield batch.slice(0, half)
            if task.partitionId() == N_TASKS - 1 and (
                    task.attemptNumber() == 0):
                raise RuntimeError("a task that wrote half")
            yield batch.slice(half)
    return run


def test_a_worker_is_killed_in_the_middle(cluster, spark, documents, tmp_path,
                                          monkeypatch):
    monkeypatch.setattr("origo.spark.TASK_ROWS", 1000)  # in rounds
    rows = [(one["id"], one["text"]) for one in documents]
    go = str(tmp_path / "go")
    df = spark.createDataFrame(rows, "id string, text string").repartition(
        N_TASKS)
    df = df.mapInArrow(hold(go, PATIENCE), df.schema)
    output = str(tmp_path / "gone.parquet")
    errors = []

    def ask():
        try:
            origo.spark.removals(df, has_unique_ids=True).write.parquet(output)
        except Exception as e:
            errors.append(e)
    job = threading.Thread(target=ask, daemon=True)
    job.start()
    tracker = spark.sparkContext.statusTracker()

    def is_in_the_middle():
        """All that may go ahead is done; each worker has a task that waits."""
        stages = [tracker.getStageInfo(one)
                  for one in tracker.getActiveStageIds()]
        return errors or any(
            one and one.numTasks == N_TASKS and
            one.numCompletedTasks == N_PASS and one.numActiveTasks == 2
            for one in stages)
    wait_for("the middle of the job", is_in_the_middle)
    assert not errors
    cluster.kill(cluster.workers[0])
    wait_for("the loss", lambda: "Removing worker" in cluster.log("master"))
    open(go, "w").close()
    job.join(PATIENCE)
    assert not job.is_alive() and not errors
    assert_as_library(spark.read.parquet(output).collect(), documents)
