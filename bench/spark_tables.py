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
         "dedup in rounds": "`dedup`, in rounds",
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


def hours(rate, n_machines):
    """The longer of computing and of the shuffle, which every machine sends
    and receives at the same time; then the seconds of what is one task."""
    cpu = grown(rate, TEXT) / (n_machines * CORES)
    network = rate["shuffled"] * TEXT / (n_machines * NETWORK)
    return max(cpu, network) / 3600


def largest_tree(rows):
    """(the largest share of documents that bands joined to one tree, of how
    many)"""
    return max((int(re.search(r"(\d+) of them in one tree",
                              rows[n, "forest"]["result"])[1]) / n, n)
               for n in sizes(rows, "forest"))


def model_lines(found):
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
            "%.1f" % hours(r, m) for r in each)] for m in MACHINES)]


def model(rows):
    found = {job: rates(rows, job) for job in ("dedup in rounds", "passages")
             if len(sizes(rows, job)) > 1}
    if "dedup in rounds" not in found:
        return "Two numbers of documents are needed, and one was measured.\n"
    text = table(["10 TB of text like the mails", "`dedup`", "`passages`"][
        :1 + len(found)], model_lines(found)) + """
The machines have %d cores and %.0f Gbit/s; hours are the longer of computing and of
the shuffle. 10 TB are %s times the text of the largest run of `dedup`, which was in
rounds, as a large one is; a job that needs more rounds takes more.
""" % (CORES, NETWORK * 8 / 1e9,
       format(round(TEXT / found["dedup in rounds"]["bytes"]), ","))
    if not sizes(rows, "forest"):
        return text
    return text + """
Chains of shared bands join %.0f %% of %s mails, but no task of `dedup` decides on them
as a whole: pairs are compared in tasks of even size, and what is decided together is
joined by pairs that are alike. **What one task must take** is the pairs of one such tree,
sorted by Spark: 32 bytes for each pair, and 120 in Python for each document that goes; a
million copies of one text took 1.3 seconds of CPU. If one in a thousand of the documents of
10 TB were copies of one text, these would be 4 million, half a gigabyte. The rows of one key, 136 bytes each, also go
through one task, which keeps 16 of them.
""" % (largest_tree(rows)[0] * 100, format(largest_tree(rows)[1], ","))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    rows = read_results(sys.argv[1])
    for name, text in (("spark", measured(rows)), ("cluster", model(rows))):
        with open(os.path.join(sys.argv[2], name + ".md"), "w") as out:
            out.write(text)


if __name__ == "__main__":
    main()
