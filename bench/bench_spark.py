#!/usr/bin/env python3
"""Jobs on Spark beside Spark's own MinHashLSH and the plain command.

    bench/bench_spark.py BUILD DATA RESULTS [--documents N ...] [--jobs JOB ...]

What does the engine take beside the work, how much goes over the network, and
how does it grow? Run by the Python of an environment with origo and pyspark
(`make bench-spark`). The cluster has two workers of one core each, every one a
process of its own. A job is a process tree: its CPU is that of all JVMs and all
Python workers, each counted once, and the Python part is told apart. RESULTS (a .tsv) keeps the
last row of each job and number of documents, so that a part can be run again;
bench/spark_tables.py makes the tables of the pages from it. --folder keeps the
documents for the next time.

More documents than the stream has are its own with every letter and digit moved
on by k places: other words, the same lengths and the same likenesses."""

import argparse
import csv
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FIELDS = ["documents", "job", "bytes", "cpu_s", "python_s", "elapsed_s",
          "shuffled", "python_peak", "result"]
MOST_CPU_S = {"MinHashLSH": 300}  # of a job: it takes the square of documents
# Beside it, of few documents; the others start at 10,000.
LEAST = {"reading": 0, "dedup": 0, "MinHashLSH": 0, "command dedup": 0,
         "dedup in rounds": 100000}  # fewer are one task

JOB = r"""
import os, sys
from pyspark.sql import SparkSession, functions as F
what, source, n, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
# In rounds, and without sending the forest to the texts: as in a job too large
# for less, so that rates can be carried over.
in_rounds = what == "dedup in rounds"
# Partitions of the size that Spark's manual advises.
spark = (SparkSession.builder.master("local-cluster[2,1,3072]")
         .config("spark.ui.enabled", "false")
         .config("spark.python.daemon.module", "counted_daemon")
         .config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
         .config("spark.executorEnv.ORIGO_WORKER_COUNTS",
                 os.environ["ORIGO_WORKER_COUNTS"])
         .config("spark.sql.autoBroadcastJoinThreshold",
                 "-1" if in_rounds else "10m")
         .config("spark.driver.memory", "2g")
         .config("spark.executor.memory", "2g")
         .config("spark.worker.dir", os.path.join(folder, "work"))
         .config("spark.eventLog.enabled", "true")
         .config("spark.eventLog.dir", "file://" + os.path.join(folder, "log"))
         .config("spark.sql.shuffle.partitions", str(max(8, n // 25000)))
         .getOrCreate())
spark.sparkContext.setLogLevel("OFF")
df = spark.read.parquet(source)
if what == "reading":
    df.write.format("noop").mode("overwrite").save()
elif what == "passing":
    df.mapInArrow(lambda batches: batches, df.schema).write.format(
        "noop").mode("overwrite").save()
elif what.startswith("dedup"):
    import origo.spark
    if in_rounds:
        origo.spark.TASK_ROWS = 1 << 16
    print(origo.spark.removals(df, has_unique_ids=True).count(), "removed")
elif what == "forest":
    import origo.spark
    n_parts = int(spark.conf.get("spark.sql.shuffle.partitions"))
    trees = origo.spark.forest(df, "text", "id", {}, n_parts).groupBy(
        "root").count().agg(F.sum("count"), F.max("count")).first()
    print("%d share a band, %d of them in one tree" % tuple(trees))
elif what == "passages":
    import origo.spark
    print(origo.spark.passages(df, has_unique_ids=True).count(), "spans")
else:
    from pyspark.ml.feature import (HashingTF, MinHashLSH, NGram,
                                    RegexTokenizer)
    words = RegexTokenizer(inputCol="text", outputCol="words",
                           pattern="\\W+").transform(df)
    grams = NGram(n=5, inputCol="words", outputCol="grams").transform(words)
    sets = HashingTF(inputCol="grams", outputCol="set", binary=True,
                     numFeatures=1 << 20).transform(grams)
    sets = sets.where(F.size("grams") > 0).select("id", "set")
    # A table is one sample: a pair of 0.8 is met with 1 - 0.2 ** 2 = 0.96 (bands
    # of origo: 0.93). Its distance is exact.
    model = MinHashLSH(inputCol="set", outputCol="hashes",
                       numHashTables=2).fit(sets)
    pairs = model.approxSimilarityJoin(sets, sets, 0.2, "distance")
    print(pairs.where("datasetA.id < datasetB.id").count(), "pairs")
spark.stop()
"""


# ---- documents --------------------------------------------------------------

