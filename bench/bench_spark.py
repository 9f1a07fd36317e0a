#!/usr/bin/env python3
"""Jobs on Spark beside Spark's own MinHashLSH and the plain command.

    bench/bench_spark.py BUILD DATA [--documents N ...]

Run by the Python of an environment with origo and pyspark. Two cores. Of each
job: seconds of CPU of the whole process tree (JVM and Python workers), what of
it the library takes for the same work alone, bytes shuffled, documents a second
a core; then the growth from the smallest to the largest number of documents."""

import argparse
import ctypes
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

JOB = r"""
import json, os, sys, time
from pyspark.sql import SparkSession, functions as F
what, source, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
spark = (SparkSession.builder.master("local[2]")
         .config("spark.ui.enabled", "false")
         .config("spark.driver.memory", "6g")
         .config("spark.eventLog.enabled", "true")
         .config("spark.eventLog.dir", "file://" + sys.argv[4])
         .config("spark.sql.shuffle.partitions", "8").getOrCreate())
spark.sparkContext.setLogLevel("OFF")
df = spark.read.parquet(source)
if what == "reading":
    df.write.format("noop").mode("overwrite").save()
elif what == "dedup":
    import origo.spark
    print("kept", origo.spark.removals(df, has_unique_ids=True).count())
elif what == "passages":
    import origo.spark
    print("spans", origo.spark.passages(df).count())
else:
    from pyspark.ml.feature import (HashingTF, MinHashLSH, NGram,
                                    RegexTokenizer)
    words = RegexTokenizer(inputCol="text", outputCol="words",
                           pattern="\\W+").transform(df)
    grams = NGram(n=5, inputCol="words", outputCol="grams").transform(words)
    sets = HashingTF(inputCol="grams", outputCol="set", binary=True,
                     numFeatures=1 << 20).transform(grams)
    sets = sets.where(F.size("grams") > 0).select("id", "set")
    model = MinHashLSH(inputCol="set", outputCol="hashes",
                       numHashTables=14).fit(sets)
    pairs = model.approxSimilarityJoin(sets, sets, 0.2, "distance")
    print("pairs", pairs.where("datasetA.id < datasetB.id").count())
spark.stop()
"""

TO_PARQUET = """
import json, sys, pyarrow, itertools
import pyarrow.parquet as parquet
rows = []
for number, line in enumerate(itertools.islice(open(sys.argv[1]), int(sys.argv[3]))):
    row = json.loads(line)
    rows.append({"id": row["id"], "time": row.get("time"), "text": row["text"]})
n = int(sys.argv[3])
base = list(rows)
while len(rows) < n:  # other words, so that repeats are no copies
    k = len(rows) // len(base)
    mark = "x%d" % k
    for row in base[:n - len(rows)]:
        rows.append({"id": "%s-%d" % (row["id"], k), "time": row["time"],
                     "text": " ".join(w + mark for w in row["text"].split(" "))})
parquet.write_table(pyarrow.Table.from_pylist(rows), sys.argv[2], row_group_size=5000)
print(sum(len(r["text"]) for r in rows))
"""


def adopt_orphans():
    """The JVM of a job outlives the program that started it: it becomes a child
    of this process, so that its time can be counted."""
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def cpu_of(command, **how):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, **how)
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return cpu, done


def shuffled(folder):
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            for line in open(os.path.join(root, name), errors="replace"):
                if '"SparkListenerTaskEnd"' not in line:
                    continue
                metrics = json.loads(line).get("Task Metrics") or {}
                total += metrics.get("Shuffle Write Metrics", {}).get(
                    "Shuffle Bytes Written", 0)
    return total


def run_job(what, source, n, patience):
    with tempfile.TemporaryDirectory() as events:
        try:
            cpu, done = cpu_of([sys.executable, "-c", JOB, what, source,
                                str(n), events], timeout=patience)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode != 0:
            return None
        return cpu, shuffled(events), done.stdout.strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("data")
    parser.add_argument("--documents", type=int, nargs="*",
                        default=[10000, 100000, 1000000])
    parser.add_argument("--patience", type=int, default=1800)
    options = parser.parse_args()
    origo = os.path.join(os.path.abspath(options.build), "cli", "origo")
    adopt_orphans()
    rows, cost = [], {}
    with tempfile.TemporaryDirectory(dir=options.build) as folder:
        lines = os.path.join(folder, "mail.jsonl")
        with open(lines, "wb") as out:
            subprocess.run(["zstd", "-dc", os.path.join(
                options.data, "mail.jsonl.zst")], stdout=out, check=True)
        for n in options.documents:
            source = os.path.join(folder, "%d.parquet" % n)
            size = int(subprocess.run(
                [sys.executable, "-c", TO_PARQUET, lines, source, str(n)],
                stdout=subprocess.PIPE, text=True, check=True).stdout)
            jobs = ["reading", "dedup"]
            if n <= 100000:
                jobs.append("passages")
            if n <= 10000:
                jobs.append("MinHashLSH of Spark")
            base = 0.0
            for what in jobs:
                found = run_job(what, source, n, options.patience)
                if found is None:
                    rows.append((n, what, "did not end in %d s" %
                                 options.patience, "", "", ""))
                    continue
                cpu, moved, said = found
                if what == "reading":
                    base = cpu
                cost[what, n] = cpu - base
                rows.append((n, what, "%.1f" % cpu, "%.0f" % (moved / 1e6),
                             "%.0f" % (n / cpu), said))
            if n <= 100000:
                extract = os.path.join(folder, "extract.jsonl")
                with open(extract, "w") as out:
                    for i, line in enumerate(open(lines)):
                        if i < n:
                            out.write(line)
                cpu, _ = cpu_of([origo, "dedup", "-q", "-j", "1", extract,
                                 "-o", os.path.join(folder, "kept.jsonl")])
                rows.append((n, "the command, dedup", "%.2f" % cpu, "",
                             "%.0f" % (n / cpu), "%.0f MB" % (size / 1e6)))
    print("| documents | job | CPU s | MB shuffled | documents a CPU second "
          "| result |\n|---|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    for what in ("dedup", "passages"):
        known = sorted(n for job, n in cost if job == what and
                       cost[job, n] > 0)
        if len(known) > 1:
            a, b = known[0], known[-1]
            print("\n%s: slope of CPU from %d to %d documents: %.2f" % (
                what, a, b, math.log(cost[what, b] / cost[what, a]) /
                math.log(b / a)))


if __name__ == "__main__":
    main()
