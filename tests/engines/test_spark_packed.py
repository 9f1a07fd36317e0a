"""spark-submit with a packed environment, as docs/spark.md has it: workers have
Python and nothing of origo; what they need comes with the job."""

import json
import os
import subprocess
import sys

import pytest

import origo
from spark_cluster import HOME, PATIENCE, PATIENT, Cluster

pytestmark = pytest.mark.thorough
# Spark sends its own; the others only build and test.
LEFT_OUT = ["pyspark", "pyspark-*", "pip", "pip-*", "setuptools",
            "setuptools-*", "meson*", "ninja*", "mesonbuild", "_pytest",
            "pytest*", "__pycache__"]

JOB = r"""
import json, sys
from pyspark.sql import SparkSession
import origo.spark

def where(batches):
    import origo, pyarrow
    yield pyarrow.record_batch({"place": [origo.__file__]})

spark = SparkSession.builder.getOrCreate()
df = spark.read.json(sys.argv[1])
gone = origo.spark.removals(df).collect()
places = df.mapInArrow(where, "place string").collect()
with open(sys.argv[2], "w") as out:
    json.dump({"gone": [(row["id"], row["duplicate_of"]) for row in gone],
               "places": [row["place"] for row in places]}, out)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()


def pack(path, *left_out):
    subprocess.run(["tar", "-C", sys.prefix, "-czf", str(path),
                    *("--exclude=" + one for one in (*LEFT_OUT, *left_out)),
                    "bin", "lib", "pyvenv.cfg"], check=True,
                   env=dict(os.environ, GZIP="-1"))


def submit(cluster, archive, tmp_path, documents):
    """What became of the job, and its output."""
    job, source, output = (tmp_path / name for name in (
        "job.py", "documents.jsonl", "output.json"))
    job.write_text(JOB)
    source.write_text("".join(json.dumps(one) + "\n" for one in documents))
    environment = dict(os.environ, PYSPARK_PYTHON="./env/bin/python",
                       PYSPARK_DRIVER_PYTHON=sys.executable)
    options = [word for name, value in {
        **PATIENT, "spark.executor.memory": "512m",
        "spark.sql.shuffle.partitions": "4"}.items()
        for word in ("--conf", "%s=%s" % (name, value))]
    done = subprocess.run(
        [os.path.join(HOME, "bin", "spark-submit"), "--master", cluster.url,
         "--archives", "%s#env" % archive, *options, str(job), str(source),
         str(output)], env=environment, cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
    return done, output


def test_the_environment_comes_with_the_job(cluster, documents, tmp_path):
    archive = tmp_path / "env.tar.gz"
    pack(archive)
    done, output = submit(cluster, archive, tmp_path, documents)
    assert done.returncode == 0, done.stdout[-4000:]
    found = json.loads(output.read_text())
    work = str(cluster.folder / "work")
    assert found["places"] and all(
        place.startswith(work) and "/env/" in place
        for place in found["places"])
    whole = origo.dedup([one["text"] for one in documents])
    assert sorted(map(tuple, found["gone"])) == sorted(
        (documents[one.index]["id"], documents[one.duplicate_of]["id"])
        for one in whole.removed)


def test_a_worker_without_the_wheel_says_so(cluster, documents, tmp_path):
    archive = tmp_path / "env.tar.gz"
    pack(archive, "origo", "origo-*")
    done, output = submit(cluster, archive, tmp_path, documents)
    assert done.returncode != 0 and not output.exists()
    assert "origo cannot be imported on the worker" in done.stdout