def letters_moved(k):
    """A table of bytes: words become others, UTF-8 stays UTF-8."""
    table = bytearray(range(256))
    for first, size in ((ord("a"), 26), (ord("A"), 26), (ord("0"), 10)):
        for i in range(size):
            table[first + i] = first + (i + k) % size
    return bytes(table)


def documents_of(lines, n):
    """(id, time, text) of n documents."""
    k, given = 0, 0
    while given < n:
        if k > 9:
            sys.exit("%d documents are more than ten times the stream" % n)
        table = letters_moved(k)
        with open(lines, encoding="utf-8") as source:
            for line in source:
                if given == n:
                    return
                row = json.loads(line)
                text = row["text"].encode("utf-8", "replace").translate(table)
                yield ("%s-%d" % (row["id"], k), row.get("time"),
                       text.decode("utf-8"))
                given += 1
        k += 1


def write_documents(lines, n, table_path, lines_path):
    """As a table and as lines."""
    import pyarrow
    from pyarrow import parquet
    schema = pyarrow.schema([(name, pyarrow.string())
                             for name in ("id", "time", "text")])
    lot = []

    def flush(table):
        columns = [pyarrow.array(column, pyarrow.string())
                   for column in zip(*lot)]
        table.write_table(pyarrow.table(columns, schema=schema))
        lot.clear()
    with parquet.ParquetWriter(table_path, schema) as table, open(
            lines_path, "w", encoding="utf-8") as out:
        for row in documents_of(lines, n):
            out.write(json.dumps(dict(zip(schema.names, row)),
                                 ensure_ascii=False) + "\n")
            lot.append(row)
            if len(lot) == 5000:
                flush(table)
        if lot:
            flush(table)


# ---- a process tree, measured ------------------------------------------------

def adopt_orphans():
    """The JVM of a job outlives the program that started it: it becomes a child
    of this process, so that its time can be counted."""
    PR_SET_CHILD_SUBREAPER = 36
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def cpu_of_session(session):
    """Seconds of CPU of what runs in it."""
    ticks = 0
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open("/proc/%s/stat" % name) as f:
                fields = f.read().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[3]) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def wait_for_all(process, limits, begin):
    """({process: seconds} of it and of all orphans, each with what it waited
    for itself; how long it took; None, or why it was stopped)."""
    seconds, elapsed, stopped = {}, 0, None
    patience, most_cpu_s = limits
    next_look = begin
    while True:
        try:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return seconds, elapsed, stopped
        if pid == 0:
            time.sleep(0.02)
        else:
            seconds[pid] = usage.ru_utime + usage.ru_stime
        now = time.monotonic()
        if pid == process.pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            elapsed = now - begin
        elif process.returncode is None and stopped is None and (
                now > next_look):
            next_look = now + 1
            if now > begin + patience:
                stopped = "stopped after %d s" % patience
            elif most_cpu_s and cpu_of_session(process.pid) > most_cpu_s:
                stopped = "stopped after %d s of CPU" % most_cpu_s
            if stopped is not None:
                os.killpg(process.pid, signal.SIGKILL)


def worker_counts(folder):
    """{process: (seconds, bytes at the peak)} of Python workers
    (bench/counted_daemon.py)."""
    found = {}
    for name in os.listdir(folder):
        if name.isdigit():
            with open(os.path.join(folder, name)) as f:
                seconds, peak = f.read().split()
            found[int(name)] = float(seconds), int(peak)
    return found


def measure(command, limits):
    """A dict of figures; the result says so when it failed or was stopped.
    `limits`: seconds, and seconds of CPU or None.

    A worker counts itself. Its parent is told nothing of it, unless it becomes
    an orphan, which is waited for here: so each process is counted once."""
    with tempfile.TemporaryDirectory() as counts, (
            tempfile.TemporaryFile("w+")) as said:
        begin = time.monotonic()
        process = subprocess.Popen(
            command, stdout=said, start_new_session=True,
            env=dict(os.environ, PYSPARK_PYTHON=sys.executable, PYTHONPATH=HERE,
                     ORIGO_WORKER_COUNTS=counts, SPARK_LOCAL_IP="127.0.0.1",
                     SPARK_LOCAL_DIRS=tempfile.gettempdir()))
        seconds, elapsed, stopped = wait_for_all(process, limits, begin)
        workers = worker_counts(counts)
        said.seek(0)
        result = said.read().strip()
    if stopped is not None:
        return {"result": stopped}
    if process.returncode != 0:
        return {"result": "failed with status %d" % process.returncode}
    python = sum(one for one, _ in workers.values())
    others = sum(one for pid, one in seconds.items() if pid not in workers)
    return {"cpu_s": "%.2f" % (others + python), "python_s": "%.2f" % python,
            "elapsed_s": "%.1f" % elapsed,
            "python_peak": max([peak for _, peak in workers.values()] or [0]),
            "result": result}


