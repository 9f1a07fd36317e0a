#!/usr/bin/env python3
"""The version is one, wherever it stands (docs/release.md), and so is its day."""

import os
import re

import checks

VERSION = r"(\d+\.\d+\.\d+)"
DAY = r"(\d{4}-\d{2}-\d{2})"
VERSIONS = [
    ("meson.build", r"^  version : '" + VERSION + "',"),
    ("CITATION.cff", "^version: " + VERSION),
    ("debian/changelog", r"\Aorigo \(" + VERSION + "-"),
    ("packaging/conda/meta.yaml", 'set version = "' + VERSION),
    ("packaging/origo.rb", "origo-" + VERSION + r"\.tar"),
    ("CHANGELOG.md", r"^## \[" + VERSION),
]
DAYS = [
    ("meson.build", "^release_date = '" + DAY),
    ("CITATION.cff", "^date-released: " + DAY),
    ("cli/manpage.c", '^#define RELEASE_DATE "' + DAY),
    ("CHANGELOG.md", r"^## \[[\d.]+\] - " + DAY),
]


def read(path):
    with open(os.path.join(checks.ROOT, path), encoding="utf-8") as f:
        return f.read()


def first(path, pattern):
    found = re.search(pattern, read(path), re.M)
    return found.group(1) if found else "none"


def header():
    text = read("include/origo/status.h")
    return ".".join(re.search(r"^#define OG_VERSION_%s (\d+)" % part, text,
                              re.M).group(1)
                    for part in ("MAJOR", "MINOR", "PATCH"))


def agree(name, values):
    story = "\n".join("%s says %s" % pair for pair in values)
    checks.report(name, story if len({v for _, v in values}) != 1 else "")


agree("version", [("include/origo/status.h", header())] +
      [(path, first(path, pattern)) for path, pattern in VERSIONS])
agree("day of the release",
      [(path, first(path, pattern)) for path, pattern in DAYS])
checks.finish()
