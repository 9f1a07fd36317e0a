#!/usr/bin/env python3
"""Does it matter in which order documents arrive, when each says its time?

usage: bench/late_order.py ORIGO STREAM.jsonl[.zst] [--memory 2G]
           [--share 3%] [--queries 500]

STREAM is added to three stores: in the order of time, in reverse and in a
random order (a fixed seed). Documents of one time are told apart first, by a
microsecond each, because between equal times arrival decides, and arrival is
what changes here.

1. With room for everything the answers must be the same, whatever the order:
   some documents are traced in each store, as of their own time, and the
   answers compared. The status is 1 when any differs. What is left out is the
   list of other copiers: it says what the store knew when each one came.
2. With a table of SHARE of the shingles (18 bytes each) answers may differ:
   'origo eval origin --order' measures DO and TF (see docs/evaluation.md) when
   the documents before the first query arrive in each of the orders."""

import argparse
import calendar
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ORDERS = ["right", "reverse", "random"]
SEED = 20091


def read_stream(path):
    """(seconds, record) in the order of time, then of the file."""
    if path.endswith(".zst"):
        data = subprocess.run(["zstd", "-dc", "--long=27", path], check=True,
                              stdout=subprocess.PIPE).stdout
    else:
        data = pathlib.Path(path).read_bytes()
    documents = []
    for line in data.splitlines():
        record = json.loads(line)
        day = time.strptime(record["time"][:10], "%Y-%m-%d")
        clock = record["time"][11:19]
        seconds = calendar.timegm(day)
        if clock:
            hours, minutes, rest = (int(part) for part in clock.split(":"))
            seconds += 3600 * hours + 60 * minutes + rest
        documents.append((seconds, record))
    documents.sort(key=lambda d: d[0])
    return documents


def tell_apart(documents):
    """Lines of JSONL whose times all differ."""
    lines, last, n_equal = [], None, 0
    for seconds, record in documents:
        n_equal = n_equal + 1 if seconds == last else 0
        last = seconds
        if n_equal >= 1000000:
            sys.exit("more than a million documents have one time")
        record["time"] = "%s.%06dZ" % (
            time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)), n_equal)
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    return lines


def in_order(lines, order):
    if order == "reverse":
        return lines[::-1]
    if order == "random":
        return random.Random(SEED).sample(lines, len(lines))
    return lines


def answers(origo, work, lines, queries, order, memory):
    stream, store = work / "stream.jsonl", work / (order + ".store")
    with open(stream, "w", encoding="utf-8") as out:
        out.writelines(in_order(lines, order))
    subprocess.run([origo, "add", "-q", "-s", store, "--memory", memory,
                    stream], check=True)
    info = json.loads(subprocess.run(
        [origo, "info", "--json", "-s", store], check=True,
        stdout=subprocess.PIPE).stdout)
    traced = subprocess.run([origo, "trace", "-q", "-s", store, queries],
                            check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["rm", "-r", store], check=True)
    return traced.decode().splitlines(), info


def spans(line):
    """What part 1 is about: where from, and from where to where."""
    return [(s["begin"], s["end"], s["origin"]) for s in
            json.loads(line)["spans"]]


def answer(line):
    """All of it but the other copiers, and who has most in common."""
    record = json.loads(line)
    record.pop("best", None)
    for origin in record.get("origins", []):
        origin.pop("copiers", None)
    return record


def compare_answers(options, work, lines):
    queries = work / "queries.jsonl"
    chosen = sorted(random.Random(SEED + 1).sample(
        range(len(lines)), min(options.queries, len(lines))))
    with open(queries, "w", encoding="utf-8") as out:
        out.writelines(lines[i] for i in chosen)
    print("%-8s %9s %9s %7s %12s %16s" %
          ("order", "evicted", "questions", "spans", "other spans",
           "other answers"), flush=True)
    right, n_other = None, 0
    for order in ORDERS:
        got, info = answers(options.origo, work, lines, queries, order,
                            options.memory)
        right = right or got
        other_spans = sum(spans(a) != spans(b) for a, b in zip(got, right))
        other_lines = sum(answer(a) != answer(b) for a, b in zip(got, right))
        other_lines += abs(len(got) - len(right))
        n_other += other_lines
        print("%-8s %9d %9d %7d %12d %16d" %
              (order, info["evicted"], len(got),
               sum(len(spans(line)) for line in got), other_spans,
               other_lines), flush=True)
    return n_other


def measure_share(options, work, lines):
    stream = work / "stream.jsonl"
    with open(stream, "w", encoding="utf-8") as out:
        out.writelines(lines)
    rows = {}
    print("%-8s %-8s %7s %7s %17s" % ("order", "memory", "DO", "TF",
                                      "against right"))
    for order in ORDERS:
        table = subprocess.run(
            [options.origo, "eval", "origin", "-q", "--order", order,
             "--layout", "packed", "--memory", "150%," + options.share,
             stream], check=True, stdout=subprocess.PIPE).stdout.decode()
        names, *values = (l.split("\t") for l in table.splitlines())
        for value in values:
            row = dict(zip(names, value))
            if (row["select"], row["evict"]) != ("SHs", "learn"):
                continue
            do, tf = float(row["do"]), float(row["tf"])
            first = rows.setdefault(row["memory"], (do, tf))
            print("%-8s %-8s %7.4f %7.4f %+8.4f %+8.4f" %
                  (order, row["memory"], do, tf, do - first[0],
                   tf - first[1]), flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("origo")
    parser.add_argument("stream")
    parser.add_argument("--memory", default="2G")
    parser.add_argument("--share", default="3%")
    parser.add_argument("--queries", type=int, default=500)
    options = parser.parse_args()
    lines = tell_apart(read_stream(options.stream))
    name = pathlib.Path(options.stream).name.split(".")[0]
    print("Does the order of arrival matter? %s, %d documents" %
          (name, len(lines)))
    with tempfile.TemporaryDirectory(prefix="origo-late-") as folder:
        work = pathlib.Path(folder)
        print("\n1. room for everything (%s): traces as of a document's own "
              "time" % options.memory)
        n_other = compare_answers(options, work, lines)
        print("\n2. the measures of docs/evaluation.md, history in another "
              "order")
        measure_share(options, work, lines)
    if n_other > 0:
        print("%d answers differ" % n_other)
        sys.exit(1)


if __name__ == "__main__":
    main()