def shuffled(folder):
    """Bytes that tasks wrote for others, from Spark's own log."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(root, name), errors="replace") as log:
                for line in log:
                    if '"SparkListenerTaskEnd"' not in line:
                        continue
                    metrics = json.loads(line).get("Task Metrics") or {}
                    total += metrics.get("Shuffle Write Metrics", {}).get(
                        "Shuffle Bytes Written", 0)
    return total


# ---- jobs -------------------------------------------------------------------

def run_job(what, source, n, folder, patience):
    with tempfile.TemporaryDirectory(dir=folder) as work:
        os.mkdir(os.path.join(work, "log"))
        found = measure([sys.executable, "-c", JOB, what, source, str(n),
                         work], (patience, MOST_CPU_S.get(what)))
        found["shuffled"] = shuffled(os.path.join(work, "log"))
        return found


def run_command(what, origo, lines, folder, patience):
    output = os.path.join(folder, "output")
    command = {
        "command dedup": [origo, "dedup", "-q", "-j", "1", lines, "-o", output],
        "command trace": [origo, "trace", "-q", "-j", "1", "-s",
                          os.path.join(folder, "store"), "--add", "--format",
                          "tsv", lines, "-o", output]}[what]
    found = measure(command, (patience, None))
    if os.path.exists(output):
        os.remove(output)
    subprocess.run(["rm", "-rf", os.path.join(folder, "store")], check=True)
    return found


JOBS = ["reading", "passing", "forest", "dedup", "dedup in rounds", "passages",
        "MinHashLSH", "command dedup", "command trace"]


class Results:
    """A table in a file; a row replaces that of the same job and number."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        if os.path.exists(path):
            with open(path) as f:
                for row in csv.DictReader(f, delimiter="\t"):
                    self.rows[int(row["documents"]), row["job"]] = row

    def add(self, row):
        self.rows[row["documents"], row["job"]] = row
        with open(self.path, "w") as f:
            out = csv.DictWriter(f, FIELDS, delimiter="\t", restval="",
                                 lineterminator="\n")
            out.writeheader()
            for key in sorted(self.rows, key=lambda one: (
                    one[0], JOBS.index(one[1]))):
                out.writerow(self.rows[key])


def were_stopped(results, what, n):
    """Whether a tenth of the documents were too many already."""
    row = results.rows.get((n // 10, what), {"result": ""})
    return "stopped" in row["result"]


def run_size(n, jobs, lines, folder, origo, results, patience):
    source, extract = (os.path.join(folder, "%d.%s" % (n, kind))
                       for kind in ("parquet", "jsonl"))
    if not os.path.exists(source):
        write_documents(lines, n, source + ".new", extract)
        os.rename(source + ".new", source)
    size = os.path.getsize(extract)
    for what in jobs:
        if n < LEAST.get(what, 10000):
            continue
        if were_stopped(results, what, n):
            found = {"result": "not tried: fewer were stopped"}
        elif what.startswith("command "):
            found = run_command(what, origo, extract, folder, patience)
        else:
            found = run_job(what, source, n, folder, patience)
        results.add({"documents": n, "job": what, "bytes": size, **found})
        print(n, what, found, flush=True)


def run_all(options, folder):
    lines = os.path.join(folder, "mail.jsonl")
    with open(lines, "wb") as out:
        subprocess.run(["zstd", "-dc", "--long=27", os.path.join(
            options.data, "mail.jsonl.zst")], stdout=out, check=True)
    results = Results(options.results)
    for n in options.documents:
        run_size(n, options.jobs, lines, folder,
                 os.path.join(options.build, "cli", "origo"), results,
                 options.patience)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=os.path.abspath)
    parser.add_argument("data")
    parser.add_argument("results")
    parser.add_argument("--documents", type=int, nargs="*",
                        default=[2000, 4000, 10000, 100000, 1000000])
    parser.add_argument("--jobs", nargs="*", choices=JOBS, default=JOBS)
    parser.add_argument("--patience", type=int, default=7200)
    parser.add_argument("--folder", type=os.path.abspath)
    options = parser.parse_args()
    adopt_orphans()
    if options.folder is not None:
        os.makedirs(options.folder, exist_ok=True)
        run_all(options, options.folder)
        return
    with tempfile.TemporaryDirectory(dir=options.build,
                                     prefix="spark-") as folder:
        run_all(options, folder)


if __name__ == "__main__":
    main()
