"""A master and two workers on loopback: one worker is killed in the middle of
the job, and the result is the same."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pyspark
import pytest
from pyspark.sql import SparkSession

import origo
import origo.spark

HOME = os.path.dirname(pyspark.__file__)
PATIENCE = 300  # seconds for what takes a few


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.2)
    pytest.fail("no sign of %s" % what)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.master = self.start("master", "master.Master", "--port",
                                 str(self.port), "--webui-port", "0")
        self.url = "spark://127.0.0.1:%d" % self.port
        wait_for("the master", lambda: "I have been elected" in self.log(
            "master"))
        self.workers = [self.start("worker%d" % i, "worker.Worker", "--cores",
                                   "1", "--memory", "1g", "--work-dir",
                                   str(folder / ("work%d" % i)),
                                   "--webui-port", "0", self.url)
                        for i in range(2)]
        wait_for("two workers", lambda: len(re.findall(
            "Registering worker", self.log("master"))) == 2)

    def start(self, name, kind, *arguments):
        environment = dict(os.environ, SPARK_HOME=HOME,
                           SPARK_LOCAL_IP="127.0.0.1",
                           PYSPARK_PYTHON=sys.executable)
        with open(self.folder / name, "wb") as log:
            return subprocess.Popen(
                [os.path.join(HOME, "bin", "spark-class"),
                 "org.apache.spark.deploy." + kind, "--host", "127.0.0.1",
                 *arguments], stdout=log, stderr=log, env=environment,
                start_new_session=True)

    def log(self, name):
        return (self.folder / name).read_text(errors="replace")

    def kill(self, worker):
        """With everything that it started: executors are its children."""
        os.killpg(worker.pid, signal.SIGKILL)

    def stop(self):
        for one in (*self.workers, self.master):
            if one.poll() is None:
                os.killpg(one.pid, signal.SIGKILL)
            one.wait()


@pytest.fixture
def cluster(tmp_path):
    cluster = Cluster(tmp_path)
    yield cluster
    cluster.stop()


def test_a_worker_is_killed_in_the_middle(cluster, documents):
    spark = (SparkSession.builder.master(cluster.url).appName("killed")
             .config("spark.ui.enabled", "false")
             .config("spark.executor.memory", "512m")
             .config("spark.sql.adaptive.enabled", "false")
             .config("spark.sql.shuffle.partitions", "6")
             .config("spark.network.timeout", "60s")
             .getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    try:
        rows = [(one["id"], one["text"]) for one in documents]
        df = spark.createDataFrame(rows, "id string, text string").repartition(
            24)
        found, errors = [], []

        def ask():
            try:
                found.extend(origo.spark.removals(df).collect())
            except Exception as e:
                errors.append(e)
        job = threading.Thread(target=ask)
        job.start()
        tracker = spark.sparkContext.statusTracker()

        def is_under_way():
            stages = [tracker.getStageInfo(one)
                      for one in tracker.getActiveStageIds()]
            return any(one and one.numTasks == 24 and
                       0 < one.numCompletedTasks < 24 for one in stages)
        wait_for("the middle of the job",
                 lambda: is_under_way() or not job.is_alive())
        was_alive = job.is_alive()
        cluster.kill(cluster.workers[0])
        job.join(PATIENCE)
        assert not job.is_alive() and not errors and was_alive
        wait_for("the loss", lambda: "Removing worker" in cluster.log("master")
                 or "Removing executor" in cluster.log("master"))
        whole = origo.dedup([one["text"] for one in documents])
        assert {(row["id"], row["duplicate_of"]) for row in found} == {
            (documents[one.index]["id"], documents[one.duplicate_of]["id"])
            for one in whole.removed}
    finally:
        spark.stop()
