"""Spark's daemon of Python workers (spark.python.daemon.module), whose workers
write down what they took.

The daemon lets the system forget its workers when they end, so that no parent is
told their time. Here each writes, at the end of every task, the seconds of
processor and the bytes of memory that it took so far, to a file named after it in
$ORIGO_WORKER_COUNTS."""

import os
import resource

import pyspark.daemon

run_task = pyspark.daemon.worker_main


def write_counts():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    path = os.path.join(os.environ["ORIGO_WORKER_COUNTS"], str(os.getpid()))
    with open(path + ".new", "w") as out:
        out.write("%f %d" % (usage.ru_utime + usage.ru_stime,
                             usage.ru_maxrss * 1024))
    os.rename(path + ".new", path)


def run_counted(infile, outfile):
    try:
        run_task(infile, outfile)
    finally:
        write_counts()  # before the engine is told that the task is done


if __name__ == "__main__":
    pyspark.daemon.worker_main = run_counted
    pyspark.daemon.manager()
