#!/usr/bin/env python3
"""Makes C of files that are part of a program.

usage: tools/embed_files.py OUT.c NAME=FILE...

The bytes of each FILE become `const char embedded_NAME[]`, with a zero behind
them, and their number embedded_NAME_len."""

import sys


def array(name, data):
    rows = [", ".join(str(b if b < 128 else b - 256) for b in data[i:i + 16])
            for i in range(0, len(data), 16)]
    return ("const char embedded_%s[] = {\n    %s, 0};\n"
            "const size_t embedded_%s_len = %d;\n"
            % (name, ",\n    ".join(rows), name, len(data)))


def main(out, *named):
    pieces = ['/* Made by tools/embed_files.py. */\n\n#include "embedded.h"\n']
    for item in named:
        name, path = item.split("=", 1)
        with open(path, "rb") as f:
            data = f.read()
        if not data:
            sys.exit("%s: is empty" % path)
        pieces.append(array(name, data))
    with open(out, "w", encoding="ascii") as f:
        f.write("\n".join(pieces))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
