#!/usr/bin/env python3
"""What bench_spark.py measured, as the pages show it, and what follows from it:

    bench/spark_tables.py RESULTS FOLDER

writes FOLDER/spark.md (docs/spark.md) and FOLDER/cluster.md (docs/scale.md).
tests/tools/test_spark_tables.py compares the pages with the results."""

import csv
import math
import os
import re
import sys

NAMES = {"reading": "Spark starts, reads", "passing": "and passes it through Python",
         "forest": "bands and forest of `dedup`", "dedup": "`dedup`",
         "dedup in rounds": "`dedup`, as if the forest were large",
         "passages": "`passages`", "MinHashLSH": "MinHashLSH of Spark",
         "command dedup": "the command, `dedup -j 1`",
         "command trace": "the command, `trace --add -j 1`"}
# A machine of the model; its figures are no measurements.
TEXT = 10e12
CORES = 32
NETWORK = 1.25e9  # bytes a second, each way: 10 Gbit/s
MACHINES = (4, 16, 64)


def read_results(path):
    """{(documents, job): row} with numbers, of what ended."""
    rows = {}
    with open(path) as f:
        for row in csv.DictReader(f, delimiter="\t"):
            for name in ("documents", "bytes", "shuffled", "python_peak"):
                row[name] = int(row[name] or 0)
            for name in ("cpu_s", "python_s"):
                row[name] = float(row[name]) if row[name] else None
            rows[row["documents"], row["job"]] = row
    return rows


def sizes(rows, job):
    return sorted(n for n, name in rows
                  if name == job and rows[n, name]["cpu_s"] is not None)


def own_cpu(rows, n, job):
    """Without the time in which Spark starts and reads."""
    return rows[n, job]["cpu_s"] - rows[n, "reading"]["cpu_s"]


def slope(rows, job, a, b):
    return math.log(own_cpu(rows, b, job) / own_cpu(rows, a, job)) / math.log(
        b / a)


def measured_line(n, job, row):
    if row["cpu_s"] is None:
        return [n, NAMES[job], row["result"], "", "", "", "", ""]
    has_workers = row["python_peak"] > 0
    return [n, NAMES[job], "%.1f" % row["cpu_s"],
            "%.1f" % row["python_s"] if has_workers else "",
            "%.0f" % (row["shuffled"] / 1e6) if row["shuffled"] else "",
            "%.0f" % (row["python_peak"] / 1e6) if has_workers else "",
            "%.0f" % (n / row["cpu_s"]), row["result"]]


def table(head, lines):
    out = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(out + ["| " + " | ".join(map(str, line)) + " |"
                            for line in lines]) + "\n"


def engine_lines(rows):
    """What of a job is the library's work, and what the engine's."""
    lines = []
    for job, command in (("dedup", "command dedup"),
                         ("passages", "command trace")):
        for n in sizes(rows, job):
            if (n, command) not in rows or (n, "reading") not in rows:
                continue
            work, all_of_it, start = (rows[n, one]["cpu_s"] for one in (
                command, job, "reading"))
            lines.append([n, NAMES[job], "%.1f" % all_of_it, "%.1f" % start,
                          "%.1f" % work, "%.1f" % (all_of_it - start - work)])
    return lines


def measured(rows):
    parts = [table(
        ["documents", "job", "CPU s", "of it Python", "MB shuffled",
         "largest Python worker, MB", "documents a CPU second", "result"],
        [measured_line(n, job, row) for (n, job), row in rows.items()])]
    parts.append(table(
        ["documents", "job", "CPU s", "Spark starts, reads",
         "the command alone", "the engine beside both"], engine_lines(rows)))
    for job in ("dedup", "dedup in rounds", "passages"):
        known = sizes(rows, job)
        slopes = ["%.2f from %s to %s documents" % (
            slope(rows, job, a, b), format(a, ","), format(b, ","))
            for a, b in dict.fromkeys(
                [(known[0], known[-1]), *zip(known, known[1:])])
            if a < b] if known else []
        if slopes:
            parts.append("Slope of the CPU of %s without starting and reading: "
                         "%s.\n" % (NAMES[job], ", ".join(slopes)))
    return "\n".join(parts)


# ---- the model --------------------------------------------------------------

