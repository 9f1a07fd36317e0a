#!/usr/bin/env python3
"""Judges what the qSign paper claims: bench/judge_quote.py RESULTS

RESULTS holds quote-NAME.tsv, the points of `origo eval quote`. Prints, in
Markdown: the microseconds of a question for a recall, by the inverted index, by
the fastest signatures and by origo's exact method; up to which recall signatures
are faster than the inverted index; and the precision of the sentences within d
bits (figure 6)."""

import csv
import pathlib
import sys

LEVELS = [0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.99]
BITS = ["16 bits", "32 bits", "64 bits", "128 bits"]
PAPER_RECALL = 0.75  # "with almost perfect precision", section 3.2


def read_points(path, figure):
    """{series: [(x, y), ...]}"""
    points = {}
    with open(path, encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file, delimiter="\t"):
            if line["figure"] == figure:
                points.setdefault(line["series"], []).append(
                    (float(line["x"]), float(line["y"])))
    return points


def fastest(points, series, level):
    """(microseconds, series) of those that reach the recall, or None"""
    able = [(time, name) for name in series for recall, time in points[name]
            if recall >= level]
    return min(able, default=None)


def cell(found, with_name=False):
    if found is None:
        return "-"
    return "%.1f" % found[0] + (" (%s)" % found[1] if with_name else "")


def print_times(points):
    print("| recall | inverted index | fastest qSign | exact | signatures "
          "against the inverted index |")
    print("|-------:|---------------:|--------------:|------:|---|")
    for level in LEVELS:
        index = fastest(points, ["inverted index"], level)
        signatures = fastest(points, BITS, level)
        exact = fastest(points, ["exact"], level)
        ratio = "-"
        if index and signatures:
            ratio = ("%.1f times as fast" % (index[0] / signatures[0])
                     if signatures[0] < index[0] else
                     "%.1f times as slow" % (signatures[0] / index[0]))
        print("| %g | %s | %s | %s | %s |" % (
            level, cell(index), cell(signatures, True), cell(exact), ratio))


def crossing(points):
    """The highest recall at which a signature beats the inverted index that
    reaches the same recall."""
    return max((recall for name in BITS for recall, time in points[name]
                if time < fastest(points, ["inverted index"], recall)[0]),
               default=0)


def print_precision(points):
    print("| | " + " | ".join("d = %d" % d for d in range(6)) + " |")
    print("|---|" + "---:|" * 6)
    for name in BITS[:2]:
        print("| %s: recall / precision | %s |" % (name, " | ".join(
            "%.3f / %.3f" % point for point in points[name])))


def main():
    for path in sorted(pathlib.Path(sys.argv[1]).glob("quote-*.tsv")):
        times, precision = read_points(path, "10"), read_points(path, "6")
        best = max((p for r, p in precision["32 bits"] if r >= PAPER_RECALL),
                   default=None)
        print("**%s.** Microseconds of a question, by recall; signatures are "
              "faster than the inverted index up to a recall of %.2f." %
              (path.stem[len("quote-"):], crossing(times)))
        print()
        print_times(times)
        print()
        print("Figure 6: " + (
            "no d up to 5 gives 32 bits a recall of 0.75."
            if best is None else
            "32 bits at a recall of 0.75 have a precision of %.2f." % best))
        print()
        print_precision(precision)
        print()


if __name__ == "__main__":
    main()
