#!/usr/bin/env python3
"""Jobs on Spark beside Spark's own MinHashLSH and the plain command.

    bench/bench_spark.py BUILD DATA RESULTS [--documents N ...] [--jobs JOB ...]

What does the engine take beside the work, how much goes over the network, and
how does it grow? Run by the Python of an environment with origo and pyspark
(`make bench-spark`). The cluster has two workers of one core each, every one a
process of its own. A job is a process tree: its CPU is that of all JVMs and all
Python workers, and the Python part is told apart. RESULTS (a .tsv) keeps the
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
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

FIELDS = ["documents", "job", "bytes", "cpu_s", "python_s", "elapsed_s",
          "shuffled", "python_peak", "result"]
MOST = {"MinHashLSH": 10000}  # it takes the square of them

JOB = r"""
import os, sys
from pyspark.sql import SparkSession, functions as F
what, source, n, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
# Partitions of the size that Spark's manual advises.
spark = (SparkSession.builder.master("local-cluster[2,1,3072]")
         .config("spark.ui.enabled", "false")
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
elif what == "dedup":
    import origo.spark
    print(origo.spark.removals(df, has_unique_ids=True).count(), "removed")
elif what == "forest":
    import origo.spark
    n_parts = int(spark.conf.get("spark.sql.shuffle.partitions"))
    print(origo.spark.forest(df, "text", "id", {}, n_parts).count(),
          "share a band")
elif what == "passages":
    import origo.spark
    print(origo.spark.passages(df).count(), "spans")
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
    print(pairs.where("datasetA.id < datasetB.id").count(), "pairs")
spark.stop()
"""


# The last merge of forests is one task: its time and memory, for as many rows
# as there are documents; ten to a tree.
MERGE = r"""
import sys
import numpy, pyarrow
from origo import steps

def status(name):
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) for line in f
                    if line.startswith(name))
n = int(sys.argv[1])
node = numpy.random.default_rng(1).permutation(n)
batches = pyarrow.table([node, node // 10 * 10], schema=steps.FOREST).to_batches(
    max_chunksize=10000)
with open("/proc/self/clear_refs", "w") as f:
    f.write("5")  # the peak begins anew
before = status("VmRSS")
rows = sum(one.num_rows for one in steps.merge_step(batches))
print(status("VmHWM") - before, "KiB for", rows, "rows")
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


def stat_of(pid):
    """(parent, seconds of CPU, command) of a process, None when it is gone."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            text = f.read()
        with open("/proc/%d/cmdline" % pid, "rb") as f:
            command = f.read().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return None
    fields = text[text.rindex(")") + 2:].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return int(fields[1]), (int(fields[11]) + int(fields[12])) / ticks, command


def peak_of(pid):
    try:
        with open("/proc/%d/status" % pid) as f:
            return next((int(line.split()[1]) * 1024 for line in f
                         if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


class Watch:
    """Looks at all processes of a job twice a second: Spark's Python workers
    end without anybody waiting for them, so no parent is told their time. The
    figures only grow, so little is lost between two looks."""

    def __init__(self):
        self.cpu, self.python, self.peak = {}, set(), 0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self):
        while not self._end.wait(0.5):
            self._look()

    def _look(self):
        known = {int(name): stat_of(int(name))
                 for name in os.listdir("/proc") if name.isdigit()}
        for pid, one in known.items():
            if one is None or pid == os.getpid() or not self._is_ours(
                    pid, known):
                continue
            self.cpu[pid] = one[1]
            if "pyspark.daemon" in one[2]:
                self.python.add(pid)
                self.peak = max(self.peak, peak_of(pid))

    @staticmethod
    def _is_ours(pid, known):
        while pid > 1:
            if pid == os.getpid():
                return True
            pid = known[pid][0] if known.get(pid) else 0
        return False

    def stop(self):
        """Seconds of all, seconds of Python workers, the largest of these."""
        self._end.set()
        self._thread.join()
        return (sum(self.cpu.values()),
                sum(self.cpu[pid] for pid in self.python), self.peak)


def measure(command, patience):
    """A dict of figures; the result says so when it failed or did not end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    watch = Watch()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True,
        env=dict(os.environ, PYSPARK_PYTHON=sys.executable,
                 SPARK_LOCAL_IP="127.0.0.1",
                 SPARK_LOCAL_DIRS=tempfile.gettempdir()))
    try:
        said, _ = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        said = None
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    elapsed = time.monotonic() - begin
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass
    seen, python, peak = watch.stop()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if said is None:
        return {"result": "did not end in %d s" % patience}
    if process.returncode != 0:
        return {"result": "failed with status %d" % process.returncode}
    waited_for = (after.ru_utime + after.ru_stime - before.ru_utime -
                  before.ru_stime)
    # Both miss something: short processes, and those without a parent.
    return {"cpu_s": "%.2f" % max(seen, waited_for), "python_s": "%.2f" % python, "elapsed_s": "%.1f" % elapsed,
            "python_peak": peak, "result": said.strip()}


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
                         work], patience)
        found["shuffled"] = shuffled(os.path.join(work, "log"))
        return found


def run_command(what, origo, lines, folder, patience):
    output = os.path.join(folder, "output")
    command = {
        "command dedup": [origo, "dedup", "-q", "-j", "1", lines, "-o", output],
        "command trace": [origo, "trace", "-q", "-j", "1", "-s",
                          os.path.join(folder, "store"), "--add", "--format",
                          "tsv", lines, "-o", output]}[what]
    found = measure(command, patience)
    if os.path.exists(output):
        os.remove(output)
    subprocess.run(["rm", "-rf", os.path.join(folder, "store")], check=True)
    return found


JOBS = ["reading", "passing", "forest", "dedup", "passages", "MinHashLSH",
        "command dedup", "command trace", "merge"]


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


def run_size(n, jobs, lines, folder, origo, results, patience):
    source, extract = (os.path.join(folder, "%d.%s" % (n, kind))
                       for kind in ("parquet", "jsonl"))
    if not os.path.exists(source):
        write_documents(lines, n, source + ".new", extract)
        os.rename(source + ".new", source)
    size = os.path.getsize(extract)
    for what in jobs:
        if n > MOST.get(what, n):
            continue
        if what.startswith("command "):
            found = run_command(what, origo, extract, folder, patience)
        elif what == "merge":
            found = measure([sys.executable, "-c", MERGE, str(n)], patience)
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
                        default=[10000, 100000, 1000000])
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
