#!/usr/bin/env python3
"""Tables of jobs on Spark: the pages say what the results say."""

import os
import re
import tempfile

from checks import ROOT, finish, report, run

RESULTS = os.path.join(ROOT, "bench", "results", "spark.tsv")
PAGES = {"spark": "docs/spark.md", "cluster": "docs/scale.md"}


def between_marks(page, name):
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        found = re.search(r"<!-- begin: %s -->\n(.*?)<!-- end: %s -->" % (
            name, name), f.read(), re.S)
    return found[1].strip() if found else None


def main():
    with tempfile.TemporaryDirectory() as folder:
        status, out = run(["bench/spark_tables.py", RESULTS, folder])
        report("tables are made of bench/results/spark.tsv",
               "" if status == 0 else out)
        for name, page in PAGES.items() if status == 0 else ():
            with open(os.path.join(folder, name + ".md")) as f:
                made = f.read().strip()
            report("%s says what was measured" % page,
                   "" if between_marks(page, name) == made else
                   "it differs: run `make spark-tables`")
    finish()


if __name__ == "__main__":
    main()