def rates(rows, job):
    """Of more text, beyond the smaller of the two largest runs: seconds of CPU
    and bytes shuffled for a byte of text; the growth, at least linear."""
    a, b = sizes(rows, job)[-2:]
    more = rows[b, job]["bytes"] - rows[a, job]["bytes"]
    return {"from": a, "to": b,
            "cpu": (rows[b, job]["cpu_s"] - rows[a, job]["cpu_s"]) / more,
            "shuffled": (rows[b, job]["shuffled"] -
                         rows[a, job]["shuffled"]) / more,
            "bytes": rows[b, job]["bytes"],
            "growth": max(1.0, slope(rows, job, a, b)),
            "peak": rows[b, job]["python_peak"]}


def grown(rate, size):
    """Seconds of CPU of so much text."""
    return rate["cpu"] * size * (size / rate["bytes"]) ** (rate["growth"] - 1)


def hours(rate, n_machines, one_task):
    """The longer of computing and of the shuffle, which every machine sends
    and receives at the same time; then the seconds of what is one task."""
    cpu = grown(rate, TEXT) / (n_machines * CORES)
    network = rate["shuffled"] * TEXT / (n_machines * NETWORK)
    return (max(cpu, network) + one_task) / 3600


def largest_tree(rows):
    """(the largest share of documents that were in one tree, of how many; bytes
    of text and seconds of the task that decides on such a share of 10 TB)"""
    share, n = max((int(re.search(r"(\d+) of them in one tree",
                                  rows[n, "forest"]["result"])[1]) / n, n)
                   for n in sizes(rows, "forest"))
    size = share * TEXT
    m = sizes(rows, "command dedup")[-1]
    work = rows[m, "command dedup"]
    return share, n, size, size * work["cpu_s"] / work["bytes"]


def model_lines(found, tree_seconds):
    each = found.values()
    return [
        ["measured from, to (documents)", *(
            "%s, %s" % (format(r["from"], ","), format(r["to"], ","))
            for r in each)],
        ["CPU seconds for a further GB", *("%.0f" % (r["cpu"] * 1e9)
                                           for r in each)],
        ["growth used (measured, at least 1)", *("%.2f" % r["growth"]
                                                 for r in each)],
        ["core hours", *(format(round(grown(r, TEXT) / 3600), ",")
                         for r in each)],
        ["TB shuffled", *("%.1f" % (r["shuffled"] * TEXT / 1e12)
                          for r in each)],
        ["MB of a Python worker", *("%.0f" % (r["peak"] / 1e6)
                                    for r in each)],
        *(["hours on %d machines (%d cores)" % (m, m * CORES), *(
            "%.1f" % hours(r, m, 0 if job == "passages" else tree_seconds)
            for job, r in found.items())] for m in MACHINES)]


def model(rows):
    found = {job: rates(rows, job) for job in ("dedup in rounds", "passages")
             if len(sizes(rows, job)) > 1}
    if "dedup in rounds" not in found:
        return "Two numbers of documents are needed, and one was measured.\n"
    has_tree = sizes(rows, "forest") and sizes(rows, "command dedup")
    share, n, size, seconds = largest_tree(rows) if has_tree else (0, 0, 0, 0)
    text = table(["10 TB of text like the mails", "`dedup`", "`passages`"][
        :1 + len(found)], model_lines(found, seconds)) + """
The machines have %d cores and %.0f Gbit/s; hours are the longer of computing and of
the shuffle, and the largest tree. 10 TB are %s times the text of the largest run of
`dedup`, which was in rounds, as a large one is.
""" % (CORES, NETWORK * 8 / 1e9,
       format(round(TEXT / found["dedup in rounds"]["bytes"]), ","))
    if not has_tree:
        return text
    return text + """
Forests are made by tasks of a million rows; one of them also has a row for each document
of the largest tree, sorted by Spark and not kept by Python. **What limits `dedup` is the
task that decides on the largest tree**: chains of shared bands join %.0f %% of %s mails.
Of 10 TB that share is %.1f TB for one task: %.1f hours at the rate of the command, and longer
to get there. The share may be larger in a larger collection. More text than one task can
take must be cut into parts first, by language or site; what is alike in two parts is then
not found.
""" % (share * 100, format(n, ","), size / 1e12, seconds / 3600)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    rows = read_results(sys.argv[1])
    for name, text in (("spark", measured(rows)), ("cluster", model(rows))):
        with open(os.path.join(sys.argv[2], name + ".md"), "w") as out:
            out.write(text)


if __name__ == "__main__":
    main()
