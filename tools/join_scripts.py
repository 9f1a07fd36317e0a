#!/usr/bin/env python3
"""Joins the scripts of a page inside one function, in this order.

usage: tools/join_scripts.py OUT.js SCRIPT.js...

They share their names, and the page gets none of them."""

import sys


def read(path):
    with open(path, "rb") as f:
        data = f.read()
    if not data:
        sys.exit("%s: is empty" % path)
    return data


def join(paths):
    return (b'"use strict";\n\n(() => {\n\n' +
            b"\n".join(read(path) for path in paths) + b"\n})();\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "wb") as out:
        out.write(join(sys.argv[2:]))
